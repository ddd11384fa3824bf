// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"fmt"
	"testing"
	"time"

	"gwon/consensus/wbft/messages"
)

// futureClaimer proposes nothing in round 0, and tells each reference in its ROUND-CHANGEs that it is prepared in a
// round to come. Validators of this client take no such claim.
type futureClaimer struct{ honest }

func (futureClaimer) send(n *raw, to *Node, m said) []Wire {
	if m.Code() == messages.CodePrePrepare && m.View().Round == 0 {
		return nil
	}
	change, ok := m.Message.(*messages.RoundChange)
	if !ok || to.Reference == nil {
		return m.wire()
	}
	lie := new(messages.RoundChange)
	lie.Sequence, lie.Round = change.Sequence, change.Round
	lie.Prepared = &messages.PreparedClaim{Round: change.Round + 7, Digest: n.chain.head().Hash()}
	return n.wire(lie)
}

// lateForger is a forger that proposes nothing in round 0, so that there are round changes to forge in.
type lateForger struct{ forger }

func (l lateForger) send(n *raw, to *Node, m said) []Wire {
	if m.Code() == messages.CodePrePrepare && m.View().Round == 0 {
		return nil
	}
	return l.forger.send(n, to, m)
}

// TestReferenceThatPassesALieOn: a reference whose turn follows that of a faulty validator proposes what that one has
// made up, as far as its release does. That costs these turns and no others: what is refused does not silence the
// reference.
// spec: wbft 5.7, 5.9, 9.1 no. 2
func TestReferenceThatPassesALieOn(t *testing.T) {
	for _, test := range []struct {
		name, release string
		faulty        Behavior
		turns         int // that each turn of the faulty validator costs
	}{
		{"a claim of a later round", "v1.0.1", futureClaimer{}, 1},
		{"a claim of a later round", "v1.1.0", futureClaimer{}, 1},
		{"a forged certificate", "v1.0.1", lateForger{}, 2},
		{"a forged certificate", "v1.1.0", lateForger{}, 1},
	} {
		for seed := range int64(2) {
			t.Run(fmt.Sprintf("%s, %s, seed %d", test.name, test.release, seed), func(t *testing.T) {
				simulate(t, Config{Seed: seed, Nodes: 4}, func(t *testing.T, n *Network) {
					n.Node(1).Reference = releases[test.release]
					n.Node(0).Behavior = test.faulty
					const blocks = 60
					reach(t, n, blocks, 10*time.Minute)
					own := 0 // turns of the faulty validator: those that follow a block of validator 3
					for height := uint64(1); height < blocks; height++ {
						if height == 1 || n.Node(2).Block(height-1).Coinbase() == n.Node(3).address {
							own++
						}
					}
					if lost := lostRounds(t, n, 1, blocks); lost > own*test.turns {
						t.Errorf("%d rounds were lost to %d turns of the faulty validator, want at most %d", lost, own, own*test.turns)
					} else {
						t.Logf("%d rounds, %d turns, %v", lost, own, n.Now())
					}
				})
			})
		}
	}
}
