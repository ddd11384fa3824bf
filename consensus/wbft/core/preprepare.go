// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
)

// maxRejected is how many invalid proposals of one view are executed. An honest proposer makes one proposal.
const maxRejected = 2

// onPrePrepare examines a proposal for the current view and has it executed (spec wbft 5.7). The first admissible one
// binds the view.
func (c *Core) onPrePrepare(m *messages.PrePrepare, payload []byte, sender common.Address) {
	rs := c.rounds[c.round]
	if sender != c.proposer {
		c.drop("proposal of somebody who is not the proposer")
		return
	}
	digest := m.Block.Hash()
	if rs.block != nil {
		if digest == rs.digest {
			c.drop("duplicate proposal")
			return
		}
		if rs.prePrepare != nil && rs.signer == sender && !rs.accused {
			rs.accused = true
			c.accuse(ProposalEquivocation, sender, rs.prePrepare, payload)
			return
		}
		c.drop("second proposal for the view")
		return
	}
	if c.state != AcceptRequest {
		c.drop("no proposal is awaited")
		return
	}
	if err := c.checkProposal(m.Block); err != nil {
		c.drop(err.Error())
		return
	}
	if slices.Contains(rs.rejected, digest) || len(rs.rejected) == maxRejected {
		c.drop("the proposer's proposal for the view was invalid")
		return
	}
	for _, code := range []uint64{messages.CodePrepare, messages.CodeCommit} {
		if v, ok := c.signed.get(code, c.round); ok && v.Digest != digest {
			c.drop("this node voted for another proposal in the view")
			return
		}
	}
	if c.round > 0 {
		// The justification is not covered by the proposer's signature, so a bad one accuses nobody, and does not keep
		// the same proposal with a good one out.
		if err := c.checkJustification(m); err != nil {
			c.drop("unjustified proposal: " + err.Error())
			return
		}
	}
	c.bind(rs, m.Block, payload, sender)
}

// checkProposal checks what needs neither state nor keys.
func (c *Core) checkProposal(block *types.Block) error {
	header := block.Header()
	switch {
	case header.Number == nil || !header.Number.IsUint64() || header.Number.Uint64() != c.sequence:
		return errors.New("proposed block is of another sequence")
	case header.ParentHash != c.head.Header.Hash():
		return errors.New("proposed block is not a child of the head")
	case header.Difficulty == nil || !header.Difficulty.IsUint64() || header.Difficulty.Uint64() != 1:
		// Without it the block hash would not be free of seals (spec wbft 1.4).
		return errors.New("proposed block has another difficulty than 1")
	}
	if _, err := header.WBFTExtra(); err != nil {
		return fmt.Errorf("proposed block: %w", err)
	}
	return nil
}

// bind makes a block the proposal of the round. The round timer starts again at once, as it does on nodes that vote
// before they execute; if the block turns out to be no good the earlier deadline comes back.
func (c *Core) bind(rs *roundState, block *types.Block, payload []byte, signer common.Address) {
	rs.block, rs.digest = block, block.Hash()
	rs.prePrepare, rs.signer = payload, signer
	rs.relay = payload != nil && signer != c.cfg.Address
	rs.deadline = c.timers[RoundTimer].deadline
	c.restartRoundTimer()
	rs.timed = true
	if c.executed[rs.digest] {
		c.accept(rs)
		return
	}
	c.execute(block, rs.digest)
}

// execute has a block executed unless that is under way.
func (c *Core) execute(block *types.Block, digest common.Hash) {
	if !c.executing[digest] {
		c.executing[digest] = true
		c.emit(Execute{Block: block})
	}
}

// onValidated takes the verdict on a proposal.
func (c *Core) onValidated(ev Validated) {
	if !c.executing[ev.Hash] {
		c.drop("verdict on a block nobody asked about")
		return
	}
	delete(c.executing, ev.Hash)
	c.executed[ev.Hash] = ev.Err == nil
	for _, r := range pendingRounds(c.rounds) {
		rs := c.rounds[r]
		if rs == nil || rs.block == nil || rs.digest != ev.Hash {
			continue
		}
		current := r == c.round && c.state == AcceptRequest
		switch {
		case ev.Err == nil && current:
			c.accept(rs)
		case ev.Err == nil:
			c.relayVotes(rs)
			c.advance(rs)
		case ev.RetryAfter > 0 && current:
			c.restoreDeadline(rs)
			c.setTimer(ProposalTimer, ev.RetryAfter)
		case ev.RetryAfter > 0:
			rs.block, rs.digest = nil, common.Hash{} // no verdict, and no use for one any more
		default:
			c.reject(rs, ev.Err)
		}
	}
}

