// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"math"
	"time"

	"gwon/consensus/wbft/messages"
)

// timer is a running timer; id 0 means that none runs.
type timer struct {
	id       uint64
	deadline time.Time
}

const (
	timerKinds = 3

	// watchdogFactor stretches the round timer while a decided block is written, to watchdogMinimum at least.
	watchdogFactor  = 4
	watchdogMinimum = 10 * time.Second
)

// quorumSeen says whether a quorum of validators is known to be in the current round or beyond. It decides how long
// this node stays in a round above 0 (docs/adr/0002-wait-for-quorum-before-climbing.md).
type quorumSeen uint8

const (
	quorumUnknown quorumSeen = iota // no quorum is known in this round or beyond: the timer does not run
	quorumAhead                     // a quorum is known only together with validators beyond this round: follow soon
	quorumHere                      // a quorum is known in this round: its timer runs
)

// timing holds the timers of the current round.
type timing struct {
	timers    [timerKinds]timer
	lastID    uint64
	quorum    quorumSeen
	shortened bool      // the round timer is shortened because the proposer is absent
	full      time.Time // deadline of the round otherwise
}

// stop ends the timer of a kind, which has fired or is stopped by stopTimer.
func (t *timing) stop(kind TimerKind) { t.timers[kind] = timer{} }

// RoundTimeout returns the length of the round timer (spec wbft 5.5): the base doubles with each round, up to a limit.
// Limit 0 leaves only that of the type.
func RoundTimeout(base, limit time.Duration, round uint64) time.Duration {
	t := base
	for ; round > 0; round-- {
		if t > math.MaxInt64/2 {
			t = math.MaxInt64
		} else {
			t *= 2
		}
		if limit > 0 && t > limit {
			return limit
		}
		if t == math.MaxInt64 || t <= 0 {
			break
		}
	}
	return t
}

// roundTimeout returns the length of the timer of the current round. Where the network sets no cap the configured one
// holds, so that a network continues within seconds after an outage of hours.
func (c *Core) roundTimeout() time.Duration {
	base, limit := c.head.Params.RequestTimeout, c.head.Params.MaxRequestTimeout
	if limit == 0 && c.cfg.DefaultMaxTimeout > 0 && !c.cfg.Strict {
		limit = max(base, c.cfg.DefaultMaxTimeout)
	}
	return RoundTimeout(base, limit, c.round)
}

// setTimer starts the timer of a kind. It replaces the running one.
func (c *Core) setTimer(kind TimerKind, delay time.Duration) {
	delay = max(delay, 0)
	c.timing.lastID++
	c.timing.timers[kind] = timer{id: c.timing.lastID, deadline: c.now.Add(delay)}
	c.emit(SetTimer{Kind: kind, ID: c.timing.lastID, Delay: delay})
}

// startRoundTimer begins the timing of a round and ends the timers of the one before (spec wbft 5.5). The timer of a
// round above 0 runs only once a quorum is known to be there, except for a strict core.
func (c *Core) startRoundTimer() {
	c.stopTimers()
	c.timing.shortened = false
	if c.round == 0 || c.cfg.Strict {
		c.timing.quorum = quorumHere
		c.countDown()
		return
	}
	c.timing.quorum = quorumUnknown
	c.noteQuorum()
}

// countDown starts the round timer: the timeout of the protocol (spec wbft 5.5), or the grace of an absent proposer if
// that is shorter.
func (c *Core) countDown() {
	delay := c.roundTimeout()
	grace, absent := c.grace()
	c.timing.full, c.timing.shortened = c.now.Add(delay), absent && grace < delay
	if c.timing.shortened {
		delay = grace
	}
	c.setTimer(RoundTimer, delay)
}

// restartRoundTimer starts the timer again for a proposal (spec wbft 5.5), whose justification shows a quorum.
func (c *Core) restartRoundTimer() {
	c.stopTimer(RetryTimer)
	c.stopTimer(ProposalTimer)
	c.timing.quorum, c.timing.shortened = quorumHere, false
	c.setTimer(RoundTimer, c.roundTimeout())
}

// noteQuorum starts the timer of a round above 0 once a quorum is known there. Where the quorum needs validators that
// are beyond, this round cannot be decided: this node follows after the base timeout.
func (c *Core) noteQuorum() {
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
	case here >= quorum && c.timing.quorum < quorumHere:
		c.timing.quorum = quorumHere
		c.note(Note{Kind: NoteQuorum, Code: messages.CodeRoundChange, Count: here})
		c.countDown()
	case here+beyond >= quorum && c.timing.quorum < quorumAhead:
		c.timing.quorum = quorumAhead
		c.setTimer(RoundTimer, min(c.head.Params.RequestTimeout, c.roundTimeout()))
	}
}

// roundToCatchUp returns the lowest round above the current one in which a validator is known to be. It is within the
// window in which validators of go-stablenet one round behind accept the ROUND-CHANGE (spec wbft 5.4).
func (c *Core) roundToCatchUp() uint64 {
	next := c.round + roundWindow - 1
	for _, round := range c.latestRounds() {
		if round > c.round {
			next = min(next, round)
		}
	}
	return next
}

// startWatchdog replaces the round's timer after a decision. The import of the block may take long (spec wbft 9.2
// no. 12), but a block that never arrives must not stop the node for good.
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

// onTimeout handles a timer. An ID of no running timer belongs to a view that was left (spec wbft 9.2 no. 8).
func (c *Core) onTimeout(id uint64) *rejection {
	for kind := range c.timing.timers {
		if id == 0 || c.timing.timers[kind].id != id {
			continue
		}
		c.timing.stop(TimerKind(kind))
		switch TimerKind(kind) {
		case RoundTimer:
			c.onRoundTimeout()
		case RetryTimer:
			c.onRetryTimeout()
		case ProposalTimer:
			c.onProposalTimeout()
		}
		return nil
	}
	return reject(ordinary, "stale timer")
}
