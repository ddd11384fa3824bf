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
	"gwon/eth/session"
	"gwon/eth/session/sessiontest"
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
	ses := (&sessiontest.Source{Blocks: blocks, Most: firstBatch}).Connect(t, sy.sessions, sy.chain)
	d := sy.download(count, false)
	d.start(t.Context(), 1)
	full := func() bool {
		for _, task := range d.tasks {
			if task.result == nil {
				return false
			}
		}
		return len(d.tasks) >= segmentsAhead
	}
	awaitChange(t, d, "a full window", full)
	d.mu.Lock()
	if task, _ := d.choose(ses); task != nil || d.next > count {
		t.Errorf("something is left to do before a segment is taken: %+v", task)
	}
	ahead := len(d.tasks)
	d.mu.Unlock()
	if ahead > 2*segmentsAhead {
		t.Errorf("%d segments are ahead", ahead)
	}
	next := uint64(1)
	for next <= count {
		seg, err := d.segment(t.Context())
		if err != nil || seg == nil {
			t.Fatalf("block %d: %v, %v", next, seg, err)
		}
		if seg.first() != next || len(seg.blocks) != len(seg.headers) {
			t.Fatalf("segment begins with block %d, want %d", seg.first(), next)
		}
		next += uint64(len(seg.blocks))
	}
	if seg, err := d.segment(t.Context()); seg != nil || err != nil {
		t.Errorf("after the end: %v, %v", seg, err)
	}
	if d.buffered != 0 {
		t.Errorf("%d bytes are still counted", d.buffered)
	}
}

// A download without a possible source returns an error instead of waiting (spec network 2.7).
func TestDownloadWithoutSource(t *testing.T) {
	_, blocks, sy, _ := behind(t, 1, 3)
	(&sessiontest.Source{Blocks: blocks}).Connect(t, sy.sessions, sy.chain)
	d := sy.download(10, false)
	d.start(t.Context(), 1)
	if seg, err := d.segment(t.Context()); err != nil || len(seg.blocks) != 3 {
		t.Fatalf("%v, %v", seg, err)
	}
	if seg, err := d.segment(t.Context()); !errors.Is(err, errNoSource) {
		t.Errorf("%v, %v, want %v", seg, err, errNoSource)
	}
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
	stingy.Connect(t, sy.sessions, sy.chain)
	d := sy.download(count, false)
	d.start(t.Context(), 1)
	<-full
	awaitChange(t, d, "a scanty peer", func() bool { return len(d.scanty) == 1 })
	honest.Connect(t, sy.sessions, sy.chain)
	d.employ(t.Context())
	before := scanty.Load() // one more may be under way
	for next := uint64(1); next <= count; {
		seg, err := d.segment(t.Context())
		if err != nil || seg == nil || seg.first() != next {
			t.Fatalf("block %d: %+v, %v", next, seg, err)
		}
		next += uint64(len(seg.blocks))
	}
	if n := scanty.Load(); n > before+2 {
		t.Errorf("a scanty peer was asked %d times although there was another one", n-before)
	}
}

