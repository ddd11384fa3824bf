// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// TestMain has all tests run with small messages, and all but those that say otherwise with cheap signatures. Simulated
// nodes live briefly and have small heaps, so that fewer collections save a sixth of the CPU time.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		*blocksFlag, *soakFlag, *mixedFlag = min(*blocksFlag, 20), min(*soakFlag, soakPart), min(*mixedFlag, 3)
	}
	debug.SetGCPercent(400)
	realSignatures = UseCheapSignatures()
	UseSmallMessages()
	os.Exit(m.Run())
}

// realSignatures ends the use of cheap ones.
var realSignatures func()

// simulate runs a network in a bubble of its own. A broken promise fails the test, with the trace in a file.
func simulate(t *testing.T, cfg Config, f func(t *testing.T, n *Network)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := New(cfg)
		defer n.Close()
		defer func() {
			if n.Failure() != nil && !cfg.Quiet {
				path := filepath.Join(os.TempDir(), fmt.Sprintf("gwon-sim-%s-%d.log", filepath.Base(t.Name()), cfg.Seed))
				if err := os.WriteFile(path, []byte(n.Trace()), 0o600); err == nil {
					t.Logf("what happened: %s", path)
				}
			}
		}()
		f(t, n)
	})
}

// run lets time pass and fails the test on a broken promise.
func run(t *testing.T, n *Network, span time.Duration) {
	t.Helper()
	must.Do(t, n.Run(span))
}

// reach lets time pass until all running honest nodes have a height.
func reach(t *testing.T, n *Network, height uint64, span time.Duration) {
	t.Helper()
	must.Do(t, n.RunUntil(span, fmt.Sprintf("height %d", height), func() bool { return n.MinHeight() >= height }))
}

// TestOneBlockAPeriod: without faults every block is sealed in round 0, one each period (spec wbft 5.7, 6.1).
func TestOneBlockAPeriod(t *testing.T) {
	for _, nodes := range []int{1, 2, 3, 4, 7} {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			simulate(t, Config{Seed: int64(nodes), Nodes: nodes}, func(t *testing.T, n *Network) {
				reach(t, n, 8, 9*time.Second)
				for height := uint64(1); height <= 8; height++ {
					x := must.Get(n.Node(0).Block(height).Header().WBFTExtra())(t)
					expect.Equal(t, x.Round, 0, "block %d was sealed in round", height)
				}
				faults := n.Faults()
				expect.That(t, len(faults) == 0, "faults reported without any: %v", faults)
			})
		})
	}
}

// TestSameSeedSameRun: a run is a function of its seed.
func TestSameSeedSameRun(t *testing.T) {
	digest := func(seed int64) (d [32]byte) {
		simulate(
			t,
			Config{Seed: seed, Nodes: 4, Conditions: Conditions{Drop: 0.1, Duplicate: 0.1, MaxDelay: 800 * time.Millisecond}},
			func(t *testing.T, n *Network) {
				run(t, n, 15*time.Second)
				d = n.Digest()
			},
		)
		return d
	}
	first, second := digest(1), digest(1)
	expect.That(t, first == second, "the same seed gave two different runs")
	expect.That(t, digest(1) != digest(2), "different seeds gave the same run")
}

// TestUnreliableNetwork: with losses, duplicates, reordering, slow execution and skewed clocks no two blocks are
// decided at one height, and the network moves on when the faults stop.
func TestUnreliableNetwork(t *testing.T) {
	for _, nodes := range []int{1, 2, 3, 4, 7} {
		for seed := range int64(2) {
			t.Run(fmt.Sprintf("%d nodes, seed %d", nodes, seed), func(t *testing.T) {
				simulate(t, Config{
					Seed:    seed,
					Nodes:   nodes,
					MaxSkew: 400 * time.Millisecond,
					Conditions: Conditions{
						Drop: 0.15, Duplicate: 0.1, MaxDelay: 1500 * time.Millisecond, MaxExecution: 200 * time.Millisecond,
					},
				}, func(t *testing.T, n *Network) {
					run(t, n, 30*time.Second)
					n.Heal()
					reach(t, n, n.MaxHeight()+3, time.Minute)
				})
			})
		}
	}
}

// TestSameScriptSameRun: so is a random network with everything that goes wrong in it, but where a driver's own timers
// end at one moment: which of them it looks at first is left to chance, as it is in a node.
func TestSameScriptSameRun(t *testing.T) {
	sameRuns := 5 // how often each of them is played
	if testing.Short() {
		sameRuns = 2
	}
	same, different := 0, 0
	for seed := range int64(10) {
		digests := make(map[[32]byte]bool)
		for range sameRuns {
			synctest.Test(t, func(t *testing.T) {
				p := NewPlayer(false)
				defer func() { p.Network().Close() }()
				for _, line := range Generate(seed) {
					if err := p.Play(line); err != nil {
						t.Error(err)
						break
					}
				}
				digests[p.Network().Digest()] = true
			})
		}
		t.Logf("seed %d: %d different runs of %d", seed, len(digests), sameRuns)
		if len(digests) == 1 {
			same++
		} else {
			different++
		}
	}
	if same < 3 { // seven of ten is usual; none would mean that replays are worth nothing
		t.Errorf("%d seeds give one run, %d several", same, different)
	}
}
