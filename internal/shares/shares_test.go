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
