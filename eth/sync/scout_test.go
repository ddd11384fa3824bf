// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"errors"
	"math/big"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"

	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/wbfttest"
	"gwon/eth/session"
	"gwon/eth/session/sessiontest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// claim has a peer say that its head is a block of this number and hash.
func (s *Syncer) claim(src *sessiontest.Source, hash common.Hash, number uint64) {
	src.Session.Raise(hash, session.TotalDifficulty(s.cfg.Chain, number))
}

// upToDate returns a syncer of a node with all blocks, and counts the pauses of its validator.
func upToDate(t *testing.T, count int) (blocks types.Blocks, sy *Syncer, o *sessiontest.Outcome, rests *atomic.Int32) {
	t.Helper()
	_, blocks, sy, o = behind(t, 4, count)
	must.Get(sy.cfg.Chain.InsertChain(blocks))(t)
	rests = new(atomic.Int32)
	sy.cfg.Pause = func(on bool) {
		if on {
			rests.Add(1)
		}
	}
	return blocks, sy, o, rests
}

// After an unproven claim the validator continues, no sync runs, and the peer is disconnected for a lie.
func TestLiarsAreRefuted(t *testing.T) {
	for _, claimed := range []uint64{4, 5, 8, 9, 23, 5000, 1 << 40} {
		for _, test := range []struct {
			name string
			liar func(blocks types.Blocks) *sessiontest.Source
			head func(blocks types.Blocks) common.Hash
			want string
		}{
			{"silent", func(types.Blocks) *sessiontest.Source {
				return &sessiontest.Source{Before: func(uint64) bool { return true }}
			},
				func(types.Blocks) common.Hash { return common.Hash{1} }, "did not answer"},
			{"has nothing", func(types.Blocks) *sessiontest.Source { return new(sessiontest.Source) },
				func(types.Blocks) common.Hash { return common.Hash{1} }, "does not have its head"},
			{"shows an old block", func(blocks types.Blocks) *sessiontest.Source { return &sessiontest.Source{Blocks: blocks} },
				func(blocks types.Blocks) common.Hash { return blocks[2].Hash() }, "is block 3, not"},
			{"shows an unsealed block", func(types.Blocks) *sessiontest.Source {
				return &sessiontest.Source{Headers: func([]*types.Header) []*types.Header {
					return []*types.Header{sessiontest.Junk(claimed, 1).Header()}
				}}
			}, func(types.Blocks) common.Hash { return sessiontest.Junk(claimed, 1).Hash() }, ""},
		} {
			t.Run(test.name, func(t *testing.T) {
				blocks, sy, o, rests := upToDate(t, 3)
				sy.scout.timeout, sy.scout.patience = 20*time.Millisecond, 10*time.Millisecond
				(&sessiontest.Source{Blocks: blocks}).Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
				liar := test.liar(blocks)
				liar.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
				sy.claim(liar, test.head(blocks), claimed)
				sy.startTest(t)
				reason := sessiontest.Next(t, o.Dropped)
				if !errors.Is(reason, session.ErrClaim) && !errors.Is(reason, session.ErrBadAnswer) ||
					!strings.Contains(reason.Error(), test.want) {
					t.Errorf("claim of block %d: dropped for %v, want %q", claimed, reason, test.want)
				}
				if _, _, _, syncing := sy.Progress(); syncing || rests.Load() != 0 || sy.scout.proven() != nil {
					t.Errorf("claim of block %d: a sync runs: %v, the validator rested %d times, proven %v", claimed, syncing,
						rests.Load(), sy.scout.proven())
				}
				now := liar.Session.ClaimedNumber(sy.cfg.Chain)
				expect.That(t, now <= 3, "the claim is still %d", now)
			})
		}
	}
}

