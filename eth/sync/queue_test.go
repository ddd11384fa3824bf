// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/core/rules"
	"gwon/eth/session"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// queueTest plays steps on a queue with the sources a, b and c, which claim to have 1,000 blocks.
type queueTest struct {
	t      *testing.T
	q      *queue
	now    time.Time
	byName map[string]*source
	tasks  map[string]*task // latest of a source
	popped *segment
}

func newQueueTest(t *testing.T, q *queue) *queueTest {
	if q.withheld = make(map[uint64]*withheld); q.last == 0 {
		q.last = 1000
	}
	q.next, q.hedge, q.patience = 1, 2*time.Second, 30*time.Second
	p := &queueTest{t: t, q: q, now: time.Unix(1e9, 0), byName: make(map[string]*source), tasks: make(map[string]*task)}
	for _, name := range []string{"a", "b", "c"} {
		s := &source{
			session: new(session.Session), claimed: func() uint64 { return 1000 }, workers: 1,
			withheld: make(map[uint64]bool),
		}
		p.byName[name] = s
		q.sources = append(q.sources, s)
	}
	return p
}

// segmentOf returns a segment of a source with this size of each block.
func segmentOf(s *source, first, last uint64, size int) *segment {
	seg := &segment{from: s.session, size: int(last-first+1) * size}
	for n := first; n <= last; n++ {
		seg.headers = append(seg.headers, &types.Header{Number: new(big.Int).SetUint64(n)})
	}
	return seg
}

// play carries out one step and returns its outcome: the first and last block of a task or segment, a time to wait, or
// the reason of a download that is stuck.
func (p *queueTest) play(step string) string {
	p.t.Helper()
	word, rest, _ := strings.Cut(step, " ")
	name, rest, _ := strings.Cut(rest, " ")
	s := p.byName[name]
	var x, y uint64
	_, _ = fmt.Sscan(rest, &x, &y) // numbers of the step, as far as there are some
	switch word {
	case "take":
		t, wait := p.q.take(s, p.now)
		if t == nil {
			return "wait " + wait.String()
		}
		p.tasks[name] = t
		return fmt.Sprintf("%d to %d", t.first, t.last)
	case "serve": // the task up to block x, each of y bytes
		p.q.done(s, p.tasks[name], segmentOf(s, p.tasks[name].first, x, int(y)), gap{}, p.now)
	case "nothing":
		p.q.done(s, p.tasks[name], nil, gap{}, p.now)
	case "prunes": // has the header of block x alone
		p.q.done(s, p.tasks[name], nil, gap{block: x}, p.now)
	case "withholds": // has the body of block x, and no receipts
		p.q.done(s, p.tasks[name], nil, gap{x, true}, p.now)
	case "claims":
		s.claimed = func() uint64 { return x }
	case "scanty":
		s.scanty = true
	case "leave":
		s.workers = 0
	case "pass":
		d := must.Get(time.ParseDuration(name))(p.t)
		p.now = p.now.Add(d)
	case "pop":
		if seg := p.q.pop(); seg != nil {
			p.popped = seg
			return fmt.Sprintf("%d to %d", seg.first(), seg.last().Number)
		}
		return "none"
	case "refuse":
		p.q.refuse(p.popped)
	case "stuck":
		renounced, err := p.q.stuck(p.now)
		switch {
		case renounced != 0:
			return fmt.Sprint("without receipts ", renounced)
		case errors.Is(err, errDropped):
			return "dropped"
		case err != nil:
			return "no source"
		}
		return "no"
	case "bytes":
		return fmt.Sprint(p.q.buffered)
	case "finished":
		return fmt.Sprint(p.q.finished())
	default:
		p.t.Fatalf("step %q is not known", step)
	}
	return ""
}

