// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

// The slots of long calls are handed out here because the handler of a call is an unexported type of this package, and
// upstream cannot import gwon/internal/fair.

import (
	"bytes"
	"context"
	"math"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Bounds of the calls that take long.
const (
	batchTime    = 5 * time.Second  // of computing for one batch; the calls that are left then are refused
	turnPatience = 10 * time.Second // a call waits for its turn
	maxWaiting   = 4096             // calls that wait, of all connections
	maxShares    = 4096             // clients without a call that are remembered
	halfLife     = 10 * time.Second // of the time that a client has used

	// littleUse is the most that a client has used for which the last free worker is kept.
	littleUse = 100 * time.Millisecond
)

// evmCalls are the methods whose whole run is cut at the deadline for calls. Traces are some too.
var evmCalls = map[string]bool{
	"eth_call": true, "eth_estimateGas": true, "eth_createAccessList": true, "eth_simulateV1": true,
	"eth_fillTransaction": true,
}

// executes reports whether a method runs transactions or traces them. A search ends by itself, and answers what it has
// found until then.
func executes(method string) bool {
	if evmCalls[method] {
		return true
	}
	if strings.HasPrefix(method, "ots_search") {
		return false
	}
	for _, prefix := range []string{"debug_trace", "debug_standardTrace", "debug_intermediateRoots", "trace_", "ots_"} {
		if strings.HasPrefix(method, prefix) {
			return true
		}
	}
	return false
}

// longCalls are the methods that can keep a processor busy for long. Those that execute and those of debug are some
// too.
var longCalls = map[string]bool{
	"eth_getLogs": true, "eth_getFilterLogs": true, "eth_getProof": true, "eth_feeHistory": true,
	"eth_getBlockReceipts": true, "eth_getReceiptsByHash": true, "istanbul_status": true,
	"txpool_content": true, "txpool_contentFrom": true, "txpool_inspect": true,
	wholeBlocks: true, MatchingLogs: true, GraphQL: true,
}

// What is charged for but is no method by its name.
const (
	wholeBlocks  = "blocks with their transactions"
	MatchingLogs = "matching of logs" // for a subscription or filter
	GraphQL      = "graphql"
)

// chargedAs returns the method of a call, or wholeBlocks: of 5,000 transactions a block takes 30 ms to encode.
func chargedAs(msg *jsonrpcMessage) string {
	if strings.HasPrefix(msg.Method, "eth_getBlockBy") && bytes.Contains(msg.Params, []byte("true")) {
		return wholeBlocks
	}
	return msg.Method
}

// TakesLong reports whether a method can keep a processor busy for long.
func TakesLong(method string) bool {
	return longCalls[method] || executes(method) || strings.HasPrefix(method, "debug_") ||
		strings.HasPrefix(method, "ots_")
}

// turns hands out the workers for long calls that come over the network. One client has half of the workers at most,
// and among clients that wait the one that has used least comes first. The last free worker is for clients that have
// used little: their short calls do not wait for the end of a long one. A call that keeps it for longer than that
// yields it.
type turns struct {
	mu        sync.Mutex
	free      int // workers, with the one for clients that have used little
	perClient int
	shares    map[string]*share // by CallersOf
	waiting   []*waiter         // in the order of arrival
	last      *running          // has the last worker; nil when nobody has
}

// share is what one network uses.
type share struct {
	running int
	waiting int
	used    time.Duration // decays with halfLife
	at      time.Time     // of used
}

// client is what the networks of one client use, from the narrowest on.
type client []*share

// running is a call that has a worker.
type running struct {
	client client
	since  time.Time
	yield  func() // ends the call, which then waits again; called once at most
}

type waiter struct {
	client  client
	yielded bool          // it has had the last worker
	yield   func()        // as in running
	run     *running      // set before turn is closed
	turn    chan struct{} // closed when it has come
	gone    chan struct{} // closed when a call of a client with fewer has displaced this one
}

// newTurns makes turns with a number of workers for everybody, and one more.
func newTurns(workers int) *turns {
	return &turns{free: workers + 1, perClient: max(1, workers/2), shares: make(map[string]*share)}
}

var networkTurns = sync.OnceValue(func() *turns { return newTurns(max(1, runtime.GOMAXPROCS(0)-1)) })

// busyError answers a call that did not get a turn.
type busyError struct{ text string }

func (e *busyError) Error() string { return e.text }

// ErrorCode is that of a call that took too long.
func (e *busyError) ErrorCode() int { return errcodeTimeout }

var (
	errNoTurn     = &busyError{"the node is busy with calls like this one: try again later, or with fewer at a time"}
	errBatchSpent = &busyError{"the calls before this one have used up the time of the batch: send smaller batches"}
)

// batchBudget is what is left of the time for the long calls of one batch, whose calls run one after the other.
type batchBudget struct {
	left time.Duration
	collected
}

type batchBudgetKey struct{}

// withBatchBudget gives the calls of a batch their common time.
func withBatchBudget(ctx context.Context) context.Context {
	return context.WithValue(ctx, batchBudgetKey{}, &batchBudget{left: batchTime})
}

// enter waits until a call may run. leave has to be called when it has. yield may be called once meanwhile, when the
// worker is wanted by a client that has used little.
func (t *turns) enter(ctx context.Context, remote string, yielded bool, yield func()) (leave func(), err error) {
	budget, _ := ctx.Value(batchBudgetKey{}).(*batchBudget)
	if budget != nil && budget.left <= 0 {
		return nil, errBatchSpent
	}
	w := t.queue(remote, yielded, yield)
	patience := time.NewTimer(turnPatience)
	defer patience.Stop()
	select {
	case <-w.turn:
	case <-w.gone:
		return nil, errNoTurn
	case <-patience.C:
		if !t.giveUp(w) {
			return nil, errNoTurn
		}
	case <-ctx.Done():
		if !t.giveUp(w) {
			return nil, errNoTurn
		}
	}
	start := time.Now()
	return func() {
		elapsed := time.Since(start)
		if budget != nil {
			budget.left -= elapsed
		}
		t.leave(w.run, elapsed)
	}, nil
}

// queue adds a call to those that wait and lets the next ones run, this one perhaps among them. Above maxWaiting a call
// of the client with most goes.
func (t *turns) queue(remote string, yielded bool, yield func()) *waiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	var c client
	for _, caller := range CallersOf(remote) {
		s := t.shares[caller]
		if s == nil {
			s = &share{at: time.Now()}
			t.shares[caller] = s
		}
		c = append(c, s)
		s.waiting++
	}
	w := &waiter{client: c, yielded: yielded, yield: yield, turn: make(chan struct{}), gone: make(chan struct{})}
	t.waiting = append(t.waiting, w)
	t.grant()
	if len(t.waiting) > maxWaiting {
		t.displace(w)
	}
	return w
}

