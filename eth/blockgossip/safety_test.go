// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package blockgossip

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
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
	if !errors.Is(err, gethcore.ErrFinalReorg) || chain.CurrentBlock().Hash() != head {
		t.Fatalf("import of a second first block: %v; the head has changed: %v", err, chain.CurrentBlock().Hash() != head)
	}
	s.Refused(foreign, fmt.Errorf("import: %w", err))
	s.Refused(foreign, err)
	if err := s.Conflict(foreign.Header()); err != nil {
		t.Error(err)
	}
	if len(o.Violated) != 1 || len(o.Halted) != 0 {
		t.Fatalf("%d violations, %d other halts, want 1 and 0", len(o.Violated), len(o.Halted))
	}
	if reason := <-o.Violated; !strings.Contains(reason, foreign.Hash().String()) ||
		!strings.Contains(reason, "safety violation") {
		t.Errorf("reported as %q", reason)
	}
	s.Refused(foreign, fmt.Errorf("import: %w", core.ErrMissingCode))
	expect.Equal(t, len(o.Violated)+len(o.Halted), 0, "code that is missing here is held against the network")
	s.Refused(foreign, wbft.ErrOversized) // not one of those that others refuse as well
	expect.Equal(t, len(o.Halted), 1, "a bound that a quorum does not have stops nothing")
	<-o.Halted
	s.Refused(foreign, errors.New("does not execute"))
	if len(o.Violated) != 0 || len(o.Halted) != 1 {
		t.Errorf("%d violations, %d other halts, want 0 and 1", len(o.Violated), len(o.Halted))
	}
	if want := []string{"1 " + wbft.ErrOversized.Error(), "1 does not execute"}; !slices.Equal(watched, want) {
		t.Errorf("rules that refuse sealed blocks: %q, want %q", watched, want)
	}
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
	if err := s.Conflict(ancient.Header()); err != nil {
		t.Error(err)
	}
	s.Refused(ancient, gethcore.ErrFinalReorg)
	if len(o.Violated)+len(o.Halted) != 0 {
		t.Errorf("block 1 of %d: %d violations, %d halts", chain.CurrentBlock().Number, len(o.Violated), len(o.Halted))
	}
	if err := s.Conflict(recent.Header()); err != nil {
		t.Error(err)
	}
	if len(o.Violated) != 1 {
		t.Errorf("block %d of %d: %d violations, want 1", recent.Number(), chain.CurrentBlock().Number, len(o.Violated))
	}
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
			if err := s.Conflict(header); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	if s.Conflict(unsealed.Header()) == nil {
		t.Error("no error for a header without seals")
	}
	if len(o.Violated)+len(o.Halted) != 0 {
		t.Errorf("%d violations, %d halts", len(o.Violated), len(o.Halted))
	}
}
