// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package x402

import (
	"maps"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// callSize is the size of a call of transferWithAuthorization, in bytes.
const callSize = 4 + 9*32

// underWay holds the payments whose transactions no block has decided about.
type underWay struct {
	mu  sync.Mutex
	all map[common.Address]map[paymentID]amountUntil
	// ends counts what has ended, by the last byte of the authorizer: a table of fixed size is enough to notice that
	// nothing has.
	ends [256]uint64
}

// amountUntil is a number of wei, and the time from which no block takes the authorization.
type amountUntil struct{ value, validBefore *uint256.Int }

func (id paymentID) from() common.Address { return common.Address(id[:common.AddressLength]) }

func valueOf(callData []byte) *uint256.Int {
	return new(uint256.Int).SetBytes(callData[4+2*32 : 4+3*32])
}

func validBeforeOf(callData []byte) *uint256.Int {
	return new(uint256.Int).SetBytes(callData[4+4*32 : 4+5*32])
}

func (u *underWay) begin(id paymentID, value, validBefore *uint256.Int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.add(id, amountUntil{value, validBefore})
}

func (u *underWay) add(id paymentID, a amountUntil) {
	if u.all[id.from()] == nil {
		u.all[id.from()] = make(map[paymentID]amountUntil)
	}
	u.all[id.from()][id] = a
}

// end removes a payment. It is called before its end can be seen in a record.
func (u *underWay) end(id paymentID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ends[id[common.AddressLength-1]]++
	u.remove(id)
}

func (u *underWay) remove(id paymentID) {
	delete(u.all[id.from()], id)
	if len(u.all[id.from()]) == 0 {
		delete(u.all, id.from())
	}
}

// of returns the payments of an account.
func (u *underWay) of(from common.Address) []paymentID {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Collect(maps.Keys(u.all[from]))
}

// ended returns a number that changes when a payment of an account ends.
func (u *underWay) ended(from common.Address) uint64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.ends[from[common.AddressLength-1]]
}

// admit begins a payment if the balance covers it and all others that are under way. current is false where one has
// ended since ended was read: the state may be older than that.
func (u *underWay) admit(p *Payment, s *Verified, ended uint64) (refusal *Refusal, current bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ends[p.From[common.AddressLength-1]] != ended {
		return nil, false
	}
	id := p.id()
	sum := p.Value.ToBig()
	for other, a := range u.all[p.From] {
		switch {
		case other == id:
		case !a.validBefore.GtUint64(s.Time):
			u.remove(other) // no block takes it any more
		default:
			sum.Add(sum, a.value.ToBig())
		}
	}
	if s.Balance.Cmp(sum) < 0 {
		return refuse(ReasonBalance, "%v has %v wei: this payment and others under way take %v wei", p.From, s.Balance,
			sum), true
	}
	u.add(id, amountUntil{p.Value, p.ValidBefore})
	return nil, true
}
