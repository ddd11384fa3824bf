// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package calls

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// work runs a call that has this much to do, and pauses as often as an execution does.
func work(ctx context.Context, turns *Turns, owner string, toDo time.Duration) error {
	return workBy(ctx, time.Sleep, turns, owner, toDo)
}

func workBy(ctx context.Context, do func(time.Duration), turns *Turns, owner string, toDo time.Duration) error {
	turn, err := turns.Begin(ctx, gethrpc.Owner{owner}, true)
	if err != nil {
		return err
	}
	const step = time.Millisecond
	for done := time.Duration(0); done < toDo; done += step {
		do(step)
		if err := turn.Pause(ctx, false); err != nil {
			break
		}
	}
	_, failed := turn.End()
	return failed
}

// newTurns returns turns for a machine on which a call works whenever it does not wait. In a bubble no thread does.
func newTurns(processors int) *Turns {
	turns, begun := NewTurns(processors), time.Now()
	turns.processor = func() time.Duration { return time.Since(begun) }
	return turns
}

// However long the calls of many others are, a short one waits for one short turn of each at most, and one of some
// turns gets its part. spec: rpc 9.6
func TestLongCallsDoNotStopShortOnes(t *testing.T) {
	for _, row := range []struct {
		toDo, most time.Duration
	}{
		{time.Millisecond, 2*shortTime + time.Millisecond},
		{shortTime + longTime/2, 2*shortTime + 24*(longTime+2*time.Millisecond) + 2*longTime},
	} {
		t.Run(row.toDo.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				turns := newTurns(2)
				ctx, stop := context.WithCancel(t.Context())
				var greedy sync.WaitGroup
				for n := range 24 {
					greedy.Go(func() { _ = work(ctx, turns, fmt.Sprint(n), time.Hour) })
				}
				time.Sleep(time.Minute) // all of them are long
				begun := time.Now()
				expect.Error(t, work(t.Context(), turns, "modest", row.toDo), nil, "work")
				took := time.Since(begun)
				expect.That(t, took <= row.most, "a call of %v took %v, want %v at most", row.toDo, took, row.most)
				stop()
				greedy.Wait()
				expect.That(t, turns.short.Len() == 0 && turns.long.Len() == 0,
					"%d and %d places are taken in the end", turns.short.Len(), turns.long.Len())
			})
		})
	}
}

// While more owners than there are places have one endless call each, one that is new has its turns until it is done.
// The owner that has had most long turns makes room for it. spec: rpc 9.6
func TestNewOwnersGetLongPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(2)
		ctx, stop := context.WithCancel(t.Context())
		var greedy sync.WaitGroup
		for n := range maxLongCalls + 6 {
			greedy.Go(func() {
				for ctx.Err() == nil {
					_ = work(ctx, turns, fmt.Sprint(n), time.Hour)
				}
			})
		}
		time.Sleep(time.Minute)
		for n := range 10 {
			expect.Error(t, work(t.Context(), turns, fmt.Sprint("modest ", n), shortTime+2*longTime), nil, "work")
		}
		stop()
		greedy.Wait()
	})
}

// A call that has not kept a processor busy is no long one, however long it takes: it pauses among the short ones.
func TestBusyMachineMakesNoLongCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var idle atomic.Bool
		turns, begun := newTurns(2), time.Now()
		turns.processor = func() time.Duration {
			if idle.Load() {
				return 0
			}
			return time.Since(begun)
		}
		go work(t.Context(), turns, "long", 30*shortTime) //nolint:errcheck // judged by the other
		time.Sleep(2 * shortTime)
		idle.Store(true)
		turn := must.Get(turns.Begin(t.Context(), gethrpc.Owner{"short"}, true))(t)
		for range 10 {
			time.Sleep(shortTime)
			if err := turn.Pause(t.Context(), false); err != nil || turn.(*Turn).at != turns.short || turn.Paused() > 0 {
				t.Errorf("error %v, paused for %v, in the pool of short calls: %v", err, turn.Paused(),
					turn.(*Turn).at == turns.short)
			}
		}
		if err := turn.Pause(t.Context(), true); err != nil || turn.(*Turn).at != turns.long {
			t.Errorf("error %v, in the pool of long calls: %v", err, turn.(*Turn).at == turns.long)
		}
		expect.Error(t, expect.Err(turn.End()), nil, "End")
		time.Sleep(time.Minute)
	})
}

