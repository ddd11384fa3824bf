// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

//go:build nodes

package tests

import (
	"crypto/ecdsa"
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/wellknown"
)

// acceptance is a developer chain on which the network's own acceptance cases are played.
type acceptance struct {
	*cluster
	id          *big.Int
	tip, feeCap *big.Int
}

func startAcceptance(t *testing.T) *acceptance {
	t.Helper()
	c := prepareCluster(t, 1)
	startDev(t, c)
	c.awaitHead(t, 0, 0)
	a := &acceptance{cluster: c}
	id := get[hexutil.Big](t, a, 0, "eth_chainId")
	a.id = id.ToInt()
	a.tip, a.feeCap = a.fees(t, 0)
	return a
}

// account returns the key of a new account with coins.
func (a *acceptance) account(t *testing.T, coins *big.Int) *ecdsa.PrivateKey {
	t.Helper()
	key, address := emptyAccount(t)
	a.must(t, 0, new(any), "anvil_setBalance", address, (*hexutil.Big)(coins))
	return key
}

// fee is what a transfer can cost, times n.
func (a *acceptance) fee(n int64) *big.Int {
	return new(big.Int).Mul(new(big.Int).Mul(a.feeCap, new(big.Int).SetUint64(gethparams.TxGas)), big.NewInt(n))
}

func (a *acceptance) transfer(t *testing.T, key *ecdsa.PrivateKey, nonce uint64) hexutil.Bytes {
	t.Helper()
	return transferOn(t, a.id.Uint64(), key, nonce, common.Address{0xfe}, new(big.Int), a.tip, a.feeCap)
}

// delegated is a transfer of a sender whose fee another account pays, at a multiple of the price.
func (a *acceptance) delegated(
	t *testing.T, sender, payer *ecdsa.PrivateKey, nonce uint64, value *big.Int, price int64, list types.AccessList,
) hexutil.Bytes {
	t.Helper()
	to, times := common.Address{0xfe}, big.NewInt(price)
	inner := types.DynamicFeeTx{
		ChainID: a.id, Nonce: nonce, GasTipCap: new(big.Int).Mul(a.tip, times), GasFeeCap: new(big.Int).Mul(a.feeCap, times),
		Gas: gethparams.TxGas, To: &to, Value: value, AccessList: list,
	}
	if list != nil {
		inner.Gas += 2400*uint64(len(list)) + 1900*uint64(list.StorageKeys())
	}
	return delegate(t, sender, payer, inner)
}

// take submits a transaction; text is in the refusal, or empty for one that is accepted.
func (a *acceptance) take(t *testing.T, what string, raw hexutil.Bytes, text string) (hash common.Hash) {
	t.Helper()
	err := a.call(0, &hash, "eth_sendRawTransaction", raw)
	if (err == nil) != (text == "") || err != nil && !strings.Contains(err.Error(), text) {
		t.Errorf("%s: %v, want %q", what, err, text)
	}
	return hash
}

