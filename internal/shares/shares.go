// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package shares bounds what is under way at the same time, in total and for each client.
package shares

import "sync"

// Shares counts requests, with a bound for all of them and a lower one for each client. It is safe for concurrent use.
type Shares struct {
	most, mostAll int

	mu  sync.Mutex
	of  map[string]int // by client, without zeros
	all int
}

// widerFactor is how much more a wider name of a client may have than the one before it.
const widerFactor = 4

// New returns shares of at most most requests of one client and mostAll of all clients.
func New(most, mostAll int) *Shares {
	return &Shares{of: make(map[string]int), most: most, mostAll: mostAll}
}

// Take counts a request of a client, and reports whether there was room for it. Wider names of the client may follow,
// as the networks of an address: each of them may have widerFactor times as much as the name before it.
func (s *Shares) Take(client string, wider ...string) bool { return s.TakeSome(client, 1, wider...) }

// TakeSome counts n requests of a client, or something else that is under way, if there is room for all of them.
func (s *Shares) TakeSome(client string, n int, wider ...string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of[client]+n > s.most || s.all+n > s.mostAll {
		return false
	}
	most := s.most
	for _, name := range wider {
		if most *= widerFactor; s.of[name]+n > most {
			return false
		}
	}
	s.of[client] += n
	for _, name := range wider {
		s.of[name] += n
	}
	s.all += n
	return true
}

// Give ends a request of a client, for which Take was true with the same names.
func (s *Shares) Give(client string, wider ...string) { s.GiveSome(client, 1, wider...) }

// GiveSome ends what TakeSome has counted.
func (s *Shares) GiveSome(client string, n int, wider ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all -= n
	s.give(client, n)
	for _, name := range wider {
		s.give(name, n)
	}
}

func (s *Shares) give(name string, n int) {
	if s.of[name] -= n; s.of[name] == 0 {
		delete(s.of, name)
	}
}

// Taken returns the number of requests under way, and of the names of their clients.
func (s *Shares) Taken() (requests, clients int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all, len(s.of)
}
