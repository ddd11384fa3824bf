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

// startRoundTimer starts the timer of a round that begins and ends the others (spec wbft 5.5).
//
// The cap holds only once a quorum is known to be in this round or beyond. Timers of equal length would keep a node
// that is ahead of the others ahead for ever; without the cap it waits for them instead, and they, having a quorum
// before them, come up to it in capped steps. As long as the doubled timer is below the cap there is no difference.
func (c *Core) startRoundTimer() {
	c.stopTimer(RetryTimer)
	c.stopTimer(ProposalTimer)
	timeout := c.roundTimeout()
	if full := RoundTimeout(c.head.Params.RequestTimeout, 0, c.round); full > timeout && !c.inCompany() {
		c.waiting = true
		timeout = full
	} else {
		c.waiting = false
	}
	c.setTimer(RoundTimer, timeout)
}

// restartRoundTimer starts the timer again for an accepted proposal (spec wbft 5.5), whose justification shows a quorum.
func (c *Core) restartRoundTimer() {
	c.stopTimer(RetryTimer)
	c.stopTimer(ProposalTimer)
	c.waiting = false
	c.setTimer(RoundTimer, c.roundTimeout())
}

// hasten puts the cap into force when a quorum has come up to this round.
func (c *Core) hasten() {
	if c.waiting && c.inCompany() {
		c.waiting = false
		c.setTimer(RoundTimer, c.roundTimeout())
	}
}

// inCompany tells whether a quorum of validators, this node included, is known to be in the current round or beyond.
func (c *Core) inCompany() bool {
	if c.round == 0 {
		return true
	}
	senders, _ := c.roundsFrom(c.round)
	return senders >= c.set().Quorum()
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
