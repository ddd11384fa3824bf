// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"
	"math"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/messages"
)

// maxRound is the highest round the seals can express (spec wbft 1.2).
const maxRound = math.MaxUint32

// changeSet holds the ROUND-CHANGEs to one round, the first of each validator, and the best certificate among them.
type changeSet struct {
	bySender []*messages.SignedRoundChange // by validator index
	accused  []bool                        // of equivocation, by validator index
	count    int
	best     *certificate // of the highest prepared round; nil if nobody was prepared
}

// signed returns the messages by validator index, without blocks and certificates.
func (s *changeSet) signed() []*messages.SignedRoundChange {
	list := make([]*messages.SignedRoundChange, 0, s.count)
	for _, m := range s.bySender {
		if m != nil {
			list = append(list, m)
		}
	}
	return list
}

// changeSet returns the set for a target round, made when missing.
func (c *Core) changeSet(round uint64) *changeSet {
	set := c.changes[round]
	if set == nil {
		set = &changeSet{bySender: make([]*messages.SignedRoundChange, c.set().Len()), accused: make([]bool, c.set().Len())}
		c.changes[round] = set
	}
	return set
}

// higherRounds counts the distinct senders of ROUND-CHANGEs to rounds above the current one, and tells the lowest such
// round (spec wbft 5.7).
func (c *Core) higherRounds() (senders int, lowest uint64) { return c.roundsFrom(c.round + 1) }

// roundsFrom counts the distinct senders of ROUND-CHANGEs to rounds from first up, and tells the lowest such round.
func (c *Core) roundsFrom(first uint64) (senders int, lowest uint64) {
	lowest = math.MaxUint64
	seen := make([]bool, c.set().Len())
	for round, set := range c.changes {
		if round < first {
			continue
		}
		for i, m := range set.bySender {
			if m == nil {
				continue
			}
			lowest = min(lowest, round)
			if !seen[i] {
				seen[i] = true
				senders++
			}
		}
	}
	return senders, lowest
}

// onRoundChange handles a ROUND-CHANGE to the current round or a later one (spec wbft 5.7).
func (c *Core) onRoundChange(m *messages.RoundChange, payload []byte, index int) {
	round := m.Round
	if set := c.changes[round]; set != nil && set.bySender[index] != nil {
		old := set.bySender[index]
		if string(old.SigningPayload()) == string(m.SigningPayload()) {
			c.drop("duplicate ROUND-CHANGE")
			return
		}
		if set.accused[index] {
			c.drop("another ROUND-CHANGE of one that sent two different ones")
			return
		}
		set.accused[index] = true
		c.accuse(RoundChangeEquivocation, c.set().At(index).Address, old.Encode(), m.SignedRoundChange.Encode())
		return
	}
	if round > c.round+roundWindow {
		if c.set().JoinCount() == 1 {
			// No quorum of honest senders bounds the round here: one validator could send everybody to the last round.
			c.drop("round too far ahead")
			return
		}
		if !c.supersede(round, index) {
			c.drop("a ROUND-CHANGE of the sender to a higher round is known")
			return
		}
	}
	cert, err := c.certificateOf(m)
	if err != nil {
		// Block and certificate are not covered by the signature: whoever passed the message on may have spoilt it.
		c.drop("ROUND-CHANGE with an invalid certificate: " + err.Error())
		return
	}
	c.storeRoundChange(m, cert, index)
	c.emit(Relay{Code: messages.CodeRoundChange, Payload: payload})
	c.joinOrPropose()
}

// supersede makes room for a ROUND-CHANGE beyond the window: of each validator only the one to the highest round is
// kept there.
func (c *Core) supersede(round uint64, index int) bool {
	for _, r := range pendingRounds(c.changes) {
		set := c.changes[r]
		if r <= c.round+roundWindow || set.bySender[index] == nil {
			continue
		}
		if r > round {
			return false
		}
		set.bySender[index] = nil
		if set.count--; set.count == 0 {
			delete(c.changes, r)
		}
	}
	return true
}

func (c *Core) storeRoundChange(m *messages.RoundChange, cert *certificate, index int) {
	set := c.changeSet(m.Round)
	m.PreparedBlock, m.Prepares = nil, nil // the best certificate is kept once, not with every message
	set.bySender[index] = &m.SignedRoundChange
	set.count++
	if cert != nil && (set.best == nil || cert.round > set.best.round) {
		set.best = cert
	}
}

