// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import "github.com/ethereum/go-ethereum/common"

// outcome is what becomes of a message that has no effect.
type outcome uint8

// The outcomes. docs/consensus.md lists what each of them costs (Cost of messages).
const (
	ordinary  outcome = iota // a copy, an own message, or one that the current state has no use for
	late                     // its view is over
	redundant                // its view has no use for another one
	decided                  // a ROUND-CHANGE with the block of a decided sequence
	early                    // its view is too far ahead, or the backlog has no room
	crowding                 // as early, delivered by an author that fills its part of the backlog
	malformed                // not a message of its kind
	misplaced                // its block is not for this sequence and head
	excessive                // above a bound of proposals or messages
	outsider                 // its author has no vote
	unproven                 // a part is wrong that is costly to examine and that its author has not signed
	carried                  // as unproven, in a part that the proposer of a later round carries over
	disproved                // a part is wrong that its author has signed
	barred                   // its deliverer has sent too many useless messages
	unopened                 // as barred, by its size alone
)

// cost is what an outcome is counted as, and what it costs the deliverer.
type cost struct {
	cause         Cause
	author, other account // charged to a deliverer that is the author, and to any other one
	disconnects   bool    // the connection to a deliverer that is the author ends
}

// cost returns what an outcome costs.
func (o outcome) cost() cost {
	return [...]cost{
		ordinary:  {},
		late:      {cause: CauseLate},
		redundant: {cause: CauseLate, author: useless, other: useless},
		decided:   {cause: CauseLate, author: useless, other: relayedFailures},
		early:     {cause: CauseEarly},
		crowding:  {cause: CauseEarly, author: useless, other: useless},
		malformed: {cause: CauseMalformed, author: useless, other: useless},
		misplaced: {cause: CauseBlock, author: useless, other: useless},
		excessive: {cause: CauseBound, author: useless, other: useless},
		outsider:  {cause: CauseAuthor, author: useless, other: useless},
		unproven:  {cause: CauseRefused, author: ownFailures, other: relayedFailures},
		carried:   {cause: CauseRefused, author: repeatedFailures, other: relayedFailures},
		disproved: {cause: CauseRefused, author: ownFailures, other: relayedFailures, disconnects: true},
		barred:    {cause: CauseDeliverer},
		unopened:  {cause: CauseDeliverer},
	}[o]
}

// rejection says why a message, or another event, has no effect. Checks return it, nil if the event goes on, and
// settle carries it out.
type rejection struct {
	outcome outcome
	author  common.Address // zero while the author is unknown
	reason  string
}

// reject returns the rejection of a message whose author does not matter.
func reject(o outcome, reason string) *rejection { return &rejection{outcome: o, reason: reason} }

// refuse returns the rejection of a message of a known author.
func refuse(o outcome, author common.Address, reason string) *rejection {
	return &rejection{outcome: o, author: author, reason: reason}
}

// justificationFault returns the outcome for a wrong justification of a proposal. A proposer of go-stablenet has not
// examined in full what it repeats: ROUND-CHANGEs, and the block and PREPAREs of one of them (spec wbft 5.7, 5.9).
func justificationFault(round uint64) outcome {
	if round > 0 {
		return carried
	}
	return unproven
}

// blockFault returns the outcome for the wrong block of a proposal, which its author has signed. A proposer that
// proposes a prepared block again may not have examined it.
func blockFault(round uint64, again bool) outcome {
	if again && round > 0 {
		return carried
	}
	return disproved
}

// settle ends an event that had no effect: the deliverer of a message is charged, the reason is reported, and a
// connection may end. A nil rejection needs nothing.
func (c *Core) settle(r *rejection) {
	if r == nil {
		return
	}
	cost, own := r.outcome.cost(), c.delivery.from == r.author
	if own {
		c.charge(cost.author, r.reason)
	} else {
		c.charge(cost.other, r.reason)
	}
	c.emit(Dropped{Reason: r.reason, Cause: cost.cause, Unopened: r.outcome == unopened, Relayer: c.relayer()})
	if own && cost.disconnects {
		c.emit(Disconnect{Peer: r.author, Reason: r.reason})
	}
}

// drop reports that a part of the step had no effect, where the step goes on.
func (c *Core) drop(reason string) { c.emit(Dropped{Reason: reason}) }
