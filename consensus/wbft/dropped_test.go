// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// large is a block with another body than its header says, of more bytes than a small message has.
func (b *bench) large(block *types.Block) *types.Block {
	return block.WithBody(
		types.Body{Transactions: types.Transactions{types.NewTx(&types.LegacyTx{Data: make([]byte, 100_000)})}})
}

// What is dropped unread for what its deliverer has sent before stays welcome from others: a faulty validator cannot
// keep the proposer's own copy out by passing it on first. spec: wbft 4.4
func TestFaultyDelivererKeepsNothingOut(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		proposer := b.set().Proposer(validators.RoundRobin, b.lastProposer(), 0)
		var faulty common.Address
		for _, a := range b.others() {
			if a != proposer {
				faulty = a
			}
		}
		block := b.variant(b.block(0),
			func(_ *types.Header, x *types.WBFTExtra) { x.Vanity = append(x.Vanity, make([]byte, 70_000)...) })
		good := b.prePrepare(block, 0)
		for i := range 4 {
			junk := make([]byte, 600)
			junk[0] = byte(i)
			b.driver.Deliver(messages.CodePrePrepare, junk, faulty)
		}
		b.wait()
		before := b.network.forgets()
		b.driver.Deliver(good.Code(), good.Encode(), faulty)
		b.wait()
		n := b.network.forgets() - before
		expect.That(b.t, n == 1, "%d messages forgotten, want the proposal", n)
		expect.That(b.t, metrics.GetOrRegisterMeter("wbft/messages/dropped/malformed", nil).Snapshot().Count() >= 4,
			"not counted by cause")
	})
}

// A validator that delivers itself what it has signed and no honest one signs is disconnected.
func TestFaultyDelivererIsDropped(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		m := b.prePrepare(b.large(b.block(0)), 0)
		b.deliver(m)
		proposer := must.Get(m.Signer())(b.t)
		d := b.network.dropped
		expect.That(b.t, len(d) == 1 && d[0] == proposer, "dropped %v, want %v", d, proposer)
		b.unhalted()
	})
}
