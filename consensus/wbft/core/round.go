// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
)

// roundState is what is known about one round of the current sequence.
type roundState struct {
	round uint64

	// The proposal: bound by the first admissible PRE-PREPARE, accepted once it was executed.
	block      *types.Block
	digest     common.Hash // block hash
	prePrepare []byte      // payload, to relay or as evidence; nil if the block came from the vote log
	signer     common.Address
	relay      bool          // somebody else's proposal, to be relayed when accepted
	timed      bool          // the round timer was restarted for it ...
	deadline   time.Time     // ... and would have ended then
	rejected   []common.Hash // proposals of this round that were invalid
	accused    bool          // the proposer's equivocation was reported

	prepares, commits tally
	proposed          bool // own PRE-PREPARE sent (spec wbft 5.1, preprepareSent)
	committed         bool // Commit handed out
}

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
	kind  byte    // extra.Prepare or extra.Commit
	votes []*vote // by validator index
}

func newTally(kind byte, n int) tally { return tally{kind: kind, votes: make([]*vote, n)} }

// count is the number of validators that voted for the digest with a seal not known to be bad.
func (t *tally) count(digest common.Hash) int { return len(t.matching(digest)) }

// matching returns the votes for the digest by validator index.
func (t *tally) matching(digest common.Hash) []*vote {
	var votes []*vote
	for _, v := range t.votes {
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

// count stores a vote and tells whether it is new and may matter. The first vote of a validator stands; a different
// one for the same view is evidence (spec wbft 9.1 no. 6).
func (c *Core) count(rs *roundState, t *tally, m messages.Message, payload []byte, index int) bool {
	digest, seal := ballotOf(m)
	if old := t.votes[index]; old != nil {
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
	t.votes[index] = v
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

// advance takes a round as far as its votes allow.
func (c *Core) advance(rs *roundState) {
	if rs.round == c.round {
		c.prepare(rs)
	}
	c.commit(rs)
}

// onNewHead begins the sequence after the head, if it is a new one (spec wbft 5.3).
func (c *Core) onNewHead(head Head) {
	number := head.Header.Number.Uint64()
	if c.head != nil {
		switch {
		case number+1 < c.sequence:
			c.drop("head is behind the current sequence")
			return
		case number+1 == c.sequence && head.Header.Hash() == c.head.Header.Hash():
			c.remind()
			return
		}
	}
	c.keepPrior(head.Header)
	c.head = &head
	c.sequence = number + 1
	c.index = -1
	if i, ok := head.Set.Index(c.cfg.Address); ok {
		c.index = i
	}
	c.rounds = make(map[uint64]*roundState)
	c.changes = make(map[uint64]*changeSet)
	c.executed = make(map[common.Hash]bool)
	c.executing = make(map[common.Hash]bool)
	c.candidate, c.lock = nil, nil
	c.backlog.retain(c.sequence, head.Set.Contains)
	c.recall()
	c.startRound(c.votes.highestRound())
	c.resume()
}

// remind asks again for what the shell was asked for in this view: it says that the head is a known one when it has been
// away, and may have lost timers, verdicts and candidates meanwhile.
func (c *Core) remind() {
	c.drop("head is known")
	if !c.isValidator() {
		return
	}
	rs := c.rounds[c.round]
	if c.state == AcceptRequest && rs.block == nil {
		c.emit(Build{Sequence: c.sequence, Round: c.round, Proposer: c.isProposer()})
	}
	for kind := range c.timers {
		if t := c.timers[kind]; t.id != 0 {
			c.setTimer(TimerKind(kind), t.deadline.Sub(c.now))
		}
	}
	if rs.block != nil && !c.executed[rs.digest] && c.timers[ProposalTimer].id == 0 {
		delete(c.executing, rs.digest)
		c.execute(rs.block, rs.digest)
	}
}

// startRound enters a round of the current sequence (spec wbft 5.3).
func (c *Core) startRound(round uint64) {
	c.round, c.state = round, AcceptRequest
	c.proposer = c.set().Proposer(c.head.Params.Policy, lastProposer(c.head.Header), round)
	for r := range c.rounds {
		// Rounds just left may still be decided by their COMMITs.
		if r+roundWindow < round && (c.lock == nil || c.lock.round != r) {
			delete(c.rounds, r)
		}
	}
	for r := range c.changes {
		if r < round {
			delete(c.changes, r)
		}
	}
	n := c.set().Len()
	c.rounds[round] = &roundState{
		round:    round,
		prepares: newTally(extra.Prepare, n),
		commits:  newTally(extra.Commit, n),
	}
	if !c.isValidator() {
		// Nothing here depends on a node outside the set: it follows the chain by its heads.
		c.timers = [timerKinds]timer{}
		return
	}
	c.emit(Build{Sequence: c.sequence, Round: round, Proposer: c.isProposer()})
	c.startRoundTimer()
}
