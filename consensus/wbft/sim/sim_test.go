// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"fmt"
	"testing"
	"time"
)

// run lets time pass and fails the test on a broken promise.
func run(t *testing.T, n *Network, span time.Duration) {
	t.Helper()
	if err := n.Run(span); err != nil {
		t.Fatal(err)
	}
}

// reach lets time pass until all running honest nodes have a height.
func reach(t *testing.T, n *Network, height uint64, span time.Duration) {
	t.Helper()
	err := n.RunUntil(span, fmt.Sprintf("height %d", height), func() bool { return n.MinHeight() >= height })
	if err != nil {
		t.Fatal(err)
	}
}

// TestOneBlockAPeriod: without faults every block is sealed in round 0, one each period (spec wbft 5.7, 6.1).
func TestOneBlockAPeriod(t *testing.T) {
	for _, nodes := range []int{1, 2, 3, 4, 7} {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			n := New(Config{Seed: int64(nodes), Nodes: nodes})
			reach(t, n, 8, 9*time.Second)
			for height := uint64(1); height <= 8; height++ {
				x, err := n.Node(0).Block(height).Header().WBFTExtra()
				if err != nil {
					t.Fatal(err)
				}
				if x.Round != 0 {
					t.Errorf("block %d was sealed in round %d", height, x.Round)
				}
			}
			if len(n.Faults) != 0 {
				t.Errorf("faults reported without any: %v", n.Faults)
			}
		})
	}
}

// TestSameSeedSameRun: a run is a function of its seed.
func TestSameSeedSameRun(t *testing.T) {
	digest := func(seed int64) [32]byte {
		n := New(Config{Seed: seed, Nodes: 4, Drop: 0.1, Duplicate: 0.1, MaxDelay: 800 * time.Millisecond})
		run(t, n, 15*time.Second)
		return n.Digest()
	}
	if first, second := digest(1), digest(1); first != second {
		t.Error("the same seed gave two different runs")
	}
	if digest(1) == digest(2) {
		t.Error("different seeds gave the same run")
	}
}

// TestUnreliableNetwork: with losses, duplicates, reordering, slow execution and skewed clocks no two blocks are
// decided at one height, and the network moves on when the faults stop.
func TestUnreliableNetwork(t *testing.T) {
	for _, nodes := range []int{1, 2, 3, 4, 7} {
		for seed := range int64(2) {
			t.Run(fmt.Sprintf("%d nodes, seed %d", nodes, seed), func(t *testing.T) {
				n := New(Config{
					Seed: seed, Nodes: nodes, Drop: 0.15, Duplicate: 0.1, MaxDelay: 1500 * time.Millisecond,
					MaxSkew: 400 * time.Millisecond, MaxExecution: 200 * time.Millisecond,
				})
				run(t, n, 30*time.Second)
				n.Heal()
				reach(t, n, n.MaxHeight()+3, time.Minute)
			})
		}
	}
}
