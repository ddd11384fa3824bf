// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"errors"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
	"pgregory.net/rapid"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// TestTipOrHeadChangesDuringRecovery judges a transaction by tip and head at its admission. spec: transactions 6 no. 27
func TestTipOrHeadChangesDuringRecovery(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*anzeonTestChain, *Pool)
		want   error
	}{
		{"nothing", func(*anzeonTestChain, *Pool) {}, nil},
		{"a higher tip", func(_ *anzeonTestChain, pool *Pool) {
			pool.SetGasTip(big.NewInt(2 * governedTip))
		}, txpool.ErrTxGasPriceTooLow},
		{"the highest tip", func(_ *anzeonTestChain, pool *Pool) {
			pool.SetGasTip(new(big.Int).Sub(new(big.Int).Lsh(common.Big1, 256), common.Big1))
		}, txpool.ErrTxGasPriceTooLow},
		{"smaller blocks", func(chain *anzeonTestChain, pool *Pool) {
			parent := chain.head
			chain.moveTo(types.CopyHeader(parent))
			chain.head.ParentHash, chain.head.GasLimit = parent.Hash(), params.TxGas-1
			chain.head.Number.Add(parent.Number, common.Big1)
			pool.Reset(parent, chain.head)
		}, txpool.ErrGasLimit},
	} {
		chain := newAnzeonTestChain(t)
		chain.enrich(t, 1)
		pool := chain.open(t)
		tx := ordinary(t, 1, bid(0, 276, 100))
		e, err := pool.examine(tx, true)
		must.Do(t, err)
		tt.change(chain, pool)
		pool.mu.Lock()
		err = pool.decide(e)
		pool.mu.Unlock()
		expect.That(t, errors.Is(err, tt.want) && pool.Has(tx.Hash()) == (tt.want == nil),
			"%s: error %v, want %v; pooled: %v", tt.name, err, tt.want, pool.Has(tx.Hash()))
	}
}

// TestFullPoolRefuses refuses equal payments without signature recovery. A fee cap that is not paid is worth nothing.
// spec: transactions 3.3, 4.1 row 10
func TestFullPoolRefuses(t *testing.T) {
	for _, local := range []bool{true, false} {
		_, pool := small(t, nil)
		kept := make(map[*types.Transaction]bool)
		for key := byte(1); key <= 4; key++ {
			tx := ordinary(t, key, bid(0, 276, 100))
			mustAdd(t, pool, tx)
			kept[tx] = true
		}
		offer := func(tx *types.Transaction) error {
			if local {
				return pool.Submit(tx)
			}
			return submit(pool, tx)
		}
		wantFull(
			t,
			offer(ordinary(t, 5, bid(0, 276, 100))),
			"4 transactions wait for a block; send it again in a few seconds",
		)
		wantFull(t, offer(ordinary(t, 5, bid(0, 276, 800))), "4 transactions wait")
		wantFull(t, offer(ordinary(t, 5, bid(0, 2000, 800))), "4 transactions wait") // above the tip that it pays
		wantFull(t, offer(forged()), "4 transactions wait")
		wantPooled(t, pool, kept)
		pending, queued := pool.Stats()
		expect.That(t, pending == 4 && queued == 0, "%d pending, %d queued", pending, queued)
	}
}

// TestLastQuarterIsForSmallSenders keeps the last quarter of the pool for senders with few transactions.
func TestLastQuarterIsForSmallSenders(t *testing.T) {
	chain, pool := small(t, func(c *Config) { c.GlobalSlots, c.AccountSlots = 8, 2 })
	_ = chain
	for key := byte(1); key <= 3; key++ { // a quarter of the pool each
		mustAdd(t, pool, ordinary(t, key, bid(0, 276, 100)), ordinary(t, key, bid(1, 276, 100)))
		wantFull(t, submit(pool, ordinary(t, key, bid(2, 276, 100))), "it may have 2")
	}
	config := pool.policy.config
	config.GlobalSlots, config.AccountSlots = 16, 1
	for key := byte(1); key <= 4; key++ { // with reserved slots for all transactions
		chain.state.SetNonce(anzeonTestAddr(t, key), 8, tracing.NonceChangeUnspecified)
	}
	pool = chain.openWith(t, config)
	for key := byte(1); key <= 4; key++ {
		for n := range uint64(3) {
			mustAdd(t, pool, ordinary(t, key, bid(8+n, 276, 100)))
		}
	}
	wantFull(t, submit(pool, ordinary(t, 1, bid(11, 276, 100))), "the last places are for accounts with fewer than 1")
	mustAdd(t, pool, ordinary(t, 5, bid(0, 276, 100)))
	checkPool(t, pool)
}

