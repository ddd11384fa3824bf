// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/messages"
)

// Restored is what the vote log remembers.
type Restored struct {
	// Floor is the lowest sequence in which the key may sign: what it signed below is not known any more.
	Floor uint64
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
	c.floor = rec.Floor
	for _, s := range rec.Sequences {
		c.restored[s.Sequence] = s
	}
}

// recordKey names a vote within a sequence.
type recordKey struct{ code, round uint64 }

// record is what this node's key has signed in one sequence.
type record struct {
	sequence uint64
	votes    map[recordKey]Vote
}

func newRecord(sequence uint64) record {
	return record{sequence: sequence, votes: make(map[recordKey]Vote)}
}

func (r *record) get(code, round uint64) (Vote, bool) {
	v, ok := r.votes[recordKey{code, round}]
	return v, ok
}

func (r *record) put(v Vote) { r.votes[recordKey{v.Code, v.Round}] = v }

// highestRound is the highest round anything was signed for; 0 if nothing was.
func (r *record) highestRound() uint64 {
	highest := uint64(0)
	for key := range r.votes {
		highest = max(highest, key.round)
	}
	return highest
}

// issue signs an own message of the current sequence, records it durably and sends it. It refuses to contradict an
// earlier one of the same kind and view; an equal one is sent again.
func (c *Core) issue(m messages.Message, digest common.Hash) (payload []byte, ok bool) {
	if !c.maySign() {
		return nil, false
	}
	code, round := m.Code(), m.View().Round
	old, known := c.votes.get(code, round)
	if known && old.Digest != digest {
		c.drop("this node signed something else in the view")
		return nil, false
	}
	if err := m.SignWith(c.cfg.Sign); err != nil {
		c.emit(Failed{Err: fmt.Errorf("signing for sequence %d, round %d: %w", c.sequence, round, err)})
		return nil, false
	}
	payload = m.Encode()
	if !known {
		v := Vote{Code: code, Sequence: c.sequence, Round: round, Digest: digest, Payload: payload}
		c.votes.put(v)
		c.emit(Persist{v})
	}
	c.emit(Send{Code: code, Payload: payload})
	return payload, true
}

// maySign tells whether this node's key may sign in the current sequence.
func (c *Core) maySign() bool { return c.sequence >= c.floor && !c.stopped }

// castVote issues a PREPARE or COMMIT and counts it.
func (c *Core) castVote(rs *roundState, t *tally, m messages.Message) {
	digest, seal := ballotOf(m)
	payload, ok := c.issue(m, digest)
	if ok && t.votes[c.index] == nil {
		t.votes[c.index] = &vote{
			index: c.index, digest: digest, seal: seal, message: m, payload: payload, verified: true, relayed: true,
		}
	}
}

// onOwnMessage looks at a message with this node's signature that came from outside. Mostly it is an echo (spec wbft
// 4.4). If nothing is known of it the log was lost, and it restores a piece of it; if it contradicts the log, the key is
// in use elsewhere.
func (c *Core) onOwnMessage(m messages.Message, payload []byte) {
	digest := subject(m)
	old, known := c.votes.get(m.Code(), m.View().Round)
	switch {
	case !known:
		v := Vote{Code: m.Code(), Sequence: c.sequence, Round: m.View().Round, Digest: digest, Payload: payload}
		c.votes.put(v)
		c.emit(Persist{v})
		if rc, ok := m.(*messages.RoundChange); ok {
			c.recoverLock(rc)
		}
	case old.Digest != digest:
		c.accuse(ForeignSignature, c.cfg.Address, old.Payload, payload)
	default:
		c.drop("echo of an own message")
	}
}

// recoverLock takes back a lock that an own ROUND-CHANGE of a lost log proves.
func (c *Core) recoverLock(m *messages.RoundChange) {
	cert, err := c.certificateOf(m)
	if err != nil || cert == nil || (c.lock != nil && c.lock.round >= cert.round) {
		return
	}
	c.setLock(cert)
}

// setLock makes a certificate this node's lock, durably.
func (c *Core) setLock(cert *certificate) bool {
	if !c.maySign() {
		return false
	}
	encoded, err := cert.encode()
	if err != nil {
		c.emit(Failed{Err: err})
		return false
	}
	c.lock = cert
	c.emit(PersistLock{Sequence: c.sequence, Round: cert.round, Certificate: encoded})
	return true
}

