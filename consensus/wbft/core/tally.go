// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
)

// vote is one validator's PREPARE or COMMIT.
type vote struct {
	index    int
	digest   common.Hash
	seal     []byte
	point    scheme.Signature // the decoded seal, once it was needed
	message  messages.Message
	payload  []byte
	arrived  time.Time
	verified bool // the seal is good: a PREPARE's by itself, a COMMIT's perhaps only in sum with others
	bad      bool // the seal does not verify; the sender has no further vote of this kind in this round
	relayed  bool // it was relayed, or is this node's own
	accused  bool // a contradiction or a bad seal was reported

	kept bool           // of a strict core: it is noted as one that waits for the proposal
	from common.Address // its deliverer, then
}

// tally holds the votes of one kind in one round, the first of each validator. Seals are verified together once a
// quorum is there (spec wbft 9.4 no. 1): PREPAREs each by itself, COMMITs in sum (docs/adr/0005-verified-is-used.md).
type tally struct {
	kind     byte    // extra.Prepare or extra.Commit
	bySender []*vote // by validator index
}

func newTally(kind byte, n int) tally { return tally{kind: kind, bySender: make([]*vote, n)} }

// count returns the number of votes for the digest whose seal is not known to be bad.
func (t *tally) count(digest common.Hash) int { return len(t.matching(digest)) }

// matching returns those votes by validator index.
func (t *tally) matching(digest common.Hash) []*vote {
	var votes []*vote
	for _, v := range t.bySender {
		if v != nil && !v.bad && v.digest == digest {
			votes = append(votes, v)
		}
	}
	return votes
}

// supports reports whether a validator has voted for the digest.
func (t *tally) supports(index int, digest common.Hash) bool {
	v := t.bySender[index]
	return v != nil && v.digest == digest
}

// verified returns the votes for the digest whose seals are known to be good, by validator index.
func (t *tally) verified(digest common.Hash) []*vote {
	return slices.DeleteFunc(t.matching(digest), func(v *vote) bool { return !v.verified })
}

// aggregate sums all verified seals over the digest.
func (t *tally) aggregate(set *validators.Set, digest common.Hash) (*types.WBFTSeal, error) {
	seals := make(map[int]scheme.Signature)
	for _, v := range t.verified(digest) {
		seals[v.index] = v.decoded()
	}
	return set.Aggregate(seals)
}

// decoded returns the seal as a point of the curve, nil if it is none.
func (v *vote) decoded() scheme.Signature {
	if v.point == nil {
		v.point, _ = scheme.ParseSignature(v.seal)
	}
	return v.point
}

// singles returns the seals of votes with the keys and the message that they are verified with.
func singles(set *validators.Set, votes []*vote, message [32]byte) scheme.Singles {
	lot := scheme.Singles{Message: message[:]}
	for _, v := range votes {
		lot.Keys, lot.Seals = append(lot.Keys, set.At(v.index).Key), append(lot.Seals, v.decoded())
	}
	return lot
}

// findBad returns the positions of the bad seals among votes over a message. COMMIT seals that are good in sum are
// good, because nothing but their sum is used.
func (t *tally) findBad(set *validators.Set, votes []*vote, message [32]byte) []int {
	lot := singles(set, votes, message)
	if t.kind != extra.Commit || len(votes) == 1 || !scheme.SumsValid(lot) {
		return scheme.FindBad(lot)
	}
	return nil
}

// judge marks votes as verified or bad. It returns the bad ones.
func judge(votes []*vote, positions []int) (bad []*vote) {
	for _, i := range positions {
		votes[i].bad = true
		bad = append(bad, votes[i])
	}
	for _, v := range votes {
		v.verified = !v.bad
	}
	return bad
}

