// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"context"
	"errors"
	"sync"
	"time"

	"gwon/consensus/wbft"
	"gwon/core"
)

const (
	retryAfter = time.Second // time between two attempts without a peer
	forNews    = time.Hour   // wait for peers or the next interval
)

// phase is what the syncer does at a time. A step does it and returns the next phase, with the longest time until the
// step of that. News of peers and the end of an interval come earlier.
type phase interface {
	step(ctx context.Context, s *Syncer, interval bool) (next phase, wait time.Duration)
}

// Run follows the proven head until ctx ends.
func (s *Syncer) Run(ctx context.Context) {
	var others sync.WaitGroup
	defer others.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	others.Go(func() { s.scout.run(ctx) })
	others.Go(func() { s.watch(ctx) })
	ticker := time.Tick(s.cfg.Interval)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for now := phase(idle{}); ; {
		interval := false
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-timer.C:
		case <-ticker:
			interval = true
			s.scout.nudge()
		}
		if s.checkpointHolds(ctx) {
			var wait time.Duration
			now, wait = now.step(ctx, s, interval)
			timer.Reset(wait)
		}
	}
}

// idle waits for a proven head above the chain.
type idle struct {
	held  uint64    // a target that waits for its child
	alone uint64    // head above which a single block is missing
	since time.Time // time when that was seen first; zero for never
}

// step begins a sync when two blocks are missing. A single one first gets time to arrive by gossip.
func (p idle) step(_ context.Context, s *Syncer, _ bool) (phase, time.Duration) {
	if s.cfg.States.Pending() {
		return &snapping{began: time.Now()}, 0
	}
	s.declare()
	head, target := s.cfg.Chain.CurrentBlock().Number.Uint64(), s.scout.provenNumber()
	if target <= head || target == p.held {
		return p, forNews
	}
	if target == head+1 {
		if p.since.IsZero() || p.alone != head {
			p.alone, p.since = head, time.Now()
		}
		if left := gossipPatience - time.Since(p.since); left > 0 {
			return p, left
		}
	}
	return following{p, head, target}, 0
}

// following imports the blocks up to a proven one.
type following struct {
	idle         idle
	head, target uint64
}

func (p following) step(ctx context.Context, s *Syncer, _ bool) (phase, time.Duration) {
	switch err := s.follow(ctx, p.head, p.target); {
	case err == nil:
	case errors.Is(err, wbft.ErrHeld):
		p.idle.held = p.target
	case errors.Is(err, errNoSource) && !errors.Is(err, errDropped):
		return p.idle, retryAfter
	case isLasting(err):
		return failed{p.idle, time.Now().Add(lastingPeriod)}, forNews
	default:
		return failed{then: p.idle}, forNews
	}
	return p.idle, forNews
}

// isLasting reports whether no peer mends an error, but another network, program or genesis file.
func isLasting(err error) bool {
	return errors.Is(err, errCutoff) || errors.Is(err, errHalt) && !errors.Is(err, core.ErrMissingCode)
}

// failed waits for an interval to end after some time, because only time can mend the error of the phase before.
type failed struct {
	then  phase
	until time.Time
}

func (p failed) step(_ context.Context, _ *Syncer, interval bool) (phase, time.Duration) {
	if !interval || time.Now().Before(p.until) {
		return p, forNews
	}
	return p.then, 0
}
