// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/core/rules"
	"gwon/eth/session"
)

const (
	bodyBatch = 128 // bodies or receipt lists in one request (spec network 2.7)
	maxSilent = 2   // unanswered requests in a row before a peer is dropped, and its claim is false
	maxShort  = 2   // short responses in a row before a peer is asked last
)

// download fetches consecutive blocks from several peers concurrently and returns them in order. Blocks that a peer
// delays or serves wrongly are requested from another peer.
type download struct {
	syncer   *Syncer
	receipts bool

	mu      sync.Mutex
	changed chan struct{} // closed and replaced at every change
	queue   queue
}

// download prepares to fetch blocks up to a number from all peers.
func (s *Syncer) download(last uint64, receipts bool) *download {
	return &download{
		syncer: s, receipts: receipts, changed: make(chan struct{}),
		queue: queue{bounds: s.bounds, last: last, withheld: make(map[uint64]*withheld)},
	}
}

// start fetches blocks from first on until ctx ends.
func (d *download) start(ctx context.Context, first uint64) {
	d.queue.next = first
	d.employ(ctx)
	go func() {
		ticker := time.Tick(lookForPeers)
		for {
			select {
			case <-ticker:
				d.employ(ctx)
			case <-ctx.Done():
				return
			}
		}
	}()
}

// employ starts a worker for every peer without one.
func (d *download) employ(ctx context.Context) {
	ready := d.syncer.cfg.Sessions.Ready()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queue.sources = slices.DeleteFunc(d.queue.sources,
		func(s *source) bool { return s.workers == 0 && s.session.Gone() })
	for _, ses := range ready {
		if s := d.source(ses); s.workers == 0 {
			d.hire(ctx, s)
		}
	}
}

// source returns the source of a peer, which begins with the first call. The lock is held.
func (d *download) source(ses *session.Session) *source {
	if i := slices.IndexFunc(d.queue.sources, func(s *source) bool { return s.session == ses }); i >= 0 {
		return d.queue.sources[i]
	}
	s := &source{
		session: ses, claimed: func() uint64 { return ses.ClaimedNumber(d.syncer.cfg.Chain) },
		withheld: make(map[uint64]bool),
	}
	d.queue.sources = append(d.queue.sources, s)
	return s
}

// hire starts one more worker for a source. The lock is held.
func (d *download) hire(ctx context.Context, s *source) {
	s.workers++
	go d.work(ctx, s)
}

// notify wakes all goroutines that wait for a change. The lock is held.
func (d *download) notify() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// update changes the queue and wakes all goroutines that wait for a change.
func (d *download) update(change func(*queue)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(&d.queue)
	d.notify()
}

// work fetches segments from one peer until it disconnects. A peer that delivers while the next blocks are awaited
// gets one more worker, because a full connection needs more requests at a longer round trip.
func (d *download) work(ctx context.Context, s *source) {
	defer d.update(func(*queue) { s.workers-- })
	silent := 0 // unanswered requests in a row
	short := 0  // short responses in a row
	for {
		t := d.take(ctx, s)
		if t == nil {
			return
		}
		seg, missing, err := d.fetch(ctx, s.session, t.first, t.last)
		scanty := seg != nil && len(seg.headers) < int(t.last-t.first+1)/10 && seg.size < segmentBytes/2
		// The verifier owns a finished segment and may replace its headers: nothing of it is read from here on.
		d.update(func(q *queue) { q.done(s, t, seg, missing, time.Now()) })
		switch {
		case ctx.Err() != nil || errors.Is(err, session.ErrPeerGone):
			return
		case errors.Is(err, session.ErrNoAnswer):
			sourceTimeoutMeter.Mark(1)
			if silent++; silent == maxSilent {
				d.syncer.drop(s.session, err)
				return
			}
		case err != nil:
			sourceRefusedMeter.Mark(1)
			d.syncer.drop(s.session, err)
			return
		case missing != (gap{}):
			silent = 0
		case seg == nil: // the peer lacks a block that it claimed
			s.session.Lower(d.syncer.cfg.Chain, t.first-1)
		case scanty:
			// A short response is valid, but a peer may use it to delay.
			silent = 0
			if short++; short == maxShort {
				d.update(func(*queue) { s.scanty = true })
			}
		default:
			silent, short = 0, 0
			d.mu.Lock()
			if d.queue.awaited && s.workers < maxWorkers {
				d.hire(ctx, s)
			}
			d.mu.Unlock()
		}
	}
}

