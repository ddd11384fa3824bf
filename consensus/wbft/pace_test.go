// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"testing"
	"time"

	gethcore "github.com/ethereum/go-ethereum/core"

	"gwon/internal/expect"
)

const second = time.Second

// settle runs own blocks through a buildPace, each as large as it may be, on a network where deciding takes cost times
// as long as building.
func (p *buildPace) settle(blocks int, cost float64) (built, decided time.Duration) {
	now := time.Unix(1, 0)
	for i := range blocks {
		built = p.budget(second)
		decided = time.Duration(cost * float64(built))
		p.candidate(built)
		p.proposed(uint64(i), now, built)
		p.decided(uint64(i), now.Add(decided), true)
		now = now.Add(second)
	}
	return built, decided
}

// Under load blocks become as large as can be built and decided in most of a period, and no larger, whatever deciding
// costs.
func TestPaceSettles(t *testing.T) {
	for _, cost := range []float64{0.2, 1, 3, 8} {
		built, decided := newBuildPace().settle(12, cost)
		if total := (built + decided).Seconds(); total < 0.63 || total > 0.73 {
			t.Errorf("deciding takes %v times as long as building: %v and %v", cost, built, decided)
		}
	}
	built, _ := newBuildPace().settle(20, 1000)
	expect.That(t, built >= 50*time.Millisecond && built <= 100*time.Millisecond, "on a network that is lost: %v", built)
	p := newBuildPace()
	p.settle(12, 8)
	built, _ = p.settle(12, 1)
	expect.That(t, built >= 320*time.Millisecond, "after the load has ended: %v", built)
}

// Proposals of others, small blocks and sequences that were missed say nothing about the own buildPace; an own block
// that the network did not take says that it was too large.
func TestPaceLearnsFromOwnBlocks(t *testing.T) {
	now := time.Unix(1, 0)
	for name, test := range map[string]struct {
		built   time.Duration
		decided uint64
		own     bool
		smaller bool
	}{
		"a small block that took long": {time.Millisecond, 5, true, false},
		"an older sequence":            {400 * time.Millisecond, 4, true, false},
		"a later sequence":             {400 * time.Millisecond, 6, true, false},
		"the block of another one":     {400 * time.Millisecond, 5, false, true},
		"the own block, late":          {400 * time.Millisecond, 5, true, true},
	} {
		p := newBuildPace()
		before := p.budget(second)
		p.proposed(5, now, test.built)
		p.decided(test.decided, now.Add(3*second), test.own)
		smaller := p.budget(second) < before
		expect.That(t, smaller == test.smaller, "%s: budget %v, was %v", name, p.budget(second), before)
	}
	p := newBuildPace()
	p.decided(5, now, true) // nothing was proposed
	expect.Equal(t, p.budget(second), newBuildPace().budget(second), "a decision without an own proposal counts")
}

// Building begins early enough for what the last candidates took, and never earlier than for the largest there may be.
func TestPaceLead(t *testing.T) {
	p := newBuildPace()
	expect.Equal(t, p.lead(second), headroom, "at first")
	p.candidate(100 * time.Millisecond)
	expect.Equal(t, p.lead(second), 150*time.Millisecond+headroom, "after 100 ms")
	for range 10 {
		p.candidate(5 * second)
	}
	expect.Equal(t, p.lead(second), p.budget(second)+headroom, "lead after 5 s")
}

// What a proposer has executed in vain takes no time of others. A buildPace that counted it would find deciding cheap.
func TestWastedTimeIsNotBuilding(t *testing.T) {
	now := time.Unix(1, 0)
	c := candidate{took: 400 * time.Millisecond, executed: &gethcore.Executed{Wasted: 300 * time.Millisecond}}
	p, plain := newBuildPace(), newBuildPace()
	p.proposed(1, now, c.useful())
	plain.proposed(1, now, 100*time.Millisecond)
	for _, each := range []*buildPace{p, plain} {
		each.decided(1, now.Add(200*time.Millisecond), true)
	}
	expect.That(t, p.ratio == plain.ratio, "deciding takes %v times as long as building, want %v", p.ratio, plain.ratio)
}
