// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// busyError answers a call that did not get a turn in time, or that had to leave.
type busyError struct{}

func (busyError) Error() string {
	return "the node is busy with calls like this one: try again later, or with fewer at a time"
}

// ErrorCode is that of a call that took too long (spec rpc 2.5).
func (busyError) ErrorCode() int { return -32002 }

// Turns gives turns to calls that can take long. Each begins in the pool of short calls. One that takes longer than
// shortTime moves to the pool of long ones, where it takes turns of longTime with the others (a multilevel feedback
// queue of two levels). Owners take turns in both. It is safe for concurrent use.
type Turns struct{ short, long *Queue[string] }

// NewTurns returns turns for a machine with a number of processors: half of them work in each pool.
func NewTurns(processors int) *Turns {
	workers := max(1, processors/2)
	return &Turns{
		short: NewQueue[string](Places{All: workers, PerOwner: max(1, workers/2), Waiting: maxWaitingCalls}),
		long:  NewQueue[string](Places{All: workers, PerOwner: max(1, workers/2), Waiting: maxLongCalls}),
	}
}

// Turn is that of one call, which one goroutine begins and ends. Pause may be called by others too.
type Turn struct {
	turns *Turns
	owner Owner
	due   atomic.Bool // the time of the turn is over

	mu     sync.Mutex
	at     *Queue[string] // in which the call has a place; nil for none
	timer  *time.Timer
	begun  time.Duration // of the processor, in this goroutine's thread
	failed error         // of a call that was not let go on
}

// Begin waits for the first turn of a call, which is one of the long ones if it does not pause. The caller ends the
// turn in the same goroutine.
func (t *Turns) Begin(ctx context.Context, owner Owner, pauses bool) (*Turn, error) {
	waiting, cancel := context.WithTimeout(ctx, turnPatience)
	defer cancel()
	at := t.short
	if !pauses {
		at = t.long
	}
	if err := at.enter(waiting, owner); err != nil {
		return nil, busyError{}
	}
	runtime.LockOSThread()
	turn := &Turn{turns: t, owner: owner, at: at, begun: processorTime()}
	turn.timer = time.AfterFunc(shortTime, func() { turn.due.Store(true) })
	return turn, nil
}

// Pause lets others have their turn when that of this call is over, and returns when the call may go on. With long the
// call goes on among the long ones in any case. The error ends the call: its context has ended, or there are too many
// calls.
func (t *Turn) Pause(ctx context.Context, long bool) error {
	if !t.due.Load() && !long {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.at == nil && t.failed == nil {
		return context.Canceled // the call has ended
	}
	if t.failed != nil || !t.due.Load() && (!long || t.at == t.turns.long) {
		return t.failed // another goroutine of the call was here
	}
	pool := t.turns.long
	if err := ctx.Err(); err != nil {
		t.failed = err
		return err
	}
	if t.at != pool || pool.isWanted() {
		t.at.leave(t.owner)
		t.at = nil
		if err := pool.enter(ctx, t.owner); err != nil {
			if errors.Is(err, ErrDisplaced) {
				err = busyError{}
			}
			t.failed = err
			return err
		}
		t.at = pool
	}
	t.due.Store(false)
	t.timer.Reset(longTime)
	return nil
}

// End ends the turn, and returns for how long the call has kept a processor busy in its own goroutine, and why it was
// not let go on.
func (t *Turn) End() (worked time.Duration, failed error) {
	worked = processorTime() - t.begun
	runtime.UnlockOSThread()
	t.timer.Stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.at != nil {
		t.at.leave(t.owner)
		t.at = nil
	}
	return worked, t.failed
}

// processorTime returns the time of the processor that this thread has had. It does not advance while the thread waits,
// for its turn or for a busy machine.
func processorTime() time.Duration {
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &at); err != nil {
		return 0 // no charge where the kernel has no such clock
	}
	return time.Duration(at.Nano())
}
