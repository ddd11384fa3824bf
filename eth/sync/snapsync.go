// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gwon/eth/session"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/log"
	gethparams "github.com/ethereum/go-ethereum/params"
	"golang.org/x/sync/errgroup"
)

const (
	pivotDistance = 64  // blocks between the head of the network and the pivot
	pivotStale    = 120 // distance from which on peers may have pruned the state of the pivot; they keep 128 states

	// lastingPeriod is the time between two attempts that probably fail for the same reason: a block that is refused here,
	// or a --history.chain that the network has not reached yet.
	lastingPeriod = time.Minute
)

// errStalePivot means that the head of the network is too far above the pivot for peers to serve its state.
var errStalePivot = errors.New("the pivot is too old")

// errCutoff marks a --history.chain block that is not of this chain.
var errCutoff = errors.New("--history.chain does not fit this network")

// StateSource fetches the state of a block from peers (snap/1).
type StateSource interface {
	// Pending reports whether the node lacks the state of its head and must fetch one before the execution of blocks.
	Pending() bool
	// Begin prepares the database for a partial state.
	Begin() error
	// Fetch completes the state of a block. Fetched parts stay when ctx ends first.
	Fetch(ctx context.Context, pivot *types.Header) error
	// Commit makes a stored block with complete state the head.
	Commit(hash common.Hash) error
	// Waive ends the wait for a state. Blocks are executed from the head on, whose state exists.
	Waive()
	// Database holds the blocks.
	Database() ethdb.Database
}

// snapStates is the StateSource of a node, with go-ethereum's state syncer.
type snapStates struct{ *eth.Ethereum }

// States returns the StateSource of a node.
func States(node *eth.Ethereum) StateSource { return snapStates{node} }

func (x snapStates) Pending() bool {
	return x.Downloader().ConfigSyncMode() == ethconfig.SnapSync
}
func (x snapStates) Begin() error { return x.BlockChain().SnapSyncStart() }
func (x snapStates) Fetch(ctx context.Context, pivot *types.Header) error {
	return x.Downloader().SyncState(ctx, pivot)
}
func (x snapStates) Commit(hash common.Hash) error { return x.Downloader().CommitPivot(hash) }
func (x snapStates) Waive()                        { x.Downloader().WaiveState() }
func (x snapStates) Database() ethdb.Database      { return x.ChainDb() }

// snapping brings a node without state to a recent block (spec network 4).
type snapping struct {
	began    time.Time
	looked   bool // an interval for connections has passed
	prepared bool // the databases are prepared for a state
}

// step chooses a pivot a little below the proven head, stores all blocks and receipts up to it and fetches its state.
// A chain too short for a pivot is executed from the start.
func (p *snapping) step(ctx context.Context, s *Syncer, interval bool) (phase, time.Duration) {
	p.looked = p.looked || interval
	if !s.cfg.States.Pending() {
		return idle{}, 0
	}
	from, target := s.cfg.Chain.CurrentSnapBlock().Number.Uint64(), s.scout.provenNumber()
	if target <= pivotDistance && from == 0 && s.cfg.Chain.HasState(s.cfg.Chain.CurrentBlock().Root) {
		if p.mayBeLong(s) {
			return p, retryAfter
		}
		log.Info("Snap sync skipped", "reason", "short chain", "blocks", target)
		s.cfg.States.Waive()
		if target == 0 {
			s.cfg.Synced() // the network is about to start
		}
		return idle{}, 0
	}
	if target <= max(from, pivotDistance) {
		return p, retryAfter
	}
	s.begin(from, target)
	err := p.sync(ctx, s, from)
	if errors.Is(err, errStalePivot) {
		s.end(ctx, nil, false)
		return p, 0
	}
	waits := errors.Is(err, errDropped) || errors.Is(err, errCutoff) || errors.Is(err, errHalt) // no peer has others
	s.end(ctx, err, waits)
	switch {
	case err == nil:
		return idle{}, 0 // the blocks since the pivot are missing
	case isLasting(err):
		return failed{p, time.Now().Add(lastingPeriod)}, forNews
	case waits:
		return failed{then: p}, forNews
	}
	return p, retryAfter
}

