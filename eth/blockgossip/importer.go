// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package blockgossip

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
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft"
	"gwon/core/rules"
	"gwon/eth/checkpoint"
	"gwon/eth/session"
)

// Limits of short-range import (spec network 2.6). Each peer has its own share, so a full one excludes no other peer.
const (
	maxAhead      = 32  // blocks further ahead are ignored: sync brings them
	maxBehind     = 7   // blocks further behind are ignored
	maxPeerBlocks = 64  // blocks of one peer that wait and that nobody can judge yet
	maxPeerHashes = 256 // blocks announced by one peer that are yet to be fetched
	announceDelay = 450 * time.Millisecond
	nextAnnouncer = 500 * time.Millisecond // without an answer until another one is asked as well
	fetchTimeout  = 5 * time.Second
	maxFutureWait = 5 * time.Second

	// A peer pushes each block once, about one a second; go-stablenet pushes a few twice (spec network 2.6). Honest
	// peers push at most 25 blocks far behind, during a sync or from a stalled connection. Blocks far ahead come as long
	// as this node is behind.
	pushedAtOnce   = 64
	pushedEach     = time.Second / 2
	staleAtOnce    = 64
	staleEach      = 10 * time.Second
	largeBlock     = 1 << 20 // bytes of a block from which on one is decoded at a time
	bytesOfDecoded = 400     // that a decoded transaction takes beside its encoding

	// Memory in bytes of waiting decoded blocks. Of sealed blocks one copy is kept; the single child of the head always
	// has room. Unsealed blocks have their own limit, and each peer may have one, of at most 10 MiB, below the total.
	maxSealedBytes = 64 << 20
	maxPeerBytes   = 12 << 20
	maxOpenBytes   = 32 << 20
)

var (
	importedMeter  = metrics.NewRegisteredMeter("gwon/import/blocks", nil)
	refusedMeter   = metrics.NewRegisteredMeter("gwon/import/refused", nil)
	pushedMeter    = metrics.NewRegisteredMeter("gwon/import/refused/pushed", nil)
	staleMeter     = metrics.NewRegisteredMeter("gwon/import/refused/stale", nil)
	gasMeter       = metrics.NewRegisteredMeter("gwon/import/refused/gas", nil)
	noRoomMeter    = metrics.NewRegisteredMeter("gwon/import/noroom", nil)
	malformedMeter = metrics.NewRegisteredMeter("gwon/import/malformed", nil)
)

var errForged = errors.New("no quorum has sealed the block")

// arrival is a block from a peer that has passed the gate and waits for its parent or its time.
type arrival struct {
	block  *types.Block
	from   *session.Session
	sealed bool      // a quorum has sealed it; otherwise that cannot be told yet
	due    time.Time // not to be looked at before; zero for any time
}

// key names an arrival. Sealed copies are all the same. Others are kept apart: their seals may differ in worth under
// one hash (spec wbft 1.4).
func (a *arrival) key() arrivalKey {
	if a.sealed {
		return arrivalKey{a.block.Hash(), nil}
	}
	return arrivalKey{a.block.Hash(), a.from}
}

type arrivalKey struct {
	hash common.Hash
	from *session.Session
}

// offer is a block that peers say they have.
type offer struct {
	from  []*session.Session // those that have not failed, the first ones being asked
	asked int                // how many are
}

// load is the content that the importer holds for one peer: blocks without a verdict, their bytes, and announcements.
type load struct {
	blocks, bytes, hashes int
}

// Follower brings the blocks that do not come one by one.
type Follower interface {
	// Claimed is called after a peer has claimed something new.
	Claimed()
	// Shown is called for a block with unknown ancestors.
	Shown(ses *session.Session, header *types.Header, sealed bool)
	// Allow refuses headers. It returns checkpoint.ErrNotReady while no block can be imported.
	Allow(header *types.Header) error
}

// Importer brings blocks that peers push or announce into the chain, one at a time, and passes them on.
type Importer struct {
	chain  *gethcore.BlockChain
	engine *wbft.Engine
	gossip *Gossip
	safety *Safety
	drop   func(ses *session.Session, reason error)
	ahead  Follower
	wake   chan struct{}
	answer time.Duration                        // that a peer has for what it has announced
	pooled func(common.Hash) *types.Transaction // finds transactions of the pool; nil for none

	decoding sync.Mutex // held while a large block is decoded

	mu          sync.Mutex
	queue       map[arrivalKey]arrival
	sealedBytes int // of queue
	openBytes   int
	loads       map[*session.Session]*load            // without those that are zero
	offers      map[protocol.BlockAnnouncement]*offer // being fetched
	fresh       []protocol.BlockAnnouncement          // of offers, those that nobody fetches yet
}

