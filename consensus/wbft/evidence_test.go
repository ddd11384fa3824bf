// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// keepEvidence gives the bench a store of evidence.
func (b *bench) keepEvidence() *evidence.Store {
	b.t.Helper()
	store := must.Get(evidence.Open(b.dir, b.chain.Genesis().Hash()))(b.t)
	b.evidence = store
	return store
}

// kept lists what a store holds, in words.
func kept(t *testing.T, store *evidence.Store) (list []string, items []*evidence.Evidence) {
	t.Helper()
	all := must.Get(store.List(evidence.Filter{To: math.MaxUint64, Limit: math.MaxInt, MaxBytes: math.MaxInt64}))(t)
	for _, e := range all.Evidence {
		list = append(list, fmt.Sprintf("%s %s %d.%d", e.Kind, e.Label, e.Sequence, e.Rounds[0]))
	}
	slices.Sort(list)
	return list, all.Evidence
}

// Contradictory messages that the driver is delivered end in the store, judged, with one line each, and are there in
// the next process (spec wbft 9.1 no. 6). The messages go through the state machine as any others do.
func TestContradictionsAreKept(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		store := b.keepEvidence()
		b.start()
		block := b.block(0)
		rival := b.rival(block)
		cheat := b.others()[1]
		b.deliver(b.prePrepare(block, 0))
		junk := b.prepare(cheat, rival, 0)
		twisted := &messages.Prepare{Sequence: 1, Digest: block.Hash(), Seal: junk.Seal}
		b.sign(cheat, twisted)
		lines := logged(b.t, func() {
			b.deliver(b.prePrepare(rival, 0)) // two proposals
			b.deliver(b.prepare(cheat, block, 0), twisted)
			b.deliver(b.commit(cheat, block, 0), b.commit(cheat, rival, 0))
			b.deliver(b.roundChange(cheat, 1, 1)) // knows nothing of the COMMIT
			b.deliver(b.commit(b.others()[2], block, 0), b.commit(b.others()[2], block, 0))
		})
		want := []string{
			"commit explainable 1.0",
			"forgotten-commit explainable 1.0",
			"prepare proven 1.0",
			"proposal explainable 1.0",
		}
		list, items := kept(b.t, store)
		must.That(b.t, slices.Equal(list, want), "kept %q, want %q", list, want)
		for _, e := range items {
			expect.That(b.t, e.Genesis == b.chain.Genesis().Hash() && e.FirstSeen.Equal(time.Now()), "%+v", e)
			if e.Kind != evidence.TwoProposals && e.Validator != cheat {
				b.t.Errorf("%s is against %v", e.Kind, e.Validator)
			}
		}
		expect.Equal(b.t, strings.Count(lines, "Validator misbehavior"), 1, "lines accuse: %s", lines)
		expect.Equal(b.t, strings.Count(lines, "Validator contradicted itself"), 3,
			"lines tell of what is explainable: %s", lines)
		b.driver.Stop()
		again, _ := kept(b.t, b.keepEvidence())
		expect.Slice(b.t, again, want, "after a restart")
		// The same again is nothing new: the store says so, whatever process hears it.
		b.start()
		lines = logged(b.t, func() { b.deliver(b.prepare(cheat, block, 0), b.prepare(cheat, rival, 0)) })
		expect.That(b.t, !strings.Contains(lines, "Validator"), "said again: %s", lines)
	})
}

// A step that waits for a signer while its node stops notes a contradiction, which is kept all the same.
func TestContradictionOfTheLastStepIsKept(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		store, stopped := b.keepEvidence(), make(chan struct{})
		b.observe = func(_ core.Event, effects []core.Effect) {
			for _, e := range effects {
				if _, accuses := e.(core.Misbehavior); accuses {
					go func() {
						b.driver.Stop()
						close(stopped)
					}()
					synctest.Wait() // all but this step has ended
				}
			}
		}
		b.start()
		block, cheat := b.block(0), b.others()[1]
		b.deliver(b.prePrepare(block, 0), b.prepare(cheat, block, 0))
		second := b.prepare(cheat, b.rival(block), 0)
		b.driver.Deliver(second.Code(), second.Encode(), cheat)
		<-stopped
		list, _ := kept(b.t, store)
		expect.Slice(b.t, list, []string{"prepare explainable 1.0"}, "kept")
	})
}

// A validator that another key, or a vote of another chain, accuses is accused of nothing.
func TestNobodyElseIsAccused(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		store := b.keepEvidence()
		b.start()
		block := b.block(0)
		victim, cheat := b.others()[1], b.others()[2]
		b.deliver(b.prePrepare(block, 0), b.prepare(victim, block, 0))
		forged := b.prepare(cheat, b.rival(block), 0) // says nothing about the victim, although the victim delivers it
		b.driver.Deliver(forged.Code(), forged.Encode(), victim)
		b.wait()
		foreign := b.variant(block, func(h *types.Header, _ *types.WBFTExtra) { h.ParentHash = common.Hash{1} })
		b.deliver(b.prePrepare(foreign, 0))
		list, _ := kept(b.t, store)
		expect.That(b.t, len(list) == 0, "kept %q", list)
	})
}
