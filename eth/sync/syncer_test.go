// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/wbfttest"
	"gwon/core/rules"
	"gwon/eth/blockgossip"
	"gwon/eth/checkpoint"
	"gwon/eth/session"
	"gwon/eth/session/sessiontest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// noStates is the stateSource of a node that has the state of its head.
type noStates struct{}

func (noStates) Pending() bool                              { return false }
func (noStates) Begin() error                               { return errors.New("not expected") }
func (noStates) Fetch(context.Context, *types.Header) error { return errors.New("not expected") }
func (noStates) Commit(common.Hash) error                   { return errors.New("not expected") }
func (noStates) Waive()                                     {}
func (noStates) Database() ethdb.Database                   { return nil }

// noAnnouncer ignores announcements of a new head.
type noAnnouncer struct{}

func (noAnnouncer) Announce(*types.Header) {}

func newTestSyncer(t testing.TB, chain *gethcore.BlockChain, engine *wbft.Engine) (*Syncer, *sessiontest.Outcome) {
	t.Helper()
	o := sessiontest.NewOutcome()
	sy := New(Config{
		Chain: chain, Engine: engine, Sessions: session.NewSessions(),
		Safety:    blockgossip.NewSafety(chain, engine, o.Halt, o.Violate),
		Announcer: noAnnouncer{}, States: noStates{}, Interval: time.Hour, Pause: func(bool) {}, Synced: o.Sync, Drop: o.Drop,
	})
	sy.timeout, sy.hedge, sy.waive = sessiontest.Patience, sessiontest.Patience, time.Hour
	sy.scout.timeout, sy.scout.again = sessiontest.Patience, time.Millisecond
	return sy, o
}

// behind returns a chain of some validators with this many blocks, and a syncer of a node that has none of them.
func behind(t testing.TB, n, count int) (origin *gethcore.BlockChain, blocks types.Blocks, sy *Syncer,
	o *sessiontest.Outcome) {
	t.Helper()
	net := wbfttest.New(t, n)
	origin, _ = net.Chain(t)
	blocks = net.Extend(t, origin, count)
	chain, engine := net.Chain(t)
	sy, o = newTestSyncer(t, chain, engine)
	return origin, blocks, sy, o
}

// startTest runs a syncer until the test ends.
func (s *Syncer) startTest(t testing.TB) {
	t.Helper()
	sessiontest.Running(t, s.Run)
}

// A node at genesis imports a chain longer than one request, through many epochs, from a peer that sends a few blocks
// at a time (spec network 2.3, 2.7).
func TestSyncFromGenesis(t *testing.T) {
	net := wbfttest.New(t, 1)
	source1, _ := net.Chain(t)
	blocks := net.Extend(t, source1, headerBatch+bodyBatch+3)
	for _, most := range []int{0, 7} {
		chain, engine := net.Chain(t)
		sy, _ := newTestSyncer(t, chain, engine)
		(&sessiontest.Source{Blocks: blocks, Most: most}).Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
		sy.startTest(t)
		sessiontest.AwaitHead(t, chain, uint64(len(blocks)))
		sessiontest.CheckChain(t, sy.cfg.Chain, sy.cfg.Engine, source1)
	}
}

// The node proves the head by epoch headers before it downloads blocks, and then downloads from several peers
// concurrently. The first peer serves blocks only after the second one has (spec network 2.7).
func TestSyncFromSeveralPeers(t *testing.T) {
	origin, blocks, sy, _ := behind(t, 1, headerBatch+firstBatch)
	chain := sy.cfg.Chain
	second := make(chan struct{})
	var closed atomic.Bool
	slow := &sessiontest.Source{Blocks: blocks, Headers: func(h []*types.Header) []*types.Header {
		if isRun(h) {
			<-second
		}
		return h
	}}
	fast := &sessiontest.Source{Blocks: blocks, Headers: func(h []*types.Header) []*types.Header {
		if isRun(h) && closed.CompareAndSwap(false, true) {
			close(second)
		}
		return h
	}}
	slow.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	fast.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	sy.startTest(t)
	sessiontest.AwaitHead(t, chain, uint64(len(blocks)))
	sessiontest.CheckChain(t, sy.cfg.Chain, sy.cfg.Engine, origin)
	top := sy.scout.ladder.newest()
	expect.That(t, top != nil && top.Number.Uint64() == chain.Config().LastEpochBlock(uint64(len(blocks)-1)),
		"proven up to epoch block %v", top)
}

