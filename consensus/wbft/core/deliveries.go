// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
)

// delivery describes how the message that is being handled has come.
type delivery struct {
	from common.Address // deliverer, zero if unknown
	size int            // of the payload in bytes

	envelope *messages.Envelope // nil for a message that was not opened
}

// account is a count of the messages of a deliverer that had no effect.
type account uint8

const (
	free             account = iota // not counted
	useless                         // large messages, in this round
	ownFailures                     // failures of an author's own messages, over sequences
	relayedFailures                 // failures of relayed messages, in this sequence
	repeatedFailures                // failures of what a proposer repeats, in this round
)

// failures counts the failed messages that an author has delivered itself, with the sequence of the latest one.
type failures struct {
	count    int
	sequence uint64
}

// deliveries holds the accounts of deliverers. Own and relayed failures are counted separately: a validator of
// go-stablenet relays messages that it has not examined in full, and must not lose its vote by that
// (docs/adr/0006-unsigned-parts-accuse-nobody.md).
type deliveries struct {
	own       map[common.Address]failures
	relayed   map[common.Address]int // nodes outside the set share one, under the zero address
	repeated  map[common.Address]int
	useless   map[common.Address]int
	strangers int                                      // useless messages that nodes outside the set have delivered
	named     map[common.Address]map[[32]byte]struct{} // relayers, with the first halves of signatures
}

func newDeliveries() deliveries {
	return deliveries{
		own:      make(map[common.Address]failures),
		relayed:  make(map[common.Address]int),
		repeated: make(map[common.Address]int),
		useless:  make(map[common.Address]int),
		named:    make(map[common.Address]map[[32]byte]struct{}),
	}
}

// next returns the counts at the begin of a sequence.
func (d *deliveries) next(sequence uint64) deliveries {
	n := newDeliveries()
	for from, f := range d.own {
		if f.sequence+failureMemory > sequence {
			n.own[from] = f
		}
	}
	return n
}

// beginRound clears the counts of a round.
func (d *deliveries) beginRound() {
	clear(d.useless)
	clear(d.repeated)
	d.strangers = 0
}

// relayer returns the deliverer of the current message if another validator has signed it, or the zero address. It is
// named once for each signature. The author of a proposal is dear to recover, and is left out.
func (c *Core) relayer() common.Address {
	env, from := c.delivery.envelope, c.delivery.from
	if env == nil || env.Code == messages.CodePrePrepare || !c.set().Contains(from) {
		return common.Address{}
	}
	author, err := env.Signer()
	if err != nil || author == from || !c.set().Contains(author) {
		return common.Address{}
	}
	half, named := [32]byte(env.Signature()), c.deliveries.named[from]
	if _, again := named[half]; again {
		return common.Address{}
	}
	if named == nil || len(named) >= maxNamed/c.set().Len() {
		named = make(map[[32]byte]struct{}) // from a full one, too: what authors have signed must not mute a relayer
		c.deliveries.named[from] = named
	}
	named[half] = struct{}{}
	return from
}

// relayingAs returns the name under which failures of relays by the current deliverer are counted.
func (c *Core) relayingAs() common.Address {
	if c.set().Contains(c.delivery.from) {
		return c.delivery.from
	}
	return common.Address{}
}

// charge counts the current message in an account of its deliverer, and blames the deliverer.
func (c *Core) charge(to account, reason string) {
	from, d := c.delivery.from, &c.deliveries
	switch to {
	case free:
		return
	case useless:
		c.chargeUseless(reason)
		return
	case ownFailures:
		d.own[from] = failures{d.own[from].count + 1, c.sequence}
	case relayedFailures:
		d.relayed[c.relayingAs()]++
	case repeatedFailures:
		d.repeated[from]++
	}
	c.emit(BadDelivery{From: from, Reason: reason})
}

// chargeUseless counts the current message as useless if it is large. Only the last one that is examined is blamed. A
// node outside the set has no name, because identities cost nothing.
func (c *Core) chargeUseless(reason string) {
	from, d := c.delivery.from, &c.deliveries
	if c.delivery.size <= smallMessage {
		return
	}
	d.useless[from]++
	last := d.useless[from] == maxUseless
	if !c.set().Contains(from) {
		d.strangers++
		from = common.Address{}
	}
	if last {
		c.emit(BadDelivery{From: from, Reason: "no more large messages are examined in this round, the last one: " + reason})
	}
}

// mayDecode reports whether a message of a deliverer and size is decoded. A deliverer whose own messages fail may send
// only those without a costly part.
func (c *Core) mayDecode(from common.Address, size int) bool {
	return size <= smallMessage || c.deliveries.own[from].count < maxFailures
}

// mayScreen reports whether a message of a size by the current deliverer is examined.
func (c *Core) mayScreen(size int) bool {
	return size <= smallMessage || c.deliveries.useless[c.delivery.from] < c.uselessLimit()
}

// uselessLimit returns the number of useless large messages that the current deliverer may send in this round.
func (c *Core) uselessLimit() int {
	switch {
	case c.set().Contains(c.delivery.from) || c.deliveries.strangers < strangersUseless:
		return maxUseless
	case c.deliveries.strangers < maxStrangersUseless:
		return 1
	}
	return 0
}

// mayExamine reports whether a costly part of a message by an author is examined, given the current deliverer.
func (c *Core) mayExamine(author common.Address) bool {
	from := c.delivery.from
	if from == author {
		return c.deliveries.own[from].count < maxFailures
	}
	return c.deliveries.relayed[c.relayingAs()] < maxFailures
}

// mayExamineProposal is mayExamine for the proposal of a round.
func (c *Core) mayExamineProposal(proposer common.Address, round uint64) bool {
	if c.delivery.from == proposer && round > 0 {
		return c.deliveries.repeated[proposer] < maxFailures
	}
	return c.mayExamine(proposer)
}
