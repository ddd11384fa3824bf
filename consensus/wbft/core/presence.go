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

const (
	// unresponsiveAfter is the least number of decided blocks without a sign of life after which a validator is
	// unresponsive. Larger sets allow as many blocks as they have validators.
	unresponsiveAfter = 5

	// unresponsiveShare is the part of a block period for which the proposal of an unresponsive validator is awaited.
	unresponsiveShare = 8

	// disconnectedShare is the part for a disconnected validator, and for one on probation. It doubles with each
	// round: where connections keep breaking, messages arrive in time in the end. A relayed proposal takes longer than
	// a direct one.
	disconnectedShare = 4

	// probation is the number of sequences for which a validator is on probation.
	probation = 100
)

// disconnection is the end of the connection to a validator.
type disconnection struct {
	since uint64 // sequence in which the connection ended
	heard uint64 // latest sequence of which a message of the validator has come since, 0 for none
}

// presence knows which validators are unresponsive or disconnected (docs/adr/0042-shortened-timeouts.md), and which are
// on probation. A sign of life is a message that a validator has signed, or its seal in a block.
type presence struct {
	self     common.Address
	sequence uint64
	size     uint64 // of the validator set
	faulty   int    // validators of the set that may be faulty

	lastHeard    map[common.Address]uint64 // latest sequence with a sign of life, of every validator
	unresponsive map[common.Address]bool   // those that were reported as such; only true
	disconnected map[common.Address]disconnection
	refused      map[common.Address]uint64 // those whose proposal was refused by its execution, with the end of probation
}

func newPresence(self common.Address) presence {
	return presence{
		self: self, disconnected: make(map[common.Address]disconnection), refused: make(map[common.Address]uint64),
	}
}

// isMember reports whether a validator is in the current set.
func (p *presence) isMember(validator common.Address) bool {
	_, member := p.lastHeard[validator]
	return member
}

// isUnresponsive reports whether the network has decided blocks without a sign of life of another validator. Blocks
// are counted, not time: validators of go-stablenet repeat nothing while no block is decided (spec wbft 9.2 no. 4).
func (p *presence) isUnresponsive(validator common.Address) bool {
	last, member := p.lastHeard[validator]
	return member && validator != p.self && p.sequence > last+max(unresponsiveAfter, p.size)
}

// isDisconnected reports whether the connection to a validator has ended, and no message of it in this sequence has
// come through other nodes since.
func (p *presence) isDisconnected(validator common.Address) bool {
	d, ended := p.disconnected[validator]
	return ended && d.heard < p.sequence
}

// isOnProbation reports whether a proposal of a validator was refused by its execution lately. With more of them than
// can be faulty this node is more likely wrong than they, so none is on probation.
func (p *presence) isOnProbation(validator common.Address) bool {
	_, refused := p.refused[validator]
	return refused && len(p.refused) <= p.faulty
}

// isAbsent reports whether a proposer is given a shortened timeout.
func (p *presence) isAbsent(proposer common.Address) bool {
	return p.isUnresponsive(proposer) || p.isDisconnected(proposer) || p.isOnProbation(proposer)
}

// refuse puts a validator on probation, whose proposal was refused by its execution. It returns the first sequence
// after the probation.
func (p *presence) refuse(validator common.Address) (until uint64) {
	until = p.sequence + probation
	p.refused[validator] = until
	return until
}

// grace returns the time that an absent proposer of a round is given, where its block is due after untilDue. It is not
// shortened if the proposer is present, or if the chain has no block period.
func (p *presence) grace(
	proposer common.Address, round uint64, period, untilDue time.Duration,
) (wait time.Duration, shortened bool) {
	switch {
	case period <= 0:
		return 0, false
	case p.isUnresponsive(proposer):
		return period/unresponsiveShare + untilDue, true
	case p.isDisconnected(proposer), p.isOnProbation(proposer):
		return RoundTimeout(period/disconnectedShare, 0, round) + untilDue, true
	}
	return 0, false
}

// hear notes a sign of life of a validator of the current set, signed for a sequence.
func (p *presence) hear(validator common.Address, sequence uint64) {
	p.lastHeard[validator] = p.sequence
	p.reach(validator, sequence)
}

// sealed notes a seal of a validator over a block, which a head shows.
func (p *presence) sealed(validator common.Address, block, head uint64) {
	if last, member := p.lastHeard[validator]; member {
		p.lastHeard[validator] = max(last, head)
		p.reach(validator, block)
	}
}

// reach ends a disconnection when the validator has signed for a sequence after the next one. A new connection does
// not end it: a node that has just started may lack the head.
func (p *presence) reach(validator common.Address, sequence uint64) {
	d, ended := p.disconnected[validator]
	if !ended {
		return
	}
	d.heard = max(d.heard, sequence)
	p.disconnected[validator] = d
	if d.heard > d.since+1 {
		delete(p.disconnected, validator)
	}
}

// disconnect notes that the connection to a validator has ended.
func (p *presence) disconnect(validator common.Address) {
	p.disconnected[validator] = disconnection{since: p.sequence}
}

// forget discards what is known about signs of life, because the chain jumped over blocks.
func (p *presence) forget() { p.lastHeard, p.unresponsive = nil, nil }

