// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft"
)

// Bounds of short-range import (spec network 2.6).
const (
	maxAhead      = 32  // blocks further ahead come by sync
	maxBehind     = 7   // blocks further behind are ignored
	maxQueued     = 128 // blocks waiting for their parent
	announceDelay = 450 * time.Millisecond
	maxFetches    = 64 // announced blocks being fetched
	maxFutureWait = 5 * time.Second
)

var (
	importedMeter  = metrics.NewRegisteredMeter("gwon/import/blocks", nil)
	refusedMeter   = metrics.NewRegisteredMeter("gwon/import/refused", nil)
	violationGauge = metrics.NewRegisteredGauge("gwon/safety/violations", nil)
)

// arrival is a block from a peer.
type arrival struct {
	block *types.Block
	from  *session
}

// announcement is a block a peer says it has.
type announcement struct {
	hash   common.Hash
	number uint64
	from   *session
}

// importer brings blocks that peers push or announce into the chain, one at a time, and passes them on. Only its goroutine
// touches the queue.
type importer struct {
	chain  *core.BlockChain
	engine *wbft.Engine
	gossip *gossip
	halt   func(reason string)
	behind func(ses *session, number uint64) // called when blocks before this one, which the peer has, are missing

	allow func(*types.Header) error // refuses blocks; errNotReady while none is taken; nil allows all

	arrivals chan arrival
	announce chan announcement
	fetches  chan struct{} // a token for each fetch that may run
	queue    map[common.Hash]arrival
	drop     func(ses *session, reason error)
}

func newImporter(chain *core.BlockChain, engine *wbft.Engine, g *gossip, drop func(*session, error), halt func(string), behind func(*session, uint64)) *importer {
	return &importer{
		chain: chain, engine: engine, gossip: g, halt: halt, behind: behind, drop: drop,
		arrivals: make(chan arrival, maxQueued),
		announce: make(chan announcement, 256),
		fetches:  make(chan struct{}, maxFetches),
		queue:    make(map[common.Hash]arrival),
	}
}

// handleNewBlock takes a block a peer pushed. A body that does not belong to its header is ignored, as the reference does.
func (im *importer) handleNewBlock(ses *session, packet *eth.NewBlockPacket) error {
	if err := packet.CheckBody(); err != nil {
		ses.peer.Log().Debug("Pushed block ignored", "err", err)
		return nil
	}
	hash := packet.Block.Hash()
	ses.blocks.Add(hash, struct{}{})
	// What the peer certainly has is the parent (spec network 2.6).
	ses.raise(packet.Block.ParentHash(), new(big.Int).Sub(packet.TD, packet.Block.Difficulty()))
	im.enqueue(arrival{packet.Block, ses})
	return nil
}

func (im *importer) enqueue(a arrival) {
	select {
	case im.arrivals <- a:
	default: // announcements and sync bring the block again
	}
}

// handleNewHashes takes announcements.
func (im *importer) handleNewHashes(ses *session, packet eth.NewBlockHashesPacket) error {
	for _, a := range packet {
		ses.blocks.Add(a.Hash, struct{}{})
		head := im.chain.CurrentBlock().Number.Uint64()
		if a.Number+maxBehind < head || a.Number > head+maxAhead || im.chain.HasBlock(a.Hash, a.Number) {
			continue
		}
		select {
		case im.announce <- announcement{a.Hash, a.Number, ses}:
		default:
		}
	}
	return nil
}

func (im *importer) run(ctx context.Context) {
	heads := make(chan core.ChainHeadEvent, 16)
	sub := im.chain.SubscribeChainHeadEvent(heads)
	defer sub.Unsubscribe()
	fetching := make(map[common.Hash]struct{})
	fetched := make(chan common.Hash, maxFetches)
	for {
		select {
		case a := <-im.arrivals:
			im.admit(ctx, a)
		case <-heads:
		case an := <-im.announce:
			if _, busy := fetching[an.hash]; busy || len(fetching) >= maxFetches {
				continue
			}
			fetching[an.hash] = struct{}{}
			go func() {
				defer func() { fetched <- an.hash }()
				im.fetch(ctx, an)
			}()
		case hash := <-fetched:
			delete(fetching, hash)
		case <-ctx.Done():
			return
		case <-sub.Err():
			return
		}
		im.drain(ctx)
	}
}

