// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/wbfttest"
)

// patience bounds every wait for something that has to happen.
const patience = 60 * time.Second

// outcome is what importer and syncer tell the service.
type outcome struct {
	dropped chan error
	halted  chan string
	wanted  chan uint64
	synced  chan struct{}
}

func newOutcome() *outcome {
	return &outcome{make(chan error, 16), make(chan string, 16), make(chan uint64, 16), make(chan struct{}, 16)}
}

func (o *outcome) drop(_ *session, reason error) { o.dropped <- reason }
func (o *outcome) halt(reason string)            { o.halted <- reason }
func (o *outcome) want(_ *session, number uint64) {
	select {
	case o.wanted <- number:
	default:
	}
}
func (o *outcome) sync() {
	select {
	case o.synced <- struct{}{}:
	default:
	}
}

// next waits for a value.
func next[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatal("nothing happened")
		panic("unreachable")
	}
}

// awaitHead waits until the chain's head has a number.
func awaitHead(t *testing.T, chain *gethcore.BlockChain, number uint64) {
	t.Helper()
	heads := make(chan gethcore.ChainHeadEvent, 1024)
	sub := chain.SubscribeChainHeadEvent(heads)
	defer sub.Unsubscribe()
	for chain.CurrentBlock().Number.Uint64() < number {
		next(t, heads)
	}
}

// running starts f and stops it when the test ends.
func running(t *testing.T, f func(context.Context)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
}

func startImporter(t *testing.T, chain *gethcore.BlockChain, engine *wbft.Engine) (*importer, *outcome, *session) {
	t.Helper()
	o, s := newOutcome(), newSessions()
	im := newImporter(chain, engine, &gossip{chain, s}, o.drop, o.halt, o.want)
	running(t, im.run)
	p, _ := testPeer(t)
	return im, o, s.join(p)
}

// Blocks that overtake their parents wait for them, and the missing ones are asked for (spec network 2.6).
func TestImportOutOfOrder(t *testing.T) {
	net := wbfttest.New(t, 4)
	source, _ := net.Chain(t)
	blocks := net.Extend(t, source, 5)
	chain, engine := net.Chain(t)
	im, o, ses := startImporter(t, chain, engine)
	for _, i := range []int{4, 2, 3, 1} {
		im.enqueue(arrival{blocks[i], ses})
	}
	if number := next(t, o.wanted); number != 5 {
		t.Errorf("asked for the blocks up to %d, want 5", number)
	}
	im.enqueue(arrival{blocks[0], ses})
	awaitHead(t, chain, 5)
	if chain.CurrentBlock().Hash() != source.CurrentBlock().Hash() {
		t.Error("another head")
	}
}

// A copy with bad seals costs its sender the connection and does not keep a good copy of the same hash out (spec wbft 1.4,
// 9.1 no. 4).
func TestImportBadSeals(t *testing.T) {
	net := wbfttest.New(t, 4)
	source, _ := net.Chain(t)
	good := net.Extend(t, source, 1)[0]
	header, err := good.Header().WithWBFTSeals(7, sealsOf(t, good).PreparedSeal, sealsOf(t, good).CommittedSeal)
	if err != nil {
		t.Fatal(err)
	}
	bad := good.WithSeal(header)
	if bad.Hash() != good.Hash() {
		t.Fatal("the copies differ in hash")
	}
	chain, engine := net.Chain(t)
	im, o, ses := startImporter(t, chain, engine)
	im.enqueue(arrival{bad, ses})
	if reason := next(t, o.dropped); !strings.Contains(reason.Error(), "seals") {
		t.Errorf("dropped for %v", reason)
	}
	im.enqueue(arrival{good, ses})
	awaitHead(t, chain, 1)
}

