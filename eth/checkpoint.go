// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
)

// errNotReady means that no block is taken at the moment.
var errNotReady = errors.New("blocks are not imported yet")

// checkpoint is a block that the operator knows to be of the right chain: a chain without it is refused. It protects a node
// that starts from nothing against a history forged with keys that old validators have lost. The zero number means that no
// peer has shown the block yet; nothing is imported then. A nil checkpoint allows everything.
type checkpoint struct {
	hash   common.Hash
	number atomic.Uint64
	told   time.Time // when the log last said that the block is missing
}

// newCheckpoint returns nil for the zero hash.
func newCheckpoint(hash common.Hash, chain *core.BlockChain) *checkpoint {
	if hash == (common.Hash{}) {
		return nil
	}
	c := &checkpoint{hash: hash}
	if h := chain.GetHeaderByHash(hash); h != nil {
		c.number.Store(h.Number.Uint64())
	}
	return c
}

// known reports whether the number of the block is known.
func (c *checkpoint) known() bool { return c == nil || c.number.Load() != 0 }

// check refuses headers among which another block stands in the place of the checkpoint.
func (c *checkpoint) check(headers []*types.Header) error {
	if c == nil || len(headers) == 0 {
		return nil
	}
	number := c.number.Load()
	if number == 0 {
		return fmt.Errorf("the checkpoint block %v is not known yet", c.hash)
	}
	first := headers[0].Number.Uint64()
	if number < first || number-first >= uint64(len(headers)) {
		return nil
	}
	if have := headers[number-first].Hash(); have != c.hash {
		return fmt.Errorf("block %d is %v, the checkpoint wants %v", number, have, c.hash)
	}
	return nil
}

// checkpointHolds finds out the number of the checkpoint block from a peer if it must, and reports whether blocks may be
// imported. A chain here that has another block in its place stops the node for good.
func (s *syncer) checkpointHolds(ctx context.Context) bool {
	c := s.checkpoint
	if c == nil {
		return true
	}
	if !c.known() {
		header, err := firstOf(ctx, s.sessions.ready(), func(ctx context.Context, ses *session) (*types.Header, error) {
			p := ses.up()
			if p == nil {
				return nil, errPeerGone
			}
			limit, cancel := s.bounded(ctx)
			defer cancel()
			return headerByHash(limit, ses, p, c.hash)
		})
		if err == nil && header.Number.Sign() > 0 {
			log.Info("Found the checkpoint block", "number", header.Number, "hash", c.hash)
			c.number.Store(header.Number.Uint64())
		}
	}
	if !c.known() {
		if time.Since(c.told) >= progressPeriod {
			log.Warn("No peer has the checkpoint block: nothing is imported", "hash", c.hash, "peers", len(s.sessions.ready()))
			c.told = time.Now()
		}
		return false
	}
	number := c.number.Load()
	checkpointGauge.Update(int64(number))
	if have := s.chain.GetCanonicalHash(number); have != (common.Hash{}) && have != c.hash {
		if s.checkpointRefused.CompareAndSwap(false, true) {
			s.safety.halt(fmt.Sprintf("block %d of the chain in the data directory is %v, the checkpoint wants %v: "+
				"use another data directory, or remove this chain with gwon removedb", number, have, c.hash))
		}
		return false
	}
	return true
}

// ready reports whether blocks can be executed: there is a state to begin from, and the checkpoint is known.
func (s *syncer) ready() bool { return !s.states.Pending() && s.checkpoint.known() }

// Allow implements follower: it refuses a header of a chain that is not to be followed, with errNotReady when none is yet.
func (s *syncer) Allow(header *types.Header) error {
	if !s.ready() {
		return errNotReady
	}
	return s.checkpoint.check([]*types.Header{header})
}
