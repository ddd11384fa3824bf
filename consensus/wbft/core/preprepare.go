// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
)

// errRefused is the reason to refuse a block that was refused in another round.
var errRefused = errors.New("the block was refused before")

// onPrePrepare examines a proposal for the current view or a later one of this sequence, and has it executed (spec
// wbft 5.7). The first admissible one binds the view. A justified proposal of a later round shows a quorum there, so
// this node follows.
func (c *Core) onPrePrepare(m *messages.PrePrepare, payload []byte, sender common.Address) *rejection {
	switch rs := c.rounds[c.round]; {
	case m.Round > c.round:
	case rs.block != nil && rs.author == sender:
		rs.accused = true
		c.accuse(ProposalEquivocation, sender, rs.prePrepare, payload)
		return nil
	case rs.block != nil || c.state != AcceptRequest:
		return reject(ordinary, "no proposal is awaited")
	}
	if len(m.Prepares) == 0 && !c.certs.blocks.knows(m.Block) {
		if err := checkFresh(m.Block, len(m.EncodedBlock()), c.set().Len()); err != nil {
			return c.excessiveProposal(m, sender, err)
		}
	}
	if err := c.certs.checkProposal(m.Block); err != nil {
		return refuse(blockFault(m.Round, len(m.Prepares) > 0), sender, "proposal: "+err.Error())
	}
	// The proposer's signature does not cover the justification. A bad one accuses no validator, and the same
	// proposal may come again with a good one.
	if err := c.checkJustification(m); err != nil {
		return refuse(justificationFault(m.Round), sender, "unjustified proposal: "+err.Error())
	}
	if m.Round > c.round {
		c.changeRound(m.Round)
	}
	c.bindProposal(c.rounds[c.round], m, payload, sender)
	return nil
}

// excessiveProposal rejects a proposal above the bounds, which a validator of go-stablenet may make in good faith.
func (c *Core) excessiveProposal(m *messages.PrePrepare, proposer common.Address, reason error) *rejection {
	if rs := c.rounds[m.Round]; rs != nil {
		rs.rejected = append(rs.rejected, m.Block.Hash())
	}
	c.accuse(ExcessiveProposal, proposer)
	return reject(excessive, "proposal: "+reason.Error())
}

// bindProposal makes the block of a PRE-PREPARE the proposal of the round.
func (c *Core) bindProposal(rs *roundState, m *messages.PrePrepare, payload []byte, author common.Address) {
	c.certs.blocks.add(m.Block, m.EncodedBlock())
	c.bind(rs, m.Block, payload, author, len(m.Prepares) > 0)
}

// bind makes a known block the proposal of the round, and has it executed.
func (c *Core) bind(rs *roundState, block *types.Block, payload []byte, author common.Address, justified bool) {
	rs.block, rs.digest = block, block.Hash()
	rs.prePrepare, rs.author, rs.bound = payload, author, c.now
	rs.justified, rs.fresh = justified, true
	rs.relay = payload != nil && author != c.cfg.Address
	rs.deadline = c.now.Add(c.roundTimeout())
	if c.timing.quorum == quorumHere {
		rs.deadline = c.timing.timers[RoundTimer].deadline
	}
	switch c.verdicts[rs.digest] {
	case valid:
		c.accept(rs)
		return
	case invalid:
		c.reject(rs, Validated{Hash: rs.digest, Err: errRefused})
		return
	case postponed:
		delete(c.verdicts, rs.digest)
	}
	c.examine(rs)
}

// onValidated takes the verdict on a proposal.
func (c *Core) onValidated(ev Validated) *rejection {
	if c.verdicts[ev.Hash] != executing {
		return reject(ordinary, "verdict on a block that was not to be executed")
	}
	undecided := ev.Err != nil && (ev.RetryAfter > 0 || ev.Local)
	c.verdicts[ev.Hash] = verdictOf(ev.Err, undecided)
	if undecided && ev.Local {
		c.emit(Failed{Err: fmt.Errorf("proposal %s cannot be checked here: %w", ev.Hash, ev.Err)})
	}
	for _, r := range sortedRounds(c.rounds) {
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
			c.note(Note{Kind: NotePostponed, Digest: rs.digest})
			c.restoreDeadline(rs)
			c.setTimer(ProposalTimer, ev.RetryAfter)
		case undecided:
			rs.block, rs.digest = nil, common.Hash{} // the round was left, so no verdict is needed any more
		default:
			c.reject(rs, ev)
		}
	}
	return nil
}

// verdictOf returns the verdict for the error of an execution.
func verdictOf(err error, undecided bool) verdict {
	switch {
	case undecided:
		return postponed
	case err != nil:
		return invalid
	}
	return valid
}

// onProposalTimeout examines a proposal from the future again (spec wbft 5.7 no. 4).
func (c *Core) onProposalTimeout() {
	if rs := c.rounds[c.round]; c.state == AcceptRequest && rs.block != nil && c.verdicts[rs.digest] == postponed {
		delete(c.verdicts, rs.digest)
		c.examine(rs)
	}
}

// accept enters PREPREPARED with a proposal that was executed (spec wbft 5.7 no. 5).
func (c *Core) accept(rs *roundState) {
	if !rs.timed {
		rs.timed = true
		c.restartRoundTimer()
	}
	c.note(Note{Kind: NoteAccepted, Digest: rs.digest, Author: rs.author})
	c.enter(PrePrepared)
	if rs.relay {
		rs.relay = false
		view := messages.View{Sequence: c.sequence, Round: rs.round}
		c.relay(Relay{Code: messages.CodePrePrepare, Payload: rs.prePrepare, View: view, Author: rs.author})
	}
	c.castVote(rs, &rs.prepares)
	c.relayVotes(rs)
	c.advance(rs)
}

// reject frees the round of an invalid proposal. The author of one that only its execution has shown to be invalid is
// on probation, unless the block is repeated from an earlier round.
func (c *Core) reject(rs *roundState, ev Validated) {
	digest := rs.digest
	rs.rejected = append(rs.rejected, digest)
	own := rs.author == c.cfg.Address || rs.prePrepare == nil
	if ev.Executed && !own && !rs.justified {
		c.emit(Probation{Validator: rs.author, Until: c.presence.refuse(rs.author)})
	}
	if rs.round == c.round {
		c.restoreDeadline(rs)
		c.shorten()
	}
	if own {
		c.emit(Failed{Err: fmt.Errorf("own proposal %s: %w", digest, ev.Err)})
	} else {
		c.accuse(InvalidProposal, rs.author, rs.prePrepare)
		c.drop(fmt.Sprintf("invalid proposal %s: %v", digest, ev.Err))
	}
	rs.block, rs.digest, rs.prePrepare, rs.relay = nil, common.Hash{}, nil, false
}

// restoreDeadline takes back the restart of the round timer. The rest is within the cap, because the justification of
// the proposal has shown a quorum in this round.
func (c *Core) restoreDeadline(rs *roundState) {
	if rs.timed {
		rs.timed = false
		c.setTimer(RoundTimer, min(rs.deadline.Sub(c.now), c.roundTimeout()))
		if c.round > 0 {
			c.setTimer(RetryTimer, c.head.Params.RequestTimeout)
		}
	}
}