// A peer without a response delays the download only briefly, because another peer is asked for the same.
func TestSyncPastSilentPeer(t *testing.T) {
	origin, blocks, sy, _ := behind(t, 1, 4*firstBatch)
	chain := sy.cfg.Chain
	sy.hedge = 10 * time.Millisecond // the timeout of a request stays far away
	asked := make(chan struct{})
	var once atomic.Bool
	silent := &sessiontest.Source{Blocks: blocks, Before: func(uint64) bool {
		if once.CompareAndSwap(false, true) {
			close(asked)
		}
		return true
	}}
	good := &sessiontest.Source{Blocks: blocks, Before: func(uint64) bool { <-asked; return false }}
	silent.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	good.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	sy.startTest(t)
	sessiontest.AwaitHead(t, chain, uint64(len(blocks)))
	sessiontest.CheckChain(t, sy.cfg.Chain, sy.cfg.Engine, origin)
}

// A peer that has shown its head and then leaves two requests for blocks unanswered loses its connection.
func TestSyncDropsSilentPeer(t *testing.T) {
	_, blocks, sy, o := behind(t, 1, wbfttest.EpochLength) // no epoch header has to be asked for
	sy.timeout = 20 * time.Millisecond
	silent := &sessiontest.Source{Blocks: blocks}
	silent.Before = func(uint64) bool { return silent.Requests.Load() > 1 }
	silent.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	sy.startTest(t)
	reason := sessiontest.Next(t, o.Dropped)
	expect.That(t, errors.Is(reason, session.ErrNoAnswer) && !errors.Is(reason, session.ErrClaim),
		"dropped for %v, want %v", reason, session.ErrNoAnswer)
	expect.Equal(t, silent.Requests.Load(), 1+maxSilent, "requests")
}

// Requests to a vanished peer go to another one.
func TestSyncPastVanishingPeer(t *testing.T) {
	origin, blocks, sy, _ := behind(t, 1, 4*firstBatch)
	chain := sy.cfg.Chain
	gone := make(chan struct{})
	var once sync.Once
	vanishing := &sessiontest.Source{Blocks: blocks}
	vanishing.Headers = func(h []*types.Header) []*types.Header {
		if isRun(h) {
			once.Do(func() { vanishing.Close(); close(gone) })
		}
		return h
	}
	good := &sessiontest.Source{Blocks: blocks, Headers: func(h []*types.Header) []*types.Header {
		if isRun(h) {
			<-gone
		}
		return h
	}}
	vanishing.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	good.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	sy.startTest(t)
	sessiontest.AwaitHead(t, chain, uint64(len(blocks)))
	sessiontest.CheckChain(t, sy.cfg.Chain, sy.cfg.Engine, origin)
}

// isRun reports whether headers are of consecutive blocks, and neither rungs of a ladder nor a claimed head.
func isRun(h []*types.Header) bool {
	return len(h) > 1 && h[1].Number.Uint64() == h[0].Number.Uint64()+1
}

// A segment with bad seals at its end disconnects the peer and is not stored; another peer serves the blocks.
func TestSyncRefusesForgedHeader(t *testing.T) {
	origin, blocks, sy, o := behind(t, 4, 6)
	chain := sy.cfg.Chain
	forged := sessiontest.Forge(t, blocks[5], blocks[1]).Header()
	(&sessiontest.Source{Blocks: blocks, Headers: func(h []*types.Header) []*types.Header {
		if isRun(h) {
			h[len(h)-1] = forged
		}
		return h
	}}).Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	sy.startTest(t)
	reason := sessiontest.Next(t, o.Dropped)
	expect.That(t, strings.Contains(reason.Error(), "prepared seals") && !errors.Is(reason, session.ErrClaim),
		"dropped for %v", reason)
	must.Equal(t, chain.CurrentBlock().Number.Uint64(), 0, "head")
	(&sessiontest.Source{Blocks: blocks}).Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	sy.Claimed()
	sessiontest.AwaitHead(t, chain, 6)
	sessiontest.CheckChain(t, sy.cfg.Chain, sy.cfg.Engine, origin)
}

