// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"
	"math/big"
	"strings"
	"testing"
	"time"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"

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