// mayBeLong reports whether peers may soon prove a chain that is long enough for a pivot. A recent head shows that
// there is none. An old one may be a block of a longer chain, which the next peer has.
func (p *snapping) mayBeLong(s *Syncer) bool {
	if cutoff, _ := s.cfg.Chain.HistoryPruningCutoff(); cutoff > 0 { // of a longer chain
		return true
	}
	if head := s.scout.proven(); head != nil && recent(head) { // blocks are a second apart: there are few more
		return false
	}
	return !p.looked || s.scout.open(pivotDistance) && time.Since(p.began) < s.waive || len(s.cfg.Sessions.Ready()) == 0
}

// sync stores the blocks up to a pivot and makes it the head.
func (p *snapping) sync(ctx context.Context, s *Syncer, from uint64) error {
	pivot, err := s.pivot(ctx, s.scout.proven())
	if err != nil {
		return err
	}
	pivotMovedMeter.Mark(1)
	s.tell(log.Info, "Snap sync started", "pivot", pivot.Number, "hash", pivot.Hash(), "blocks", from)
	if err := p.snapTo(ctx, s, pivot); err != nil {
		if errors.Is(err, errStalePivot) {
			log.Info("Pivot replaced", "old", pivot.Number)
		}
		return err
	}
	log.Info("State downloaded", "number", pivot.Number, "hash", pivot.Hash())
	if err := s.cfg.Chain.SyncBlocks(); err != nil {
		log.Error("Blocks below the pivot not synced to disk", "err", err)
	}
	s.cfg.Chain.MarkFinal(pivot)
	return nil
}

// pivot returns a header some blocks below a proven one, linked with it.
func (s *Syncer) pivot(ctx context.Context, head *types.Header) (*types.Header, error) {
	number := head.Number.Uint64()
	return session.FirstOf(ctx, s.cfg.Sessions.Ready(),
		func(ctx context.Context, ses *session.Session) (*types.Header, error) {
			p := ses.Up()
			if p == nil {
				return nil, session.ErrPeerGone
			}
			limit, cancel := s.bounded(ctx)
			defer cancel()
			headers, err := session.HeadersFrom(limit, ses, p, number-pivotDistance, pivotDistance+1)
			if err != nil {
				return nil, err
			}
			if len(headers) != pivotDistance+1 || headers[pivotDistance].Hash() != head.Hash() {
				return nil, fmt.Errorf("%w of the headers below the proven head %d", errNoSource, number)
			}
			return headers[0], nil
		})
}

// snapTo stores the blocks up to the pivot, completes its state concurrently, and makes the pivot the head.
func (p *snapping) snapTo(ctx context.Context, s *Syncer, pivot *types.Header) error {
	fetch := func(ctx context.Context) error { return s.cfg.States.Fetch(ctx, pivot) }
	if s.cfg.Chain.HasState(pivot.Root) {
		// The network has had no transactions since genesis. The state syncer would treat the state as complete and still
		// overwrite it.
		fetch = func(context.Context) error { return nil }
	}
	if !p.prepared { // earlier attempts keep the preparation
		if err := s.cfg.States.Begin(); err != nil {
			return fmt.Errorf("prepare for snap sync: %w", err)
		}
		p.prepared = true
	}
	// A later start must not treat the missing state as a crash (package persist).
	rawdb.WriteLastPivotNumber(s.cfg.States.Database(), pivot.Number.Uint64())
	group, inner := errgroup.WithContext(ctx)
	done := make(chan struct{})
	group.Go(func() error {
		defer close(done)
		work, inner := errgroup.WithContext(inner)
		work.Go(func() error { return s.storeUpTo(inner, pivot) })
		work.Go(func() error { return fetch(inner) })
		return work.Wait()
	})
	group.Go(func() error {
		ticker := time.Tick(time.Second)
		for {
			select {
			case <-ticker:
				if s.scout.provenNumber() > pivot.Number.Uint64()+pivotStale {
					return errStalePivot
				}
			case <-done:
				return nil
			case <-inner.Done():
				return nil
			}
		}
	})
	if err := group.Wait(); err != nil {
		return err
	}
	p.prepared = false
	return s.cfg.States.Commit(pivot.Hash())
}

