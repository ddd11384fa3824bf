// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	"golang.org/x/sync/errgroup"

	"gwon/consensus/wbft"
	"gwon/eth/checkpoint"
	"gwon/eth/session"
)

const (
	pauseAbove     = 16               // blocks behind from which on the validator rests while it executes what a quorum has sealed
	progressPeriod = 8 * time.Second  // between two progress lines in the log
	damagedPeriod  = time.Minute      // between two lines about bad seals that were replaced
	forkDepth      = 64               // blocks below the head that are looked at when a peer has another history
	recentHead     = 30 * time.Second // a head younger than this means that the node is up to date
	retryAfter     = time.Second      // between two attempts when nobody could give the blocks
	stallAfter     = time.Second      // without a block to execute after which a validator goes on
)

var (
	syncTargetGauge    = metrics.NewRegisteredGauge("gwon/sync/target", nil)     // block number; 0 when no sync runs
	syncBlocksMeter    = metrics.NewRegisteredMeter("gwon/sync/blocks", nil)     // imported by sync
	sourceTimeoutMeter = metrics.NewRegisteredMeter("gwon/sync/timeouts", nil)   // requests that a peer left unanswered
	sourceRefusedMeter = metrics.NewRegisteredMeter("gwon/sync/refused", nil)    // peers dropped for what they served
	syncFailureMeter   = metrics.NewRegisteredMeter("gwon/sync/failures", nil)   // syncs that ended before their target
	bareMeter          = metrics.NewRegisteredMeter("gwon/sync/bare", nil)       // blocks stored without their receipts
	damagedMeter       = metrics.NewRegisteredMeter("gwon/sync/damaged", nil)    // headers whose own seals were bad
	pivotMovedMeter    = metrics.NewRegisteredMeter("gwon/sync/pivots", nil)     // pivots that a snap sync has begun with
	checkpointGauge    = metrics.NewRegisteredGauge("gwon/sync/checkpoint", nil) // number of the checkpoint block once known
)

var (
	// errHalt marks a block that a quorum has sealed but that this node cannot accept.
	errHalt = errors.New("a block that a quorum has sealed is refused here")
	// errOtherHistory marks blocks that do not continue this chain.
	errOtherHistory = errors.New("another history")
	// errClock marks a sealed block from the future.
	errClock = errors.New("sealed block has a timestamp ahead of this machine's clock")
)

// Safety judges blocks that a quorum has sealed and that do not fit the chain here.
type Safety interface {
	Refused(block *types.Block, err error) // the chain did not accept it
	Conflict(header *types.Header) error   // the chain may have another block in its place; the error is about its seals
	Halt(reason string)
}

// Announcer tells peers of a new head.
type Announcer interface{ Announce(header *types.Header) }

// Config tells a Syncer what to work with.
type Config struct {
	Chain      *gethcore.BlockChain
	Engine     *wbft.Engine
	Sessions   *session.Sessions
	Safety     Safety
	Announcer  Announcer
	States     StateSource
	Checkpoint *checkpoint.Checkpoint                   // nil without one
	Interval   time.Duration                            // between two looks at what peers claim
	VerifyAll  bool                                     // the seals of each block, not only those that vouch for the others
	Pause      func(rest bool)                          // has the validator rest, or go on
	Synced     func()                                   // called whenever the node is up to date
	Drop       func(ses *session.Session, reason error) // ends the connection to a peer that broke the rules
}

