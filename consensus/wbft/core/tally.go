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
	point    scheme.Signature // seal decoded, once it was needed
	message  messages.Message
	payload  []byte
	arrived  time.Time
	verified bool // the seal is covered by a verification that held: a PREPARE's by itself, a COMMIT's perhaps only in sum with others
	bad      bool // the seal does not verify; the sender has no further vote of this kind in this round
	relayed  bool // passed on, or own
	accused  bool // a contradiction or a bad seal was reported
}

// tally holds the votes of one kind in one round, the first of each validator. Seals are verified together when a
// quorum is there, not one by one (spec wbft 9.4 no. 1). PREPAREs are handed on one by one in certificates, so each seal has to be good.
// Of COMMITs nothing is used but the sum of all that were verified, so that has to be good: seals that are wrong one by one and right
// in sum are signed by those who agreed on them all the same.
type tally struct {
	kind     byte    // extra.Prepare or extra.Commit
	bySender []*vote // by validator index
}

func newTally(kind byte, n int) tally { return tally{kind: kind, bySender: make([]*vote, n)} }

// count is the number of validators that voted for the digest with a seal not known to be bad.
func (t *tally) count(digest common.Hash) int { return len(t.matching(digest)) }

// matching returns the votes for the digest by validator index.
func (t *tally) matching(digest common.Hash) []*vote {
	var votes []*vote
	for _, v := range t.bySender {
		if v != nil && !v.bad && v.digest == digest {
			votes = append(votes, v)
		}
	}
	return votes
}

// supports tells whether a validator has voted for the digest.
func (t *tally) supports(index int, digest common.Hash) bool {
	v := t.bySender[index]
	return v != nil && v.digest == digest
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

// verify checks seals over the header until `want` are verified, marks them, and returns the votes whose seal is bad. As many as are
// missing are checked together; if some of them are bad, all others are. The seals of suspects are left for last and checked
// one by one.
func (t *tally) verify(
	set *validators.Set, header *types.Header, digest common.Hash, round uint64, want int, suspect func(*vote) bool,
) []*vote {
	var trusted, suspected, bad []*vote
	verified := 0
	for _, v := range t.matching(digest) {
		switch {
		case v.verified:
			verified++
		case suspect(v):
			suspected = append(suspected, v)
		default:
			trusted = append(trusted, v)
		}
	}
	if len(trusted)+len(suspected) == 0 || verified >= want {
		return nil
	}
	message := extra.SealDigest(header, uint32(round), t.kind)
	check := func(votes []*vote) {
		lot := singles(set, votes, message)
		if t.kind != extra.Commit || len(votes) == 1 || !scheme.SumsValid(lot) {
			for _, i := range scheme.Invalid(lot.Keys, lot.Message, lot.Seals) {
				votes[i].bad = true
				bad = append(bad, votes[i])
			}
		}
		for _, v := range votes {
			if v.verified = !v.bad; v.verified {
				verified++
			}
		}
	}
	for len(trusted) > 0 && verified < want {
		n := min(want-verified, len(trusted))
		if len(bad) > 0 {
			n = len(trusted)
		}
		check(trusted[:n])
		trusted = trusted[n:]
	}
	for i := 0; i < len(suspected) && verified < want; i++ {
		check(suspected[i : i+1])
	}
	return bad
}

// singles returns the seals of votes with what they are verified with.
func singles(set *validators.Set, votes []*vote, message [32]byte) scheme.Singles {
	lot := scheme.Singles{Message: message[:]}
	for _, v := range votes {
		lot.Keys, lot.Seals = append(lot.Keys, set.At(v.index).Key), append(lot.Seals, v.decoded())
	}
	return lot
}

// verified returns the votes for the digest whose seals are known to be good, by validator index.
func (t *tally) verified(digest common.Hash) []*vote {
	return slices.DeleteFunc(t.matching(digest), func(v *vote) bool { return !v.verified })
}

// countVote stores a vote and tells whether it is new and may matter. The first vote of a validator stands; a different
// one for the same view is evidence (spec wbft 9.1 no. 6).
func (c *Core) countVote(rs *roundState, t *tally, m messages.Message, payload []byte, index int) bool {
	digest, seal := ballotOf(m)
	if old := t.bySender[index]; old != nil {
		if old.digest == digest && string(old.seal) == string(seal) {
			c.drop("duplicate vote")
			return false
		}
		if old.accused || old.bad {
			c.drop("vote of a validator that was caught in this round")
			return false
		}
		old.accused = true
		kind := PrepareEquivocation
		if t.kind == extra.Commit {
			kind = CommitEquivocation
		}
		c.contradiction(kind, c.set().At(index).Address, old.payload, payload, old.digest, digest)
		return false
	}
	v := &vote{index: index, digest: digest, seal: seal, message: m, payload: payload, arrived: c.now}
	t.bySender[index] = v
	c.relayVote(rs, v)
	return true
}

// relayVote passes on a vote for the round's accepted proposal, once.
func (c *Core) relayVote(rs *roundState, v *vote) {
	if v.relayed || v.bad || rs.block == nil || v.digest != rs.digest || !c.executed[rs.digest] {
		return
	}
	v.relayed = true
	c.passOn(Relay{Code: v.message.Code(), Payload: v.payload, View: v.message.View(), Author: c.set().At(v.index).Address})
}

// relayVotes passes on the votes that waited for the round's proposal to be accepted.
func (c *Core) relayVotes(rs *roundState) {
	for _, t := range []*tally{&rs.prepares, &rs.commits} {
		for _, v := range t.matching(rs.digest) {
			c.relayVote(rs, v)
		}
	}
}

// reached tells whether a quorum of valid seals stands behind the round's proposal. Bad seals found on the way are
// reported and do not count, so that they cannot hold up the others.
func (c *Core) reached(rs *roundState, t *tally) bool {
	quorum := c.set().Quorum()
	return rs.block != nil && t.count(rs.digest) >= quorum && c.verifySeals(rs, t, quorum) >= quorum
}

// verifySeals verifies seals over the round's proposal until `want` good ones are there. It reports the bad ones and returns the
// number of good ones.
func (c *Core) verifySeals(rs *roundState, t *tally, want int) int {
	for _, v := range t.verify(c.set(), rs.block.Header(), rs.digest, rs.round, want, c.isSuspect) {
		c.suspect(c.set().At(v.index).Address)
		c.accuse(InvalidSeal, c.set().At(v.index).Address, v.payload)
	}
	verified := t.verified(rs.digest)
	c.remember(verified)
	return len(verified)
}

// suspicion is for how many sequences a validator that sent a bad seal is remembered. Among many seals it takes tens of pairings
// to find the bad ones, and who has sent one is likely to send more.
const suspicion = 100

func (c *Core) suspect(validator common.Address) { c.suspects[validator] = c.sequence + suspicion }

// isSuspect tells whether the sender of a vote of this sequence has sent a bad seal lately.
func (c *Core) isSuspect(v *vote) bool { return c.suspected(c.set().At(v.index).Address) }

func (c *Core) suspected(validator common.Address) bool {
	_, suspected := c.suspects[validator]
	return suspected
}

// forgetSuspects gives those a new chance whose time is over.
func (c *Core) forgetSuspects() {
	for address, until := range c.suspects {
		if until <= c.sequence {
			delete(c.suspects, address)
		}
	}
}
