// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sync

import (
	"context"
	"fmt"

	"gwon/eth/checkpoint"
	"gwon/eth/session"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
)

// checkpointHolds asks peers for the number of the checkpoint block if it is unknown, and reports whether blocks may
// be imported. Another block at that number in the local chain halts the node.
func (s *Syncer) checkpointHolds(ctx context.Context) bool {
	c := s.cfg.Checkpoint
	if c == nil {
		return true
	}
	if !c.Known() {
		header, err := session.FirstOf(ctx, s.cfg.Sessions.Ready(),
			func(ctx context.Context, ses *session.Session) (*types.Header, error) {
				p := ses.Up()
				if p == nil {
					return nil, session.ErrPeerGone
				}
				limit, cancel := s.bounded(ctx)
				defer cancel()
				return session.HeaderByHash(limit, ses, p, c.Hash())
			})
		if err == nil && header.Number.Sign() > 0 {
			log.Info("Checkpoint block found", "number", header.Number, "hash", c.Hash())
			c.Found(header)
		}
	}
	if !c.Known() {
		s.tell(log.Warn, "No peer has the checkpoint block: nothing is imported", "hash", c.Hash(),
			"peers", len(s.cfg.Sessions.Ready()))
		return false
	}
	number := c.Number()
	checkpointGauge.Update(int64(number))
	if have := s.cfg.Chain.GetCanonicalHash(number); have != (common.Hash{}) && have != c.Hash() {
		s.cfg.Safety.Halt(fmt.Sprintf("block %d of the chain in the data directory is %v, the checkpoint wants %v: "+
			"use another data directory, or remove this chain with gwon removedb", number, have, c.Hash()))
		return false
	}
	return true
}

// HasState reports whether the node has the state of its head.
func (s *Syncer) HasState() bool { return !s.cfg.States.Pending() }

// Ready reports whether blocks can be executed. That needs a state and a known checkpoint.
func (s *Syncer) Ready() bool { return !s.cfg.States.Pending() && s.cfg.Checkpoint.Known() }

// Allow refuses a header that is not of the trusted chain, with checkpoint.ErrNotReady while the chain is unknown. It
// implements blockgossip.Follower.
func (s *Syncer) Allow(header *types.Header) error {
	if !s.Ready() {
		return checkpoint.ErrNotReady
	}
	return s.cfg.Checkpoint.Check([]*types.Header{header})
}
