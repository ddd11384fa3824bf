// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"gwon/consensus/wbft/validators"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// sealed counts in how many blocks of a range a node has a COMMIT seal, going by the next block of node 0's chain.
func sealed(t *testing.T, n *Network, node int, from, to uint64) int {
	t.Helper()
	count := 0
	for height := from; height < to; height++ {
		x := must.Get(n.Node(0).Block(height + 1).Header().WBFTExtra())(t)
		members := n.members(height)
		list := must.Get(validators.DecodeSealers(x.PrevCommittedSeal.Sealers, len(members)))(t)
		if slices.ContainsFunc(list, func(i int) bool { return members[i] == node }) {
			count++
		}
	}
	return count
}

// lostRounds counts the rounds that a range of blocks on node 0's chain has cost.
func lostRounds(t *testing.T, n *Network, from, to uint64) (lost int) {
	t.Helper()
	for height := from; height < to; height++ {
		x := must.Get(n.Node(0).Block(height).Header().WBFTExtra())(t)
		lost += int(x.Round)
	}
	return lost
}

// TestSealsOfTheUnconnected: a validator that lacks connections with others, or is connected with one alone, seals most
// blocks, whichever client it and its neighbors are, and no round is lost (spec wbft 4.4, 5.8).
func TestSealsOfTheUnconnected(t *testing.T) {
	line := [][2]int{{0, 1}, {0, 3}, {2, 3}} // 0 - 2 - 1 - 3 remains
	for _, test := range []struct {
		name       string
		nodes      int
		references map[int]string
		cut        [][2]int
	}{
		{"a line of both clients", 4, map[int]string{0: "v1.1.0", 1: "v1.1.0"}, line},
		{"a line with the earlier release", 4, map[int]string{0: "v1.0.1", 1: "v1.0.1"}, line},
		{"a line of this client", 4, nil, line},
		{"a link between references", 4, map[int]string{0: "v1.1.0", 1: "v1.1.0"}, [][2]int{{0, 1}}},
		{"a link of both clients", 4, map[int]string{0: "v1.1.0", 1: "v1.1.0"}, [][2]int{{1, 2}}},
		{"a link of this client", 7, nil, [][2]int{{1, 5}}},
		{
			"one neighbor of seven", 7, map[int]string{0: "v1.1.0", 4: "v1.0.1"},
			[][2]int{{0, 1}, {0, 3}, {0, 4}, {0, 5}, {0, 6}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			simulate(t, Config{Seed: 1, Nodes: test.nodes}, func(t *testing.T, n *Network) {
				for i, release := range test.references {
					n.Node(i).Reference = releases[release]
				}
				reach(t, n, 2, 5*time.Second)
				for _, pair := range test.cut {
					n.Cut(n.Node(pair[0]), n.Node(pair[1]))
				}
				const blocks = 120
				reach(t, n, 2+blocks, (blocks+10)*time.Second)
				for i := range test.nodes {
					if got := sealed(t, n, i, 2, 2+blocks); got < blocks*3/4 {
						t.Errorf("node %d has sealed %d of %d blocks", i, got, blocks)
					} else {
						t.Log(fmt.Sprint("node ", i, ": ", got, " of ", blocks))
					}
				}
				expect.Equal(t, lostRounds(t, n, 3, 2+blocks), 0, "rounds lost")
			})
		})
	}
}

// TestRelaysInAFullMesh: where all validators are connected with each other next to nothing is passed on (spec wbft
// 4.4).
func TestRelaysInAFullMesh(t *testing.T) {
	for _, far := range []time.Duration{20 * time.Millisecond, 70 * time.Millisecond} {
		t.Run(fmt.Sprintf("up to %s apart", far), func(t *testing.T) {
			c := Config{Seed: 1, Nodes: 22, Quiet: true, Conditions: Conditions{MaxDelay: far}}
			simulate(t, c, func(t *testing.T, n *Network) {
				reach(t, n, 3, 10*time.Second)
				own, relayed := sentUntil(t, n, 15, 20*time.Second)
				t.Logf("%d own messages, %d relays", own, relayed)
				expect.That(t, relayed*50 <= own, "%d of %d messages were relays, want at most one of fifty", relayed, own+relayed)
			})
		})
	}
}

// sentUntil counts the messages that are sent until all nodes have reached a block: those of their senders, and relays.
func sentUntil(t *testing.T, n *Network, height uint64, limit time.Duration) (own, relayed int) {
	t.Helper()
	var mu sync.Mutex
	n.Intercept = func(from, _ int, code uint64, payload []byte) bool {
		mine := n.Node(from).isOwn(code, payload)
		mu.Lock()
		defer mu.Unlock()
		if mine {
			own++
		} else {
			relayed++
		}
		return true
	}
	reach(t, n, height, limit)
	mu.Lock()
	defer mu.Unlock()
	return own, relayed
}

// TestRoundChangeThatCameTooEarly: a reference that was several blocks behind drops what the others say of their round,
// and their repetitions with it. It joins them all the same when it has caught up (spec wbft 5.4, 9.2 no. 5).
func TestRoundChangeThatCameTooEarly(t *testing.T) {
	for _, release := range releaseNames() {
		for seed := range 4 {
			t.Run(fmt.Sprintf("%s, seed %d", release, seed), func(t *testing.T) {
				expect.Error(t, expect.Err(play(t, []string{
					fmt.Sprintf("network nodes=4 seed=%d", seed), "reference 0 " + release, "reach 2 within 10s",
					"partition 1 2 3 | 0", "until 1 height=5 within 30s", "lose PRE-PREPARE", "until 1 round=4 within 2m",
					"until 2 round=4 within 1s", "crash 3", "now blockdrop=1", "partition 0 1 2 3", "run 5s",
					"lose nothing", "now blockdrop=0", "until 0 round=4 within 8s", "grow within 1m",
				}, true)), nil, "play")
			})
		}
	}
}
