// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/extra"
)

// roundState is what is known about one round of the current sequence.
type roundState struct {
	round uint64

	// The proposal: bound by the first admissible PRE-PREPARE, accepted once it was executed.
	block      *types.Block
	digest     common.Hash // block hash
	prePrepare []byte      // payload, to relay or as evidence; nil if the block came from the vote log
	signer     common.Address
	bound      time.Time     // when it came
	relay      bool          // somebody else's proposal, to be relayed when accepted
	timed      bool          // the round timer was restarted for it ...
	deadline   time.Time     // ... and would have ended then
	rejected   []common.Hash // proposals of this round that were invalid
	accused    bool          // the proposer's equivocation was reported

	prepares, commits tally
	proposed          bool // own PRE-PREPARE sent (spec wbft 5.1, preprepareSent)
	committed         bool // Commit handed out
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
			c.askAgain()
			return
		}
	}
	sealers := c.priorSet(head.Header)
	x, err := head.Header.WBFTExtra()
	if err != nil {
		x = nil // of another form: nothing can be had from it
	}
	c.noteHeard(head.Header, sealers, x)
	if c.head != nil && sealers != nil {
		c.noteGaps(head.Header, x)
	}
	c.keepPrior(head.Header, sealers, x)
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
	c.doubts = make(map[recordKey]common.Hash)
	c.forgetful = make(map[int]bool)
	c.candidate, c.lock, c.asked = nil, nil, false
	c.blocks, c.deliveries = blocks{}, c.deliveries.next(c.sequence)
	c.proven, c.certificates = make(map[provenKey]int), make(map[certKey]*certificate)
	c.forgetSuspects()
	c.backlog.retain(c.sequence, head.Set.Contains)
	c.openRecord()
	c.noteMembers()
	c.startRound(c.signed.highestRound())
	c.continueRound()
}

// askAgain asks again for what the shell was asked for in this view: it says that the head is a known one when it has been
// away, and may have lost timers, verdicts and candidates meanwhile.
func (c *Core) askAgain() {
	c.drop("head is known")
	if !c.isValidator() {
		return
	}
	rs := c.rounds[c.round]
	if c.state == AcceptRequest && rs.block == nil {
		c.askForCandidate()
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
	clear(c.deliveries.useless)
	clear(c.deliveries.repeated)
	c.deliveries.strangers = 0
	c.restated = make(map[int]restatement)
	c.proposer = c.proposerOf(round)
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
	if round == 0 || !c.isBuiltAhead() {
		c.askForCandidate()
	}
	c.startRoundTimer()
}

// isBuiltAhead tells whether the block for this node's turn was asked for in an earlier round, when those before it had not been given up yet, and
// is there; while its turn is still to come it may be under way.
func (c *Core) isBuiltAhead() bool {
	ahead, expected := c.expectsTurn()
	return expected && c.asked && ahead == c.ahead && (c.candidate != nil || ahead > c.round)
}

// askForCandidate asks for a block, or tells that none is wanted in this round.
func (c *Core) askForCandidate() {
	ahead, expected := c.expectsTurn()
	c.ahead, c.asked = ahead, expected
	c.emit(Build{Sequence: c.sequence, Round: c.round, Proposer: expected})
}