// TestQueuedSubmissionsStay evicts the oldest queued transaction of peers, and no submission. The error names the
// missing nonce, whose arrival makes the queued ones executable. spec: transactions 4.5
func TestQueuedSubmissionsStay(t *testing.T) {
	_, pool := small(t, nil)
	promised := ordinary(t, 1, bid(3, 276, 100))
	must.Do(t, pool.Submit(promised))
	oldest, newer := ordinary(t, 2, bid(5, 276, 100)), ordinary(t, 3, bid(5, 276, 100))
	mustAdd(t, pool, oldest, newer)
	wantPooled(t, pool, map[*types.Transaction]bool{promised: true, oldest: false, newer: true})
	second := ordinary(t, 4, bid(7, 276, 100))
	must.Do(t, pool.Submit(second))
	wantPooled(t, pool, map[*types.Transaction]bool{promised: true, newer: false, second: true})
	wantFull(
		t,
		pool.Submit(ordinary(t, 5, bid(2, 276, 100))),
		"2 transactions wait behind gaps; send the one with nonce 0 first",
	)
	wantFull(t, submit(pool, ordinary(t, 5, bid(2, 276, 100))), "send the one with nonce 0 first")

	for n := range uint64(3) {
		expect.Equal(t, pool.Nonce(anzeonTestAddr(t, 1)), n, "the next nonce")
		mustAdd(t, pool, ordinary(t, 1, bid(n, 276, 100)))
	}
	if pending, queued := pool.Stats(); pending != 4 || queued != 1 || pool.Nonce(anzeonTestAddr(t, 1)) != 4 {
		t.Errorf("%d pending, %d queued, next nonce %d", pending, queued, pool.Nonce(anzeonTestAddr(t, 1)))
	}
	checkPool(t, pool)
}

// TestQueuedReserveNothing compares random pools with the same pools without what is behind gaps: an executable
// transaction that these take is taken by those. spec: transactions 6 no. 5
func TestQueuedReserveNothing(t *testing.T) {
	config := modelConfig
	config.GlobalSlots, config.GlobalQueue, config.AccountQueue = 1024, 1024, 64
	taken := 0
	rapid.Check(t, func(rt *rapid.T) {
		chain, m := newAnzeonTestChain(t), newModel()
		for account := range m.coins {
			coins := wei(rapid.Int64Range(40, 150).Draw(rt, "coins"))
			chain.state.SetBalance(anzeonTestAddr(t, account), coins, tracing.BalanceChangeUnspecified)
		}
		pool, bare := chain.openWith(rt, config), chain.openWith(rt, config)
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			drawn := m.draw(t, rt)
			tx := drawn.tx
			switch next := pool.Nonce(anzeonTestAddr(t, drawn.sender)); {
			case pool.Has(drawn.hash):
			case tx.Nonce() > next:
				_ = submit(pool, tx) // both answers are tested
			default:
				bare.Clear()
				ready, _ := pool.Content()
				for _, txs := range ready {
					mustAdd(t, bare, txs...)
				}
				have, want := submit(pool, tx), submit(bare, tx)
				if want == nil && have != nil {
					rt.Fatalf("%v is refused for what is behind a gap: %v", drawn, have)
				}
				if have == nil {
					taken++
				}
			}
			checkPool(rt, pool)
		}
	})
	expect.That(t, taken != 0, "no executable transaction was taken")
}

// TestBytesAreBounded refuses large transactions by their bytes, before the slots are used up.
func TestBytesAreBounded(t *testing.T) {
	chain := newAnzeonTestChain(t)
	config := Defaults
	config.GlobalSlots, config.GlobalQueue = 1000, 10
	pool := chain.openWith(t, config)
	taken, most := 0, config.maxBytes()
	for i := range byte(40) {
		chain.enrich(t, i+1)
	}
	chain.extend(pool)
	for i := range byte(40) {
		err := submit(pool, ordinary(t, i+1, func(tx *types.DynamicFeeTx) {
			tx.Gas, tx.Data, tx.Value = 50_000_000, make([]byte, 200_000), new(big.Int)
		}))
		if err == nil {
			taken++
			continue
		}
		wantFull(t, err, "bytes of transactions wait")
	}
	want := int(most / 200_143)
	expect.That(t, taken >= want-1 && taken <= want+1, "%d transactions of 200 kB in %d bytes", taken, most)
	checkPool(t, pool)
}

