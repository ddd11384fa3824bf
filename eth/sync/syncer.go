// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"gwon/consensus/wbft"
	"gwon/core/rules"
	"gwon/eth/checkpoint"
	"gwon/eth/session"
	"gwon/internal/feed"
)

const (
	pauseAbove     = 16              // blocks behind from which on the validator pauses to execute sealed blocks
	progressPeriod = 8 * time.Second // between two progress lines in the log
	forkDepth      = 64              // blocks below the head that are checked when a peer has another history
	stallAfter     = time.Second     // time without a block to execute after which a validator resumes
)

var (
	syncTargetGauge    = metrics.NewRegisteredGauge("gwon/sync/target", nil)     // block number; 0 when no sync runs
	syncBlocksMeter    = metrics.NewRegisteredMeter("gwon/sync/blocks", nil)     // imported by sync
	sourceTimeoutMeter = metrics.NewRegisteredMeter("gwon/sync/timeouts", nil)   // requests without a response
	sourceRefusedMeter = metrics.NewRegisteredMeter("gwon/sync/refused", nil)    // peers dropped for invalid responses
	syncFailureMeter   = metrics.NewRegisteredMeter("gwon/sync/failures", nil)   // syncs that ended early
	bareMeter          = metrics.NewRegisteredMeter("gwon/sync/noreceipts", nil) // blocks stored without receipts
	damagedMeter       = metrics.NewRegisteredMeter("gwon/sync/damaged", nil)    // headers with bad seals
	pivotMovedMeter    = metrics.NewRegisteredMeter("gwon/sync/pivots", nil)     // pivots of snap syncs
	// What peers have sent, under upstream's names: tools of the network read them.
	headersInMeter  = metrics.GetOrRegisterMeter("eth/downloader/headers/in", nil)
	bodiesInMeter   = metrics.GetOrRegisterMeter("eth/downloader/bodies/in", nil)
	receiptsInMeter = metrics.GetOrRegisterMeter("eth/downloader/receipts/in", nil)
	// number of the checkpoint block once known
	checkpointGauge = metrics.NewRegisteredGauge("gwon/sync/checkpoint", nil)
)

var (
	// errHalt marks a block that a quorum has sealed and this node cannot accept.
	errHalt = errors.New("a block that a quorum has sealed is refused here")
	// errOtherHistory marks blocks that do not continue this chain.
	errOtherHistory = errors.New("another history")
	// errClock marks a sealed block from the future.
	errClock = errors.New("sealed block has a timestamp ahead of this machine's clock")
)

// Safety handles blocks that a quorum has sealed and that do not fit the local chain.
type Safety interface {
	Refused(block *types.Block, err error) // the chain refused the block
	Conflict(header *types.Header) error   // the chain may have another block at that number; the error is about seals
	Halt(reason string)
}

// Announcer announces a new head to peers.
type Announcer interface{ Announce(header *types.Header) }

// Config holds the settings of a Syncer.
type Config struct {
	Chain      *gethcore.BlockChain
	Engine     *wbft.Engine
	Sessions   *session.Sessions
	Safety     Safety
	Announcer  Announcer
	States     StateSource
	Checkpoint *checkpoint.Checkpoint                   // nil without one
	Interval   time.Duration                            // time between two checks of claims
	VerifyAll  bool                                     // verify the seals of each block, not only of the ends of runs
	Pause      func(rest bool)                          // pauses or resumes the validator
	Synced     func()                                   // called when the node is up to date
	Drop       func(ses *session.Session, reason error) // disconnects a peer that broke the rules
}

// bounds are limits of a sync, which tests change.
type bounds struct {
	timeout  time.Duration // of one request to a peer
	hedge    time.Duration // after which a delaying request goes to a second peer
	waive    time.Duration // in which open claims keep a short chain from being executed from the start
	heavy    uint64        // gas from which on the receipts of a block may exceed a message; see receipts
	patience time.Duration // for peers to serve such receipts
}

// Syncer follows the network. It downloads the proven blocks from all peers concurrently, verifies that a quorum
// stands behind every block, and imports them in order (spec network 2.7). A node without state may fetch that of a
// recent block instead of executing all earlier ones.
type Syncer struct {
	bounds
	cfg   Config
	scout *scout
	wake  chan struct{}
	shown atomic.Pointer[progress] // nil while no sync runs or waits for peers
	told  struct {
		damaged rate.Sometimes       // the line about bad seals that were replaced
		at      uint64               // position at which the lines below were written
		lines   map[string]time.Time // see tell
	}
}

// progress is what a running sync shows, or one that waits for peers with the next blocks.
type progress struct {
	start, highest uint64
	waits          bool
}

