// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"testing"
	"time"

	"gwon/consensus/wbft/messages"
)

var seedsFlag = flag.Int64("sim.seeds", 24, "how many seeds the property test runs")

// TestAnyFaults draws networks, faults and their times from a seed. At most F validators are Byzantine or lose their
// vote log; all others may crash at any moment, in the middle of a step too. Whatever happens, safety holds; when the
// faults stop, the chain goes on. GWON_SIM_SEED runs a single seed.
func TestAnyFaults(t *testing.T) {
	first, last := int64(0), *seedsFlag
	if testing.Short() {
		last = min(last, 10)
	}
	if s := os.Getenv("GWON_SIM_SEED"); s != "" {
		seed, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		first, last = seed, seed+1
	}
	for seed := first; seed < last; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { anyFaults(t, seed) })
	}
}

func anyFaults(t *testing.T, seed int64) {
	r := rand.New(rand.NewSource(seed))
	size := []int{1, 2, 3, 4, 4, 4, 5, 7}[r.Intn(8)]
	n := New(Config{
		Seed:         seed,
		Nodes:        size,
		Policy:       uint64(r.Intn(2)),
		Drop:         []float64{0, 0.05, 0.2}[r.Intn(3)],
		BlockDrop:    []float64{0, 0.2, 0.9}[r.Intn(3)],
		Duplicate:    []float64{0, 0.1}[r.Intn(2)],
		MaxDelay:     []time.Duration{20, 300, 1500, 4000}[r.Intn(4)] * time.Millisecond,
		MaxSkew:      []time.Duration{0, 100, 600}[r.Intn(3)] * time.Millisecond,
		MaxExecution: []time.Duration{0, 50, 500}[r.Intn(3)] * time.Millisecond,
	})
	faulty := (size - 1) / 3
	for i := range r.Intn(faulty + 1) {
		node := n.Node(r.Intn(size))
		switch r.Intn(10) {
		case 0:
			node.Behaviour = Silent{}
		case 1:
			node.Behaviour = BadSeals{}
		case 2, 3:
			node.Behaviour = &Equivocator{}
		case 4:
			node.Behaviour = Forger{}
		case 5:
			node.Behaviour = InvalidProposer{}
		case 6, 7:
			node.Behaviour = BodySwapper{}
		case 8:
			node.Logged = false
		case 9:
			node.Behaviour = Runner{}
		}
		t.Logf("fault %d: node %d: %T, log kept %v", i, node.id, node.Behaviour, node.Logged)
	}
	if r.Intn(2) == 0 {
		// Most decisions are seen by few: what others then do about the same height is where a fork would come from.
		lost := 0.5 + r.Float64()/2
		n.Intercept = func(_, _ int, code uint64, _ []byte) bool {
			return code != messages.CodeCommit || r.Float64() >= lost
		}
	}
	const faultTime = 25 * time.Second
	for range r.Intn(6) {
		node, at := n.Node(r.Intn(size)), time.Duration(r.Int63n(int64(faultTime)))
		down := time.Duration(r.Int63n(int64(8 * time.Second)))
		if r.Intn(2) == 0 {
			n.After(at, node.Crash)
		} else {
			effects := 1 + r.Intn(20)
			n.After(at, func() { node.CrashAfter = effects })
		}
		n.After(at+down, node.Restart)
	}
	for range r.Intn(3) {
		at := time.Duration(r.Int63n(int64(faultTime)))
		var left, right []int
		for i := range size {
			if r.Intn(2) == 0 {
				left = append(left, i)
			} else {
				right = append(right, i)
			}
		}
		n.After(at, func() { n.Partition(left, right) })
	}
	run(t, n, faultTime)
	n.Heal()
	for i := range size {
		n.Node(i).CrashAfter = 0
		n.Node(i).Restart()
	}
	run(t, n, 10*time.Second) // restarts still scheduled
	reach(t, n, n.MaxHeight()+3, 2*time.Minute)
}

// TestOneFaultyOfFour: with one faulty validator of four the other three meet in a round again after any disorder, whatever that
// one does, and soon: what the cap of the round timer and the wait for a quorum have to achieve together.
func TestOneFaultyOfFour(t *testing.T) {
	count := *seedsFlag
	if testing.Short() {
		count = min(count, 8)
	}
	for seed := range count {
		r := rand.New(rand.NewSource(seed))
		n := New(Config{Seed: seed, Nodes: 4, MaxDelay: []time.Duration{20, 1500, 6000}[r.Intn(3)] * time.Millisecond, Drop: 0.3})
		n.Node(r.Intn(4)).Behaviour = []Behaviour{Silent{}, Runner{}, Runner{}, Forger{}, BodySwapper{}}[r.Intn(5)]
		for range 3 {
			left := r.Intn(4)
			n.After(time.Duration(r.Int63n(int64(time.Minute))), func() { n.Partition([]int{left}, others(4, left)) })
			n.After(time.Duration(r.Int63n(int64(time.Minute))), func() { n.Partition([]int{left, (left + 1) % 4}, others(4, left, (left+1)%4)) })
		}
		run(t, n, time.Minute)
		n.Heal()
		reach(t, n, n.MaxHeight()+1, 40*time.Second)
	}
}
