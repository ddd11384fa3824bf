// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"context"
	"errors"
	"fmt"
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
	headerBatch   = 192              // headers in one request (spec network 2.7)
	firstBatch    = 32               // the same while the size of blocks is unknown
	bodyBatch     = 128              // bodies or receipt lists in one request (spec network 2.7)
	segmentBytes  = 2 << 20          // target size of a segment
	segmentsAhead = 16               // segments being fetched or waiting
	bytesAhead    = 128 << 20        // memory in bytes for waiting segments
	hedgeAfter    = 2 * time.Second  // time after which a delaying request goes to a second peer
	maxSilent     = 2                // unanswered requests in a row before a peer is dropped
	shortAnswer   = 10               // divisor below which a response counts as short
	maxShort      = 2                // short responses in a row before a peer is asked last
	heavyGas      = 50_000_000       // gas from which on the receipts of a block may exceed a message; see withhold
	withholdAfter = 30 * time.Second // time for peers to serve such receipts
	txMemory      = 400              // memory in bytes of a decoded transaction in addition to its encoding
	maxWorkers    = 8                // concurrent requests to one peer, which fill connections with a long round trip
	lookForPeers  = 500 * time.Millisecond
)

var (
	// errNoSource means that no connected peer has the next blocks.
	errNoSource = errors.New("no connected peer has the next blocks")
	// errDropped means that peers have the headers of the next blocks and have pruned bodies or receipts.
	errDropped = fmt.Errorf("%w: those that have their headers have dropped bodies or receipts (--history.chain)",
		errNoSource)
)

// segment is a run of consecutive blocks from one peer. Headers are linked with each other and match bodies and
// receipts. Seals are not verified.
type segment struct {
	blocks   types.Blocks // nil below the cutoff of a download
	headers  []*types.Header
	receipts []rlp.RawValue // in storage form; nil if not requested
	from     *session.Session
	size     int // size of encoded bodies and receipts in bytes
}

// memory returns the approximate memory in bytes of a waiting segment.
func (g *segment) memory() int {
	txs := 0
	for _, b := range g.blocks {
		txs += len(b.Transactions())
	}
	return g.size + txs*txMemory
}

func (g *segment) first() uint64 { return g.headers[0].Number.Uint64() }

// task is a run of blocks to fetch.
type task struct {
	first, last uint64
	workers     map[*session.Session]struct{} // peers that fetch it
	since       time.Time                     // start of the latest worker
	result      *segment
}

// download fetches consecutive blocks from several peers concurrently and returns them in order. Blocks that a peer
// delays or serves wrongly are requested from another peer.
type download struct {
	sessions *session.Sessions
	claimed  func(*session.Session) uint64            // number of the newest block of a peer
	lacks    func(ses *session.Session, block uint64) // called when a peer lacks a block that it claimed
	drop     func(ses *session.Session, reason error)
	receipts bool
	last     uint64 // newest block wanted
	cutoff   uint64 // first block with body and receipts; 0 for all
	timeout  time.Duration
	hedge    time.Duration
	heavy    uint64        // see heavyGas
	patience time.Duration // see withholdAfter

	mu       sync.Mutex
	changed  chan struct{}             // closed and replaced at every change
	next     uint64                    // first block without a task
	tasks    []*task                   // in order of blocks
	mean     float64                   // size of a block in bytes
	buffered int                       // memory in bytes of waiting segments
	working  map[*session.Session]int  // workers of each peer
	awaited  bool                      // the consumer waits for the next blocks
	scanty   map[*session.Session]bool // peers with short responses
	pruned   map[*session.Session]tail // peers that pruned old bodies or receipts
	withheld map[uint64]*withheld      // blocks whose receipts may exceed a message
}

// withheld is a block for which peers served the body but no receipts.
type withheld struct {
	by    map[*session.Session]struct{}
	since time.Time
	bare  bool // accepted without receipts
}

// tail is the known lower end of a peer's history. Eth/68 has no message for it.
type tail struct {
	first uint64 // first block that is requested again
	step  uint64 // distance of that block from the last missing one; doubled each time
}

// start fetches blocks from first on until ctx ends.
func (d *download) start(ctx context.Context, first uint64) {
	d.next, d.changed = first, make(chan struct{})
	d.working, d.scanty, d.pruned = make(map[*session.Session]int), make(map[*session.Session]bool),
		make(map[*session.Session]tail)
	d.withheld = make(map[uint64]*withheld)
	d.employ(ctx)
	go func() {
		ticker := time.NewTicker(lookForPeers)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				d.employ(ctx)
			case <-ctx.Done():
				return
			}
		}
	}()
}

