// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package limit

import (
	"sync"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// Shares counts what is under way, with a bound for all of it and a lower one for each owner. It is safe for concurrent
// use.
type Shares[K comparable] struct {
	most, mostAll int

	mu  sync.Mutex
	of  map[K]int // by name, without zeros
	all int
}

// NewShares returns shares of at most most of one owner and mostAll of all owners.
func NewShares[K comparable](most, mostAll int) *Shares[K] {
	return &Shares[K]{of: make(map[K]int), most: most, mostAll: mostAll}
}

// Take counts n of an owner, and reports whether there was room for all of them.
func (s *Shares[K]) Take(owner []K, n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > s.mostAll-s.all {
		return false
	}
	for i, name := range owner {
		if s.of[name]+n > gethrpc.BoundOf(i, s.most, s.mostAll) {
			return false
		}
	}
	s.count(owner, n)
	return true
}

// Give ends n of an owner, for which Take was true.
func (s *Shares[K]) Give(owner []K, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count(owner, -n)
}

func (s *Shares[K]) count(owner []K, n int) {
	s.all += n
	for _, name := range owner {
		if s.of[name] += n; s.of[name] == 0 {
			delete(s.of, name)
		}
	}
}

// Taken returns how much is under way, and of how many names.
func (s *Shares[K]) Taken() (all, names int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all, len(s.of)
}
