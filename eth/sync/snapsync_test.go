// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/history"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/wbfttest"
	"gwon/core/rules"
	"gwon/eth/session/sessiontest"
	"gwon/internal/expect"
	"gwon/internal/must"
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

// A chain is treated as short and executed from the start only after peers had time to prove a longer one. Open
// claims delay that for a limited time.
func TestWaiveState(t *testing.T) {
	_, blocks, sy, o := behind(t, 1, 10)
	states := &lackingState{pending: true}
	sy.cfg.States = states
	p := &snapping{began: time.Now(), looked: true}
	executes := func() bool {
		next, _ := p.step(t.Context(), sy, false)
		return next == idle{}
	}
	expect.That(t, !executes() && states.pending, "executed without a peer")
	(&sessiontest.Source{Blocks: blocks}).Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	p.looked = false
	expect.That(t, !executes() && states.pending, "executed before peers could connect")
	p.looked = true
	liar := &sessiontest.Source{Before: func(uint64) bool { return true }}
	liar.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	sy.claim(liar, common.Hash{1}, 1_000_000)
	expect.That(t, !executes() && states.pending && len(o.Synced) == 0, "executed while a claim is open")
	sy.waive = 0
	expect.That(t, executes() && !states.pending, "a claim that is never proven keeps the node from beginning")
	expect.Equal(t, len(o.Synced), 1, "a node of a network that is about to begin is not declared up to date")
}

// A short chain whose proven head is recent is executed at once, whatever is claimed: no chain of the network can be
// long. An old head may be a block of a long chain, so that peers get time to connect first.
func TestShortChainBeginsAtOnce(t *testing.T) {
	_, blocks, sy, _ := behind(t, 1, 10)
	liar := &sessiontest.Source{Before: func(uint64) bool { return true }}
	liar.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	sy.claim(liar, common.Hash{1}, 1_000_000)
	head := blocks[len(blocks)-1].Header()
	sy.scout.prove(head)
	synctest.Test(t, func(t *testing.T) {
		for _, row := range []struct {
			age      time.Duration
			executes bool
		}{{time.Second, true}, {rules.RecentHead - 1, true}, {rules.RecentHead, false}} {
			time.Sleep(time.Until(time.Unix(int64(head.Time), 0).Add(row.age))) // of the bubble's clock
			states := &lackingState{pending: true}
			sy.cfg.States = states
			next, _ := (&snapping{began: time.Now()}).step(t.Context(), sy, false)
			if executes := next == phase(idle{}); executes != row.executes || states.pending == row.executes {
				t.Errorf("with a head of %v ago: executed %v, want %v", row.age, executes, row.executes)
			}
		}
	})
}

// A chain that is proven to be long is not executed from the start, whatever else is claimed.
func TestLongChainIsNotExecuted(t *testing.T) {
	_, blocks, sy, _ := behind(t, 1, pivotDistance+1)
	states := &lackingState{pending: true, db: rawdb.NewMemoryDatabase(), begun: make(chan struct{}, 1)}
	sy.cfg.States, sy.waive = states, 0
	src := &sessiontest.Source{Blocks: blocks}
	src.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	must.Do(t, sy.examine(t, src))
	ctx, cancel := context.WithCancel(t.Context())
	sessiontest.Running(t, func(context.Context) { (&snapping{looked: true}).step(ctx, sy, false) })
	sessiontest.Next(t, states.begun)
	cancel()
	expect.That(t, states.pending, "executed from the start")
}

// Only a proven head makes a pivot stale: growing claims could otherwise prevent the end of a snap sync.
func TestStalePivot(t *testing.T) {
	_, blocks, sy, _ := behind(t, 1, 1)
	states := &lackingState{pending: true, db: rawdb.NewMemoryDatabase(), fetching: make(chan struct{}, 1)}
	sy.cfg.States = states
	liar := &sessiontest.Source{Blocks: blocks, Before: func(uint64) bool { return true }}
	liar.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	sy.claim(liar, common.Hash{1}, 1_000_000)
	pivot := types.CopyHeader(blocks[0].Header())
	pivot.Root = common.Hash{1} // whose state is not here
	ended := make(chan error, 1)
	sessiontest.Running(t, func(ctx context.Context) { ended <- new(snapping).snapTo(ctx, sy, pivot) })
	sessiontest.Next(t, states.fetching)
	select {
	case err := <-ended:
		t.Fatalf("a claim ended the snap sync: %v", err)
	case <-time.After(3 * time.Second): // it is looked at every second
	}
	sy.scout.prove(sessiontest.Junk(pivotStale+2, 1).Header())
	expect.Error(t, sessiontest.Next(t, ended), errStalePivot, "ended with")
}

