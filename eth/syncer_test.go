// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/p2p"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/wbfttest"
)

// responses is the backend of a peer that only answers us.
type responses struct{ protocol.Backend }

// source is a peer that has some blocks, the first of which is number 1, and may misbehave.
type source struct {
	blocks  types.Blocks
	most    int                                   // headers or bodies in one answer; 0 for no limit
	before  func(code uint64) (silent bool)       // called at each request
	headers func([]*types.Header) []*types.Header // changes an answer
	chain   *gethcore.BlockChain                  // where receipts come from; nil for none

	requests atomic.Int32
	session  *session
	close    func()
}

// connect makes a peer known that claims what it has.
func (src *source) connect(t *testing.T, sy *syncer) *session {
	t.Helper()
	near, far := p2p.MsgPipe()
	base, _ := testPeer(t)
	peer := protocol.NewPeer(protocol.ETH68, base, near, nil, nil, sy.chain.Config())
	src.session = sy.sessions.join(base)
	var closed atomic.Bool
	src.close = func() {
		if closed.CompareAndSwap(false, true) {
			sy.sessions.leave(src.session)
			near.Close()
			peer.Close()
		}
	}
	t.Cleanup(src.close)
	go protocol.Handle(responses{}, peer)
	go src.serve(far)
	src.session.shook(peer)
	if len(src.blocks) > 0 {
		src.session.raise(src.blocks[len(src.blocks)-1].Hash(), totalDifficulty(sy.chain, uint64(len(src.blocks))))
	}
	return src.session
}

// serve answers until the pipe is closed.
func (src *source) serve(rw p2p.MsgReadWriter) {
	for {
		msg, err := rw.ReadMsg()
		if err != nil {
			return
		}
		src.requests.Add(1)
		silent := src.before != nil && src.before(msg.Code)
		switch msg.Code {
		case protocol.GetBlockHeadersMsg:
			var request protocol.GetBlockHeadersPacket
			if msg.Decode(&request) != nil {
				return
			}
			headers := src.answerHeaders(request.GetBlockHeadersRequest)
			if src.headers != nil {
				headers = src.headers(headers)
			}
			if !silent && p2p.Send(rw, protocol.BlockHeadersMsg, []any{request.RequestId, headers}) != nil {
				return
			}
		case protocol.GetBlockBodiesMsg:
			var request protocol.GetBlockBodiesPacket
			if msg.Decode(&request) != nil {
				return
			}
			bodies := []any{}
			for _, hash := range request.GetBlockBodiesRequest {
				i := slices.IndexFunc(src.blocks, func(b *types.Block) bool { return b.Hash() == hash })
				if i >= 0 && (src.most == 0 || len(bodies) < src.most) {
					bodies = append(bodies, []any{src.blocks[i].Transactions(), []any{}})
				}
			}
			if !silent && p2p.Send(rw, protocol.BlockBodiesMsg, []any{request.RequestId, bodies}) != nil {
				return
			}
		case protocol.GetReceiptsMsg:
			var request protocol.GetReceiptsPacket69
			if msg.Decode(&request) != nil {
				return
			}
			lists := []any{}
			for _, hash := range request.GetReceiptsRequest {
				if src.chain != nil {
					lists = append(lists, src.chain.GetReceiptsByHash(hash))
				}
			}
			if !silent && p2p.Send(rw, protocol.ReceiptsMsg, []any{request.RequestId, lists}) != nil {
				return
			}
		default:
			_ = msg.Discard()
		}
	}
}

func (src *source) answerHeaders(r *protocol.GetBlockHeadersRequest) []*types.Header {
	from := r.Origin.Number
	if r.Origin.Hash != (common.Hash{}) {
		i := slices.IndexFunc(src.blocks, func(b *types.Block) bool { return b.Hash() == r.Origin.Hash })
		if i < 0 {
			return nil
		}
		from = uint64(i) + 1
	}
	var headers []*types.Header
	for n := from; n >= 1 && n <= uint64(len(src.blocks)) && uint64(len(headers)) < r.Amount; n += r.Skip + 1 {
		if src.most != 0 && len(headers) == src.most && r.Skip == 0 {
			break
		}
		headers = append(headers, src.blocks[n-1].Header())
	}
	return headers
}

// noStates is the stateSource of a node that has the state of its head.
type noStates struct{}

func (noStates) Pending() bool                              { return false }
func (noStates) Begin() error                               { return errors.New("not expected") }
func (noStates) Fetch(context.Context, *types.Header) error { return errors.New("not expected") }
func (noStates) Commit(common.Hash) error                   { return errors.New("not expected") }
func (noStates) Waive()                                     {}
func (noStates) Database() ethdb.Database                   { return nil }

