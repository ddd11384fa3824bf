// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

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

// The download stays a bounded number of segments ahead of who takes them, and goes on when one is taken. All come in order.
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

// A download that nobody can go on with says so instead of waiting (spec network 2.7).
func TestDownloadWithoutSource(t *testing.T) {
	_, blocks, sy, _ := behind(t, 1, 3)
	(&sessiontest.Source{Blocks: blocks}).Connect(t, sy.sessions, sy.chain)
	d := sy.download(10, false)
	d.start(t.Context(), 1)
	if seg, err := d.segment(t.Context()); err != nil || len(seg.blocks) != 3 {
		t.Fatalf("%v, %v", seg, err)
	}
	if seg, err := d.segment(t.Context()); err != errNoSource {
		t.Errorf("%v, %v, want %v", seg, err, errNoSource)
	}
}

// A peer that gives next to nothing, twice in a row, is asked only when there is no other: each of its answers costs a look at seals.
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

// When somebody holds up the next blocks, others are asked for them one after the other, and not all at once.
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
