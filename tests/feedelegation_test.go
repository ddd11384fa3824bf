// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"crypto/ecdsa"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/internal/must"
)

// transfer returns a signed type-2 payment on the test networks' chain in canonical bytes.
func transfer(t *testing.T, key *ecdsa.PrivateKey, nonce uint64, to common.Address, value, tip,
	feeCap *big.Int) []byte {
	t.Helper()
	return transferOn(t, chainID, key, nonce, to, value, tip, feeCap)
}

func transferOn(
	t *testing.T, chain uint64, key *ecdsa.PrivateKey, nonce uint64, to common.Address, value, tip, feeCap *big.Int,
) []byte {
	t.Helper()
	id := new(big.Int).SetUint64(chain)
	tx := must.Get(types.SignNewTx(key, types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: nonce, GasTipCap: tip, GasFeeCap: feeCap, Gas: gethparams.TxGas, To: &to, Value: value,
	}))(t)
	return must.Get(tx.MarshalBinary())(t)
}

// delegate signs a transaction as its sender, and then as the account that pays its fee.
func delegate(t *testing.T, sender, payer *ecdsa.PrivateKey, inner types.DynamicFeeTx) hexutil.Bytes {
	t.Helper()
	signed := must.Get(types.SignNewTx(sender, types.LatestSignerForChainID(inner.ChainID), &inner))(t)
	inner.V, inner.R, inner.S = signed.RawSignatureValues()
	address := crypto.PubkeyToAddress(payer.PublicKey)
	tx := must.Get(types.SignNewTx(payer, types.NewFeeDelegateSigner(inner.ChainID),
		&types.FeeDelegateTx{SenderTx: inner, FeePayer: &address}))(t)
	return must.Get(tx.MarshalBinary())(t)
}

// emptyAccount returns the key of an account that nobody has heard of.
func emptyAccount(t *testing.T) (*ecdsa.PrivateKey, common.Address) {
	t.Helper()
	key := must.Get(crypto.GenerateKey())(t)
	return key, crypto.PubkeyToAddress(key.PublicKey)
}