// Damaged seals of a header inside a segment are replaced by those in its child, which the child's hash covers. If
// served, they would have cost this node its peers.
func TestSyncRepairsSeals(t *testing.T) {
	origin, blocks, sy, o := behind(t, 4, 6)
	chain := sy.cfg.Chain
	damaged := slices.Clone(blocks)
	damaged[4] = sessiontest.Forge(t, blocks[4], blocks[1])
	(&sessiontest.Source{Blocks: damaged}).Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	sy.startTest(t)
	sessiontest.AwaitHead(t, chain, 6)
	sessiontest.CheckChain(t, sy.cfg.Chain, sy.cfg.Engine, origin)
	if len(o.Dropped) != 0 {
		t.Errorf("dropped: %v", <-o.Dropped)
	}
}

// A sealed header that breaks a rule of randomness or previous-block seals stops a full sync and a snap sync, whichever
// peer gives it. A signature in previous-block seals is verified only with VerifyAll. spec: wbft 7.1 (18 to 21)
func TestSealedBreachStopsSync(t *testing.T) {
	net := wbfttest.NewWithEpochs(t, 4, 140)
	for _, breach := range net.Breaches(t) {
		for _, snap := range []bool{false, true} {
			for _, all := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/snap=%t/every=%t", breach.Name, snap, all), func(t *testing.T) {
					chain, engine := net.Chain(t)
					sy, o := newTestSyncer(t, chain, engine)
					sy.cfg.VerifyAll = all
					(&sessiontest.Source{Blocks: breach.Blocks, Chain: chain}).Connect(t, sy.cfg.Sessions, chain)
					end := breach.Blocks[len(breach.Blocks)-1]
					run := func() error { return sy.importUpTo(t.Context(), end.NumberU64()) }
					if snap {
						sy.cfg.States = &lackingState{db: rawdb.NewMemoryDatabase()}
						run = func() error { return sy.storeUpTo(t.Context(), end.Header()) }
					}
					err := run()
					if breach.Vouched && !all {
						expect.That(t, err == nil && sy.cfg.Chain.CurrentHeader().Hash() == end.Hash(), "not taken: %v", err)
						return
					}
					must.That(t, errors.Is(err, errHalt), "error %v, want %v", err, errHalt)
					expect.Contains(t, sessiontest.Next(t, o.Halted), "block 3", "halted for")
					if len(o.Dropped) != 0 {
						t.Errorf("dropped: %v", <-o.Dropped)
					}
				})
			}
		}
	}
}

// A block of doubtful size comes into the chain with its sealed child, in one response or in two, and not before. With
// the bound of later releases it is refused, which stops no validator: others refuse it too, and decide another one.
// spec: wbft 7.3
func TestSyncOfDoubtfulSize(t *testing.T) {
	net := wbfttest.New(t, 4)
	net.Endow()
	origin, maker := net.Chain(t)
	blocks := net.Extend(t, origin, 1)
	doubtful := net.Sized(t, origin, 0, rules.MaxBlock+1)
	maker.Follow(types.Blocks{doubtful})
	must.Get(origin.InsertChain(types.Blocks{doubtful}))(t)
	blocks = append(append(blocks, doubtful), net.Extend(t, origin, 1)...)
	for _, most := range []int{0, 1} {
		chain, engine := net.Chain(t)
		sy, o := newTestSyncer(t, chain, engine)
		(&sessiontest.Source{Blocks: blocks, Most: most}).Connect(t, sy.cfg.Sessions, chain)
		if err := sy.importUpTo(t.Context(), 2); !errors.Is(err, wbft.ErrHeld) || chain.CurrentBlock().Number.Uint64() != 1 {
			t.Errorf("without the child: %v, head %d", err, chain.CurrentBlock().Number)
		}
		next, _ := (following{head: 1, target: 2}).step(t.Context(), sy, false)
		expect.That(t, next == (idle{held: 2}), "without the child, then %#v", next)
		if err := sy.importUpTo(t.Context(), 3); err != nil || chain.CurrentBlock().Hash() != origin.CurrentBlock().Hash() {
			t.Errorf("with the child: %v, head %d", err, chain.CurrentBlock().Number)
		}
		expect.That(t, len(o.Halted)+len(o.Dropped) == 0, "%d halts, %d peers dropped", len(o.Halted), len(o.Dropped))
	}
	net.Genesis.Config.Anzeon.MaxBlockSizeBlock = new(uint64)
	chain, engine := net.Chain(t)
	sy, o := newTestSyncer(t, chain, engine)
	(&sessiontest.Source{Blocks: blocks}).Connect(t, sy.cfg.Sessions, chain)
	if err := sy.importUpTo(t.Context(), 3); !errors.Is(err, errHalt) || chain.CurrentBlock().Number.Uint64() != 1 {
		t.Errorf("with the bound: %v, head %d", err, chain.CurrentBlock().Number)
	}
	next, _ := (following{head: 1, target: 3}).step(t.Context(), sy, false)
	again, _ := next.step(t.Context(), sy, true)
	expect.That(t, again == next, "with the bound, at the next interval: %#v, want a longer wait", again)
	expect.That(t, len(o.Halted)+len(o.Dropped) == 0,
		"with the bound: %d halts, %d peers dropped", len(o.Halted), len(o.Dropped))
}