func newTestSyncer(t *testing.T, chain *gethcore.BlockChain, engine *wbft.Engine) (*syncer, *outcome) {
	t.Helper()
	o, s := newOutcome(), newSessions()
	sy := &syncer{
		chain: chain, engine: engine, sessions: s, gossip: &gossip{chain, s}, states: noStates{},
		interval: time.Hour, timeout: patience, hedge: patience, waive: time.Hour,
		pause: func(bool) {}, synced: o.sync, safety: newSafety(chain, engine, o.halt, o.violate), dropPeer: o.drop, wake: make(chan struct{}, 1),
	}
	sy.scout = newScout(chain, engine, s, o.drop, sy.nudge)
	sy.scout.timeout, sy.scout.again = patience, time.Millisecond
	return sy, o
}

// behind returns a chain of some validators with this many blocks, and a syncer of a node that has none of them.
func behind(t *testing.T, n, count int) (origin *gethcore.BlockChain, blocks types.Blocks, sy *syncer, o *outcome) {
	t.Helper()
	net := wbfttest.New(t, n)
	origin, _ = net.Chain(t)
	blocks = net.Extend(t, origin, count)
	chain, engine := net.Chain(t)
	sy, o = newTestSyncer(t, chain, engine)
	return origin, blocks, sy, o
}

// startTest runs a syncer until the test ends.
func (s *syncer) startTest(t *testing.T) {
	t.Helper()
	running(t, s.run)
}

// checkChain compares two chains block by block, and the seals that ours has stored.
func checkChain(t *testing.T, sy *syncer, want *gethcore.BlockChain) {
	t.Helper()
	chain, engine := sy.chain, sy.engine
	if chain.CurrentBlock().Hash() != want.CurrentBlock().Hash() {
		t.Fatalf("head is %d, want %d", chain.CurrentBlock().Number, want.CurrentBlock().Number)
	}
	for n := uint64(1); n <= want.CurrentBlock().Number.Uint64(); n++ {
		h := chain.GetHeaderByNumber(n)
		set, err := engine.ValidatorsFor(chain, h)
		if err != nil {
			t.Fatal(err)
		}
		if err := engine.VerifySeals(set, h); err != nil {
			t.Fatalf("stored header %d: %v", n, err)
		}
	}
}

// A node at genesis imports a chain longer than one request brings, through many epochs, from a peer that gives a few blocks
// at a time (spec network 2.3, 2.7).
func TestSyncFromGenesis(t *testing.T) {
	net := wbfttest.New(t, 1)
	source1, _ := net.Chain(t)
	blocks := net.Extend(t, source1, headerBatch+bodyBatch+3)
	for _, most := range []int{0, 7} {
		chain, engine := net.Chain(t)
		sy, _ := newTestSyncer(t, chain, engine)
		(&source{blocks: blocks, most: most}).connect(t, sy)
		sy.startTest(t)
		awaitHead(t, chain, uint64(len(blocks)))
		checkChain(t, sy, source1)
	}
}

// The node proves the head through the epoch headers before it downloads anything, and then takes blocks from several peers at once: the first peer answers for blocks only after the second has (spec network 2.7).
func TestSyncFromSeveralPeers(t *testing.T) {
	origin, blocks, sy, _ := behind(t, 1, 5*headerBatch)
	chain := sy.chain
	second := make(chan struct{})
	var closed atomic.Bool
	slow := &source{blocks: blocks, headers: func(h []*types.Header) []*types.Header {
		if isRun(h) {
			<-second
		}
		return h
	}}
	fast := &source{blocks: blocks, headers: func(h []*types.Header) []*types.Header {
		if isRun(h) && closed.CompareAndSwap(false, true) {
			close(second)
		}
		return h
	}}
	slow.connect(t, sy)
	fast.connect(t, sy)
	sy.startTest(t)
	awaitHead(t, chain, uint64(len(blocks)))
	checkChain(t, sy, origin)
	if top := sy.scout.ladder.newest(); top == nil || top.Number.Uint64() != chain.Config().LastEpochBlock(uint64(len(blocks)-1)) {
		t.Errorf("proven up to epoch block %v", top)
	}
}

// A peer that does not answer holds up the others for a moment only: what it was asked for is asked of another one as well.
func TestSyncPastSilentPeer(t *testing.T) {
	origin, blocks, sy, _ := behind(t, 1, 300)
	chain := sy.chain
	sy.hedge = 10 * time.Millisecond // the timeout of a request stays far away
	asked := make(chan struct{})
	var once atomic.Bool
	silent := &source{blocks: blocks, before: func(uint64) bool {
		if once.CompareAndSwap(false, true) {
			close(asked)
		}
		return true
	}}
	good := &source{blocks: blocks, before: func(uint64) bool { <-asked; return false }}
	silent.connect(t, sy)
	good.connect(t, sy)
	sy.startTest(t)
	awaitHead(t, chain, uint64(len(blocks)))
	checkChain(t, sy, origin)
}

