// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
)

// A proposal is executed before the vote for it, and an execution can take as long as a whole block of the dearest
// instructions (docs/adr/0075-a-refused-proposal-is-cheap.md). So a proposal is executed only while a round needs it.

// examine has the proposal of a round executed if that is wanted and was not done yet. The round timer starts again
// when the proposal is wanted, as on nodes that vote before they execute. The earlier deadline comes back if the block
// is invalid.
func (c *Core) examine(rs *roundState) {
	if asked := c.verdicts[rs.digest]; asked > executing || !c.wants(rs) {
		return // there is a verdict, or a time to ask again
	}
	if rs.fresh && rs.round == c.round {
		rs.fresh = false
		if !c.cfg.Strict {
			rs.timed = true
			c.restartRoundTimer()
		}
	}
	if c.verdicts[rs.digest] != executing {
		c.verdicts[rs.digest] = executing
		c.emit(Execute{Block: rs.block})
	}
}

// wants reports whether a round needs the verdict on its proposal. A prepared block may be decided in any round. The
// proposal of the current round is needed for the vote, but that of a validator on probation only with the PREPAREs of
// so many others that one of them is honest.
func (c *Core) wants(rs *roundState) bool {
	switch {
	case rs.block == nil || c.state == Committed:
		return false
	case c.isPrepared(rs):
		return true
	case rs.round != c.round || c.state != AcceptRequest:
		return false
	}
	return !c.presence.isOnProbation(rs.author) || c.supporters(rs) >= c.set().JoinCount()
}

// isPrepared reports whether a quorum of PREPAREs for the proposal of a round is known, of this round or of the one
// that it is repeated from.
func (c *Core) isPrepared(rs *roundState) bool {
	return rs.justified || c.supporters(rs) >= c.set().Quorum()
}

// supporters returns the number of other validators that have voted for the proposal of a round.
func (c *Core) supporters(rs *roundState) int {
	count := 0
	for i := range c.set().Len() {
		if i != c.index && rs.voted(i, rs.digest) {
			count++
		}
	}
	return count
}

// cancelUnwanted ends the executions that no round needs any more. Their blocks have no verdict.
func (c *Core) cancelUnwanted() {
	wanted := make(map[common.Hash]bool)
	for _, rs := range c.rounds {
		if c.wants(rs) {
			wanted[rs.digest] = true
		}
	}
	for _, digest := range slices.SortedFunc(maps.Keys(c.verdicts), common.Hash.Cmp) {
		if c.verdicts[digest] == executing && !wanted[digest] {
			delete(c.verdicts, digest)
			c.emit(Cancel{Hash: digest})
		}
	}
}