// Syncer follows the network when it is ahead: it downloads what the scout has proven from all peers at once, verifies that a quorum
// stands behind every block and imports them in order (spec network 2.7). A node without any state of its own may fetch that of a recent block instead of
// executing all before it.
type Syncer struct {
	chain      *gethcore.BlockChain
	engine     *wbft.Engine
	sessions   *session.Sessions
	announcer  Announcer
	safety     Safety
	scout      *scout
	states     StateSource
	checkpoint *checkpoint.Checkpoint
	interval   time.Duration
	verifyAll  bool
	timeout    time.Duration // of one request to a peer
	hedge      time.Duration // see hedgeAfter
	waive      time.Duration // see waiveAfter
	heavy      uint64        // see heavyGas
	patience   time.Duration // see withholdAfter
	pause      func(bool)
	synced     func()
	dropPeer   func(ses *session.Session, reason error)

	wake              chan struct{}
	looked            bool      // an interval has passed in which peers could connect
	began             time.Time // when Run did
	prepared          bool      // the databases are prepared for a state to be fetched
	told              time.Time // when the log last said that the checkpoint block is missing
	toldDropped       time.Time // when it last said that peers have dropped the next blocks
	toldDamaged       time.Time // when it last said that bad seals were replaced
	misfit            time.Time // when a sync last ended because --history.chain does not fit the network
	checkpointRefused atomic.Bool
	syncing           atomic.Bool
	lacking           atomic.Bool // the last sync ended because peers have dropped the next blocks, or --history.chain does not fit
	start             atomic.Uint64
	highest           atomic.Uint64
}

// New returns a Syncer that does nothing before Run.
func New(cfg Config) *Syncer {
	s := &Syncer{
		chain: cfg.Chain, engine: cfg.Engine, sessions: cfg.Sessions, announcer: cfg.Announcer, safety: cfg.Safety, states: cfg.States,
		checkpoint: cfg.Checkpoint, interval: cfg.Interval, verifyAll: cfg.VerifyAll, timeout: session.RequestTimeout, hedge: hedgeAfter, waive: waiveAfter,
		heavy: heavyGas, patience: withholdAfter,
		pause: cfg.Pause, synced: cfg.Synced, dropPeer: cfg.Drop, wake: make(chan struct{}, 1),
	}
	s.scout = newScout(s.chain, s.engine, s.sessions, s.dropPeer, s.nudge)
	return s
}

// Progress tells how far a running sync is, or one that waits for peers that have not dropped the next blocks, in block numbers.
func (s *Syncer) Progress() (start, current, highest uint64, syncing bool) {
	start, current, highest = s.start.Load(), s.position(), s.highest.Load()
	if !s.syncing.Load() && (!s.lacking.Load() || current >= highest) {
		return 0, 0, 0, false
	}
	return start, current, highest, true
}

// position is the number of the newest block that is there, with or without its state.
func (s *Syncer) position() uint64 {
	if s.states.Pending() {
		return s.chain.CurrentSnapBlock().Number.Uint64()
	}
	return s.chain.CurrentBlock().Number.Uint64()
}

// nudge makes the syncer look for better peers at once.
func (s *Syncer) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Run follows what the scout proves until ctx ends. A gap of two blocks starts a sync at once. A gap of one is left to gossip for a
// moment.
func (s *Syncer) Run(ctx context.Context) {
	var others sync.WaitGroup
	defer others.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	others.Go(func() { s.scout.run(ctx) })
	others.Go(func() { s.watch(ctx) })
	ticker := time.NewTicker(s.interval)
	defer ticker.Stop()
	patience := time.NewTimer(0)
	defer patience.Stop()
	var stalledAt uint64  // head when the moment began
	var stalled time.Time // when that was
	retry := time.NewTimer(time.Hour)
	defer retry.Stop()
	blocked := false // the last sync ended with something that time alone may mend
	s.began = time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-retry.C:
		case <-ticker.C:
			s.looked, blocked = true, false
			s.scout.nudge()
		case <-patience.C:
		}
		if !s.checkpointHolds(ctx) {
			continue
		}
		if s.states.Pending() {
			switch {
			case blocked:
			case s.catchUpState(ctx):
				s.nudge() // the blocks since the pivot are missing
			case s.lacking.Load():
				blocked = true
			default:
				retry.Reset(retryAfter)
			}
			continue
		}
		s.declare()
		number, target := s.chain.CurrentBlock().Number.Uint64(), s.scout.provenNumber()
		switch {
		case target <= number || blocked:
		case target >= number+2 || number == stalledAt && time.Since(stalled) >= gossipPatience:
			if err := s.follow(ctx, number, target); errors.Is(err, errNoSource) && !errors.Is(err, errDropped) {
				retry.Reset(retryAfter)
			} else if err != nil {
				blocked = true
			}
		case number != stalledAt || stalled.IsZero():
			stalledAt, stalled = number, time.Now()
			patience.Reset(gossipPatience)
		}
	}
}

