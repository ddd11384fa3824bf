// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gwon/consensus/wbft/messages"
)

// recovery is the longest time from the return of a quorum to the next block, whatever the outage lasted: round 0, and one round
// after another whose proposer is down.
const recovery = 15 * time.Second

// outage is a stay without a quorum. Validators in `up` run through it, in groups that do not hear each other; at its end those in
// `back` return too, the network is healed, and the rest stay down.
type outage struct {
	nodes      int
	references []int
	up         [][]int
	back       []int
	lasts      time.Duration
}

// recover plays an outage and returns the time from its end to the next block.
func (o outage) recover(t *testing.T, seed int64) time.Duration {
	t.Helper()
	n := New(Config{Seed: seed, Nodes: o.nodes})
	for _, i := range o.references {
		n.Node(i).Reference = true
	}
	// The proposers of the next height follow the last one of this: which of them are down must not depend on the seed.
	reach(t, n, 2, 10*time.Second)
	for i := range o.nodes {
		if !slices.ContainsFunc(o.up, func(group []int) bool { return slices.Contains(group, i) }) {
			n.Node(i).Crash()
		}
	}
	n.Partition(o.up...)
	run(t, n, o.lasts)
	height := n.MaxHeight()
	for _, i := range o.back {
		n.Node(i).Restart()
	}
	n.Heal()
	healed := n.Now()
	if err := n.RunUntil(time.Hour, "a block after the outage", func() bool { return n.MaxHeight() > height }); err != nil {
		t.Fatal(err)
	}
	return n.Now() - healed
}

// TestOutages: some validators stay up without a quorum, in one part or several. When a quorum is there again the next
// block is made within recovery, for every division of four and of seven and for some of twenty-two. What is one round ahead
// waits there for the others; nobody is further ahead.
func TestOutages(t *testing.T) {
	var all []outage
	// Four: any one stays up, any other stays down for good, two return; and all divisions of four.
	for front := range 4 {
		for dead := range 4 {
			if front != dead {
				all = append(all, outage{nodes: 4, up: [][]int{{front}}, back: others(4, front, dead), lasts: 10 * time.Minute})
			}
		}
		all = append(all, outage{nodes: 4, up: [][]int{{front}}, back: others(4, front), lasts: 10 * time.Minute})
	}
	for _, up := range [][][]int{{{0, 1}, {2, 3}}, {{0, 2}, {1}, {3}}, {{0}, {1}, {2}, {3}}, {{0, 3}}} {
		all = append(all, outage{nodes: 4, up: up, back: others(4, slices.Concat(up...)...), lasts: 20 * time.Minute})
	}
	all = append(all, outage{nodes: 4, up: [][]int{{0}}, back: []int{1, 2}, lasts: 5 * time.Hour})
	// Seven: one to four stay up, one of the others stays down for good; or up to two, no two of which follow each other.
	for k := 1; k <= 4; k++ {
		for dead := range 7 {
			up := others(7, dead)[:k]
			all = append(all, outage{nodes: 7, up: [][]int{up}, back: others(7, append([]int{dead}, up...)...), lasts: 5 * time.Minute})
		}
	}
	all = append(all,
		outage{nodes: 7, up: [][]int{{0, 1}}, back: []int{2, 4, 5}, lasts: 10 * time.Minute},
		outage{nodes: 7, up: [][]int{{0, 1, 2}, {3, 4, 5, 6}}, lasts: 10 * time.Minute},
		outage{nodes: 7, up: [][]int{{0}, {1, 2}, {3, 4}, {5}, {6}}, lasts: 10 * time.Minute},
	)
	// Twenty-two: up to seven are down for good, every third.
	third := []int{0, 3, 6, 9, 12, 15, 18}
	for _, k := range []int{1, 7, 14} {
		up := others(22, third...)[:k]
		all = append(all, outage{nodes: 22, up: [][]int{up}, back: others(22, append(slices.Clone(third), up...)...), lasts: 2 * time.Minute})
	}
	all = append(all, outage{nodes: 22, up: [][]int{others(22)[:11], others(22)[11:]}, lasts: 2 * time.Minute})
	if testing.Short() {
		all = all[:12]
	}
	for seed, o := range all {
		if took := o.recover(t, int64(seed)); took > recovery {
			t.Errorf("%+v: the next block took %v", o, took)
		}
	}
}

