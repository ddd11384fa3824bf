// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"

	"gwon/consensus/wbft/messages"
	"gwon/core/rules"
)

// unrooted returns a child of the head with transactions under another root.
func (f *fixture) unrooted(txs types.Transactions) *types.Block {
	return f.block("worst").WithBody(types.Body{Transactions: txs})
}

// BenchmarkWorst measures the costliest message of each kind that is accepted, and of each that is refused. Only a
// message with a possible block of this head, and in a proposal an author that may propose, costs more than 10 ms or
// 32 MiB.
func BenchmarkWorst(b *testing.B) {
	const n = 22
	f := newFixture(b, n)
	gas := f.head.Header.GasLimit * 5 / 4
	size := messages.MaxProposal(n) - 2000
	call := func(data int) *types.LegacyTx {
		return &types.LegacyTx{
			To: &common.Address{1}, GasPrice: common.Big1, Gas: 21000, Data: make([]byte, data),
			V: big.NewInt(27), R: common.Big1, S: common.Big1,
		}
	}
	many := int(gas / 21_000)
	smallest := f.unrooted(repeated(size/10, &types.LegacyTx{}))
	empties := f.unrooted(repeated(size/12, &types.AccessListTx{ChainID: common.Big1}))
	calls := f.rooted(repeated(many, call(size/many-60)))
	calldata := f.sized(messages.MaxProposal(n))
	authorized := f.rooted(types.Transactions{types.NewTx(&types.SetCodeTx{
		ChainID: uint256.NewInt(8283), AuthList: make([]types.SetCodeAuthorization, gas/25_000),
	})})
	listed := f.rooted(types.Transactions{types.NewTx(&types.DynamicFeeTx{
		ChainID: big.NewInt(8283), AccessList: make(types.AccessList, gas/2_400),
	})})
	keys := f.rooted(types.Transactions{types.NewTx(&types.DynamicFeeTx{
		ChainID: big.NewInt(8283), AccessList: types.AccessList{{StorageKeys: make([]common.Hash, size/33)}},
	})})
	extra := f.withExtra(rules.MaxExtra, n)
	later := func(round uint64) *messages.PrePrepare {
		all := f.certificate(0, calldata, f.indices(n)...)
		return f.signed(int(round), &messages.PrePrepare{
			Sequence: 1, Round: round, Block: calldata, RoundChanges: f.changes(round, all, f.indices(n)...),
			Prepares: all.prepares,
		}).(*messages.PrePrepare)
	}
	spoiled := func(block *types.Block) *messages.RoundChange {
		cert := f.certificate(0, block, f.indices(n)...)
		m := &messages.Prepare{Sequence: 1, Digest: block.Hash(), Seal: f.bls[n-1].Sign([]byte("x"))}
		cert.prepares[n-1] = f.signed(n-1, m).(*messages.Prepare)
		return f.roundChange(0, 1, cert)
	}
	lists := &messages.PrePrepare{Sequence: 1, Round: 1, Block: f.block("a")}
	for range messages.MaxListLength {
		lists.Prepares = append(lists.Prepares, f.prepare(0, 0, lists.Block))
	}
	f.signed(1, lists)
	early := f.signed(
		1,
		&messages.PrePrepare{
			Sequence: 2,
			Block:    f.child(f.block("head").Header(), "b").WithBody(types.Body{Transactions: smallest.Transactions()}),
		},
	)

	otherBody := f.certificate(0, f.unrooted(calldata.Transactions()), f.indices(n)...)
	for _, bench := range []struct {
		name string
		m    messages.Message
		from int
	}{
		{"pass/PRE-PREPARE/calldata", f.proposal(0, 0, calldata), 0},
		{"pass/PRE-PREPARE/calldata-relayed", f.proposal(0, 0, calldata), 3},
		{"pass/PRE-PREPARE/transactions", f.proposal(0, 0, calls), 0},
		{"pass/PRE-PREPARE/authorizations", f.proposal(0, 0, authorized), 0},
		{"pass/PRE-PREPARE/access-list", f.proposal(0, 0, listed), 0},
		{"refused/PRE-PREPARE/storage-keys", f.proposal(0, 0, keys), 3},
		{"pass/PRE-PREPARE/extra", f.proposal(0, 0, extra), 0},
		{"pass/PRE-PREPARE/justified", later(1), 1},
		{"pass/ROUND-CHANGE/calldata", f.roundChange(0, 1, f.certificate(0, calldata, f.indices(n)...)), 0},
		{"pass/PREPARE", f.prepare(0, 0, calldata), 0},
		{"pass/COMMIT", f.commit(0, 0, calldata), 0},
		{"spoiled/ROUND-CHANGE/last-seal", spoiled(calldata), 0},
		{"refused/PRE-PREPARE/smallest", f.proposal(0, 0, smallest), 3},
		{"refused/PRE-PREPARE/smallest-own", f.proposal(0, 0, smallest), 0},
		{"refused/PRE-PREPARE/empty-lists", f.proposal(0, 0, empties), 3},
		{"refused/PRE-PREPARE/not-the-proposer", f.proposal(1, 0, calldata), 1},
		{"refused/PRE-PREPARE/other-body", f.proposal(0, 0, f.unrooted(calldata.Transactions())), 0},
		{"refused/PRE-PREPARE/lists", lists, 1},
		{"refused/PRE-PREPARE/early", early, 1},
		{"refused/ROUND-CHANGE/smallest", f.roundChange(0, 1, f.certificate(0, smallest, f.indices(n)...)), 0},
		{"refused/ROUND-CHANGE/other-body", f.roundChange(0, 1, otherBody), 0},
	} {
		ev := Message{Code: bench.m.Code(), Payload: bench.m.Encode(), From: f.address(bench.from)}
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			b.ReportMetric(float64(len(ev.Payload)), "payload-B")
			for b.Loop() {
				b.StopTimer()
				p := f.player(2)
				b.StartTimer()
				p.do(ev)
			}
		})
	}
}
