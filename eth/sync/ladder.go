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
	stretch   = 1 << 16 // epochs that they span at most
)

// ladder is a chain of epoch headers, each sealed by a quorum of the set that the one before it names, that leads from what this node
// knows to the head of the network (spec wbft 3.1, 7.1). It leaves out all that change nothing: what a quorum of a set that is known to
// be right has sealed is of this chain, however far away it is, and so is the set that it names. Only where the set changes does the
// ladder have a rung at each border. The order of a set, by which seals name their signers, is shuffled for each epoch, so the header
// of the epoch before comes with each rung: whoever shows a set of the same validators shows the order, and no more than that.
//
// All peers climb the same ladder, at the same time: whoever proves a rung proves it for everybody, and who is slow, on purpose or
// not, holds up nobody.
type ladder struct {
	mu   sync.Mutex
	rung *types.Header // newest that was proven; nil for none

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

// climb proves epoch headers of a peer until the set that seals the block with a number is known. It tries the furthest header first and comes nearer as long as the set in charge has
// not sealed it; a peer that has none between one that keeps the set and the next that is not of that set has lied.
func (s *scout) climb(ctx context.Context, ses *session.Session, p *protocol.Peer, number uint64) error {
	var (
		judge  *validators.Set // whose seals were missing
		beyond uint64          // epoch block from which on they were, 0 for none
		whole  bool            // the order of the set was known for each rung that was looked at then
		reason error
	)
	begun := time.Now()
	for reported := begun; ; {
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
			s.publish() // sync need not wait for the rest
		}
		if time.Since(reported) > progressPeriod {
			log.Info("Proving the head of the network", "epochBlock", rungs[len(rungs)-1].Number, "claimed", number)
			reported = time.Now()
		}
	}
}

// orders asks a peer for the epoch header before each rung. It may give fewer.
func (s *scout) orders(ctx context.Context, ses *session.Session, p *protocol.Peer, below *types.Header, rungs []*types.Header) ([]*types.Header, error) {
	var (
		last   = below.Number.Uint64()
		first  = rungs[0].Number.Uint64()
		length = params.NextEpochBlock(s.chain.Config(), last) - last
		step   = length
	)
	if len(rungs) > 1 {
		step = rungs[1].Number.Uint64() - first
	}
	if step == length && first == last+length { // each rung comes after the one before
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

// spread chooses epoch blocks between two blocks, at equal distances from each other, the last one as near to end as equal epochs go.
func (s *scout) spread(below, end uint64) (first, step uint64, count int) {
	config := s.chain.Config()
	from := params.NextEpochBlock(config, below)
	length, epochs := from-below, 1
	for last := from; epochs < stretch && last+length < end && params.NextEpochBlock(config, last) == last+length; epochs++ {
		last += length
	}
	every := (epochs + rungBatch - 1) / rungBatch
	count = (epochs-1)/every + 1
	return from + uint64(epochs-1-(count-1)*every)*length, uint64(every) * length, count
}

// raise moves the newest rung up to one of the rungs that a quorum of set, which below names, has sealed. Orders are the epoch headers before
// each of them. It returns how many of them do not come after the newest rung, and why the one after those is not sealed, if there is one.
func (s *scout) raise(below *types.Header, set *validators.Set, rungs, orders []*types.Header) (sealed int, reason error) {
	s.ladder.verifying.Lock()
	defer s.ladder.verifying.Unlock()
	if top := s.ladder.newest(); top != nil && top.Number.Cmp(below.Number) > 0 {
		return 0, nil // others have proven more in the meantime
	}
	missing := len(rungs)
	for probe := missing - 1; sealed < missing; probe = (sealed + missing) / 2 {
		ordered := set
		if probe < len(orders) {
			if other, err := s.engine.EpochSet(orders[probe]); err == nil && other.SameMembers(set) {
				ordered = other
			}
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