// The cases by which the network's owner accepts a release: costs that add up for senders and fee payers (T-1), access
// lists of delegated transactions (T-2), signing by the node (T-3), extra data (T-4) and the range of the statistics
// (T-5). spec: transactions 4.4, rpc 6.7, rpc 6.8
func TestAcceptance(t *testing.T) {
	t.Parallel()
	a := startAcceptance(t)
	held := func(f func()) { // submissions wait in the pool
		a.must(t, 0, new(any), "evm_setAutomine", false)
		f()
		a.must(t, 0, new(any), "evm_setAutomine", true)
		a.must(t, 0, new(any), "evm_mine")
	}
	t.Run("T-1a", func(t *testing.T) {
		key := a.account(t, a.fee(1))
		held(func() {
			a.take(t, "the first", a.transfer(t, key, 0), "")
			a.take(t, "the second", a.transfer(t, key, 1), "insufficient funds for gas * price + value")
		})
	})
	t.Run("T-1b", func(t *testing.T) {
		key := a.account(t, a.fee(3))
		held(func() {
			for nonce := range uint64(3) {
				a.take(t, "one of three", a.transfer(t, key, nonce), "")
			}
		})
	})
	t.Run("T-1c", func(t *testing.T) {
		payer := a.account(t, a.fee(2))
		held(func() {
			for i, text := range []string{"", "", "insufficient feePayer's funds for gas * price"} {
				sender := a.account(t, new(big.Int))
				a.take(t, string(rune('1'+i)), a.delegated(t, sender, payer, 0, new(big.Int), 1, nil), text)
			}
		})
	})
	t.Run("T-1d", func(t *testing.T) {
		sender, payer := a.account(t, big.NewInt(5)), a.account(t, a.fee(1))
		hash := a.take(t, "all that it has", a.delegated(t, sender, payer, 0, big.NewInt(5), 1, nil), "")
		expect.Equal(t, a.receipt(t, 0, hash).Status, types.ReceiptStatusSuccessful, "status")
	})
	t.Run("T-1e", func(t *testing.T) {
		sender, payer := a.account(t, new(big.Int)), a.account(t, a.fee(2))
		held(func() {
			a.take(t, "the first", a.delegated(t, sender, payer, 0, new(big.Int), 1, nil), "")
			a.take(t, "its replacement", a.delegated(t, sender, payer, 0, new(big.Int), 2, nil), "")
		})
	})
	t.Run("T-2", func(t *testing.T) {
		list := types.AccessList{{Address: common.Address{0xfe}, StorageKeys: []common.Hash{{1}, {2}}}}
		for _, list := range []types.AccessList{nil, list} {
			sender, payer := a.account(t, new(big.Int)), a.account(t, a.fee(2))
			hash := a.take(t, "delegated", a.delegated(t, sender, payer, 0, new(big.Int), 1, list), "")
			var tx struct{ AccessList types.AccessList }
			a.must(t, 0, &tx, "eth_getTransactionByHash", hash)
			if r := a.receipt(t, 0, hash); r.Status != types.ReceiptStatusSuccessful ||
				len(tx.AccessList) != len(list) || tx.AccessList.StorageKeys() != list.StorageKeys() {
				t.Errorf("status %d, access list %v, want %v", r.Status, tx.AccessList, list)
			}
		}
	})
	t.Run("T-3", func(t *testing.T) { a.signing(t) })
	t.Run("T-4", func(t *testing.T) {
		for _, number := range []string{"latest", "0x1", "0x0", "earliest", "pending"} {
			var info struct{ VanityData hexutil.Bytes }
			a.must(t, 0, &info, "istanbul_getWbftExtraInfo", number)
			genesis := number == "0x0" || number == "earliest"
			if info.VanityData == nil || !genesis && len(info.VanityData) == 0 {
				t.Errorf("%s: no vanity data", number)
			}
		}
		expect.Says(t, a.call(0, new(any), "istanbul_getWbftExtraInfo", "0xffffffff"), "not found", "an unknown block")
	})
	t.Run("T-5", func(t *testing.T) {
		a.must(t, 0, new(any), "hardhat_mine", "0x410")
		for params, text := range map[string]string{
			`[]`: "", `["0x1","0x2"]`: "", `["latest","latest"]`: "",
			`["0x1"]`:            "pass the end block number",
			`[null,"0x1"]`:       "pass the start block number",
			`["0x2","0x1"]`:      "start block number should be less than end block number",
			`["0x1","0xffffff"]`: "end block number should be less than or equal to current block height",
			`["earliest","0x1"]`: "unsupported block number: -5",
			`["0x1","safe"]`:     "unsupported block number: -4",
			`["0x1","pending"]`:  "unsupported block number: -1",
			`["0x1","0x400"]`:    "", `["0x1","0x401"]`: "requested range too large: 1025 blocks (max 1024)",
			`["finalized","0x1"]`: "unsupported block number: -3",
			`["-0x1","0x1"]`: "invalid argument 0: hex string without 0x prefix: a block is latest, earliest, pending, " +
				"safe, finalized or a number like 0x1b4",
		} {
			r := post(t, a.node(0).HTTP(), "istanbul_status", params)
			switch {
			case text == "" && r.Error != nil:
				t.Errorf("%s: %s", params, r.Error.Message)
			case text != "" && (r.Error == nil || r.Error.Message != text):
				t.Errorf("%s: %+v, want %q", params, r.Error, text)
			}
		}
	})
}

// signing plays T-3: the node signs for sender and fee payer, for the fee payer alone, and refuses a fee payer's
// signature over nothing.
func (a *acceptance) signing(t *testing.T) {
	t.Helper()
	accounts := must.Get(wellknown.Accounts(wellknown.Mnemonic, 2))(t)
	sender, payer := accounts[0], accounts[1]
	call := map[string]any{
		"from": sender.Address, "to": common.Address{0xfe}, "gas": hexutil.Uint64(gethparams.TxGas), "value": "0x1",
		"maxFeePerGas": (*hexutil.Big)(a.feeCap), "maxPriorityFeePerGas": (*hexutil.Big)(a.tip), "feePayer": payer.Address,
	}
	type shown struct {
		Type     hexutil.Uint64
		FeePayer common.Address
		From     common.Address
	}
	var hash common.Hash
	var tx shown
	a.must(t, 0, &hash, "eth_sendTransaction", call)
	a.must(t, 0, &tx, "eth_getTransactionByHash", hash)
	expect.That(t, tx.Type == 0x16 && tx.FeePayer == payer.Address && tx.From == sender.Address, "sent: %+v", tx)

	call["nonce"] = hexutil.Uint64(1)
	var refused json.RawMessage
	err := a.call(0, &refused, "eth_signTransaction", call)
	expect.That(t, err != nil && strings.Contains(err.Error(), "fee delegate tx type mismatch"),
		"without the sender's signature: %v, %s", err, refused)
	to := common.Address{0xfe}
	inner := must.Get(types.SignNewTx(sender.Key, types.LatestSignerForChainID(a.id), &types.DynamicFeeTx{
		ChainID: a.id, Nonce: 1, GasTipCap: a.tip, GasFeeCap: a.feeCap, Gas: gethparams.TxGas, To: &to, Value: common.Big1,
	}))(t)
	v, r, s := inner.RawSignatureValues()
	call["chainId"], call["v"], call["r"], call["s"] = (*hexutil.Big)(a.id), (*hexutil.Big)(v), (*hexutil.Big)(r),
		(*hexutil.Big)(s)
	var signed struct{ Raw hexutil.Bytes }
	a.must(t, 0, &signed, "eth_signTransaction", call)
	hash = a.take(t, "signed by the node", signed.Raw, "")
	if r := a.receipt(t, 0, hash); r.Status != types.ReceiptStatusSuccessful || r.Type != 0x16 {
		t.Errorf("receipt %+v", r)
	}
}
