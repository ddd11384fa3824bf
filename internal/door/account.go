// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/metrics"
)

// slowAfter is how long a share of what should move, such as bytes of a body, stays as it is when its client is slow.
const slowAfter = time.Second

// ErrDisplaced is the error of what had to leave because its owner has most of a full resource.
var ErrDisplaced = errors.New("the node has no room left, and this client has most of it: try again later, with less")

// Bound is how much of a resource owners may have.
type Bound struct {
	Own int // of the narrowest name of an owner; a wider one may have more
	Sum int // of all owners

	// Moves is set for bytes that should be there for moments. A share that is older than slowAfter then leaves first.
	Moves bool
}

// Account counts what owners have of one resource, by owner and in sum. Above the sum the owner with most loses a share
// to one with less (max-min fairness). It is safe for concurrent use.
type Account struct {
	// Held is the metric of what is counted, Full of what is refused or displaced because all have too much, and Over of
	// what is refused because its owner has too much. They are set before the first use.
	Held       *metrics.Gauge
	Full, Over *metrics.Counter

	bound Bound

	mu     sync.Mutex
	all    int
	of     map[string]int      // by name, without zeros
	shares map[*Share]struct{} // that can be displaced, without empty ones
}

// NewAccount returns an account without metrics that are shown.
func NewAccount(bound Bound) *Account {
	return &Account{bound: bound, of: make(map[string]int), shares: make(map[*Share]struct{}),
		Held: new(metrics.Gauge), Full: new(metrics.Counter), Over: new(metrics.Counter)}
}

// Taken returns how much is counted, and of how many names.
func (a *Account) Taken() (all, names int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.all, len(a.of)
}

// Share is what one request, connection or the like has of a resource. It is safe for concurrent use.
type Share struct {
	account *Account
	owner   Owner
	evict   func()

	n       int       // of the account, whose mutex guards these
	since   time.Time // of the last change
	settled bool      // need not move any more
	ended   bool
}

// Share returns an empty share of an owner. evict is called once at most, without locks, when the share is displaced.
// What it had is counted no more then, and Add fails. A share without evict stays until it is released.
func (a *Account) Share(owner Owner, evict func()) *Share {
	return &Share{account: a, owner: owner, evict: evict}
}

// Add counts n more, or less if it is negative. The error says which bound is reached. Nothing is counted then.
func (s *Share) Add(n int) error {
	a := s.account
	a.mu.Lock()
	evicted, err := a.add(s, n)
	a.mu.Unlock()
	for _, other := range evicted {
		other.evict()
	}
	return err
}

// Settle says that what the share has came to its end, and now stays for a while.
func (s *Share) Settle() {
	s.account.mu.Lock()
	defer s.account.mu.Unlock()
	s.settled = true
}

// Release ends the share. It may be called again.
func (s *Share) Release() {
	a := s.account
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end(s)
}

func (a *Account) add(s *Share, n int) (evicted []*Share, err error) {
	if s.ended {
		return nil, ErrDisplaced
	}
	if n > 0 {
		if err := a.exceeds(s.owner, n); err != nil {
			return nil, err
		}
	}
	for n > 0 && a.all+n > a.bound.Sum {
		largest := a.largest(s, n)
		if largest == nil {
			a.Full.Inc(1)
			return evicted, ErrDisplaced
		}
		a.end(largest)
		a.Full.Inc(1)
		evicted = append(evicted, largest)
	}
	s.since = time.Now()
	s.n += n
	a.count(s.owner, n)
	if s.n > 0 && s.evict != nil {
		a.shares[s] = struct{}{}
	} else {
		delete(a.shares, s)
	}
	return evicted, nil
}

// end takes a share from the account.
func (a *Account) end(s *Share) {
	a.count(s.owner, -s.n)
	s.n, s.ended = 0, true
	delete(a.shares, s)
}

// exceeds returns which bound of an owner n more would exceed, nil for none.
func (a *Account) exceeds(owner Owner, n int) error {
	for i, name := range owner {
		if most := boundOf(i, a.bound.Own, a.bound.Sum); a.of[name]+n > most {
			a.Over.Inc(1)
			return fmt.Errorf("%s has %d of %d that it may have: wait, or ask for less", name, a.of[name], most)
		}
	}
	return nil
}

// largest returns the share that leaves for n more of another one: of the owner with most, which has more than the
// other would have, and there the largest. Of what should move, a slow share leaves before all others.
func (a *Account) largest(taker *Share, n int) (most *Share) {
	own, now := a.has(taker.owner)+n, time.Now()
	var slow bool // most is
	for s := range a.shares {
		if s == taker {
			continue
		}
		isSlow := a.bound.Moves && !s.settled && now.Sub(s.since) >= slowAfter
		if !isSlow && (slow || a.has(s.owner) <= own) {
			continue
		}
		if most == nil || isSlow && !slow || cmp.Or(a.has(s.owner)-a.has(most.owner), s.n-most.n) > 0 {
			most, slow = s, isSlow
		}
	}
	return most
}

// has returns how much an owner has: the most that one of its names has for its allowance.
func (a *Account) has(owner Owner) (most int) {
	for i, name := range owner {
		most = max(most, a.of[name]/allowanceOf(i))
	}
	return most
}

func (a *Account) count(owner Owner, n int) {
	a.all += n
	for _, name := range owner {
		if a.of[name] += n; a.of[name] == 0 {
			delete(a.of, name)
		}
	}
	a.Held.Update(int64(a.all))
}
