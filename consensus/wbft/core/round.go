// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"maps"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
)

// State is the progress of the current round (spec wbft 5.1).
type State uint8

// The states of a round, in their order.
const (
	AcceptRequest State = iota // waits for a proposal or for its execution
	PrePrepared                // has accepted a proposal and sent PREPARE
	Prepared                   // has seen a quorum of PREPAREs and sent COMMIT
	Committed                  // has seen a quorum of COMMITs and waits for the head
)

// String returns the state's name.
func (s State) String() string {
	switch s {
	case AcceptRequest:
		return "accept request"
	case PrePrepared:
		return "preprepared"
	case Prepared:
		return "prepared"
	case Committed:
		return "committed"
	}
	return "unknown"
}

// roundState is what is known about one round of the current sequence.
type roundState struct {
	round uint64

	// The proposal. The first admissible PRE-PREPARE binds it; it is accepted once it was executed.
	block      *types.Block
	digest     common.Hash // block hash
	prePrepare []byte      // payload, to relay or as evidence; nil if the block came from the vote log
	author     common.Address
	bound      time.Time     // when it arrived
	relay      bool          // it is of another validator and is relayed once it is accepted
	justified  bool          // a quorum of PREPAREs of an earlier round came with it
	fresh      bool          // it was not wanted yet
	timed      bool          // the round timer was restarted for it
	deadline   time.Time     // deadline of the round without that restart
	rejected   []common.Hash // invalid proposals of this round
	accused    bool          // the proposer's equivocation was reported

	prepares, commits tally
	proposed          bool // own PRE-PREPARE sent (spec wbft 5.1, preprepareSent)
	committed         bool // Commit was emitted
}

// votes returns the tally for a message code, PREPARE or COMMIT.
func (rs *roundState) votes(code uint64) *tally {
	if code == messages.CodeCommit {
		return &rs.commits
	}
	return &rs.prepares
}

// voted reports whether a validator has sent a PREPARE or COMMIT for the digest in this round.
func (rs *roundState) voted(index int, digest common.Hash) bool {
	return rs.prepares.supports(index, digest) || rs.commits.supports(index, digest)
}

// verdict is the result of the execution of a proposal; zero if it was not executed, or if that was canceled.
type verdict uint8

const (
	executing verdict = iota + 1 // the driver was asked
	valid                        // the block keeps every rule
	invalid                      // it does not
	postponed                    // there is no verdict yet; the driver is asked again later
)

// isValid reports whether a block of this sequence was executed and keeps every rule.
func (c *Core) isValid(digest common.Hash) bool { return c.verdicts[digest] == valid }

// advance takes a round as far as its votes allow.
func (c *Core) advance(rs *roundState) {
	if rs.round == c.round {
		c.prepare(rs)
	}
	c.commit(rs)
}

// onNewHead begins the sequence after the head, if it is a new one (spec wbft 5.3).
func (c *Core) onNewHead(head Head) *rejection {
	number := head.Header.Number.Uint64()
	if c.head != nil {
		switch {
		case number+1 < c.sequence:
			return reject(ordinary, "head is behind the current sequence")
		case number+1 == c.sequence && head.Header.Hash() == c.head.Header.Hash():
			c.repeatRequests()
			return nil
		}
	}
	if c.resumed {
		c.resumed = false // the state of the recording was taken here
	} else {
		c.closeSequence(head.Header)
		if c.marking && c.head != nil && number+1 > c.sequence {
			c.marked, c.marking = c.startState(), false
		}
	}
	c.head = &head
	c.sequence = number + 1
	c.index = -1
	if i, ok := head.Set.Index(c.cfg.Address); ok {
		c.index = i
	}
	c.rounds = make(map[uint64]*roundState)
	c.cancelUnwanted() // all of them, since there is no round
	c.roundChanges = make(map[uint64]*roundChangeSet)
	c.verdicts = make(map[common.Hash]verdict)
	c.reportedForgotten = make(map[int]bool)
	c.candidate, c.lock = ownCandidate{}, nil
	c.deliveries = c.deliveries.next(c.sequence)
	c.certs = c.certs.next(head.Header, head.Set)
	c.backlog.retain(c.sequence, head.Set.Contains)
	c.openVotes()
	c.beginPresence()
	c.startRound(c.signer.HighestRound())
	c.continueRound()
	return nil
}

// closeSequence takes what the new head shows about the sequence that it decides, before the next one begins.
func (c *Core) closeSequence(header *types.Header) {
	set := c.priorSet(header)
	x, err := header.WBFTExtra()
	if err != nil {
		x = nil // the extra data has another form and shows nothing
	}
	c.noteSealers(header, set, x)
	if c.head != nil && set != nil {
		c.findGaps(header, x)
	}
	c.keepPrior(header, set, x)
}

// repeatRequests repeats the requests of the current view to the driver. The driver reports a known head after a
// pause in which it may have lost timers, verdicts and candidates.
func (c *Core) repeatRequests() {
	c.drop("head is known")
	if !c.isValidator() {
		return
	}
	rs := c.rounds[c.round]
	if c.state == AcceptRequest && rs.block == nil {
		c.requestCandidate()
	}
	for kind := range c.timing.timers {
		if t := c.timing.timers[kind]; t.id != 0 {
			c.setTimer(TimerKind(kind), t.deadline.Sub(c.now))
		}
	}
	if rs.block != nil && !c.isValid(rs.digest) && c.timing.timers[ProposalTimer].id == 0 {
		delete(c.verdicts, rs.digest)
		c.examine(rs)
	}
}

// startRound enters a round of the current sequence (spec wbft 5.3).
func (c *Core) startRound(round uint64) {
	c.assert(c.rounds[c.round] == nil || round > c.round, "a round is above those before it in the sequence")
	c.round = round
	c.deliveries.beginRound()
	c.restated = make(map[int]restatement)
	c.proposer = c.proposerOf(round)
	c.note(Note{Kind: NoteRound, Author: c.proposer})
	c.enter(AcceptRequest)
	for r := range c.rounds {
		// Rounds that were left lately may still be decided by their COMMITs.
		if r+roundWindow < round && (c.lock == nil || c.lock.round != r) {
			delete(c.rounds, r)
		}
	}
	maps.DeleteFunc(c.roundChanges, func(r uint64, _ *roundChangeSet) bool { return r < round })
	n := c.set().Len()
	c.rounds[round] = &roundState{
		round:    round,
		prepares: newTally(extra.Prepare, n),
		commits:  newTally(extra.Commit, n),
	}
	c.cancelUnwanted()
	if !c.isValidator() {
		// The round of a node outside the set has no timers: it follows the chain by its heads.
		c.stopTimers()
		return
	}
	if round == 0 || c.cfg.Strict || !c.hasCandidateComing() {
		c.requestCandidate()
	}
	c.startRoundTimer()
}

// sortedRounds returns the keys of a map by round in ascending order.
func sortedRounds[V any](m map[uint64]V) []uint64 {
	return slices.Sorted(maps.Keys(m))
}
