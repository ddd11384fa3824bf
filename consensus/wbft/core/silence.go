// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"maps"
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

// partedShare is the part for which the proposal of a validator is waited for that was connected and is not any more. Others may still be connected with
// it and pass its proposal on, which takes longer. It doubles with each round, as a whole turn does: where connections keep breaking, messages
// arrive in time at last.
const partedShare = 4

// parting is the end of the connection to a validator.
type parting struct {
	since uint64 // the sequence in which it ended
	heard uint64 // the latest one of which a message of the validator has come since; 0 for none
}

// hear notes a sign of life of a validator of the current set: a message that it has signed for this sequence, the next one or the one before. If
// its turn was being cut short it gets all of it, unless the message says that it has left the round itself.
func (c *Core) hear(author common.Address, code uint64, view messages.View) {
	if _, member := c.heard[author]; !member {
		return
	}
	c.heard[author] = c.sequence
	c.noteReached(author, view.Sequence)
	c.noteSilence(author)
	if author == c.proposer && code != messages.CodeRoundChange && c.hasty && c.state == AcceptRequest {
		if _, absent := c.patience(); !absent {
			c.hasty = false
			c.setTimer(RoundTimer, c.fullTurn.Sub(c.now))
		}
	}
}

// noteReached notes that a validator has signed something of a sequence. If that is later than the one in which the connection ended, it lives: it is connected
// again, or reached through others. To be connected again is not enough: who has just started may not have the head yet.
func (c *Core) noteReached(validator common.Address, sequence uint64) {
	p, parted := c.parted[validator]
	if !parted {
		return
	}
	p.heard = max(p.heard, sequence)
	if c.parted[validator] = p; p.heard > p.since+1 {
		delete(c.parted, validator)
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
	number := head.Number.Uint64()
	c.noteSealers(set, number, number, x.PreparedSeal, x.CommittedSeal)
	if c.prior != nil && c.prior.digest == head.ParentHash {
		c.noteSealers(c.prior.set, number-1, number, x.PrevPreparedSeal, x.PrevCommittedSeal)
	}
}

// noteSealers notes who has sealed a block, which is known since a head.
func (c *Core) noteSealers(set *validators.Set, block, head uint64, seals ...*types.WBFTSeal) {
	for _, seal := range seals {
		for _, i := range sealersOf(seal, set) {
			if last, known := c.heard[set.At(i).Address]; known {
				c.heard[set.At(i).Address] = max(last, head)
				c.noteReached(set.At(i).Address, block)
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
	maps.DeleteFunc(c.parted, func(member common.Address, _ parting) bool { return !c.set().Contains(member) })
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

// listMembers returns the validators that are among these, in the order of the set.
func listMembers[V any](set *validators.Set, these map[common.Address]V) []common.Address {
	list := []common.Address{}
	for i := 0; i < set.Len() && len(list) < len(these); i++ {
		if _, among := these[set.At(i).Address]; among {
			list = append(list, set.At(i).Address)
		}
	}
	return list
}

// isSilent tells whether the network has decided blocks without a sign of life of another validator.
func (c *Core) isSilent(validator common.Address) bool {
	last, known := c.heard[validator]
	return known && validator != c.cfg.Address && c.sequence > last+max(silentAfter, uint64(c.set().Len()))
}

// onPeerLost notes that a connection has ended. Who dies in its turn, or just before it, is not waited for until the end of it.
func (c *Core) onPeerLost(address common.Address) {
	if _, member := c.heard[address]; !member || address == c.cfg.Address {
		return
	}
	c.parted[address] = parting{since: c.sequence}
	if !c.isValidator() || c.state != AcceptRequest || c.rounds[c.round].block != nil || c.timers[RoundTimer].id == 0 {
		return
	}
	if wait, absent := c.patience(); address == c.proposer && !c.hasty && absent && wait < c.timers[RoundTimer].deadline.Sub(c.now) {
		c.fullTurn, c.hasty = c.timers[RoundTimer].deadline, true
		c.setTimer(RoundTimer, wait)
	}
	if _, expected := c.expectsTurn(); expected && c.hasty && !c.asked {
		c.askForCandidate() // those before this node may have been lost one after the other
	}
}

// patience is how long a proposal of the current round's proposer is waited for from now on if that validator is absent: silent, or not connected any
// more and not heard in this sequence.
func (c *Core) patience() (wait time.Duration, absent bool) {
	period := c.head.Params.BlockPeriod
	switch {
	case period <= 0:
		return 0, false
	case c.isSilent(c.proposer):
		wait = period / graceShare
	case c.hasParted(c.proposer):
		wait = RoundTimeout(period/partedShare, 0, c.round)
	default:
		return 0, false
	}
	if c.round == 0 {
		due := time.Unix(int64(c.head.Header.Time), 0).Add(period)
		wait += max(due.Sub(c.now), 0)
	}
	return wait, true
}

// hasParted tells whether the connection to a validator has ended and nobody has passed on a message from it in this sequence since.
func (c *Core) hasParted(validator common.Address) bool {
	p, parted := c.parted[validator]
	return parted && p.heard < c.sequence
}

// turn is how long the proposer of the current round is waited for from now on: as long as the protocol says (spec wbft 5.5), or, while
// it is absent, a part of the period from when its block is due. A validator that is down for an hour costs the network every one of its
// turns; others may go on without it as soon as a quorum agrees, and validators of the reference join F+1 of them.
//
// Nothing but the duration of a turn hangs on this, and only that of a validator that has let so many blocks pass, or that nobody hears who has lost
// its connection. If nodes differ in whom
// they have heard, those that go on are joined when they are F+1, and otherwise stay in the next round, as anybody whose timer ends early,
// while the rest is a quorum with at most as many faulty ones as before less one: the silent one.
func (c *Core) turn() time.Duration {
	full := c.roundTimeout()
	wait, absent := c.patience()
	c.fullTurn, c.hasty = c.now.Add(full), absent && wait < full
	if !c.hasty {
		return full
	}
	return wait
}

// expectsTurn tells whether this node is to have a candidate: it is the proposer of the current round, or of the first one after it whose
// proposer is not absent.
func (c *Core) expectsTurn() (round uint64, expected bool) {
	if !c.isValidator() || !c.maySign() {
		return 0, false
	}
	for round := c.round; round < c.round+uint64(c.set().Len()); round++ {
		proposer := c.proposerOf(round)
		if proposer == c.cfg.Address {
			return round, true
		}
		if c.head.Params.BlockPeriod <= 0 || !c.isSilent(proposer) && !c.hasParted(proposer) {
			break
		}
	}
	return 0, false
}
