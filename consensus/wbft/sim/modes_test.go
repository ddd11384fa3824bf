// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"flag"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/sim/modes"
	"gwon/internal/expect"
	"gwon/internal/must"
)

var blocksFlag = flag.Uint64("sim.blocks", 60, "how many blocks TestByzantineModes makes beside each faulty validator")

// modeEpoch is the length of an epoch in blocks: epoch information is wrong in some modes.
const modeEpoch = 7

// One of four validators breaks the rules in a mode all the while. The others make their blocks, and the observer holds
// them to all promises: one chain, every block valid, no honest validator accused, blamed or halted.
func TestByzantineModes(t *testing.T) {
	for _, name := range append(modes.Names(), modes.Every) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := New(Config{Nodes: 5, Seed: 1, Quiet: true, Epoch: modeEpoch, Followers: map[int]bool{4: true}})
				defer n.Close()
				n.Node(3).Behavior = &named{name: name}
				begun := time.Now()
				// The faulty validator can waste its turn of each four, for the timeout of round 0 and some more.
				span := time.Duration(*blocksFlag) * 2 * time.Second
				must.Do(t, n.RunUntil(span, "its blocks", func() bool { return n.MinHeight() >= *blocksFlag }))
				rounds, most, proposed := 0, uint32(0), 0
				for number := uint64(1); number <= *blocksFlag; number++ {
					block := n.Node(0).Block(number)
					x := must.Get(block.Header().WBFTExtra())(t)
					if x.Round > 0 {
						rounds++
					}
					most = max(most, x.Round)
					if block.Coinbase() == n.Node(3).address {
						proposed++
					}
				}
				t.Logf("%d blocks in %v, %d above round 0, the highest %d, %d of the faulty validator, faults %v, %d "+
					"deliveries blamed", *blocksFlag, time.Since(begun), rounds, most, proposed, n.Faults(), n.BadDeliveries())
			})
		})
	}
}

// A validator that floods the others with small messages costs each of them at most as many as an honest one may have,
// and their blocks come as with a silent one. What go-stablenet relays of a flood is never held against it: the
// observer fails when a message of a node that keeps the rules is refused. spec: wbft 9.3 no. 1
func TestFloodCostsNoMoreThanSilence(t *testing.T) {
	const flooder = 3
	span := 40 * time.Second
	if testing.Short() {
		span /= 2
	}
	for _, neighbors := range [][]int{nil, {1}, {1, 2}} { // of go-stablenet
		blocks := func(t *testing.T, b Behavior) (height uint64) {
			synctest.Test(t, func(t *testing.T) {
				n := New(Config{Nodes: 4, Seed: 1, Quiet: true})
				defer n.Close()
				for _, i := range neighbors {
					n.Node(i).Reference = releases[liveRelease]
				}
				n.Node(flooder).Behavior = b
				must.Do(t, n.Run(span))
				height = n.MinHeight()
				burst, each := messages.Allowance(4)
				got, most := n.Node(0).participant.(*process).accepted[flooder], burst+int(span/each)
				expect.That(t, got <= most, "%d messages of the flood were examined, at most %d are paid for", got, most)
				t.Logf("%d blocks, %d messages of %d", height, got, most)
			})
			return height
		}
		t.Run(fmt.Sprintf("beside %d relayers", len(neighbors)), func(t *testing.T) {
			silent := blocks(t, silent{})
			for _, name := range []string{"future", "storm", "far"} {
				t.Run(name, func(t *testing.T) {
					height := blocks(t, &named{name: name})
					expect.That(t, height >= silent, "%d blocks, %d beside a silent validator", height, silent)
				})
			}
		})
	}
}