// fetch brings an announced block unless it arrives by itself first.
func (im *importer) fetch(ctx context.Context, an announcement) {
	timer := time.NewTimer(announceDelay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return
	}
	p := an.from.up()
	if p == nil || im.chain.HasBlock(an.hash, an.number) {
		return
	}
	header, err := headerByHash(ctx, an.from, p, an.hash)
	if err == nil && header.Number.Uint64() != an.number {
		err = fmt.Errorf("%w: announced as block %d, is block %d", errBadAnswer, an.number, header.Number)
	}
	if err != nil {
		p.Log().Debug("Cannot fetch an announced block", "number", an.number, "hash", an.hash, "err", err)
		return
	}
	blocks, err := blocksOf(ctx, an.from, p, []*types.Header{header})
	if err != nil || len(blocks) == 0 {
		p.Log().Debug("Cannot fetch the body of an announced block", "number", an.number, "hash", an.hash, "err", err)
		return
	}
	select {
	case im.arrivals <- arrival{blocks[0], an.from}:
	case <-ctx.Done():
	}
}

// admit puts a block into the queue if it can become the next ones.
func (im *importer) admit(ctx context.Context, a arrival) {
	head, number := im.chain.CurrentBlock().Number.Uint64(), a.block.NumberU64()
	switch {
	case number <= head:
		im.checkFinal(a)
	case number > head+maxAhead:
		im.behind(a.from, number)
	case len(im.queue) < maxQueued:
		im.queue[a.block.Hash()] = a
		if number > head+1 {
			im.behind(a.from, number)
		}
	}
}

// drain imports what fits on the head and forgets what no longer can.
func (im *importer) drain(ctx context.Context) {
	for {
		head := im.chain.CurrentBlock()
		hash, number := head.Hash(), head.Number.Uint64()
		var next *arrival
		for key, a := range im.queue {
			switch {
			case a.block.NumberU64() <= number:
				delete(im.queue, key)
				im.checkFinal(a)
			case a.block.ParentHash() == hash:
				next = &a
			}
		}
		if next == nil {
			return
		}
		delete(im.queue, next.block.Hash())
		im.insert(ctx, *next)
		if im.chain.CurrentBlock().Hash() == hash {
			return
		}
	}
}

// insert verifies a child of the head, passes it on, executes it and announces it.
func (im *importer) insert(ctx context.Context, a arrival) {
	header := a.block.Header()
	if im.allow != nil {
		if err := im.allow(header); errors.Is(err, errNotReady) {
			return
		} else if err != nil {
			im.drop(a.from, err)
			return
		}
	}
	switch err := im.engine.VerifyHeader(im.chain, header); {
	case errors.Is(err, consensus.ErrFutureBlock):
		wait := im.engine.FutureBy(header)
		if wait > maxFutureWait {
			log.Warn("Block from the future ignored: check this machine's clock", "number", header.Number, "ahead", wait)
			return
		}
		time.AfterFunc(wait+time.Millisecond, func() { im.enqueue(a) })
		return
	case errors.Is(err, consensus.ErrUnknownAncestor):
		im.behind(a.from, header.Number.Uint64())
		return
	case err != nil:
		refusedMeter.Mark(1)
		im.drop(a.from, fmt.Errorf("block %d: %w", header.Number, err))
		return
	}
	im.gossip.push(a.block)
	if _, err := im.chain.InsertChain(types.Blocks{a.block}); err != nil {
		// Its seals are good: the network decided on a block that this node cannot accept.
		im.halt(fmt.Sprintf("block %d [%v], sealed by a quorum, is refused here: %v", header.Number, header.Hash(), err))
		return
	}
	if im.chain.GetCanonicalHash(header.Number.Uint64()) != header.Hash() {
		return // the chain is being stopped
	}
	importedMeter.Mark(1)
	im.gossip.announce(header)
}

// checkFinal reports a second sealed block at a height that is decided: two quorums have voted for different blocks.
func (im *importer) checkFinal(a arrival) {
	number := a.block.NumberU64()
	if number == 0 || im.chain.GetCanonicalHash(number) == a.block.Hash() {
		return
	}
	if im.engine.VerifyHeader(im.chain, a.block.Header()) != nil {
		return
	}
	violationGauge.Inc(1)
	im.halt(fmt.Sprintf("safety violation: block %d is %v here, but a quorum has also sealed %v", number, im.chain.GetCanonicalHash(number), a.block.Hash()))
}