// New returns a Syncer. It is idle before Run.
func New(cfg Config) *Syncer {
	s := &Syncer{
		cfg: cfg, wake: make(chan struct{}, 1), bounds: bounds{
			timeout: session.RequestTimeout, hedge: 2 * time.Second, waive: 2 * time.Minute, heavy: 50_000_000,
			patience: 30 * time.Second,
		},
	}
	s.told.damaged.Interval, s.told.lines = lastingPeriod, make(map[string]time.Time)
	s.scout = newScout(cfg.Chain, cfg.Engine, cfg.Sessions, cfg.Drop, s.nudge)
	return s
}

// Progress returns the block numbers of a running sync, or of one that waits for peers with the next blocks.
func (s *Syncer) Progress() (start, current, highest uint64, syncing bool) {
	p, current := s.shown.Load(), s.position()
	if p == nil || p.waits && current >= p.highest {
		return 0, 0, 0, false
	}
	return p.start, current, p.highest, true
}

// position returns the number of the newest stored block, with or without state.
func (s *Syncer) position() uint64 {
	if s.cfg.States.Pending() {
		return s.cfg.Chain.CurrentSnapBlock().Number.Uint64()
	}
	return s.cfg.Chain.CurrentBlock().Number.Uint64()
}

// nudge starts the next step of the phase.
func (s *Syncer) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// watch declares the node up to date at new heads, also during a sync.
func (s *Syncer) watch(ctx context.Context) {
	heads, sub := feed.Relay(s.cfg.Chain.SubscribeChainHeadEvent, 1)
	defer sub.Unsubscribe()
	for {
		select {
		case <-heads:
			if s.Ready() {
				s.declare()
			}
		case <-ctx.Done():
			return
		case <-sub.Err(): //nolint:errcheck // the chain is closing
			return
		}
	}
}

// declare reports the node as up to date if its head is recent. Claims of peers have no influence.
func (s *Syncer) declare() {
	if recent(s.cfg.Chain.CurrentBlock()) {
		s.cfg.Synced()
	}
}

// recent reports whether a header is of the last seconds.
func recent(h *types.Header) bool { return time.Since(time.Unix(int64(h.Time), 0)) < rules.RecentHead }

// follow imports blocks up to a proven one from all peers that have them.
func (s *Syncer) follow(ctx context.Context, head, target uint64) error {
	s.begin(head, target)
	far := target > head+pauseAbove
	if far {
		s.tell(log.Info, "Sync started", "from", head, "to", target)
	}
	err := s.importUpTo(ctx, target)
	if s.end(ctx, err, errors.Is(err, errDropped)); err != nil {
		return err
	}
	now := s.cfg.Chain.CurrentBlock()
	if far {
		log.Info("Sync completed", "number", now.Number, "hash", now.Hash())
	}
	if s.scout.provenNumber() > now.Number.Uint64() {
		s.nudge() // the head of the network may have moved
	} else {
		s.cfg.Synced()
	}
	s.cfg.Announcer.Announce(now)
	return nil
}

// tell writes a line of the log, and writes it again only after a while or at another block: attempts are frequent, and
// their cause may last. Only Run and its phases call it.
func (s *Syncer) tell(write func(string, ...any), line string, about ...any) {
	if at := s.position(); at != s.told.at {
		s.told.at = at
		clear(s.told.lines)
	}
	if now := time.Now(); now.Sub(s.told.lines[line]) >= lastingPeriod {
		s.told.lines[line] = now
		write(line, about...)
	}
}

// begin shows a sync that runs.
func (s *Syncer) begin(head, target uint64) {
	s.shown.Store(&progress{start: head, highest: target})
	syncTargetGauge.Update(int64(target))
}

// bounded limits the time of one request to a peer.
func (s *Syncer) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.timeout, session.ErrNoAnswer)
}

// end records the end of a sync. One that waits is shown until the chain has got there.
func (s *Syncer) end(ctx context.Context, err error, waits bool) {
	if waits {
		p := *s.shown.Load()
		p.waits = true
		s.shown.Store(&p)
	} else {
		s.shown.Store(nil)
		syncTargetGauge.Update(0)
	}
	if err == nil || ctx.Err() != nil {
		return
	}
	syncFailureMeter.Mark(1)
	switch {
	case errors.Is(err, errHalt): // already reported
	case errors.Is(err, errClock):
		s.tell(log.Warn, "Sync waits for the clock: set this machine's time", "err", err)
	case errors.Is(err, errDropped):
		s.tell(log.Warn, "Connected peers have dropped the history that comes next: connect one that keeps it, or begin in "+
			"a new data directory with --syncmode snap --history.chain", "number", s.position()+1,
			"peers", len(s.cfg.Sessions.Ready()))
	case errors.Is(err, errCutoff):
		log.Error("Sync stopped until --history.chain is corrected", "err", err, "again", lastingPeriod)
	case errors.Is(err, session.ErrPeerGone), errors.Is(err, errNoSource), errors.Is(err, wbft.ErrHeld):
		log.Debug("Sync interrupted", "err", err)
	default:
		s.tell(log.Error, "Sync failed", "err", err)
	}
}

