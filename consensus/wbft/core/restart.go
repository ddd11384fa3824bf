// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
)

// Restored is what the vote log remembers.
type Restored struct {
	// Floor is the lowest sequence in which the key may sign: what it signed below is not known any more.
	Floor uint64
	// Complete tells that nothing that the key has signed on this chain is missing in the log.
	Complete bool
	// Since is since when nothing is missing in a log that is not complete, in seconds since 1970; 0 for since the first Step.
	Since uint64
	// Lost tells that the key has signed something before that, which is not known any more.
	Lost bool
	// Sequences are the sequences of the log in ascending order, none of them below Floor.
	Sequences []RestoredSequence
}

// RestoredSequence is what the log remembers of one sequence.
type RestoredSequence struct {
	Sequence uint64
	Votes    []Vote // every message that the key has signed in it
	Lock     []byte // Certificate of the last PersistLock of this sequence; nil if there was none
}

// Restore hands over the content of the vote log. It is called once, before the first NewHead. In every sequence of the log
// the node then continues in the round it had reached, never contradicts a recorded vote, and still carries its lock
// (spec wbft 9.1 no. 3). The chain may be below the newest of them: a power loss can take the last blocks and leave the
// votes for the next one. Below the floor the node follows the others and signs nothing.
func (c *Core) Restore(rec Restored) {
	c.floor, c.complete, c.since, c.lost = rec.Floor, rec.Complete, rec.Since, rec.Lost
	for _, s := range rec.Sequences {
		c.restored[s.Sequence] = s
	}
}

// VotesLost tells that the record lacks something that the key has signed on this chain before `since`, in seconds since 1970. Unless
// the operator wants it otherwise nothing is signed, then, until a block that was made later is the head: what was signed may be
// about any sequence up to it.
func (c *Core) VotesLost(since uint64, wait bool) { c.complete, c.since, c.lost = false, since, wait }

// Waits tells whether nothing may be signed in this sequence because what is lost may be about it.
func (c *Core) Waits() bool { return c.lost && c.head != nil && !c.begunSince() }

// BelowFloor tells whether nothing may be signed in this sequence because the log begins above it.
func (c *Core) BelowFloor() bool { return c.head != nil && c.sequence < c.floor }

// openRecord opens the record of the sequence that begins: that of the log if it knows the sequence, the present one if the head
// was replaced at its height, else an empty one.
func (c *Core) openRecord() {
	if c.signed.sequence != c.sequence {
		c.signed = newRecord(c.sequence)
	}
	rec, known := c.restored[c.sequence]
	for sequence := range c.restored {
		if sequence <= c.sequence {
			delete(c.restored, sequence)
		}
	}
	if !known {
		return
	}
	for _, v := range rec.Votes {
		c.openVote(v)
	}
	if rec.Lock == nil {
		return
	}
	lock, err := decodeCertificate(rec.Lock)
	if err == nil {
		err = c.checkCertificate(lock, lock.round) // it may come from a log that was imported
	}
	if err != nil {
		c.emit(Failed{Err: fmt.Errorf("the recorded lock of sequence %d: %w", c.sequence, err)})
		return
	}
	c.lock = lock
}

// openVote puts a vote of the log into the record. One that cannot be read still must not be contradicted, but is not sent again.
// What another key has signed is none of this node's business, and would accuse the node if it came from here.
func (c *Core) openVote(v Vote) {
	if len(v.Payload) > 0 {
		m, err := messages.Decode(v.Code, v.Payload)
		if err == nil && m.View() != (messages.View{Sequence: v.Sequence, Round: v.Round}) {
			err = fmt.Errorf("it is of view %v", m.View())
		}
		if err == nil {
			var signer common.Address
			if signer, err = m.Signer(); err == nil && signer != c.cfg.Address {
				c.emit(Failed{Err: fmt.Errorf("the vote log belongs to another key: its message %#x of sequence %d, round %d, is signed by "+
					"%s, and this validator is %s", v.Code, v.Sequence, v.Round, signer, c.cfg.Address)})
				return
			}
		}
		if err != nil {
			c.emit(Failed{Err: fmt.Errorf("recorded message %#x of sequence %d, round %d: %w", v.Code, v.Sequence, v.Round, err)})
			v.Payload = nil
		}
	}
	c.signed.put(v)
}

// continueRound continues the round that the record reached: what was said is said again, and a proposal that is known from
// the record is executed again.
func (c *Core) continueRound() {
	if len(c.signed.byView) == 0 || !c.isValidator() {
		return
	}
	rs := c.rounds[c.round]
	if c.lock != nil {
		c.rebindLock(rs)
	}
	if v, ok := c.signed.get(messages.CodeRoundChange, c.round); ok {
		c.repeatRoundChange(v)
	}
	for _, code := range []uint64{messages.CodePrePrepare, messages.CodePrepare, messages.CodeCommit} {
		v, ok := c.signed.get(code, c.round)
		if !ok || len(v.Payload) == 0 {
			continue
		}
		m, err := messages.Decode(code, v.Payload)
		if err != nil {
			c.emit(Failed{Err: fmt.Errorf("recorded vote of sequence %d, round %d: %w", c.sequence, v.Round, err)})
			continue
		}
		if proposal, ok := m.(*messages.PrePrepare); ok {
			rs.proposed = true
			if err := c.checkProposal(proposal.Block); err != nil {
				c.emit(Failed{Err: fmt.Errorf("recorded proposal of sequence %d, round %d: %w", c.sequence, v.Round, err)})
				continue
			}
		}
		c.emit(Send{Code: code, Payload: v.Payload, Force: true})
		switch m := m.(type) {
		case *messages.PrePrepare:
			if rs.block == nil {
				c.bindProposal(rs, m, v.Payload, c.cfg.Address)
			}
		case *messages.Prepare:
			c.countRecorded(rs, &rs.prepares, m, v.Payload)
		case *messages.Commit:
			c.countRecorded(rs, &rs.commits, m, v.Payload)
		}
	}
	c.joinOrPropose()
}

// countRecorded puts a recorded own vote back into its tally.
func (c *Core) countRecorded(rs *roundState, t *tally, m messages.Message, payload []byte) {
	if t.bySender[c.index] == nil {
		digest, seal := ballotOf(m)
		t.bySender[c.index] = &vote{
			index: c.index, digest: digest, seal: seal, message: m, payload: payload, relayed: true,
		}
	}
}

// rebindLock makes the lock's block the proposal of the current round again if that is where it was prepared, with the
// PREPAREs that prepared it.
func (c *Core) rebindLock(rs *roundState) {
	if c.lock.round != c.round {
		return
	}
	if err := c.checkCertificate(c.lock, c.lock.round+1); err != nil {
		c.emit(Failed{Err: fmt.Errorf("the recorded lock: %w", err)})
		c.lock = nil
		return
	}
	for _, p := range c.lock.prepares {
		signer, err := p.Signer()
		if err != nil {
			continue // checkCertificate has recovered them all
		}
		if i, ok := c.set().Index(signer); ok {
			rs.prepares.bySender[i] = &vote{
				index: i, digest: p.Digest, seal: p.Seal, message: p, payload: p.Encode(), verified: true, relayed: true,
			}
		}
	}
	c.bind(rs, c.lock.block, nil, c.proposer) // checkCertificate has made it known
}