// A peer that has shown its head and then leaves two requests for blocks unanswered loses its connection.
func TestSyncDropsSilentPeer(t *testing.T) {
	_, blocks, sy, o := behind(t, 1, wbfttest.EpochLength) // no epoch header has to be asked for
	sy.timeout = 20 * time.Millisecond
	silent := &source{blocks: blocks}
	silent.before = func(uint64) bool { return silent.requests.Load() > 1 }
	silent.connect(t, sy)
	sy.startTest(t)
	if reason := next(t, o.dropped); !errors.Is(reason, errNoAnswer) || errors.Is(reason, errClaim) {
		t.Errorf("dropped for %v, want %v", reason, errNoAnswer)
	}
	if n := silent.requests.Load(); n != 1+maxSilent {
		t.Errorf("asked %d times, want %d", n, 1+maxSilent)
	}
}

// What a peer that vanishes was asked for goes to another one.
func TestSyncPastVanishingPeer(t *testing.T) {
	origin, blocks, sy, _ := behind(t, 1, 300)
	chain := sy.chain
	gone := make(chan struct{})
	var once sync.Once
	vanishing := &source{blocks: blocks}
	vanishing.headers = func(h []*types.Header) []*types.Header {
		if isRun(h) {
			once.Do(func() { vanishing.close(); close(gone) })
		}
		return h
	}
	good := &source{blocks: blocks, headers: func(h []*types.Header) []*types.Header {
		if isRun(h) {
			<-gone
		}
		return h
	}}
	vanishing.connect(t, sy)
	good.connect(t, sy)
	sy.startTest(t)
	awaitHead(t, chain, uint64(len(blocks)))
	checkChain(t, sy, origin)
}

// isRun tells whether headers are of consecutive blocks, and not the rungs of a ladder or a claimed head.
func isRun(h []*types.Header) bool {
	return len(h) > 1 && h[1].Number.Uint64() == h[0].Number.Uint64()+1
}

// forge returns a block with seals that are no quorum's for it.
func forge(t *testing.T, block, other *types.Block) *types.Block {
	t.Helper()
	seals := sealsOf(t, other)
	header, err := block.Header().WithWBFTSeals(0, seals.PreparedSeal, seals.CommittedSeal)
	if err != nil {
		t.Fatal(err)
	}
	return block.WithSeal(header)
}

// A segment whose end has no good seals costs the peer its connection and nothing of it enters the chain; another peer
// brings the blocks.
func TestSyncRefusesForgedHeader(t *testing.T) {
	origin, blocks, sy, o := behind(t, 4, 6)
	chain := sy.chain
	forged := forge(t, blocks[5], blocks[1]).Header()
	(&source{blocks: blocks, headers: func(h []*types.Header) []*types.Header {
		if isRun(h) {
			h[len(h)-1] = forged
		}
		return h
	}}).connect(t, sy)
	sy.startTest(t)
	if reason := next(t, o.dropped); !strings.Contains(reason.Error(), "prepared seals") || errors.Is(reason, errClaim) {
		t.Errorf("dropped for %v", reason)
	}
	if n := chain.CurrentBlock().Number.Uint64(); n != 0 {
		t.Fatalf("head is %d, want 0", n)
	}
	(&source{blocks: blocks}).connect(t, sy)
	sy.Claimed()
	awaitHead(t, chain, 6)
	checkChain(t, sy, origin)
}

// Damaged seals of a header inside a segment do no harm: those in its child, which the child's hash covers, take their
// place. Served on, they would have cost this node its own peers.
func TestSyncRepairsSeals(t *testing.T) {
	origin, blocks, sy, o := behind(t, 4, 6)
	chain := sy.chain
	damaged := slices.Clone(blocks)
	damaged[4] = forge(t, blocks[4], blocks[1])
	(&source{blocks: damaged}).connect(t, sy)
	sy.startTest(t)
	awaitHead(t, chain, 6)
	checkChain(t, sy, origin)
	if len(o.dropped) != 0 {
		t.Errorf("dropped: %v", <-o.dropped)
	}
}

// Headers that are not linked are refused before anything of them is verified.
func TestSyncRefusesGaps(t *testing.T) {
	_, blocks, sy, o := behind(t, 1, 6)
	blocks[2] = blocks[4]
	(&source{blocks: blocks}).connect(t, sy)
	sy.startTest(t)
	if reason := next(t, o.dropped); !errors.Is(reason, errBadAnswer) {
		t.Errorf("dropped for %v, want %v", reason, errBadAnswer)
	}
}

