// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// errNoRoom is the error of a share that finds no room.
var errNoRoom = errors.New("no room")

// testDoor is a door with a bound of all owners for each resource, which displaces the largest share that is larger
// than the one that wants more. It notes what it is asked. Zero bounds are none.
type testDoor struct {
	most          [Resources]int
	subscriptions int // of a connection
	refuse        error
	begin         func(context.Context) error

	mu       sync.Mutex
	held     [Resources]map[*testShare]int
	requests int
	calls    []string
	used     time.Duration
	begun    int
	ended    int
}

// setDoor makes a door that of the process for a test.
func setDoor(t *testing.T, d *testDoor) *testDoor {
	t.Helper()
	SetDoor(d)
	t.Cleanup(func() { SetDoor(nil) })
	return d
}

func (d *testDoor) Listen(_ *http.Server, listener net.Listener) net.Listener { return listener }

func (d *testDoor) Request(w http.ResponseWriter, r *http.Request, next http.Handler) {
	d.requests++
	next.ServeHTTP(w, r)
}

func (d *testDoor) Read(_ Owner, message io.Reader, _ func()) ([]byte, func(), error) {
	content, err := io.ReadAll(message)
	return content, func() {}, err
}

func (d *testDoor) OwnerOf(remote string) Owner { return Owner{remote} }

func (d *testDoor) Call(_ context.Context, _ Owner, method string, _ json.RawMessage) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, method)
	return d.refuse
}

func (d *testDoor) Begin(ctx context.Context, _ Owner, _ bool) (Turn, error) {
	if d.begin != nil {
		if err := d.begin(ctx); err != nil {
			return nil, err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begun++
	return &testTurn{door: d, begun: time.Now()}, nil
}

func (d *testDoor) Used(_ Owner, _ string, elapsed time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.used += elapsed
}

func (d *testDoor) Subscribe(_ Owner, have int) error {
	if d.subscriptions > 0 && have >= d.subscriptions {
		return &Refusal{Code: CodeLimit, Text: "as many as are allowed", Reason: "subscriptions"}
	}
	return nil
}

func (*testDoor) Notified(Owner, int) bool { return true }

func (d *testDoor) Share(of Resource, _ Owner, evict func()) Share {
	return &testShare{d, of, evict, false}
}

// waiting returns how many shares of a resource there are, and how much they have.
func (d *testDoor) waiting(of Resource) (shares, all int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, n := range d.held[of] {
		all += n
	}
	return len(d.held[of]), all
}

type testTurn struct {
	door   *testDoor
	begun  time.Time
	paused atomic.Int64 // nanoseconds
}

func (*testTurn) Pause(ctx context.Context, _ bool) error { return context.Cause(ctx) }

func (*testTurn) Help() func() { return func() {} }

func (u *testTurn) Paused() time.Duration { return time.Duration(u.paused.Load()) }

func (u *testTurn) End() (time.Duration, error) {
	u.door.mu.Lock()
	defer u.door.mu.Unlock()
	u.door.ended++
	return time.Since(u.begun), nil
}

type testShare struct {
	door  *testDoor
	of    Resource
	evict func()
	ended bool
}

func (s *testShare) Add(n int) error {
	evicted, err := s.add(n)
	for _, other := range evicted {
		other.evict()
	}
	return err
}

func (s *testShare) add(n int) (evicted []*testShare, err error) {
	d := s.door
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.ended {
		return nil, errNoRoom
	}
	held := d.held[s.of]
	if held == nil {
		held = make(map[*testShare]int)
		d.held[s.of] = held
	}
	all, most := n, d.most[s.of]
	for _, has := range held {
		all += has
	}
	for n > 0 && most > 0 && all > most {
		largest := s
		for other, has := range held {
			if has > held[largest] {
				largest = other
			}
		}
		if largest == s || held[largest] <= held[s]+n {
			return evicted, errNoRoom
		}
		all -= held[largest]
		largest.ended = true
		delete(held, largest)
		evicted = append(evicted, largest)
	}
	if held[s] += n; held[s] == 0 {
		delete(held, s)
	}
	return evicted, nil
}

func (s *testShare) Release() {
	s.door.mu.Lock()
	defer s.door.mu.Unlock()
	s.ended = true
	delete(s.door.held[s.of], s)
}
