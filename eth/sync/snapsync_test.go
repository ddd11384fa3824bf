// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"

	"gwon/eth/session/sessiontest"
)

// lackingState is the StateSource of a node that is to fetch a state, and never gets it.
type lackingState struct {
	noStates
	db       ethdb.Database
	pending  bool
	begun    chan struct{} // takes a value when a snap sync begins
	fetching chan struct{} // takes a value when a state is asked for
}

func (s *lackingState) Pending() bool { return s.pending }
func (s *lackingState) Waive()        { s.pending = false }
func (s *lackingState) Begin() error {
	select {
	case s.begun <- struct{}{}:
	default:
	}
	return nil
}
func (s *lackingState) Fetch(ctx context.Context, _ *types.Header) error {
	s.fetching <- struct{}{}
	<-ctx.Done()
	return ctx.Err()
}
func (s *lackingState) Database() ethdb.Database { return s.db }

// A chain is taken for a short one, and executed from the start, only after peers had time to show a longer one. What they claim
// delays that for a while, and no longer.
func TestWaiveState(t *testing.T) {
	_, blocks, sy, o := behind(t, 1, 10)
	states := &lackingState{pending: true}
	sy.states, sy.began = states, time.Now()
	ctx := t.Context()
	if sy.looked = true; sy.catchUpState(ctx) || !states.pending {
		t.Error("executed without a peer")
	}
	(&sessiontest.Source{Blocks: blocks}).Connect(t, sy.sessions, sy.chain)
	if sy.looked = false; sy.catchUpState(ctx) || !states.pending {
		t.Error("executed before peers could connect")
	}
	sy.looked = true
	liar := &sessiontest.Source{Before: func(uint64) bool { return true }}
	liar.Connect(t, sy.sessions, sy.chain)
	sy.claim(liar, common.Hash{1}, 1_000_000)
	if sy.catchUpState(ctx) || !states.pending || len(o.Synced) != 0 {
		t.Error("executed while a claim is open")
	}
	if sy.waive = 0; !sy.catchUpState(ctx) || states.pending {
		t.Error("a claim that is never proven keeps the node from beginning")
	}
	if len(o.Synced) != 1 {
		t.Error("a node of a network that is about to begin is not declared up to date")
	}
}

// A chain that is proven to be long is not executed from the start, whatever else is claimed.
func TestLongChainIsNotExecuted(t *testing.T) {
	_, blocks, sy, _ := behind(t, 1, pivotDistance+1)
	states := &lackingState{pending: true, db: rawdb.NewMemoryDatabase(), begun: make(chan struct{}, 1)}
	sy.states, sy.looked, sy.waive = states, true, 0
	src := &sessiontest.Source{Blocks: blocks}
	src.Connect(t, sy.sessions, sy.chain)
	if err := sy.examine(t, src); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	sessiontest.Running(t, func(context.Context) { sy.catchUpState(ctx) })
	sessiontest.Next(t, states.begun)
	cancel()
	if !states.pending {
		t.Error("executed from the start")
	}
}

// Only a proven head makes a pivot stale, not a claimed one: who claims ever more could otherwise keep a snap sync from ending.
func TestStalePivot(t *testing.T) {
	_, blocks, sy, _ := behind(t, 1, 1)
	states := &lackingState{pending: true, db: rawdb.NewMemoryDatabase(), fetching: make(chan struct{}, 1)}
	sy.states = states
	liar := &sessiontest.Source{Blocks: blocks, Before: func(uint64) bool { return true }}
	liar.Connect(t, sy.sessions, sy.chain)
	sy.claim(liar, common.Hash{1}, 1_000_000)
	pivot := types.CopyHeader(blocks[0].Header())
	pivot.Root = common.Hash{1} // whose state is not here
	ended := make(chan error, 1)
	sessiontest.Running(t, func(ctx context.Context) { ended <- sy.snapTo(ctx, pivot) })
	sessiontest.Next(t, states.fetching)
	select {
	case err := <-ended:
		t.Fatalf("a claim ended the snap sync: %v", err)
	case <-time.After(3 * time.Second): // it is looked at every second
	}
	sy.scout.prove(sessiontest.Junk(pivotStale+2, 1).Header())
	if err := sessiontest.Next(t, ended); !errors.Is(err, errStalePivot) {
		t.Errorf("ended with %v, want %v", err, errStalePivot)
	}
}
