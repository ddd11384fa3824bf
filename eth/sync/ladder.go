// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"context"
	"fmt"
	"sync"
	"time"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/wbft/validators"
	"gwon/eth/session"
	"gwon/params"
)

const (
	rungBatch = 64      // epoch headers in one request
	stretch   = 1 << 16 // largest number of epochs between the first and last
)

// ladder proves the head of the network by epoch headers. A quorum of the set that the previous rung names has sealed
// each rung (spec wbft 3.1, 7.1). Seals of a known set prove any later block, so a rung is needed only where the set
// changes.
//
// The order of a set is shuffled in each epoch, and seals name signers by position. Each rung therefore comes with
// the header of the previous epoch.
//
// All peers share one ladder and are asked concurrently. A proven rung counts for all of them, and a slow peer delays
// no other.
type ladder struct {
	mu   sync.Mutex
	rung *types.Header // newest proven one; nil for none

	verifying sync.Mutex // prevents a second verification of a rung
}

// newest returns the newest proven rung; nil for none.
func (l *ladder) newest() *types.Header {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rung
}

// top returns the newest epoch header of the chain that is stored or proven.
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

// climb proves epoch headers of a peer until the set of block number is known. It tries the furthest header first and
// then nearer ones while the set in charge has not sealed it. A peer without a header at a change of the set has
// lied.
func (s *scout) climb(ctx context.Context, ses *session.Session, p *protocol.Peer, number uint64) error {
	var (
		judge  *validators.Set // set whose seals were missing
		beyond uint64          // epoch block from which on they were missing; 0 for none
		whole  bool            // the order of the set was known for each rung
		reason error
	)
	begun := time.Now()
	for line := begun; ; {
		below, err := s.ladder.top(s.chain)
		if err != nil {
			return err
		}
		from := params.NextEpochBlock(s.chain.Config(), below.Number.Uint64())
		if from >= number {
			return nil
		}
		set, err := s.engine.EpochSet(below)
		if err != nil {
			return fmt.Errorf("%w: %w", errLocal, err)
		}
		end := number
		if beyond != 0 && (set.Equal(judge) || whole && set.SameMembers(judge)) {
			end = min(end, beyond)
		}
		if from >= end {
			return reason
		}
		first, step, count := s.spread(below.Number.Uint64(), end)
		limit, cancel := context.WithTimeoutCause(ctx, s.timeout, session.ErrNoAnswer)
		rungs, err := session.HeadersEvery(limit, ses, p, first, step, count)
		cancel()
		if err != nil {
			return err
		}
		if len(rungs) == 0 {
			return fmt.Errorf("%w: it does not have epoch block %d", session.ErrClaim, first)
		}
		orders, err := s.orders(ctx, ses, p, below, rungs)
		if err != nil {
			return err
		}
		sealed, err := s.raise(below, set, rungs, orders)
		if err != nil {
			judge, beyond, whole = set, rungs[sealed].Number.Uint64(), len(orders) == len(rungs)
			reason = fmt.Errorf("%w: epoch header %d: %w", session.ErrClaim, beyond, err)
		}
		if sealed > 0 && time.Since(begun) > s.eager {
			s.publish() // sync may begin with the proven part
		}
		if time.Since(line) >= progressPeriod {
			line = time.Now()
			log.Info("Epoch headers proven", "epochBlock", rungs[len(rungs)-1].Number, "claimed", number)
		}
	}
}

// orders requests the epoch header before each rung. A peer may send fewer.
func (s *scout) orders(ctx context.Context, ses *session.Session, p *protocol.Peer, below *types.Header,
	rungs []*types.Header) ([]*types.Header, error) {
	var (
		last   = below.Number.Uint64()
		first  = rungs[0].Number.Uint64()
		length = params.NextEpochBlock(s.chain.Config(), last) - last
		step   = length
	)
	if len(rungs) > 1 {
		step = rungs[1].Number.Uint64() - first
	}
	if step == length && first == last+length { // each rung follows the previous one directly
		return append([]*types.Header{below}, rungs[:len(rungs)-1]...), nil
	}
	limit, cancel := context.WithTimeoutCause(ctx, s.timeout, session.ErrNoAnswer)
	defer cancel()
	if first == last+length {
		others, err := session.HeadersEvery(limit, ses, p, first+step-length, step, len(rungs)-1)
		return append([]*types.Header{below}, others...), err
	}
	return session.HeadersEvery(limit, ses, p, first-length, step, len(rungs))
}

// spread returns epoch blocks between two blocks at equal distances. The last one is as near to end as equal epochs
// allow.
func (s *scout) spread(below, end uint64) (first, step uint64, count int) {
	config := s.chain.Config()
	from := params.NextEpochBlock(config, below)
	length, epochs := from-below, 1
	for last := from; epochs < stretch && last+length < end; epochs++ {
		if params.NextEpochBlock(config, last) != last+length {
			break
		}
		last += length
	}
	every := (epochs + rungBatch - 1) / rungBatch
	count = (epochs-1)/every + 1
	return from + uint64(epochs-1-(count-1)*every)*length, uint64(every) * length, count
}

// raise sets the newest rung to one that a quorum of set has sealed; the header below names the set. The parameter
// orders holds the epoch headers before the rungs. raise returns the number of sealed rungs, and the reason why the
// next one is not sealed.
func (s *scout) raise(below *types.Header, set *validators.Set, rungs,
	orders []*types.Header) (sealed int, reason error) {
	s.ladder.verifying.Lock()
	defer s.ladder.verifying.Unlock()
	if top := s.ladder.newest(); top != nil && top.Number.Cmp(below.Number) > 0 {
		return 0, nil // another peer has proven more
	}
	missing := len(rungs)
	for probe := missing - 1; sealed < missing; probe = (sealed + missing) / 2 {
		ordered := set
		if probe < len(orders) {
			ordered = s.engine.InOrderOf(set, orders[probe])
		}
		if err := s.engine.VerifySeals(ordered, rungs[probe]); err != nil {
			missing, reason = probe, err
		} else {
			sealed = probe + 1
		}
	}
	if sealed > 0 {
		s.ladder.mu.Lock()
		s.ladder.rung = rungs[sealed-1]
		s.ladder.mu.Unlock()
	}
	return sealed, reason
}