// employ starts a worker for every peer without one.
func (d *download) employ(ctx context.Context) {
	for _, ses := range d.sessions.Ready() {
		d.mu.Lock()
		if d.working[ses] == 0 {
			d.hire(ctx, ses)
		}
		d.mu.Unlock()
	}
}

// hire starts one more worker for a peer. The lock is held.
func (d *download) hire(ctx context.Context, ses *session.Session) {
	d.working[ses]++
	go d.work(ctx, ses)
}

// work fetches segments from one peer until it disconnects. A peer that delivers while the next blocks are awaited
// gets one more worker, because a full connection needs more requests at a longer round trip.
func (d *download) work(ctx context.Context, ses *session.Session) {
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.working[ses]--; d.working[ses] == 0 {
			delete(d.working, ses)
		}
		d.notify()
	}()
	silent := 0 // unanswered requests in a row
	short := 0  // short responses in a row
	for {
		t, first, last := d.take(ctx, ses)
		p := ses.Up()
		if t == nil || p == nil {
			d.finish(ses, t, nil)
			return
		}
		seg, missing, err := d.fetch(ctx, ses, p, first, last)
		// The verifier owns a finished segment and may replace its headers, so it is looked at before.
		scanty := seg != nil && len(seg.headers) < int(last-first+1)/shortAnswer && seg.size < segmentBytes/2
		d.finish(ses, t, seg)
		switch {
		case ctx.Err() != nil || errors.Is(err, session.ErrPeerGone):
			return
		case errors.Is(err, session.ErrNoAnswer):
			sourceTimeoutMeter.Mark(1)
			if silent++; silent == maxSilent {
				d.drop(ses, err)
				return
			}
		case err != nil:
			sourceRefusedMeter.Mark(1)
			d.drop(ses, err)
			return
		case missing != 0:
			silent = 0
		case seg == nil:
			d.lacks(ses, first)
		case scanty:
			// A short response is valid, but a peer may use it to delay.
			silent = 0
			if short++; short == maxShort {
				d.mu.Lock()
				d.scanty[ses] = true
				d.mu.Unlock()
			}
		default:
			silent, short = 0, 0
			d.mu.Lock()
			if d.awaited && d.working[ses] < maxWorkers {
				d.hire(ctx, ses)
			}
			d.mu.Unlock()
		}
	}
}

// dropped records that a peer has the header of a block and pruned the rest, which is valid. The peer is not asked
// for that block again, and for later ones in growing steps.
func (d *download) dropped(ses *session.Session, missing uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t := d.pruned[ses]; missing >= t.first {
		t.step = max(headerBatch, 2*t.step)
		t.first = missing + t.step
		d.pruned[ses] = t
	}
}

