// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	"golang.org/x/time/rate"

	"gwon/consensus/wbft"
	"gwon/eth/session"
	"gwon/params"
)

const (
	gossipPatience = 2 * time.Second // time for a single missing block to arrive by gossip
	eagerAfter     = time.Second     // time of climbing after which sync starts with the proven part
	maxMargin      = 32              // blocks by which a claim must exceed the proven head, far behind
)

var (
	claimsProvenMeter  = metrics.NewRegisteredMeter("gwon/claims/proven", nil)
	claimsRefutedMeter = metrics.NewRegisteredMeter("gwon/claims/refuted", nil)
)

// errLocal marks a failure of this node, not of a peer.
var errLocal = errors.New("local failure")

// scout proves the head of the network. A claim of a peer, in its Status or by a pushed block, only makes the scout
// ask that peer. The scout requests the claimed header from all peers that claim to be ahead, concurrently, and
// accepts it after verification of a quorum of seals. A peer that cannot prove its claim has lied.
type scout struct {
	chain    *gethcore.BlockChain
	engine   *wbft.Engine
	sessions *session.Sessions
	refute   func(ses *session.Session, reason error) // disconnects a peer with a false claim
	found    func()                                   // called when a newer head is proven
	ladder   ladder
	timeout  time.Duration // of one request to a peer
	patience time.Duration // see gossipPatience
	again    time.Duration // between two checks of a peer's claim
	eager    time.Duration // see eagerAfter

	wake chan struct{}
	told rate.Sometimes // lines about claims that are not judged

	mu     sync.Mutex
	newest *types.Header                 // newest header that a quorum is proven to have sealed; nil for none
	looks  map[*session.Session]*looking // peers with a claim that is or was ahead
}

// looking is the state of one peer.
type looking struct {
	busy   bool
	next   time.Time // earliest time of the next request
	silent int       // unanswered requests in a row
}

func newScout(chain *gethcore.BlockChain, engine *wbft.Engine, s *session.Sessions,
	refute func(*session.Session, error), found func()) *scout {
	return &scout{
		chain: chain, engine: engine, sessions: s, refute: refute, found: found,
		timeout: session.RequestTimeout, patience: gossipPatience, again: 2 * time.Second, eager: eagerAfter,
		wake:  make(chan struct{}, 1),
		told:  rate.Sometimes{Interval: lastingPeriod},
		looks: make(map[*session.Session]*looking),
	}
}

// proven returns the newest header that is proven to be sealed by a quorum; nil if none is beyond the head.
func (s *scout) proven() *types.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newest == nil || s.newest.Number.Cmp(s.chain.CurrentBlock().Number) <= 0 {
		return nil
	}
	return s.newest
}

// provenNumber returns the number of the proven header, 0 for none.
func (s *scout) provenNumber() uint64 {
	if h := s.proven(); h != nil {
		return h.Number.Uint64()
	}
	return 0
}

// prove records a header with verified seals of a quorum.
func (s *scout) prove(header *types.Header) {
	s.mu.Lock()
	more := s.newest == nil || header.Number.Cmp(s.newest.Number) > 0
	if more {
		s.newest = header
	}
	s.mu.Unlock()
	if more && header.Number.Cmp(s.chain.CurrentBlock().Number) > 0 {
		claimsProvenMeter.Mark(1)
		s.found()
	}
}

// nudge makes the scout check the claims of all peers.
func (s *scout) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// open reports whether an unproven claim exceeds a block number.
func (s *scout) open(number uint64) bool {
	return slices.ContainsFunc(s.sessions.Ready(),
		func(ses *session.Session) bool { return ses.ClaimedNumber(s.chain) > number })
}

// run asks peers until ctx ends.
func (s *scout) run(ctx context.Context) {
	var asking sync.WaitGroup
	defer asking.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	var head uint64
	since := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-timer.C:
		}
		now := time.Now()
		if number := s.chain.CurrentBlock().Number.Uint64(); number != head {
			head, since = number, now
		}
		due, wait := s.visit(head, now, now.Sub(since))
		for _, ses := range due {
			asking.Go(func() {
				s.settle(ctx, ses, s.examine(ctx, ses))
				s.nudge()
			})
		}
		timer.Reset(wait)
	}
}