// Liars that respond slowly and repeat their claims delay no other peer: honest claims are examined concurrently, and
// missing blocks are imported.
func TestSlowLiarsHoldUpNothing(t *testing.T) {
	net := wbfttest.New(t, 4)
	origin, _ := net.Chain(t)
	blocks := net.Extend(t, origin, 6)
	chain, engine := net.Chain(t)
	sy, o := newTestSyncer(t, chain, engine)
	var rested atomic.Bool
	sy.cfg.Pause = func(on bool) { rested.CompareAndSwap(false, on) }
	answer := make(chan struct{})
	defer close(answer)
	for range 5 {
		src := &sessiontest.Source{Blocks: blocks, Before: func(code uint64) bool {
			if code == protocol.GetBlockHeadersMsg {
				<-answer
			}
			return false
		}}
		src.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
		sy.claim(src, blocks[5].Hash(), 1_000_000)
	}
	sy.hedge = 10 * time.Millisecond // of the download: the liars claim to have those blocks as well
	(&sessiontest.Source{Blocks: blocks}).Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	sy.startTest(t)
	sessiontest.AwaitHead(t, chain, 6)
	sessiontest.Next(t, o.Synced)
	expect.That(t, !rested.Load(), "the validator rested")
}

// A node with a recent head is up to date, whatever peers claim.
func TestSyncedDespiteLiars(t *testing.T) {
	net := wbfttest.New(t, 1)
	net.Genesis.Timestamp = uint64(time.Now().Unix()) - 10
	chain, engine := net.Chain(t)
	net.Extend(t, chain, 3)
	sy, o := newTestSyncer(t, chain, engine)
	for range 3 {
		src := &sessiontest.Source{Before: func(uint64) bool { return true }}
		src.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
		sy.claim(src, common.Hash{1}, 1_000_000)
	}
	sy.startTest(t)
	sessiontest.Next(t, o.Synced)
	expect.Equal(t, len(o.Dropped), 0, "a liar was refuted before: the test shows nothing")
}

// The validator pauses while sealed blocks are executed far behind, and resumes when peers withhold further ones:
// they could otherwise keep it from voting.
func TestRestOnlyWhileExecuting(t *testing.T) {
	const have = 100
	_, blocks, sy, _ := behind(t, 1, have+pauseAbove+1)
	rests := make(chan bool, 64)
	sy.cfg.Pause = func(on bool) { rests <- on }
	src := &sessiontest.Source{Blocks: blocks, Most: 10}
	src.Withhold = func(h []*types.Header) bool { return isRun(h) && h[0].Number.Uint64() > have }
	src.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	sy.startTest(t)
	expect.That(t, sessiontest.Next(t, rests), "the validator goes on before it has rested")
	// On a slow machine the validator also resumes in between, when a run is late, and pauses again.
	for sessiontest.Next(t, rests) || sy.cfg.Chain.CurrentBlock().Number.Uint64() < have {
	}
	n := sy.cfg.Chain.CurrentBlock().Number.Uint64()
	expect.That(t, n < uint64(len(blocks)), "the validator goes on at block %d, where nothing was kept back any more", n)
	_, _, target, syncing := sy.Progress()
	expect.That(t, syncing && target == uint64(len(blocks)), "syncing %v to %d: the sync has ended", syncing, target)
}

// examine asks one peer, as run does.
func (s *Syncer) examine(t testing.TB, src *sessiontest.Source) error {
	t.Helper()
	return s.scout.examine(t.Context(), src.Session)
}

// An epoch header without seals of a quorum of the previous set proves nothing, and neither does such a head (spec
// wbft 3.1, 7.1).
func TestClimbRefusesForgedRung(t *testing.T) {
	_, blocks, sy, _ := behind(t, 4, 10)
	forged := slices.Clone(blocks)
	forged[7] = sessiontest.Forge(t, blocks[7], blocks[1])
	liar := &sessiontest.Source{Blocks: forged}
	liar.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	if err := sy.examine(t, liar); !errors.Is(err, session.ErrClaim) || !strings.Contains(err.Error(), "epoch header 8") {
		t.Errorf("error %v, want one about epoch header 8", err)
	}
	top := sy.scout.ladder.newest()
	expect.That(t, top == nil || top.Number.Uint64() < 8, "the forged header counts as proven")
	// Seals that were judged by a forged ladder must not be taken for good elsewhere (spec wbft 7.1).
	honest := &sessiontest.Source{Blocks: blocks}
	honest.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	if err := sy.examine(t, honest); err != nil || sy.scout.proven().Hash() != blocks[9].Hash() {
		t.Errorf("proved %v, %v, want block 10", sy.scout.proven(), err)
	}
	_, _, sy, _ = behind(t, 4, 1)
	liar = &sessiontest.Source{Blocks: append(slices.Clone(blocks[:9]), sessiontest.Forge(t, blocks[9], blocks[1]))}
	liar.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	if err := sy.examine(t, liar); !errors.Is(err, session.ErrClaim) || !strings.Contains(err.Error(), "head 10") {
		t.Errorf("error %v, want one about head 10", err)
	}
	expect.Equal(t, sy.scout.provenNumber(), 8, "proven up to the epoch block below the forged head")
}