// withhold records that a peer served the body of a block but no receipts, and reports whether they may exceed a
// message of eth/68. A byte of a log costs 8 gas, so only blocks with much gas have such receipts. No peer can serve
// those.
func (d *download) withhold(ses *session.Session, header *types.Header) bool {
	if header.GasUsed < d.heavy {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	number := header.Number.Uint64()
	w := d.withheld[number]
	if w == nil {
		w = &withheld{by: make(map[*session.Session]struct{}), since: time.Now()}
		d.withheld[number] = w
	}
	w.by[ses] = struct{}{}
	return true
}

// renounce accepts a block without receipts after it was withheld for long, and reports whether it was withheld until
// now. The lock is held, and no peer is known to have the receipts.
//
// An empty list is stored: the tables stay aligned, the block can be frozen, and its receipts read as missing.
func (d *download) renounce(block uint64) bool {
	w := d.withheld[block]
	if w == nil || w.bare {
		return false
	}
	if time.Since(w.since) >= d.patience {
		w.bare = true
		bareMeter.Mark(1)
		log.Warn("Receipts left out: no peer serves them, probably because of their size", "number", block, "peers",
			len(w.by))
		d.notify()
	}
	return true
}

// bare reports whether a block is accepted without receipts.
func (d *download) bare(block uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.withheld[block]
	return w != nil && w.bare
}

// has reports whether a peer has a block and is not known to have pruned or withheld it. The lock is held.
func (d *download) has(ses *session.Session, block uint64) bool {
	if w := d.withheld[block]; w != nil && !w.bare {
		if _, ok := w.by[ses]; ok {
			return false
		}
	}
	return block <= d.claimed(ses) && (block < d.cutoff || block >= d.pruned[ses].first)
}

// notify wakes all goroutines that wait for a change. The lock is held.
func (d *download) notify() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// take waits for a task for a peer. It returns nil when the peer or ctx has ended.
func (d *download) take(ctx context.Context, ses *session.Session) (t *task, first, last uint64) {
	for {
		d.mu.Lock()
		t, wait := d.choose(ses)
		if t != nil {
			t.since = time.Now()
			t.workers[ses] = struct{}{}
			first, last = t.first, t.last
			d.mu.Unlock()
			return t, first, last
		}
		changed := d.changed
		d.mu.Unlock()
		timer := time.NewTimer(wait)
		select {
		case <-changed:
		case <-timer.C:
		case <-ses.Closed():
			timer.Stop()
			return nil, 0, 0
		case <-ctx.Done():
			timer.Stop()
			return nil, 0, 0
		}
		timer.Stop()
	}
}

// choose returns the next task of a peer: a returned one, a new one, or a late one that the consumer waits for.
// Without a task it returns the longest time to wait. The lock is held.
func (d *download) choose(ses *session.Session) (*task, time.Duration) {
	if d.scanty[ses] && d.others() {
		return nil, lookForPeers
	}
	for i, t := range d.tasks {
		if t.result == nil && len(t.workers) == 0 && d.has(ses, t.first) && (i == 0 || d.buffered < bytesAhead) {
			return t, 0
		}
	}
	if d.next <= d.last && d.has(ses, d.next) && len(d.tasks) < segmentsAhead && d.buffered < bytesAhead {
		count := uint64(firstBatch)
		if d.mean > 0 {
			count = max(1, min(headerBatch, uint64(segmentBytes/d.mean)))
		}
		end := d.last
		if d.next < d.cutoff {
			count, end = headerBatch, min(end, d.cutoff-1)
		}
		t := &task{first: d.next, last: min(d.next+count-1, end), workers: make(map[*session.Session]struct{})}
		d.next = t.last + 1
		d.tasks = append(d.tasks, t)
		return t, 0
	}
	if len(d.tasks) > 0 {
		head := d.tasks[0]
		if _, mine := head.workers[ses]; head.result == nil && !mine && d.has(ses, head.first) {
			left := d.hedge - time.Since(head.since)
			if left <= 0 {
				return head, 0
			}
			return nil, left
		}
	}
	return nil, lookForPeers
}

// others reports whether other peers serve what is requested and have the next blocks. The lock is held.
func (d *download) others() bool {
	wanted := d.next
	if len(d.tasks) > 0 {
		wanted = d.tasks[0].first
	}
	for ses := range d.working {
		if !d.scanty[ses] && d.has(ses, wanted) {
			return true
		}
	}
	return false
}

// finish records the result of a worker, which may be nil or partial. The remaining blocks become a task again.
func (d *download) finish(ses *session.Session, t *task, seg *segment) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t == nil {
		return
	}
	delete(t.workers, ses)
	d.notify()
	if seg == nil || t.result != nil || !d.planned(t) || seg.first() != t.first {
		return
	}
	if end := seg.headers[len(seg.headers)-1].Number.Uint64(); end < t.last {
		rest := &task{first: end + 1, last: t.last, workers: make(map[*session.Session]struct{})}
		for i := range d.tasks {
			if d.tasks[i] == t {
				d.tasks = append(d.tasks[:i+1], append([]*task{rest}, d.tasks[i+1:]...)...)
				break
			}
		}
		t.last = end
	}
	t.result = seg
	d.buffered += seg.memory()
	d.mean = float64(seg.size) / float64(len(seg.headers))
}

func (d *download) planned(t *task) bool {
	for _, other := range d.tasks {
		if other == t {
			return true
		}
	}
	return false
}