// visit returns the peers to ask now, and the time until the next visit. The parameter still is the time since the
// last change of the head.
func (s *scout) visit(head uint64, now time.Time, still time.Duration) (due []*session.Session, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := head
	if s.newest != nil {
		known = max(known, s.newest.Number.Uint64())
	}
	margin := min(maxMargin, (known-head)/2)
	wait = time.Minute
	maps.DeleteFunc(s.looks, func(ses *session.Session, l *looking) bool { return !l.busy && ses.Gone() })
	for _, ses := range s.sessions.Ready() {
		claimed := ses.ClaimedNumber(s.chain)
		l := s.looks[ses]
		left := time.Duration(0)
		if l != nil {
			left = l.next.Sub(now)
		}
		if claimed == head+1 {
			left = max(left, s.patience-still)
		}
		switch {
		case claimed <= known+margin || l != nil && l.busy:
		case left > 0:
			wait = min(wait, left)
		default:
			if l == nil {
				l = new(looking)
				s.looks[ses] = l
			}
			l.busy = true
			due = append(due, ses)
		}
	}
	return due, wait
}

// settle handles the result of a check of a peer's claim.
func (s *scout) settle(ctx context.Context, ses *session.Session, err error) {
	s.mu.Lock()
	l := s.looks[ses]
	l.busy, l.next = false, time.Now().Add(s.again)
	if errors.Is(err, session.ErrNoAnswer) {
		l.silent++
		if l.silent >= maxSilent {
			err = fmt.Errorf("%w: %w", session.ErrClaim, err)
		}
	} else {
		l.silent = 0
	}
	s.mu.Unlock()
	switch {
	case err == nil || ctx.Err() != nil || errors.Is(err, session.ErrPeerGone):
	case errors.Is(err, errLocal):
		s.told.Do(func() { log.Error("Claim of a peer not judged", "err", err) })
	case errors.Is(err, session.ErrNoAnswer) && !errors.Is(err, session.ErrClaim):
		ses.Peer.Log().Debug("No answer to a question about a claim")
	default:
		claimsRefutedMeter.Mark(1)
		s.takeBack(ses)
		s.refute(ses, err)
	}
}

// examine requests the claimed header of a peer and verifies its seals. After an error with errLocal,
// session.ErrNoAnswer or session.ErrPeerGone the claim is still open.
func (s *scout) examine(ctx context.Context, ses *session.Session) error {
	p := ses.Up()
	if p == nil {
		return session.ErrPeerGone
	}
	hash, td := ses.Claim()
	number := session.NumberAt(s.chain, td)
	limit, cancel := context.WithTimeoutCause(ctx, s.timeout, session.ErrNoAnswer)
	header, err := session.HeaderByHash(limit, ses, p, hash)
	cancel()
	if errors.Is(err, session.ErrMissing) {
		return fmt.Errorf("%w: it does not have its head %v", session.ErrClaim, hash)
	} else if err != nil {
		return err
	}
	if header.Number.Uint64() != number {
		return fmt.Errorf("%w: its head %v is block %d, not %d", session.ErrClaim, hash, header.Number, number)
	}
	defer s.publish()
	for {
		below, err := s.ladder.top(s.chain)
		if err != nil {
			return err
		}
		if number <= below.Number.Uint64() {
			return nil // another peer has proven more
		}
		if number > params.NextEpochBlock(s.chain.Config(), below.Number.Uint64()) {
			if err := s.climb(ctx, ses, p, number); err != nil {
				return err
			}
			continue
		}
		set, err := s.engine.EpochSet(below)
		if err != nil {
			return fmt.Errorf("%w: %w", errLocal, err)
		}
		if err := s.engine.VerifySeals(set, header); err != nil {
			return fmt.Errorf("%w: head %d: %w", session.ErrClaim, number, err)
		}
		s.prove(header)
		return nil
	}
}

// takeBack reduces a peer's claim to the local head, so that only a new claim leads to a request.
func (s *scout) takeBack(ses *session.Session) {
	ses.Lower(s.chain, s.chain.CurrentBlock().Number.Uint64())
}

// publish makes the newest proven epoch header the proven head.
func (s *scout) publish() {
	if top := s.ladder.newest(); top != nil {
		s.prove(top)
	}
}

// Claimed makes the scout check the claims of peers. It implements blockgossip.Follower.
func (s *Syncer) Claimed() { s.scout.nudge() }

// Joined makes the syncer ask a new peer, which may have what no other has, as the checkpoint block.
func (s *Syncer) Joined() {
	s.scout.nudge()
	s.nudge()
}

// Shown records a header whose block a peer sent, and whether its seals are verified. It implements
// blockgossip.Follower.
func (s *Syncer) Shown(ses *session.Session, header *types.Header, sealed bool) {
	s.scout.shown(ses, header, sealed)
}

// shown records that a peer with a block also has its parent.
func (s *scout) shown(ses *session.Session, header *types.Header, sealed bool) {
	ses.Raise(header.ParentHash, session.TotalDifficulty(s.chain, header.Number.Uint64()-1))
	if sealed {
		s.prove(header)
	}
	s.nudge()
}