// One epoch header proves all earlier ones of the same set; the border of a change is found in any position. A chain
// of 400 epochs with three sets, one of them recurring, needs few requests (spec wbft 3.1, 7.1).
func TestLadderFindsChangesOfSet(t *testing.T) {
	const epochs = 400
	nets := make(map[byte]*wbfttest.Network)
	sets := make(map[byte]*validators.Set)
	infos := make(map[byte]*types.EpochInfo)
	for name, n := range map[byte]int{'a': 4, 'b': 1, 'c': 7} {
		nets[name] = wbfttest.New(t, n)
		chain, engine := nets[name].Chain(t)
		var err error
		sets[name], err = engine.EpochSet(chain.Genesis().Header())
		must.Do(t, err)
		infos[name] = sessiontest.SealsOf(t, chain.Genesis()).EpochInfo
	}
	named := func(epoch int) byte { // the set that an epoch block puts in charge
		switch {
		case epoch < 100 || epoch >= 399:
			return 'a'
		case epoch < 101:
			return 'b'
		default:
			return 'c'
		}
	}
	blocks := make(types.Blocks, epochs*wbfttest.EpochLength)
	for i := range blocks {
		h := sessiontest.Junk(uint64(i+1), 1).Header()
		epoch := (i + 1) / wbfttest.EpochLength
		by, x := named(epoch), new(types.WBFTExtra)
		if (i+1)%wbfttest.EpochLength == 0 {
			x.EpochInfo, by = infos[named(epoch)], named(epoch-1)
		}
		h.Extra = x.Encode()
		blocks[i] = types.NewBlockWithHeader(h)
		if x.EpochInfo != nil {
			blocks[i] = nets[by].SealBy(t, sets[by], blocks[i], 0)
		}
	}
	chain, engine := nets['a'].Chain(t)
	sy, _ := newTestSyncer(t, chain, engine)
	src := &sessiontest.Source{Blocks: blocks}
	src.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	must.Do(t, sy.examine(t, src))
	expect.Equal(t, sy.scout.provenNumber(), uint64(len(blocks)), "proven up to")
	n := src.Requests.Load()
	expect.That(t, n <= 20, "%d questions", n)

	// Seals that were made for other blocks are of no use, and neither is what they are said to put in charge.
	lies := slices.Clone(blocks)
	const late = 250*wbfttest.EpochLength - 1
	for i := late; i < len(lies); i++ {
		if (i+1)%wbfttest.EpochLength == 0 {
			lies[i] = sessiontest.Forge(t, blocks[i], blocks[late-wbfttest.EpochLength])
		}
	}
	chain, engine = nets['a'].Chain(t)
	sy, _ = newTestSyncer(t, chain, engine)
	liar := &sessiontest.Source{Blocks: lies}
	liar.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	if err := sy.examine(t, liar); !errors.Is(err, session.ErrClaim) || sy.scout.provenNumber() > late {
		t.Errorf("proved up to %d, %v, want at most %d", sy.scout.provenNumber(), err, late)
	}
}

