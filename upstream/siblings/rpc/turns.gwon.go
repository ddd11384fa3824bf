// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

// The slots of long calls are handed out here because the handler of a call is an unexported type of this package, and
// upstream cannot import gwon. Their queue has no other user: internal/fair would be a package for this file alone.

import (
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

// longCalls are the methods that can keep a processor busy for long. Those of debug are some too.
var longCalls = map[string]bool{
	"eth_call": true, "eth_estimateGas": true, "eth_createAccessList": true, "eth_simulateV1": true,
	"eth_fillTransaction": true, "eth_getLogs": true, "eth_getFilterLogs": true, "eth_getProof": true,
	"eth_feeHistory": true, "eth_getBlockReceipts": true, "eth_getReceiptsByHash": true, "istanbul_status": true,
	"txpool_content": true, "txpool_contentFrom": true, "txpool_inspect": true,
}

func takesLong(method string) bool {
	return longCalls[method] || strings.HasPrefix(method, "debug_") || strings.HasPrefix(method, "trace_") ||
		strings.HasPrefix(method, "ots_")
}

// turns hands out the workers for long calls that come over the network. One client has half of the workers at most,
// and among clients that wait the one that has used least comes first. The last free worker is for clients that have
// used little: their short calls do not wait for the end of a long one.
type turns struct {
	mu        sync.Mutex
	free      int // workers, with the one for clients that have used little
	perClient int
	shares    map[string]*share // by CallerOf
	waiting   []*waiter         // in the order of arrival
}

// share is what one client uses.
type share struct {
	running int
	waiting int
	used    time.Duration // decays with halfLife
	at      time.Time     // of used
}

type waiter struct {
	share *share
	turn  chan struct{} // closed when it has come
	gone  chan struct{} // closed when a call of a client with fewer has displaced this one
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
type batchBudget struct{ left time.Duration }

type batchBudgetKey struct{}

// withBatchBudget gives the calls of a batch their common time.
func withBatchBudget(ctx context.Context) context.Context {
	return context.WithValue(ctx, batchBudgetKey{}, &batchBudget{batchTime})
}

// enterTurn waits until a call may run. The caller calls leave after the call, which also reports its duration to the
// gate. Short calls and those of the node's own user (IPC, in the process) run at once.
func (h *handler) enterTurn(ctx context.Context, method string) (leave func(), err error) {
	leaveTurn := func() {}
	info := PeerInfoFromContext(ctx)
	if !info.fromNetwork() {
		return leaveTurn, nil
	}
	if takesLong(method) {
		if leaveTurn, err = networkTurns().enter(ctx, info.RemoteAddr); err != nil {
			return nil, err
		}
	}
	g := gate.Load()
	if g == nil {
		return leaveTurn, nil
	}
	start := time.Now()
	return func() {
		(*g).Used(info.RemoteAddr, method, time.Since(start))
		leaveTurn()
	}, nil
}

func (t *turns) enter(ctx context.Context, remote string) (leave func(), err error) {
	budget, _ := ctx.Value(batchBudgetKey{}).(*batchBudget)
	if budget != nil && budget.left <= 0 {
		return nil, errBatchSpent
	}
	w := t.queue(remote)
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
		t.leave(w.share, elapsed)
	}, nil
}

// queue adds a call to those that wait and lets the next ones run, this one perhaps among them. Above maxWaiting a call
// of the client with most goes.
func (t *turns) queue(remote string) *waiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	client := CallerOf(remote)
	s := t.shares[client]
	if s == nil {
		s = &share{at: time.Now()}
		t.shares[client] = s
	}
	w := &waiter{s, make(chan struct{}), make(chan struct{})}
	s.waiting++
	t.waiting = append(t.waiting, w)
	t.grant()
	if len(t.waiting) > maxWaiting {
		t.displace(s)
	}
	return w
}

// displace refuses the newest waiting call of the client with most of them: of s itself where no other has more.
func (t *turns) displace(s *share) {
	most := s
	for _, w := range t.waiting {
		if w.share.waiting > most.waiting {
			most = w.share
		}
	}
	for i := len(t.waiting) - 1; i >= 0; i-- {
		if w := t.waiting[i]; w.share == most {
			t.waiting = append(t.waiting[:i], t.waiting[i+1:]...)
			most.waiting--
			close(w.gone)
			return
		}
	}
}

// giveUp takes a call from those that wait. It reports whether its turn has come in the meantime.
func (t *turns) giveUp(w *waiter) (hasTurn bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, other := range t.waiting {
		if other == w {
			t.waiting = append(t.waiting[:i], t.waiting[i+1:]...)
			w.share.waiting--
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

func (t *turns) leave(s *share, elapsed time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.used = s.usedAt(time.Now()) + elapsed
	s.at = time.Now()
	s.running--
	t.free++
	t.grant()
	t.forget()
}

// grant gives the free workers to the calls that wait.
func (t *turns) grant() {
	now := time.Now()
	for t.free > 0 {
		next, least := -1, time.Duration(math.MaxInt64)
		if t.free == 1 {
			least = littleUse
		}
		for i, w := range t.waiting {
			if used := w.share.usedAt(now); w.share.running < t.perClient && used < least {
				next, least = i, used
			}
		}
		if next < 0 {
			return
		}
		w := t.waiting[next]
		t.waiting = append(t.waiting[:next], t.waiting[next+1:]...)
		w.share.waiting--
		w.share.running++
		t.free--
		close(w.turn)
	}
}

// forget drops clients without a call when there are many.
func (t *turns) forget() {
	if len(t.shares) <= maxShares {
		return
	}
	for client, s := range t.shares {
		if s.running == 0 && s.waiting == 0 {
			delete(t.shares, client)
		}
	}
}

func (s *share) usedAt(now time.Time) time.Duration {
	return time.Duration(float64(s.used) * math.Exp2(-now.Sub(s.at).Seconds()/halfLife.Seconds()))
}
