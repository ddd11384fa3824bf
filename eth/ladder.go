// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/params"
	"golang.org/x/sync/errgroup"
)

// rungBatch is the number of epoch headers in one request: what fits into an answer with some room (spec network 2.3).
const rungBatch = 512

// nextEpoch returns the first epoch block after the epoch block at number (spec wbft 3.4).
func nextEpoch(config *params.ChainConfig, number uint64) uint64 {
	next := config.LastEpochBlock(number + config.WBFTAt(number).EpochLength)
	for {
		before := config.LastEpochBlock(next - 1)
		if before <= number {
			return next
		}
		next = before
	}
}

// climb proves how far the chain of a peer really goes. Each epoch block names the validators of the next epoch, so a chain
// of epoch headers, each sealed by the set that the one before names, leads from what this node knows to the head that the
// peer claims (spec wbft 3.1, 7.1). It returns the newest header so proven, which may lie below the claim, and nil when there
// is none beyond the head here. The next call goes on where this one ended, with whatever peer.
func (s *syncer) climb(ctx context.Context, ses *session) (*types.Header, error) {
	config := s.chain.Config()
	known := s.chain.CurrentHeader()
	if rung := s.chain.GetHeaderByNumber(config.LastEpochBlock(known.Number.Uint64())); rung == nil {
		return nil, fmt.Errorf("header of epoch block %d is missing in the database", config.LastEpochBlock(known.Number.Uint64()))
	} else if s.rung == nil || s.rung.Number.Cmp(rung.Number) < 0 {
		s.rung = rung
	}
	claimedHash, _ := ses.claim()
	claimed := s.claimed(ses)
	for reported := time.Now(); ; {
		from := nextEpoch(config, s.rung.Number.Uint64())
		if from > claimed {
			break
		}
		// As many as lie at equal distances.
		step, count := from-s.rung.Number.Uint64(), 1
		for last := from; count < rungBatch && nextEpoch(config, last) == last+step && last+step <= claimed; count++ {
			last += step
		}
		rungs, err := s.rungs(ctx, ses, from, step, count)
		if err != nil {
			return nil, err
		}
		if len(rungs) > 0 {
			s.rung = rungs[len(rungs)-1]
		}
		if len(rungs) < count {
			break // it claimed more than it has, or has gone on to drop what it had
		}
		if time.Since(reported) > progressPeriod {
			log.Info("Proving the head of the network", "epochBlock", s.rung.Number, "claimed", claimed)
			reported = time.Now()
		}
	}
	p := ses.up()
	if p == nil {
		return nil, errPeerGone
	}
	limit, cancel := s.bounded(ctx)
	defer cancel()
	head, err := headerByHash(limit, ses, p, claimedHash)
	if err != nil && !errors.Is(err, errMissing) {
		return nil, err
	}
	if err == nil && head.Number.Cmp(s.rung.Number) > 0 && config.LastEpochBlock(head.Number.Uint64()-1) == s.rung.Number.Uint64() {
		set, err := s.engine.EpochSet(s.rung)
		if err != nil {
			return nil, err
		}
		if err := s.engine.VerifySeals(set, head); err != nil {
			return nil, fmt.Errorf("claimed head %d: %w", head.Number, err)
		}
		return head, nil
	}
	if s.rung.Number.Cmp(known.Number) <= 0 {
		return nil, nil
	}
	return s.rung, nil
}

// rungs asks for epoch headers and verifies each with the set that the one before it names.
func (s *syncer) rungs(ctx context.Context, ses *session, from, step uint64, count int) ([]*types.Header, error) {
	p := ses.up()
	if p == nil {
		return nil, errPeerGone
	}
	limit, cancel := s.bounded(ctx)
	defer cancel()
	rungs, err := headersEvery(limit, ses, p, from, step, count)
	if err != nil {
		return nil, err
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, rung := range rungs {
		below := s.rung
		if i > 0 {
			below = rungs[i-1]
		}
		group.Go(func() error {
			set, err := s.engine.EpochSet(below)
			if err != nil {
				return err
			}
			if err := s.engine.VerifySeals(set, rung); err != nil {
				return fmt.Errorf("epoch header %d: %w", rung.Number, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return rungs, nil
}