// NewImporter returns an importer that is idle before Run. The function drop disconnects a peer that broke the rules;
// pooled, which may be nil, finds transactions in the pool.
func NewImporter(
	chain *gethcore.BlockChain, engine *wbft.Engine, g *Gossip, s *Safety,
	drop func(*session.Session, error), ahead Follower, pooled func(common.Hash) *types.Transaction,
) *Importer {
	return &Importer{
		chain: chain, engine: engine, gossip: g, safety: s, drop: drop, ahead: ahead, pooled: pooled,
		wake:   make(chan struct{}, 1),
		answer: fetchTimeout,
		queue:  make(map[arrivalKey]arrival),
		loads:  make(map[*session.Session]*load),
		offers: make(map[protocol.BlockAnnouncement]*offer),
	}
}

// HandleNewBlock takes a block that a peer pushed. Its transactions are decoded last, when nothing else speaks against
// the block.
func (im *Importer) HandleNewBlock(ses *session.Session, packet *protocol.NewBlockPacket) error {
	if !ses.Pushed.Spend(pushedAtOnce, pushedEach) {
		pushedMeter.Mark(1)
		im.refuse(ses, fmt.Errorf("pushed more than %d blocks, and then one in %v", pushedAtOnce, pushedEach))
		return nil
	}
	outline, err := rules.OutlineBlock(packet.Block)
	if err == nil && len(outline.Header.Extra) > rules.MaxExtra {
		// No node of the network takes such a block by a push. Whoever has it announces it, too.
		if !ses.Stale.Spend(staleAtOnce, staleEach) {
			staleMeter.Mark(1)
			im.refuse(ses, fmt.Errorf("pushed more than %d blocks that nobody takes, the last with %d bytes of extra data",
				staleAtOnce, len(outline.Header.Extra)))
		}
		return nil
	}
	if err == nil {
		err = outline.Header.SanityCheck()
	}
	if err != nil {
		malformedMeter.Mark(1)
		im.refuse(ses, fmt.Errorf("pushed block is malformed: %w", err))
		return nil
	}
	header := outline.Header
	hash, number := header.Hash(), header.Number.Uint64()
	ses.Has(hash)
	if want := session.TotalDifficulty(im.chain, number); packet.TD.Cmp(want) != 0 {
		im.refuse(ses, fmt.Errorf("pushed block %d with total difficulty %v, it is %v", number, packet.TD, want))
		return nil
	}
	if !im.near(number) {
		if head := im.chain.CurrentBlock().Number.Uint64(); number < head && !ses.Stale.Spend(staleAtOnce, staleEach) {
			staleMeter.Mark(1)
			im.refuse(ses, fmt.Errorf("pushed more than %d blocks that are long decided, then block %d, head is %d",
				staleAtOnce, number, head))
			return nil
		}
		im.raise(ses, packet.TD, header)
		return nil
	}
	if im.has(hash, number) || im.waiting(hash, ses) {
		im.raise(ses, packet.TD, header)
		return nil
	}
	is := im.admit(ses, header)
	if is == forged {
		return nil
	}
	im.raise(ses, packet.TD, header)
	if is == open || is == sealed {
		im.receive(arrival{from: ses, sealed: is == sealed}, outline, packet.Block)
	}
	return nil
}

// receive decodes a block that a peer pushed, and keeps it if it passes the gate. Large ones are decoded one at a time:
// the memory for them is that of one, whoever pushes.
func (im *Importer) receive(a arrival, outline *rules.Outline, raw []byte) {
	header := outline.Header
	if err := outline.CheckGas(min(header.GasLimit, im.gasLimitAt(header.Number.Uint64()))); err != nil {
		gasMeter.Mark(1)
		im.refuse(a.from, fmt.Errorf("pushed block %d is malformed: %w", header.Number, err))
		return
	}
	if len(raw) > largeBlock {
		im.decoding.Lock()
		defer im.decoding.Unlock()
	}
	if !im.room(a, header, len(raw)+outline.Transactions*bytesOfDecoded) {
		im.shown(a, header)
		return
	}
	a.block = new(types.Block)
	if err := rlp.DecodeBytes(raw, a.block); err != nil {
		malformedMeter.Mark(1)
		im.refuse(a.from, fmt.Errorf("pushed block %d is malformed: %w", header.Number, err))
		return
	}
	if err := rules.ValidateBasic(a.block); err != nil {
		im.malformed(a.from, a.block, err)
		return
	}
	a.block = rules.TrimSeals(a.block)
	a.block.ReceivedAt, a.block.ReceivedFrom = time.Now(), a.from.Peer
	im.enqueue(a)
}