// verify verifies seals over the digest until `want` of them are good. It returns the bad votes. Missing seals are
// verified together, and all others once one of them is bad. Seals of suspects come last, one by one.
func (t *tally) verify(
	set *validators.Set, message [32]byte, digest common.Hash, want int, isSuspect func(common.Address) bool,
) (bad []*vote) {
	var trusted, suspected []*vote
	good := 0
	for _, v := range t.matching(digest) {
		switch {
		case v.verified:
			good++
		case isSuspect(set.At(v.index).Address):
			suspected = append(suspected, v)
		default:
			trusted = append(trusted, v)
		}
	}
	check := func(votes []*vote) {
		found := t.findBad(set, votes, message)
		bad = append(bad, judge(votes, found)...)
		good += len(votes) - len(found)
	}
	for len(trusted) > 0 && good < want {
		n := min(want-good, len(trusted))
		if len(bad) > 0 {
			n = len(trusted)
		}
		check(trusted[:n])
		trusted = trusted[n:]
	}
	for i := 0; i < len(suspected) && good < want; i++ {
		check(suspected[i : i+1])
	}
	return bad
}

// compareVote compares a vote with the first one of its author in the view, which counts. A different one is evidence
// (spec wbft 9.1 no. 6).
func (c *Core) compareVote(old *vote, m messages.Message, payload []byte) *rejection {
	digest, seal, _ := messages.Ballot(m)
	if old.digest == digest && string(old.seal) == string(seal) {
		return reject(ordinary, "duplicate vote")
	}
	if old.accused || old.bad {
		return reject(ordinary, "vote of a validator whose fault in this round was reported")
	}
	old.accused = true
	kind := PrepareEquivocation
	if m.Code() == messages.CodeCommit {
		kind = CommitEquivocation
	}
	c.contradiction(kind, c.set().At(old.index).Address, old.payload, payload, old.digest, digest)
	return nil
}

// countVote keeps the first vote of a validator in a view.
func (c *Core) countVote(rs *roundState, t *tally, m messages.Message, payload []byte, index int) {
	digest, seal, _ := messages.Ballot(m)
	v := &vote{index: index, digest: digest, seal: seal, message: m, payload: payload, arrived: c.now}
	t.bySender[index] = v
	if c.relayVote(rs, v); c.cfg.Strict && !v.relayed && index != c.index {
		v.kept, v.from = true, c.delivery.from
		c.note(Note{Kind: NoteKept, View: m.View(), Code: m.Code(), Author: c.set().At(index).Address})
	}
}

// relayVote relays a vote for the round's accepted proposal, once.
func (c *Core) relayVote(rs *roundState, v *vote) {
	if v.relayed || v.bad || rs.block == nil || v.digest != rs.digest || !c.isValid(rs.digest) {
		return
	}
	v.relayed = true
	author := c.set().At(v.index).Address
	if v.kept {
		c.note(Note{
			Kind: NoteDue, View: v.message.View(), Code: v.message.Code(), Payload: v.payload, Author: author, Peer: v.from,
		})
	}
	c.relay(Relay{Code: v.message.Code(), Payload: v.payload, View: v.message.View(), Author: author})
}

// relayVotes relays the votes that came before the round's proposal was accepted.
func (c *Core) relayVotes(rs *roundState) {
	for _, t := range []*tally{&rs.prepares, &rs.commits} {
		for _, v := range t.matching(rs.digest) {
			c.relayVote(rs, v)
		}
	}
}

// reached reports whether the round's proposal has a quorum of good seals of a kind.
func (c *Core) reached(rs *roundState, t *tally) bool {
	quorum := c.set().Quorum()
	return rs.block != nil && t.count(rs.digest) >= quorum && c.verifySeals(rs, t, quorum) >= quorum
}

// verifySeals verifies seals over the round's proposal until `want` of them are good. It reports the bad ones, and
// returns the number of good ones.
func (c *Core) verifySeals(rs *roundState, t *tally, want int) int {
	if len(t.verified(rs.digest)) < want {
		message := extra.SealDigest(rs.block.Header(), uint32(rs.round), t.kind)
		for _, v := range t.verify(c.set(), message, rs.digest, want, c.certs.isSuspect) {
			author := c.set().At(v.index).Address
			c.certs.suspect(author)
			c.accuse(InvalidSeal, author, v.payload)
		}
	}
	verified := t.verified(rs.digest)
	c.certs.remember(verified)
	return len(verified)
}