// In a long sync old headers take the seals that their children hold, and the newest keep those they came with.
// spec: wbft 1.4
func TestLongSyncTakesSealsOfChildren(t *testing.T) {
	const count = 300
	net := wbfttest.New(t, 2)
	origin, _ := net.Chain(t)
	blocks := net.Extend(t, origin, count)
	came := slices.Clone(blocks)
	for _, at := range []int{10, count - 10} {
		came[at] = sessiontest.Forge(t, blocks[at], blocks[at+1])
	}
	for _, snap := range []bool{false, true} {
		chain, engine := net.Chain(t)
		sy, _ := newTestSyncer(t, chain, engine)
		(&sessiontest.Source{Blocks: came, Chain: origin}).Connect(t, sy.cfg.Sessions, chain)
		run := func() error { return sy.importUpTo(t.Context(), count) }
		if snap {
			sy.cfg.States = &lackingState{db: rawdb.NewMemoryDatabase()}
			run = func() error { return sy.storeUpTo(t.Context(), came[count-1].Header()) }
		}
		before := damagedMeter.Snapshot().Count()
		must.Do(t, run())
		for i, block := range blocks {
			got := chain.GetHeaderByNumber(uint64(i + 1))
			must.That(t, got != nil && bytes.Equal(got.Extra, block.Extra()), "snap %t: header %d has bad seals", snap, i+1)
		}
		n := damagedMeter.Snapshot().Count() - before
		expect.That(t, n == 1, "snap %t: seals of %d headers were verified and replaced, want 1", snap, n)
	}
}

// A peer that serves a true end of a run with forged ancestors, or true headers with other bodies, is disconnected.
// No part of the run is stored.
func TestSyncRefusesLiesBelowTrueEnd(t *testing.T) {
	for name, forge := range map[string]func(blocks types.Blocks){
		"an ancestor without seals": func(blocks types.Blocks) {
			h := types.CopyHeader(blocks[2].Header())
			h.GasUsed++
			blocks[2] = types.NewBlockWithHeader(h)
		},
		"all ancestors up to the end": func(blocks types.Blocks) {
			for i := 1; i < len(blocks)-1; i++ {
				h := types.CopyHeader(blocks[i].Header())
				h.ParentHash, h.GasUsed = blocks[i-1].Hash(), h.GasUsed+1
				blocks[i] = types.NewBlockWithHeader(h)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, blocks, sy, o := behind(t, 4, 2*wbfttest.EpochLength+2)
			lies := slices.Clone(blocks)
			forge(lies)
			liar := &sessiontest.Source{Blocks: lies}
			liar.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
			err := sy.examine(t, &sessiontest.Source{Session: (&sessiontest.Source{Blocks: blocks}).Connect(t, sy.cfg.Sessions,
				sy.cfg.Chain)})
			must.Do(t, err)
			d := sy.download(uint64(len(blocks)), false)
			seg, _, err := d.fetch(t.Context(), liar.Session, 1, uint64(len(blocks)))
			if err == nil {
				err = sy.verify(&aheadChain{BlockChain: sy.cfg.Chain}, seg, uint64(len(blocks)))
			}
			expect.That(t, err != nil && !errors.Is(err, errHalt), "%s: %v", name, err)
			expect.Equal(t, len(o.Halted), 0, "%s: halted", name)
			for n := 1; n < len(lies); n++ {
				if lies[n].Hash() != blocks[n].Hash() && sy.cfg.Engine.VerifyHeader(sy.cfg.Chain, lies[n].Header()) == nil {
					t.Errorf("%s: block %d counts as verified", name, n+1)
				}
			}
		})
	}
}

