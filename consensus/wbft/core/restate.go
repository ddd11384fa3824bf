// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
)

// restatement is what a validator was sent of the own ROUND-CHANGE to the current round.
type restatement struct {
	round uint64 // of its own latest ROUND-CHANGE that was answered
	forms int    // number of other forms that were sent
}

// answerBehind answers a validator that sends its own ROUND-CHANGE to a lower round, once for each of its rounds. A
// validator of go-stablenet drops a ROUND-CHANGE that comes too early, and every later copy with the same bytes (spec
// wbft 5.4, 9.2 nos. 4, 5).
func (c *Core) answerBehind(env *messages.Envelope) {
	round := env.View.Round
	index, member := c.set().Index(c.delivery.from)
	if !member || !c.isValidator() || round+roundWindow < c.round || round <= c.restated[index].round {
		return
	}
	if author, err := env.Signer(); err != nil || author != c.delivery.from {
		return
	}
	r := c.restated[index]
	r.round = round
	c.restated[index] = r
	c.restate(index)
}

// restateToProposer sends the own ROUND-CHANGE again to the proposer of the round, which waits for a quorum of them.
func (c *Core) restateToProposer() {
	if index, member := c.set().Index(c.proposer); member && index != c.index {
		c.restate(index)
	}
}

// restate sends a validator the own ROUND-CHANGE to the current round in bytes that it has not been sent, while there
// are such forms. A receiver of go-stablenet relays it to all others, so one with a block is not restated; the next
// round has another one.
func (c *Core) restate(index int) {
	v, ok := c.signer.Signed(messages.CodeRoundChange, c.round)
	if !ok || len(v.Payload) > messages.MaxSmall {
		return
	}
	r := c.restated[index]
	r.forms++
	payload, ok := messages.Restate(v.Payload, r.forms)
	if !ok {
		return
	}
	c.restated[index] = r
	to := []common.Address{c.set().At(index).Address}
	c.emit(Send{Code: messages.CodeRoundChange, Payload: payload, To: to, Force: true})
}
