// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// large is a block with another body than its header says, of more bytes than a message that is welcome again at once
// has.
func (b *bench) large(block *types.Block) *types.Block {
	return block.WithBody(
		types.Body{Transactions: types.Transactions{types.NewTx(&types.LegacyTx{Data: make([]byte, 100_000)})}})
}

// A large message that came to nothing is not welcome again before the view changes; a small one is at once.
// spec: wbft 4.4
func TestLargeMessagesAreNotWelcomeAtOnce(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		early := b.prePrepare(b.large(b.block(0)), 0)
		early.Sequence = 7
		b.sign(b.others()[0], early)
		b.deliver(early)
		must.Equal(b.t, b.network.forgets(), 0, "messages forgotten in the view")
		small := &messages.Prepare{Sequence: 7, Seal: make([]byte, messages.SealLength)}
		b.sign(b.others()[0], small)
		b.deliver(small)
		n := b.network.forgets()
		must.That(b.t, n == 1, "%d messages forgotten, want the small one", n)
		time.Sleep(3 * time.Second) // of the bubble: the round ends
		b.wait()
		if n := b.network.forgets(); b.driver.Status().Round == 0 || n != 2 {
			b.t.Errorf("round %d: %d messages forgotten, want both", b.driver.Status().Round, n)
		}
		expect.That(b.t, metrics.GetOrRegisterMeter("wbft/messages/dropped/early", nil).Snapshot().Count() >= 2,
			"not counted by cause")
	})
}

// Large messages are held of each deliverer once, and with all others together up to a bound.
func TestHeldMessagesAreBounded(t *testing.T) {
	onBench(t, 7, func(b *bench) {
		b.start()
		block := b.block(0)
		big := block.WithBody(
			types.Body{Transactions: types.Transactions{types.NewTx(&types.LegacyTx{Data: make([]byte, 9<<20)})}})
		for _, from := range b.others()[:5] {
			for sequence := uint64(7); sequence < 9; sequence++ {
				m := &messages.PrePrepare{Sequence: sequence, Block: big}
				b.sign(from, m)
				b.deliver(m)
			}
		}
		b.wait()
		n := b.network.forgets()
		expect.That(b.t, n == 7, "%d messages gave way, want all but the newest of three deliverers", n)
		time.Sleep(3 * time.Second) // of the bubble: the round ends
		b.wait()
		n = b.network.forgets()
		expect.That(b.t, n == 10, "%d messages are welcome again, want all", n)
	})
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