// subject is the digest a vote is recorded under.
func subject(m messages.Message) common.Hash {
	switch m := m.(type) {
	case *messages.PrePrepare:
		return m.Block.Hash()
	case *messages.RoundChange:
		return crypto.Keccak256Hash(m.SigningPayload())
	}
	digest, _ := ballotOf(m)
	return digest
}

// ballotOf returns what PREPARE and COMMIT have in common.
func ballotOf(m messages.Message) (digest common.Hash, seal []byte) {
	switch m := m.(type) {
	case *messages.Prepare:
		return m.Digest, m.Seal
	case *messages.Commit:
		return m.Digest, m.Seal
	}
	return common.Hash{}, nil
}

// recall opens the record of the sequence that begins: that of the log if it knows the sequence, the present one if the head
// was replaced at its height, else an empty one.
func (c *Core) recall() {
	if c.votes.sequence != c.sequence {
		c.votes = newRecord(c.sequence)
	}
	rec, known := c.restored[c.sequence]
	for sequence := range c.restored {
		if sequence <= c.sequence {
			delete(c.restored, sequence)
		}
	}
	if c.sequence < c.floor {
		c.emit(Failed{Err: fmt.Errorf("the vote log begins at sequence %d: nothing is signed for %d", c.floor, c.sequence)})
	}
	if !known {
		return
	}
	for _, v := range rec.Votes {
		c.votes.put(v)
	}
	if rec.Lock == nil {
		return
	}
	lock, err := decodeCertificate(rec.Lock)
	switch {
	case err != nil:
		c.emit(Failed{Err: err})
	case lock.block.ParentHash() != c.head.Header.Hash():
		c.emit(Failed{Err: fmt.Errorf("the recorded lock on block %s does not fit the head", lock.digest)})
	default:
		c.lock = lock
	}
}

// resume continues the round that the record reached: what was said is said again, and a proposal that is known from
// the record is executed again.
func (c *Core) resume() {
	if len(c.votes.votes) == 0 || !c.isValidator() {
		return
	}
	rs := c.rounds[c.round]
	if c.lock != nil {
		c.adoptLock(rs)
	}
	if v, ok := c.votes.get(messages.CodeRoundChange, c.round); ok {
		c.repeatRoundChange(v)
	}
	for _, code := range []uint64{messages.CodePrePrepare, messages.CodePrepare, messages.CodeCommit} {
		v, ok := c.votes.get(code, c.round)
		if !ok {
			continue
		}
		m, err := messages.Decode(code, v.Payload)
		if err != nil {
			c.emit(Failed{Err: fmt.Errorf("recorded vote of sequence %d, round %d: %w", c.sequence, v.Round, err)})
			continue
		}
		c.emit(Send{Code: code, Payload: v.Payload, Force: true})
		switch m := m.(type) {
		case *messages.PrePrepare:
			rs.proposed = true
			if rs.block == nil {
				c.bind(rs, m.Block, v.Payload, c.cfg.Address)
			}
		case *messages.Prepare:
			c.recount(rs, &rs.prepares, m, v.Payload)
		case *messages.Commit:
			c.recount(rs, &rs.commits, m, v.Payload)
		}
	}
	c.weighRoundChanges()
}

// recount puts a recorded own vote back into its tally.
func (c *Core) recount(rs *roundState, t *tally, m messages.Message, payload []byte) {
	if t.votes[c.index] == nil {
		digest, seal := ballotOf(m)
		t.votes[c.index] = &vote{
			index: c.index, digest: digest, seal: seal, message: m, payload: payload, relayed: true,
		}
	}
}

// adoptLock makes the lock's block the proposal of the current round again if that is where it was prepared, with the
// PREPAREs that prepared it.
func (c *Core) adoptLock(rs *roundState) {
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
			rs.prepares.votes[i] = &vote{
				index: i, digest: p.Digest, seal: p.Seal, message: p, payload: p.Encode(), verified: true, relayed: true,
			}
		}
	}
	c.bind(rs, c.lock.block, nil, c.proposer)
}
