// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"context"
	"errors"
	"math/big"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/trie"

	"gwon/consensus/wbft/wbfttest"
	"gwon/eth/session/sessiontest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// awaitChange waits until a condition on the download holds, which is looked at with the lock held.
func awaitChange(t *testing.T, d *download, what string, holds func() bool) {
	t.Helper()
	limit := time.After(sessiontest.Patience)
	for {
		d.mu.Lock()
		ok, changed := holds(), d.changed
		d.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-limit:
			t.Fatalf("never: %s", what)
		}
	}
}

// The download stays a limited number of segments ahead of its consumer, and continues when one is taken. All
// segments come in order.
func TestDownloadWaits(t *testing.T) {
	const count = (segmentsAhead + 4) * firstBatch
	_, blocks, sy, _ := behind(t, 1, count)
	ses := (&sessiontest.Source{Blocks: blocks, Most: firstBatch}).Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	d := sy.download(count, false)
	d.start(t.Context(), 1)
	full := func() bool {
		for _, task := range d.queue.tasks {
			if task.result == nil {
				return false
			}
		}
		return len(d.queue.tasks) >= segmentsAhead
	}
	awaitChange(t, d, "a full window", full)
	d.mu.Lock()
	task, _ := d.queue.take(d.source(ses), time.Now())
	expect.That(t, task == nil && d.queue.next <= count, "something is left to do before a segment is taken: %+v", task)
	ahead := len(d.queue.tasks)
	d.mu.Unlock()
	expect.That(t, ahead <= 2*segmentsAhead, "%d segments are ahead", ahead)
	next := uint64(1)
	for next <= count {
		seg, err := d.segment(t.Context())
		must.That(t, err == nil && seg != nil, "block %d: %v, %v", next, seg, err)
		must.That(t, seg.first() == next && len(seg.blocks) == len(seg.headers),
			"segment begins with block %d, want %d", seg.first(), next)
		next += uint64(len(seg.blocks))
	}
	seg, err := d.segment(t.Context())
	expect.That(t, seg == nil && err == nil, "after the end: %v, %v", seg, err)
	expect.Equal(t, d.queue.buffered, 0, "bytes are still counted")
}

// A download without a possible source returns an error instead of waiting (spec network 2.7).
func TestDownloadWithoutSource(t *testing.T) {
	_, blocks, sy, _ := behind(t, 1, 3)
	(&sessiontest.Source{Blocks: blocks}).Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	d := sy.download(10, false)
	d.start(t.Context(), 1)
	seg, err := d.segment(t.Context())
	must.That(t, err == nil && len(seg.blocks) == 3, "%v, %v", seg, err)
	seg, err = d.segment(t.Context())
	expect.Error(t, err, errNoSource, "%v", seg)
}

// A peer with two very short responses in a row is asked only without an alternative, because each response costs a
// verification of seals.
func TestScantyPeersComeLast(t *testing.T) {
	const count = 6 * firstBatch
	_, blocks, sy, _ := behind(t, 1, count)
	honest := &sessiontest.Source{Blocks: blocks, Most: firstBatch}
	var scanty atomic.Int32
	full := make(chan struct{})
	stingy := &sessiontest.Source{Blocks: blocks, Headers: func(h []*types.Header) []*types.Header {
		if isRun(h) {
			if scanty.Add(1) == maxShort {
				close(full)
			}
			return h[:1]
		}
		return h
	}}
	stingy.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	d := sy.download(count, false)
	d.start(t.Context(), 1)
	<-full
	awaitChange(t, d, "a scanty peer", func() bool { return d.source(stingy.Session).scanty })
	honest.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	d.employ(t.Context())
	before := scanty.Load() // one more may be under way
	for next := uint64(1); next <= count; {
		seg, err := d.segment(t.Context())
		must.That(t, err == nil && seg != nil && seg.first() == next, "block %d: %+v, %v", next, seg, err)
		next += uint64(len(seg.blocks))
	}
	n := scanty.Load()
	expect.That(t, n <= before+2, "a scanty peer was asked %d times although there was another one", n-before)
}

// Connections that have ended leave the download, however many there are in a long sync.
func TestEndedConnectionsAreForgotten(t *testing.T) {
	_, blocks, sy, _ := behind(t, 1, 3)
	d := sy.download(10, false) // more than there is: workers wait
	ending := &sessiontest.Source{Blocks: blocks}
	ending.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	d.start(t.Context(), 1)
	ending.Close()
	awaitChange(t, d, "the worker has left", func() bool { return d.queue.sources[0].workers == 0 })
	staying := (&sessiontest.Source{Blocks: blocks}).Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	d.employ(t.Context())
	d.mu.Lock()
	defer d.mu.Unlock()
	list := d.queue.sources
	expect.That(t, len(list) == 1 && list[0].session == staying, "%d sources are left", len(list))
}

// withBodies returns linked, unsealed blocks with a transaction each.
func withBodies(count int) types.Blocks {
	blocks := make(types.Blocks, count)
	var parent common.Hash
	for i := range blocks {
		header := sessiontest.Junk(uint64(i+1), int64(i)).Header()
		header.ParentHash, header.GasUsed = parent, 21_000
		txs := types.Transactions{types.NewTx(&types.LegacyTx{Nonce: uint64(i), Value: new(big.Int), GasPrice: new(big.Int)})}
		header.TxHash = types.DeriveSha(txs, trie.NewStackTrie(nil))
		blocks[i] = types.NewBlockWithHeader(header).WithBody(types.Body{Transactions: txs})
		parent = header.Hash()
	}
	return blocks
}

// A peer that pruned old bodies has not lied. It is asked for those in few places, other peers serve them, and it
// serves its later blocks.
func TestPeersWithoutOldBodies(t *testing.T) {
	const count, oldest = 1500, 700
	blocks := withBodies(count)
	net := wbfttest.New(t, 1)
	chain, engine := net.Chain(t)
	sy, o := newTestSyncer(t, chain, engine)
	var asked atomic.Int32
	pruned := &sessiontest.Source{Blocks: blocks, Tail: oldest, Before: func(code uint64) bool {
		if code == protocol.GetBlockBodiesMsg {
			asked.Add(1)
		}
		return false
	}}
	short := pruned.Connect(t, sy.cfg.Sessions, chain)
	d := sy.download(count, false)
	d.start(t.Context(), 1)
	seg, err := d.segment(t.Context())
	must.That(t, errors.Is(err, errDropped) && errors.Is(err, errNoSource), "%v, %v, want %v", seg, err, errDropped)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d = sy.download(count, false)
	(&sessiontest.Source{Blocks: blocks, Most: 64}).Connect(t, sy.cfg.Sessions, chain)
	d.start(ctx, 1)
	asked.Store(0)
	given := 0
	for next := uint64(1); next <= count; {
		seg, err := d.segment(t.Context())
		must.That(t, err == nil && seg != nil && seg.first() == next, "block %d: %+v, %v", next, seg, err)
		next += uint64(len(seg.blocks))
		if seg.from == short {
			given++
			expect.That(t, seg.first() >= oldest, "block %d comes from a peer that does not have it", seg.first())
		}
	}
	if len(o.Dropped) != 0 {
		t.Errorf("dropped: %v", <-o.Dropped)
	}
	expect.Equal(t, short.ClaimedNumber(chain), count, "the claim was lowered to")
	n := asked.Load() - int32(given)
	expect.That(t, n <= 2*maxWorkers, "asked %d times for what is not there", n)
}