// When a peer delays the next blocks, other peers are asked one after the other.
func TestHedgeAsksOneAtATime(t *testing.T) {
	_, blocks, sy, _ := behind(t, 1, 3)
	var peers []*session.Session
	for range 3 {
		peers = append(peers, (&sessiontest.Source{Blocks: blocks}).Connect(t, sy.sessions, sy.chain))
	}
	d := sy.download(3, false)
	d.next, d.changed, d.hedge = 1, make(chan struct{}), time.Minute
	d.working, d.scanty = map[*session.Session]int{peers[0]: 1, peers[1]: 1, peers[2]: 1}, make(map[*session.Session]bool)
	head, _, _ := d.take(t.Context(), peers[0])
	if other, left := d.choose(peers[1]); other != nil || left <= 0 {
		t.Fatal("a second peer is asked at once")
	}
	head.since = time.Now().Add(-2 * time.Minute)
	if second, _, _ := d.take(t.Context(), peers[1]); second != head {
		t.Fatal("no second peer is asked")
	}
	if third, left := d.choose(peers[2]); third != nil || left <= 0 {
		t.Error("a third peer is asked at the same time as the second")
	}
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
	short := pruned.Connect(t, sy.sessions, chain)
	d := sy.download(count, false)
	d.start(t.Context(), 1)
	if seg, err := d.segment(t.Context()); !errors.Is(err, errDropped) || !errors.Is(err, errNoSource) {
		t.Fatalf("%v, %v, want %v", seg, err, errDropped)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d = sy.download(count, false)
	(&sessiontest.Source{Blocks: blocks, Most: 64}).Connect(t, sy.sessions, chain)
	d.start(ctx, 1)
	asked.Store(0)
	given := 0
	for next := uint64(1); next <= count; {
		seg, err := d.segment(t.Context())
		if err != nil || seg == nil || seg.first() != next {
			t.Fatalf("block %d: %+v, %v", next, seg, err)
		}
		next += uint64(len(seg.blocks))
		if seg.from == short {
			given++
			if seg.first() < oldest {
				t.Errorf("block %d comes from a peer that does not have it", seg.first())
			}
		}
	}
	if len(o.Dropped) != 0 {
		t.Errorf("dropped: %v", <-o.Dropped)
	}
	if short.ClaimedNumber(chain) != count {
		t.Errorf("the claim was lowered to %d", short.ClaimedNumber(chain))
	}
	if n := asked.Load() - int32(given); n > 2*maxWorkers {
		t.Errorf("asked %d times for what is not there", n)
	}
}

// The start of a peer's history is approached in growing steps, and late responses change nothing.
func TestTailIsFoundInGrowingSteps(t *testing.T) {
	ses := new(session.Session)
	d := &download{claimed: func(*session.Session) uint64 { return 1 << 40 }, pruned: make(map[*session.Session]tail)}
	for _, test := range []struct{ missing, next uint64 }{
		{10, 10 + headerBatch}, {11, 10 + headerBatch}, {10 + headerBatch, 10 + 3*headerBatch},
		{10 + 3*headerBatch, 10 + 7*headerBatch},
	} {
		d.dropped(ses, test.missing)
		if d.has(ses, test.next-1) || !d.has(ses, test.next) {
			t.Errorf("block %d is missing: asked again from %d on, want %d", test.missing, d.pruned[ses].first, test.next)
		}
	}
	if d.has(ses, 1<<40+1) || !d.has(new(session.Session), 1) {
		t.Error("claims do not count")
	}
}

// A waiting segment counts with the decoded memory of its transactions, which is a multiple of the encoded size of
// small ones.
func TestMemoryOfSegments(t *testing.T) {
	tx := types.NewTx(&types.LegacyTx{})
	block := types.NewBlockWithHeader(new(types.Header)).WithBody(types.Body{Transactions: types.Transactions{tx, tx, tx}})
	for _, c := range []struct {
		name   string
		blocks types.Blocks
		want   int
	}{
		{"headers alone", nil, 1000},
		{"two blocks of three transactions", types.Blocks{block, block}, 1000 + 6*txMemory},
	} {
		t.Run(c.name, func(t *testing.T) {
			seg := &segment{blocks: c.blocks, headers: []*types.Header{new(types.Header)}, size: 1000}
			if have := seg.memory(); have != c.want {
				t.Errorf("%d bytes, want %d", have, c.want)
			}
			to := &task{workers: make(map[*session.Session]struct{})}
			d := &download{tasks: []*task{to}, changed: make(chan struct{})}
			seg.headers[0].Number = new(big.Int)
			d.finish(nil, to, seg)
			if d.buffered != c.want {
				t.Errorf("%d bytes are counted, want %d", d.buffered, c.want)
			}
		})
	}
}
