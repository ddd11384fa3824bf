// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
)

// onPrepare counts a PREPARE of the current round or of one that was left (spec wbft 5.7).
func (c *Core) onPrepare(m *messages.Prepare, payload []byte, index int) {
	rs := c.rounds[m.View().Round]
	if c.countVote(rs, &rs.prepares, m, payload, index) {
		c.advance(rs)
	}
}

// castPrepare signs and sends the PREPARE for the accepted proposal of the current round.
func (c *Core) castPrepare(rs *roundState) {
	m := &messages.Prepare{Sequence: c.sequence, Round: rs.round, Digest: rs.digest}
	m.Seal = c.cfg.Seal(extra.SealDigest(rs.block.Header(), uint32(rs.round), extra.Prepare))
	c.castVote(rs, &rs.prepares, m)
}

// prepare enters PREPARED when a quorum stands behind the accepted proposal: the certificate becomes this node's lock,
// durably, before its COMMIT leaves (spec wbft 5.7, 9.1 no. 3).
func (c *Core) prepare(rs *roundState) {
	if c.state != PrePrepared || !c.reached(rs, &rs.prepares) {
		return
	}
	cert := &certificate{round: rs.round, digest: rs.digest, block: rs.block}
	for _, v := range rs.prepares.verified(rs.digest)[:c.set().Quorum()] { // no more than it takes: it is sent to all, by all
		cert.prepares = append(cert.prepares, v.message.(*messages.Prepare))
	}
	if !c.setLock(cert) {
		return
	}
	c.certify(cert)
	c.state = Prepared
	c.castCommit(rs)
}