// The order of validators differs in each epoch. A long chain still needs few requests (spec wbft 3.1, 3.5).
func TestLadderOfShuffledSets(t *testing.T) {
	const epochs, n = 150, 7
	net := wbfttest.New(t, n)
	chain, engine := net.Chain(t)
	sy, _ := newTestSyncer(t, chain, engine)
	info := sessiontest.SealsOf(t, chain.Genesis()).EpochInfo
	var infos [n]*types.EpochInfo
	var sets [n]*validators.Set
	for turn := range n {
		infos[turn] = &types.EpochInfo{
			Candidates:    info.Candidates,
			Validators:    slices.Concat(info.Validators[turn:], info.Validators[:turn]),
			BLSPublicKeys: slices.Concat(info.BLSPublicKeys[turn:], info.BLSPublicKeys[:turn]),
		}
		var err error
		sets[turn], err = validators.FromEpochInfo(infos[turn])
		must.Do(t, err)
	}
	blocks := make(types.Blocks, epochs*wbfttest.EpochLength)
	for i := range blocks {
		h := sessiontest.Junk(uint64(i+1), 1).Header()
		epoch := (i + 1) / wbfttest.EpochLength
		if (i+1)%wbfttest.EpochLength != 0 {
			blocks[i] = types.NewBlockWithHeader(h)
			continue
		}
		h.Extra = (&types.WBFTExtra{EpochInfo: infos[epoch*3%n]}).Encode()
		blocks[i] = net.SealBy(t, sets[(epoch-1)*3%n], types.NewBlockWithHeader(h), 0)
	}
	src := &sessiontest.Source{Blocks: blocks}
	src.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	if err := sy.examine(t, src); err != nil || sy.scout.provenNumber() != uint64(len(blocks)) {
		t.Errorf("proven up to %d, %v, want %d", sy.scout.provenNumber(), err, len(blocks))
	}
	if n := src.Requests.Load(); n > 6 {
		t.Errorf("%d questions", n)
	}
}

// The requested epoch blocks have equal distances and end with the last one of epochs of that length, within limits.
func TestLadderSpread(t *testing.T) {
	_, _, sy, _ := behind(t, 1, 1)
	for _, end := range []uint64{5, 6, 9, 257, 261, 262, 5001, 1 << 30} {
		for _, below := range []uint64{0, 4, 200} {
			if below+wbfttest.EpochLength >= end {
				continue
			}
			first, step, count := sy.scout.spread(below, end)
			last := first + uint64(count-1)*step
			want := min((end-1)/wbfttest.EpochLength, below/wbfttest.EpochLength+stretch) * wbfttest.EpochLength
			expect.That(t, first > below && first <= below+step && first%wbfttest.EpochLength == 0 &&
				step%wbfttest.EpochLength == 0 && count >= 1 && count <= rungBatch && last == want,
				"from %d to %d: %d blocks from %d on, %d apart; the last should be %d", below, end, count, first, step, want)
		}
	}
}

// A peer without the epoch headers below its head has lied; proven headers stay proven.
func TestClimbLiar(t *testing.T) {
	for _, test := range []struct {
		claim, proven uint64
		missing       string
	}{{13, 8, "epoch block 12"}, {1_000_000, 0, "epoch block"}} {
		_, blocks, sy, _ := behind(t, 1, 10)
		liar := &sessiontest.Source{Blocks: blocks[:8]}
		far := sessiontest.Junk(test.claim, 1)
		liar.Headers = func(h []*types.Header) []*types.Header {
			if len(h) == 0 && liar.Requests.Load() == 1 {
				return []*types.Header{far.Header()}
			}
			return h
		}
		liar.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
		sy.claim(liar, far.Hash(), test.claim)
		err := sy.examine(t, liar)
		if !errors.Is(err, session.ErrClaim) || !strings.Contains(err.Error(),
			test.missing) || sy.scout.provenNumber() != test.proven {
			t.Errorf("proved up to %d, %v, want block %d and an error about %s", sy.scout.provenNumber(), err, test.proven,
				test.missing)
		}
	}
}

