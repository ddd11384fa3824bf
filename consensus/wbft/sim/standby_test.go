// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/validators"
	"gwon/internal/must"
)

// TestStandbys: operators replace their validators by hosts with other keys, in sets of both clients. Blocks go on,
// all nodes have the same ones, the new validator proposes and seals whichever client it and the others run, and the
// former one signs nothing until it is in a set again. spec: system-contracts 3.2, wbft 3.4
func TestStandbys(t *testing.T) {
	first, last := *fromFlag, *fromFlag+*mixedFlag/2
	if *seedFlag >= 0 {
		first, last = *seedFlag, *seedFlag+1
	}
	for seed := first; seed < last; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := GenerateStandbys(seed)
			synctest.Test(t, func(t *testing.T) {
				p := NewPlayer(true)
				defer func() { p.Network().Close() }()
				for _, command := range s.Script {
					if err := p.Play(command); errors.Is(err, errScript) {
						t.Fatal(err)
					} else if err != nil {
						t.Fatalf("%v\n%q", err, s.Script)
					}
				}
				for i := range s.Replacements {
					checkReplacement(t, p.Network(), s, i)
				}
				if t.Failed() {
					t.Logf("%q", s.Script)
				}
			})
		})
	}
}

// checkReplacement looks at the blocks from a replacement to the next one.
func checkReplacement(t *testing.T, n *Network, s Standbys, i int) {
	t.Helper()
	change, until := s.Replacements[i], n.MinHeight()
	if i+1 < len(s.Replacements) {
		until = s.Replacements[i+1].Epoch
	}
	standBy, former := n.Node(change.StandBy), n.Node(change.Former)
	proposed, sealed := 0, 0
	for number := change.Epoch + 1; number <= until; number++ {
		header := n.tallest().Block(number).Header()
		if header.Coinbase == standBy.address {
			proposed++
		}
		if slices.Contains(sealersOf(t, n, header), change.StandBy) {
			sealed++
		}
		for _, node := range n.nodes {
			if block := node.Block(number); block == nil || block.Hash() != header.Hash() {
				t.Errorf("node %d has another block %d, or none", node.id, number)
			}
		}
	}
	if proposed == 0 || sealed == 0 {
		t.Errorf("blocks %d to %d: validator %d has proposed %d and sealed %d", change.Epoch+1, until, change.StandBy,
			proposed, sealed)
	}
	n.observer.mu.Lock()
	defer n.observer.mu.Unlock()
	for sequence, said := range n.observer.signed[former.address] {
		if sequence > change.Epoch && sequence <= until && len(said) > 0 {
			t.Errorf("validator %d, which is replaced from block %d on, signs in sequence %d", change.Former,
				change.Epoch+1, sequence)
		}
	}
}

// sealersOf returns the nodes whose COMMITs are in a header.
func sealersOf(t *testing.T, n *Network, header *types.Header) (nodes []int) {
	t.Helper()
	members := n.members(header.Number.Uint64())
	x := must.Get(header.WBFTExtra())(t)
	places := must.Get(validators.DecodeSealers(x.CommittedSeal.Sealers, len(members)))(t)
	for _, place := range places {
		nodes = append(nodes, members[place])
	}
	return nodes
}