// open begins a sequence. New validators are heard in it, and those that left the set are forgotten.
func (p *presence) open(sequence uint64, set *validators.Set) {
	heard, unresponsive := make(map[common.Address]uint64, set.Len()), make(map[common.Address]bool)
	for i := range set.Len() {
		member := set.At(i).Address
		last, known := p.lastHeard[member]
		if !known {
			last = sequence
		}
		heard[member] = last
		if p.unresponsive[member] {
			unresponsive[member] = true
		}
	}
	p.sequence, p.size, p.faulty = sequence, uint64(set.Len()), set.JoinCount()-1
	p.lastHeard, p.unresponsive = heard, unresponsive
	maps.DeleteFunc(p.disconnected, func(member common.Address, _ disconnection) bool { return !set.Contains(member) })
	maps.DeleteFunc(p.refused, func(member common.Address, until uint64) bool {
		return until <= sequence || !set.Contains(member)
	})
}

// update notes whether a validator is unresponsive. It reports whether that has changed.
func (p *presence) update(validator common.Address) (unresponsive, changed bool) {
	unresponsive = p.isUnresponsive(validator)
	if unresponsive == p.unresponsive[validator] {
		return unresponsive, false
	}
	if unresponsive {
		p.unresponsive[validator] = true
	} else {
		delete(p.unresponsive, validator)
	}
	return unresponsive, true
}

// membersIn returns the validators of a set that are keys of a map, in the order of the set.
func membersIn[V any](set *validators.Set, these map[common.Address]V) []common.Address {
	list := []common.Address{}
	for i := 0; i < set.Len() && len(list) < len(these); i++ {
		if _, among := these[set.At(i).Address]; among {
			list = append(list, set.At(i).Address)
		}
	}
	return list
}

// hear notes a message that a validator has signed for this sequence, the next one or the one before. A shortened
// timeout of its round becomes a whole one again, unless the message says that its author has left the round.
func (c *Core) hear(author common.Address, code uint64, view messages.View) {
	if !c.presence.isMember(author) {
		return
	}
	c.presence.hear(author, view.Sequence)
	c.reportPresence(author)
	leaves := code == messages.CodeRoundChange
	if author != c.proposer || leaves || !c.timing.shortened || c.state != AcceptRequest {
		return
	}
	if _, absent := c.grace(); !absent {
		c.timing.shortened = false
		c.setTimer(RoundTimer, c.timing.full.Sub(c.now))
	}
}

// noteSealers notes the seals that a head carries, over itself by a set and over its parent. A validator without a
// connection to this node is not heard here, but blocks have its seals. After a jump the sealers are unknown.
func (c *Core) noteSealers(head *types.Header, set *validators.Set, x *types.WBFTExtra) {
	if set == nil || x == nil {
		c.presence.forget()
		return
	}
	number := head.Number.Uint64()
	note := func(set *validators.Set, block uint64, seals ...*types.WBFTSeal) {
		for _, seal := range seals {
			for _, i := range sealersOf(seal, set) {
				c.presence.sealed(set.At(i).Address, block, number)
			}
		}
	}
	note(set, number, x.PreparedSeal, x.CommittedSeal)
	if c.prior != nil && c.prior.digest == head.ParentHash {
		note(c.prior.set, number-1, x.PrevPreparedSeal, x.PrevCommittedSeal)
	}
}

// beginPresence begins the sequence for presence, and reports the validators that have become unresponsive. A node
// outside the set reports none.
func (c *Core) beginPresence() {
	c.presence.open(c.sequence, c.set())
	if !c.isValidator() {
		c.presence.unresponsive = make(map[common.Address]bool)
		return
	}
	for i := range c.set().Len() {
		c.reportPresence(c.set().At(i).Address)
	}
}

// reportPresence emits the change when a validator has become unresponsive or is heard again.
func (c *Core) reportPresence(validator common.Address) {
	if unresponsive, changed := c.presence.update(validator); changed {
		c.emit(PresenceChange{
			Validator: validator, LastHeard: c.presence.lastHeard[validator], Unresponsive: unresponsive,
		})
	}
}

// onPeerLost notes that a connection has ended. A proposer that disconnects in its round, or just before it, gets a
// shortened timeout.
func (c *Core) onPeerLost(address common.Address) {
	if !c.presence.isMember(address) || address == c.cfg.Address {
		return
	}
	c.presence.disconnect(address)
	if !c.isValidator() || c.state != AcceptRequest || c.rounds[c.round].block != nil ||
		c.timing.timers[RoundTimer].id == 0 {
		return
	}
	if address == c.proposer {
		c.shorten()
	}
	if _, expected := c.nextProposal(); expected && c.timing.shortened && !c.candidate.requested {
		c.requestCandidate() // the proposers before this node may have disconnected one after the other
	}
}

// shorten gives an absent proposer of the current round its shortened timeout, if the round timer runs longer.
func (c *Core) shorten() {
	timer := c.timing.timers[RoundTimer]
	wait, absent := c.grace()
	if timer.id != 0 && !c.timing.shortened && absent && wait < timer.deadline.Sub(c.now) {
		c.timing.full, c.timing.shortened = timer.deadline, true
		c.setTimer(RoundTimer, wait)
	}
}

// grace returns the time that the proposer of the current round is given from now on, if it is absent.
func (c *Core) grace() (wait time.Duration, absent bool) {
	if c.cfg.Strict {
		return 0, false
	}
	untilDue := time.Duration(0)
	if c.round == 0 {
		due := time.Unix(int64(c.head.Header.Time), 0).Add(c.head.Params.BlockPeriod)
		untilDue = max(due.Sub(c.wall()), 0)
	}
	return c.presence.grace(c.proposer, c.round, c.head.Params.BlockPeriod, untilDue)
}

// onProbation returns the validators on probation, in the order of the set.
func (c *Core) onProbation() []common.Address {
	if len(c.presence.refused) > c.presence.faulty {
		return []common.Address{}
	}
	return membersIn(c.set(), c.presence.refused)
}
