// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
)

// onVote counts a PREPARE or COMMIT of the current round or of one that was left (spec wbft 5.7).
func (c *Core) onVote(m messages.Message, payload []byte, index int) *rejection {
	rs := c.rounds[m.View().Round]
	t := rs.votes(m.Code())
	if old := t.bySender[index]; old != nil {
		return c.compareVote(old, m, payload)
	}
	c.countVote(rs, t, m, payload, index)
	if m.Code() == messages.CodeCommit {
		c.findForgotten(index)
	}
	c.examine(rs)
	c.advance(rs)
	return nil
}

// castVote seals, signs and sends the PREPARE or COMMIT for the proposal of the current round, and counts it.
func (c *Core) castVote(rs *roundState, t *tally) {
	var m messages.Message
	if t.kind == extra.Commit {
		m = &messages.Commit{Sequence: c.sequence, Round: rs.round, Digest: rs.digest}
	} else {
		m = &messages.Prepare{Sequence: c.sequence, Round: rs.round, Digest: rs.digest}
	}
	payload, ok := c.issue(m, rs.block.Header())
	if ok && t.bySender[c.index] == nil {
		_, seal, _ := messages.Ballot(m)
		t.bySender[c.index] = &vote{
			index: c.index, digest: rs.digest, seal: seal, message: m, payload: payload, verified: true, relayed: true,
		}
	}
}

// prepare enters PREPARED with a quorum of PREPAREs for the accepted proposal. The certificate becomes the lock, and
// is durable before the COMMIT leaves (spec wbft 5.7, 9.1 no. 3).
func (c *Core) prepare(rs *roundState) {
	if c.state != PrePrepared || !c.reached(rs, &rs.prepares) {
		return
	}
	cert := &certificate{round: rs.round, digest: rs.digest, block: rs.block}
	// A certificate carries no more than a quorum, because every validator sends it to every other one.
	for _, v := range rs.prepares.verified(rs.digest)[:c.set().Quorum()] {
		cert.prepares = append(cert.prepares, v.message.(*messages.Prepare))
	}
	if !c.setLock(cert) {
		return
	}
	c.certs.add(cert)
	c.note(Note{Kind: NoteQuorum, Code: messages.CodePrepare, Count: rs.prepares.count(rs.digest)})
	c.enter(Prepared)
	c.castVote(rs, &rs.commits)
}

// setLock makes a certificate this node's lock, durably. It reports whether it did: a key that signs nothing has no
// lock.
func (c *Core) setLock(cert *certificate) bool {
	if !c.signer.active() {
		return false
	}
	encoded, err := cert.encode(&c.certs.blocks)
	if err != nil {
		c.emit(Failed{Err: err})
		return false
	}
	c.lock = cert
	c.emit(PersistLock{Sequence: c.sequence, Round: cert.round, Certificate: encoded})
	return true
}

// commit emits the proposal of a round once a quorum of both seals is there. The round may be one that was left, where
// go-stablenet ignores the quorum (spec wbft 5.4, last paragraph). Seals beyond the quorum come as late seals.
func (c *Core) commit(rs *roundState) {
	if rs.committed || c.state == Committed || !c.isValid(rs.digest) {
		return
	}
	if !c.reached(rs, &rs.commits) || !c.reached(rs, &rs.prepares) {
		return
	}
	prepared, err := rs.prepares.aggregate(c.set(), rs.digest)
	if err != nil {
		c.emit(Failed{Err: fmt.Errorf("aggregate PREPARE seals of round %d: %w", rs.round, err)})
		return
	}
	committed, err := rs.commits.aggregate(c.set(), rs.digest)
	if err != nil {
		c.emit(Failed{Err: fmt.Errorf("aggregate COMMIT seals of round %d: %w", rs.round, err)})
		return
	}
	header, err := rs.block.Header().WithWBFTSeals(uint32(rs.round), prepared, committed)
	if err != nil {
		c.emit(Failed{Err: fmt.Errorf("seal block %s: %w", rs.digest, err)})
		return
	}
	rs.committed = true
	c.note(Note{
		Kind: NoteQuorum, Code: messages.CodeCommit, Count: rs.commits.count(rs.digest),
		View: messages.View{Sequence: c.sequence, Round: rs.round},
	})
	c.enter(Committed)
	c.cancelUnwanted()
	c.emit(Commit{Block: rs.block.WithSeal(header), Round: rs.round, Holders: c.holders(rs)})
	c.startWatchdog()
}

// holders returns the validators that have the proposal of a round, or have it coming: those that have voted for it,
// and those that follow. The whole block would give a slow validator twice the work.
func (c *Core) holders(rs *roundState) []common.Address {
	var list []common.Address
	for i := range c.set().Len() {
		if rs.voted(i, rs.digest) || c.round == 0 && c.follows(i) {
			list = append(list, c.set().At(i).Address)
		}
	}
	return list
}

// follows reports, in round 0, whether a validator has voted for the head and has not left the round. A validator that
// left may lack the proposal.
func (c *Core) follows(index int) bool {
	for _, changes := range c.roundChanges {
		if changes.bySender[index] != nil {
			return false
		}
	}
	p := c.prior
	if p == nil {
		return false
	}
	i, ok := p.set.Index(c.set().At(index).Address)
	return ok && p.voted(i)
}