// A pushed header with seals of a quorum is proven; another one leads to a request.
func TestShownHeader(t *testing.T) {
	_, blocks, sy, _ := behind(t, 4, 10)
	src := new(sessiontest.Source)
	src.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	sy.Shown(src.Session, blocks[6].Header(), false)
	if n := sy.scout.provenNumber(); n != 0 || src.Session.ClaimedNumber(sy.cfg.Chain) != 6 {
		t.Errorf("proven up to %d, the peer claims %d, want 0 and 6", n, src.Session.ClaimedNumber(sy.cfg.Chain))
	}
	sy.Shown(src.Session, blocks[2].Header(), true)
	expect.Equal(t, sy.scout.provenNumber(), 3, "proven up to")
}

// One check of a claim runs at a time, with a pause before the next. A single block above the head is left to gossip
// for a while.
func TestWhenClaimsAreLookedAt(t *testing.T) {
	_, sy, _, _ := upToDate(t, 3)
	s := sy.scout
	s.again, s.patience = time.Minute, time.Second
	src := new(sessiontest.Source)
	ses := src.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	now := time.Now()
	look := func(at time.Duration, still time.Duration) int {
		due, _ := s.visit(3, now.Add(at), still)
		return len(due)
	}
	sy.claim(src, common.Hash{1}, 4)
	expect.Equal(t, look(0, 0), 0, "a single missing block is asked for at once")
	expect.That(t, look(0, time.Second) == 1 && look(0, time.Second) == 0,
		"a single missing block is not asked for after a moment, or twice")
	s.settle(t.Context(), ses, nil)
	sy.claim(src, common.Hash{1}, 40)
	expect.That(t, look(time.Second, 0) == 0 && look(2*time.Minute, 0) == 1, "a peer is asked again too early, or never")
	s.settle(t.Context(), ses, nil)
	sy.cfg.Chain.CurrentBlock()
	s.prove(sessiontest.Junk(103, 1).Header())
	sy.claim(src, common.Hash{1}, 103+maxMargin)
	expect.Equal(t, look(4*time.Minute, 0), 0, "far behind, a few blocks more are asked for")
	sy.claim(src, common.Hash{1}, 104+maxMargin)
	expect.Equal(t, look(4*time.Minute, 0), 1, "far behind, many blocks more are not asked for")
}

// A peer that climbs slowly or in small steps delays no other, and sync begins with the proven part.
func TestSlowClimbersHoldUpNobody(t *testing.T) {
	_, blocks, sy, _ := behind(t, 1, 30*wbfttest.EpochLength)
	sy.scout.eager = 0
	climbing, gate := make(chan struct{}, 64), make(chan struct{})
	t.Cleanup(func() { close(gate) })
	for range 3 {
		(&sessiontest.Source{Blocks: blocks, Headers: func(h []*types.Header) []*types.Header {
			if len(h) > 1 { // a question about the ladder
				climbing <- struct{}{}
				<-gate
			}
			return h
		}}).Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	}
	steps := make(chan uint64, 64)
	sy.scout.found = func() { steps <- sy.scout.provenNumber() }
	sessiontest.Running(t, sy.scout.run)
	for range 3 {
		sessiontest.Next(t, climbing)
	}
	stepwise := &sessiontest.Source{Blocks: blocks,
		Headers: func(h []*types.Header) []*types.Header { return h[:min(1, len(h))] }}
	stepwise.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	sy.Claimed()
	n := sessiontest.Next(t, steps)
	expect.That(t, n < uint64(len(blocks)), "the first thing that is proven is block %d", n)
	(&sessiontest.Source{Blocks: blocks}).Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	sy.Claimed()
	for sessiontest.Next(t, steps) < uint64(len(blocks)) {
	}
}

// Taking back a claim never raises it.
func TestLowerClaim(t *testing.T) {
	_, sy, _, _ := upToDate(t, 3)
	src := new(sessiontest.Source)
	ses := src.Connect(t, sy.cfg.Sessions, sy.cfg.Chain)
	sy.claim(src, common.Hash{1}, 2)
	sy.scout.takeBack(ses)
	expect.Equal(t, ses.ClaimedNumber(sy.cfg.Chain), 2, "claim")
	ses.Raise(common.Hash{1}, new(big.Int).Lsh(common.Big1, 99))
	expect.Equal(t, ses.ClaimedNumber(sy.cfg.Chain), 0, "claim of a number that no block has")
}
