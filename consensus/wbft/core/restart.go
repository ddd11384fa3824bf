// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
)

// Restored is the content of the vote log.
type Restored struct {
	// LowWatermark is the lowest sequence in which the key may sign. Its messages below are not known any more.
	LowWatermark uint64
	// Complete says that the log has every message that the key has signed on this chain.
	Complete bool
	// Since is the time since which a log that is not complete lacks nothing, in seconds since 1970. 0 means since the
	// first step.
	Since uint64
	// Lost says that the key has signed before that time, and those messages are lost.
	Lost bool
	// Sequences lists the sequences of the log in ascending order, none below LowWatermark.
	Sequences []RestoredSequence
}

// RestoredSequence is the content of the vote log about one sequence.
type RestoredSequence struct {
	Sequence uint64
	Votes    []Vote // every message that the key has signed in it
	Lock     []byte // Certificate of the last PersistLock of this sequence, nil for none
}

// Restore takes the content of the vote log, once and before the first NewHead. In every sequence of the log the node
// continues in the round it had reached, contradicts no recorded message, and keeps its lock (spec wbft 9.1 no. 3).
// The chain may be below the log: a power loss can take the last blocks.
func (c *Core) Restore(log Restored) { c.signer.restore(log) }

// VotesLost notes that messages are lost which the key has signed on this chain before a time in seconds since 1970.
// With wait nothing is signed until a block was made after that time.
func (c *Core) VotesLost(since uint64, wait bool) { c.signer.lose(since, wait) }

// Waits reports whether nothing may be signed in this sequence because lost messages may be about it.
func (c *Core) Waits() bool { return c.signer.waiting() }

// BelowLowWatermark reports whether nothing may be signed in this sequence because the vote log begins above it.
func (c *Core) BelowLowWatermark() bool { return c.head != nil && c.sequence < c.signer.lowWatermark }

// openVotes opens the sequence that begins for the signer, with the votes and the lock that the vote log has of it.
func (c *Core) openVotes() {
	log, known := c.signer.open(c.sequence, c.head.Header)
	if !known {
		return
	}
	for _, v := range log.Votes {
		c.openVote(v)
	}
	if log.Lock == nil {
		return
	}
	lock, err := decodeCertificate(log.Lock)
	if err == nil {
		err = c.certs.check(lock, lock.round) // it may come from a log that was imported
	}
	if err != nil {
		c.emit(Failed{Err: fmt.Errorf("recorded lock of sequence %d: %w", c.sequence, err)})
		return
	}
	c.lock = lock
}

// openVote records a vote of the log. An unreadable one still must not be contradicted, but is not sent again. A
// message of another key would accuse this node if it were sent. No message is of a round above maxRound.
func (c *Core) openVote(v Vote) {
	if v.Round > maxRound {
		c.emit(Failed{Err: fmt.Errorf("recorded message %#x of sequence %d is of round %d, and the last one is %d",
			v.Code, v.Sequence, v.Round, uint64(maxRound))})
		return
	}
	if len(v.Payload) > 0 {
		m, err := messages.Decode(v.Code, v.Payload)
		if err == nil && m.View() != (messages.View{Sequence: v.Sequence, Round: v.Round}) {
			err = fmt.Errorf("it is of view %v", m.View())
		}
		if err == nil {
			var signer common.Address
			if signer, err = m.Signer(); err == nil && signer != c.cfg.Address {
				c.emit(Failed{Err: fmt.Errorf("the vote log belongs to another key: its message %#x of sequence %d, round %d, "+
					"is signed by %s, and this validator is %s", v.Code, v.Sequence, v.Round, signer, c.cfg.Address)})
				return
			}
		}
		if err != nil {
			c.emit(Failed{Err: fmt.Errorf("recorded message %#x of sequence %d, round %d: %w",
				v.Code, v.Sequence, v.Round, err)})
			v.Payload = nil
		}
	}
	c.signer.Record(v)
}

// continueRound continues the round that the vote log reached. Its messages are sent again, and its proposal is
// executed again.
func (c *Core) continueRound() {
	if len(c.signer.Votes) == 0 || !c.isValidator() {
		return
	}
	rs := c.rounds[c.round]
	if c.lock != nil {
		c.rebindLock(rs)
	}
	if v, ok := c.signer.Signed(messages.CodeRoundChange, c.round); ok {
		c.repeatRoundChange(v)
	}
	for _, code := range []uint64{messages.CodePrePrepare, messages.CodePrepare, messages.CodeCommit} {
		if v, ok := c.signer.Signed(code, c.round); ok && len(v.Payload) > 0 {
			c.continueWith(rs, v)
		}
	}
	c.joinOrPropose()
}

// continueWith sends a recorded proposal or vote of the current round again, and counts it.
func (c *Core) continueWith(rs *roundState, v Vote) {
	m, err := messages.Decode(v.Code, v.Payload)
	if err != nil {
		c.emit(Failed{Err: fmt.Errorf("recorded vote of sequence %d, round %d: %w", c.sequence, v.Round, err)})
		return
	}
	proposal, isProposal := m.(*messages.PrePrepare)
	if isProposal {
		rs.proposed = true
		if err := c.certs.checkProposal(proposal.Block); err != nil {
			c.emit(Failed{Err: fmt.Errorf("recorded proposal of sequence %d, round %d: %w", c.sequence, v.Round, err)})
			return
		}
	}
	c.emit(Send{Code: v.Code, Payload: v.Payload, Force: true})
	switch {
	case !isProposal:
		c.countRecorded(rs.votes(v.Code), m, v.Payload)
	case rs.block == nil:
		c.bindProposal(rs, proposal, v.Payload, c.cfg.Address)
	}
}

// countRecorded puts a recorded own vote back into its tally.
func (c *Core) countRecorded(t *tally, m messages.Message, payload []byte) {
	if t.bySender[c.index] == nil {
		digest, seal, _ := messages.Ballot(m)
		t.bySender[c.index] = &vote{
			index: c.index, digest: digest, seal: seal, message: m, payload: payload, relayed: true,
		}
	}
}

// rebindLock makes the block of the lock the proposal of the current round again if it was prepared there, with the
// PREPAREs that prepared it.
func (c *Core) rebindLock(rs *roundState) {
	if c.lock.round != c.round {
		return
	}
	if err := c.certs.check(c.lock, c.lock.round+1); err != nil {
		c.emit(Failed{Err: fmt.Errorf("recorded lock: %w", err)})
		c.lock = nil
		return
	}
	for _, p := range c.lock.prepares {
		signer, err := p.Signer()
		if err != nil {
			continue // all of them were recovered with the certificate
		}
		if i, ok := c.set().Index(signer); ok {
			rs.prepares.bySender[i] = &vote{
				index: i, digest: p.Digest, seal: p.Seal, message: p, payload: p.Encode(), verified: true, relayed: true,
			}
		}
	}
	c.bind(rs, c.lock.block, nil, c.proposer, true) // the block is known since its certificate was verified
}
