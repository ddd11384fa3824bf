// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"math"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// TestSenderEarnsSurePlaces gives a new sender 2 % of the pool, and two places more for each included transaction, up
// to a quarter. After a drain only later ones count. spec: transactions 3.3
func TestSenderEarnsSurePlaces(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	sender := anzeonTestAddr(t, 1)
	for _, tt := range []struct {
		name        string
		nonce, want uint64
	}{
		{"new", 0, 1024},
		{"some in blocks", 10, 1044},
		{"many in blocks", 5888, 12_800},
		{"more than that", 5889, 12_800},
		{"the highest nonce", math.MaxUint64, 12_800},
	} {
		t.Run(tt.name, func(t *testing.T) {
			expect.Equal(t, pool.policy.surePlaces(pool.tables, sender, tt.nonce), tt.want, "places for sure")
		})
	}
	mustAdd(t, pool, ordinary(t, 1, nil))
	chain.fund(t, 1, 1)
	chain.extend(pool)
	expect.Equal(t, pool.policy.surePlaces(pool.tables, sender, 10_000), 16, "places for sure after a drain")
	pool.tables.notePaid(sender, false)
	expect.Equal(t, pool.policy.surePlaces(pool.tables, sender, 10_001), 18, "places for sure after one paid since")
}

// TestEvictsBeyondSurePlaces evicts what rich senders have beyond their reserved slots for any other transaction, the
// last nonce first. Included transactions make more places sure. spec: transactions 3.3
func TestEvictsBeyondSurePlaces(t *testing.T) {
	chain, pool := small(t, func(c *Config) { c.GlobalSlots, c.AccountSlots, c.GlobalQueue = 16, 1, 16 })
	rich := make(map[byte][]*types.Transaction)
	for key := byte(1); key <= 4; key++ {
		chain.enrich(t, key)
	}
	chain.extend(pool)
	for key := byte(1); key <= 4; key++ {
		for n := range uint64(3) { // three quarters of the pool
			tx := ordinary(t, key, bid(n, 276, 100))
			mustAdd(t, pool, tx)
			rich[key] = append(rich[key], tx)
		}
	}
	wantFull(t, submit(pool, ordinary(t, 1, bid(3, 276, 100))),
		"3 transactions of this account wait; it has places for 1 KiB in a full pool until more are in a block")

	people := &crowd{t: t}
	for i := range 12 { // four free slots, and eight of rich senders without a reserved slot
		chain.state.SetBalance(people.address(i), uint256.NewInt(18e18), tracing.BalanceChangeUnspecified)
	}
	chain.extend(pool)
	own := func(i int) *types.Transaction {
		tx := must.Get(types.SignNewTx(people.key(i), types.NewAnzeonSigner(big.NewInt(8283)), &types.DynamicFeeTx{
			ChainID: big.NewInt(8283), Gas: 21_000, To: &common.Address{1},
			GasTipCap: big.NewInt(governedTip), GasFeeCap: big.NewInt(100e12)}))(t)
		return tx
	}
	for i := range 12 {
		mustAdd(t, pool, own(i))
		checkPool(t, pool)
		_, gapped := pool.Stats()
		must.Equal(t, gapped, 0, "transactions behind gaps")
	}
	for _, txs := range rich {
		wantPooled(t, pool, map[*types.Transaction]bool{txs[0]: true, txs[1]: false, txs[2]: false})
	}
	wantFull(t, submit(pool, ordinary(t, 9, bid(0, 276, 100))), "16 transactions wait for a block")

	// With its first one included, the next two have reserved slots, and stay.
	chain.mined(t, pool, 1, 1, rich[1][0])
	mustAdd(t, pool, rich[1][1])
	wantFull(t, submit(pool, ordinary(t, 9, bid(0, 276, 100))), "16 transactions wait for a block")
	wantPooled(t, pool, map[*types.Transaction]bool{rich[1][1]: true})
}

// TestSurePlacesCountBytes counts reserved slots by KiB. The first transaction has one whatever its size.
// spec: transactions 1.2, 3.3
func TestSurePlacesCountBytes(t *testing.T) {
	chain := newAnzeonTestChain(t)
	config := Defaults
	config.GlobalSlots, config.GlobalQueue, config.AccountSlots = 1000, 10, 1
	pool := chain.openWith(t, config)
	for key := byte(1); key <= 40; key++ {
		chain.enrich(t, key)
	}
	chain.extend(pool)
	large := func(key byte, n uint64) *types.Transaction {
		return ordinary(t, key, func(tx *types.DynamicFeeTx) {
			tx.Nonce, tx.Gas, tx.Data, tx.Value = n, 50_000_000, make([]byte, 200_000), new(big.Int)
		})
	}
	first := large(1, 0)
	mustAdd(t, pool, first)
	taken := uint64(1)
	for ; ; taken++ {
		if err := submit(pool, large(1, taken)); err != nil {
			wantFull(t, err, "it has places for 20 KiB in a full pool")
			break
		}
	}
	for key := byte(2); uint64(key) <= taken; key++ {
		err := submit(pool, large(key, 0))
		must.That(t, err == nil, "another sender's, %d of the rich one's: %v", taken, err)
		checkPool(t, pool)
	}
	wantPooled(t, pool, map[*types.Transaction]bool{first: true})
	expect.Says(t, submit(pool, large(40, 0)), "bytes of transactions wait", "one more than there is room for")
}
