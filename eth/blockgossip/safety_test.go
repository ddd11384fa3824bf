// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package blockgossip

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/wbfttest"
	"gwon/core"
	"gwon/eth/session/sessiontest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// A reorganization below the final block is refused by the chain, and whichever way it was tried it is a violation,
// reported once for each block; any other refusal of a sealed block is a halt (spec wbft 7.5).
func TestRefusedBlocks(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, engine := net.Chain(t)
	foreign := net.Seal(t, chain, net.Build(t, chain, 1), 1)
	net.Extend(t, chain, 2)
	chain.MarkFinal(chain.CurrentBlock())
	head := chain.CurrentBlock().Hash()

	o := sessiontest.NewOutcome()
	s := NewSafety(chain, engine, o.Halt, o.Violate)
	var watched []string
	s.Watch(func(number uint64, rule error) { watched = append(watched, fmt.Sprint(number, " ", rule)) })
	_, err := chain.InsertChain(types.Blocks{foreign})
	must.That(t, errors.Is(err, gethcore.ErrFinalReorg) && chain.CurrentBlock().Hash() == head,
		"import of a second first block: %v; the head has changed: %v", err, chain.CurrentBlock().Hash() != head)
	s.Refused(foreign, fmt.Errorf("import: %w", err))
	s.Refused(foreign, err)
	expect.Error(t, s.Conflict(foreign.Header()), nil, "Conflict")
	must.That(t, len(o.Violated) == 1 && len(o.Halted) == 0,
		"%d violations, %d other halts, want 1 and 0", len(o.Violated), len(o.Halted))
	reason := <-o.Violated
	expect.That(t, strings.Contains(reason, foreign.Hash().String()) && strings.Contains(reason, "safety violation"),
		"reported as %q", reason)
	s.Refused(foreign, fmt.Errorf("import: %w", core.ErrMissingCode))
	expect.Equal(t, len(o.Violated)+len(o.Halted), 0, "code that is missing here is held against the network")
	s.Refused(foreign, wbft.ErrOversized) // not one of those that others refuse as well
	expect.Equal(t, len(o.Halted), 1, "a bound that a quorum does not have stops nothing")
	<-o.Halted
	s.Refused(foreign, errors.New("does not execute"))
	expect.That(t, len(o.Violated) == 0 && len(o.Halted) == 1,
		"%d violations, %d other halts, want 0 and 1", len(o.Violated), len(o.Halted))
	want := []string{"1 " + wbft.ErrOversized.Error(), "1 does not execute"}
	expect.Slice(t, watched, want, "rules that refuse sealed blocks")
}

// A second block of long ago takes only the keys of validators that may have left since: it stops no node. In this
// epoch and the one before it is those who seal now who have decided twice.
func TestForgedHistory(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, engine := net.Chain(t)
	ancient := net.Seal(t, chain, net.Build(t, chain, 1), 1)
	net.Extend(t, chain, 2*wbfttest.EpochLength-1)
	recent := net.Seal(t, chain, net.Build(t, chain, 1), 1)
	net.Extend(t, chain, 2)

	o := sessiontest.NewOutcome()
	s := NewSafety(chain, engine, o.Halt, o.Violate)
	expect.Equal(t, s.Rival(), "", "before")
	expect.Error(t, s.Conflict(ancient.Header()), nil, "Conflict")
	expect.Contains(t, s.Rival(), "block 1 is ", "operators are told of it")
	s.Refused(ancient, gethcore.ErrFinalReorg)
	expect.That(t, len(o.Violated)+len(o.Halted) == 0,
		"block 1 of %d: %d violations, %d halts", chain.CurrentBlock().Number, len(o.Violated), len(o.Halted))
	expect.Error(t, s.Conflict(recent.Header()), nil, "Conflict")
	expect.That(t, len(o.Violated) == 1,
		"block %d of %d: %d violations, want 1", recent.Number(), chain.CurrentBlock().Number, len(o.Violated))
}

// What is no conflict: the block that is here, a height that is not decided, a header whose ancestors are not known,
// and one without a quorum of seals, which is its sender's fault.
func TestNoConflict(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, engine := net.Chain(t)
	unsealed := net.Build(t, chain, 1)
	net.Extend(t, chain, 2)
	o := sessiontest.NewOutcome()
	s := NewSafety(chain, engine, o.Halt, o.Violate)
	orphan := net.Seal(t, chain, net.Build(t, chain, 0), 0).Header()
	orphan.Number, orphan.ParentHash = big.NewInt(2), common.Hash{1}
	for name, header := range map[string]*types.Header{
		"genesis":         chain.Genesis().Header(),
		"the same":        chain.CurrentBlock(),
		"not decided yet": net.Build(t, chain, 0).Header(),
		"orphan":          orphan,
	} {
		t.Run(name, func(t *testing.T) {
			expect.Error(t, s.Conflict(header), nil, "%s", name)
		})
	}
	expect.Refused(t, s.Conflict(unsealed.Header()), "no error for a header without seals")
	expect.That(t, len(o.Violated)+len(o.Halted) == 0, "%d violations, %d halts", len(o.Violated), len(o.Halted))
}