// A fee payer known to the node signs a stranger's payment, through either of the two methods; the stranger pays the
// value only, the fee payer the gas only (spec rpc 9.4, transactions 5).
func TestFeeDelegation(t *testing.T) {
	c := oneNode(t)
	payer, rich := c.network.Accounts[0], c.network.Accounts[1]
	coin := new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil)

	for _, test := range []struct {
		name   string
		method string
		secret []any // password, where the method takes one
		funds  *big.Int
	}{
		{"eth, nothing to spend", "eth_signRawFeeDelegateTransaction", nil, new(big.Int)},
		{"eth, spends all it has", "eth_signRawFeeDelegateTransaction", nil, coin},
		{"personal, nothing to spend", "personal_signRawFeeDelegateTransaction", []any{"devnet"}, new(big.Int)},
		{"personal, spends all it has", "personal_signRawFeeDelegateTransaction", []any{"devnet"}, coin},
	} {
		t.Run(test.name, func(t *testing.T) {
			key, sender := emptyAccount(t)
			_, recipient := emptyAccount(t)
			tip, feeCap := c.fees(t, 0)
			if test.funds.Sign() > 0 {
				var nonce hexutil.Uint64
				c.must(t, 0, &nonce, "eth_getTransactionCount", rich.Address, "pending")
				var hash common.Hash
				gift := transfer(t, rich.Key(), uint64(nonce), sender, test.funds, tip, feeCap)
				c.must(t, 0, &hash, "eth_sendRawTransaction", hexutil.Bytes(gift))
				if r := c.receipt(t, 0, hash); r.Status != types.ReceiptStatusSuccessful {
					t.Fatalf("funding the sender failed: status %d", r.Status)
				}
			}
			raw := hexutil.Bytes(transfer(t, key, 0, recipient, test.funds, tip, feeCap))
			var signed struct {
				Raw hexutil.Bytes `json:"raw"`
				Tx  struct {
					Type     string         `json:"type"`
					FeePayer common.Address `json:"feePayer"`
				} `json:"tx"`
			}
			args := append([]any{map[string]any{"feePayer": payer.Address}, raw}, test.secret...)
			c.must(t, 0, &signed, test.method, args...)
			if signed.Tx.Type != "0x16" || signed.Tx.FeePayer != payer.Address || signed.Raw[0] != 0x16 {
				t.Fatalf("signed transaction has type %s, fee payer %v", signed.Tx.Type, signed.Tx.FeePayer)
			}
			var hash common.Hash
			c.must(t, 0, &hash, "eth_sendRawTransaction", signed.Raw)
			r := c.receipt(t, 0, hash)
			if r.Status != types.ReceiptStatusSuccessful {
				t.Fatalf("receipt status %d, want 1", r.Status)
			}

			at := r.BlockNumber.Uint64()
			before, after := hexutil.Uint64(at-1), hexutil.Uint64(at)
			spent := func(a common.Address) *big.Int {
				return new(big.Int).Sub(c.balance(t, 0, a, before), c.balance(t, 0, a, after))
			}
			if got := spent(sender); got.Cmp(test.funds) != 0 {
				t.Errorf("the sender paid %v wei, want the value %v", got, test.funds)
			}
			fee := new(big.Int).Mul(new(big.Int).SetUint64(r.GasUsed), r.EffectiveGasPrice)
			if got := spent(payer.Address); got.Cmp(fee) != 0 {
				t.Errorf("the fee payer paid %v wei, want %d gas at %v wei = %v", got, r.GasUsed, r.EffectiveGasPrice, fee)
			}
			if got := c.balance(t, 0, recipient, after); got.Cmp(test.funds) != 0 {
				t.Errorf("the recipient has %v wei, want %v", got, test.funds)
			}
		})
	}
}

// eth_call lets the fee payer buy the gas, and the call tracer names who did (spec transactions 6 no. 20 and 21).
func TestFeePayerOfCalls(t *testing.T) {
	c := oneNode(t)
	payer, rich := c.network.Accounts[0], c.network.Accounts[1]
	key, sender := emptyAccount(t)
	_, recipient := emptyAccount(t)
	tip, feeCap := c.fees(t, 0)
	call := map[string]any{
		"from": sender, "to": recipient, "gas": hexutil.Uint64(gethparams.TxGas),
		"maxFeePerGas": (*hexutil.Big)(feeCap), "maxPriorityFeePerGas": (*hexutil.Big)(tip),
	}
	var result hexutil.Bytes
	err := c.call(0, &result, "eth_call", call, "latest")
	if err == nil || !strings.Contains(err.Error(), "insufficient funds") {
		t.Errorf("a call of an account without coins at a price: %v, want insufficient funds", err)
	}
	call["feePayer"] = payer.Address
	if err := c.call(0, &result, "eth_call", call, "latest"); err != nil {
		t.Errorf("the same with a fee payer: %v", err)
	}
	call["feePayer"] = recipient
	err = c.call(0, &result, "eth_call", call, "latest")
	if err == nil || !strings.Contains(err.Error(), "insufficient funds") {
		t.Errorf("the same with a fee payer without coins: %v, want insufficient funds", err)
	}

	trace := func(hash common.Hash) map[string]any {
		c.receipt(t, 0, hash)
		var frame map[string]any
		c.must(t, 0, &frame, "debug_traceTransaction", hash, map[string]any{"tracer": "callTracer"})
		return frame
	}
	var signed struct{ Raw hexutil.Bytes }
	c.must(t, 0, &signed, "eth_signRawFeeDelegateTransaction", map[string]any{"feePayer": payer.Address},
		hexutil.Bytes(transfer(t, key, 0, recipient, new(big.Int), tip, feeCap)))
	var delegated, plain common.Hash
	c.must(t, 0, &delegated, "eth_sendRawTransaction", signed.Raw)
	if frame := trace(delegated); !strings.EqualFold(fmt.Sprint(frame["feePayer"]), payer.Address.Hex()) ||
		!strings.EqualFold(fmt.Sprint(frame["from"]), sender.Hex()) {
		t.Errorf("call frame %v, want sender %v and fee payer %v", frame, sender, payer.Address)
	}
	var nonce hexutil.Uint64
	c.must(t, 0, &nonce, "eth_getTransactionCount", rich.Address, "pending")
	c.must(t, 0, &plain, "eth_sendRawTransaction",
		hexutil.Bytes(transfer(t, rich.Key(), uint64(nonce), recipient, big.NewInt(1), tip, feeCap)))
	if frame := trace(plain); frame["feePayer"] != nil || frame["from"] == nil {
		t.Errorf("call frame of an ordinary transaction: %v, want no fee payer", frame)
	}
}

