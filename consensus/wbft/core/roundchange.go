// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"fmt"
	"math"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
)

// maxRound is the highest round that seals can express (spec wbft 1.2).
const maxRound = math.MaxUint32

// roundChange is one validator's ROUND-CHANGE to a round.
type roundChange struct {
	message *messages.SignedRoundChange
	cert    *certificate // verified; nil if the sender claims none
}

// encode returns the payload of the whole message.
func (ch *roundChange) encode() []byte {
	if ch.cert == nil {
		return ch.message.EncodeWith(nil, nil)
	}
	return ch.message.EncodeWith(ch.cert.block, ch.cert.prepares)
}

// support orders ROUND-CHANGEs by the prepared round that they claim: 0 for none, otherwise that round plus one.
func support(m *messages.SignedRoundChange) uint64 {
	if m.Prepared == nil {
		return 0
	}
	return m.Prepared.Round + 1
}

// roundChangeSet holds the ROUND-CHANGEs to one round, the best supported one of each validator.
type roundChangeSet struct {
	bySender []*roundChange // by validator index
	accused  []bool         // of equivocation, by validator index
	count    int
}

// best returns the certificate of the highest prepared round, nil if no sender was prepared.
func (s *roundChangeSet) best() *certificate {
	var best *certificate
	for _, ch := range s.bySender {
		if ch != nil && ch.cert != nil && (best == nil || ch.cert.round > best.round) {
			best = ch.cert
		}
	}
	return best
}

// has reports whether a ROUND-CHANGE with the same signature and signed content is known.
func (s *roundChangeSet) has(m messages.Signed) bool {
	for _, ch := range s.bySender {
		if ch != nil && bytes.Equal(ch.message.Signature(), m.Signature()) {
			return bytes.Equal(ch.message.SigningPayload(), m.SigningPayload())
		}
	}
	return false
}

// signed returns the signed parts by validator index, without blocks and certificates.
func (s *roundChangeSet) signed() []*messages.SignedRoundChange {
	list := make([]*messages.SignedRoundChange, 0, s.count)
	for _, ch := range s.bySender {
		if ch != nil {
			list = append(list, ch.message)
		}
	}
	return list
}

// roundChangesTo returns the set for a target round. It makes a missing one.
func (c *Core) roundChangesTo(round uint64) *roundChangeSet {
	set := c.roundChanges[round]
	if set == nil {
		n := c.set().Len()
		set = &roundChangeSet{bySender: make([]*roundChange, n), accused: make([]bool, n)}
		c.roundChanges[round] = set
	}
	return set
}