// Headers that are not linked are refused before anything of them is verified.
func TestSyncRefusesGaps(t *testing.T) {
	_, blocks, sy, o := behind(t, 1, 6)
	blocks[2] = blocks[4]
	(&sessiontest.Source{Blocks: blocks}).Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	sy.startTest(t)
	expect.Error(t, sessiontest.Next(t, o.Dropped), session.ErrBadAnswer, "dropped for")
}

// A chain with another history is not followed, whatever it claims. If a quorum has sealed it, a violation of safety
// is reported (spec wbft 7.5).
func TestSyncRefusesOtherHistory(t *testing.T) {
	net := wbfttest.New(t, 1)
	chain, engine := net.Chain(t)
	other, _ := net.Chain(t)
	own := net.Build(t, chain, 0)
	header := own.Header()
	header.Time++ // another first block, sealed as well as this one
	foreign := types.NewBlockWithHeader(header)
	must.Get(other.InsertChain(types.Blocks{net.Seal(t, other, foreign, 0)}))(t)
	blocks := append(types.Blocks{other.GetBlockByNumber(1)}, net.Extend(t, other, 4)...)
	must.Get(chain.InsertChain(types.Blocks{net.Seal(t, chain, own, 0)}))(t)
	sy, o := newTestSyncer(t, chain, engine)
	(&sessiontest.Source{Blocks: blocks}).Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	sy.startTest(t)
	_ = sessiontest.Next(t, o.Dropped)
	if n := chain.CurrentBlock().Number.Uint64(); n != 1 || chain.CurrentBlock().Hash() != own.Hash() {
		t.Errorf("head is %d %v, want the own first block", n, chain.CurrentBlock().Hash())
	}
	if reason := sessiontest.Next(t, o.Violated); !strings.Contains(reason, blocks[0].Hash().String()) {
		t.Errorf("violation %q, want one that names %v", reason, blocks[0].Hash())
	}
}

// With a checkpoint, imports begin when a peer has sent the block, and only on a chain that contains it.
func TestSyncWithCheckpoint(t *testing.T) {
	net := wbfttest.New(t, 1)
	origin, _ := net.Chain(t)
	blocks := net.Extend(t, origin, 6)
	other, _ := net.Chain(t)
	first := net.Build(t, other, 0).Header()
	first.Time++
	must.Get(other.InsertChain(types.Blocks{net.Seal(t, other, types.NewBlockWithHeader(first), 0)}))(t)
	foreign := append(types.Blocks{other.GetBlockByNumber(1)}, net.Extend(t, other, 7)...)

	chain, engine := net.Chain(t)
	sy, o := newTestSyncer(t, chain, engine)
	sy.cfg.Checkpoint, sy.hedge = checkpoint.New(blocks[2].Hash(), chain), 10*time.Millisecond
	asked := make(chan struct{}, 64)
	stranger := &sessiontest.Source{Blocks: foreign, Before: func(uint64) bool { asked <- struct{}{}; return false }}
	stranger.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	expect.Refused(t, sy.Allow(foreign[0].Header()), "a pushed block is allowed while the checkpoint is unknown")
	sy.startTest(t)
	sessiontest.Next(t, asked) // for the checkpoint block, which it does not have
	must.Equal(t, chain.CurrentBlock().Number.Uint64(), 0, "blocks imported of a chain that may not have the checkpoint")
	// Now the number is known, and the longer chain, which is first, has another block there.
	released := make(chan struct{})
	honest := &sessiontest.Source{Blocks: blocks, Headers: func(h []*types.Header) []*types.Header {
		if len(h) > 1 {
			<-released
		}
		return h
	}}
	honest.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	sy.Joined()
	reason := sessiontest.Next(t, o.Dropped)
	close(released)
	expect.That(t, strings.Contains(reason.Error(), "checkpoint"), "dropped for %v", reason)
	sy.Claimed()
	sessiontest.AwaitHead(t, chain, 6)
	sessiontest.CheckChain(t, sy.cfg.Chain, sy.cfg.Engine, origin)
	expect.Says(t, sy.Allow(foreign[2].Header()), "checkpoint", "a pushed block in the place of the checkpoint")
}

