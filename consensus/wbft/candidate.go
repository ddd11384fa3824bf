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

// blockTime returns the time at which the child of a head is due in round 0 (spec wbft 6.1). headTime and period are in
// seconds.
func blockTime(headTime, period uint64) time.Time { return time.Unix(int64(headTime+period), 0) }

// plan replaces the candidate by that of a view whose proposer is this node. Other views have none.
func (r *run) plan(e core.Build) {
	r.candidate.abandon()
	r.candidate = nil
	number := r.head.Number.Uint64() + 1
	if e.Sequence != number || !e.Proposer {
		return
	}
	config := r.cfg.Engine.config.WBFTAt(number)
	c := &candidate{
		parent: r.head, round: e.Round, period: time.Duration(config.BlockPeriodSeconds) * time.Second,
	}
	c.ctx, c.cancel = context.WithCancel(r.ctx)
	// In round 0 building ends just at the block's time, so that late seals and the newest transactions are included.
	if e.Round == 0 {
		c.at = blockTime(r.head.Time, config.BlockPeriodSeconds)
	}
	r.candidate = c
	r.buildInTime(c)
}

// buildInTime starts building at the latest time at which the candidate is ready when due.
func (r *run) buildInTime(c *candidate) {
	r.whenWanted(c, c.at.Add(-r.driver.buildPace.lead(c.period)), r.build)
}

// whenWanted continues with a candidate at a time, unless the candidate is abandoned before.
func (r *run) whenWanted(c *candidate, at time.Time, next func(*candidate)) {
	r.work(func() {
		if r.sleepUntil(c.ctx, at) {
			r.postWanted(c, next)
		}
	})
}

// postWanted continues with a candidate in the goroutine of the driver, unless the candidate is abandoned.
func (r *run) postWanted(c *candidate, next func(*candidate)) {
	post(c.ctx, r.jobs, func() {
		if c == r.candidate && c.ctx.Err() == nil && c.parent.Hash() == r.head.Hash() {
			next(c)
		}
	})
}

// build gathers the late seals and builds the candidate in the background. Without the key there is nothing to build:
// the header has a signature of it.
func (r *run) build(c *candidate) {
	if keeper := r.driver.keeper(); keeper != nil && keeper.Away() != "" {
		return
	}
	r.cfg.Engine.SetLateSeals(r.lateSeals())
	budget := r.driver.buildPace.budget(c.period)
	buildBudgetGauge.Update(budget.Milliseconds())
	r.work(func() {
		start := time.Now()
		when := r.cfg.Engine.now()
		if c.at.After(when) {
			when = c.at
		}
		timestamp := max(c.parent.Time+uint64(c.period/time.Second), uint64(when.Unix()))
		limit, cancel := context.WithTimeout(c.ctx, budget)
		executed, err := r.cfg.Builder.Build(limit, c.parent, r.driver.address, timestamp)
		cancel()
		buildTimer.UpdateSince(start)
		took := time.Since(start)
		r.postWanted(c, func(c *candidate) { r.onBuilt(c, executed, err, took) })
	})
}

// onBuilt takes a built block. One that is ready much too early is built again, so that it includes newer transactions.
func (r *run) onBuilt(c *candidate, executed *gethcore.Executed, err error, took time.Duration) {
	if err != nil {
		log.Error("Block not built", "number", r.head.Number.Uint64()+1, "round", c.round, "err", err)
		return
	}
	c.executed, c.took = executed, took
	r.driver.buildPace.candidate(took)
	switch left := c.at.Sub(r.cfg.Engine.now()); {
	case left > 2*r.driver.buildPace.lead(c.period):
		r.buildInTime(c)
	case left > 0:
		r.whenWanted(c, c.at, r.propose)
	default:
		r.propose(c)
	}
}

// propose feeds a candidate whose time has come to the core.
func (r *run) propose(c *candidate) {
	r.hold(c.executed)
	if status := r.driver.Status(); c.round == 0 && status.Round == 0 && status.Proposer == r.driver.address {
		r.driver.buildPace.proposed(c.executed.Block().NumberU64(), time.Now(), c.useful())
	}
	r.step(core.Candidate{Block: c.executed.Block(), Round: c.round})
}

// sleepUntil waits for a moment; it reports false when ctx ended first.
func (r *run) sleepUntil(ctx context.Context, at time.Time) bool {
	timer := time.NewTimer(at.Sub(r.cfg.Engine.now()))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