// joinOrPropose joins others in a later round when one of them must be honest (F+1 rule), and proposes when this
// node's turn has a quorum behind it. A node that waits for the head of a decided block has nothing to gain from a
// round change; the watchdog ends that wait.
func (c *Core) joinOrPropose() {
	if c.state == Committed || !c.isValidator() {
		return
	}
	for {
		senders, lowest := c.higherRounds()
		if senders < c.set().JoinCount() {
			break
		}
		c.changeRound(lowest)
	}
	c.hasten()
	c.propose()
}

// changeRound enters a later round and says so.
func (c *Core) changeRound(round uint64) {
	c.startRound(round)
	c.broadcastRoundChange()
}

// broadcastRoundChange sends this node's ROUND-CHANGE to the current round, with its lock if it has one, and starts the
// retry timer.
func (c *Core) broadcastRoundChange() {
	if v, ok := c.signed.get(messages.CodeRoundChange, c.round); ok {
		c.repeatRoundChange(v)
		return
	}
	m := &messages.RoundChange{}
	m.Sequence, m.Round = c.sequence, c.round
	var cert *certificate
	if c.lock != nil && c.lock.round < c.round {
		cert = c.lock
		m.Prepared = &messages.PreparedClaim{Round: cert.round, Digest: cert.digest}
		m.PreparedBlock, m.Prepares = cert.block, cert.prepares
	}
	if _, ok := c.issue(m, crypto.Keccak256Hash(m.SigningPayload())); !ok {
		return
	}
	if set := c.changeSet(c.round); set.bySender[c.index] == nil {
		c.storeRoundChange(m, cert, c.index)
	}
	c.setTimer(RetryTimer, c.head.Params.RequestTimeout)
}

// repeatRoundChange sends a recorded ROUND-CHANGE to the current round again and counts it.
func (c *Core) repeatRoundChange(v Vote) {
	m, cert, err := c.decodeRoundChange(v.Payload)
	if err != nil {
		c.emit(Failed{Err: fmt.Errorf("recorded ROUND-CHANGE of sequence %d, round %d: %w", c.sequence, v.Round, err)})
		return
	}
	if set := c.changeSet(c.round); set.bySender[c.index] == nil {
		c.storeRoundChange(m, cert, c.index)
	}
	c.emit(Send{Code: messages.CodeRoundChange, Payload: v.Payload, Force: true})
	c.setTimer(RetryTimer, c.head.Params.RequestTimeout)
}

// decodeRoundChange decodes and checks an own ROUND-CHANGE.
func (c *Core) decodeRoundChange(payload []byte) (*messages.RoundChange, *certificate, error) {
	decoded, err := messages.Decode(messages.CodeRoundChange, payload)
	if err != nil {
		return nil, nil, err
	}
	m := decoded.(*messages.RoundChange)
	cert, err := c.certificateOf(m)
	return m, cert, err
}

// onRoundTimeout gives the current round up (spec wbft 5.5).
func (c *Core) onRoundTimeout() {
	if c.round == maxRound {
		c.emit(Failed{Err: fmt.Errorf("sequence %d is in its last possible round", c.sequence)})
		c.startRoundTimer()
		return
	}
	c.changeRound(c.round + 1)
	c.joinOrPropose()
}

// onRetryTimeout repeats the own ROUND-CHANGE, also to peers that were sent it: the first send may have failed
// (spec wbft 9.2 no. 4).
func (c *Core) onRetryTimeout() {
	v, ok := c.signed.get(messages.CodeRoundChange, c.round)
	if !ok {
		return
	}
	c.emit(Send{Code: messages.CodeRoundChange, Payload: v.Payload, Force: true})
	c.setTimer(RetryTimer, c.head.Params.RequestTimeout)
}

// certificateOf returns the certificate a ROUND-CHANGE carries, checked, or nil if its sender claims none.
func (c *Core) certificateOf(m *messages.RoundChange) (*certificate, error) {
	if m.Prepared == nil || m.Prepared.Digest == (common.Hash{}) {
		return nil, nil
	}
	if m.PreparedBlock == nil {
		return nil, fmt.Errorf("claims round %d prepared without the block", m.Prepared.Round)
	}
	cert := &certificate{
		round:    m.Prepared.Round,
		digest:   m.Prepared.Digest,
		block:    m.PreparedBlock,
		prepares: m.Prepares,
	}
	if err := c.checkCertificate(cert, m.Round); err != nil {
		return nil, err
	}
	return cert, nil
}
