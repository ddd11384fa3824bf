// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/messages"
)

// ClockTolerance is by how much the clocks of validators, which make the timestamps of blocks, may be ahead of this node's.
const ClockTolerance = time.Minute

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
	if c.doubtful(code, round, digest) {
		c.drop("this node may have signed something else in the view before its log was lost")
		return nil, false
	}
	if err := m.SignWith(c.cfg.Sign); err != nil {
		c.emit(Failed{Err: fmt.Errorf("signing for sequence %d, round %d: %w", c.sequence, round, err)})
		return nil, false
	}
	if payload = m.Encode(); !fits(payload) {
		// Not recorded either, as it binds to nothing. A ROUND-CHANGE whose lock does not fit is not replaced by one that hides the lock.
		c.emit(c.unsendable(code, payload))
		return nil, false
	}
	if !known {
		v := Vote{Code: code, Sequence: c.sequence, Round: round, Digest: digest, Payload: payload}
		c.signed.put(v)
		c.emit(Persist{v})
	}
	c.emit(Send{Code: code, Payload: payload})
	return payload, true
}

// maySign tells whether this node's key may sign in the current sequence.
func (c *Core) maySign() bool { return c.sequence >= c.floor && !c.stopped && !c.Waits() }

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

// onOwnMessage looks at a message with this node's signature that came from outside. Mostly it is an echo (spec wbft 4.4).
//
// What the record does not have was not signed here, unless the log is new: then it may be from before, and is taken back. Otherwise
// somebody else has the key, and nothing more is signed. Both need proof that the message is about this chain. A message names
// neither network nor parent, and what the key has signed on another network, or before a new genesis block, any validator can repeat.
func (c *Core) onOwnMessage(m messages.Message, payload []byte) {
	digest := Subject(m)
	old, known := c.signed.get(m.Code(), m.View().Round)
	switch {
	case known && old.Digest == digest:
		c.drop("echo of an own message")
	case known && c.isOfThisChain(m):
		c.stopSigning(fmt.Sprintf("this key has signed two different messages %#x in round %d of sequence %d",
			m.Code(), m.View().Round, c.sequence), old.Payload, payload)
	case known:
		c.drop("own message that contradicts the record, and need not be of this chain")
	case !c.mayHaveForgotten():
		if !c.isOfThisChain(m) {
			c.drop("own message that is not in the record, and need not be of this chain")
			return
		}
		c.stopSigning(fmt.Sprintf("this key has signed a message %#x in round %d of sequence %d that this node did not sign",
			m.Code(), m.View().Round, c.sequence), payload)
	case !c.maySign():
		c.drop("own message of before, in a sequence in which nothing is signed")
	default:
		c.recollect(m, digest, payload)
	}
}

// mayHaveForgotten tells whether this key may have signed something in this sequence that the record does not have: the head may have
// been there when the log was begun.
func (c *Core) mayHaveForgotten() bool { return !c.complete && !c.begunSince() }

// isOfThisChain tells whether a message with this node's signature is provably about the sequence at hand on this chain: it carries
// a child of the head, a seal over one, or a certificate for one.
func (c *Core) isOfThisChain(m messages.Message) bool {
	switch m := m.(type) {
	case *messages.PrePrepare:
		return c.checkProposal(m.Block) == nil
	case *messages.Prepare:
		return c.sealedHere(m.Digest, m.Round, extra.Prepare, m.Seal)
	case *messages.Commit:
		return c.sealedHere(m.Digest, m.Round, extra.Commit, m.Seal)
	case *messages.RoundChange:
		cert, err := c.certificateOf(m)
		return err == nil && cert != nil
	}
	return false
}

// sealedHere tells whether a seal is this node's own over a block of this sequence that is known here.
func (c *Core) sealedHere(digest common.Hash, round uint64, kind byte, seal []byte) bool {
	block := c.blocks.byHash(digest)
	if block == nil || block.NumberU64() != c.sequence || !c.isValidator() || round > maxRound {
		return false
	}
	message := extra.SealDigest(block.Header(), uint32(round), kind)
	return scheme.Verify(c.set().At(c.index).Key, message[:], seal)
}

// recollect takes back what a lost log had. A vote for a block that is not known here proves nothing: it goes into no record, but
// until the sequence ends this node votes for no other block in the round. Neither does a ROUND-CHANGE without a certificate, which
// moves the node by a few rounds at most.
func (c *Core) recollect(m messages.Message, digest common.Hash, payload []byte) {
	proven := c.isOfThisChain(m)
	switch m := m.(type) {
	case *messages.PrePrepare:
		if !proven {
			c.drop("own proposal of another chain")
			return
		}
	case *messages.Prepare, *messages.Commit:
		if !proven {
			c.doubts[recordKey{m.Code(), m.View().Round}] = digest
			c.drop("own vote of before for a block that is not known")
			return
		}
	case *messages.RoundChange:
		if !proven && (m.Prepared != nil || m.Round > c.round+roundWindow) {
			c.drop("own ROUND-CHANGE that need not be of this chain")
			return
		}
	}
	c.takeBack(m, digest, payload)
}

// doubtful tells whether this key may have voted for another block in a view.
func (c *Core) doubtful(code, round uint64, digest common.Hash) bool {
	other, ok := c.doubts[recordKey{code, round}]
	return ok && other != digest
}

// begunSince tells whether nothing can have been signed in this sequence before the record began: the head, without which nobody speaks
// in it, was made later.
func (c *Core) begunSince() bool { return MadeAfter(c.head.Header, c.since) }

// MadeAfter tells whether a block was made after a time, in seconds since 1970, whatever the clocks say.
func MadeAfter(header *types.Header, since uint64) bool {
	const tolerance = uint64(ClockTolerance / time.Second)
	return header.Time > tolerance && header.Time-tolerance > since
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
	encoded, err := cert.encode(&c.blocks)
	if err != nil {
		c.emit(Failed{Err: err})
		return false
	}
	c.lock = cert
	c.emit(PersistLock{Sequence: c.sequence, Round: cert.round, Certificate: encoded})
	return true
}

// Subject is the digest a vote is recorded under.
func Subject(m messages.Message) common.Hash {
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
