// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"
)

// TestEvictsLowestPayment evicts the lowest payment, of equals the newest. An authorized sender pays its own tip, and a
// fee cap near the base fee pays less than the tip. spec: transactions 3.3
func TestEvictsLowestPayment(t *testing.T) {
	chain, pool := small(t, nil)
	chain.state.SetAuthorized(anzeonTestAddr(t, 5), true)
	chain.extend(pool)
	first, second := ordinary(t, 1, bid(0, 276, 100)), ordinary(t, 2, bid(0, 276, 100))
	low := ordinary(t, 3, bid(0, 276, 48))
	third := ordinary(t, 4, bid(0, 276, 100))
	mustAdd(t, pool, first, second, low, third)
	wantPooled(t, pool, map[*types.Transaction]bool{low: true})

	wantFull(t, submit(pool, ordinary(t, 5, bid(0, 276, 100))), "")
	better := ordinary(t, 5, bid(0, 400, 100))
	mustAdd(t, pool, better)
	wantPooled(t, pool, map[*types.Transaction]bool{first: true, second: true, low: true, third: false, better: true})

	// At a higher base fee the low cap leaves less than the governed tip.
	chain.head.BaseFee = big.NewInt(25e12)
	chain.head.GasUsed = chain.head.GasLimit / 10
	parent := chain.head
	chain.extend(pool)
	if chain.head.BaseFee.Cmp(parent.BaseFee) != 0 {
		t.Fatal("the base fee of the head is another one")
	}
	mustAdd(t, pool, third)
	wantPooled(t, pool, map[*types.Transaction]bool{first: true, second: true, low: false, third: true, better: true})
}

// TestLaterNonceIsWorthNoMore counts a transaction for no more than an earlier one of its sender.
// spec: transactions 3.3
func TestLaterNonceIsWorthNoMore(t *testing.T) {
	chain, pool := small(t, nil)
	chain.head.BaseFee, chain.head.GasUsed = big.NewInt(25e12), chain.head.GasLimit/10
	chain.state.SetAuthorized(anzeonTestAddr(t, 5), true)
	chain.extend(pool)
	cheap := ordinary(t, 5, bid(0, 276, 50)) // leaves 25
	mustAdd(t, pool, cheap)
	for key := byte(1); key <= 3; key++ {
		mustAdd(t, pool, ordinary(t, key, bid(0, 276, 100)))
	}
	wantFull(t, submit(pool, ordinary(t, 5, bid(1, 600, 200))), "")
	wantPooled(t, pool, map[*types.Transaction]bool{cheap: true})
}

// TestVictims returns the transactions that pay least, the last nonce of a sender first, and none of the sender that
// asks. It changes no order. spec: transactions 3.3
func TestVictims(t *testing.T) {
	chain, pool := small(t, func(c *Config) { c.GlobalSlots, c.AccountSlots = 16, 16 })
	for key := byte(1); key <= 6; key++ {
		chain.enrich(t, key)
		chain.state.SetAuthorized(anzeonTestAddr(t, key), true)
	}
	chain.extend(pool)
	tips := map[byte][]int64{1: {500, 400}, 2: {300, 350}, 3: {600}, 4: {280, 290, 450}, 5: {320, 310}}
	for key := byte(1); key <= 5; key++ {
		for n, tip := range tips[key] {
			mustAdd(t, pool, ordinary(t, key, bid(uint64(n), tip, 900)))
		}
	}
	entryOf := func(key byte, n uint64) *entry { return pool.tables.accounts[anzeonTestAddr(t, key)].get(n) }
	order := []*entry{
		entryOf(4, 2), entryOf(4, 1), entryOf(4, 0), entryOf(2, 1), entryOf(2, 0), entryOf(5, 1), entryOf(5, 0),
		entryOf(1, 1), entryOf(1, 0), entryOf(3, 0),
	}
	for _, tt := range []struct {
		name   string
		sender byte
		tip    int64
		slots  uint64
		want   []*entry
		enough bool
	}{
		{"one slot", 6, 700, 1, order[:1], true},
		{"all", 6, 700, 10, order, true},
		{"more than there are", 6, 700, 11, nil, false},
		{"none of equal worth", 6, 320, 7, nil, false},
		{"none of its own", 4, 700, 2, order[3:5], true},
		{"no slot", 6, 700, 0, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asks := &entry{from: anzeonTestAddr(t, tt.sender), worth: *uint256.NewInt(uint64(tt.tip) * 1e11)}
			pool.mu.Lock()
			have, enough := pool.tables.evictionOrder().victims(asks, tt.slots, 0)
			pool.mu.Unlock()
			if !slices.Equal(have, tt.want) || enough != tt.enough {
				t.Errorf("%d victims, enough: %v; want %d, %v", len(have), enough, len(tt.want), tt.enough)
			}
			checkPool(t, pool)
		})
	}
}
