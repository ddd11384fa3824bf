// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rules

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/holiman/uint256"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// outlineTestTransactions has one transaction of each kind, with lists where the kind has them.
func outlineTestTransactions() types.Transactions {
	list := types.AccessList{
		{Address: common.Address{1}, StorageKeys: []common.Hash{{1}, {2}}}, {Address: common.Address{2}},
	}
	dynamic := &types.DynamicFeeTx{
		ChainID: big.NewInt(8283), GasTipCap: big.NewInt(1), GasFeeCap: big.NewInt(2), Gas: 90_000, To: &common.Address{9},
		Value: big.NewInt(3), Data: []byte{1, 2, 3}, AccessList: list, V: big.NewInt(0), R: big.NewInt(1), S: big.NewInt(1),
	}
	return types.Transactions{
		types.NewTx(&types.LegacyTx{
			Gas: 21_000, To: &common.Address{1}, GasPrice: big.NewInt(1),
			V: big.NewInt(27), R: big.NewInt(1), S: big.NewInt(1),
		}),
		types.NewTx(&types.AccessListTx{
			ChainID: big.NewInt(8283), GasPrice: big.NewInt(1), Gas: 90_000, To: &common.Address{1}, AccessList: list,
			V: big.NewInt(0), R: big.NewInt(1), S: big.NewInt(1),
		}),
		types.NewTx(dynamic),
		types.NewTx(&types.SetCodeTx{
			ChainID: uint256.NewInt(8283), Gas: 90_000, To: common.Address{1}, AccessList: list,
			AuthList: []types.SetCodeAuthorization{{Nonce: 1}, {Nonce: 2}, {Nonce: 3}},
		}),
	}
}

// Each kind counts its own lists, at the places where they are encoded.
func TestOutlineCountsGas(t *testing.T) {
	const (
		list          = 2*gethparams.TxAccessListAddressGas + 2*gethparams.TxAccessListStorageKeyGas
		authorization = gethparams.CallNewAccountGas
	)
	txs := outlineTestTransactions()
	want := []uint64{21_000, 21_000 + list, 21_000 + list, 21_000 + list + 3*authorization}
	total := uint64(0)
	for i, tx := range txs {
		total += want[i]
		o := outlineOf(t, types.Transactions{tx})
		expect.That(t, o.Transactions == 1 && o.MinGas == want[i],
			"type %#x: %d transactions, %d gas, want 1 and %d", tx.Type(), o.Transactions, o.MinGas, want[i])
	}
	o := outlineOf(t, txs)
	expect.That(t, o.Transactions == len(txs) && o.MinGas == total,
		"all: %d transactions, %d gas, want %d and %d", o.Transactions, o.MinGas, len(txs), total)
	used := total - total/5
	expect.Error(t, o.CheckGas(used), nil, "at the limit")
	expect.Refused(t, o.CheckGas(used-1), "a block that needs one gas more than the limit passes")
}

// A fee-delegated transaction has its list in the sender's part (spec transactions 2.1).
func TestOutlineOfFeeDelegated(t *testing.T) {
	sender := outlineTestTransactions()[2]
	inner := must.Get(sender.MarshalBinary())(t)
	outer := must.Get(rlp.EncodeToBytes([]any{rlp.RawValue(inner[1:]), common.Address{5}, uint(0), uint(1), uint(1)}))(t)
	tx := new(types.Transaction)
	must.Do(t, tx.UnmarshalBinary(append([]byte{types.FeeDelegateTxType}, outer...)))
	want := uint64(21_000 + 2*gethparams.TxAccessListAddressGas + 2*gethparams.TxAccessListStorageKeyGas)
	expect.Equal(t, outlineOf(t, types.Transactions{tx}).MinGas, want, "gas")
}

func outlineOf(t *testing.T, txs types.Transactions) *Outline {
	t.Helper()
	header := &types.Header{
		Number: big.NewInt(7), Difficulty: big.NewInt(1), BaseFee: big.NewInt(1), GasLimit: 105_000_000,
	}
	block := types.NewBlockWithHeader(header).WithBody(types.Body{Transactions: txs})
	raw := must.Get(rlp.EncodeToBytes(block))(t)
	o := must.Get(OutlineBlock(raw))(t)
	expect.Equal(t, o.Header.Number.Uint64(), 7, "number %d", o.Header.Number)
	body := must.Get(rlp.EncodeToBytes(block.Body()))(t)
	b := must.Get(OutlineBody(header, body))(t)
	expect.That(t, b.Transactions == o.Transactions && b.MinGas == o.MinGas,
		"of the body: %d transactions, %d gas, of the block %d and %d", b.Transactions, b.MinGas, o.Transactions, o.MinGas)
	return o
}

// What is no block is an error that names the part.
func TestOutlineOfNoBlock(t *testing.T) {
	for name, raw := range map[string][]byte{
		"nothing":           nil,
		"string":            {0x81, 0xff},
		"empty list":        {0xc0},
		"list cut short":    {0xc8, 0xc0},
		"surplus":           {0xc0, 0x00},
		"header is no list": {0xc1, 0x01},
	} {
		t.Run(name, func(t *testing.T) {
			expect.Refused(t, expect.Err(OutlineBlock(raw)), "no error")
		})
	}
}

// FuzzOutline compares the outline with the block that is decoded: what decodes has an outline, with the same numbers.
func FuzzOutline(f *testing.F) {
	raw := must.Get(rlp.EncodeToBytes(types.NewBlockWithHeader(&types.Header{
		Number: big.NewInt(7), Difficulty: big.NewInt(1),
	}).WithBody(types.Body{Transactions: outlineTestTransactions()})))(f)
	f.Add(raw)
	f.Fuzz(func(t *testing.T, raw []byte) {
		o, err := OutlineBlock(raw)
		block := new(types.Block)
		if rlp.DecodeBytes(raw, block) != nil {
			return
		}
		must.Do(t, err, "the block decodes, its outline does not:")
		want := uint64(0)
		for _, tx := range block.Transactions() {
			want += 21_000 + gethparams.TxAccessListAddressGas*uint64(len(tx.AccessList())) +
				gethparams.TxAccessListStorageKeyGas*uint64(tx.AccessList().StorageKeys()) +
				gethparams.CallNewAccountGas*uint64(len(tx.SetCodeAuthorizations()))
		}
		must.That(t, o.Transactions == len(block.Transactions()) && o.MinGas == want,
			"%d transactions, %d gas, the block has %d and %d", o.Transactions, o.MinGas, len(block.Transactions()), want)
	})
}
