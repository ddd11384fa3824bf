// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// placeSize is the size of a reserved slot in bytes: the bytes that the pool holds for each of its slots.
const placeSize = 1024

// places returns the number of reserved slots that a transaction needs: one for each started KiB.
func (e *entry) places() uint64 { return (e.size + placeSize - 1) / placeSize }

// surePlaces returns the reserved slots of a sender with a nonce at the head. Coins can move away, so a sender starts
// with few, and each transaction in a block adds two. After a drain only later transactions count.
func (p *policy) surePlaces(t *tables, from common.Address, nonce uint64) uint64 {
	initial, most := p.config.initialPlaces(), p.config.perAccount()
	if known, _ := t.records.Peek(from); known.drained {
		initial, nonce = p.config.AccountSlots, known.paid
	}
	return min(most, initial+2*min(nonce, most))
}

// rank sets the place of e and returns its worth at the head, in wei per gas. It is at most the worth of the
// transaction before it (nil for none), and 0 beyond the reserved slots. The first transaction always has one.
func (p *policy) rank(e, before *entry, sure uint64, authorized bool) (worth uint256.Int) {
	if before == nil {
		e.place = min(e.places(), sure)
		return p.payment(e, authorized)
	}
	if e.place = before.place + e.places(); e.place > sure {
		return worth
	}
	if worth = p.payment(e, authorized); before.worth.Lt(&worth) {
		worth = before.worth
	}
	return worth
}