// higherRounds returns the number of distinct senders of ROUND-CHANGEs to rounds above the current one, and the lowest
// such round (spec wbft 5.7).
func (c *Core) higherRounds() (senders int, lowest uint64) {
	lowest = math.MaxUint64
	for round, set := range c.roundChanges {
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

// latestRounds returns the highest round of each validator's ROUND-CHANGEs, by validator index, among those that are
// not below the current round; 0 for none.
func (c *Core) latestRounds() []uint64 {
	latest := make([]uint64, c.set().Len())
	for round, set := range c.roundChanges {
		for i, ch := range set.bySender {
			if ch != nil {
				latest[i] = max(latest[i], round)
			}
		}
	}
	return latest
}

// surplusRoundChange returns the reason not to examine a ROUND-CHANGE, by its signed part, or the empty string. A
// validator may send a second, better supported one to a round (docs/adr/0003-better-supported-round-change.md).
func (c *Core) surplusRoundChange(env *messages.Envelope, index int) string {
	if set := c.roundChanges[env.View.Round]; set != nil && set.bySender[index] != nil {
		return c.compareRoundChange(set, env.Change, index)
	}
	return c.beyondWindow(env.View.Round, index)
}

// onRoundChange handles an expected ROUND-CHANGE to the current round or a later one (spec wbft 5.7).
func (c *Core) onRoundChange(m *messages.RoundChange, sender common.Address, index int) *rejection {
	round := m.Round
	if m.Prepared == nil && len(m.Prepares) > 0 {
		// A validator of go-stablenet sends the PREPAREs on after it dropped the block (spec wbft 5.3). They are
		// neither signed nor of use, but no honest sender has more of them than there are validators.
		if len(m.Prepares) > c.set().Len() {
			return refuse(unproven, sender, "ROUND-CHANGE without a claim has PREPAREs")
		}
		m.Prepares = nil
	}
	relay := Relay{Code: messages.CodeRoundChange, View: m.View(), Author: sender}
	var cert *certificate
	if m.Prepared != nil {
		var err error
		if cert, err = c.certificateOf(m); err != nil {
			// The signature covers neither block nor certificate: the deliverer may have spoiled them.
			return refuse(unproven, sender, "ROUND-CHANGE with an invalid certificate: "+err.Error())
		}
		m.PreparedBlock = cert.block // one copy of it
		relay.offered = m
	} else {
		relay.Payload = m.Encode() // the canonical form
	}
	c.supersede(round, index)
	c.storeRoundChange(&m.SignedRoundChange, cert, index)
	c.findForgotten(index)
	relay.Relayer = c.relayer()
	if c.cfg.Strict {
		c.relayAtOnce(relay)
	} else {
		c.emit(relay)
	}
	c.takeOwedLock(cert)
	c.joinOrPropose()
	return nil
}

// compareRoundChange compares a ROUND-CHANGE with the known one of the same validator to the same round. It returns
// the reason to drop the new one, or the empty string if that is better supported.
func (c *Core) compareRoundChange(set *roundChangeSet, m *messages.SignedRoundChange, index int) string {
	old := set.bySender[index].message
	if string(old.SigningPayload()) == string(m.SigningPayload()) {
		return "duplicate ROUND-CHANGE"
	}
	have, offered := support(old), support(m)
	switch {
	case offered > have:
		return ""
	case offered < have:
		return "a better supported ROUND-CHANGE of the sender is known"
	case set.accused[index]:
		return "another ROUND-CHANGE of a sender whose equivocation was reported"
	}
	set.accused[index] = true
	var claimed []common.Hash
	for _, claim := range []*messages.PreparedClaim{old.Prepared, m.Prepared} {
		if claim != nil {
			claimed = append(claimed, claim.Digest)
		}
	}
	first, second := old.EncodeWith(nil, nil), m.EncodeWith(nil, nil)
	c.contradiction(RoundChangeEquivocation, c.set().At(index).Address, first, second, claimed...)
	return "a ROUND-CHANGE with another claim is known of the sender"
}

// beyondWindow returns the reason to drop a ROUND-CHANGE to a round far ahead, or the empty string. Of each validator
// only the one to the highest round is kept there.
func (c *Core) beyondWindow(round uint64, index int) string {
	if round <= c.round+roundWindow {
		return ""
	}
	if c.set().JoinCount() == 1 {
		// No honest sender bounds the round here: one validator could send all others to the last round.
		return "round too far ahead"
	}
	for r, set := range c.roundChanges {
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
	for r, set := range c.roundChanges {
		if r <= c.round+roundWindow || r >= round || set.bySender[index] == nil {
			continue
		}
		set.bySender[index] = nil
		if set.count--; set.count == 0 {
			delete(c.roundChanges, r)
		}
	}
}

// storeRoundChange keeps a ROUND-CHANGE. Certificates of one claim are kept once.
func (c *Core) storeRoundChange(m *messages.SignedRoundChange, cert *certificate, index int) {
	set := c.roundChangesTo(m.Round)
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
	set.bySender[index] = &roundChange{message: m, cert: cert}
}

// joinOrPropose joins the lowest later round when F+1 validators are in later rounds, so that one of them is honest.
// Then it proposes if this node's round has a quorum. A node that waits for the head of a decided block does neither.
func (c *Core) joinOrPropose() {
	if c.state == Committed || !c.isValidator() {
		return
	}
	for {
		senders, lowest := c.higherRounds()
		if senders < c.set().JoinCount() {
			break
		}
		c.note(Note{Kind: NoteJoin, Count: senders})
		c.changeRound(lowest)
	}
	c.noteQuorum()
	c.propose()
}

// changeRound enters a later round and sends the ROUND-CHANGE to it.
func (c *Core) changeRound(round uint64) {
	c.startRound(round)
	c.broadcastRoundChange()
}

// broadcastRoundChange sends this node's ROUND-CHANGE to the current round, with its lock if it has one, and starts
// the retry timer.
func (c *Core) broadcastRoundChange() {
	if v, ok := c.signer.Signed(messages.CodeRoundChange, c.round); ok {
		c.repeatRoundChange(v)
		return
	}
	if c.round == 0 || !c.signer.active() {
		return
	}
	if round, owed := c.owedLock(); owed {
		c.emit(Failed{Err: fmt.Errorf("no ROUND-CHANGE is signed in sequence %d: this key has sent a COMMIT in round %d, "+
			"and the certificate for it is lost", c.sequence, round)})
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
	if _, ok := c.issue(m, nil); !ok {
		return
	}
	c.storeRoundChange(&m.SignedRoundChange, cert, c.index)
	c.noteQuorum()
	c.setTimer(RetryTimer, c.head.Params.RequestTimeout)
}

// owedLock reports whether this key has sent a COMMIT whose certificate is unknown here, as after the loss of the vote
// log. A ROUND-CHANGE must not claim less than that.
func (c *Core) owedLock() (round uint64, owed bool) {
	commit, signed := c.signer.HighestCommit(math.MaxUint64)
	return commit.Round, signed && (c.lock == nil || c.lock.round < commit.Round)
}

// takeOwedLock makes a verified certificate this node's lock if it is the one that is missing.
func (c *Core) takeOwedLock(cert *certificate) {
	if cert == nil {
		return
	}
	if round, owed := c.owedLock(); !owed || cert.round < round || !c.setLock(cert) {
		return
	}
	if _, sent := c.signer.Signed(messages.CodeRoundChange, c.round); !sent && c.state == AcceptRequest {
		c.broadcastRoundChange()
	}
}

// repeatRoundChange sends a recorded ROUND-CHANGE to the current round again, and counts it.
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
	c.noteQuorum()
	c.emit(Send{Code: messages.CodeRoundChange, Payload: v.Payload, Force: true})
	c.setTimer(RetryTimer, c.head.Params.RequestTimeout)
}

// decodeRoundChange decodes and verifies an own ROUND-CHANGE.
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

// onRoundTimeout leaves the current round (spec wbft 5.5).
func (c *Core) onRoundTimeout() {
	next := c.round + 1
	if c.timing.quorum == quorumAhead {
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

// onRetryTimeout repeats the own ROUND-CHANGE, also to peers that have been sent it: the first copy may be lost (spec
// wbft 9.2 no. 4). One that could not be signed, because the key was away, is signed now.
func (c *Core) onRetryTimeout() {
	v, ok := c.signer.Signed(messages.CodeRoundChange, c.round)
	if !ok {
		c.broadcastRoundChange()
		return
	}
	if len(v.Payload) == 0 {
		return
	}
	c.emit(Send{Code: messages.CodeRoundChange, Payload: v.Payload, Force: true})
	c.restateToProposer()
	c.setTimer(RetryTimer, c.head.Params.RequestTimeout)
}

// certificateOf returns the verified certificate of a ROUND-CHANGE, nil if its sender claims none.
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
	if err := c.certs.check(cert, m.Round); err != nil {
		return nil, err
	}
	return cert, nil
}
