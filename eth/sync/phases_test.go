// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/wbft/wbfttest"
	"gwon/eth/session/sessiontest"
	"gwon/internal/expect"
	"gwon/internal/must"
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
			next, wait := c.phase.step(t.Context(), sy, c.interval)
			expect.That(t, next == c.next && wait == c.wait, "%#v after %v, want %#v after %v", next, wait, c.next, c.wait)
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
			p, ok := next.(idle)
			expect.That(t, ok && p.alone == head && wait > 0 && wait <= gossipPatience, "%#v after %v", next, wait)
		})
	}
}

// A sync that fails for a cause that lasts says so once a minute while the chain stands still, however often it begins
// again. The peers of another configuration, dropped one by one, are such a cause.
func TestLastingCauseIsToldOnce(t *testing.T) {
	const end = 40
	net := wbfttest.NewWithEpochs(t, 4, 10)
	origin, _ := net.Chain(t)
	blocks := net.Extend(t, origin, end)
	other := wbfttest.NewWithEpochs(t, 4, 20)
	for name, row := range map[string]struct {
		attempt func(*Syncer)
		want    string // the line
	}{
		"other configuration": {func(s *Syncer) {
			(&sessiontest.Source{Blocks: blocks}).Connect(t, s.cfg.Sessions, s.cfg.Chain)
			following{target: end}.step(t.Context(), s, false)
		}, "Sync started"},
		"no peer": {func(s *Syncer) { following{target: end}.step(t.Context(), s, false) }, "Sync started"},
		"clock":   {func(s *Syncer) { s.end(t.Context(), errClock, false) }, "Sync waits for the clock"},
		"pruned":  {func(s *Syncer) { s.end(t.Context(), errDropped, true) }, "Connected peers have dropped the history"},
		"another": {func(s *Syncer) { s.end(t.Context(), errors.New("broken"), false) }, "Sync failed"},
	} {
		t.Run(name, func(t *testing.T) {
			var text lockedBuffer
			expect.Log(t, log.LogfmtHandler(&text))
			chain, engine := other.Chain(t)
			must.Equal(t, chain.Genesis().Hash(), origin.Genesis().Hash(), "genesis block")
			sy, _ := newTestSyncer(t, chain, engine)
			sy.begin(0, end)
			for range 3 {
				row.attempt(sy)
			}
			expect.Equal(t, strings.Count(text.String(), row.want), 1, "lines at once")
			for line := range sy.told.lines {
				sy.told.lines[line] = time.Now().Add(-lastingPeriod)
			}
			row.attempt(sy)
			expect.Equal(t, strings.Count(text.String(), row.want), 2, "lines after a while")
		})
	}
}
