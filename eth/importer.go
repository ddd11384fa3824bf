// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sync"
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

// Bounds of short-range import (spec network 2.6). Those of a peer are its own: one that fills them keeps nobody else out.
const (
	maxAhead      = 32  // blocks further ahead are ignored: sync brings them
	maxBehind     = 7   // blocks further behind are ignored
	maxPeerBlocks = 64  // blocks of one peer waiting for their parent or their time
	maxPeerHashes = 256 // blocks announced by one peer that are yet to be fetched
	announceDelay = 450 * time.Millisecond
	fetchTimeout  = 5 * time.Second
	maxFutureWait = 5 * time.Second

	// Encoded bytes of waiting blocks. A peer may always have one, which the protocol bounds by 10 MiB. The bound for all
	// peers together does not hold for a child of the head, so that those who fill it cannot stop the chain.
	maxPeerBytes  = 12 << 20
	maxQueueBytes = 64 << 20
)

var (
	importedMeter = metrics.NewRegisteredMeter("gwon/import/blocks", nil)
	refusedMeter  = metrics.NewRegisteredMeter("gwon/import/refused", nil)
)

// arrival is a block from a peer.
type arrival struct {
	block *types.Block
	from  *session
	due   time.Time // not to be looked at before; zero for any time
}

// arrivalKey names an arrival. Copies of a block from several peers are kept apart: their seals may differ in worth under one
// hash (spec wbft 1.4).
type arrivalKey struct {
	hash common.Hash
	from *session
}

// offer is a block that peers say they have.
type offer struct {
	from []*session // those that are yet to be asked
}

// claims is what the importer holds of one peer. It is guarded by the importer's lock.
type claims struct {
	blocks, bytes, hashes int
}

// importer brings blocks that peers push or announce into the chain, one at a time, and passes them on.
type importer struct {
	chain  *core.BlockChain
	engine *wbft.Engine
	gossip *gossip
	safety *safety
	drop   func(ses *session, reason error)
	behind func(ses *session, number uint64) // called when blocks before this one, which the peer has, are missing
	allow  func(*types.Header) error         // refuses blocks; errNotReady while none is taken; nil allows all
	wake   chan struct{}
	pooled func(common.Hash) *types.Transaction // finds transactions of the pool; nil for none

	mu     sync.Mutex
	queue  map[arrivalKey]arrival
	bytes  int                              // of queue
	offers map[eth.BlockAnnouncement]*offer // being fetched
	fresh  []eth.BlockAnnouncement          // of offers, those that nobody fetches yet
}

func newImporter(chain *core.BlockChain, engine *wbft.Engine, g *gossip, s *safety, drop func(*session, error), behind func(*session, uint64)) *importer {
	return &importer{
		chain: chain, engine: engine, gossip: g, safety: s, drop: drop, behind: behind,
		wake:   make(chan struct{}, 1),
		queue:  make(map[arrivalKey]arrival),
		offers: make(map[eth.BlockAnnouncement]*offer),
	}
}

// handleNewBlock takes a block a peer pushed. A body that does not belong to its header is ignored, as the reference does.
func (im *importer) handleNewBlock(ses *session, packet *eth.NewBlockPacket) error {
	hash, number := packet.Block.Hash(), packet.Block.NumberU64()
	ses.blocks.Add(hash, struct{}{})
	if !im.near(number) || im.has(hash, number) {
		im.raise(ses, packet)
		return nil
	}
	if err := packet.CheckBody(); err != nil {
		ses.peer.Log().Debug("Pushed block ignored", "err", err)
		return nil
	}
	im.raise(ses, packet)
	im.enqueue(arrival{block: packet.Block, from: ses})
	return nil
}

// raise notes what the pushing peer certainly has: the parent (spec network 2.6).
func (im *importer) raise(ses *session, packet *eth.NewBlockPacket) {
	ses.raise(packet.Block.ParentHash(), new(big.Int).Sub(packet.TD, packet.Block.Difficulty()))
}

// near tells whether a block of this number is of interest here.
func (im *importer) near(number uint64) bool {
	head := im.chain.CurrentBlock().Number.Uint64()
	return number > 0 && number+maxBehind >= head && number <= head+maxAhead
}

// has tells whether a block is in the chain.
func (im *importer) has(hash common.Hash, number uint64) bool {
	return im.chain.GetCanonicalHash(number) == hash || im.chain.HasBlock(hash, number)
}

