// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package blockgossip

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft"
	"gwon/eth/checkpoint"
	"gwon/eth/session"
	"gwon/internal/feed"
)

// Limits of short-range import (spec network 2.6).
const (
	maxAhead  = 32 // blocks further ahead are ignored: sync brings them
	maxBehind = 7  // blocks further behind are ignored
)

var (
	importedMeter = metrics.NewRegisteredMeter("gwon/import/blocks", nil)
	refusedMeter  = metrics.NewRegisteredMeter("gwon/import/refused", nil)
	heldMeter     = metrics.NewRegisteredMeter("gwon/import/held", nil)
)

var errForged = errors.New("no quorum has sealed the block")

// Follower brings the blocks that do not come one by one.
type Follower interface {
	// Claimed is called after a peer has claimed something new.
	Claimed()
	// Shown is called for a block with unknown ancestors.
	Shown(ses *session.Session, header *types.Header, sealed bool)
	// Allow refuses headers. It returns checkpoint.ErrNotReady while no block can be imported.
	Allow(header *types.Header) error
}

// Importer brings blocks that peers push or announce into the chain, one at a time, and passes them on. Blocks wait in
// a queue, the judge decides about headers, and the fetcher requests what peers announce.
type Importer struct {
	judge
	gossip *Gossip
	ahead  Follower
	wake   chan struct{}
	answer time.Duration                        // that a peer has for what it has announced
	pooled func(common.Hash) *types.Transaction // finds transactions of the pool; nil for none

	queue    *queue
	fetcher  *fetcher
	decoding sync.Mutex // held while a large block is decoded
}

// NewImporter returns an importer that is idle before Run. The function drop disconnects a peer that broke the rules;
// pooled, which may be nil, finds transactions in the pool.
func NewImporter(
	chain *gethcore.BlockChain, engine *wbft.Engine, g *Gossip, s *Safety,
	drop func(*session.Session, error), ahead Follower, pooled func(common.Hash) *types.Transaction,
) *Importer {
	im := &Importer{
		judge:  judge{chain: chain, engine: engine, safety: s, drop: drop},
		gossip: g, ahead: ahead, pooled: pooled,
		wake:   make(chan struct{}, 1),
		answer: 5 * time.Second,
	}
	im.queue = newQueue(im.nudge)
	im.fetcher = newFetcher(im.wanted, im.get, im.nudge)
	return im
}

// near reports whether the number of a block is close enough to the head.
func (im *Importer) near(number uint64) bool {
	head := im.chain.CurrentBlock().Number.Uint64()
	return number > 0 && number+maxBehind >= head && number <= head+maxAhead
}

// has reports whether a block is in the chain.
func (im *Importer) has(hash common.Hash, number uint64) bool {
	return im.chain.GetCanonicalHash(number) == hash || im.chain.HasBlock(hash, number)
}

// HandleNewHashes handles announcements. An honest peer announces a block or two at a time, so further entries of a
// long list are ignored.
func (im *Importer) HandleNewHashes(ses *session.Session, packet protocol.NewBlockHashesPacket) error {
	for _, a := range packet[:min(len(packet), maxPeerHashes)] {
		ses.Has(a.Hash)
		if im.wanted(ses, a) {
			im.fetcher.announced(ses, a)
		}
	}
	return nil
}

// wanted reports whether an announced block is near the head, not in the chain, and does not wait already.
func (im *Importer) wanted(ses *session.Session, a protocol.BlockAnnouncement) bool {
	return im.near(a.Number) && !im.has(a.Hash, a.Number) && !im.engine.Holds(a.Hash) && !im.queue.contains(a.Hash, ses)
}

// enqueue keeps a block until it is a child of the head. Without room the block is dropped, and announcements or sync
// bring it again.
func (im *Importer) enqueue(a arrival) {
	im.keep(a)
	im.shown(a, a.block.Header())
}

// keep adds a block to the queue if it fits.
func (im *Importer) keep(a arrival) { im.queue.add(a, im.child(a.block.Header())) }

// shown reports a block whose parent is missing.
func (im *Importer) shown(a arrival, header *types.Header) {
	if header.Number.Uint64() > im.chain.CurrentBlock().Number.Uint64()+1 {
		im.ahead.Shown(a.from, header, a.sealed)
	}
}

// child reports whether a header is that of a child of the head.
func (im *Importer) child(header *types.Header) bool {
	return header.ParentHash == im.chain.CurrentBlock().Hash()
}

// nudge makes Run look at the queue and the announcements.
func (im *Importer) nudge() {
	select {
	case im.wake <- struct{}{}:
	default:
	}
}

