// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"context"
	"time"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/wbft/core"
)

// candidate is a block of this node for one view (spec wbft 6.1): planned, built, and proposed when its time has come.
type candidate struct {
	ctx    context.Context // ends when the candidate is no longer wanted
	cancel context.CancelFunc

	parent *types.Header
	round  uint64
	period time.Duration
	at     time.Time // of the proposal; zero for at once

	executed *gethcore.Executed
	took     time.Duration // of building
}

// abandon ends the work on the candidate, which may be nil.
func (c *candidate) abandon() {
	if c != nil {
		c.cancel()
	}
}

// useful returns the time of building without the transactions that did not enter the block. Other validators execute
// only those in the block.
func (c *candidate) useful() time.Duration { return c.took - c.executed.Wasted }

// BlockTime returns the time at which the child of a head is due in round 0 (spec wbft 6.1). headTime and period are in
// seconds.
func BlockTime(headTime, period uint64) time.Time { return time.Unix(int64(headTime+period), 0) }

// plan replaces the candidate by that of a view whose proposer is this node. Other views have none.
func (d *Driver) plan(ctx context.Context, e core.Build) {
	d.candidate.abandon()
	d.candidate = nil
	number := d.head.Number.Uint64() + 1
	if e.Sequence != number || !e.Proposer {
		return
	}
	config := d.cfg.Engine.config.WBFTAt(number)
	c := &candidate{
		parent: d.head, round: e.Round, period: time.Duration(config.BlockPeriodSeconds) * time.Second,
	}
	c.ctx, c.cancel = context.WithCancel(ctx)
	// In round 0 building ends just at the block's time, so that late seals and the newest transactions are included.
	if e.Round == 0 {
		c.at = BlockTime(d.head.Time, config.BlockPeriodSeconds)
	}
	d.candidate = c
	d.buildInTime(c)
}

// buildInTime starts building at the latest time at which the candidate is ready when due.
func (d *Driver) buildInTime(c *candidate) {
	d.whenWanted(c, c.at.Add(-d.buildPace.lead(c.period)), d.build)
}

// whenWanted continues with a candidate at a time, unless the candidate is abandoned before.
func (d *Driver) whenWanted(c *candidate, at time.Time, next func(context.Context, *candidate)) {
	d.work(func() {
		if d.sleepUntil(c.ctx, at) {
			d.postWanted(c, next)
		}
	})
}

// postWanted continues with a candidate in the goroutine of the driver, unless the candidate is abandoned.
func (d *Driver) postWanted(c *candidate, next func(context.Context, *candidate)) {
	post(c.ctx, d.jobs, func(ctx context.Context) {
		if c == d.candidate && c.ctx.Err() == nil && c.parent.Hash() == d.head.Hash() {
			next(ctx, c)
		}
	})
}

// build gathers the late seals and builds the candidate in the background. Without the key there is nothing to build:
// the header has a signature of it.
func (d *Driver) build(_ context.Context, c *candidate) {
	if keeper := d.keeper(); keeper != nil && keeper.Away() != "" {
		return
	}
	d.cfg.Engine.SetLateSeals(d.lateSeals())
	budget := d.buildPace.budget(c.period)
	buildBudgetGauge.Update(budget.Milliseconds())
	d.work(func() {
		start := time.Now()
		when := d.cfg.Engine.now()
		if c.at.After(when) {
			when = c.at
		}
		timestamp := max(c.parent.Time+uint64(c.period/time.Second), uint64(when.Unix()))
		limit, cancel := context.WithTimeout(c.ctx, budget)
		executed, err := d.cfg.Builder.Build(limit, c.parent, d.address, timestamp)
		cancel()
		buildTimer.UpdateSince(start)
		took := time.Since(start)
		d.postWanted(c, func(ctx context.Context, c *candidate) { d.onBuilt(ctx, c, executed, err, took) })
	})
}

// onBuilt takes a built block. One that is ready much too early is built again, so that it includes newer transactions.
func (d *Driver) onBuilt(
	ctx context.Context, c *candidate, executed *gethcore.Executed, err error, took time.Duration,
) {
	if err != nil {
		log.Error("Block not built", "number", d.head.Number.Uint64()+1, "round", c.round, "err", err)
		return
	}
	c.executed, c.took = executed, took
	d.buildPace.candidate(took)
	switch left := c.at.Sub(d.cfg.Engine.now()); {
	case left > 2*d.buildPace.lead(c.period):
		d.buildInTime(c)
	case left > 0:
		d.whenWanted(c, c.at, d.propose)
	default:
		d.propose(ctx, c)
	}
}

// propose feeds a candidate whose time has come to the core.
func (d *Driver) propose(ctx context.Context, c *candidate) {
	d.hold(c.executed)
	if status := d.Status(); c.round == 0 && status.Round == 0 && status.Proposer == d.address {
		d.buildPace.proposed(c.executed.Block().NumberU64(), time.Now(), c.useful())
	}
	d.step(ctx, core.Candidate{Block: c.executed.Block(), Round: c.round})
}

// sleepUntil waits for a moment; it reports false when ctx ended first.
func (d *Driver) sleepUntil(ctx context.Context, at time.Time) bool {
	timer := time.NewTimer(at.Sub(d.cfg.Engine.now()))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
