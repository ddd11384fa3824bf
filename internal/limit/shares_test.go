// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package limit

import (
	"fmt"
	"testing"
)

// One client has its share, all together have the total, and what ends makes room.
func TestBounds(t *testing.T) {
	s := NewShares[string](2, 3)
	for i, step := range []struct {
		client string
		want   bool
	}{{"a", true}, {"a", true}, {"a", false}, {"b", true}, {"b", false}, {"c", false}} {
		if got := s.Take([]string{step.client}, 1); got != step.want {
			t.Errorf("step %d, client %s: %v", i, step.client, got)
		}
	}
	s.Give([]string{"a"}, 1)
	if !s.Take([]string{"c"}, 1) {
		t.Error("no room for what has ended")
	}
	for _, client := range []string{"a", "b", "c"} {
		s.Give([]string{client}, 1)
	}
	if all, names := s.Taken(); all != 0 || names != 0 {
		t.Errorf("%d requests of %d clients are left", all, names)
	}
}

// The wider names of a client have bounds of their own, four times that of the name before.
func TestWiderNames(t *testing.T) {
	s := NewShares[string](1, 100)
	taken := 0
	for i := range 32 {
		if s.Take([]string{string(rune('a' + i)), string(rune('A' + i/8)), "widest"}, 1) {
			taken++
		}
	}
	if taken != 16 {
		t.Errorf("%d requests of a wide network, want 16", taken)
	}
	if !s.Take([]string{"other", "another", "one"}, 1) {
		t.Error("no room for another network")
	}
	s.Give([]string{"a", "A", "widest"}, 1)
	if !s.Take([]string{"new", "N", "widest"}, 1) || s.Take([]string{"newer", "N", "widest"}, 1) {
		t.Error("what has ended makes no room for one")
	}
}

// The owners of one wide name leave half of all to others, however many they are.
func TestWideNameLeavesHalf(t *testing.T) {
	s := NewShares[string](2, 32)
	taken := 0
	for i := range 32 {
		if s.Take([]string{fmt.Sprint("address ", i), fmt.Sprint("household ", i/4), "organization"}, 1) {
			taken++
		}
	}
	if taken != 16 {
		t.Errorf("one wide name has %d of 32, want 16", taken)
	}
	if !s.Take([]string{"other", "another", "one"}, 2) {
		t.Error("no room for another network")
	}
}
