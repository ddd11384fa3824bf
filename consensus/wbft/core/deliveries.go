// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import "github.com/ethereum/go-ethereum/common"

// failures counts the failed messages that an author has delivered itself, with the sequence of the latest one.
type failures struct {
	count    int
	sequence uint64
}

// deliveries counts failed and useless messages by deliverer. Own and relayed ones are counted separately: a validator
// of go-stablenet relays messages that it has not examined in full, and must not lose its vote by that.
type deliveries struct {
	own        map[common.Address]failures // of validators, over sequences
	relayed    map[common.Address]int      // in this sequence
	allRelayed int
	repeated   map[common.Address]int // in this round, failed proposals that their proposers delivered
	useless    map[common.Address]int // in this round, large messages whose authors were not recovered
	strangers  int                    // those of them that nodes outside the set have delivered
}

func newDeliveries() deliveries {
	return deliveries{
		own:      make(map[common.Address]failures),
		relayed:  make(map[common.Address]int),
		repeated: make(map[common.Address]int),
		useless:  make(map[common.Address]int),
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

// mayExamine reports whether a costly part of a message by an author is examined, given the current deliverer.
func (c *Core) mayExamine(author common.Address) bool {
	from := c.deliverer
	if from == author {
		return c.deliveries.own[from].count < maxFailures
	}
	return c.deliveries.relayed[from] < maxFailures && c.deliveries.allRelayed < maxRelayedFailures
}

// mayDecode reports whether a message of a deliverer and size is decoded. A deliverer whose own messages fail may send
// only those without a costly part.
func (c *Core) mayDecode(from common.Address, size int) bool {
	return size <= smallMessage || c.deliveries.own[from].count < maxFailures
}

// refuse drops a message of an author for a part that its signature does not cover. The deliverer is charged.
func (c *Core) refuse(author common.Address, reason string) {
	if from := c.deliverer; from == author {
		c.deliveries.own[from] = failures{c.deliveries.own[from].count + 1, c.sequence}
	} else {
		c.deliveries.relayed[from]++
		c.deliveries.allRelayed++
	}
	c.emit(BadDelivery{From: c.deliverer, Reason: reason})
	c.dropFor(CauseRefused, reason)
}

// mayExamineProposal is mayExamine for the proposal of a round.
func (c *Core) mayExamineProposal(proposer common.Address, round uint64) bool {
	if c.deliverer == proposer && round > 0 {
		return c.deliveries.repeated[proposer] < maxFailures
	}
	return c.mayExamine(proposer)
}

// refuseProposal is refuse for the parts that a proposer of a later round repeats: ROUND-CHANGEs, and the block and
// PREPAREs of one of them. A proposer of go-stablenet has not examined them in full (spec wbft 5.7, 5.9), so it is
// charged for the round alone.
func (c *Core) refuseProposal(author common.Address, round uint64, reason string) {
	if c.deliverer != author || round == 0 {
		c.refuse(author, reason)
		return
	}
	c.deliveries.repeated[author]++
	c.emit(BadDelivery{From: c.deliverer, Reason: reason})
	c.dropFor(CauseRefused, reason)
}

// disprove is refuse for the block of a proposal, which the author has signed. If the author delivers it, the
// connection ends. A node that relays it may not have examined it, nor has one that proposes a prepared block again.
func (c *Core) disprove(author common.Address, round uint64, again bool, reason string) {
	if again && round > 0 {
		c.refuseProposal(author, round, reason)
		return
	}
	c.refuse(author, reason)
	if c.deliverer == author {
		c.emit(Disconnect{Peer: author, Reason: reason})
	}
}