func sealsOf(t *testing.T, block *types.Block) *types.WBFTExtra {
	t.Helper()
	x, err := block.Header().WBFTExtra()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Two sealed blocks at one height are a violation of safety: the node says so and keeps its own (spec wbft 7.5). An
// unsealed one is nothing.
func TestImportSecondSealedBlock(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, engine := net.Chain(t)
	unsealed := net.Build(t, chain, 1)
	second := net.Seal(t, chain, unsealed, 1)
	net.Extend(t, chain, 1)
	head := chain.CurrentBlock().Hash()
	im, o, ses := startImporter(t, chain, engine)
	im.enqueue(arrival{unsealed, ses})
	im.enqueue(arrival{second, ses})
	if reason := next(t, o.halted); !strings.Contains(reason, second.Hash().String()) {
		t.Errorf("halted for %q", reason)
	}
	if len(o.halted) != 0 || chain.CurrentBlock().Hash() != head {
		t.Error("an unsealed block counts, or the head has changed")
	}
}

// A peer's head moves to the parent of what it pushes, never back (spec network 2.6).
func TestPushRaisesClaim(t *testing.T) {
	net := wbfttest.New(t, 1)
	source, _ := net.Chain(t)
	block := net.Extend(t, source, 3)[2]
	chain, engine := net.Chain(t)
	im, _, ses := startImporter(t, chain, engine)
	push := func(td int64) {
		if err := im.handleNewBlock(ses, &protocol.NewBlockPacket{Block: block, TD: big.NewInt(td)}); err != nil {
			t.Fatal(err)
		}
	}
	push(100)
	if head, td := ses.claim(); head != block.ParentHash() || td.Int64() != 99 {
		t.Errorf("claim %v %v, want the parent and 99", head, td)
	}
	push(50)
	if _, td := ses.claim(); td.Int64() != 99 {
		t.Errorf("claim went back to %v", td)
	}
}

// responses is the backend of a peer that only answers us.
type responses struct{ protocol.Backend }

// serve connects a peer that answers requests for headers and bodies from blocks, which start at number 1.
func serve(t *testing.T, s *sessions, chain *gethcore.BlockChain, blocks types.Blocks) *session {
	t.Helper()
	near, far := p2p.MsgPipe()
	t.Cleanup(func() { near.Close() })
	base, _ := testPeer(t)
	peer := protocol.NewPeer(protocol.ETH68, base, near, nil, nil, chain.Config())
	t.Cleanup(peer.Close)
	go protocol.Handle(responses{}, peer)
	go answer(far, blocks)
	ses := s.join(base)
	ses.shook(peer)
	ses.raise(blocks[len(blocks)-1].Hash(), totalDifficulty(chain, uint64(len(blocks))))
	return ses
}

// answer serves until the pipe is closed.
func answer(rw p2p.MsgReadWriter, blocks types.Blocks) error {
	for {
		msg, err := rw.ReadMsg()
		if err != nil {
			return err
		}
		switch msg.Code {
		case protocol.GetBlockHeadersMsg:
			var request protocol.GetBlockHeadersPacket
			if err := msg.Decode(&request); err != nil {
				return err
			}
			var headers []*types.Header
			for n := request.Origin.Number; n >= 1 && n <= uint64(len(blocks)) && uint64(len(headers)) < request.Amount; n++ {
				headers = append(headers, blocks[n-1].Header())
			}
			err = p2p.Send(rw, protocol.BlockHeadersMsg, []any{request.RequestId, headers})
		case protocol.GetBlockBodiesMsg:
			var request protocol.GetBlockBodiesPacket
			if err := msg.Decode(&request); err != nil {
				return err
			}
			err = p2p.Send(rw, protocol.BlockBodiesMsg, []any{request.RequestId, []rlp.RawValue{}})
		}
		if err != nil {
			return err
		}
	}
}

func startSyncer(t *testing.T, chain *gethcore.BlockChain, engine *wbft.Engine) (*syncer, *outcome) {
	t.Helper()
	o, s := newOutcome(), newSessions()
	sy := &syncer{
		chain: chain, engine: engine, sessions: s, gossip: &gossip{chain, s}, interval: time.Hour,
		pause: func(bool) {}, synced: o.sync, halt: o.halt, drop: o.drop, wake: make(chan struct{}, 1), wanted: make(chan wanted, 1),
	}
	return sy, o
}

// A node at genesis imports a chain longer than one request brings, through several epochs (spec network 2.7).
func TestSyncFromGenesis(t *testing.T) {
	net := wbfttest.New(t, 1)
	source, _ := net.Chain(t)
	blocks := net.Extend(t, source, headerBatch+bodyBatch+3)
	chain, engine := net.Chain(t)
	sy, _ := startSyncer(t, chain, engine)
	serve(t, sy.sessions, chain, blocks)
	sy.nudge()
	running(t, sy.run)
	awaitHead(t, chain, uint64(len(blocks)))
	if chain.CurrentBlock().Hash() != source.CurrentBlock().Hash() {
		t.Error("another head")
	}
}

// A peer that claims more than it has is believed once: afterwards its claim is what it gave (spec network 2.7).
func TestSyncFromLiar(t *testing.T) {
	net := wbfttest.New(t, 1)
	source, _ := net.Chain(t)
	blocks := net.Extend(t, source, 5)
	chain, engine := net.Chain(t)
	sy, o := startSyncer(t, chain, engine)
	liar := serve(t, sy.sessions, chain, blocks)
	liar.raise(blocks[4].Hash(), big.NewInt(1_000_000))
	sy.nudge()
	running(t, sy.run)
	awaitHead(t, chain, 5)
	next(t, o.synced)
	if _, td := liar.claim(); td.Cmp(totalDifficulty(chain, 5)) != 0 {
		t.Errorf("claim is still %v", td)
	}
}

// A header without good seals ends the sync and costs the peer its connection; nothing of its batch enters the chain.
func TestSyncRefusesForgedHeader(t *testing.T) {
	net := wbfttest.New(t, 4)
	source, _ := net.Chain(t)
	blocks := net.Extend(t, source, 6)
	seals := sealsOf(t, blocks[1])
	forged, err := blocks[3].Header().WithWBFTSeals(0, seals.PreparedSeal, seals.CommittedSeal)
	if err != nil {
		t.Fatal(err)
	}
	blocks[3] = blocks[3].WithSeal(forged)
	chain, engine := net.Chain(t)
	sy, o := startSyncer(t, chain, engine)
	serve(t, sy.sessions, chain, blocks)
	sy.nudge()
	running(t, sy.run)
	if reason := next(t, o.dropped); !strings.Contains(reason.Error(), "prepared seals") {
		t.Errorf("dropped for %v", reason)
	}
	if n := chain.CurrentBlock().Number.Uint64(); n != 0 {
		t.Errorf("head is %d, want 0", n)
	}
}

// Headers that are not linked are refused before anything of them is verified.
func TestSyncRefusesGaps(t *testing.T) {
	net := wbfttest.New(t, 1)
	source, _ := net.Chain(t)
	blocks := net.Extend(t, source, 6)
	blocks[2] = blocks[4]
	chain, engine := net.Chain(t)
	sy, o := startSyncer(t, chain, engine)
	serve(t, sy.sessions, chain, blocks)
	sy.nudge()
	running(t, sy.run)
	if reason := next(t, o.dropped); !errors.Is(reason, errBadAnswer) {
		t.Errorf("dropped for %v, want %v", reason, errBadAnswer)
	}
}

// A chain with another history is not followed, whatever it claims.
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
	sy, o := startSyncer(t, chain, engine)
	serve(t, sy.sessions, chain, blocks)
	sy.nudge()
	running(t, sy.run)
	next(t, o.dropped)
	if n := chain.CurrentBlock().Number.Uint64(); n != 1 || chain.CurrentBlock().Hash() != own.Hash() {
		t.Errorf("head is %d %v, want the own first block", n, chain.CurrentBlock().Hash())
	}
}