// What the two methods refuse, and how (spec rpc 6.10, 6.11).
func TestFeeDelegationRefusals(t *testing.T) {
	c := oneNode(t)
	payer := c.network.Accounts[0].Address
	key, stranger := emptyAccount(t)
	tip, feeCap := c.fees(t, 0)
	raw := hexutil.Bytes(transfer(t, key, 0, stranger, new(big.Int), tip, feeCap))
	for _, test := range []struct {
		name, method string
		args         []any
		want         string
	}{
		{"unknown fee payer", "eth_signRawFeeDelegateTransaction", []any{map[string]any{"feePayer": stranger}, raw},
			"unknown account"},
		{"no fee payer", "eth_signRawFeeDelegateTransaction", []any{map[string]any{"from": payer}, raw}, "missing FeePayer"},
		{"wrong password", "personal_signRawFeeDelegateTransaction", []any{map[string]any{"feePayer": payer}, raw, "wrong"},
			"could not decrypt key with given password"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var result any
			err := c.call(0, &result, test.method, test.args...)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// A tip below the governed minimum is refused, whoever sends it, and not pooled (spec rpc 8.2, 9.3).
func TestLowTipRefused(t *testing.T) {
	c := oneNode(t)
	sender := c.network.Accounts[2]
	_, to := emptyAccount(t)
	gwei := func(n int64) *big.Int { return new(big.Int).Mul(big.NewInt(n), big.NewInt(gethparams.GWei)) }
	raw := transfer(t, sender.Key(), 0, to, big.NewInt(1), gwei(27_599), gwei(60_000))

	answer := post(t, c.node(0).HTTP(), "eth_sendRawTransaction", `["`+hexutil.Encode(raw)+`"]`)
	const want = "transaction underpriced: gas tip cap 27599000000000, minimum needed 27600000000000"
	if answer.Error == nil || answer.Error.Code != -32000 || !strings.Contains(answer.Error.Message, want) {
		t.Fatalf("answer %s, error %+v, want -32000 %q", answer.Result, answer.Error, want)
	}
	var pooled struct {
		Pending map[string]any `json:"pending"`
		Queued  map[string]any `json:"queued"`
	}
	c.must(t, 0, &pooled, "txpool_contentFrom", sender.Address)
	if len(pooled.Pending)+len(pooled.Queued) != 0 {
		t.Errorf("the refused transaction is in the pool: %+v", pooled)
	}
	// The same with the least tip passes.
	ok := transfer(t, sender.Key(), 0, to, big.NewInt(1), gwei(27_600), gwei(60_000))
	var hash common.Hash
	c.must(t, 0, &hash, "eth_sendRawTransaction", hexutil.Bytes(ok))
	if r := c.receipt(t, 0, hash); r.Status != types.ReceiptStatusSuccessful {
		t.Errorf("receipt status %d, want 1", r.Status)
	}
}
