// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/core/rules"
	"gwon/eth/session"
)

const (
	headerBatch   = 192       // headers in one request (spec network 2.7)
	firstBatch    = 32        // the same while the size of blocks is unknown
	segmentBytes  = 2 << 20   // target size of a segment
	segmentsAhead = 16        // segments being fetched or waiting
	bytesAhead    = 128 << 20 // memory in bytes for waiting segments
	maxWorkers    = 8         // concurrent requests to one peer, which fill connections with a long round trip
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
	return g.size + txs*rules.TransactionMemory
}

func (g *segment) first() uint64       { return g.headers[0].Number.Uint64() }
func (g *segment) last() *types.Header { return g.headers[len(g.headers)-1] }

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

// source is a peer of a download.
type source struct {
	session  *session.Session
	claimed  func() uint64   // number of its newest block
	workers  int             // goroutines that fetch from it
	scanty   bool            // its responses are short
	pruned   tail            // bodies or receipts
	withheld map[uint64]bool // blocks whose receipts it did not serve, although it may have them
}

// tail is the known lower end of a peer's history. Eth/68 has no message for it.
type tail struct {
	first uint64 // first block that is requested again
	step  uint64 // distance of that block from the last missing one; doubled each time
}

// task is a run of blocks to fetch. Its range does not change.
type task struct {
	first, last uint64
	sources     []*source // that fetch it
	since       time.Time // start of the latest one
	result      *segment
}

// gap is a block whose header came without the rest. The zero value is none.
type gap struct {
	block uint64
	heavy bool // it has a body, and receipts that may exceed a message of eth/68
}

// withheld is a heavy block for which peers served the body but no receipts.
type withheld struct {
	since time.Time
	peers int
	bare  bool // accepted without receipts
}

// queue decides which blocks a download requests next from which source, and puts the results in order. It has no
// goroutine, lock, clock or socket.
type queue struct {
	bounds
	sources []*source
	last    uint64 // newest block wanted
	cutoff  uint64 // first block with body and receipts; 0 for all

	next     uint64               // first block without a task
	tasks    []*task              // in order of blocks
	mean     float64              // size of a block in bytes
	buffered int                  // memory in bytes of waiting segments
	awaited  bool                 // the consumer waits for the next blocks
	withheld map[uint64]*withheld // by number of the block
}

// has reports whether a source has a block and is not known to have pruned or withheld it.
func (q *queue) has(s *source, block uint64) bool {
	return block <= s.claimed() && (block < q.cutoff || block >= s.pruned.first) && (!s.withheld[block] || q.bare(block))
}

// wanted returns the block that the consumer needs next.
func (q *queue) wanted() uint64 {
	if len(q.tasks) > 0 {
		return q.tasks[0].first
	}
	return q.next
}

// works reports whether a source with workers fulfills a condition.
func (q *queue) works(condition func(*source) bool) bool {
	return slices.ContainsFunc(q.sources, func(s *source) bool { return s.workers > 0 && condition(s) })
}

// take gives a source its next task. Without one it returns the longest time to wait. A source with short responses
// gets tasks only while no other one has the next blocks.
func (q *queue) take(s *source, now time.Time) (*task, time.Duration) {
	if s.scanty && q.works(func(o *source) bool { return !o.scanty && q.has(o, q.wanted()) }) {
		return nil, lookForPeers
	}
	t, wait := q.choose(s, now)
	if t != nil {
		t.sources, t.since = append(t.sources, s), now
	}
	return t, wait
}

// choose returns the next task of a source: a returned one, a new one, or a late one that the consumer waits for.
func (q *queue) choose(s *source, now time.Time) (*task, time.Duration) {
	for i, t := range q.tasks {
		if t.result == nil && len(t.sources) == 0 && q.has(s, t.first) && (i == 0 || q.buffered < bytesAhead) {
			return t, 0
		}
	}
	if q.next <= q.last && q.has(s, q.next) && len(q.tasks) < segmentsAhead && q.buffered < bytesAhead {
		return q.plan(), 0
	}
	if len(q.tasks) == 0 {
		return nil, lookForPeers
	}
	head := q.tasks[0]
	if head.result != nil || slices.Contains(head.sources, s) || !q.has(s, head.first) {
		return nil, lookForPeers
	}
	if left := q.hedge - now.Sub(head.since); left > 0 {
		return nil, left
	}
	return head, 0
}

