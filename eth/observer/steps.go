// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package observer

import (
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/validators"
)

// Steps measures what a validator's round 0 spends its time on. Later rounds last as long as their timeouts.
type Steps struct {
	delay *family[*metrics.Gauge]
	now   func() time.Time

	sequence uint64
	due      time.Time // of the block
	period   time.Duration
	first    common.Address // proposer of round 0

	proposed, prepared, committed time.Time // zero before the step
}

// Observe is wbft.DriverConfig.Observe. The driver's goroutine calls it.
func (s *Steps) Observe(event core.Event, effects []core.Effect) {
	if head, ok := event.(core.NewHead); ok {
		s.head(head)
	}
	for _, effect := range effects {
		switch e := effect.(type) {
		case core.Execute:
			if block := e.Block; block.NumberU64() == s.sequence && block.Coinbase() == s.first {
				s.proposal()
			}
		case core.PersistLock:
			if e.Round == 0 && e.Sequence == s.sequence {
				s.step(prepareTimer, s.proposed, &s.prepared)
			}
		case core.Commit:
			if e.Round == 0 && e.Block.NumberU64() == s.sequence {
				s.step(commitTimer, s.prepared, &s.committed)
			}
		}
	}
}

// head begins the sequence after a head. The same head again changes nothing.
func (s *Steps) head(e core.NewHead) {
	number := e.Header.Number.Uint64()
	if number+1 == s.sequence {
		return
	}
	if number == s.sequence && !s.committed.IsZero() {
		headTimer.Update(s.now().Sub(s.committed))
	}
	s.sequence, s.period = number+1, e.Params.BlockPeriod
	s.due = time.Unix(int64(e.Header.Time), 0).Add(s.period)
	s.first = e.Set.Proposer(e.Params.Policy, validators.LastProposer(e.Header), 0)
	s.proposed, s.prepared, s.committed = time.Time{}, time.Time{}, time.Time{}
}

// proposal records the arrival of the first proposal of round 0. The delay includes the difference of the clocks of
// proposer and receiver: a negative delay proves that they differ.
func (s *Steps) proposal() {
	if !s.proposed.IsZero() {
		return
	}
	s.proposed = s.now()
	delay := s.proposed.Sub(s.due)
	proposalTimer.Update(max(delay, 0))
	s.delay.with(s.first, func(g *metrics.Gauge) { g.Update(delay.Milliseconds()) })
	if delay > s.period/2 {
		lateCounter.Inc(1)
	}
}

// step records that a step is over that began at a time; zero when that is unknown.
func (s *Steps) step(timer *metrics.Timer, began time.Time, over *time.Time) {
	if began.IsZero() || !over.IsZero() {
		return
	}
	*over = s.now()
	timer.Update(over.Sub(began))
}