// watch declares the node up to date at new heads, whatever a running sync waits for.
func (s *Syncer) watch(ctx context.Context) {
	heads := make(chan gethcore.ChainHeadEvent, 16)
	sub := s.chain.SubscribeChainHeadEvent(heads)
	defer sub.Unsubscribe()
	for {
		select {
		case <-heads:
			if s.Ready() {
				s.declare()
			}
		case <-ctx.Done():
			return
		case <-sub.Err():
			return
		}
	}
}

// declare tells that the node is up to date, if its head is recent. What peers claim has no say in it.
func (s *Syncer) declare() {
	if head := s.chain.CurrentBlock(); time.Since(time.Unix(int64(head.Time), 0)) < recentHead {
		s.synced()
	}
}

// follow imports blocks up to one that is proven, from all peers that have them.
func (s *Syncer) follow(ctx context.Context, head, target uint64) error {
	s.begin(head, target)
	defer s.end()
	far := target > head+pauseAbove
	if far {
		log.Info("Catching up", "from", head, "to", target)
	}
	if err := s.importUpTo(ctx, target); err != nil {
		s.settle(ctx, err)
		return err
	}
	now := s.chain.CurrentBlock()
	if far {
		log.Info("Caught up", "number", now.Number, "hash", now.Hash())
	}
	if s.scout.provenNumber() > now.Number.Uint64() {
		s.nudge() // the network went on in the meantime
	} else {
		s.synced()
	}
	s.announcer.Announce(now)
	return nil
}

func (s *Syncer) begin(head, target uint64) {
	s.start.Store(head)
	s.highest.Store(target)
	s.syncing.Store(true)
	s.lacking.Store(false)
	syncTargetGauge.Update(int64(target))
}

// bounded limits the time of one request to a peer.
func (s *Syncer) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.timeout, session.ErrNoAnswer)
}

func (s *Syncer) end() {
	s.syncing.Store(false)
	if !s.lacking.Load() {
		syncTargetGauge.Update(0)
	}
}

// settle deals with a sync that ended early.
func (s *Syncer) settle(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	syncFailureMeter.Mark(1)
	switch {
	case errors.Is(err, errHalt): // was reported where it was found
	case errors.Is(err, errClock):
		log.Warn("Sync waits for the clock: set this machine's time", "err", err)
	case errors.Is(err, errDropped):
		s.lacking.Store(true)
		if time.Since(s.toldDropped) >= progressPeriod {
			log.Warn("Connected peers have dropped the history that comes next: connect one that keeps it, or begin in a new data directory with "+
				"--syncmode snap --history.chain", "number", s.position()+1,
				"peers", len(s.sessions.Ready()))
			s.toldDropped = time.Now()
		}
	case errors.Is(err, errCutoff):
		s.lacking.Store(true)
		s.misfit = time.Now()
		log.Error("Nothing is downloaded until --history.chain is corrected", "err", err, "again", cutoffPeriod)
	case errors.Is(err, session.ErrPeerGone), errors.Is(err, errNoSource):
		log.Debug("Sync interrupted", "err", err)
	default:
		log.Error("Sync failed", "err", err)
	}
}

// drop ends the connection to a peer and forgets at once what it claims: it takes a moment until it is gone.
func (s *Syncer) drop(ses *session.Session, reason error) {
	s.scout.takeBack(ses)
	s.dropPeer(ses, reason)
}

// download prepares to fetch blocks from all peers up to a number.
func (s *Syncer) download(last uint64, receipts bool) *download {
	return &download{
		sessions: s.sessions, claimed: func(ses *session.Session) uint64 { return ses.ClaimedNumber(s.chain) }, drop: s.drop, receipts: receipts, last: last, timeout: s.timeout, hedge: s.hedge,
		heavy: s.heavy, patience: s.patience,
		lacks: func(ses *session.Session, block uint64) { ses.Lower(s.chain, block-1) },
	}
}