// Run brings blocks into the chain until ctx ends.
func (im *Importer) Run(ctx context.Context) {
	// The imports of this goroutine make events themselves.
	heads, sub := feed.Relay(im.chain.SubscribeChainHeadEvent, 1)
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
		case err := <-sub.Err(): // nil once the chain has stopped
			if err != nil {
				log.Error("Subscription to heads ended", "err", err)
			}
			return
		}
		for _, a := range im.fetcher.unfetched() {
			fetches.Go(func() { im.fetcher.fetch(ctx, a) })
		}
		if wait := im.drain(ctx); wait > 0 {
			timer.Reset(wait)
		}
	}
}

// get asks one peer for the header and the body of a block and puts it into the queue.
func (im *Importer) get(ctx context.Context, ses *session.Session, a protocol.BlockAnnouncement) error {
	p := ses.Up()
	if p == nil {
		return session.ErrPeerGone
	}
	ctx, cancel := context.WithTimeout(ctx, im.answer)
	defer cancel()
	header, err := session.HeaderByHash(ctx, ses, p, a.Hash)
	if err != nil {
		return err
	}
	if header.Number.Uint64() != a.Number {
		err := fmt.Errorf("%w: announced as block %d, is block %d", session.ErrBadAnswer, a.Number, header.Number)
		im.refuse(ses, err)
		return err
	}
	is := im.admit(ses, header)
	switch is {
	case forged:
		return errForged // another peer's copy may have other seals
	case unacceptable, past:
		return nil
	}
	blocks, err := session.BlocksOf(ctx, ses, p, []*types.Header{header})
	if errors.Is(err, session.ErrBadAnswer) {
		im.refuse(ses, err)
	}
	if err != nil {
		return err
	}
	if len(blocks) == 0 {
		return fmt.Errorf("%w: no body", session.ErrBadAnswer)
	}
	im.enqueue(arrival{block: blocks[0], from: ses, sealed: is == sealed})
	return nil
}

// drain imports the children of the head and drops stale blocks. It returns the time until the next call, 0 to wait
// for an event.
func (im *Importer) drain(ctx context.Context) time.Duration {
	for {
		head := im.chain.CurrentBlock()
		next, passed, wait := im.queue.take(head)
		for _, a := range passed {
			if err := im.safety.Conflict(a.block.Header()); err != nil {
				im.refuse(a.from, fmt.Errorf("block %d: %w", a.block.Number(), err))
			}
		}
		if next == nil {
			return wait
		}
		im.insert(ctx, *next)
	}
}

// insert verifies a child of the head, passes it on, executes it and announces it.
func (im *Importer) insert(ctx context.Context, a arrival) {
	header := a.block.Header()
	if im.engine.Holds(header.Hash()) {
		return
	}
	if err := im.ahead.Allow(header); errors.Is(err, checkpoint.ErrNotReady) {
		return
	} else if err != nil {
		im.refuse(a.from, err)
		return
	}
	switch im.admit(a.from, header) {
	case sealed:
	case open:
		im.ahead.Shown(a.from, header, false)
		return
	default:
		return
	}
	if wait := im.engine.FutureBy(header); wait > 0 {
		im.postpone(a, wait)
		return
	}
	im.gossip.push(a.block, nil)
	types.AdoptSigners(a.block.Transactions(), im.pooled)
	if _, err := im.chain.InsertChain(types.Blocks{a.block}); errors.Is(err, consensus.ErrFutureBlock) {
		im.postpone(a, im.engine.FutureBy(header)) // the clock was set back in between
		return
	} else if errors.Is(err, wbft.ErrHeld) {
		heldMeter.Mark(1)
		log.Warn("Sealed block held", "number", header.Number, "hash", header.Hash(), "bytes", uint64(a.block.Size()),
			"reason", err)
		return
	} else if err != nil {
		if ctx.Err() == nil {
			im.safety.Refused(a.block, err)
		}
		return
	}
	if im.chain.GetCanonicalHash(header.Number.Uint64()) != header.Hash() {
		return // the chain is being stopped
	}
	importedMeter.Mark(1)
	im.tell(a.block)
	im.gossip.Announce(header)
}

// tell writes a line about an imported block.
func (im *Importer) tell(block *types.Block) {
	set, err := im.engine.ValidatorsFor(im.chain, block.Header())
	if err != nil {
		log.Warn("Validators of an imported block not readable", "number", block.Number(), "err", err)
		return
	}
	log.Info("Block imported", wbft.BlockKeys(im.chain, block, set, time.Now())...)
}

// postpone keeps a block until its time has come, unless that is far.
func (im *Importer) postpone(a arrival, wait time.Duration) {
	if wait > 5*time.Second {
		log.Warn("Block from the future ignored: check this machine's clock", "number", a.block.Number(), "ahead", wait)
		return
	}
	a.due = time.Now().Add(wait + time.Millisecond)
	im.keep(a)
}
