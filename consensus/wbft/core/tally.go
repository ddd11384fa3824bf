// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
)

// vote is one validator's PREPARE or COMMIT.
type vote struct {
	index    int
	digest   common.Hash
	seal     []byte
	message  messages.Message
	payload  []byte
	verified bool // the seal is covered by a verification that held
	bad      bool // the seal does not verify; the sender has no further vote of this kind in this round
	relayed  bool // passed on, or own
	accused  bool // a contradiction or a bad seal was reported
}

// tally holds the votes of one kind in one round, the first of each validator. Seals are verified together when a
// quorum is there, not one by one (spec wbft 9.4 no. 1).
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

// seals returns the verified seals over the digest by validator index.
func (t *tally) seals(digest common.Hash) map[int][]byte {
	seals := make(map[int][]byte)
	for _, v := range t.matching(digest) {
		if v.verified {
			seals[v.index] = v.seal
		}
	}
	return seals
}

// verify checks all unverified seals over the header together, marks them, and returns the votes whose seal is bad.
func (t *tally) verify(set *validators.Set, header *types.Header, digest common.Hash, round uint64) []*vote {
	var (
		pending []*vote
		keys    []*bls.PublicKey
		seals   [][]byte
	)
	for _, v := range t.matching(digest) {
		if !v.verified {
			pending = append(pending, v)
			keys = append(keys, set.At(v.index).Key)
			seals = append(seals, v.seal)
		}
	}
	if len(pending) == 0 {
		return nil
	}
	message := extra.SealDigest(header, uint32(round), t.kind)
	var bad []*vote
	for _, i := range bls.Invalid(keys, message[:], seals) {
		pending[i].bad = true
		bad = append(bad, pending[i])
	}
	for _, v := range pending {
		v.verified = !v.bad
	}
	return bad
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
		c.accuse(kind, c.set().At(index).Address, old.payload, payload)
		return false
	}
	v := &vote{index: index, digest: digest, seal: seal, message: m, payload: payload}
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
	c.emit(Relay{Code: v.message.Code(), Payload: v.payload})
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
	if rs.block == nil || t.count(rs.digest) < quorum {
		return false
	}
	for _, v := range t.verify(c.set(), rs.block.Header(), rs.digest, rs.round) {
		c.accuse(InvalidSeal, c.set().At(v.index).Address, v.payload)
	}
	return t.count(rs.digest) >= quorum
}
