// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"slices"
	"testing"

	"github.com/holiman/uint256"

	"gwon/internal/expect"
)

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
			expect.That(t, slices.Equal(have, tt.want) && enough == tt.enough,
				"%d victims, enough: %v; want %d, %v", len(have), enough, len(tt.want), tt.enough)
			checkPool(t, pool)
		})
	}
}
