// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// maxNames bounds the table of rates. Owners beyond it share one entry.
	maxNames = 1 << 16
	// maxWait is the longest wait that is told. That for a unit at a very low rate has no time.Duration.
	maxWait = 100 * 365 * 24 * time.Hour
	// sweepPeriod is the shortest time between two searches for names that are idle.
	sweepPeriod = time.Second
)

// Rates gives each owner units at a rate. An owner can save up units, and owe them for what it has been given already.
// It is safe for concurrent use.
type Rates[K comparable] struct {
	now func() time.Time

	mu     sync.Mutex
	rate   float64
	burst  int
	of     map[K]*bucket
	shared bucket // of owners beyond the bound
	swept  time.Time
}

// bucket is what one name has.
type bucket struct {
	*rate.Limiter
	allowance int
}

// NewRates returns rates of a number of units a second, of which burst can be saved up. now is the clock.
func NewRates[K comparable](perSecond float64, burst int, now func() time.Time) *Rates[K] {
	r := &Rates[K]{now: now, rate: perSecond, burst: burst, of: make(map[K]*bucket)}
	r.shared = *r.newBucket(0)
	return r
}

// Set changes rate and burst. What owners have saved up or owe stays.
func (r *Rates[K]) Set(perSecond float64, burst int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rate == perSecond && r.burst == burst {
		return
	}
	r.rate, r.burst = perSecond, burst
	r.set(&r.shared)
	for _, b := range r.of {
		r.set(b)
	}
}

func (r *Rates[K]) set(b *bucket) {
	b.SetLimitAt(r.now(), rate.Limit(float64(b.allowance)*r.rate))
	b.SetBurstAt(r.now(), b.allowance*r.burst)
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
	now := r.now()
	for _, b := range buckets {
		seconds := (units - b.TokensAt(now)) / float64(b.Limit())
		longest = max(longest, time.Duration(min(seconds, maxWait.Seconds())*float64(time.Second)))
	}
	return longest
}

// take takes units, also those that the buckets do not have: what was used is paid for.
func (r *Rates[K]) take(buckets []*bucket, units int) {
	now := r.now()
	for _, b := range buckets {
		for left := units; left > 0; left -= b.Burst() {
			b.ReserveN(now, min(left, b.Burst()))
		}
	}
}

// buckets returns those of the names of an owner. When the table is full of busy ones, one bucket is that of all
// further owners.
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
		list = append(list, b)
	}
	return list
}

// newBucket returns the bucket of a name with an index among those of its owner.
func (r *Rates[K]) newBucket(index int) *bucket {
	allowance := allowanceOf(index)
	return &bucket{rate.NewLimiter(rate.Limit(float64(allowance)*r.rate), allowance*r.burst), allowance}
}

// hasRoom reports whether the table has a place. It drops idle names, of which it knows nothing that a new bucket would
// not say.
func (r *Rates[K]) hasRoom() bool {
	if now := r.now(); len(r.of) >= maxNames && now.Sub(r.swept) >= sweepPeriod {
		r.swept = now
		for name, b := range r.of {
			if b.TokensAt(now) >= float64(b.Burst()) {
				delete(r.of, name)
			}
		}
	}
	return len(r.of) < maxNames
}
