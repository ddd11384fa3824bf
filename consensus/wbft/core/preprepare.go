// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
)

// maxRejected is how many invalid proposals of one view are executed. An honest proposer makes one proposal.
const maxRejected = 2

// localRetry is after what time a proposal is examined again when this node was not able to.
const localRetry = 500 * time.Millisecond

// onPrePrepare examines a proposal for the current view or a later one of this sequence and has it executed (spec wbft 5.7). The
// first admissible one binds the view. The justification of one in a later round shows that a quorum is there: this node follows.
func (c *Core) onPrePrepare(m *messages.PrePrepare, payload []byte, sender common.Address) {
	digest := m.Block.Hash()
	if m.Round == c.round && !c.awaitsProposal(payload, sender) {
		return
	}
	if !c.mayExamineProposal(sender, m.Round) {
		c.drop("proposal of a deliverer whose proposals fail")
		return
	}
	if len(m.Prepares) == 0 && !c.blocks.knows(m.Block) {
		if err := checkFresh(m.Block, len(m.EncodedBlock()), c.set().Len()); err != nil {
			c.excessive(m, digest, sender, err)
			return
		}
	}
	if err := c.checkProposal(m.Block); err != nil {
		c.disprove(sender, m.Round, len(m.Prepares) > 0, "proposal: "+err.Error())
		return
	}
	// The justification is not covered by the proposer's signature, so a bad one accuses nobody, and does not keep the same
	// proposal with a good one out.
	if err := c.checkJustification(m); err != nil {
		c.refuseProposal(sender, m.Round, "unjustified proposal: "+err.Error())
		return
	}
	if m.Round > c.round {
		c.changeRound(m.Round)
	}
	c.bindProposal(c.rounds[c.round], m, payload, sender)
}

// excessive drops a proposal above the bounds, which a validator of go-stablenet may make in good faith. The round goes on without it.
func (c *Core) excessive(m *messages.PrePrepare, digest common.Hash, proposer common.Address, reason error) {
	if rs := c.rounds[m.Round]; rs != nil {
		rs.rejected = append(rs.rejected, digest)
	}
	c.accuse(ExcessiveProposal, proposer)
	c.useless(len(m.EncodedBlock()), CauseBound, "proposal: "+reason.Error())
}

// awaitsProposal tells whether the current round has room for a proposal of its proposer.
func (c *Core) awaitsProposal(payload []byte, sender common.Address) bool {
	rs := c.rounds[c.round]
	switch {
	case rs.block != nil && rs.signer == sender:
		rs.accused = true
		c.accuse(ProposalEquivocation, sender, rs.prePrepare, payload)
	case rs.block != nil:
		c.drop("second proposal for the view")
	case c.state != AcceptRequest:
		c.drop("no proposal is awaited")
	default:
		return true
	}
	return false
}

// bindProposal makes what a PRE-PREPARE proposes the proposal of the round.
func (c *Core) bindProposal(rs *roundState, m *messages.PrePrepare, payload []byte, signer common.Address) {
	c.blocks.add(m.Block, m.EncodedBlock())
	c.bind(rs, m.Block, payload, signer)
}

// bind makes a block that is known the proposal of the round. The round timer starts again at once, as it does on nodes that vote
// before they execute; if the block turns out to be no good the earlier deadline comes back.
func (c *Core) bind(rs *roundState, block *types.Block, payload []byte, signer common.Address) {
	rs.block, rs.digest = block, block.Hash()
	rs.prePrepare, rs.signer, rs.bound = payload, signer, c.now
	rs.relay = payload != nil && signer != c.cfg.Address
	rs.deadline = c.now.Add(c.roundTimeout())
	if c.pace == together {
		rs.deadline = c.timers[RoundTimer].deadline
	}
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
	retry := ev.RetryAfter
	if retry <= 0 {
		retry = localRetry
	}
	undecided := ev.Err != nil && (ev.RetryAfter > 0 || ev.Local)
	if undecided && ev.Local {
		c.emit(Failed{Err: fmt.Errorf("proposal %s cannot be checked here: %w", ev.Hash, ev.Err)})
	}
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
		case undecided && current:
			c.restoreDeadline(rs)
			c.setTimer(ProposalTimer, retry)
		case undecided:
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
		c.passOn(Relay{
			Code: messages.CodePrePrepare, Payload: rs.prePrepare, View: messages.View{Sequence: c.sequence, Round: rs.round}, Author: rs.signer,
		})
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
	if err := checkFresh(ev.Block, int(ev.Block.Size()), c.set().Len()); err != nil {
		c.emit(Failed{Err: fmt.Errorf("own candidate for sequence %d: %w", c.sequence, err)})
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
	if !c.isProposer() || !c.maySign() || c.state != AcceptRequest || rs.proposed || rs.block != nil {
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
		if best := set.best(); best != nil {
			m.Block, m.Prepares = best.block, best.prepares
		}
	}
	if m.Block == nil {
		return
	}
	rs.proposed = true
	if payload, ok := c.issue(m, m.Block.Hash()); ok {
		c.bindProposal(rs, m, payload, c.cfg.Address)
	}
}
