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
	// maxRelayedFailures is how often all deliverers together may have passed on something wrong. From then on such messages are
	// taken from their authors alone, to whom every validator is connected.
	maxRelayedFailures = 16
	// smallMessage is more than a message without block, certificate and justification has in bytes.
	smallMessage = 512
)

// deliveries counts failures by deliverer in a sequence.
type deliveries struct {
	own, relayed map[common.Address]int
	allRelayed   int
}

func newDeliveries() deliveries {
	return deliveries{own: make(map[common.Address]int), relayed: make(map[common.Address]int)}
}

// mayExamine tells whether an expensive part of a message is looked at, given its author and the deliverer of the event in
// progress.
func (c *Core) mayExamine(author common.Address) bool {
	from := c.deliverer
	if from == author {
		return c.deliveries.own[from] < maxFailures
	}
	return c.deliveries.relayed[from] < maxFailures && c.deliveries.allRelayed < maxRelayedFailures
}

// mayDecode tells whether a message is worth being taken apart, given its deliverer and size. From one whose own messages fail only
// what cannot have an expensive part is.
func (c *Core) mayDecode(from common.Address, size int) bool {
	return size <= smallMessage || c.deliveries.own[from] < maxFailures
}

// refuse drops a message of the given author for a part that its signature does not cover, and counts that against the deliverer.
func (c *Core) refuse(author common.Address, reason string) {
	if from := c.deliverer; from == author {
		c.deliveries.own[from]++
	} else {
		c.deliveries.relayed[from]++
		c.deliveries.allRelayed++
	}
	c.emit(BadDelivery{From: c.deliverer, Reason: reason})
	c.drop(reason)
}
