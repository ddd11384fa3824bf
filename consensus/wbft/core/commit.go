// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
)

// onCommit counts a COMMIT of the current round or of one that was left (spec wbft 5.7).
func (c *Core) onCommit(m *messages.Commit, payload []byte, index int) {
	rs := c.rounds[m.View().Round]
	if c.countVote(rs, &rs.commits, m, payload, index) {
		c.findForgotten(index)
		c.advance(rs)
	}
}

// castCommit signs and sends the COMMIT for the prepared proposal of the current round.
func (c *Core) castCommit(rs *roundState) {
	m := &messages.Commit{Sequence: c.sequence, Round: rs.round, Digest: rs.digest}
	m.Seal = c.cfg.Seal(extra.SealDigest(rs.block.Header(), uint32(rs.round), extra.Commit))
	c.castVote(rs, &rs.commits, m)
}

// commit hands out the proposal of a round once a quorum of both seals is there. The round may be one that was left:
// a quorum of COMMITs is a decision whenever it is seen, where the reference lets it pass (spec wbft 5.4, last
// paragraph). A quorum of each seal goes into the header; the others are verified by who proposes next, as late seals.
func (c *Core) commit(rs *roundState) {
	if rs.committed || c.state == Committed || !c.executed[rs.digest] {
		return
	}
	if !c.reached(rs, &rs.commits) || !c.reached(rs, &rs.prepares) {
		return
	}
	prepared, err := rs.prepares.aggregate(c.set(), rs.digest)
	if err != nil {
		c.emit(Failed{Err: fmt.Errorf("aggregating PREPARE seals of round %d: %w", rs.round, err)})
		return
	}
	committed, err := rs.commits.aggregate(c.set(), rs.digest)
	if err != nil {
		c.emit(Failed{Err: fmt.Errorf("aggregating COMMIT seals of round %d: %w", rs.round, err)})
		return
	}
	header, err := rs.block.Header().WithWBFTSeals(uint32(rs.round), prepared, committed)
	if err != nil {
		c.emit(Failed{Err: fmt.Errorf("sealing block %s: %w", rs.digest, err)})
		return
	}
	rs.committed = true
	c.state = Committed
	c.emit(Commit{Block: rs.block.WithSeal(header), Round: rs.round, Holders: c.holders(rs)})
	c.startWatchdog()
}

// holders returns the validators that have voted for the block of a round, and those that were with us at the head: they have the proposal, or have it coming,
// and are at most slower. With the whole block a slow one had twice to read and to execute what it was slow with already.
func (c *Core) holders(rs *roundState) []common.Address {
	var list []common.Address
	for i := range c.set().Len() {
		if rs.prepares.supports(i, rs.digest) || rs.commits.supports(i, rs.digest) || c.round == 0 && c.follows(i) {
			list = append(list, c.set().At(i).Address)
		}
	}
	return list
}

// follows tells, in round 0, whether a validator has voted for the head and has not left the round: whoever did may lack the proposal.
func (c *Core) follows(index int) bool {
	for _, changes := range c.changes {
		if changes.bySender[index] != nil {
			return false
		}
	}
	p := c.prior
	if p == nil {
		return false
	}
	i, ok := p.set.Index(c.set().At(index).Address)
	return ok && (p.prepares.supports(i, p.digest) || p.commits.supports(i, p.digest))
}
