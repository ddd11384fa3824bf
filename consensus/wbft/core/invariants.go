// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
)

// assert ends the signing of this process if an invariant of the core does not hold. No message breaks one, so a broken
// one is a fault of this package. The consensus is followed as before. assert reports whether the invariant holds.
func (c *Core) assert(holds bool, invariant string) bool {
	if !holds {
		c.mute("a fault of this program breaks an invariant of the consensus core: " + invariant)
	}
	return holds
}

// assertMaySign asserts what an own message needs beside the vote log, which signer.maySign asks.
func (c *Core) assertMaySign(m messages.Message, in *signing.Intent) bool {
	rs := c.rounds[c.round]
	if !c.assert(c.sequence == c.head.Header.Number.Uint64()+1, "the sequence follows the head") ||
		!c.assert(m.View() == c.view() && rs != nil, "a message is of the current view") {
		return false
	}
	switch m := m.(type) {
	case *messages.PrePrepare:
		return c.assert(c.isProposer(), "a PRE-PREPARE is of the proposer")
	case *messages.Prepare:
		return c.assert(rs.block != nil && m.Digest == rs.digest && c.isValid(m.Digest),
			"a PREPARE is for the bound proposal, which was executed")
	case *messages.Commit:
		lock := c.lock
		return c.assert(lock != nil && lock.round == m.Round && lock.digest == m.Digest &&
			len(lock.prepares) >= c.set().Quorum(), "a COMMIT has a quorum of PREPAREs, which is the lock") &&
			c.assert(in.Lock != nil && in.LockRound == m.Round, "the lock is recorded before its COMMIT")
	case *messages.RoundChange:
		lock := c.lock
		return c.assert(lock == nil || lock.round >= m.Round ||
			m.Prepared != nil && m.Prepared.Round == lock.round && m.Prepared.Digest == lock.digest,
			"a ROUND-CHANGE claims the lock")
	}
	return true
}