// segment waits for the next blocks in order. It returns nil at the end, and errNoSource when no peer can serve the
// next block.
func (d *download) segment(ctx context.Context) (*segment, error) {
	for {
		d.mu.Lock()
		if len(d.tasks) == 0 && d.next > d.last {
			d.mu.Unlock()
			return nil, nil
		}
		if len(d.tasks) > 0 && d.tasks[0].result != nil {
			seg := d.tasks[0].result
			d.tasks = d.tasks[1:]
			d.buffered -= seg.memory()
			d.awaited = false
			d.notify()
			d.mu.Unlock()
			return seg, nil
		}
		stuck, changed := d.stuck(), d.changed
		d.awaited = true
		d.mu.Unlock()
		if stuck != nil {
			return nil, stuck
		}
		select {
		case <-changed:
		case <-time.After(lookForPeers): // the claim of a peer may have decreased
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// stuck returns the reason why no peer can fetch the next blocks; nil otherwise. The lock is held.
func (d *download) stuck() error {
	wanted := d.next
	if len(d.tasks) > 0 {
		if len(d.tasks[0].workers) > 0 {
			return nil
		}
		wanted = d.tasks[0].first
	}
	for ses := range d.working {
		if d.has(ses, wanted) {
			return nil
		}
	}
	if len(d.working) > 0 && d.renounce(wanted) {
		return nil
	}
	for ses := range d.working {
		if d.claimed(ses) >= wanted {
			return errDropped
		}
	}
	return errNoSource
}

// refuse returns an invalid segment to the tasks, with all others of its peer.
func (d *download) refuse(seg *segment, reason error) {
	sourceRefusedMeter.Mark(1)
	d.drop(seg.from, reason)
	d.mu.Lock()
	defer d.mu.Unlock()
	again := &task{first: seg.first(), last: seg.headers[len(seg.headers)-1].Number.Uint64(),
		workers: make(map[*session.Session]struct{})}
	d.tasks = append([]*task{again}, d.tasks...)
	for _, t := range d.tasks {
		if t.result != nil && t.result.from == seg.from {
			d.buffered -= t.result.memory()
			t.result = nil
		}
	}
	d.notify()
}

// fetch requests the blocks from first to last from one peer. It returns fewer if the peer sends fewer, and nil for
// none. The result missing is the number of a block whose header came without body or receipts; 0 for none.
func (d *download) fetch(ctx context.Context, ses *session.Session, p *protocol.Peer, first,
	last uint64) (seg *segment, missing uint64, err error) {
	bounded := func() (context.Context, context.CancelFunc) {
		return context.WithTimeoutCause(ctx, d.timeout, session.ErrNoAnswer)
	}
	limit, cancel := bounded()
	headers, err := session.HeadersFrom(limit, ses, p, first, int(last-first+1))
	cancel()
	if err != nil || len(headers) == 0 {
		return nil, 0, err
	}
	for i, h := range headers {
		headers[i] = rules.TrimHeaderSeals(h) // as BlocksOf trims the blocks
	}
	seg = &segment{headers: headers, from: ses}
	if first < d.cutoff {
		for _, h := range headers {
			seg.size += int(h.Size())
		}
		return seg, 0, nil
	}
	batch := bodyBatch // 1 after an empty response: together they may exceed a message
	for len(seg.blocks) < len(headers) && seg.size < segmentBytes {
		rest := headers[len(seg.blocks):]
		rest = rest[:min(len(rest), batch)]
		limit, cancel := bounded()
		blocks, err := session.BlocksOf(limit, ses, p, rest)
		cancel()
		if err != nil {
			return nil, 0, err
		}
		if len(blocks) == 0 && len(rest) > 1 {
			batch = 1
			continue
		}
		if len(blocks) == 0 {
			missing = rest[0].Number.Uint64()
			d.dropped(ses, missing)
			break
		}
		batch = bodyBatch
		for _, b := range blocks {
			seg.size += int(b.Size())
		}
		seg.blocks = append(seg.blocks, blocks...)
	}
	seg.cut(len(seg.blocks))
	batch = bodyBatch
	for d.receipts && len(seg.receipts) < len(seg.headers) {
		rest := seg.headers[len(seg.receipts):]
		rest = rest[:min(len(rest), batch)]
		if d.bare(rest[0].Number.Uint64()) {
			seg.receipts = append(seg.receipts, rlp.EmptyList)
			continue
		}
		limit, cancel := bounded()
		lists, err := session.ReceiptsOf(limit, ses, p, rest)
		cancel()
		if err != nil {
			return nil, 0, err
		}
		if len(lists) == 0 && len(rest) > 1 {
			batch = 1
			continue
		}
		batch = bodyBatch
		if len(lists) == 0 {
			missing = rest[0].Number.Uint64()
			if !d.withhold(ses, rest[0]) {
				d.dropped(ses, missing)
			}
			seg.cut(len(seg.receipts))
			break
		}
		for _, list := range lists {
			seg.size += len(list)
		}
		seg.receipts = append(seg.receipts, lists...)
	}
	if len(seg.headers) == 0 {
		return nil, missing, nil
	}
	return seg, missing, nil
}

// keep replaces the headers by ones with the same hashes and proven seals.
func (g *segment) keep(headers []*types.Header) {
	for i, h := range headers {
		if i < len(g.blocks) && h != g.headers[i] {
			g.blocks[i] = g.blocks[i].WithSeal(h)
		}
	}
	g.headers = headers
}

// cut keeps the first n blocks.
func (g *segment) cut(n int) { g.headers, g.blocks = g.headers[:n], g.blocks[:n] }