// gasLimitAt returns the highest gas limit that a block of a number near the head can have.
func (im *Importer) gasLimitAt(number uint64) uint64 {
	header := im.chain.CurrentBlock()
	limit := rules.MaxGasLimit(header)
	for n := header.Number.Uint64() + 1; n < number; n++ {
		limit = rules.MaxGasLimit(&types.Header{GasLimit: limit})
	}
	return limit
}

// raise notes what the pushing peer certainly has: the parent (spec network 2.6).
func (im *Importer) raise(ses *session.Session, td *big.Int, header *types.Header) {
	ses.Raise(header.ParentHash, new(big.Int).Sub(td, header.Difficulty))
	im.ahead.Claimed()
}

// malformed handles a pushed block that fails the gate and has no wrong seals. go-stablenet compares uncles and
// transactions and verifies the seals before it relays a block, so none of its honest nodes sends such a block. It
// checks withdrawals only at the import, after the relay (spec network 2.6). A peer with a valid block and
// withdrawals may therefore be honest.
func (im *Importer) malformed(ses *session.Session, block *types.Block, reason error) {
	malformedMeter.Mark(1)
	if block.Withdrawals() != nil && block.AccessList() == nil {
		body := types.Body{Transactions: block.Transactions(), Uncles: block.Uncles()}
		sound := types.NewBlockWithHeader(block.Header()).WithBody(body)
		if rules.ValidateBasic(sound) == nil {
			ses.Peer.Log().Debug("Pushed block ignored", "number", block.Number(), "hash", block.Hash(), "err", reason)
			return
		}
	}
	im.refuse(ses, fmt.Errorf("pushed block %d is malformed: %w", block.Number(), reason))
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

// waiting reports whether a sealed copy of a block is in the queue, or any copy from a peer.
func (im *Importer) waiting(hash common.Hash, ses *session.Session) bool {
	im.mu.Lock()
	defer im.mu.Unlock()
	_, sealed := im.queue[arrivalKey{hash, nil}]
	_, open := im.queue[arrivalKey{hash, ses}]
	return sealed || open
}

// verdict says what seals tell of a header.
type verdict int

const (
	open         verdict = iota // cannot be told yet: ancestors are missing
	sealed                      // a quorum has sealed it
	forged                      // no quorum has
	unacceptable                // a quorum has, but it breaks a rule of this node
	past                        // the chain has a block of its number
)

// judge verifies the seals of a header, and a child of the head by all rules that a header has. The error says why it
// is forged or unacceptable.
func (im *Importer) judge(header *types.Header) (verdict, error) {
	head, number := im.chain.CurrentBlock(), header.Number.Uint64()
	if header.ParentHash == head.Hash() {
		err := im.engine.VerifyHeader(im.chain, header)
		switch {
		case err == nil:
			return sealed, nil
		case errors.Is(err, consensus.ErrUnknownAncestor):
			return open, nil
		}
		if im.engine.Sealed(im.chain, []*types.Header{header}) != nil {
			return forged, err
		} else if errors.Is(err, consensus.ErrFutureBlock) {
			return sealed, nil
		}
		return unacceptable, err
	}
	epoch := im.chain.Config().LastEpochBlock(number - 1)
	if epoch > head.Number.Uint64() {
		return open, nil
	}
	rung := im.chain.GetHeaderByNumber(epoch)
	if rung == nil {
		return open, nil
	}
	set, err := im.engine.EpochSet(rung)
	if err != nil {
		return open, nil
	}
	if err := im.engine.VerifySeals(set, header); err != nil {
		return forged, err
	}
	return sealed, nil
}

// admit judges a header that a peer has shown. Without a quorum's seals it costs the peer its connection. Only an open
// or a sealed one is of further interest.
func (im *Importer) admit(ses *session.Session, header *types.Header) verdict {
	if header.Number.Cmp(im.chain.CurrentBlock().Number) <= 0 {
		if err := im.safety.Conflict(header); err != nil {
			im.refuse(ses, fmt.Errorf("block %d: %w", header.Number, err))
		}
		return past
	}
	is, err := im.judge(header)
	switch is {
	case forged:
		im.refuse(ses, fmt.Errorf("block %d: %w", header.Number, err))
	case unacceptable:
		refusedMeter.Mark(1)
		im.safety.Refused(types.NewBlockWithHeader(header), err)
	}
	return is
}

// refuse ends the connection to a peer that sent what no honest node sends.
func (im *Importer) refuse(ses *session.Session, reason error) {
	refusedMeter.Mark(1)
	im.drop(ses, reason)
}

// HandleNewHashes handles announcements. An honest peer announces a block or two at a time, so further entries of a
// long list are ignored.
func (im *Importer) HandleNewHashes(ses *session.Session, packet protocol.NewBlockHashesPacket) error {
	for _, a := range packet[:min(len(packet), maxPeerHashes)] {
		ses.Has(a.Hash)
		if im.near(a.Number) && !im.has(a.Hash, a.Number) && !im.waiting(a.Hash, ses) {
			im.offered(ses, a)
		}
	}
	return nil
}

// offered notes that a peer can be asked for a block.
func (im *Importer) offered(ses *session.Session, a protocol.BlockAnnouncement) {
	im.mu.Lock()
	defer im.mu.Unlock()
	if l := im.loads[ses]; l != nil && l.hashes == maxPeerHashes {
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
	im.charge(ses, load{hashes: 1})
}

// charge adds to what is held of a peer. The lock is held.
func (im *Importer) charge(ses *session.Session, more load) {
	l := im.loads[ses]
	if l == nil {
		l = new(load)
		im.loads[ses] = l
	}
	l.blocks += more.blocks
	l.bytes += more.bytes
	l.hashes += more.hashes
	if *l == (load{}) {
		delete(im.loads, ses)
	}
}

// enqueue keeps a block until it is a child of the head. Without room the block is dropped, and announcements or sync
// bring it again.
func (im *Importer) enqueue(a arrival) {
	im.keep(a)
	im.shown(a, a.block.Header())
}

// shown reports a block whose parent is missing.
func (im *Importer) shown(a arrival, header *types.Header) {
	if header.Number.Uint64() > im.chain.CurrentBlock().Number.Uint64()+1 {
		im.ahead.Shown(a.from, header, a.sealed)
	}
}

// keep adds a block to the queue if it fits.
func (im *Importer) keep(a arrival) {
	header, size := a.block.Header(), held(a.block)
	im.mu.Lock()
	defer im.mu.Unlock()
	key := a.key()
	if _, known := im.queue[key]; known || !im.fits(a, header, size) {
		return
	}
	if a.sealed {
		im.sealedBytes += size
	} else {
		im.openBytes += size
		im.charge(a.from, load{blocks: 1, bytes: size})
	}
	im.queue[key] = a
	im.nudge()
}

// held returns about how many bytes of memory a decoded block takes.
func held(block *types.Block) int {
	return int(block.Size()) + len(block.Transactions())*bytesOfDecoded
}

// room reports whether a block with this header fits into the queue after decoding.
func (im *Importer) room(a arrival, header *types.Header, size int) bool {
	im.mu.Lock()
	defer im.mu.Unlock()
	return im.fits(a, header, size)
}

// fits reports whether an arrival of a size fits into the queue, and counts a refusal. The lock is held.
func (im *Importer) fits(a arrival, header *types.Header, size int) bool {
	fits := im.openBytes+size <= maxOpenBytes
	if a.sealed {
		fits = im.sealedBytes+size <= maxSealedBytes || header.ParentHash == im.chain.CurrentBlock().Hash()
	} else if l := im.loads[a.from]; l != nil {
		fits = fits && l.blocks < maxPeerBlocks && (l.blocks == 0 || l.bytes+size <= maxPeerBytes)
	}
	if !fits {
		noRoomMeter.Mark(1)
	}
	return fits
}

// release takes a block out of the queue. The lock is held.
func (im *Importer) release(key arrivalKey) {
	a := im.queue[key]
	delete(im.queue, key)
	size := held(a.block)
	if a.sealed {
		im.sealedBytes -= size
		return
	}
	im.openBytes -= size
	im.charge(a.from, load{blocks: -1, bytes: -size})
}

func (im *Importer) nudge() {
	select {
	case im.wake <- struct{}{}:
	default:
	}
}

// Run brings blocks into the chain until ctx ends.
func (im *Importer) Run(ctx context.Context) {
	heads := make(chan gethcore.ChainHeadEvent, 16)
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
		case err := <-sub.Err(): // nil once the chain has stopped
			if err != nil {
				log.Error("Subscription to heads ended", "err", err)
			}
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

// unfetched returns the announced blocks without a running fetch.
func (im *Importer) unfetched() []protocol.BlockAnnouncement {
	im.mu.Lock()
	defer im.mu.Unlock()
	fresh := im.fresh
	im.fresh = nil
	return fresh
}

// fetch requests an announced block unless it arrives by itself. It asks the peers that announced it one after the
// other, without waiting long for an answer.
func (im *Importer) fetch(ctx context.Context, a protocol.BlockAnnouncement) {
	im.mu.Lock()
	o := im.offers[a]
	im.mu.Unlock()
	timer := time.NewTimer(announceDelay)
	defer timer.Stop()
	ctx, cancel := context.WithCancel(ctx)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer cancel()
	answered := make(chan struct{}, 1)
	for {
		select {
		case <-timer.C:
		case <-answered:
		case <-ctx.Done():
			return
		}
		ses, open := im.announcer(a, o)
		switch {
		case !open:
			return
		case ses == nil: // all are being asked
		case !im.near(a.Number) || im.has(a.Hash, a.Number) || im.waiting(a.Hash, ses):
			im.asked(a, o, ses, true)
			return
		default:
			asking.Go(func() {
				err := im.fetchFrom(ctx, ses, a)
				if err != nil && ctx.Err() == nil {
					ses.Peer.Log().Debug("Cannot fetch an announced block", "number", a.Number, "hash", a.Hash, "err", err)
				}
				im.asked(a, o, ses, err == nil)
				select {
				case answered <- struct{}{}:
				default:
				}
			})
		}
		timer.Reset(nextAnnouncer)
	}
}

// announcer returns the next peer to ask for a block, nil for none yet, and whether the block is still on offer.
func (im *Importer) announcer(a protocol.BlockAnnouncement, o *offer) (ses *session.Session, open bool) {
	im.mu.Lock()
	defer im.mu.Unlock()
	if im.offers[a] != o || o.asked == len(o.from) {
		return nil, im.offers[a] == o
	}
	o.asked++
	return o.from[o.asked-1], true
}

// asked removes a peer from an offer, and the offer when the block is present or no peer is left.
func (im *Importer) asked(a protocol.BlockAnnouncement, o *offer, ses *session.Session, done bool) {
	im.mu.Lock()
	defer im.mu.Unlock()
	if im.offers[a] != o {
		return // over, by another answer
	}
	if i := slices.Index(o.from, ses); !done && len(o.from) > 1 {
		im.charge(ses, load{hashes: -1})
		o.from, o.asked = slices.Delete(o.from, i, i+1), o.asked-1
		return
	}
	for _, ses := range o.from {
		im.charge(ses, load{hashes: -1})
	}
	delete(im.offers, a)
}

// fetchFrom asks one peer for the header and the body of a block and puts it into the queue.
func (im *Importer) fetchFrom(ctx context.Context, ses *session.Session, a protocol.BlockAnnouncement) error {
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
		next, passed, wait := im.pick(head)
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

// pick removes the next due child of the head from the queue, and all blocks at or below the head. The result wait is
// the time until the next block is due, 0 for none.
func (im *Importer) pick(head *types.Header) (next *arrival, passed []arrival, wait time.Duration) {
	hash, number, now := head.Hash(), head.Number.Uint64(), time.Now()
	im.mu.Lock()
	defer im.mu.Unlock()
	for key, a := range im.queue {
		switch {
		case !a.sealed && a.from.Gone():
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
		im.release(next.key())
	}
	return next, passed, wait
}

// insert verifies a child of the head, passes it on, executes it and announces it.
func (im *Importer) insert(ctx context.Context, a arrival) {
	header := a.block.Header()
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
	if wait > maxFutureWait {
		log.Warn("Block from the future ignored: check this machine's clock", "number", a.block.Number(), "ahead", wait)
		return
	}
	a.due = time.Now().Add(wait + time.Millisecond)
	im.keep(a)
}
