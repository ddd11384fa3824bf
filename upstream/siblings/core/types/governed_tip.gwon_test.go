// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/params"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func mustBig(t *testing.T, s string) *big.Int {
	t.Helper()
	x, ok := new(big.Int).SetString(s, 10)
	require.Truef(t, ok, "bad number %q", s)
	return x
}

func authorizedLog() *Log {
	return &Log{Address: AccountManagerAddress, Topics: []common.Hash{AuthorizedTxExecutedTopic}}
}

// Spec transactions 3.5: the price derived from header, transaction and logs, for every type and class of sender.
func TestApplyGovernedTip(t *testing.T) {
	var v struct {
		Vectors []struct {
			Name                               string
			Type                               int
			SenderAuthorized                   bool
			BaseFee, HeaderGasTip              string
			MaxPriorityFeePerGas, MaxFeePerGas string
			Error                              *string
			DerivedWithoutStoredValue          string
		}
	}
	readVectors(t, "effective_price.json", &v)
	config := anzeonTestConfig()
	checked := 0
	for _, c := range v.Vectors {
		if c.Error != nil {
			continue
		}
		checked++
		tip, feeCap := mustBig(t, c.MaxPriorityFeePerGas), mustBig(t, c.MaxFeePerGas)
		var inner TxData
		switch c.Type {
		case LegacyTxType:
			inner = &LegacyTx{GasPrice: feeCap}
		case AccessListTxType:
			inner = &AccessListTx{GasPrice: feeCap}
		case DynamicFeeTxType:
			inner = &DynamicFeeTx{GasTipCap: tip, GasFeeCap: feeCap}
		case FeeDelegateTxType:
			inner = &FeeDelegateTx{SenderTx: DynamicFeeTx{GasTipCap: tip, GasFeeCap: feeCap}}
		default:
			t.Fatalf("%s: type %d", c.Name, c.Type)
		}
		header := &Header{
			BaseFee: mustBig(t, c.BaseFee),
			Extra:   (&WBFTExtra{GasTip: mustBig(t, c.HeaderGasTip)}).Encode(),
		}
		r := &Receipt{Logs: []*Log{{Address: common.Address{1}, Topics: []common.Hash{{}}}}}
		if c.SenderAuthorized {
			r.Logs = append(r.Logs, authorizedLog())
		}
		Receipts{r}.ApplyGovernedTip(config, header, Transactions{NewTx(inner)})
		if want := mustBig(t, c.DerivedWithoutStoredValue); r.EffectiveGasPrice == nil || r.EffectiveGasPrice.Cmp(want) != 0 {
			t.Errorf("%s: price %v, want %v", c.Name, r.EffectiveGasPrice, want)
		}
	}
	assert.True(t, checked != 0, "no vectors")
}

// The same from the encoded receipts and transactions of executed blocks, behind upstream's derivation.
func TestApplyGovernedTipToExecuted(t *testing.T) {
	var v struct {
		Vectors []struct {
			Name                     string
			Raw                      hexutil.Bytes
			ReceiptConsensusEncoding hexutil.Bytes
			Header                   struct {
				BaseFee string
				Extra   hexutil.Bytes
			}
			Derived string
		}
	}
	readVectors(t, "receipts.json", &v)
	config := anzeonTestConfig()
	for _, c := range v.Vectors {
		r := new(Receipt)
		must.Do(t, r.UnmarshalBinary(c.ReceiptConsensusEncoding))
		tx := rawTx(t, c.Raw)
		header := &Header{BaseFee: mustBig(t, c.Header.BaseFee), Extra: c.Header.Extra}
		rs := Receipts{r}
		must.Do(t, rs.DeriveFields(config, common.Hash{}, 1, 0, header.BaseFee, nil, Transactions{tx}))
		rs.ApplyGovernedTip(config, header, Transactions{tx})
		want := mustBig(t, c.Derived)
		assert.Truef(t, r.EffectiveGasPrice.Cmp(want) == 0, "%s: price %v, want %v", c.Name, r.EffectiveGasPrice, want)
	}
}

// Upstream's price stays where the rule has no place or no tip.
func TestApplyGovernedTipLeaves(t *testing.T) {
	tx := NewTx(&DynamicFeeTx{GasTipCap: big.NewInt(1), GasFeeCap: big.NewInt(100)})
	header := &Header{BaseFee: big.NewInt(10), Extra: (&WBFTExtra{GasTip: big.NewInt(5)}).Encode()}
	anzeon := anzeonTestConfig()
	for name, c := range map[string]struct {
		config *params.ChainConfig
		header *Header
		txs    Transactions
	}{
		"other chain":       {params.TestChainConfig, header, Transactions{tx}},
		"no header":         {anzeon, nil, Transactions{tx}},
		"no base fee":       {anzeon, &Header{Extra: header.Extra}, Transactions{tx}},
		"undecodable extra": {anzeon, &Header{BaseFee: header.BaseFee, Extra: []byte{1}}, Transactions{tx}},
		"count mismatch":    {anzeon, header, nil},
	} {
		r := &Receipt{EffectiveGasPrice: big.NewInt(11)}
		Receipts{r}.ApplyGovernedTip(c.config, c.header, c.txs)
		assert.Truef(t, r.EffectiveGasPrice.Int64() == 11, "%s: price %v", name, r.EffectiveGasPrice)
	}
	r := new(Receipt)
	Receipts{r}.ApplyGovernedTip(anzeon, header, Transactions{tx})
	r.EffectiveGasPrice.SetInt64(0)
	assert.True(t, header.BaseFee.Int64() == 10 && tx.GasFeeCap().Int64() == 100,
		"the price shares memory with the header or the transaction")
}

func TestByAuthorizedSender(t *testing.T) {
	assert.True(t, crypto.Keccak256Hash([]byte("AuthorizedTxExecuted()")) == AuthorizedTxExecutedTopic,
		"the topic is not the event's")
	other := &Log{Address: common.Address{1}, Topics: []common.Hash{AuthorizedTxExecutedTopic}}
	for name, c := range map[string]struct {
		logs []*Log
		want bool
	}{
		"no log":           {nil, false},
		"only log":         {[]*Log{authorizedLog()}, true},
		"last log":         {[]*Log{other, authorizedLog()}, true},
		"not the last log": {[]*Log{authorizedLog(), other}, false},
		"other emitter":    {[]*Log{other}, false},
		"without topics":   {[]*Log{{Address: AccountManagerAddress}}, false},
		"other topic":      {[]*Log{{Address: AccountManagerAddress, Topics: []common.Hash{{1}}}}, false},
	} {
		assert.Equalf(t, c.want, (&Receipt{Logs: c.logs}).ByAuthorizedSender(), "%s", name)
	}
}
