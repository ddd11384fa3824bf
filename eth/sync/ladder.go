// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/log"
	"golang.org/x/sync/errgroup"

	"gwon/eth/session"
	"gwon/params"
)

const (
	rungBatch        = 512 // epoch headers in one request: what fits into an answer with some room (spec network 2.3)
	verifiedTogether = 16  // epoch headers that are verified at a time: so many are wasted on a forged one at most

	// shortAnswer is the part of what it was asked for below which an answer ends a peer's turn: one that gives a few headers at
	// a time may be slow on purpose.
	shortAnswer = 10
)

// ladder is the chain of epoch headers, each sealed by the set that the one before it names, that leads from what this node knows
// to the head of the network (spec wbft 3.1, 7.1). All peers climb the same ladder: whoever proves a rung proves it for everybody.
// One peer climbs at a time, and another one as well whenever those that do have held up the rest for a while.
type ladder struct {
	hedge time.Duration

	mu       sync.Mutex
	rung     *types.Header // newest that was proven; nil for none
	climbers int
	since    time.Time     // when the last climber began, or one of them brought what it was asked for
	changed  chan struct{} // closed and replaced when a climber ends

	verifying sync.Mutex // so that no rung is verified twice
}

// newest returns the newest proven rung, nil for none.
func (l *ladder) newest() *types.Header {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rung
}

// top returns the newest epoch header that is known to be of the chain: the newest proven rung or a stored one.
func (l *ladder) top(chain *gethcore.BlockChain) (*types.Header, error) {
	number := chain.Config().LastEpochBlock(chain.CurrentHeader().Number.Uint64())
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rung != nil && l.rung.Number.Uint64() >= number {
		return l.rung, nil
	}
	stored := chain.GetHeaderByNumber(number)
	if stored == nil {
		return nil, fmt.Errorf("%w: header of epoch block %d is missing in the database", errLocal, number)
	}
	return stored, nil
}

// turn waits until a peer may climb. done must be called when it has climbed.
func (l *ladder) turn(ctx context.Context, ses *session.Session) (done func(), err error) {
	for {
		l.mu.Lock()
		left := l.hedge - time.Since(l.since)
		if l.climbers == 0 || left <= 0 {
			l.climbers++
			l.since = time.Now()
			l.mu.Unlock()
			return l.leave, nil
		}
		changed := l.changed
		l.mu.Unlock()
		timer := time.NewTimer(left)
		select {
		case <-changed:
		case <-timer.C:
		case <-ses.Closed():
			err = session.ErrPeerGone
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		timer.Stop()
		if err != nil {
			return nil, err
		}
	}
}

func (l *ladder) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.climbers--
	close(l.changed)
	l.changed = make(chan struct{})
}

// progress notes that a climber keeps the pace.
func (l *ladder) progress() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.since = time.Now()
}

// climb proves epoch headers of a peer until the set that seals the block with a number is known, or the peer's turn ends. The next
// call goes on from there, with whatever peer.
func (s *scout) climb(ctx context.Context, ses *session.Session, p *protocol.Peer, number uint64) error {
	done, err := s.ladder.turn(ctx, ses)
	if err != nil {
		return err
	}
	defer done()
	config := s.chain.Config()
	for reported := time.Now(); ; {
		below, err := s.ladder.top(s.chain)
		if err != nil {
			return err
		}
		from := params.NextEpochBlock(config, below.Number.Uint64())
		if from >= number {
			return nil
		}
		// As many as lie at equal distances.
		step, count := from-below.Number.Uint64(), 1
		for last := from; count < rungBatch && params.NextEpochBlock(config, last) == last+step && last+step < number; count++ {
			last += step
		}
		limit, cancel := context.WithTimeoutCause(ctx, s.timeout, session.ErrNoAnswer)
		rungs, err := session.HeadersEvery(limit, ses, p, from, step, count)
		cancel()
		if err != nil {
			return err
		}
		if len(rungs) == 0 {
			return fmt.Errorf("%w: it does not have epoch block %d", session.ErrClaim, from)
		}
		if err := s.verifyRungs(below, rungs); err != nil {
			return err
		}
		if len(rungs) < count/shortAnswer {
			return nil
		}
		s.ladder.progress()
		if time.Since(reported) > progressPeriod {
			log.Info("Proving the head of the network", "epochBlock", rungs[len(rungs)-1].Number, "claimed", number)
			reported = time.Now()
		}
	}
}

// verifyRungs verifies each of consecutive epoch headers with the set that the one before it names, the first with that of below,
// and moves the newest rung up to the last good one. What others have proven in the meantime is not verified again.
func (s *scout) verifyRungs(below *types.Header, rungs []*types.Header) error {
	s.ladder.verifying.Lock()
	defer s.ladder.verifying.Unlock()
	if top := s.ladder.newest(); top != nil && top.Number.Cmp(below.Number) > 0 {
		next := slices.IndexFunc(rungs, func(h *types.Header) bool { return h.Number.Cmp(top.Number) > 0 })
		if next < 0 {
			return nil
		}
		below, rungs = top, rungs[next:]
	}
	for chunk := range slices.Chunk(rungs, verifiedTogether) {
		var group errgroup.Group
		group.SetLimit(runtime.GOMAXPROCS(0))
		for _, rung := range chunk {
			before := below
			group.Go(func() error { return s.verifyRung(before, rung) })
			below = rung
		}
		if err := group.Wait(); err != nil {
			return err
		}
		s.ladder.mu.Lock()
		s.ladder.rung = below
		s.ladder.mu.Unlock()
	}
	return nil
}

// verifyRung verifies an epoch header with the set that the one before it names.
func (s *scout) verifyRung(below, rung *types.Header) error {
	set, err := s.engine.EpochSet(below)
	if err != nil {
		return fmt.Errorf("%w: epoch header %d: %w", session.ErrClaim, below.Number, err)
	}
	if err := s.engine.VerifySeals(set, rung); err != nil {
		return fmt.Errorf("%w: epoch header %d: %w", session.ErrClaim, rung.Number, err)
	}
	return nil
}
