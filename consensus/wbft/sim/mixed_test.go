// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"gwon/internal/expect"
	"gwon/internal/must"
)

var mixedFlag = flag.Int64("sim.mixed", defaultMixed, "how many seeds TestMixedSets plays, from sim.from on")

// lostTurns counts the rounds that a block has cost in which the proposer was not one of the absent (spec wbft 3.3).
func lostTurns(t *testing.T, n *Network, height uint64, absent map[int]bool) (lost int) {
	t.Helper()
	node := n.tallest()
	x := must.Get(node.Block(height).Header().WBFTExtra())(t)
	members := n.members(height)
	last := slices.IndexFunc(members, func(i int) bool { return n.Node(i).address == node.Block(height-1).Coinbase() })
	for round := range int(x.Round) {
		turn := last + round
		if n.cfg.Policy == 0 {
			turn++
		}
		if !absent[members[turn%len(members)]] {
			lost++
		}
	}
	return lost
}

// turnBlocks is the length of an orderly fault, in blocks. The turn of the stopped validator comes in each, whichever
// validator proposed before.
const turnBlocks = 8

// playMixed plays a network and returns how many rounds each part of the orderly second half has cost.
func playMixed(t *testing.T, m Mixed, alike bool) (lost []int, broken error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := NewPlayer(true)
		defer func() { p.Network().Close() }()
		play := func(commands []string) {
			for _, command := range commands {
				if broken == nil {
					broken = p.Play(command)
				}
			}
		}
		play(m.Script(alike))
		for _, commands := range m.Turns {
			if play(commands); broken != nil {
				return
			}
			n := p.Network()
			from := n.MaxHeight() + 1
			if play([]string{fmt.Sprintf("reach +%d within 3m", turnBlocks)}); broken != nil {
				return
			}
			rounds := 0
			for height := from; height < from+turnBlocks; height++ {
				rounds += lostTurns(t, n, height, m.Absent)
			}
			lost = append(lost, rounds)
		}
	})
	must.That(t, !errors.Is(broken, errScript), "%v", broken)
	return lost, broken
}

// TestMixedSets: sets of both clients and both releases keep every promise under faults, and lose no round that a set
// of this client alone would not lose under the same faults, where messages arrive in time and at most F are absent.
// The turns of these are lost in any set, and which of them come in a part is luck; all other rounds are compared,
// without a tolerance. Where messages get lost nothing is compared: the two runs differ from the first one on.
// A network that loses no round is not compared: no other one can lose fewer.
func TestMixedSets(t *testing.T) {
	first, last := *fromFlag, *fromFlag+*mixedFlag
	if *seedFlag >= 0 {
		first, last = *seedFlag, *seedFlag+1
	}
	for seed := first; seed < last; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			m := GenerateMixed(seed)
			mixed, broken := playMixed(t, m, false)
			must.That(t, broken == nil, "%v\n%q\n%q", broken, m.Script(false), m.Turns)
			if slices.Max(mixed) == 0 {
				return
			}
			alike, broken := playMixed(t, m, true)
			must.That(t, broken == nil, "this client alone: %v\n%q\n%q", broken, m.Script(true), m.Turns)
			for i := range m.Turns {
				expect.That(t, mixed[i] <= alike[i],
					"part %d %q costs %d rounds, this client alone %d\n%q", i, m.Turns[i], mixed[i], alike[i], m.Script(false))
			}
		})
	}
}