// handleNewHashes takes announcements. An honest peer announces a block or two at a time, so the rest of a long list is not
// even looked at.
func (im *importer) handleNewHashes(ses *session, packet eth.NewBlockHashesPacket) error {
	for _, a := range packet[:min(len(packet), maxPeerHashes)] {
		ses.blocks.Add(a.Hash, struct{}{})
		if im.near(a.Number) && !im.has(a.Hash, a.Number) {
			im.offered(ses, a)
		}
	}
	return nil
}

// offered notes that a peer can be asked for a block.
func (im *importer) offered(ses *session, a eth.BlockAnnouncement) {
	im.mu.Lock()
	defer im.mu.Unlock()
	if ses.claims.hashes == maxPeerHashes {
		return
	}
	o := im.offers[a]
	if o == nil {
		o = new(offer)
		im.offers[a] = o
		im.fresh = append(im.fresh, a)
		im.nudge()
	} else if slices.Contains(o.from, ses) {
		return
	}
	o.from = append(o.from, ses)
	ses.claims.hashes++
}

// enqueue keeps a block until it is a child of the head, unless its peer has too many waiting: announcements and sync bring it
// again.
func (im *importer) enqueue(a arrival) {
	head, number := im.chain.CurrentBlock().Number.Uint64(), a.block.NumberU64()
	if !im.near(number) {
		return
	}
	if im.keep(a, number <= head+1) && number > head+1 {
		im.behind(a.from, number)
	}
}

// keep puts a block into the queue if there is room.
func (im *importer) keep(a arrival, urgent bool) bool {
	im.mu.Lock()
	defer im.mu.Unlock()
	key, size, c := arrivalKey{a.block.Hash(), a.from}, int(a.block.Size()), &a.from.claims
	_, known := im.queue[key]
	full := c.blocks >= maxPeerBlocks || c.blocks > 0 && c.bytes+size > maxPeerBytes || !urgent && im.bytes+size > maxQueueBytes
	if known || full {
		return false
	}
	im.queue[key] = a
	im.bytes += size
	c.blocks++
	c.bytes += size
	im.nudge()
	return true
}

// release takes a block out of the queue. The lock is held.
func (im *importer) release(key arrivalKey) {
	a := im.queue[key]
	delete(im.queue, key)
	size := int(a.block.Size())
	im.bytes -= size
	a.from.claims.blocks--
	a.from.claims.bytes -= size
}

func (im *importer) nudge() {
	select {
	case im.wake <- struct{}{}:
	default:
	}
}

func (im *importer) run(ctx context.Context) {
	heads := make(chan core.ChainHeadEvent, 16)
	sub := im.chain.SubscribeChainHeadEvent(heads)
	defer sub.Unsubscribe()
	var fetches sync.WaitGroup
	defer fetches.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-im.wake:
		case <-heads:
		case <-timer.C:
		case <-ctx.Done():
			return
		case <-sub.Err():
			return
		}
		for _, a := range im.unfetched() {
			fetches.Go(func() { im.fetch(ctx, a) })
		}
		if wait := im.drain(ctx); wait > 0 {
			timer.Reset(wait)
		}
	}
}

// unfetched returns the announced blocks that nobody fetches yet.
func (im *importer) unfetched() []eth.BlockAnnouncement {
	im.mu.Lock()
	defer im.mu.Unlock()
	fresh := im.fresh
	im.fresh = nil
	return fresh
}

// fetch brings an announced block unless it arrives by itself first. It asks one peer that has announced it after the other.
func (im *importer) fetch(ctx context.Context, a eth.BlockAnnouncement) {
	timer := time.NewTimer(announceDelay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return
	}
	for ses := im.announcer(a); ses != nil; ses = im.announcer(a) {
		done := !im.near(a.Number) || im.has(a.Hash, a.Number)
		if !done {
			err := im.fetchFrom(ctx, ses, a)
			if err != nil && ctx.Err() == nil {
				ses.peer.Log().Debug("Cannot fetch an announced block", "number", a.Number, "hash", a.Hash, "err", err)
			}
			done = err == nil
		}
		im.asked(ses, a, done)
	}
}

// announcer returns the next peer to ask for a block. When there is none the block is not on offer any more.
func (im *importer) announcer(a eth.BlockAnnouncement) *session {
	im.mu.Lock()
	defer im.mu.Unlock()
	o := im.offers[a]
	if len(o.from) == 0 {
		delete(im.offers, a)
		return nil
	}
	return o.from[0]
}

