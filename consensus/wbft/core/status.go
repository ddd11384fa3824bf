// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import "github.com/ethereum/go-ethereum/common"

// Status is a snapshot of the core for RPC and metrics.
type Status struct {
	Sequence     uint64         `json:"sequence"`
	Round        uint64         `json:"round"`
	State        State          `json:"state"`
	Validator    bool           `json:"validator"` // this node is in the current set
	Proposer     common.Address `json:"proposer"`  // of the current view
	Proposal     common.Hash    `json:"proposal"`  // accepted proposal of the current round, zero for none
	Quorum       int            `json:"quorum"`
	Prepares     int            `json:"prepares"`     // senders of PREPAREs for the proposal in the current round
	Commits      int            `json:"commits"`      // senders of COMMITs for the proposal in the current round
	RoundChanges int            `json:"roundChanges"` // senders of ROUND-CHANGEs to the current round
	HigherRounds int            `json:"higherRounds"` // distinct senders of ROUND-CHANGEs to higher rounds
	Locked       bool           `json:"locked"`
	LockedRound  uint64         `json:"lockedRound"`
	LockedBlock  common.Hash    `json:"lockedBlock"`
	Backlog      int            `json:"backlog"` // number of early messages that are kept

	// Unresponsive lists the validators that this node has not heard while the network decided blocks.
	Unresponsive []common.Address `json:"silent"`
	// Disconnected lists the validators whose connection ended and that this node has not heard since.
	Disconnected []common.Address `json:"parted"`
	// Probation lists the validators whose proposals are executed only once others have prepared them.
	Probation []common.Address `json:"probation"`
	// Missing lists the other validators without a ROUND-CHANGE to this round or a later one. It is empty in round 0.
	Missing []common.Address `json:"missing"`
}

// Status returns the current snapshot. It is the zero Status before the first head.
func (c *Core) Status() Status {
	if c.head == nil {
		return Status{}
	}
	s := Status{
		Sequence:     c.sequence,
		Round:        c.round,
		State:        c.state,
		Validator:    c.isValidator(),
		Proposer:     c.proposer,
		Quorum:       c.set().Quorum(),
		Backlog:      c.backlog.len(),
		Unresponsive: membersIn(c.set(), c.presence.unresponsive),
		Disconnected: membersIn(c.set(), c.presence.disconnected),
		Probation:    c.onProbation(),
		Missing:      withoutRoundChange(c),
	}
	rs := c.rounds[c.round]
	if rs.block != nil {
		s.Proposal = rs.digest
		s.Prepares, s.Commits = rs.prepares.count(rs.digest), rs.commits.count(rs.digest)
	}
	if set := c.roundChanges[c.round]; set != nil {
		s.RoundChanges = set.count
	}
	s.HigherRounds, _ = c.higherRounds()
	if c.lock != nil {
		s.Locked, s.LockedRound, s.LockedBlock = true, c.lock.round, c.lock.digest
	}
	return s
}

func withoutRoundChange(c *Core) []common.Address {
	list := []common.Address{}
	if c.round == 0 {
		return list
	}
	for i, latest := range c.latestRounds() {
		if address := c.set().At(i).Address; latest == 0 && address != c.cfg.Address {
			list = append(list, address)
		}
	}
	return list
}
