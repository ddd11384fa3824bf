// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package shares

import "testing"

// One client has its share, all together have the total, and what ends makes room.
func TestBounds(t *testing.T) {
	s := New(2, 3)
	for i, step := range []struct {
		client string
		want   bool
	}{{"a", true}, {"a", true}, {"a", false}, {"b", true}, {"b", false}, {"c", false}} {
		if got := s.Take(step.client); got != step.want {
			t.Errorf("step %d, client %s: %v", i, step.client, got)
		}
	}
	s.Give("a")
	if !s.Take("c") {
		t.Error("no room for what has ended")
	}
	for _, client := range []string{"a", "b", "c"} {
		s.Give(client)
	}
	if requests, clients := s.Taken(); requests != 0 || clients != 0 {
		t.Errorf("%d requests of %d clients are left", requests, clients)
	}
}

// The wider names of a client have bounds of their own, four times that of the name before.
func TestWiderNames(t *testing.T) {
	s := New(1, 100)
	taken := 0
	for i := range 32 {
		if s.Take(string(rune('a'+i)), string(rune('A'+i/8)), "widest") {
			taken++
		}
	}
	if taken != 16 {
		t.Errorf("%d requests of a wide network, want 16", taken)
	}
	if !s.Take("other", "another", "one") {
		t.Error("no room for another network")
	}
	s.Give("a", "A", "widest")
	if !s.Take("new", "N", "widest") || s.Take("newer", "N", "widest") {
		t.Error("what has ended makes no room for one")
	}
}
