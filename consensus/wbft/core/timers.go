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

// startRoundTimer starts the round's timer and ends the others (spec wbft 5.5).
func (c *Core) startRoundTimer() {
	c.stopTimer(RetryTimer)
	c.stopTimer(ProposalTimer)
	c.setTimer(RoundTimer, c.roundTimeout())
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
