// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package observer

import "github.com/ethereum/go-ethereum/metrics"

// Metrics of the newest blocks.
var (
	newestGauge     = metrics.NewRegisteredGauge("gwon/blocks/newest", nil)
	headTimeGauge   = metrics.NewRegisteredGauge("gwon/head/time", nil)
	intervalTimer   = metrics.NewRegisteredTimer("gwon/blocks/interval", nil)
	delayTimer      = metrics.NewRegisteredTimer("gwon/blocks/delay", nil)
	gasUsedCounter  = metrics.NewRegisteredCounter("gwon/blocks/gas/used", nil)
	gasLimitCounter = metrics.NewRegisteredCounter("gwon/blocks/gas/limit", nil)

	transactionsCounter = metrics.NewRegisteredCounter("gwon/blocks/transactions", nil)
	delegatedCounter    = metrics.NewRegisteredCounter("gwon/blocks/delegated/transactions", nil)
	delegatedGasCounter = metrics.NewRegisteredCounter("gwon/blocks/delegated/gas", nil)
	feePayersGauge      = metrics.NewRegisteredGauge("gwon/blocks/delegated/payers", nil)
)

// Metrics of the epoch and of the configuration in force for the next block.
var (
	epochBlockGauge = metrics.NewRegisteredGauge("gwon/epoch/block", nil)
	epochSizeGauge  = metrics.NewRegisteredGauge("gwon/epoch/validators", nil)
	quorumGauge     = metrics.NewRegisteredGauge("gwon/epoch/quorum", nil)
	nextEpochGauge  = metrics.NewRegisteredGauge("gwon/epoch/next/block", nil)
	nextSizeGauge   = metrics.NewRegisteredGauge("gwon/epoch/next/validators", nil)
	joiningGauge    = metrics.NewRegisteredGauge("gwon/epoch/next/joining", nil)
	leavingGauge    = metrics.NewRegisteredGauge("gwon/epoch/next/leaving", nil)
	periodGauge     = metrics.NewRegisteredGauge("gwon/config/period", nil)
	timeoutGauge    = metrics.NewRegisteredGauge("gwon/config/timeout", nil)
)

// Metrics of this node.
var (
	nodeInfo       = metrics.NewRegisteredGaugeInfo("gwon/node/info", nil)
	validatorGauge = metrics.NewRegisteredGauge("gwon/node/validator", nil)
	sealingGauge   = metrics.NewRegisteredGauge("gwon/node/sealing", nil)
	stoppedInfo    = metrics.NewRegisteredGaugeInfo("wbft/stopped", nil)
)

// Metrics of the steps of round 0.
var (
	proposalTimer = metrics.NewRegisteredTimer("wbft/step/proposal", nil)
	prepareTimer  = metrics.NewRegisteredTimer("wbft/step/prepare", nil)
	commitTimer   = metrics.NewRegisteredTimer("wbft/step/commit", nil)
	headTimer     = metrics.NewRegisteredTimer("wbft/step/head", nil)
	staleCounter  = metrics.NewRegisteredCounter("wbft/timers/stale", nil)
	lateCounter   = metrics.NewRegisteredCounter("wbft/proposals/late", nil)
)

// rounds counts blocks by the round that sealed them. The last one counts all later rounds.
var rounds = counters("gwon/blocks/rounds/", "0", "1", "2", "3", "more")

// intervals counts blocks by the seconds since their parent, cumulatively as Prometheus counts buckets.
var (
	intervalBounds = []uint64{1, 2, 3, 5, 10, 30}
	intervals      = counters("gwon/blocks/interval/bucket/", "1", "2", "3", "5", "10", "30", "more")
)

// counters registers a counter for each member of a family.
func counters(prefix string, members ...string) []*metrics.Counter {
	list := make([]*metrics.Counter, len(members))
	for i, member := range members {
		list[i] = metrics.NewRegisteredCounter(prefix+member, nil)
	}
	return list
}

// countInterval adds a block to the histogram of intervals in seconds.
func countInterval(seconds uint64) {
	for i, bound := range intervalBounds {
		if seconds <= bound {
			intervals[i].Inc(1)
		}
	}
	intervals[len(intervalBounds)].Inc(1)
}