// seeds is how many seeds a test plays; one in short mode.
func seeds(n int64) int64 {
	if testing.Short() {
		return 1
	}
	return n
}

// others are all of n numbers but some.
func others(n int, but ...int) []int {
	var list []int
	for i := range n {
		if !slices.Contains(but, i) {
			list = append(list, i)
		}
	}
	return list
}

// TestOutagesBesideReferences: validators of the reference go from round to round alone, with timers that double without a cap
// (spec wbft 5.5). Those that can be followed are; F+1 validators that follow bring references after them (spec wbft 5.7). The
// bound is the same wherever F+1 of the validators that return, or stay, are not references.
func TestOutagesBesideReferences(t *testing.T) {
	all := []outage{
		// One reference alone in front, needed for the quorum.
		{nodes: 4, references: []int{0}, up: [][]int{{0}}, back: []int{1, 2}, lasts: time.Hour},
		{nodes: 4, references: []int{0}, up: [][]int{{0}}, back: []int{2, 3}, lasts: 10 * time.Hour},
		{nodes: 4, references: []int{3}, up: [][]int{{3}}, back: []int{0, 1}, lasts: time.Hour},
		// Two references in front of two others, and of one.
		{nodes: 4, references: []int{0, 1}, up: [][]int{{0, 1}}, back: []int{2, 3}, lasts: time.Hour},
		{nodes: 4, references: []int{0, 1}, up: [][]int{{0, 1}}, back: []int{2}, lasts: time.Hour},
		{nodes: 4, references: []int{0, 1}, up: [][]int{{0}, {1}, {2, 3}}, lasts: time.Hour},
		// A reference in front, one that returns, and one or two of the others.
		{nodes: 4, references: []int{0, 1}, up: [][]int{{0}}, back: []int{1, 2, 3}, lasts: time.Hour},
		{nodes: 4, references: []int{0, 1}, up: [][]int{{0, 2}}, back: []int{1}, lasts: time.Hour},
		{nodes: 7, references: []int{0, 1, 2}, up: [][]int{{0}, {1, 3}}, back: []int{2, 4, 5}, lasts: time.Hour},
		{nodes: 7, references: []int{0, 1, 2}, up: [][]int{{0}, {1}}, back: []int{3, 4, 6}, lasts: time.Hour},
	}
	if testing.Short() {
		all = all[:5]
	}
	for seed, o := range all {
		took := o.recover(t, int64(seed))
		t.Logf("%+v: %v", o, took)
		if took > recovery {
			t.Errorf("%+v: the next block took %v", o, took)
		}
	}
}

// TestMixedNetwork: references and others make blocks together, with a silent validator among them and without, and nobody honest is
// accused of what the reference does as a matter of course: to repeat a ROUND-CHANGE with another content.
func TestMixedNetwork(t *testing.T) {
	for _, references := range [][]int{{0}, {0, 2}, {1, 2, 3}, {0, 1, 2, 3}} {
		for seed := range seeds(2) {
			t.Run(fmt.Sprint(references, seed), func(t *testing.T) {
				n := New(Config{Seed: seed, Nodes: 4})
				for _, i := range references {
					n.Node(i).Reference = true
				}
				// Some COMMITs are lost, so that rounds end with validators that are prepared in them.
				n.Intercept = func(_, _ int, code uint64, _ []byte) bool { return code != messages.CodeCommit || n.rand.Intn(3) > 0 }
				run(t, n, 20*time.Second)
				n.Heal()
				reach(t, n, n.MaxHeight()+3, time.Minute)
			})
		}
	}
}

// TestMixedNetworkWithAFault: one validator of four is faulty, and one or two of the honest ones are references.
func TestMixedNetworkWithAFault(t *testing.T) {
	faults := []Behaviour{Silent{}, BadSeals{}, InvalidProposer{}, BodySwapper{}}
	for i, fault := range faults {
		n := New(Config{Seed: int64(i), Nodes: 4})
		n.Node(3).Behaviour = fault
		n.Node(0).Reference = true
		n.Node(1).Reference = i%2 == 0
		reach(t, n, 6, time.Minute)
	}
}