// storeUpTo downloads the blocks after the newest stored one up to the pivot, with receipts, and stores them without
// execution. Seals of a quorum prove each segment. Below the start of the kept history only headers are stored.
func (s *Syncer) storeUpTo(ctx context.Context, pivot *types.Header) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	last := pivot.Number.Uint64()
	d := s.download(last, true)
	cutoff, wanted := s.cfg.Chain.HistoryPruningCutoff()
	if cutoff > last {
		return fmt.Errorf("%w: history is to be kept from block %d on, and the network is at %d; name a block that is at "+
			"least %d blocks old, or start without the flag",
			errCutoff, cutoff, last+pivotDistance, pivotDistance)
	}
	d.queue.cutoff = cutoff
	d.start(ctx, s.cfg.Chain.CurrentSnapBlock().Number.Uint64()+1)
	limit := s.ancientLimit(last)
	report := newReport(s, "Storing blocks")
	for {
		seg, err := d.segment(ctx)
		if err != nil || seg == nil {
			return err
		}
		if err := s.prove(seg, pivot); err != nil {
			d.refuse(seg, err)
			continue
		}
		end := seg.last().Number
		at := cutoff - seg.first()
		if cutoff >= seg.first() && at < uint64(len(seg.headers)) && seg.headers[at].Hash() != wanted {
			return fmt.Errorf("%w: block %d of the network is %v, not %v; start with --history.chain %[2]d:%[3]v, or with "+
				"another block in a new data directory",
				errCutoff, cutoff, seg.headers[at].Hash(), wanted)
		}
		var n int
		if seg.first() < cutoff {
			n, err = s.cfg.Chain.InsertHeadersBeforeCutoff(seg.headers)
		} else {
			n, err = s.cfg.Chain.InsertReceiptChain(seg.blocks, seg.receipts, limit)
		}
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if halt := s.judge(s.cfg.Chain, seg.headers); halt != nil {
				return halt
			}
			return fmt.Errorf("store block %d: %w", seg.headers[min(n, len(seg.headers)-1)].Number, err)
		}
		if s.cfg.Chain.CurrentSnapBlock().Number.Cmp(end) < 0 {
			return errors.New("the import of blocks was interrupted")
		}
		syncBlocksMeter.Mark(int64(len(seg.headers)))
		report.line()
	}
}

// prove checks that a segment continues the stored blocks and that a quorum has sealed its end.
func (s *Syncer) prove(seg *segment, pivot *types.Header) error {
	if parent := s.cfg.Chain.CurrentSnapBlock(); seg.headers[0].ParentHash != parent.Hash() {
		return fmt.Errorf("block %d of the peer does not continue block %v of this chain", seg.first(), parent.Hash())
	}
	if err := s.cfg.Checkpoint.Check(seg.headers); err != nil {
		return err
	}
	if end := seg.last(); end.Number.Cmp(pivot.Number) == 0 && end.Hash() != pivot.Hash() {
		return fmt.Errorf("block %d of the peer is %v instead of the pivot %v", end.Number, end.Hash(), pivot.Hash())
	}
	return s.receive(s.cfg.Chain, seg, pivot.Number.Uint64()) // the rules of each are checked when it is stored
}

// ancientLimit returns the number below which blocks go directly to the ancient store. That needs all earlier blocks
// there. The newest blocks stay in the key-value store.
func (s *Syncer) ancientLimit(pivot uint64) uint64 {
	frozen, err := s.cfg.States.Database().Ancients()
	next := s.cfg.Chain.CurrentSnapBlock().Number.Uint64() + 1
	if err != nil || pivot <= gethparams.FullImmutabilityThreshold || frozen != next && (frozen != 0 || next != 1) {
		return 0
	}
	return pivot - gethparams.FullImmutabilityThreshold
}