// TestDrainedSenderIsLimited bounds a sender whose coins moved away, until blocks include its transactions.
func TestDrainedSenderIsLimited(t *testing.T) {
	chain, pool := small(t, func(c *Config) { c.GlobalSlots, c.AccountSlots = 40, 2 })
	for n := range uint64(4) {
		mustAdd(t, pool, ordinary(t, 1, bid(n, 276, 100)))
	}
	chain.fund(t, 1, fee)
	chain.extend(pool)
	pending, _ := pool.Stats()
	must.Equal(t, pending, 1, "transactions are paid for")
	chain.fund(t, 1, 18e18)
	chain.extend(pool)
	mustAdd(t, pool, ordinary(t, 1, bid(1, 276, 100)))
	wantFull(t, submit(pool, ordinary(t, 1, bid(2, 276, 100))), "its coins have once moved away")
	chain.state.SetNonce(anzeonTestAddr(t, 1), 1, tracing.NonceChangeUnspecified)
	pool.follow(chain.head, chain.state.Copy(), path{[]*types.Transaction{ordinary(t, 1, bid(0, 276, 100))}, nil, true})
	mustAdd(t, pool, ordinary(t, 1, bid(2, 276, 100)), ordinary(t, 1, bid(3, 276, 100)))
	checkPool(t, pool)
}

// TestDelegatedSlots lets an account with code have as many executable transactions as configured, without a gap.
// spec: transactions 4.1 row 7
func TestDelegatedSlots(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults; c.DelegatedSlots = 3 })
	chain.state.SetCode(anzeonTestAddr(t, 1), types.AddressToDelegation(common.Address{7}), tracing.CodeChangeUnspecified)
	chain.extend(pool)
	mustAdd(t, pool, ordinary(t, 1, bid(0, 276, 100)))
	wantError(t, pool, ordinary(t, 1, bid(2, 276, 100)), legacypool.ErrOutOfOrderTxFromDelegated)
	mustAdd(t, pool, ordinary(t, 1, bid(1, 276, 100)), ordinary(t, 1, bid(2, 276, 100)))
	wantError(t, pool, ordinary(t, 1, bid(3, 276, 100)), txpool.ErrInflightTxLimitReached)
	mustAdd(t, pool, ordinary(t, 1, bid(1, 400, 200)))
	checkPool(t, pool)
}

// TestDelegatedAccountHasOneTransaction limits accounts with code or a pooled authorization to one transaction.
// spec: transactions 4.1 rows 7 and 8
func TestDelegatedAccountHasOneTransaction(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.state.SetCode(anzeonTestAddr(t, 1), types.AddressToDelegation(common.Address{7}), tracing.CodeChangeUnspecified)
	chain.extend(pool)
	wantError(t, pool, ordinary(t, 1, bid(1, 276, 100)), legacypool.ErrOutOfOrderTxFromDelegated)
	mustAdd(t, pool, ordinary(t, 1, bid(0, 276, 100)))
	wantError(t, pool, ordinary(t, 1, bid(1, 276, 100)), txpool.ErrInflightTxLimitReached)
	mustAdd(t, pool, ordinary(t, 1, bid(0, 400, 200)))

	carrier := carry(t, 2, 0, authorization(t, 3, 8283, 0))
	mustAdd(t, pool, carrier, ordinary(t, 3, bid(0, 276, 100)))
	wantError(t, pool, ordinary(t, 3, bid(1, 276, 100)), txpool.ErrInflightTxLimitReached)
	expect.Equal(t, pool.policy.mayBack(pool.tables, anzeonTestAddr(t, 3)).most, 16, "an authority may back")
	mustAdd(t, pool, ordinary(t, 4, bid(0, 276, 100)), ordinary(t, 4, bid(1, 276, 100)))
	wantError(t, pool, carry(t, 2, 1, authorization(t, 4, 8283, 0)), legacypool.ErrAuthorityReserved)
	checkPool(t, pool)

	// The authorization leaves with its transaction.
	chain.state.SetNonce(anzeonTestAddr(t, 2), 1, tracing.NonceChangeUnspecified)
	chain.extend(pool)
	mustAdd(t, pool, ordinary(t, 3, bid(1, 276, 100)))
	wantPooled(t, pool, map[*types.Transaction]bool{carrier: false})
}