// onProposalTimeout examines a proposal from the future again (spec wbft 5.7 no. 4).
func (c *Core) onProposalTimeout() {
	if rs := c.rounds[c.round]; c.state == AcceptRequest && rs.block != nil && !c.executed[rs.digest] {
		c.execute(rs.block, rs.digest)
	}
}

// accept enters PREPREPARED with a proposal that was executed (spec wbft 5.7 no. 5).
func (c *Core) accept(rs *roundState) {
	c.state = PrePrepared
	if !rs.timed {
		rs.timed = true
		c.restartRoundTimer()
	}
	if rs.relay {
		rs.relay = false
		c.emit(Relay{Code: messages.CodePrePrepare, Payload: rs.prePrepare})
	}
	c.castPrepare(rs)
	c.relayVotes(rs)
	c.advance(rs)
}

// reject frees the round of an invalid proposal.
func (c *Core) reject(rs *roundState, reason error) {
	digest := rs.digest
	rs.rejected = append(rs.rejected, digest)
	if rs.round == c.round {
		c.restoreDeadline(rs)
	}
	if rs.signer == c.cfg.Address || rs.prePrepare == nil {
		c.emit(Failed{Err: fmt.Errorf("own proposal %s: %w", digest, reason)})
	} else {
		c.accuse(InvalidProposal, rs.signer, rs.prePrepare)
		c.drop(fmt.Sprintf("invalid proposal %s: %v", digest, reason))
	}
	rs.block, rs.digest, rs.prePrepare, rs.relay = nil, common.Hash{}, nil, false
}

// restoreDeadline takes the restart of the round timer back. What remains is within the cap: the proposal's justification
// has shown a quorum in this round.
func (c *Core) restoreDeadline(rs *roundState) {
	if rs.timed {
		rs.timed = false
		c.setTimer(RoundTimer, min(rs.deadline.Sub(c.now), c.roundTimeout()))
		if c.round > 0 {
			c.setTimer(RetryTimer, c.head.Params.RequestTimeout)
		}
	}
}

// onCandidate takes the node's own block (spec wbft 5.6). Unlike in the reference a proposer of a later round whose
// block comes after the ROUND-CHANGE quorum proposes it then (spec wbft 9.2 no. 7).
func (c *Core) onCandidate(ev Candidate) {
	if err := c.checkProposal(ev.Block); err != nil {
		c.drop("own candidate: " + err.Error())
		return
	}
	if c.candidate != nil && c.candidate.Round > ev.Round {
		c.drop("own candidate is older than the one at hand")
		return
	}
	c.candidate = &ev
	c.propose()
}

// propose sends the PRE-PREPARE of the current round if this node is the proposer and has what it takes: in round 0 a
// candidate; later a quorum of ROUND-CHANGEs, and the block prepared in the highest round among them or, if none was,
// a candidate.
func (c *Core) propose() {
	rs := c.rounds[c.round]
	if !c.isProposer() || c.state != AcceptRequest || rs.proposed || rs.block != nil {
		return
	}
	m := &messages.PrePrepare{Sequence: c.sequence, Round: c.round}
	if c.candidate != nil {
		m.Block = c.candidate.Block
	}
	if c.round > 0 {
		set := c.changes[c.round]
		if set == nil || set.count < c.set().Quorum() {
			return
		}
		m.RoundChanges = set.signed()
		if set.best != nil {
			m.Block, m.Prepares = set.best.block, set.best.prepares
		}
	}
	if m.Block == nil {
		return
	}
	rs.proposed = true
	if payload, ok := c.issue(m, m.Block.Hash()); ok {
		c.bind(rs, m.Block, payload, c.cfg.Address)
	}
}
