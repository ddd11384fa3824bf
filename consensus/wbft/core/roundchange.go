// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"fmt"
	"math"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/messages"
)

// maxRound is the highest round the seals can express (spec wbft 1.2).
const maxRound = math.MaxUint32

// change is one validator's ROUND-CHANGE to a round.
type change struct {
	message *messages.SignedRoundChange
	cert    *certificate // verified; nil if the sender claims none
}

// encode returns the payload of the whole message.
func (ch *change) encode() []byte {
	if ch.cert == nil {
		return ch.message.EncodeWith(nil, nil)
	}
	return ch.message.EncodeWith(ch.cert.block, ch.cert.prepares)
}

// preparedRound orders ROUND-CHANGEs by the round in which their senders were prepared: 0 for none, else one more than it.
func preparedRound(m *messages.SignedRoundChange) uint64 {
	if m.Prepared == nil {
		return 0
	}
	return m.Prepared.Round + 1
}

// changeSet holds the ROUND-CHANGEs to one round, the best supported of each validator.
type changeSet struct {
	bySender []*change // by validator index
	accused  []bool    // of equivocation, by validator index
	count    int
}

// best returns the certificate of the highest prepared round, or nil if nobody was prepared.
func (s *changeSet) best() *certificate {
	var best *certificate
	for _, ch := range s.bySender {
		if ch != nil && ch.cert != nil && (best == nil || ch.cert.round > best.round) {
			best = ch.cert
		}
	}
	return best
}

// has tells whether the very same ROUND-CHANGE is known.
func (s *changeSet) has(m messages.Signed) bool {
	for _, ch := range s.bySender {
		if ch != nil && bytes.Equal(ch.message.Signature(), m.Signature()) {
			return bytes.Equal(ch.message.SigningPayload(), m.SigningPayload())
		}
	}
	return false
}

// signed returns the messages by validator index, without blocks and certificates.
func (s *changeSet) signed() []*messages.SignedRoundChange {
	list := make([]*messages.SignedRoundChange, 0, s.count)
	for _, ch := range s.bySender {
		if ch != nil {
			list = append(list, ch.message)
		}
	}
	return list
}

// changeSet returns the set for a target round, made when missing.
func (c *Core) changeSet(round uint64) *changeSet {
	set := c.changes[round]
	if set == nil {
		set = &changeSet{bySender: make([]*change, c.set().Len()), accused: make([]bool, c.set().Len())}
		c.changes[round] = set
	}
	return set
}

// higherRounds counts the distinct senders of ROUND-CHANGEs to rounds above the current one, and tells the lowest such
// round (spec wbft 5.7).
func (c *Core) higherRounds() (senders int, lowest uint64) {
	lowest = math.MaxUint64
	for round, set := range c.changes {
		if round > c.round && set.count > 0 {
			lowest = min(lowest, round)
		}
	}
	for _, round := range c.latestRounds() {
		if round > c.round {
			senders++
		}
	}
	return senders, lowest
}

// latestRounds returns by validator index the highest round each validator has sent a ROUND-CHANGE to, of those that are not
// below the current round; 0 for none.
func (c *Core) latestRounds() []uint64 {
	latest := make([]uint64, c.set().Len())
	for round, set := range c.changes {
		for i, ch := range set.bySender {
			if ch != nil {
				latest[i] = max(latest[i], round)
			}
		}
	}
	return latest
}

// expectsRoundChange reports whether a ROUND-CHANGE of a validator is one to examine, going by its signed part.
//
// A validator may send a second one to the same round: one of the reference that is prepared in the round repeats its
// ROUND-CHANGE with the certificate (spec wbft 5.5). The one with the higher prepared round stands, whichever came first.
func (c *Core) expectsRoundChange(env *messages.Envelope, index int) bool {
	reason := ""
	if set := c.changes[env.View.Round]; set != nil && set.bySender[index] != nil {
		reason = c.compareRoundChange(set, env.Change, index)
	} else {
		reason = c.beyondWindow(env.View.Round, index)
	}
	if reason != "" {
		c.drop(reason)
	}
	return reason == ""
}