// A stored chain with another block at the number of the checkpoint halts the node.
func TestCheckpointAgainstOwnChain(t *testing.T) {
	net := wbfttest.New(t, 1)
	origin, _ := net.Chain(t)
	first := net.Build(t, origin, 0).Header()
	first.Time++
	must.Get(origin.InsertChain(types.Blocks{net.Seal(t, origin, types.NewBlockWithHeader(first), 0)}))(t)
	blocks := append(types.Blocks{origin.GetBlockByNumber(1)}, net.Extend(t, origin, 4)...)
	chain, engine := net.Chain(t)
	net.Extend(t, chain, 3)
	sy, o := newTestSyncer(t, chain, engine)
	sy.cfg.Checkpoint = checkpoint.New(blocks[1].Hash(), chain)
	(&sessiontest.Source{Blocks: blocks}).Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	sy.startTest(t)
	expect.Contains(t, sessiontest.Next(t, o.Halted), "checkpoint", "halted for")
}

// A node whose peers pruned the next blocks reports that it is behind until the end of its sync, also between
// attempts.
func TestProgressWithoutHistory(t *testing.T) {
	const count = 20
	_, blocks, sy, o := behind(t, 1, count)
	progress := func() string {
		start, current, highest, syncing := sy.Progress()
		return fmt.Sprint(start, current, highest, syncing)
	}
	expect.Equal(t, progress(), "0 0 0 false", "at the beginning")
	for range 2 { // empty blocks, as here, need nothing that a peer could have dropped
		sy.begin(0, count)
		sy.end(t.Context(), errDropped, true)
		expect.Equal(t, progress(), "0 0 20 true", "without history")
	}
	(&sessiontest.Source{Blocks: blocks}).Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	must.Do(t, sy.follow(t.Context(), 0, count))
	if got := progress(); got != "0 0 0 false" || sy.cfg.Chain.CurrentBlock().Number.Uint64() != count {
		t.Errorf("caught up: %s at block %d", got, sy.cfg.Chain.CurrentBlock().Number)
	}
	if len(o.Dropped) != 0 {
		t.Errorf("dropped: %v", <-o.Dropped)
	}
}

// Headers are stored and served with the seals that they came with, even if their children hold others. Only bad
// seals are replaced, and the peer stays connected, because its blocks are of this chain (spec wbft 1.4, 7.1 rows 16
// and 17).
func TestSyncKeepsSeals(t *testing.T) {
	const count, bad = pivotDistance + 8, 5
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	blocks := net.Extend(t, origin, count)
	came := net.SealByOthers(t, origin, blocks)
	for i, block := range blocks {
		must.That(t, !bytes.Equal(came[i].Extra(), block.Extra()), "the child holds the same seals: nothing is shown")
	}
	came[bad-1] = sessiontest.Forge(t, blocks[bad-1], blocks[0])
	for _, snap := range []bool{false, true} {
		for _, all := range []bool{false, true} {
			t.Run(fmt.Sprintf("snap=%t/every=%t", snap, all), func(t *testing.T) {
				chain, engine := net.Chain(t)
				sy, o := newTestSyncer(t, chain, engine)
				sy.cfg.VerifyAll = all
				src := &sessiontest.Source{Blocks: came, Chain: origin}
				src.Connect(t, sy.cfg.Sessions, chain)
				must.Do(t, sy.examine(t, src))
				before := damagedMeter.Snapshot().Count()
				run := func() error { return sy.importUpTo(t.Context(), count) }
				if snap {
					sy.cfg.States = &lackingState{db: rawdb.NewMemoryDatabase()}
					run = func() error { return sy.storeUpTo(t.Context(), came[count-1].Header()) }
				}
				must.Do(t, run())
				for i, block := range came {
					want := block.Extra()
					if i == bad-1 {
						want = blocks[i].Extra()
					}
					got := chain.GetHeaderByNumber(uint64(i + 1))
					must.That(t, got != nil && bytes.Equal(got.Extra, want), "header %d is not stored as it came", i+1)
				}
				expect.Equal(t, damagedMeter.Snapshot().Count()-before, 1, "headers counted as damaged")
				if len(o.Dropped) != 0 {
					t.Errorf("dropped: %v", <-o.Dropped)
				}
			})
		}
	}
}