// asked ends the turn of a peer, and of all others when the block is there.
func (im *importer) asked(ses *session, a eth.BlockAnnouncement, done bool) {
	im.mu.Lock()
	defer im.mu.Unlock()
	o := im.offers[a]
	past := o.from[:1]
	if done {
		past = o.from
	}
	for _, ses := range past {
		ses.claims.hashes--
	}
	o.from = o.from[len(past):]
}

// fetchFrom asks one peer for the header and the body of a block and puts it into the queue.
func (im *importer) fetchFrom(ctx context.Context, ses *session, a eth.BlockAnnouncement) error {
	p := ses.up()
	if p == nil {
		return errPeerGone
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	header, err := headerByHash(ctx, ses, p, a.Hash)
	if err != nil {
		return err
	}
	if header.Number.Uint64() != a.Number {
		err := fmt.Errorf("%w: announced as block %d, is block %d", errBadAnswer, a.Number, header.Number)
		im.drop(ses, err)
		return err
	}
	if err := im.verify(header); err != nil {
		im.refuse(ses, header, err)
		return err
	}
	blocks, err := blocksOf(ctx, ses, p, []*types.Header{header})
	if err != nil {
		return err
	}
	if len(blocks) == 0 {
		return fmt.Errorf("%w: no body", errBadAnswer)
	}
	im.enqueue(arrival{block: blocks[0], from: ses})
	return nil
}

// verify checks a header as far as it can be now. No error means that it is valid, or that it came too early to tell.
func (im *importer) verify(header *types.Header) error {
	err := im.engine.VerifyHeader(im.chain, header)
	if errors.Is(err, consensus.ErrFutureBlock) || errors.Is(err, consensus.ErrUnknownAncestor) {
		return nil
	}
	return err
}

// refuse deals with an invalid header. That is its sender's fault (spec network 2.6), unless a quorum has sealed it.
func (im *importer) refuse(ses *session, header *types.Header, err error) {
	refusedMeter.Mark(1)
	if im.engine.Sealed(im.chain, []*types.Header{header}) == nil {
		im.safety.refused(types.NewBlockWithHeader(header), err)
		return
	}
	im.drop(ses, fmt.Errorf("block %d: %w", header.Number, err))
}

// drain imports what fits on the head and forgets what no longer can. It returns when it wants to be called again, 0 for when
// something happens.
func (im *importer) drain(ctx context.Context) time.Duration {
	for {
		head := im.chain.CurrentBlock()
		next, passed, wait := im.pick(head)
		for _, a := range passed {
			if err := im.safety.conflict(a.block.Header()); err != nil {
				refusedMeter.Mark(1)
				im.drop(a.from, fmt.Errorf("block %d: %w", a.block.Number(), err))
			}
		}
		if next == nil {
			return wait
		}
		im.insert(ctx, *next)
	}
}

// pick takes out of the queue a child of the head, if there is one whose time has come, and everything that the head has
// passed. wait is the time until the next block is due, 0 if none is.
func (im *importer) pick(head *types.Header) (next *arrival, passed []arrival, wait time.Duration) {
	hash, number, now := head.Hash(), head.Number.Uint64(), time.Now()
	im.mu.Lock()
	defer im.mu.Unlock()
	for key, a := range im.queue {
		switch {
		case a.from.gone():
			im.release(key)
		case a.block.NumberU64() <= number:
			im.release(key)
			passed = append(passed, a)
		case a.block.ParentHash() != hash:
		case a.due.After(now):
			if left := a.due.Sub(now); wait == 0 || left < wait {
				wait = left
			}
		case next == nil:
			next = &a
		}
	}
	if next != nil {
		im.release(arrivalKey{next.block.Hash(), next.from})
	}
	return next, passed, wait
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
		a.due = time.Now().Add(wait + time.Millisecond)
		im.keep(a, true)
		return
	case errors.Is(err, consensus.ErrUnknownAncestor):
		im.behind(a.from, header.Number.Uint64())
		return
	case err != nil:
		im.refuse(a.from, header, err)
		return
	}
	im.gossip.push(a.block)
	types.AdoptSigners(a.block.Transactions(), im.pooled)
	if _, err := im.chain.InsertChain(types.Blocks{a.block}); err != nil {
		if ctx.Err() == nil {
			im.safety.refused(a.block, err)
		}
		return
	}
	if im.chain.GetCanonicalHash(header.Number.Uint64()) != header.Hash() {
		return // the chain is being stopped
	}
	importedMeter.Mark(1)
	im.gossip.announce(header)
}
