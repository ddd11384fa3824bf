// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package calls

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"golang.org/x/sys/unix"

	"gwon/internal/door"
)

// errBusy answers a call that did not get a turn in time, or that had to leave.
var errBusy = &gethrpc.Refusal{Code: gethrpc.CodeTime,
	Text: "the node is busy with calls like this one: try again later, or with fewer at a time"}

// Turns gives turns to calls that can take long. Each begins in the pool of short calls, with turns of shortTime. One
// that has kept a processor busy for that long moves to the pool of long ones, with turns of longTime (a multilevel
// feedback queue of two levels). Owners take turns in both. It is safe for concurrent use.
type Turns struct {
	short, long *door.Queue[string]
	processor   func() time.Duration // that this thread has had
}

// NewTurns returns turns for a machine with a number of processors: half of them work in each pool.
func NewTurns(processors int) *Turns {
	workers := max(1, processors/2)
	places := door.Places{All: workers, PerOwner: max(1, workers/2), Waiting: maxWaitingCalls, Quantum: shortTime}
	short := door.NewQueue[string](places)
	places.Waiting, places.Quantum = maxLongCalls, longTime
	return &Turns{short: short, long: door.NewQueue[string](places), processor: processorTime}
}

// Turn is that of one call, which one goroutine begins and ends. Pause may be called by others too.
type Turn struct {
	turns *Turns
	owner gethrpc.Owner
	due   atomic.Bool // the time of the turn is over

	threads sync.Map     // that work for the call, by their IDs: when they began, by their processor times
	worked  atomic.Int64 // nanoseconds of a processor that those have had which have ended
	end     func()       // ends that of Begin's goroutine

	mu     sync.Mutex
	at     *door.Queue[string]
	leave  func() // ends the use of the place there; does nothing for a call that was not let go on
	timer  *time.Timer
	paused time.Duration
	failed error // of a call that was not let go on, or has ended
}

// Begin waits for the first turn of a call, a long one if it does not pause. The goroutine that begins it ends it.
func (t *Turns) Begin(ctx context.Context, owner gethrpc.Owner, pauses bool) (gethrpc.Turn, error) {
	waiting, cancel := context.WithTimeout(ctx, turnPatience)
	defer cancel()
	at := t.short
	if !pauses {
		at = t.long
	}
	leave, err := at.Take(waiting, owner...)
	if err != nil {
		return nil, errBusy
	}
	turn := &Turn{turns: t, owner: owner, at: at, leave: leave}
	turn.end = turn.Help()
	turn.timer = time.AfterFunc(shortTime, func() { turn.due.Store(true) })
	return turn, nil
}

// Pause lets others have their turn when that of this call is over, and returns when the call may go on, with long
// among the long ones in any case. The error ends the call: its context has ended, or there are too many calls.
func (t *Turn) Pause(ctx context.Context, long bool) error {
	if !t.due.Load() && !long {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed != nil || !t.due.Load() && (!long || t.at == t.turns.long) {
		return t.failed // another goroutine of the call was here
	}
	pool, length := t.turns.long, longTime
	if !long && t.at == t.turns.short && t.busy() < shortTime {
		pool, length = t.turns.short, shortTime // a busy machine has kept it waiting
	}
	if t.failed = context.Cause(ctx); t.failed != nil {
		return t.failed
	}
	if t.at != pool || pool.IsWanted() {
		t.leave()
		begun, err := time.Now(), error(nil)
		if t.leave, err = pool.Take(ctx, t.owner...); err != nil {
			t.leave, t.failed = func() {}, cmp.Or(context.Cause(ctx), error(errBusy))
			return t.failed
		}
		t.at = pool
		t.paused += time.Since(begun)
	}
	t.due.Store(false)
	t.timer.Reset(length)
	return nil
}

// busy returns for how long this thread has worked for the call.
func (t *Turn) busy() time.Duration {
	begun, ok := t.threads.Load(unix.Gettid())
	if !ok {
		return shortTime // of a goroutine that has not told
	}
	return t.turns.processor() - begun.(time.Duration)
}

// Help begins work for the call in another goroutine, which calls end when it is done.
func (t *Turn) Help() (end func()) {
	runtime.LockOSThread()
	id, begun := unix.Gettid(), t.turns.processor()
	if _, counted := t.threads.LoadOrStore(id, begun); counted {
		return runtime.UnlockOSThread
	}
	return func() {
		t.worked.Add(int64(t.turns.processor() - begun))
		t.threads.Delete(id)
		runtime.UnlockOSThread()
	}
}

// Paused returns for how long the call has waited in pauses. It waits for the end of one.
func (t *Turn) Paused() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.paused
}

// End ends the turn, and returns for how long the call has kept processors busy, and why it was not let go on.
func (t *Turn) End() (worked time.Duration, failed error) {
	t.end()
	t.timer.Stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leave()
	failed, t.failed = t.failed, context.Canceled
	return time.Duration(t.worked.Load()), failed
}

// processorTime returns the processor time of this thread. It stands still while the thread waits, also for a core.
func processorTime() time.Duration {
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &at); err != nil {
		return 0 // no charge where the kernel has no such clock
	}
	return time.Duration(at.Nano())
}
