// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"math"
	"time"
)

// timer is a running timer; id 0 means that none runs.
type timer struct {
	id       uint64
	deadline time.Time
}

const (
	timerKinds = 3
	// watchdogFactor stretches the round timer while a decided block is written. A head that does not come by then
	// will not come by itself.
	watchdogFactor  = 4
	watchdogMinimum = 10 * time.Second
)

// RoundTimeout returns the length of the round timer (spec wbft 5.5): base doubled round times, limited by max; max 0
// means no limit but that of the type.
func RoundTimeout(base, max time.Duration, round uint64) time.Duration {
	t := base
	for ; round > 0; round-- {
		if t > math.MaxInt64/2 {
			t = math.MaxInt64
		} else {
			t *= 2
		}
		if max > 0 && t > max {
			return max
		}
		if t == math.MaxInt64 || t <= 0 {
			break
		}
	}
	return t
}

// roundTimeout is the length of the timer of the current round. Where the network sets no cap the node's own one holds,
// so that a network that stood still needs seconds, not hours, to run again.
func (c *Core) roundTimeout() time.Duration {
	base, limit := c.head.Params.RequestTimeout, c.head.Params.MaxRequestTimeout
	if limit == 0 && c.cfg.DefaultMaxTimeout > 0 {
		limit = max(base, c.cfg.DefaultMaxTimeout)
	}
	return RoundTimeout(base, limit, c.round)
}

func (c *Core) setTimer(kind TimerKind, delay time.Duration) {
	delay = max(delay, 0)
	c.lastTimer++
	c.timers[kind] = timer{id: c.lastTimer, deadline: c.now.Add(delay)}
	c.emit(SetTimer{Kind: kind, ID: c.lastTimer, Delay: delay})
}

func (c *Core) stopTimer(kind TimerKind) { c.timers[kind] = timer{} }

// pace tells how many others are known to be where this node is, which decides how long it stays in a round above 0.
type pace uint8

const (
	alone    pace = iota // no quorum is known in this round or beyond: stay until there is one
	behind               // there is one, but part of it is beyond this round: follow soon
	together             // there is one in this round: the timer of the round runs
)

// startRoundTimer begins the timing of a round and ends the timers of the one before (spec wbft 5.5).
//
// The timer of a round above 0 begins to run when a quorum, this node included, is known to be in it. Without one no decision is
// possible, and a node that went on alone would only put distance between itself and those that it needs: they would have to
// follow through every round, and with capped timers of equal length they might never meet. So of the honest validators at
// least F+1 are within one round of the highest, the F+1 rule brings the others there, and those one round behind the highest
// time out together. While all validators are up the quorum is known as fast as messages travel, and the timers are those of
// the reference.
func (c *Core) startRoundTimer() {
	c.timers, c.hasty = [timerKinds]timer{}, false
	if c.round == 0 {
		c.pace = together
		c.setTimer(RoundTimer, c.turn())
		return
	}
	c.pace = alone
	c.keepPace()
}

// restartRoundTimer starts the timer again for an accepted proposal (spec wbft 5.5), whose justification shows a quorum.
func (c *Core) restartRoundTimer() {
	c.stopTimer(RetryTimer)
	c.stopTimer(ProposalTimer)
	c.pace, c.hasty = together, false
	c.setTimer(RoundTimer, c.roundTimeout())
}

// keepPace starts the timer of a round above 0 once enough is known about the others.
//
// A validator of the reference goes from round to round even when it is alone, so it can be far ahead. If the quorum depends on
// it, this round cannot be decided any more: after the base timeout, in which everybody who can be heard was heard, the others
// follow.
func (c *Core) keepPace() {
	if c.state == Committed || !c.isValidator() {
		return
	}
	here, beyond := 0, 0
	for _, round := range c.latestRounds() {
		if round == c.round {
			here++
		} else if round > c.round {
			beyond++
		}
	}
	switch quorum := c.set().Quorum(); {
	case here >= quorum && c.pace < together:
		c.pace = together
		c.setTimer(RoundTimer, c.turn())
	case here+beyond >= quorum && c.pace < behind:
		c.pace = behind
		c.setTimer(RoundTimer, min(c.head.Params.RequestTimeout, c.roundTimeout()))
	}
}

// roundToCatchUp is where to follow those that are ahead: to the lowest round in which one of them is now, but not so far that
// validators of the reference that are a round behind would drop the ROUND-CHANGE for being beyond their window (spec wbft 5.4).
func (c *Core) roundToCatchUp() uint64 {
	next := c.round + roundWindow - 1
	for _, round := range c.latestRounds() {
		if round > c.round {
			next = min(next, round)
		}
	}
	return next
}

// startWatchdog replaces the round's timer after a commit: the import may take as long as it likes within reason
// (spec wbft 9.2 no. 12), but a block that never arrives must not stop the node for good.
func (c *Core) startWatchdog() {
	c.stopTimer(RetryTimer)
	c.stopTimer(ProposalTimer)
	t := c.roundTimeout()
	if t > math.MaxInt64/watchdogFactor {
		t = math.MaxInt64
	} else {
		t *= watchdogFactor
	}
	c.setTimer(RoundTimer, max(t, watchdogMinimum))
}

// onTimeout handles a timer. An ID that is not the running timer's is from a view that was left (spec wbft 9.2 no. 8).
func (c *Core) onTimeout(id uint64) {
	for kind := range c.timers {
		if id == 0 || c.timers[kind].id != id {
			continue
		}
		c.timers[kind] = timer{}
		switch TimerKind(kind) {
		case RoundTimer:
			c.onRoundTimeout()
		case RetryTimer:
			c.onRetryTimeout()
		case ProposalTimer:
			c.onProposalTimeout()
		}
		return
	}
	c.drop("stale timer")
}