// The pauses of a call are told, and so is the work of other goroutines for it, each thread once.
func TestTimeOfCalls(t *testing.T) {
	turns := NewTurns(2)
	turn := must.Get(turns.Begin(t.Context(), gethrpc.Owner{"a"}, true))(t)
	const each = 5 * time.Millisecond
	spin := func() {
		for begun := processorTime(); processorTime() < begun+each; {
			runtime.Gosched()
		}
	}
	turn.Help()() // of a thread that is counted already
	var helpers sync.WaitGroup
	for range 3 {
		helpers.Go(func() {
			defer turn.Help()()
			defer turn.Help()()
			spin()
		})
	}
	helpers.Wait()
	worked, failed := turn.End()
	expect.That(t, worked >= 3*each && failed == nil, "charged for %v, error %v", worked, failed)
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(2)
		go work(t.Context(), turns, "b", shortTime+4*longTime) //nolint:errcheck // judged by the other
		time.Sleep(2 * shortTime)                              // b is a long call now
		turn := must.Get(turns.Begin(t.Context(), gethrpc.Owner{"a"}, true))(t)
		time.Sleep(shortTime + time.Millisecond)
		begun := time.Now()
		if err := turn.Pause(t.Context(), false); err != nil || turn.Paused() == 0 || turn.Paused() != time.Since(begun) {
			t.Errorf("paused for %v of %v, error %v", turn.Paused(), time.Since(begun), err)
		}
		expect.Error(t, expect.Err(turn.End()), nil, "End")
		time.Sleep(time.Minute)
	})
}

// As many calls work at the same time as there are workers, half of the processors in each pool.
func TestWorkersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns, working := newTurns(8), atomic.Int64{}
		do := func(step time.Duration) {
			working.Add(1)
			time.Sleep(step)
			working.Add(-1)
		}
		for n := range 40 {
			go workBy(t.Context(), do, turns, fmt.Sprint(n), time.Second) //nolint:errcheck // judged by what works
		}
		for range 1000 {
			time.Sleep(time.Millisecond)
			synctest.Wait()
			n := working.Load()
			must.That(t, n <= 8, "%d calls work at the same time", n)
		}
		time.Sleep(time.Minute)
	})
}

// A call ends with its context while it waits, and one that has to leave says so.
func TestPausesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(2)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		go work(t.Context(), turns, "greedy", time.Minute) //nolint:errcheck // judged by the other
		time.Sleep(2 * shortTime)
		expect.Error(t, work(ctx, turns, "late", time.Hour), context.DeadlineExceeded, "at the deadline")
		errs := make(chan error, 2*maxLongCalls)
		for range 2 * maxLongCalls {
			go func() { errs <- work(t.Context(), turns, "many", time.Second) }()
		}
		var coded gethrpc.Error
		err := <-errs
		expect.That(t, errors.As(err, &coded) && coded.ErrorCode() == -32002, "a call that had to leave: %v", err)
		time.Sleep(time.Hour)
	})
}

// A call does not wait for its first turn for ever.
func TestTurnPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(2)
		turn := must.Get(turns.Begin(t.Context(), gethrpc.Owner{"stuck"}, true))(t)
		begun := time.Now()
		if _, err := turns.Begin(t.Context(), gethrpc.Owner{"other"}, true); err == nil || time.Since(begun) != turnPatience {
			t.Errorf("error %v after %v", err, time.Since(begun))
		}
		expect.Error(t, expect.Err(turn.End()), nil, "End")
	})
}
