// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/messages"
)

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
// 4.4). If nothing is known of it the log was lost, and it restores a piece of it; if it contradicts the log, the key is
// in use elsewhere.
func (c *Core) onOwnMessage(m messages.Message, payload []byte) {
	digest := subject(m)
	old, known := c.signed.get(m.Code(), m.View().Round)
	switch {
	case !known:
		v := Vote{Code: m.Code(), Sequence: c.sequence, Round: m.View().Round, Digest: digest, Payload: payload}
		c.signed.put(v)
		c.emit(Persist{v})
		if rc, ok := m.(*messages.RoundChange); ok {
			c.takeBackLock(rc)
		}
	case old.Digest != digest:
		c.accuse(ForeignSignature, c.cfg.Address, old.Payload, payload)
	default:
		c.drop("echo of an own message")
	}
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
