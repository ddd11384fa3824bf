// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// Byzantine proposers whose blocks are dear to execute do not stop the chain, whether the blocks are wrong or not. The
// observer holds the network to agreement, and to executions before votes. No honest validator is on probation.
func TestDearProposers(t *testing.T) {
	const span = time.Minute
	for _, c := range []struct {
		behavior  string
		least     uint64 // blocks of the span, of 60 that a network without faults makes
		probation bool
	}{
		{"dearwrong", 30, false}, // canceled each time, so no verdict
		{"dearright", 30, false},
		{"dearintime", 30, false},
		{"dearlie", 45, true}, // refused once, then not executed
	} {
		for _, nodes := range []int{4, 7} {
			t.Run(fmt.Sprintf("%s/%d", c.behavior, nodes), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					script := []string{fmt.Sprintf("network nodes=%d seed=1 execution=50ms", nodes)}
					faulty := (nodes - 1) / 3
					for i := range faulty {
						script = append(script, fmt.Sprintf("byzantine %d %s", 1+2*i, c.behavior))
					}
					p := NewPlayer(true)
					defer func() { p.Network().Close() }()
					for _, line := range append(script, fmt.Sprintf("run %v", span)) {
						must.Do(t, p.Play(line))
					}
					n := p.Network()
					t.Logf("%d blocks, %d probations", n.MinHeight(), n.observer.probations)
					expect.That(t, n.MinHeight() >= c.least, "%d blocks in %v, want %d", n.MinHeight(), span, c.least)
					expect.Equal(t, n.observer.probations > 0, c.probation, "probation")
					for i := range faulty {
						// Those that others have taken to the next round before their verdict begin again each time.
						if once := n.observer.executedOnce(n.nodes[1+2*i]); c.probation && once <= faulty {
							t.Errorf("%d nodes have executed a single block of validator %d, want more than %d", once, 1+2*i, faulty)
						}
					}
					must.Do(t, p.Play("now execution=0s"))
					for i := range faulty {
						must.Do(t, p.Play(fmt.Sprintf("crash %d", 1+2*i)))
					}
					if err := p.Play("reach +3 within 15s"); err != nil { // no queue of executions is left
						t.Error(err)
					}
				})
			})
		}
	}
}

// executedOnce returns the number of honest nodes that have begun the execution of a single block of a proposer.
func (o *observer) executedOnce(proposer *Node) (nodes int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for pair, count := range o.executions {
		if pair[1] == proposer.address && count == 1 {
			nodes++
		}
	}
	return nodes
}
