// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"testing"
	"time"

	"gwon/eth/session/sessiontest"
)

// A sync begins when two blocks are missing, or one for a while. A target that waits for its child does not begin one
// again, and an error of the phase before waits for the next interval.
func TestPhases(t *testing.T) {
	const head = 3
	now := time.Now()
	before := now.Add(-gossipPatience)
	idleAt := idle{held: 1, alone: head, since: before}
	for _, c := range []struct {
		name     string
		phase    phase
		proven   uint64
		interval bool
		next     phase
		wait     time.Duration
	}{
		{"nothing is missing", idle{}, 0, false, idle{}, forNews},
		{"one block has been missing for a while", idleAt, head + 1, false, following{idleAt, head, head + 1}, 0},
		{"two blocks are missing", idle{}, head + 2, false, following{idle{}, head, head + 2}, 0},
		{"the target waits for its child", idle{held: head + 2}, head + 2, false, idle{held: head + 2}, forNews},
		{"the child is there", idle{held: head + 1}, head + 2, false, following{idle{held: head + 1}, head, head + 2}, 0},
		{"no peer has the blocks", following{idleAt, head, head + 2}, head + 2, false, idleAt, retryAfter},
		{"news after an error", failed{then: idleAt}, head + 2, false, failed{then: idleAt}, forNews},
		{"an interval after an error", failed{then: idleAt}, head + 2, true, idleAt, 0},
		{"an interval after a lasting error", failed{idleAt, now.Add(time.Hour)}, head + 2, true,
			failed{idleAt, now.Add(time.Hour)}, forNews},
		{"a state is no longer missing", new(snapping), head + 2, false, idle{}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, sy, _, _ := upToDate(t, head)
			if c.proven > 0 {
				sy.scout.prove(sessiontest.Junk(c.proven, 1).Header())
			}
			if next, wait := c.phase.step(t.Context(), sy, c.interval); next != c.next || wait != c.wait {
				t.Errorf("%#v after %v, want %#v after %v", next, wait, c.next, c.wait)
			}
		})
	}
}

// A single missing block gets time to arrive by gossip, again after each new head.
func TestSingleBlockWaitsForGossip(t *testing.T) {
	const head = 3
	_, sy, _, _ := upToDate(t, head)
	sy.scout.prove(sessiontest.Junk(head+1, 1).Header())
	for name, before := range map[string]idle{
		"seen first": {}, "seen at an earlier head": {alone: head - 1, since: time.Now().Add(-time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			next, wait := before.step(t.Context(), sy, false)
			if p, ok := next.(idle); !ok || p.alone != head || wait <= 0 || wait > gossipPatience {
				t.Errorf("%#v after %v", next, wait)
			}
		})
	}
}