// onRoundChange handles a ROUND-CHANGE to the current round or a later one (spec wbft 5.7) that is expected.
func (c *Core) onRoundChange(m *messages.RoundChange, sender common.Address, index int) {
	round := m.Round
	if m.Prepared == nil && len(m.Prepares) > 0 {
		// Neither signed nor of use. A validator of the reference sends the PREPAREs on when it dropped the block (spec wbft 5.3),
		// but nobody has more of them than there are validators.
		if len(m.Prepares) > c.set().Len() {
			c.refuse(sender, "ROUND-CHANGE without a claim has PREPAREs")
			return
		}
		m.Prepares = nil
	}
	relay := Relay{Code: messages.CodeRoundChange, View: m.View(), Author: sender}
	var cert *certificate
	if m.Prepared != nil {
		var err error
		if cert, err = c.certificateOf(m); err != nil {
			// Block and certificate are not covered by the signature: whoever passed the message on may have spoilt it.
			c.refuse(sender, "ROUND-CHANGE with an invalid certificate: "+err.Error())
			return
		}
		m.PreparedBlock = cert.block // one copy of it
		relay.offered = m
	} else {
		relay.Payload = m.Encode() // the one form of it
	}
	c.supersede(round, index)
	c.storeRoundChange(&m.SignedRoundChange, cert, index)
	c.findForgotten(index)
	c.emit(relay)
	c.takeOwedLock(cert)
	c.joinOrPropose()
}

// compareRoundChange compares a ROUND-CHANGE with the one that is known of the same validator to the same round. It tells why the
// new one is not to be taken, or nothing if it is better supported.
func (c *Core) compareRoundChange(set *changeSet, m *messages.SignedRoundChange, index int) string {
	old := set.bySender[index].message
	if string(old.SigningPayload()) == string(m.SigningPayload()) {
		return "duplicate ROUND-CHANGE"
	}
	have, offered := preparedRound(old), preparedRound(m)
	switch {
	case offered > have:
		return ""
	case offered < have:
		return "a better supported ROUND-CHANGE of the sender is known"
	case set.accused[index]:
		return "another ROUND-CHANGE of one that sent two different ones"
	}
	set.accused[index] = true
	var claimed []common.Hash
	for _, claim := range []*messages.PreparedClaim{old.Prepared, m.Prepared} {
		if claim != nil {
			claimed = append(claimed, claim.Digest)
		}
	}
	c.contradiction(RoundChangeEquivocation, c.set().At(index).Address, old.EncodeWith(nil, nil), m.EncodeWith(nil, nil), claimed...)
	return "a ROUND-CHANGE with another claim is known of the sender"
}

// beyondWindow tells why a ROUND-CHANGE to a round far ahead is not to be taken: of each validator only the one to the highest
// round is kept there.
func (c *Core) beyondWindow(round uint64, index int) string {
	if round <= c.round+roundWindow {
		return ""
	}
	if c.set().JoinCount() == 1 {
		// No quorum of honest senders bounds the round here: one validator could send everybody to the last round.
		return "round too far ahead"
	}
	for r, set := range c.changes {
		if r > round && set.bySender[index] != nil {
			return "a ROUND-CHANGE of the sender to a higher round is known"
		}
	}
	return ""
}

// supersede forgets what a ROUND-CHANGE beyond the window replaces.
func (c *Core) supersede(round uint64, index int) {
	if round <= c.round+roundWindow {
		return
	}
	for r, set := range c.changes {
		if r <= c.round+roundWindow || r >= round || set.bySender[index] == nil {
			continue
		}
		set.bySender[index] = nil
		if set.count--; set.count == 0 {
			delete(c.changes, r)
		}
	}
}

