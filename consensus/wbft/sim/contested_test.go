// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/internal/scale"
	"gwon/internal/expect"
	"gwon/internal/must"
)

var largeFlag = flag.Bool("sim.large", false,
	"play what takes long too: blocks of 8 MiB among seven validators, all outages, real signatures")

// contestedBlocks is how many blocks a network of contested proposals has to make.
const contestedBlocks = 8

// usual has messages of the network's size while a test runs.
func usual(t *testing.T) {
	t.Helper()
	small := scale.MaxMessage
	scale.MaxMessage = 10 << 20
	t.Cleanup(func() { scale.MaxMessage = small })
}

// offChain returns the blocks of gwon nodes that the network has left: another block of their number has a child.
func offChain(n *Network) (left []string) {
	grown := make(map[uint64]common.Hash) // by number, where a block has a child
	for _, node := range n.nodes {
		for number := uint64(1); number < node.Height(); number++ {
			if grown[number] == (common.Hash{}) {
				grown[number] = node.Block(number).Hash()
			}
		}
	}
	for _, node := range n.nodes {
		if !node.honest() {
			continue
		}
		for number := uint64(1); number <= node.Height(); number++ {
			if hash := node.Block(number).Hash(); grown[number] != (common.Hash{}) && grown[number] != hash {
				left = append(left, fmt.Sprintf("node %d, block %s", node.id, n.name(hash)))
			}
		}
	}
	return left
}

// Validators of gwon share a network with those of releases that differ about a block, and one validator proposes such
// blocks at each of its turns. What gwon calls final is one chain, which the network does not leave. Where every quorum
// needs a validator of gwon, the network goes on.
// spec: wbft 7.3
func TestContestedProposals(t *testing.T) {
	usual(t)
	faults := []string{"window", "oversizer", "wrapper"}
	for i, row := range []struct {
		name   string
		nodes  int
		others []string // releases of the last nodes; "faulty" for the faulty one, an honest one of gwon otherwise
	}{
		{"2+2, faulty beside v1.1.0", 4, []string{"v1.1.0", "faulty"}},
		{"2+2, faulty beside later", 4, []string{"later", "faulty"}},
		{"2+2, faulty beside gwon", 4, []string{"v1.1.0", "later", "faulty"}},
		{"3+1, v1.1.0", 4, []string{"v1.1.0", "faulty"}},
		{"3+1, faulty", 4, []string{"faulty"}},
		{"1+3, v1.1.0", 4, []string{"v1.1.0", "v1.1.0", "faulty"}},
		{"1+3, later", 4, []string{"later", "later", "faulty"}},
		{"4+3, v1.1.0", 7, []string{"v1.1.0", "v1.1.0", "faulty"}},
		{"4+3, later", 7, []string{"later", "later", "faulty"}},
		{"4+3, both", 7, []string{"v1.1.0", "later", "faulty"}},
		{"4+3, faulty beside gwon", 7, []string{"v1.1.0", "later", "later", "faulty"}},
	} {
		for _, fault := range faults {
			if !*largeFlag && fault != faults[i%len(faults)] || !*largeFlag && fault != "wrapper" && row.nodes > 4 {
				continue // blocks of 8 MiB, as often as there are nodes
			}
			t.Run(row.name+"/"+fault, func(t *testing.T) {
				script := []string{fmt.Sprintf("network nodes=%d seed=1", row.nodes)}
				gwon := row.nodes - len(row.others)
				for i, release := range row.others {
					line := fmt.Sprintf("reference %d %s", gwon+i, release)
					if release == "faulty" {
						line = fmt.Sprintf("byzantine %d %s", gwon+i, fault)
					}
					script = append(script, line)
				}
				synctest.Test(t, func(t *testing.T) {
					p := NewPlayer(true)
					defer func() { p.Network().Close() }()
					for _, line := range script {
						must.Do(t, p.Play(line))
					}
					needed := gwon > (row.nodes-1)/3 // all others are fewer than a quorum
					end := fmt.Sprintf("reach %d within 2m", contestedBlocks)
					if !needed {
						end = "run 12s"
					}
					expect.Error(t, p.Play(end), nil, "%s", strings.Join(script, "\n"))
					n := p.Network()
					left := offChain(n)
					expect.That(t, len(left) == 0, "the network has left %v", left)
					proposed := n.Node(row.nodes - 1).Behavior.(*contester).made
					expect.That(t, proposed != 0, "no contested block was proposed")
					t.Logf("%d contested proposals, gwon at %d, the highest at %d", proposed, n.MinHeight(), n.MaxHeight())
				})
			})
		}
	}
}
