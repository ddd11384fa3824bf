// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gwon/consensus/wbft/evidence"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// onScript plays commands in a bubble of their own and hands over the network.
func onScript(t *testing.T, script []string, f func(t *testing.T, n *Network)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := NewPlayer(true)
		defer func() { p.Network().Close() }()
		for _, line := range script {
			must.Do(t, p.Play(line))
		}
		f(t, p.Network())
	})
}

// contradicted are networks in which somebody contradicts itself in one of the ways that there is evidence of.
var contradicted = map[evidence.Kind][]string{
	evidence.TwoProposals: {"network nodes=4 seed=1", "byzantine 0 equivocator", "run 20s"},
	evidence.TwoPrepares:  {"network nodes=4 seed=1", "byzantine 0 equivocator", "run 20s"},
	evidence.TwoCommits:   {"network nodes=4 seed=1", "byzantine 0 equivocator", "run 20s"},
	evidence.ForgottenCommit: {
		"network nodes=4 seed=1", "byzantine 0 amnesiac", "lose COMMIT from 1,2,3", "run 20s",
	},
	evidence.TwoRoundChanges: {"network nodes=4 seed=1", "byzantine 0 claimant", "lose COMMIT from 1,2,3", "run 20s"},
}

// Evidence of every kind comes to the disks of honest nodes, and is there after all of them were killed, had a power
// loss, and lost their vote logs (docs/consensus.md, Evidence).
func TestEvidenceIsKept(t *testing.T) {
	for kind, script := range contradicted {
		t.Run(string(kind), func(t *testing.T) {
			onScript(t, script, func(t *testing.T, n *Network) {
				kept, awaited := n.Evidence()
				must.That(t, awaited[kind] != 0 && kept[kind] != 0, "the observer knows of %v, and %v are kept", awaited, kept)
				for i := 1; i < 4; i++ {
					n.Node(i).PowerLoss()
					n.Node(i).LoseLog()
				}
				n.Heal()
				run(t, n, time.Second)
				for i := 1; i < 4; i++ {
					n.Node(i).Restart()
				}
				run(t, n, time.Second)
				again, _ := n.Evidence()
				expect.That(t, again[kind] >= kept[kind], "of %d pairs %d are left", kept[kind], again[kind])
			})
		})
	}
}

// Two nodes that run this client with one key contradict each other, and nothing that they say is proof of intent: a
// restart without a log explains it (spec wbft 5.10).
func TestTwinsAreExplained(t *testing.T) {
	onScript(
		t,
		[]string{"network nodes=5 seed=1 delay=1ms..300ms", "twin 4 of 0", "run 20s"},
		func(t *testing.T, n *Network) {
			if kept, awaited := n.Evidence(); len(kept) == 0 || len(awaited) == 0 {
				t.Errorf("the observer knows of %v, and %v are kept: the twins do not contradict each other here", awaited, kept)
			}
		},
	)
}

// files are those of the evidence of a node.
func files(t *testing.T, n *Network, i int) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(evidence.Directory(n.Node(i).evidenceDir(), n.genesis.Hash()), "*.json"))
	must.That(t, err == nil && len(list) != 0, "%d files: %v", len(list), err)
	return list
}

// The observer notices evidence that is gone, that cannot be read, that says of itself what it does not show, or that
// names somebody honest.
func TestObserverOfEvidence(t *testing.T) {
	replaced := func(old, with string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			content := must.Get(os.ReadFile(path))(t)
			must.That(t, strings.Contains(string(content), old), "%s has no %s", path, old)
			must.Do(t, os.Remove(path))
			path = strings.ReplaceAll(path, old, with)
			must.Do(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(content), old, with)), 0o600))
		}
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, path string)
		wants string
	}{
		"gone": {func(t *testing.T, path string) {
			must.Do(t, os.Remove(path))
		}, "has no evidence of"},
		"not readable": {func(t *testing.T, path string) {
			must.Do(t, os.WriteFile(path, []byte("{"), 0o600))
		}, "not readable"},
		"overstated": {replaced("explainable", "proven"), "keeps as proven what is judged as explainable"},
	} {
		t.Run(name, func(t *testing.T) {
			onScript(t, contradicted[evidence.TwoCommits], func(t *testing.T, n *Network) {
				for _, path := range files(t, n, 1) {
					c.spoil(t, path)
				}
				err := n.Run(time.Second)
				expect.That(t, err != nil && strings.Contains(err.Error(), c.wants), "it does not notice: %v", err)
			})
		})
	}
	for name, c := range map[string]struct {
		reform func(n *Network) // after the fact: what was done is held against somebody who is honest now
		wants  string
	}{
		"against an honest node": {func(n *Network) { n.Node(0).Behavior = nil }, "evidence against honest node 0"},
		"proven against the other client": {func(n *Network) {
			n.Node(0).Behavior, n.Node(0).Reference = nil, releases[liveRelease]
		}, "has it as proven that node 0"},
	} {
		t.Run(name, func(t *testing.T) {
			onScript(
				t,
				[]string{"network nodes=4 seed=1", "byzantine 0 doublesealer", "run 20s"},
				func(t *testing.T, n *Network) {
					c.reform(n)
					n.observer.checkEvidence(n.Node(1))
					err := n.Failure()
					expect.That(t, err != nil && strings.Contains(n.Trace()+err.Error(), c.wants), "it does not notice: %v", err)
				},
			)
		})
	}
}

// The observer notices who signs although its vote log is lost, and who never signs again.
func TestObserverOfLostLogs(t *testing.T) {
	onScript(t, []string{"network nodes=4 seed=1", "reach 2 within 5s"}, func(t *testing.T, n *Network) {
		n.observer.logLost(n.Node(1)) // which it is not
		err := n.Run(5 * time.Second)
		expect.That(t, err != nil && strings.Contains(err.Error(), "node 1 has lost its vote log and sends"),
			"it does not notice who signs: %v", err)
	})
	onScript(
		t,
		[]string{"network nodes=4 seed=1", "reach 2 within 5s", "loselog 0 1", "restart 0 1", "run 2m"},
		func(t *testing.T, n *Network) {
			for i := range 2 {
				expect.That(t, n.Node(i).Waiting(), "node %d does not wait", i)
			}
			expect.That(t, !n.observer.rejoined(), "two of four wait, and are said to sign again")
		},
	)
}

// Who has never sealed keeps its log: nothing tells such a validator that there was one.
func TestLogOfOneThatNeverSealed(t *testing.T) {
	onScript(
		t,
		[]string{"network nodes=4 seed=1", "loselog 1", "restart 1", "reach 2 within 5s"},
		func(t *testing.T, n *Network) {
			if _, lost := n.observer.lost[n.Node(1)]; lost || n.Node(1).Waiting() || !n.Node(1).hasSealed() {
				t.Errorf("lost %t, waits %t, sealed %t", lost, n.Node(1).Waiting(), n.Node(1).hasSealed())
			}
		},
	)
}
