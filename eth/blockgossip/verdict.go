// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package blockgossip

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft"
	"gwon/eth/session"
)

// verdict says what seals tell of a header.
type verdict int

const (
	open         verdict = iota // cannot be told yet: ancestors are missing
	sealed                      // a quorum has sealed it
	forged                      // no quorum has
	unacceptable                // a quorum has, but it breaks a rule of this node
	past                        // the chain has a block of its number
)

// judge decides what seals make of a header. A peer that sends what no honest node sends loses its connection.
type judge struct {
	chain  *gethcore.BlockChain
	engine *wbft.Engine
	safety *Safety
	drop   func(ses *session.Session, reason error)
}

// verdict verifies the seals of a header, and a child of the head by all rules that a header has. The error says why it
// is forged or unacceptable.
func (j *judge) verdict(header *types.Header) (verdict, error) {
	head, number := j.chain.CurrentBlock(), header.Number.Uint64()
	if header.ParentHash == head.Hash() {
		err := j.engine.VerifyHeader(j.chain, header)
		switch {
		case err == nil:
			return sealed, nil
		case errors.Is(err, consensus.ErrUnknownAncestor):
			return open, nil
		}
		if j.engine.Sealed(j.chain, []*types.Header{header}) != nil {
			return forged, err
		} else if errors.Is(err, consensus.ErrFutureBlock) {
			return sealed, nil
		}
		return unacceptable, err
	}
	epoch := j.chain.Config().LastEpochBlock(number - 1)
	if epoch > head.Number.Uint64() {
		return open, nil
	}
	rung := j.chain.GetHeaderByNumber(epoch)
	if rung == nil {
		return open, nil
	}
	set, err := j.engine.EpochSet(rung)
	if err != nil {
		return open, nil
	}
	if err := j.engine.VerifySeals(set, header); err != nil {
		return forged, err
	}
	return sealed, nil
}

// admit judges a header that a peer has shown. Without a quorum's seals it costs the peer its connection. Only an open
// or a sealed one is of further interest.
func (j *judge) admit(ses *session.Session, header *types.Header) verdict {
	if header.Number.Cmp(j.chain.CurrentBlock().Number) <= 0 {
		if err := j.safety.Conflict(header); err != nil {
			j.refuse(ses, fmt.Errorf("block %d: %w", header.Number, err))
		}
		return past
	}
	is, err := j.verdict(header)
	switch is {
	case forged:
		j.refuse(ses, fmt.Errorf("block %d: %w", header.Number, err))
	case unacceptable:
		refusedMeter.Mark(1)
		j.safety.Refused(types.NewBlockWithHeader(header), err)
	}
	return is
}

// refuse ends the connection to a peer that sent what no honest node sends.
func (j *judge) refuse(ses *session.Session, reason error) {
	refusedMeter.Mark(1)
	j.drop(ses, reason)
}
