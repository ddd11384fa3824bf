// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/wbft"
)

const (
	headerBatch    = 192              // headers in one request (spec network 2.7)
	bodyBatch      = 96               // bodies in one request, below the 2 MiB of an answer for ordinary blocks
	pauseAbove     = 16               // blocks behind from which on the validator rests while it catches up
	progressPeriod = 8 * time.Second  // between two progress lines in the log
	recentHead     = 30 * time.Second // a head younger than this means that the node is up to date
	gossipPatience = 2 * time.Second  // that a single missing block is given to arrive by itself
)

// errHalt marks a block that the network has sealed but that does not execute here.
var errHalt = errors.New("sealed block does not execute")

// syncer follows peers that are ahead: it asks the one with the highest claim for headers by number, verifies their seals,
// asks for the bodies and imports the blocks in order (spec network 2.7). What a peer claims counts for nothing until sealed
// headers prove it.
type syncer struct {
	chain    *core.BlockChain
	engine   *wbft.Engine
	sessions *sessions
	gossip   *gossip
	interval time.Duration // of looking for better peers
	pause    func(bool)
	synced   func()
	halt     func(reason string)
	drop     func(ses *session, reason error)

	wake    chan struct{}
	wanted  chan wanted
	syncing atomic.Bool
	start   atomic.Uint64
	highest atomic.Uint64
}

// progress tells how far a running sync is, in block numbers.
func (s *syncer) progress() (start, current, highest uint64, syncing bool) {
	if !s.syncing.Load() {
		return 0, 0, 0, false
	}
	return s.start.Load(), s.chain.CurrentBlock().Number.Uint64(), s.highest.Load(), true
}

// wanted is a block that a peer has shown, whose ancestors are missing here.
type wanted struct {
	from   *session
	number uint64
}

// fetch makes the syncer ask a peer at once for the blocks up to one that the peer has shown.
func (s *syncer) fetch(ses *session, number uint64) {
	select {
	case s.wanted <- wanted{ses, number}:
	default: // another one is on its way and brings the node forward as well
	}
}

// nudge makes the syncer look for better peers at once.
func (s *syncer) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// run looks for peers that are ahead until ctx ends: at every interval, and when something new is known of a peer. A gap of
// two blocks starts a sync at once. A gap of one is left to gossip for a moment.
func (s *syncer) run(ctx context.Context) {
	ticker := time.NewTicker(s.interval)
	defer ticker.Stop()
	patience := time.NewTimer(0)
	defer patience.Stop()
	var stalledAt uint64 // head when the moment began
	for {
		waited := false
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-ticker.C:
		case <-patience.C:
			waited = true
		case w := <-s.wanted:
			if head := s.chain.CurrentBlock().Number.Uint64(); w.number > head+1 {
				s.follow(ctx, w.from, head, w.number)
			}
			continue
		}
		head := s.chain.CurrentBlock()
		number := head.Number.Uint64()
		ses, claimed := s.best()
		switch {
		case ses == nil || claimed <= number:
			if time.Since(time.Unix(int64(head.Time), 0)) < recentHead {
				s.synced()
			}
		case claimed >= number+2 || waited && number == stalledAt:
			s.follow(ctx, ses, number, claimed)
		default:
			stalledAt = number
			patience.Reset(gossipPatience)
		}
	}
}

// best returns the peer with the highest claim and the block number that it claims.
func (s *syncer) best() (*session, uint64) {
	var (
		best   *session
		bestTD = new(big.Int)
	)
	for _, ses := range s.sessions.ready() {
		if _, td := ses.claim(); best == nil || td.Cmp(bestTD) > 0 {
			best, bestTD = ses, td
		}
	}
	if best == nil {
		return nil, 0
	}
	number := bestTD.Sub(bestTD, s.chain.Genesis().Difficulty())
	if !number.IsUint64() {
		return nil, 0
	}
	return best, number.Uint64()
}

