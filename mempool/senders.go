// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// placeSize is the size in bytes of a sure place: what the pool holds for each of its slots.
const placeSize = 1024

// places returns how many sure places a transaction needs: one for each begun KiB.
func (e *entry) places() uint64 { return (e.size + placeSize - 1) / placeSize }

// surePlaces returns how many places an account that sends has for sure, given its nonce at the head. The balance
// bounds what an account sends, but its coins can move away: so it begins with few, and has two more for each
// transaction that a block has of it. The state counts these; after a drain only those since then count.
func (p *Pool) surePlaces(from common.Address, nonce uint64) uint64 {
	start, most := p.config.start(), p.config.perAccount()
	if known, _ := p.records.Peek(from); known.drained {
		start, nonce = p.config.AccountSlots, known.paid
	}
	return min(most, start+2*min(nonce, most))
}

// rank notes up to which place of its sender e reaches, and returns what e is worth at the head, in wei per gas: no
// more than the one that must come before it, nil for none, and nothing beyond the sure places. The first one has a
// sure place whatever its size.
func (p *Pool) rank(e, before *entry, sure uint64, authorized bool) (worth uint256.Int) {
	if before == nil {
		e.room = min(e.places(), sure)
		return p.worth(e, authorized)
	}
	if e.room = before.room + e.places(); e.room > sure {
		return worth
	}
	if worth = p.worth(e, authorized); before.floor.Lt(&worth) {
		worth = before.floor
	}
	return worth
}
