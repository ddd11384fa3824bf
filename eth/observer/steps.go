// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package observer

import (
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
)

// Steps measures what a validator's round 0 spends its time on. Later rounds last as long as their timeouts.
type Steps struct {
	delays *families
	now    func() time.Time

	sequence uint64
	due      time.Time // of the block
	before   time.Time // due of the block before it, whose late votes still come; zero if unknown
	period   time.Duration
	first    common.Address // proposer of round 0

	proposed, prepared, committed time.Time // zero before the step
}

// Observe is wbft.DriverConfig.Observe. The driver's goroutine calls it.
func (s *Steps) Observe(event core.Event, effects []core.Effect) {
	if head, ok := event.(core.NewHead); ok {
		s.head(head)
	}
	_, timeout := event.(core.Timeout)
	for _, effect := range effects {
		switch e := effect.(type) {
		case core.Dropped:
			if timeout {
				staleCounter.Inc(1)
			}
		case core.Relay:
			s.vote(e)
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
	s.before = time.Time{}
	if number == s.sequence {
		s.before = s.due
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
	s.delays.proposalDelay.with(s.first, func(g *metrics.Gauge) { g.Update(delay.Milliseconds()) })
	if delay > s.period/2 {
		lateCounter.Inc(1)
	}
}

// vote records the delay of a vote of another validator in round 0, which is relayed once when it counts. A vote that
// comes before its proposal counts with it.
func (s *Steps) vote(e core.Relay) {
	delays := map[uint64]*family[*metrics.Gauge]{
		messages.CodePrepare: s.delays.prepareDelay, messages.CodeCommit: s.delays.commitDelay,
	}[e.Code]
	due := s.due
	if e.View.Sequence+1 == s.sequence {
		due = s.before
	}
	if delays == nil || e.View.Round > 0 || e.View.Sequence+1 < s.sequence || due.IsZero() {
		return
	}
	delay := s.now().Sub(due)
	delays.with(e.Author, func(g *metrics.Gauge) { g.Update(delay.Milliseconds()) })
}

// step records that a step is over that began at a time; zero when that is unknown.
func (s *Steps) step(timer *metrics.Timer, began time.Time, over *time.Time) {
	if began.IsZero() || !over.IsZero() {
		return
	}
	*over = s.now()
	timer.Update(over.Sub(began))
}