// follow imports blocks from one peer until it has no more.
func (s *syncer) follow(ctx context.Context, ses *session, head, claimed uint64) {
	s.start.Store(head)
	s.highest.Store(claimed)
	s.syncing.Store(true)
	defer s.syncing.Store(false)
	rest := claimed > head+pauseAbove
	if rest {
		log.Info("Catching up", "from", head, "to", claimed, "peer", ses.peer.ID())
		s.pause(true)
		defer s.pause(false)
	}
	err := s.importFrom(ctx, ses)
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, errHalt):
		s.halt(err.Error())
	case errors.Is(err, errPeerGone):
		s.nudge()
	case err != nil:
		s.lower(ses) // it takes a moment until the connection is gone
		s.drop(ses, err)
		s.nudge()
	default:
		if s.chain.CurrentBlock().Number.Uint64() < claimed {
			s.lower(ses) // it claimed more than it has
		}
		if rest {
			log.Info("Caught up", "number", s.chain.CurrentBlock().Number, "hash", s.chain.CurrentBlock().Hash())
		}
		s.synced()
		s.gossip.announce(s.chain.CurrentBlock())
	}
}

// lower takes back a claim that the peer could not keep, so that it is not asked again before it shows something new.
func (s *syncer) lower(ses *session) {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	ses.td = totalDifficulty(s.chain, s.chain.CurrentBlock().Number.Uint64())
}

// importFrom runs the requests and imports of one peer. It returns nil when the peer has nothing beyond the head.
func (s *syncer) importFrom(ctx context.Context, ses *session) error {
	reported, since := s.chain.CurrentBlock().Number.Uint64(), time.Now()
	for {
		p := ses.up()
		if p == nil {
			return errPeerGone
		}
		headers, err := headersFrom(ctx, ses, p, s.chain.CurrentBlock().Number.Uint64()+1, headerBatch)
		if err != nil || len(headers) == 0 {
			return err
		}
		if err := s.verify(headers); err != nil {
			return err
		}
		for len(headers) > 0 {
			blocks, err := blocksOf(ctx, ses, p, headers[:min(len(headers), bodyBatch)])
			if err != nil {
				return err
			}
			if len(blocks) == 0 {
				return fmt.Errorf("%w: no bodies for headers it served", errBadAnswer)
			}
			if n, err := s.chain.InsertChain(blocks); err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return fmt.Errorf("%w: block %d [%v]: %w", errHalt, blocks[n].NumberU64(), blocks[n].Hash(), err)
			}
			headers = headers[len(blocks):]
			head := s.chain.CurrentBlock().Number.Uint64()
			if head > s.highest.Load() {
				s.highest.Store(head)
			}
			if elapsed := time.Since(since); elapsed >= progressPeriod {
				rate := float64(head-reported) / elapsed.Seconds()
				left := time.Duration(float64(s.highest.Load()-head) / max(rate, 0.01) * float64(time.Second))
				log.Info("Importing blocks", "number", head, "target", s.highest.Load(), "perSecond", fmt.Sprintf("%.0f", rate), "eta", common.PrettyDuration(left))
				reported, since = head, time.Now()
			}
		}
	}
}

// verify checks that headers continue the head and carry the seals of their validators.
func (s *syncer) verify(headers []*types.Header) error {
	head := s.chain.CurrentBlock()
	if first := headers[0]; first.Number.Uint64() == head.Number.Uint64()+1 && first.ParentHash != head.Hash() {
		return fmt.Errorf("block %d of the peer does not continue block %v of this chain", first.Number, head.Hash())
	}
	abort, results := s.engine.VerifyHeaders(s.chain, headers)
	defer close(abort)
	for _, h := range headers {
		if err := <-results; errors.Is(err, consensus.ErrFutureBlock) {
			return fmt.Errorf("header %d: %w: check the clocks", h.Number, err)
		} else if err != nil {
			return fmt.Errorf("header %d: %w", h.Number, err)
		}
	}
	return nil
}