// The queue decides what is requested next from which peer, and gives the results out in order (spec network 2.7).
func TestQueue(t *testing.T) {
	const idle = "wait 500ms"
	for _, c := range []struct {
		name  string
		queue queue
		steps string // step: outcome; step: outcome; ...
	}{
		{"tasks follow each other up to the last block", queue{last: 70},
			"take a: 1 to 32; take b: 33 to 64; take c: 65 to 70; take a: " + idle + "; take b: wait 2s"},
		{"small blocks make large tasks", queue{}, "take a: 1 to 32; serve a 32 600; take a: 33 to 224"},
		{"large blocks make small tasks", queue{}, "take a: 1 to 32; serve a 32 1048576; take a: 33 to 34"},
		{"enormous blocks come one by one", queue{}, "take a: 1 to 32; serve a 32 3000000; take a: 33 to 33"},
		{"headers alone come below the cutoff", queue{cutoff: 200},
			"take a: 1 to 192; take b: 193 to 199; take c: 200 to 231"},
		{"a peer gets no task above its claim", queue{}, "claims a 0; take a: " + idle + "; claims a 1; take a: 1 to 32"},
		{"results are given out in order", queue{},
			"take a: 1 to 32; take b: 33 to 64; serve b 64 10; pop: none; serve a 32 10; pop: 1 to 32; pop: 33 to 64; " +
				"pop: none"},
		{"waiting results are counted", queue{},
			"take a: 1 to 32; serve a 32 10; take b: 33 to 224; serve b 224 1; bytes: 512; pop: 1 to 32; bytes: 192"},
		{"the end comes after the last result", queue{last: 32},
			"take a: 1 to 32; finished: false; serve a 32 10; finished: false; pop: 1 to 32; finished: true"},
		{"what a peer leaves out is asked for again", queue{},
			"take a: 1 to 32; serve a 20 10; take b: 21 to 32; pop: 1 to 20; serve b 32 10; pop: 21 to 32"},
		{"a task without a result is asked for again", queue{}, "take a: 1 to 32; nothing a; take b: 1 to 32"},
		{"a second peer is asked after a delay", queue{last: 32},
			"take a: 1 to 32; take b: wait 2s; pass 1s; take b: wait 1s; pass 1s; take b: 1 to 32; " +
				"take c: wait 2s; take a: " + idle},
		{"only the next blocks are asked for twice", queue{last: 64},
			"take a: 1 to 32; take b: 33 to 64; serve a 32 10; pass 5s; take a: " + idle + "; pop: 1 to 32; take a: 33 to 64"},
		{"the second of two results is ignored", queue{last: 32},
			"take a: 1 to 32; pass 2s; take b: 1 to 32; serve b 32 10; serve a 32 10; bytes: 320; pop: 1 to 32; finished: true"},
		{"a result after the end is ignored", queue{last: 32},
			"take a: 1 to 32; pass 2s; take b: 1 to 32; serve b 32 10; pop: 1 to 32; serve a 32 10; bytes: 0; finished: true"},
		{"the whole of what another peer served in part is ignored", queue{last: 32},
			"take a: 1 to 32; pass 2s; take b: 1 to 32; serve a 20 10; pop: 1 to 20; refuse; serve b 32 10; " +
				"bytes: 0; take b: 1 to 20; take c: 21 to 32"},
		{"a part whose peer is refused is asked for again", queue{last: 64},
			"take a: 1 to 32; serve a 32 10; take a: 33 to 64; pass 2s; pop: 1 to 32; take b: 33 to 64; serve a 40 10; " +
				"refuse; serve b 64 10; take b: 1 to 32; take c: 33 to 40; take c: 41 to 64"},
		{"much memory stops new tasks", queue{},
			"take a: 1 to 32; take b: 33 to 64; serve b 64 4194304; take b: wait 2s; serve a 32 10; take a: " + idle +
				"; pop: 1 to 32; pop: 33 to 64; take a: 65 to 256"},
		{"much memory does not stop the next blocks", queue{},
			"take a: 1 to 32; take b: 33 to 64; serve b 64 4194304; nothing a; take c: 1 to 32"},
		{"much memory stops later blocks that are asked for again", queue{},
			"take a: 1 to 32; take b: 33 to 64; take c: 65 to 96; serve b 64 4194304; nothing c; take c: wait 2s"},
		{"an invalid segment takes others of its peer with it", queue{},
			"take a: 1 to 32; serve a 32 10; take a: 33 to 224; serve a 224 1; take b: 225 to 416; serve b 416 1; " +
				"pop: 1 to 32; refuse; bytes: 192; take b: 1 to 32; take c: 33 to 224"},
		{"a peer with short responses waits", queue{}, "scanty a; take a: " + idle + "; leave b; leave c; take a: 1 to 32"},
		{"a peer with short responses serves what others lack", queue{},
			"scanty a; claims b 0; claims c 0; take a: 1 to 32"},
		{"two peers with short responses serve both", queue{},
			"scanty a; scanty b; leave c; take a: 1 to 32; take b: 33 to 64"},
		{"a peer that pruned a block is asked for later ones", queue{last: 300},
			"take a: 1 to 32; prunes a 1; take a: " + idle + "; take b: 1 to 32; serve b 32 600; " +
				"take b: 33 to 224; take a: 225 to 300"},
		{"pruned blocks have headers below the cutoff", queue{cutoff: 200},
			"take a: 1 to 192; take b: 193 to 199; take c: 200 to 231; prunes c 200; nothing a; take c: 1 to 192"},
		{"peers without workers serve nothing", queue{}, "leave a; leave b; leave c; stuck: no source"},
		{"claims below the next block", queue{}, "claims a 0; claims b 0; claims c 0; stuck: no source"},
		{"the next blocks are under way", queue{},
			"take a: 1 to 32; claims a 0; claims b 0; claims c 0; stuck: no; nothing a; stuck: no source"},
		{"one peer is enough", queue{}, "leave a; leave b; stuck: no"},
		{"all peers have pruned the next block", queue{},
			"take a: 1 to 32; prunes a 1; take b: 1 to 32; prunes b 1; stuck: no; take c: 1 to 32; prunes c 1; stuck: dropped"},
		{"withheld receipts are left out after a time", queue{last: 32},
			"take a: 1 to 32; withholds a 1; leave b; leave c; take a: " + idle +
				"; stuck: no; pass 29s; stuck: no; pass 1s; stuck: without receipts 1; stuck: no; take a: 1 to 32"},
		{"withheld receipts are asked of all others", queue{last: 32},
			"take a: 1 to 32; withholds a 1; leave c; pass 1m; stuck: no; take b: 1 to 32; withholds b 1; " +
				"stuck: without receipts 1"},
		{"withheld receipts wait for peers", queue{},
			"take a: 1 to 32; withholds a 1; leave a; leave b; leave c; pass 1m; stuck: no source"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newQueueTest(t, &c.queue)
			for i, line := range strings.Split(c.steps, "; ") {
				step, want, _ := strings.Cut(line, ": ")
				must.Equal(t, p.play(step), want, "step %d, %s", i+1, step)
			}
		})
	}
}

