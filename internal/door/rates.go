// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"sync"
	"time"
)

const (
	// maxNames bounds the table of rates. Owners beyond it share one entry.
	maxNames = 1 << 16
	// maxWait is the longest wait that is told. That for a unit at a very low rate has no time.Duration.
	maxWait = 100 * 365 * 24 * time.Hour
	// sweepPeriod is the shortest time between two searches for names that are idle.
	sweepPeriod = time.Second
)

// Rates gives each owner units at a rate, which it can save up, and owe. It is safe for concurrent use.
type Rates[K comparable] struct {
	now func() time.Time

	mu          sync.Mutex
	rate, burst float64
	of          map[K]*bucket
	shared      bucket // of owners beyond the bound
	swept       time.Time
}

// bucket is what one name has: units at a time, fewer than none if it owes them.
type bucket struct {
	units     float64
	at        time.Time
	allowance float64
}

// NewRates returns rates of a number of units a second, of which burst can be saved up. now is the clock.
func NewRates[K comparable](perSecond float64, burst int, now func() time.Time) *Rates[K] {
	r := &Rates[K]{now: now, rate: perSecond, burst: float64(burst), of: make(map[K]*bucket)}
	r.shared = *r.newBucket(0)
	return r
}

// Set changes rate and burst. What owners have saved up or owe stays.
func (r *Rates[K]) Set(perSecond float64, burst int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rate == perSecond && r.burst == float64(burst) {
		return
	}
	r.fill(&r.shared)
	for _, b := range r.of {
		r.fill(b)
	}
	r.rate, r.burst = perSecond, float64(burst)
}

// Allow takes units from an owner if it has them, and reports whether it had.
func (r *Rates[K]) Allow(owner []K, units int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	buckets := r.buckets(owner)
	if r.wait(buckets, float64(units)) > 0 {
		return false
	}
	r.take(buckets, units)
	return true
}

// Spend takes units from an owner, which waits until it has one again, and returns that time. An owner that would wait
// for longer than most is refused, and pays one unit for that.
func (r *Rates[K]) Spend(owner []K, units int, most time.Duration) (wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	buckets := r.buckets(owner)
	if wait = r.wait(buckets, 1); wait > most {
		units = 1
	}
	r.take(buckets, units)
	return wait
}

// Len returns the number of names that are known.
func (r *Rates[K]) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.of)
}

func (r *Rates[K]) wait(buckets []*bucket, units float64) (longest time.Duration) {
	for _, b := range buckets {
		seconds := (units - b.units) / (b.allowance * r.rate)
		longest = max(longest, time.Duration(min(seconds, maxWait.Seconds())*float64(time.Second)))
	}
	return longest
}

// take takes units, also those that the buckets do not have: what was used is paid for.
func (r *Rates[K]) take(buckets []*bucket, units int) {
	for _, b := range buckets {
		b.units -= float64(units)
	}
}

// fill gives a bucket the units of the time since it was filled last.
func (r *Rates[K]) fill(b *bucket) {
	now := r.now()
	b.units = min(b.allowance*r.burst, b.units+now.Sub(b.at).Seconds()*b.allowance*r.rate)
	b.at = now
}

// buckets returns those of an owner's names, filled. Once the table is full of busy ones, all further owners have one.
func (r *Rates[K]) buckets(owner []K) []*bucket {
	list := make([]*bucket, 0, len(owner))
	for i, name := range owner {
		b := r.of[name]
		switch {
		case b != nil:
		case r.hasRoom():
			b = r.newBucket(i)
			r.of[name] = b
		case i > 0:
			continue
		default:
			b = &r.shared
		}
		r.fill(b)
		list = append(list, b)
	}
	return list
}

// newBucket returns the bucket of a name with an index among those of its owner.
func (r *Rates[K]) newBucket(index int) *bucket {
	allowance := float64(allowanceOf(index))
	return &bucket{units: allowance * r.burst, at: r.now(), allowance: allowance}
}

// hasRoom reports whether the table has a place. It drops idle names, whose buckets are as good as new ones.
func (r *Rates[K]) hasRoom() bool {
	if now := r.now(); len(r.of) >= maxNames && now.Sub(r.swept) >= sweepPeriod {
		r.swept = now
		for name, b := range r.of {
			if r.fill(b); b.units >= b.allowance*r.burst {
				delete(r.of, name)
			}
		}
	}
	return len(r.of) < maxNames
}