// A chain with another history is not followed, whatever it claims. That a quorum has sealed it is a violation of safety,
// which is reported (spec wbft 7.5).
func TestSyncRefusesOtherHistory(t *testing.T) {
	net := wbfttest.New(t, 1)
	chain, engine := net.Chain(t)
	other, _ := net.Chain(t)
	own := net.Build(t, chain, 0)
	header := own.Header()
	header.Time++ // another first block, sealed as well as this one
	foreign := types.NewBlockWithHeader(header)
	if _, err := other.InsertChain(types.Blocks{net.Seal(t, other, foreign, 0)}); err != nil {
		t.Fatal(err)
	}
	blocks := append(types.Blocks{other.GetBlockByNumber(1)}, net.Extend(t, other, 4)...)
	if _, err := chain.InsertChain(types.Blocks{net.Seal(t, chain, own, 0)}); err != nil {
		t.Fatal(err)
	}
	sy, o := newTestSyncer(t, chain, engine)
	(&source{blocks: blocks}).connect(t, sy)
	sy.startTest(t)
	next(t, o.dropped)
	if n := chain.CurrentBlock().Number.Uint64(); n != 1 || chain.CurrentBlock().Hash() != own.Hash() {
		t.Errorf("head is %d %v, want the own first block", n, chain.CurrentBlock().Hash())
	}
	if reason := next(t, o.violated); !strings.Contains(reason, blocks[0].Hash().String()) {
		t.Errorf("violation %q, want one that names %v", reason, blocks[0].Hash())
	}
}

// With a checkpoint nothing is imported before a peer has shown the block, and only a chain that has it.
func TestSyncWithCheckpoint(t *testing.T) {
	net := wbfttest.New(t, 1)
	origin, _ := net.Chain(t)
	blocks := net.Extend(t, origin, 6)
	other, _ := net.Chain(t)
	first := net.Build(t, other, 0).Header()
	first.Time++
	if _, err := other.InsertChain(types.Blocks{net.Seal(t, other, types.NewBlockWithHeader(first), 0)}); err != nil {
		t.Fatal(err)
	}
	foreign := append(types.Blocks{other.GetBlockByNumber(1)}, net.Extend(t, other, 7)...)

	chain, engine := net.Chain(t)
	sy, o := newTestSyncer(t, chain, engine)
	sy.checkpoint, sy.hedge = newCheckpoint(blocks[2].Hash(), chain), 10*time.Millisecond
	asked := make(chan struct{}, 64)
	stranger := &source{blocks: foreign, before: func(uint64) bool { asked <- struct{}{}; return false }}
	stranger.connect(t, sy)
	if sy.Allow(foreign[0].Header()) == nil {
		t.Error("a pushed block is allowed while the checkpoint is unknown")
	}
	sy.startTest(t)
	next(t, asked) // for the checkpoint block, which it does not have
	if n := chain.CurrentBlock().Number.Uint64(); n != 0 {
		t.Fatalf("imported %d blocks of a chain that may not have the checkpoint", n)
	}
	// Now the number is known, and the longer chain, which comes first, has another block there.
	released := make(chan struct{})
	honest := &source{blocks: blocks, headers: func(h []*types.Header) []*types.Header {
		if len(h) > 1 {
			<-released
		}
		return h
	}}
	honest.connect(t, sy)
	sy.Claimed()
	reason := next(t, o.dropped)
	close(released)
	if !strings.Contains(reason.Error(), "checkpoint") {
		t.Errorf("dropped for %v", reason)
	}
	sy.Claimed()
	awaitHead(t, chain, 6)
	checkChain(t, sy, origin)
	if err := sy.Allow(foreign[2].Header()); err == nil || !strings.Contains(err.Error(), "checkpoint") {
		t.Errorf("a pushed block in the place of the checkpoint: %v", err)
	}
}

// A chain in the data directory that has another block in the place of the checkpoint stops the node.
func TestCheckpointAgainstOwnChain(t *testing.T) {
	net := wbfttest.New(t, 1)
	origin, _ := net.Chain(t)
	first := net.Build(t, origin, 0).Header()
	first.Time++
	if _, err := origin.InsertChain(types.Blocks{net.Seal(t, origin, types.NewBlockWithHeader(first), 0)}); err != nil {
		t.Fatal(err)
	}
	blocks := append(types.Blocks{origin.GetBlockByNumber(1)}, net.Extend(t, origin, 4)...)
	chain, engine := net.Chain(t)
	net.Extend(t, chain, 3)
	sy, o := newTestSyncer(t, chain, engine)
	sy.checkpoint = newCheckpoint(blocks[1].Hash(), chain)
	(&source{blocks: blocks}).connect(t, sy)
	sy.startTest(t)
	if reason := next(t, o.halted); !strings.Contains(reason, "checkpoint") {
		t.Errorf("halted for %q", reason)
	}
}