// The databases are prepared for a snap sync once, for any number of attempts.
func TestSnapSyncBeginsOnce(t *testing.T) {
	_, blocks, sy, _ := behind(t, 1, 1)
	states := &lackingState{pending: true, db: rawdb.NewMemoryDatabase(), begun: make(chan struct{}, 3),
		fetching: make(chan struct{}, 3)}
	sy.cfg.States = states
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	pivot := sessiontest.Junk(blocks[0].NumberU64(), 1).Header() // with a state that is not here
	p := new(snapping)
	for range 3 {
		must.That(t, p.snapTo(ended, sy, pivot) != nil, "a sync that was ended has succeeded")
	}
	expect.Equal(t, len(states.begun), 1, "preparations")
}

// A node that keeps history from a block on stores only headers before it, also from peers that pruned the bodies.
// From there on it stores whole blocks. A block of another chain is refused as the start.
func TestSnapSyncFromCutoff(t *testing.T) {
	const cutoff, count = headerBatch + 40, 2 * headerBatch
	net := wbfttest.New(t, 1)
	origin, _ := net.Chain(t)
	blocks := net.Extend(t, origin, count)
	begin := func(hash common.Hash) (*gethcore.BlockChain, ethdb.Database, *Syncer) {
		db := must.Get(rawdb.Open(rawdb.NewMemoryDatabase(), rawdb.OpenOptions{Ancient: t.TempDir()}))(t)
		t.Cleanup(func() { expect.Error(t, db.Close(), nil, "Close") })
		engine := must.Get(wbft.New(net.Genesis.Config, nil))(t)
		options := gethcore.DefaultConfig()
		options.HistoryPolicy = history.HistoryPolicy{Mode: history.KeepCustom,
			Target: &history.PrunePoint{BlockNumber: cutoff, BlockHash: hash}}
		chain := must.Get(gethcore.NewBlockChain(db, net.Genesis, engine, options))(t)
		t.Cleanup(chain.Stop)
		sy, _ := newTestSyncer(t, chain, engine)
		sy.cfg.States = &lackingState{db: db}
		(&sessiontest.Source{Blocks: blocks, Chain: origin, Tail: cutoff}).Connect(t, sy.cfg.Sessions, chain)
		return chain, db, sy
	}
	meters := []*metrics.Meter{headersInMeter, bodiesInMeter, receiptsInMeter}
	earlier := make([]int64, len(meters))
	for i, m := range meters {
		earlier[i] = m.Snapshot().Count()
	}
	chain, db, sy := begin(blocks[cutoff-1].Hash())
	must.Do(t, sy.storeUpTo(t.Context(), blocks[count-1].Header()))
	head := chain.CurrentSnapBlock()
	must.That(t, head.Hash() == blocks[count-1].Hash(), "stored up to block %d", head.Number)
	for n := uint64(1); n <= count; n++ {
		h := chain.GetHeaderByNumber(n)
		must.That(t, h != nil && h.Hash() == blocks[n-1].Hash(), "header %d is not stored", n)
		expect.Equal(t, chain.GetBlockByNumber(n) != nil, n >= cutoff, "block %d is stored", n)
	}
	for i, least := range []int64{count, count - cutoff + 1, count - cutoff + 1} {
		n := meters[i].Snapshot().Count() - earlier[i]
		expect.That(t, n >= least, "counter %d of what has come in rises by %d, want %d", i, n, least)
	}
	if tail, err := db.Tail(rawdb.ChainFreezerBlockDataGroup); err != nil || tail != cutoff {
		t.Errorf("bodies begin with block %d, %v", tail, err)
	}
	_, db, sy = begin(blocks[0].Hash())
	err := sy.storeUpTo(t.Context(), blocks[count-1].Header())
	right := fmt.Sprintf("start with --history.chain %d:%v,", cutoff, blocks[cutoff-1].Hash())
	expect.That(t, errors.Is(err, errCutoff) && strings.Contains(err.Error(), right),
		"a cutoff that is not of this chain: %v, want %q in it", err, right)
	// The attempt and its log line repeat once a minute. Meanwhile the node reports that it is behind.
	var text lockedBuffer
	expect.Log(t, log.LogfmtHandler(&text))
	sy.cfg.States = &lackingState{db: db, pending: true, fetching: make(chan struct{}, 8)}
	sy.scout.prove(blocks[count-1].Header())
	now := phase(new(snapping))
	attempts := func(want int) {
		t.Helper()
		for range 3 {
			now, _ = now.step(t.Context(), sy, true)
			must.That(t, now != (idle{}), "a chain with another block is taken")
		}
		got := strings.Count(text.String(), "Sync stopped until --history.chain is corrected")
		expect.That(t, got == want, "said %d times, want %d: %s", got, want, text.String())
		_, _, highest, syncing := sy.Progress()
		expect.That(t, syncing && highest == count, "between the attempts it is syncing: %v, to block %d", syncing, highest)
	}
	attempts(1)
	wait := now.(failed)
	wait.until = wait.until.Add(-lastingPeriod)
	now = wait
	attempts(2)
}

// lockedBuffer takes what several goroutines write.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
