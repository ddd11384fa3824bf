// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
)

// silentAfter is for how many blocks on end at least, the network having decided them without it, a validator has not been heard when it counts as
// silent; in a larger set for as many as there are validators, for the seals of one that is connected with few are late, and in blocks only when one of
// those has proposed. Blocks are counted, not time: while nothing is decided validators of the reference do not repeat themselves either (spec wbft
// 9.2 no. 4).
const silentAfter = 5

// graceShare is the part of a block period for which the proposal of a silent validator is waited for. It may be back, and its first message
// the proposal; and others that are to propose in its place have built their blocks by then.
const graceShare = 8

// hear notes a sign of life of a validator of the current set: a message that it has signed for this sequence, the next one or the one before. If
// its turn was being cut short it gets all of it, unless the message says that it has left the round itself.
func (c *Core) hear(author common.Address, code uint64) {
	if _, member := c.heard[author]; !member {
		return
	}
	c.heard[author] = c.sequence
	c.noteSilence(author)
	if author == c.proposer && code != messages.CodeRoundChange && c.hasty && c.state == AcceptRequest {
		c.hasty = false
		c.setTimer(RoundTimer, c.fullTurn.Sub(c.now))
	}
}

// noteHeard notes, before the sequence after this head begins, who has sealed it and its parent. Who is connected with others only is
// not heard here, but its seals are in blocks. When the chain jumped, nobody knows who was there. Set and x are those of keepPrior, which comes
// after this.
func (c *Core) noteHeard(head *types.Header, set *validators.Set, x *types.WBFTExtra) {
	if set == nil || x == nil {
		c.heard, c.silent = nil, nil
		return
	}
	c.noteSealers(set, head.Number.Uint64(), x.PreparedSeal, x.CommittedSeal)
	if c.prior != nil && c.prior.digest == head.ParentHash {
		c.noteSealers(c.prior.set, head.Number.Uint64(), x.PrevPreparedSeal, x.PrevCommittedSeal)
	}
}

func (c *Core) noteSealers(set *validators.Set, sequence uint64, seals ...*types.WBFTSeal) {
	for _, seal := range seals {
		if seal == nil {
			continue
		}
		sealers, err := validators.DecodeSealers(seal.Sealers, set.Len())
		if err != nil {
			continue
		}
		for _, i := range sealers {
			if last, known := c.heard[set.At(i).Address]; known {
				c.heard[set.At(i).Address] = max(last, sequence)
			}
		}
	}
}

// noteMembers begins to listen to those that are new in the set, forgets those that have left it, and says who has become silent.
func (c *Core) noteMembers() {
	heard, silent := make(map[common.Address]uint64, c.set().Len()), make(map[common.Address]bool)
	for i := range c.set().Len() {
		member := c.set().At(i).Address
		last, known := c.heard[member]
		if !known {
			last = c.sequence
		}
		heard[member] = last
		if c.silent[member] {
			silent[member] = true
		}
	}
	c.heard, c.silent = heard, silent
	if !c.isValidator() {
		c.silent = make(map[common.Address]bool)
		return
	}
	for i := range c.set().Len() {
		c.noteSilence(c.set().At(i).Address)
	}
}

// noteSilence says it when a validator has become silent or is heard again.
func (c *Core) noteSilence(validator common.Address) {
	now := c.isSilent(validator)
	if now == c.silent[validator] {
		return
	}
	if now {
		c.silent[validator] = true
	} else {
		delete(c.silent, validator)
	}
	c.emit(Silence{Validator: validator, Since: c.heard[validator], Silent: now})
}

// listSilent returns the silent validators in the order of the set.
func (c *Core) listSilent() []common.Address {
	list := []common.Address{}
	for i := 0; i < c.set().Len() && len(list) < len(c.silent); i++ {
		if member := c.set().At(i).Address; c.silent[member] {
			list = append(list, member)
		}
	}
	return list
}

// isSilent tells whether the network has decided blocks without a sign of life of another validator.
func (c *Core) isSilent(validator common.Address) bool {
	last, known := c.heard[validator]
	return known && validator != c.cfg.Address && c.sequence > last+max(silentAfter, uint64(c.set().Len()))
}

// turn is how long the proposer of the current round is waited for from now on: as long as the protocol says (spec wbft 5.5), or, while
// it is silent, a part of the period from when its block is due. A validator that is down for an hour costs the network every one of its
// turns; others may go on without it as soon as a quorum agrees, and validators of the reference join F+1 of them.
//
// Nothing but the duration of a turn hangs on this, and only that of a validator that has let so many blocks pass. If nodes differ in whom
// they have heard, those that go on are joined when they are F+1, and otherwise stay in the next round, as anybody whose timer ends early,
// while the rest is a quorum with at most as many faulty ones as before less one: the silent one.
func (c *Core) turn() time.Duration {
	full := c.roundTimeout()
	c.fullTurn, c.hasty = c.now.Add(full), false
	period := c.head.Params.BlockPeriod
	if period <= 0 || !c.isSilent(c.proposer) {
		return full
	}
	wait := period / graceShare
	if c.round == 0 {
		due := time.Unix(int64(c.head.Header.Time), 0).Add(period)
		wait += max(due.Sub(c.now), 0)
	}
	c.hasty = wait < full
	return min(wait, full)
}

// expectsTurn tells whether this node is to have a candidate: it is the proposer of the current round, or of the first one after it whose
// proposer is not silent.
func (c *Core) expectsTurn() (round uint64, expected bool) {
	if !c.isValidator() || !c.maySign() {
		return 0, false
	}
	for round := c.round; round < c.round+uint64(c.set().Len()); round++ {
		proposer := c.proposerOf(round)
		if proposer == c.cfg.Address {
			return round, true
		}
		if c.head.Params.BlockPeriod <= 0 || !c.isSilent(proposer) {
			break
		}
	}
	return 0, false
}