// importUpTo downloads, verifies and executes the blocks after the head up to a number. While one run of blocks is executed
// the next is verified already, and the signatures of its transactions are recovered.
func (s *Syncer) importUpTo(ctx context.Context, last uint64) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := s.download(last, false)
	d.start(ctx, s.chain.CurrentBlock().Number.Uint64()+1)
	verified := make(chan *segment, 1)
	group, inner := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(verified)
		return s.verifySegments(inner, d, verified)
	})
	group.Go(func() error { return s.insertAll(ctx, verified, last) })
	return group.Wait()
}

// verifySegments hands on the downloaded segments that continue the chain and carry good seals.
func (s *Syncer) verifySegments(ctx context.Context, d *download, verified chan<- *segment) error {
	ahead := &aheadChain{BlockChain: s.chain}
	for {
		seg, err := d.segment(ctx)
		if err != nil || seg == nil {
			return err
		}
		if err := s.verify(ahead, seg); errors.Is(err, errClock) || errors.Is(err, errHalt) {
			return err
		} else if err != nil {
			if errors.Is(err, errOtherHistory) {
				s.judgeFork(ctx, seg.from)
			}
			d.refuse(seg, err)
			continue
		}
		ahead.add(seg.headers)
		end := seg.headers[len(seg.headers)-1]
		gethcore.SenderCacher().RecoverFromBlocks(types.MakeSigner(s.chain.Config(), end.Number, end.Time), seg.blocks)
		select {
		case verified <- seg:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// insertAll executes verified segments until there are no more. Far behind, the validator rests while there is something to execute:
// a quorum has decided those blocks without it. It goes on as soon as the next ones are late, so that nobody can keep it from
// voting by keeping blocks back.
func (s *Syncer) insertAll(ctx context.Context, verified <-chan *segment, last uint64) error {
	report := newReport(s, "Importing blocks")
	defer s.pause(false)
	late := time.NewTimer(stallAfter)
	defer late.Stop()
	for {
		var seg *segment
		select {
		case seg = <-verified:
		case <-late.C:
			s.pause(false)
			seg = <-verified
		}
		if seg == nil {
			return nil
		}
		if last > s.chain.CurrentBlock().Number.Uint64()+pauseAbove {
			s.pause(true)
		}
		if n, err := s.chain.InsertChain(seg.blocks); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s.safety.Refused(seg.blocks[min(n, len(seg.blocks)-1)], err)
			return errHalt
		}
		if end := seg.headers[len(seg.headers)-1]; s.chain.CurrentBlock().Number.Cmp(end.Number) < 0 {
			return errors.New("the import of blocks was interrupted") // the chain is being stopped
		}
		syncBlocksMeter.Mark(int64(len(seg.blocks)))
		report.line()
		late.Reset(stallAfter)
	}
}

// aheadChain is the chain with verified headers on top whose blocks are yet to be executed. Only one goroutine uses it.
type aheadChain struct {
	*gethcore.BlockChain
	headers []*types.Header // consecutive, the first of which is in the chain or continues it
}

// add puts headers on top and lets those go that are in the chain by now.
func (c *aheadChain) add(headers []*types.Header) {
	head := c.BlockChain.CurrentBlock().Number
	for len(c.headers) > 0 && c.headers[0].Number.Cmp(head) <= 0 {
		c.headers = c.headers[1:]
	}
	c.headers = append(c.headers, headers...)
}

// GetHeaderByNumber returns a header of the chain or on top of it, or nil.
func (c *aheadChain) GetHeaderByNumber(number uint64) *types.Header {
	if len(c.headers) > 0 {
		if first := c.headers[0].Number.Uint64(); number >= first && number-first < uint64(len(c.headers)) {
			return c.headers[number-first]
		}
	}
	return c.BlockChain.GetHeaderByNumber(number)
}

// GetHeader returns the header with this hash and number, or nil.
func (c *aheadChain) GetHeader(hash common.Hash, number uint64) *types.Header {
	if h := c.GetHeaderByNumber(number); h != nil && h.Hash() == hash {
		return h
	}
	return c.BlockChain.GetHeader(hash, number)
}

// verify checks that a segment continues the chain and that validators vouch for it: with the seals over the last header and over each
// epoch block, which cover the hashes of the others. VerifyAll wants every proof of randomness, and the seals over the parents,
// verified in spite of that. Blocks that gossip has brought in the meantime do no harm.
func (s *Syncer) verify(ahead *aheadChain, seg *segment) error {
	first := seg.headers[0]
	if parent := ahead.GetHeaderByNumber(first.Number.Uint64() - 1); parent == nil || first.ParentHash != parent.Hash() {
		return fmt.Errorf("%w: block %d does not continue what is known of this chain", errOtherHistory, first.Number)
	}
	if err := s.checkpoint.Check(seg.headers); err != nil {
		return err
	}
	if err := s.receive(ahead, seg); err != nil {
		return err
	}
	headers := seg.headers
	abort, results := s.engine.VerifyHeaders(ahead, headers)
	defer close(abort)
	for i, h := range headers {
		switch err := <-results; {
		case err == nil:
		case s.engine.Sealed(ahead, headers[:i+1]) != nil:
			return fmt.Errorf("header %d: %w", h.Number, err)
		case errors.Is(err, consensus.ErrFutureBlock):
			return fmt.Errorf("%w: block %d, by %v", errClock, h.Number, s.engine.FutureBy(h))
		default: // not the peer's fault: the network decided on it
			s.safety.Refused(types.NewBlockWithHeader(h), err)
			return errHalt
		}
	}
	return nil
}

// receive checks that a quorum's seals vouch for a segment, and leaves the seals over each header as they came if they are good. The others
// are replaced by those that the child holds. That costs the peer nothing: what it gave is of this chain all the same.
func (s *Syncer) receive(chain consensus.ChainHeaderReader, seg *segment) error {
	kept, damaged, err := s.engine.Receive(chain, seg.headers, !s.verifyAll)
	if err != nil {
		return err
	}
	seg.keep(kept)
	if damaged == 0 {
		return nil
	}
	damagedMeter.Mark(int64(damaged))
	if time.Since(s.toldDamaged) >= damagedPeriod {
		seg.from.Peer.Log().Warn("Seals replaced: the peer gave bad ones, the next block holds good ones", "blocks", damaged,
			"first", seg.first(), "last", kept[len(kept)-1].Number)
		s.toldDamaged = time.Now()
	}
	return nil
}

// judgeFork looks at the blocks of a peer around the head, which differ from those here: if a quorum has sealed them as well,
// that must not pass in silence (spec wbft 7.5).
func (s *Syncer) judgeFork(ctx context.Context, ses *session.Session) {
	p := ses.Up()
	head := s.chain.CurrentBlock().Number.Uint64()
	if p == nil || head == 0 {
		return
	}
	first := max(head, forkDepth) - forkDepth + 1
	limit, cancel := s.bounded(ctx)
	defer cancel()
	headers, err := session.HeadersFrom(limit, ses, p, first, int(head-first+1))
	if err != nil {
		return
	}
	for _, h := range headers {
		if s.chain.GetCanonicalHash(h.Number.Uint64()) != h.Hash() {
			if err := s.safety.Conflict(h); err != nil {
				p.Log().Debug("Foreign block", "number", h.Number, "hash", h.Hash(), "err", err)
			}
			return
		}
	}
}

// report writes the progress of a sync to the log now and then.
type report struct {
	s     *Syncer
	title string
	from  uint64
	since time.Time
}

func newReport(s *Syncer, title string) *report {
	return &report{s, title, s.position(), time.Now()}
}

// line writes a line when it is time for one.
func (r *report) line() {
	elapsed := time.Since(r.since)
	if elapsed < progressPeriod {
		return
	}
	number, target := r.s.position(), r.s.highest.Load()
	rate := float64(number-r.from) / elapsed.Seconds()
	left := common.PrettyDuration(0)
	if target > number {
		left = common.PrettyDuration(float64(target-number) / max(rate, 0.01) * float64(time.Second))
	}
	log.Info(r.title, "number", number, "target", target, "perSecond", fmt.Sprintf("%.0f", rate), "eta", left, "peers", len(r.s.sessions.Ready()))
	r.from, r.since = number, time.Now()
}
