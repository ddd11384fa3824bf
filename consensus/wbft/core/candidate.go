// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"

	"gwon/consensus/wbft/messages"
)

// ownCandidate is the node's own block for its proposal in the sequence.
type ownCandidate struct {
	newest    *Candidate
	requested bool   // the driver was asked for a block ...
	round     uint64 // ... to propose in this round
}

// nextProposal returns the round for which this node needs a candidate: the current one if it is the proposer, or the
// first later one whose earlier proposers are all absent. A strict core needs one for each round.
func (c *Core) nextProposal() (round uint64, expected bool) {
	if !c.isValidator() || !c.signer.active() {
		return 0, false
	}
	if c.cfg.Strict {
		return c.round, true
	}
	for round := c.round; round < c.round+uint64(c.set().Len()); round++ {
		proposer := c.proposerOf(round)
		if proposer == c.cfg.Address {
			return round, true
		}
		if c.head.Params.BlockPeriod <= 0 || !c.presence.isAbsent(proposer) {
			break
		}
	}
	return 0, false
}

// requestCandidate asks the driver for a block, or says that none is needed in this round.
func (c *Core) requestCandidate() {
	round, expected := c.nextProposal()
	c.candidate.round, c.candidate.requested = round, expected
	c.emit(Build{Sequence: c.sequence, Round: c.round, Proposer: expected})
}

// hasCandidateComing reports whether the block for this node's next proposal was requested in an earlier round, and is
// there or not needed yet.
func (c *Core) hasCandidateComing() bool {
	round, expected := c.nextProposal()
	own := &c.candidate
	return expected && own.requested && round == own.round && (own.newest != nil || round > c.round)
}

// onCandidate takes the node's own block (spec wbft 5.6). A proposer of a later round whose block comes after the
// ROUND-CHANGE quorum proposes it then (spec wbft 9.2 no. 7).
func (c *Core) onCandidate(ev Candidate) *rejection {
	if err := c.certs.checkProposal(ev.Block); err != nil {
		return reject(ordinary, "own candidate: "+err.Error())
	}
	if err := checkFresh(ev.Block, int(ev.Block.Size()), c.set().Len()); err != nil {
		c.emit(Failed{Err: fmt.Errorf("own candidate for sequence %d: %w", c.sequence, err)})
		return nil
	}
	if c.candidate.newest != nil && c.candidate.newest.Round > ev.Round {
		return reject(ordinary, "own candidate is older than the one at hand")
	}
	c.candidate.newest = &ev
	c.propose()
	return nil
}

// propose sends the PRE-PREPARE of the current round if this node is its proposer and has what it takes. In round 0
// that is a candidate. Later it is a quorum of ROUND-CHANGEs, with the block that was prepared in the highest round
// among them, or else a candidate.
func (c *Core) propose() {
	rs := c.rounds[c.round]
	if !c.isProposer() || !c.signer.active() || c.state != AcceptRequest || rs.proposed || rs.block != nil {
		return
	}
	m := &messages.PrePrepare{Sequence: c.sequence, Round: c.round}
	if c.candidate.newest != nil {
		m.Block = c.candidate.newest.Block
	}
	if c.round > 0 {
		set := c.roundChanges[c.round]
		if set == nil || set.count < c.set().Quorum() {
			return
		}
		m.RoundChanges = set.signed()
		if best := set.best(); best != nil {
			m.Block, m.Prepares = best.block, best.prepares
		}
	}
	if m.Block == nil {
		return
	}
	rs.proposed = true
	if payload, ok := c.issue(m, nil); ok {
		c.bindProposal(rs, m, payload, c.cfg.Address)
	}
}