// A bounded number of segments is ahead of the consumer.
func TestQueueIsBounded(t *testing.T) {
	p := newQueueTest(t, new(queue))
	for range segmentsAhead {
		got := p.play("take a")
		must.That(t, !strings.HasPrefix(got, "wait"), "%d tasks: %s", len(p.q.tasks), got)
		p.play(fmt.Sprint("serve a ", p.tasks["a"].last, " 65536"))
	}
	expect.Equal(t, p.play("take a"), "wait 500ms", "above the bound")
	p.play("pop")
	got := p.play("take a")
	expect.That(t, !strings.HasPrefix(got, "wait"), "below the bound: %s", got)
}

// When a peer delays the next blocks, other peers are asked one after the other.
func TestHedgeAsksOneAtATime(t *testing.T) {
	q := &queue{next: 1, last: 3, bounds: bounds{hedge: time.Minute}}
	for range 3 {
		q.sources = append(q.sources, &source{claimed: func() uint64 { return 3 }, workers: 1})
	}
	now := time.Now()
	head, _ := q.take(q.sources[0], now)
	other, left := q.take(q.sources[1], now)
	must.That(t, other == nil && left > 0, "a second peer is asked at once")
	now = now.Add(2 * time.Minute)
	second, _ := q.take(q.sources[1], now)
	must.That(t, second == head, "no second peer is asked")
	third, left := q.take(q.sources[2], now)
	expect.That(t, third == nil && left > 0, "a third peer is asked at the same time as the second")
}

// The start of a peer's history is approached in growing steps, and late responses change nothing.
func TestTailIsFoundInGrowingSteps(t *testing.T) {
	far := func() uint64 { return 1 << 40 }
	q, s := new(queue), &source{claimed: far}
	for _, test := range []struct{ missing, next uint64 }{
		{10, 10 + headerBatch}, {11, 10 + headerBatch}, {10 + headerBatch, 10 + 3*headerBatch},
		{10 + 3*headerBatch, 10 + 7*headerBatch},
	} {
		q.miss(s, gap{block: test.missing}, time.Time{})
		expect.That(t, !q.has(s, test.next-1) && q.has(s, test.next),
			"block %d is missing: asked again from %d on, want %d", test.missing, s.pruned.first, test.next)
	}
	expect.That(t, !q.has(s, 1<<40+1) && q.has(&source{claimed: far}, 1), "claims do not count")
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
		{"two blocks of three transactions", types.Blocks{block, block}, 1000 + 6*rules.TransactionMemory},
	} {
		t.Run(c.name, func(t *testing.T) {
			seg := &segment{blocks: c.blocks, headers: []*types.Header{new(types.Header)}, size: 1000}
			expect.Equal(t, seg.memory(), c.want, "bytes")
			to := new(task)
			q := &queue{tasks: []*task{to}}
			seg.headers[0].Number = new(big.Int)
			q.done(nil, to, seg, gap{}, time.Time{})
			expect.Equal(t, q.buffered, c.want, "bytes are counted")
		})
	}
}
