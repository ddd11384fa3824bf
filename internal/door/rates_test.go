// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"testing"
	"time"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// clock stands still until it is moved.
type clock struct{ time.Time }

func (c *clock) now() time.Time { return c.Time }

func (c *clock) move(d time.Duration) { c.Time = c.Add(d) }

func newRates(perSecond float64, burst int) (*Rates[int], *clock) {
	c := &clock{time.Unix(1_700_000_000, 0)}
	return NewRates[int](perSecond, burst, c.now), c
}

// However many clients come, the table is bounded; idle ones make room, and the rest share an entry.
func TestTableIsBounded(t *testing.T) {
	r, clock := newRates(100, 1000)
	for n := range maxNames + 100 {
		must.Equal(t, r.Spend([]int{n}, 1, time.Second), 0, "client %d waits", n)
	}
	expect.Equal(t, r.Len(), maxNames, "clients are kept")
	expect.Equal(t, r.shared.units, 1000-100, "units of the shared entry")
	clock.move(time.Minute)
	wait := r.Spend([]int{maxNames + 200}, 1, time.Second)
	expect.That(t, wait == 0 && r.Len() == 1, "wait of %v, %d clients after all were idle", wait, r.Len())
}

// An owner of several names pays once for the shared entry.
func TestSharedEntryCountsOnce(t *testing.T) {
	r, _ := newRates(100, 1000)
	for n := range maxNames {
		r.Spend([]int{n}, 1, maxWait)
	}
	r.Spend([]int{maxNames, maxNames + 1, maxNames + 2}, 10, maxWait)
	expect.Equal(t, r.shared.units, 1000-10, "units of the shared entry")
}

// An owner has what is saved up, owes what it has used beyond that, and pays one unit for a refusal.
func TestUnitsAreOwed(t *testing.T) {
	r, clock := newRates(10, 100)
	owner := []int{1}
	expect.That(t, r.Allow(owner, 100) && !r.Allow(owner, 1), "an owner has not what it can save up")
	r.Spend(owner, 250, maxWait) // more than can be saved up
	expect.Equal(t, r.Spend(owner, 50, time.Second), 25*time.Second+100*time.Millisecond, "wait for the first unit")
	clock.move(25*time.Second + 100*time.Millisecond)
	expect.Equal(t, r.wait(r.buckets(owner), 0), 0, "wait after the refusal")
	expect.Equal(t, r.wait(r.buckets([]int{2}), 100), 0, "another owner waits")
}

// An owner waits for what it lacks however low the rate is.
func TestLowestRate(t *testing.T) {
	r, _ := newRates(1e-12, 1)
	expect.That(t, r.Allow([]int{1}, 1) && !r.Allow([]int{1}, 1), "an owner has not the one unit that it can save up")
	expect.Equal(t, r.wait(r.buckets([]int{1}), 1), maxWait, "a wait of")
}

// A wider name has four times as much, and what one of its owners lacks is taken from none.
func TestRatesOfWiderNames(t *testing.T) {
	r, _ := newRates(1, 10)
	allowed := 0
	for n := range 10 {
		if r.Allow([]int{n, 100}, 8) {
			allowed++
		}
	}
	expect.Equal(t, allowed, 5, "owners of a wide name have their units")
	expect.That(t, r.Allow([]int{9, 101}, 10), "a refusal by a wider name has taken units")
}

// A changed rate holds at once, also for what an owner owes.
func TestChangedRate(t *testing.T) {
	r, clock := newRates(1, 10)
	r.Spend([]int{1}, 20, maxWait)
	r.Set(10, 30)
	expect.Equal(t, r.wait(r.buckets([]int{1}), 0), time.Second, "a debt of ten units takes")
	clock.move(time.Minute)
	expect.That(t, r.Allow([]int{1}, 30) && !r.Allow([]int{1}, 1), "the burst is not the changed one")
}