// take waits for a task for a source. It returns nil when the peer or ctx has ended.
func (d *download) take(ctx context.Context, s *source) *task {
	for {
		d.mu.Lock()
		t, wait := d.queue.take(s, time.Now())
		changed := d.changed
		d.mu.Unlock()
		if t != nil {
			return t
		}
		select {
		case <-changed:
		case <-time.After(wait):
		case <-s.session.Closed():
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// segment waits for the next blocks in order. It returns nil at the end, and errNoSource when no peer can serve the
// next block.
func (d *download) segment(ctx context.Context) (*segment, error) {
	for {
		seg, changed, err := d.pop()
		if seg != nil || err != nil || changed == nil {
			return seg, err
		}
		select {
		case <-changed:
		case <-time.After(lookForPeers): // the claim of a peer may have decreased
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// pop returns the next segment, or a channel that is closed at the next change. It returns neither at the end.
func (d *download) pop() (seg *segment, changed <-chan struct{}, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.queue.finished() {
		return nil, nil, nil
	}
	if seg = d.queue.pop(); seg != nil {
		d.notify()
		return seg, nil, nil
	}
	renounced, err := d.queue.stuck(time.Now())
	if renounced != 0 {
		bareMeter.Mark(1)
		log.Warn("Receipts left out: no peer serves them, probably because of their size", "number", renounced, "peers",
			d.queue.withheld[renounced].peers)
		d.notify()
	}
	return nil, d.changed, err
}

// refuse returns an invalid segment to the tasks, with all others of its peer.
func (d *download) refuse(seg *segment, reason error) {
	sourceRefusedMeter.Mark(1)
	d.syncer.drop(seg.from, reason)
	d.update(func(q *queue) { q.refuse(seg) })
}

// fetch requests the blocks from first to last from one peer. It returns fewer if the peer sends fewer, nil for none,
// and the gap after them.
func (d *download) fetch(ctx context.Context, ses *session.Session, first, last uint64) (*segment, gap, error) {
	p := ses.Up()
	if p == nil {
		return nil, gap{}, session.ErrPeerGone
	}
	limit, cancel := d.syncer.bounded(ctx)
	headers, err := session.HeadersFrom(limit, ses, p, first, int(last-first+1))
	cancel()
	if err != nil || len(headers) == 0 {
		return nil, gap{}, err
	}
	headersInMeter.Mark(int64(len(headers)))
	for i, h := range headers {
		headers[i] = rules.TrimHeaderSeals(h) // as BlocksOf trims the blocks
	}
	seg := &segment{headers: headers, from: ses}
	if first < d.queue.cutoff {
		for _, h := range headers {
			seg.size += int(h.Size())
		}
		return seg, gap{}, nil
	}
	missing, err := d.bodies(ctx, seg, p)
	if err == nil && d.receipts {
		var without gap
		if without, err = d.lists(ctx, seg, p); without != (gap{}) {
			missing = without
		}
	}
	if err != nil || len(seg.headers) == 0 {
		seg = nil
	}
	return seg, missing, err
}

// bodies requests the bodies of a segment and cuts it where they end.
func (d *download) bodies(ctx context.Context, seg *segment, p *protocol.Peer) (missing gap, err error) {
	h, err := d.gather(ctx, seg, segmentBytes, func(ctx context.Context, headers []*types.Header) (int, error) {
		blocks, err := session.BlocksOf(ctx, seg.from, p, headers)
		for _, b := range blocks {
			seg.size += int(b.Size())
		}
		bodiesInMeter.Mark(int64(len(blocks)))
		seg.blocks = append(seg.blocks, blocks...)
		return len(blocks), err
	})
	seg.cut(len(seg.blocks))
	if h != nil {
		missing.block = h.Number.Uint64()
	}
	return missing, err
}

// lists requests the receipts of a segment and cuts it where they end. A byte of a log costs 8 gas, so only blocks with
// much gas have receipts that exceed a message.
func (d *download) lists(ctx context.Context, seg *segment, p *protocol.Peer) (missing gap, err error) {
	h, err := d.gather(ctx, seg, math.MaxInt, func(ctx context.Context, headers []*types.Header) (int, error) {
		if d.bare(headers[0].Number.Uint64()) {
			seg.receipts = append(seg.receipts, rlp.EmptyList)
			return 1, nil
		}
		lists, err := session.ReceiptsOf(ctx, seg.from, p, headers)
		for _, list := range lists {
			seg.size += len(list)
		}
		receiptsInMeter.Mark(int64(len(lists)))
		seg.receipts = append(seg.receipts, lists...)
		return len(lists), err
	})
	if h != nil {
		missing = gap{h.Number.Uint64(), h.GasUsed >= d.syncer.heavy}
		seg.cut(len(seg.receipts))
	}
	return missing, err
}

// gather asks for the next of the segment's headers until all are answered or the segment is large. After an empty
// response they are asked for one by one, because together they may exceed a message. It returns the header for which
// alone nothing came.
func (d *download) gather(ctx context.Context, seg *segment, large int,
	ask func(context.Context, []*types.Header) (answered int, err error)) (missing *types.Header, err error) {
	batch := bodyBatch
	for left := seg.headers; len(left) > 0 && seg.size < large; {
		some := left[:min(batch, len(left))]
		limit, cancel := d.syncer.bounded(ctx)
		n, err := ask(limit, some)
		cancel()
		if err != nil {
			return nil, err
		}
		if n == 0 && len(some) == 1 {
			return some[0], nil
		}
		if batch = bodyBatch; n == 0 {
			batch = 1
		}
		left = left[n:]
	}
	return nil, nil
}

// bare reports whether a block is accepted without receipts.
func (d *download) bare(block uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.queue.bare(block)
}