// storeRoundChange keeps a ROUND-CHANGE. Certificates of one round and block are kept once.
func (c *Core) storeRoundChange(m *messages.SignedRoundChange, cert *certificate, index int) {
	set := c.changeSet(m.Round)
	if set.bySender[index] == nil {
		set.count++
	}
	if cert != nil {
		for _, ch := range set.bySender {
			if ch != nil && ch.cert != nil && ch.cert.round == cert.round && ch.cert.digest == cert.digest {
				cert = ch.cert
				break
			}
		}
	}
	set.bySender[index] = &change{message: m, cert: cert}
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
	c.keepPace()
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
	if c.round == 0 || !c.maySign() {
		return
	}
	if round, owed := c.owedLock(); owed {
		c.emit(Failed{Err: fmt.Errorf("sequence %d: this key has sent a COMMIT in round %d and the certificate for it is lost: "+
			"no ROUND-CHANGE is signed without it", c.sequence, round)})
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
	c.storeRoundChange(&m.SignedRoundChange, cert, c.index)
	c.keepPace()
	c.setTimer(RetryTimer, c.head.Params.RequestTimeout)
}

// owedLock tells whether this key has sent a COMMIT whose certificate is not known here, as after the loss of the log. What it
// says about being prepared must not be less than that.
func (c *Core) owedLock() (round uint64, owed bool) {
	for key := range c.signed.byView {
		if key.code == messages.CodeCommit && key.round >= round && (c.lock == nil || c.lock.round < key.round) {
			round, owed = key.round, true
		}
	}
	return round, owed
}

// takeOwedLock makes a verified certificate this node's lock if it is the one that is missing here.
func (c *Core) takeOwedLock(cert *certificate) {
	if cert == nil {
		return
	}
	if round, owed := c.owedLock(); !owed || cert.round < round || !c.setLock(cert) {
		return
	}
	if _, sent := c.signed.get(messages.CodeRoundChange, c.round); !sent && c.state == AcceptRequest {
		c.broadcastRoundChange()
	}
}

// repeatRoundChange sends a recorded ROUND-CHANGE to the current round again and counts it.
func (c *Core) repeatRoundChange(v Vote) {
	if len(v.Payload) == 0 {
		return // it could not be read
	}
	m, cert, err := c.decodeRoundChange(v.Payload)
	if err != nil {
		c.emit(Failed{Err: fmt.Errorf("recorded ROUND-CHANGE of sequence %d, round %d: %w", c.sequence, v.Round, err)})
		return
	}
	c.storeRoundChange(&m.SignedRoundChange, cert, c.index)
	c.keepPace()
	c.emit(Send{Code: messages.CodeRoundChange, Payload: v.Payload, Force: true})
	c.setTimer(RetryTimer, c.head.Params.RequestTimeout)
}

// decodeRoundChange decodes and checks an own ROUND-CHANGE.
func (c *Core) decodeRoundChange(payload []byte) (*messages.RoundChange, *certificate, error) {
	decoded, err := messages.Decode(messages.CodeRoundChange, payload)
	if err != nil {
		return nil, nil, err
	}
	m, ok := decoded.(*messages.RoundChange)
	if !ok {
		return nil, nil, fmt.Errorf("message of code %#x is no ROUND-CHANGE", decoded.Code())
	}
	cert, err := c.certificateOf(m)
	return m, cert, err
}

// onRoundTimeout gives the current round up (spec wbft 5.5).
func (c *Core) onRoundTimeout() {
	next := c.round + 1
	if c.pace == behind {
		next = c.roundToCatchUp()
	}
	if next > maxRound {
		c.emit(Failed{Err: fmt.Errorf("sequence %d is in its last possible round", c.sequence)})
		c.setTimer(RoundTimer, c.roundTimeout())
		return
	}
	c.changeRound(next)
	c.joinOrPropose()
}

// onRetryTimeout repeats the own ROUND-CHANGE, also to peers that were sent it: the first send may have failed
// (spec wbft 9.2 no. 4).
func (c *Core) onRetryTimeout() {
	v, ok := c.signed.get(messages.CodeRoundChange, c.round)
	if !ok || len(v.Payload) == 0 {
		return
	}
	c.emit(Send{Code: messages.CodeRoundChange, Payload: v.Payload, Force: true})
	c.restateToProposer()
	c.setTimer(RetryTimer, c.head.Params.RequestTimeout)
}

// certificateOf returns the certificate a ROUND-CHANGE carries, checked, or nil if its sender claims none.
func (c *Core) certificateOf(m *messages.RoundChange) (*certificate, error) {
	if m.Prepared == nil {
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
