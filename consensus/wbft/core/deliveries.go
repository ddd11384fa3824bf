// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import "github.com/ethereum/go-ethereum/common"

// What no signature covers, which is the certificate of a ROUND-CHANGE and the justification of a proposal, costs milliseconds to
// examine, can be spoilt by anybody on the way, and accuses nobody. So for each deliverer it is counted how often it was wrong in
// a sequence. What an author delivers itself and what it passes on are counted apart: a validator of the reference passes on
// what it has not examined in full, and must not lose its own voice by that.
const (
	// maxFailures is how often a deliverer may be wrong in a sequence. An honest author never is.
	maxFailures = 2
	// failureMemory is for how many sequences what an author has delivered wrong itself is remembered.
	failureMemory = 16
	// maxRelayedFailures is how often all deliverers together may have passed on something wrong. From then on such messages are
	// taken from their authors alone, to whom every validator is connected.
	maxRelayedFailures = 16
	// smallMessage is more than a message without block, certificate and justification has in bytes. Only larger ones are costly.
	smallMessage = 512
)

// failures is how often an author has delivered something wrong itself, and when it last did.
type failures struct {
	count    int
	sequence uint64
}

// deliveries counts by deliverer what came to nothing.
type deliveries struct {
	own        map[common.Address]failures // validators alone; over sequences
	relayed    map[common.Address]int      // of this sequence
	allRelayed int
	repeated   map[common.Address]int // of this round: failed proposals by proposers that delivered them (refuseProposal)
	useless    map[common.Address]int // large messages of this round whose authors were not even recovered
	strangers  int                    // of these, those that nodes outside the set have delivered
}

func newDeliveries() deliveries {
	return deliveries{
		own: make(map[common.Address]failures), relayed: make(map[common.Address]int), repeated: make(map[common.Address]int),
		useless: make(map[common.Address]int),
	}
}

// next returns the counts with which a sequence begins.
func (d *deliveries) next(sequence uint64) deliveries {
	n := newDeliveries()
	for from, f := range d.own {
		if f.sequence+failureMemory > sequence {
			n.own[from] = f
		}
	}
	return n
}

// mayExamine tells whether an expensive part of a message is looked at, given its author and the deliverer of the event in
// progress.
func (c *Core) mayExamine(author common.Address) bool {
	from := c.deliverer
	if from == author {
		return c.deliveries.own[from].count < maxFailures
	}
	return c.deliveries.relayed[from] < maxFailures && c.deliveries.allRelayed < maxRelayedFailures
}

// mayDecode tells whether a message is worth being taken apart, given its deliverer and size. From one whose own messages fail only
// what cannot have an expensive part is.
func (c *Core) mayDecode(from common.Address, size int) bool {
	return size <= smallMessage || c.deliveries.own[from].count < maxFailures
}

// refuse drops a message of the given author for a part that its signature does not cover, and counts that against the deliverer.
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

// mayExamineProposal is mayExamine for a proposal of a proposer.
func (c *Core) mayExamineProposal(proposer common.Address, round uint64) bool {
	if c.deliverer == proposer && round > 0 {
		return c.deliveries.repeated[proposer] < maxFailures
	}
	return c.mayExamine(proposer)
}

// refuseProposal is refuse for what a proposer of a later round repeats: ROUND-CHANGEs, and the block and PREPAREs that
// one of them brought. A proposer of the other client has not examined them in full (spec wbft 5.7, 5.9), so it does
// not lose its voice beyond the round.
func (c *Core) refuseProposal(author common.Address, round uint64, reason string) {
	if c.deliverer != author || round == 0 {
		c.refuse(author, reason)
		return
	}
	c.deliveries.repeated[author]++
	c.emit(BadDelivery{From: c.deliverer, Reason: reason})
	c.dropFor(CauseRefused, reason)
}

// disprove is refuse for the block of a proposal, which the author has signed: if it delivers that itself, the
// connection ends. One that passes it on may not have examined it; nor has a proposer that proposes again what a
// ROUND-CHANGE brought as prepared.
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
