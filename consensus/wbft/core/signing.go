// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"
	"math"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/messages"
)

// clockTolerance is by how much the clocks of validators, which make the timestamps of blocks, may be ahead of this node's.
const clockTolerance = time.Minute

// recordKey names a vote within a sequence.
type recordKey struct{ code, round uint64 }

// record is what this node's key has signed in one sequence.
type record struct {
	sequence uint64
	byView   map[recordKey]Vote
}

func newRecord(sequence uint64) record {
	return record{sequence: sequence, byView: make(map[recordKey]Vote)}
}

func (r *record) get(code, round uint64) (Vote, bool) {
	v, ok := r.byView[recordKey{code, round}]
	return v, ok
}

func (r *record) put(v Vote) { r.byView[recordKey{v.Code, v.Round}] = v }

// highestRound is the highest round anything was signed for; 0 if nothing was.
func (r *record) highestRound() uint64 {
	highest := uint64(0)
	for key := range r.byView {
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
	old, known := c.signed.get(code, round)
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
		c.signed.put(v)
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
	if ok && t.bySender[c.index] == nil {
		t.bySender[c.index] = &vote{
			index: c.index, digest: digest, seal: seal, message: m, payload: payload, verified: true, relayed: true,
		}
	}
}

// onOwnMessage looks at a message with this node's signature that came from outside. Mostly it is an echo (spec wbft
// 4.4). If nothing is known of it the log was lost, and it restores a piece of it; then the node goes to where it was. If it
// contradicts the log, or is about a block that was not there yet when this process began, the key is in use elsewhere.
func (c *Core) onOwnMessage(m messages.Message, payload []byte) {
	digest := subject(m)
	old, known := c.signed.get(m.Code(), m.View().Round)
	switch {
	case known && old.Digest == digest:
		c.drop("echo of an own message")
	case known:
		c.stopSigning(fmt.Sprintf("this key has signed two different messages %#x in round %d of sequence %d",
			m.Code(), m.View().Round, c.sequence), old.Payload, payload)
	case c.begunHere():
		c.stopSigning(fmt.Sprintf("this key has signed a message %#x in round %d of sequence %d that this node did not sign",
			m.Code(), m.View().Round, c.sequence), payload)
	case !c.maySign():
		c.drop("own message of before, in a sequence in which nothing is signed")
	default:
		c.takeBack(m, digest, payload)
	}
}

// begunHere tells whether nothing can have been signed in this sequence before this process began: the head, without which
// nobody speaks in it, was made later.
func (c *Core) begunHere() bool {
	return time.Unix(int64(min(c.head.Header.Time, math.MaxInt64)), 0).After(c.born.Add(clockTolerance))
}

// stopSigning ends the signing of this process.
func (c *Core) stopSigning(reason string, evidence ...[]byte) {
	if c.stopped {
		c.drop("foreign signature of the own key")
		return
	}
	c.stopped = true
	c.emit(StopSigning{Reason: reason, Evidence: evidence})
}

// takeBack puts an own message of a lost log into the record and goes on from it: what was said is not contradicted, a lock
// that it proves holds again, and no round below its own is voted in.
func (c *Core) takeBack(m messages.Message, digest common.Hash, payload []byte) {
	round := m.View().Round
	v := Vote{Code: m.Code(), Sequence: c.sequence, Round: round, Digest: digest, Payload: payload}
	c.signed.put(v)
	c.emit(Persist{v})
	change, isChange := m.(*messages.RoundChange)
	if isChange {
		c.takeBackLock(change)
	}
	if c.state == Committed || !c.isValidator() {
		return
	}
	if round > c.round {
		c.startRound(round)
	}
	if isChange && round == c.round {
		c.repeatRoundChange(v)
	}
	c.joinOrPropose()
}

// takeBackLock takes back a lock that an own ROUND-CHANGE of a lost log proves.
func (c *Core) takeBackLock(m *messages.RoundChange) {
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