// displace refuses the newest waiting call of the client with most of them: of w's where no other has more.
func (t *turns) displace(w *waiter) {
	most := w.client
	for _, other := range t.waiting {
		if other.client.waiting() > most.waiting() {
			most = other.client
		}
	}
	for i := len(t.waiting) - 1; i >= 0; i-- {
		if w := t.waiting[i]; w.client[0] == most[0] {
			t.take(i)
			close(w.gone)
			return
		}
	}
}

// take takes a call from those that wait.
func (t *turns) take(index int) {
	for _, s := range t.waiting[index].client {
		s.waiting--
	}
	t.waiting = append(t.waiting[:index], t.waiting[index+1:]...)
}

// giveUp takes a call from those that wait. It reports whether its turn has come in the meantime.
func (t *turns) giveUp(w *waiter) (hasTurn bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, other := range t.waiting {
		if other == w {
			t.take(i)
			return false
		}
	}
	select {
	case <-w.turn:
		return true
	default:
		return false // displaced
	}
}

func (t *turns) leave(run *running, elapsed time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range run.client {
		s.used = s.usedAt(time.Now()) + elapsed
		s.at = time.Now()
		s.running--
	}
	t.free++
	t.last = nil // it ends, or has this one's worker from now on
	t.grant()
	t.forget()
}

// grant gives the free workers to the calls that wait. When a client that has used little finds none, the call that has
// the last one yields it, once it has had its time.
func (t *turns) grant() {
	for t.free > 0 {
		next := t.next(t.free == 1)
		if next < 0 {
			return
		}
		w := t.waiting[next]
		t.take(next)
		w.run = &running{w.client, time.Now(), w.yield}
		for _, s := range w.client {
			s.running++
		}
		if t.free--; t.free == 0 {
			t.last = w.run
			time.AfterFunc(littleUse, t.overdue)
		}
		close(w.turn)
	}
	if last := t.last; last != nil && last.yield != nil && time.Since(last.since) >= littleUse && t.next(true) >= 0 {
		last.yield()
		last.yield = nil
	}
}

// overdue is called when a call may have had the last worker for its time.
func (t *turns) overdue() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.grant()
}

// next returns the index of the waiting call that comes next, -1 if there is none. little leaves out clients that have
// used more than that.
func (t *turns) next(little bool) int {
	next, least, now := -1, time.Duration(math.MaxInt64), time.Now()
	if little {
		least = littleUse
	}
	for i, w := range t.waiting {
		if little && w.yielded || w.client.running() >= t.perClient {
			continue
		}
		if used := w.client.usedAt(now); used < least {
			next, least = i, used
		}
	}
	return next
}

// forget drops clients without a call when there are many.
func (t *turns) forget() {
	if len(t.shares) <= maxShares {
		return
	}
	for caller, s := range t.shares {
		if s.running == 0 && s.waiting == 0 {
			delete(t.shares, caller)
		}
	}
}

func (s *share) usedAt(now time.Time) time.Duration {
	return time.Duration(float64(s.used) * math.Exp2(-now.Sub(s.at).Seconds()/halfLife.Seconds()))
}

// usedAt returns what a client has used: a wider network may use more than a narrow one.
func (c client) usedAt(now time.Time) (most time.Duration) {
	for i, s := range c {
		most = max(most, s.usedAt(now)/time.Duration(AllowanceOf(i)))
	}
	return most
}

// running returns the number of workers that the widest network of a client has. Workers are few, so that wider
// networks have no more of them.
func (c client) running() int { return c[len(c)-1].running }

// waiting returns how many calls of a client wait, as many of a wide network as of a narrow one for each of its
// allowance.
func (c client) waiting() (most int) {
	for i, s := range c {
		most = max(most, s.waiting/AllowanceOf(i))
	}
	return most
}