// plan adds a task of the next blocks without one. Its size follows the size of the last ones.
func (q *queue) plan() *task {
	count, end := uint64(firstBatch), q.last
	if q.next < q.cutoff {
		count, end = headerBatch, min(end, q.cutoff-1)
	} else if q.mean > 0 {
		count = max(1, min(headerBatch, uint64(segmentBytes/q.mean)))
	}
	t := &task{first: q.next, last: min(q.next+count-1, end)}
	q.next = t.last + 1
	q.tasks = append(q.tasks, t)
	return t
}

// done records what a source has served of a task: a segment, which may be nil or partial, and a gap after it. The
// remaining blocks become a task again.
func (q *queue) done(s *source, t *task, seg *segment, missing gap, now time.Time) {
	q.miss(s, missing, now)
	t.sources = slices.DeleteFunc(t.sources, func(o *source) bool { return o == s })
	i := slices.Index(q.tasks, t)
	if seg == nil || t.result != nil || i < 0 {
		return
	}
	if end := seg.last().Number.Uint64(); end < t.last { // a second source may still fetch the whole
		q.tasks = slices.Insert(q.tasks, i+1, &task{first: end + 1, last: t.last})
		t = &task{first: t.first, last: end}
		q.tasks[i] = t
	}
	t.result = seg
	q.buffered += seg.memory()
	q.mean = float64(seg.size) / float64(len(seg.headers))
}

// miss records a gap. A source with a header and not the rest has pruned it, which is valid: it is not asked for that
// block again, and for later ones in growing steps. A source with the body of a heavy block may have withheld receipts
// that no peer can serve.
func (q *queue) miss(s *source, g gap, now time.Time) {
	switch {
	case g.heavy:
		if q.withheld[g.block] == nil {
			q.withheld[g.block] = &withheld{since: now}
		}
		if !s.withheld[g.block] {
			s.withheld[g.block] = true
			q.withheld[g.block].peers++
		}
	case g.block != 0 && g.block >= s.pruned.first:
		s.pruned.step = max(headerBatch, 2*s.pruned.step)
		s.pruned.first = g.block + s.pruned.step
	}
}

// bare reports whether a block is accepted without receipts.
func (q *queue) bare(block uint64) bool {
	w := q.withheld[block]
	return w != nil && w.bare
}

// finished reports whether the consumer has everything.
func (q *queue) finished() bool { return len(q.tasks) == 0 && q.next > q.last }

// pop removes and returns the next segment in order; nil if it is not there yet.
func (q *queue) pop() *segment {
	q.awaited = len(q.tasks) == 0 || q.tasks[0].result == nil
	if q.awaited {
		return nil
	}
	seg := q.tasks[0].result
	q.tasks = q.tasks[1:]
	q.buffered -= seg.memory()
	return seg
}

// stuck returns the reason why no source can fetch the next blocks; nil otherwise. A heavy block that was withheld for
// long is accepted without receipts from now on; renounced is its number then, else 0.
//
// An empty list is stored: the tables stay aligned, the block can be frozen, and its receipts read as missing.
func (q *queue) stuck(now time.Time) (renounced uint64, reason error) {
	wanted := q.wanted()
	w := q.withheld[wanted]
	switch {
	case len(q.tasks) > 0 && len(q.tasks[0].sources) > 0:
		return 0, nil
	case q.works(func(s *source) bool { return q.has(s, wanted) }):
		return 0, nil
	case w != nil && !w.bare && q.works(func(*source) bool { return true }):
		if now.Sub(w.since) < q.patience {
			return 0, nil
		}
		w.bare = true
		return wanted, nil
	case q.works(func(s *source) bool { return s.claimed() >= wanted }):
		return 0, errDropped
	}
	return 0, errNoSource
}

// refuse makes an invalid segment a task again, and the blocks of all others from its peer.
func (q *queue) refuse(seg *segment) {
	q.tasks = slices.Insert(q.tasks, 0, &task{first: seg.first(), last: seg.last().Number.Uint64()})
	for _, t := range q.tasks {
		if t.result != nil && t.result.from == seg.from {
			q.buffered -= t.result.memory()
			t.result = nil
		}
	}
}
