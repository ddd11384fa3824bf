// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"time"

	"github.com/ethereum/go-ethereum/metrics"
)

const (
	// shareOfPeriod is the part of a block period that building a block and having it decided should take together. The
	// rest is for what this varies by on machines with too much to do.
	shareOfPeriod = 0.68

	// The bounds of the time for building, as parts of a block period.
	leastShare, mostShare = 0.08, 0.75

	// The bounds of what deciding costs compared with building, and the value that is assumed before anything was
	// measured.
	leastRatio, mostRatio, firstRatio = 0.1, 12, 1.0

	// headroom is the time by which a candidate should be there early.
	headroom = 20 * time.Millisecond
)

var (
	buildBudgetGauge = metrics.NewRegisteredGauge("wbft/build/budget", nil) // ms that the next own block may take to build
	decideTimer      = metrics.NewRegisteredTimer("wbft/decide", nil)       // from the own proposal to the decision
)

// buildPace determines when a proposer starts building and for how long. The proposal has to leave at the block's time,
// and the network has to decide it before the next block is due. A block that takes too long ends in a round change.
// buildPace learns from own proposals only.
type buildPace struct {
	took  time.Duration // to build the last candidates, an average
	ratio float64       // time from an own proposal to its decision for each unit of time that building took, an average

	// The own proposal that waits for its decision; a zero time for none.
	sequence uint64
	sent     time.Time
	built    time.Duration
}

func newBuildPace() *buildPace { return &buildPace{ratio: firstRatio} }

// budget returns the time limit of building.
func (p *buildPace) budget(period time.Duration) time.Duration {
	share := min(max(shareOfPeriod/(1+p.ratio), leastShare), mostShare)
	return time.Duration(share * float64(period))
}

// lead returns how long before the block's time building starts.
func (p *buildPace) lead(period time.Duration) time.Duration {
	return min(p.took+p.took/2, p.budget(period)) + headroom
}

// candidate records the duration of building.
func (p *buildPace) candidate(took time.Duration) {
	if p.took == 0 {
		p.took = took
		return
	}
	p.took = (p.took + took) / 2
}

// proposed records that an own candidate is sent. built is the duration of building.
func (p *buildPace) proposed(sequence uint64, now time.Time, built time.Duration) {
	if p.sent.IsZero() || p.sequence != sequence {
		p.sequence, p.sent, p.built = sequence, now, built
	}
}

// decided records the decision of a sequence, on an own proposal or another one.
func (p *buildPace) decided(sequence uint64, now time.Time, own bool) {
	if p.sent.IsZero() || sequence < p.sequence {
		return
	}
	took, built, missed := now.Sub(p.sent), p.built, sequence > p.sequence
	p.sent = time.Time{}
	if missed {
		return
	}
	ratio := 2 * p.ratio // it was too much
	if own {
		decideTimer.Update(took)
		ratio = float64(took) / float64(max(built, 1))
	}
	if built < 20*time.Millisecond { // too little to tell how the time grows with the size
		return
	}
	p.ratio = (p.ratio + min(max(ratio, leastRatio), mostRatio)) / 2
}