// drop disconnects a peer and resets its claim, because the disconnection takes a moment.
func (s *Syncer) drop(ses *session.Session, reason error) {
	s.scout.takeBack(ses)
	s.cfg.Drop(ses, reason)
}

// importUpTo downloads, verifies and executes the blocks after the head up to a number. While one run of blocks is
// executed, the next is verified and the senders of its transactions are recovered.
func (s *Syncer) importUpTo(ctx context.Context, last uint64) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := s.download(last, false)
	d.start(ctx, s.cfg.Chain.CurrentBlock().Number.Uint64()+1)
	verified := make(chan *segment, 1)
	group, inner := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(verified)
		return s.verifySegments(inner, d, last, verified)
	})
	group.Go(func() error { return s.insertAll(ctx, verified, last) })
	return group.Wait()
}

// verifySegments passes on the segments, up to the block last, that continue the chain and have valid seals.
func (s *Syncer) verifySegments(ctx context.Context, d *download, last uint64, verified chan<- *segment) error {
	ahead := &aheadChain{BlockChain: s.cfg.Chain}
	for {
		seg, err := d.segment(ctx)
		if err != nil || seg == nil {
			return err
		}
		if err := s.verify(ahead, seg, last); errors.Is(err, errClock) || errors.Is(err, errHalt) {
			return err
		} else if err != nil {
			if errors.Is(err, errOtherHistory) {
				s.judgeFork(ctx, seg.from)
			}
			d.refuse(seg, err)
			continue
		}
		ahead.add(seg.headers)
		end := seg.last()
		gethcore.SenderCacher().RecoverFromBlocks(types.MakeSigner(s.cfg.Chain.Config(), end.Number, end.Time), seg.blocks)
		select {
		case verified <- seg:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// insertAll executes verified segments. Far behind, the validator pauses while blocks are executed, because a quorum
// decided them without it. It resumes when the next blocks are late: peers cannot keep it from voting by withholding
// blocks.
func (s *Syncer) insertAll(ctx context.Context, verified <-chan *segment, target uint64) error {
	report := newReport(s, "Importing blocks")
	defer s.cfg.Pause(false)
	late := time.NewTimer(stallAfter)
	defer late.Stop()
	var held types.Blocks // at most one, which the next segment has to follow
	for {
		var seg *segment
		select {
		case seg = <-verified:
		case <-late.C:
			s.cfg.Pause(false)
			seg = <-verified
		}
		switch {
		case seg != nil:
		case held != nil:
			return wbft.ErrHeld
		default:
			return nil
		}
		if target > s.cfg.Chain.CurrentBlock().Number.Uint64()+pauseAbove {
			s.cfg.Pause(true)
		}
		blocks := append(held, seg.blocks...)
		held = nil
		last := len(blocks) - 1
		s.cfg.Engine.Follow(blocks[:last]) // the seals over the last one are good
		if n, err := s.cfg.Chain.InsertChain(blocks); n == last && errors.Is(err, wbft.ErrHeld) {
			held = blocks[last:]
			continue
		} else if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s.cfg.Safety.Refused(blocks[min(n, last)], err)
			return fmt.Errorf("%w: %w", errHalt, err)
		}
		if end := seg.last(); s.cfg.Chain.CurrentBlock().Number.Cmp(end.Number) < 0 {
			return errors.New("the import of blocks was interrupted") // the chain is being stopped
		}
		syncBlocksMeter.Mark(int64(len(seg.blocks)))
		report.line()
		late.Reset(stallAfter)
	}
}

// aheadChain is the chain with verified headers of unexecuted blocks above it. It is used by one goroutine.
type aheadChain struct {
	*gethcore.BlockChain
	headers []*types.Header // consecutive; the first is in the chain or continues it
}

// add appends headers and removes those of executed blocks.
func (c *aheadChain) add(headers []*types.Header) {
	head := c.BlockChain.CurrentBlock().Number
	for len(c.headers) > 0 && c.headers[0].Number.Cmp(head) <= 0 {
		c.headers = c.headers[1:]
	}
	c.headers = append(c.headers, headers...)
}

// GetHeaderByNumber returns a header of the chain or above it; nil if unknown.
func (c *aheadChain) GetHeaderByNumber(number uint64) *types.Header {
	if len(c.headers) > 0 {
		if first := c.headers[0].Number.Uint64(); number >= first && number-first < uint64(len(c.headers)) {
			return c.headers[number-first]
		}
	}
	return c.BlockChain.GetHeaderByNumber(number)
}

// GetHeader returns the header with this hash and number; nil if unknown.
func (c *aheadChain) GetHeader(hash common.Hash, number uint64) *types.Header {
	if h := c.GetHeaderByNumber(number); h != nil && h.Hash() == hash {
		return h
	}
	return c.BlockChain.GetHeader(hash, number)
}

// verify checks that a segment of a sync up to the block last continues the chain, that validators sealed its last
// header and each epoch block, and every rule of each header. The seals cover the hashes of all others, so that only
// VerifyAll has the rest of them verified. Blocks that gossip has already imported are skipped.
func (s *Syncer) verify(ahead *aheadChain, seg *segment, last uint64) error {
	first := seg.headers[0]
	if parent := ahead.GetHeaderByNumber(first.Number.Uint64() - 1); parent == nil || first.ParentHash != parent.Hash() {
		return fmt.Errorf("%w: block %d does not continue this chain", errOtherHistory, first.Number)
	}
	if err := s.cfg.Checkpoint.Check(seg.headers); err != nil {
		return err
	}
	if err := s.receive(ahead, seg, last); err != nil {
		return err
	}
	return s.judge(ahead, seg.headers)
}

// judge checks every rule of proven headers. It reports errHalt when a quorum has sealed one that breaks a rule.
func (s *Syncer) judge(chain consensus.ChainHeaderReader, headers []*types.Header) error {
	abort, results := s.cfg.Engine.VerifyHeaders(chain, headers)
	defer close(abort)
	for i, h := range headers {
		switch err := <-results; {
		case err == nil:
		case s.cfg.Engine.Sealed(chain, headers[:i+1]) != nil:
			return fmt.Errorf("header %d: %w", h.Number, err)
		case errors.Is(err, consensus.ErrFutureBlock):
			return fmt.Errorf("%w: block %d, by %v", errClock, h.Number, s.cfg.Engine.FutureBy(h))
		default: // not the peer's fault, because the network decided
			s.cfg.Safety.Refused(types.NewBlockWithHeader(h), err)
			return errHalt
		}
	}
	return nil
}

// receive checks that seals of a quorum prove a segment of a sync up to the block last. Old headers take the seals that
// their children hold. Valid seals of recent ones stay as received, and bad ones are replaced, without consequence for
// the peer, because its blocks are of this chain.
func (s *Syncer) receive(chain consensus.ChainHeaderReader, seg *segment, last uint64) error {
	keepFrom := wbft.KeepsFrom(last)
	if s.cfg.VerifyAll {
		keepFrom = 0
	}
	kept, damaged, err := s.cfg.Engine.Receive(chain, seg.headers, keepFrom, !s.cfg.VerifyAll)
	if err != nil {
		return err
	}
	seg.keep(kept)
	if damaged == 0 {
		return nil
	}
	damagedMeter.Mark(int64(damaged))
	s.told.damaged.Do(func() {
		seg.from.Peer.Log().Warn("Seals replaced: the peer gave bad ones, the next block holds good ones", "blocks", damaged,
			"first", seg.first(), "last", kept[len(kept)-1].Number)
	})
	return nil
}

// judgeFork checks blocks of a peer around the head that differ from the local ones. If a quorum has sealed them too,
// it reports the violation (spec wbft 7.5).
func (s *Syncer) judgeFork(ctx context.Context, ses *session.Session) {
	p := ses.Up()
	head := s.cfg.Chain.CurrentBlock().Number.Uint64()
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
		if s.cfg.Chain.GetCanonicalHash(h.Number.Uint64()) != h.Hash() {
			if err := s.cfg.Safety.Conflict(h); err != nil {
				p.Log().Debug("Foreign block", "number", h.Number, "hash", h.Hash(), "err", err)
			}
			return
		}
	}
}

// report logs the progress of a sync.
type report struct {
	s     *Syncer
	title string
	from  uint64
	last  time.Time // when a line was logged
}

func newReport(s *Syncer, title string) *report {
	return &report{s, title, s.position(), time.Now()}
}

// line logs the progress if it is due.
func (r *report) line() {
	elapsed := time.Since(r.last)
	if elapsed < progressPeriod {
		return
	}
	r.last = time.Now()
	number := r.s.position()
	_, _, target, _ := r.s.Progress()
	pace := float64(number-r.from) / elapsed.Seconds()
	left := common.PrettyDuration(0)
	if target > number {
		left = common.PrettyDuration(float64(target-number) / max(pace, 0.01) * float64(time.Second))
	}
	log.Info(r.title, "number", number, "target", target, "perSecond", fmt.Sprintf("%.0f", pace), "eta", left, "peers",
		len(r.s.cfg.Sessions.Ready()))
	r.from = number
}
