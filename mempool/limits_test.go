// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/holiman/uint256"
)

// patience is how long a test waits for what happens beside it.
const patience = 30 * time.Second

// bid changes the fees of a transfer, the tip in 10^11 and the cap in 10^12 wei a gas, and its nonce. The governed tip is 276.
func bid(nonce uint64, tip, feeCap int64) func(*types.DynamicFeeTx) {
	return func(tx *types.DynamicFeeTx) {
		tx.Nonce, tx.Value = nonce, new(big.Int)
		tx.GasTipCap, tx.GasFeeCap = big.NewInt(tip*1e11), big.NewInt(feeCap*1e12)
	}
}

// forged returns a transfer whose signature is none.
func forged() *types.Transaction {
	return types.NewTx(&types.DynamicFeeTx{ChainID: big.NewInt(8283), Gas: 21000, To: new(common.Address), GasTipCap: big.NewInt(governedTip),
		GasFeeCap: big.NewInt(100e12), V: new(big.Int), R: big.NewInt(1), S: new(big.Int).Lsh(common.Big1, 255)})
}

// small is a pool of four executable transactions and two behind gaps; every account of the tests has coins.
func small(t *testing.T, change func(*Config)) (*anzeonTestChain, *Pool) {
	t.Helper()
	chain := newAnzeonTestChain(t)
	for key := byte(1); key <= 9; key++ {
		chain.fund(t, key, 18e18)
	}
	config := Defaults
	config.GlobalSlots, config.GlobalQueue, config.AccountSlots, config.AccountQueue = 4, 2, 4, 2
	if change != nil {
		change(&config)
	}
	return chain, chain.openWith(t, config)
}

// wantFull checks that a transaction is refused for want of room, with what a client needs to know.
func wantFull(t *testing.T, err error, says string) {
	t.Helper()
	if !errors.Is(err, txpool.ErrOutOfCapacity) || !strings.HasPrefix(err.Error(), "txpool is full: ") || !strings.Contains(err.Error(), says) {
		t.Errorf("error %v, want a full pool and %q", err, says)
		return
	}
	if coded, ok := err.(rpc.Error); !ok || coded.ErrorCode() != -32005 {
		t.Errorf("error %v has no code of its own", err)
	}
}

// A full pool refuses, without looking at the signature: nobody is thrown out by a transaction of the same price, and a fee cap that
// nobody pays buys nothing (spec transactions 3.3). What was submitted here and what peers sent are alike in this.
func TestFullPoolKeeps(t *testing.T) {
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
		wantFull(t, offer(ordinary(t, 5, bid(0, 276, 100))), "4 transactions wait for a block; send it again in a few seconds")
		wantFull(t, offer(ordinary(t, 5, bid(0, 276, 800))), "4 transactions wait")
		wantFull(t, offer(ordinary(t, 5, bid(0, 2000, 800))), "4 transactions wait") // a normal sender does not pay its tip
		wantFull(t, offer(forged()), "4 transactions wait")
		wantPooled(t, pool, kept)
		if pending, queued := pool.Stats(); pending != 4 || queued != 0 {
			t.Errorf("%d pending, %d queued", pending, queued)
		}
	}
}

// Who really pays more takes the place of who pays least; among equals the last to come goes. An authorized sender pays its own tip; a
// transaction that the base fee leaves less than the governed tip is worth less (spec transactions 3.3).
func TestHigherPayerTakesPlace(t *testing.T) {
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

	// The base fee rises: what is left of the low cap is less than the governed tip now.
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

// What is worth less than what must come before it is worth no more than that: a cheap nonce 0 does not get in by a dear nonce 1.
func TestWorthOfLaterNonce(t *testing.T) {
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

// Whoever has little still finds room when those who have much fill three quarters.
func TestLastQuarterIsForTheFew(t *testing.T) {
	chain, pool := small(t, func(c *Config) { c.GlobalSlots, c.AccountSlots = 8, 2 })
	_ = chain
	for key := byte(1); key <= 3; key++ { // a quarter of eight each
		mustAdd(t, pool, ordinary(t, key, bid(0, 276, 100)), ordinary(t, key, bid(1, 276, 100)))
		wantFull(t, submit(pool, ordinary(t, key, bid(2, 276, 100))), "it may have 2")
	}
	config := pool.config
	config.GlobalSlots, config.AccountSlots = 16, 1
	for key := byte(1); key <= 4; key++ { // all of theirs have sure places
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

// What was submitted here behind a gap is kept, whatever peers send; of what peers send the oldest gives way. The error names the nonce that
// is missing, and when that comes all of it is executable (spec transactions 4.5).
func TestBehindGap(t *testing.T) {
	_, pool := small(t, nil)
	promised := ordinary(t, 1, bid(3, 276, 100))
	if err := pool.Submit(promised); err != nil {
		t.Fatal(err)
	}
	oldest, newer := ordinary(t, 2, bid(5, 276, 100)), ordinary(t, 3, bid(5, 276, 100))
	mustAdd(t, pool, oldest, newer)
	wantPooled(t, pool, map[*types.Transaction]bool{promised: true, oldest: false, newer: true})
	second := ordinary(t, 4, bid(7, 276, 100))
	if err := pool.Submit(second); err != nil {
		t.Fatal(err)
	}
	wantPooled(t, pool, map[*types.Transaction]bool{promised: true, newer: false, second: true})
	wantFull(t, pool.Submit(ordinary(t, 5, bid(2, 276, 100))), "2 transactions wait behind gaps; send the one with nonce 0 first")
	wantFull(t, submit(pool, ordinary(t, 5, bid(2, 276, 100))), "send the one with nonce 0 first")

	for n := range uint64(3) {
		if have := pool.Nonce(anzeonTestAddr(t, 1)); have != n {
			t.Errorf("the next nonce is %d, want %d", have, n)
		}
		mustAdd(t, pool, ordinary(t, 1, bid(n, 276, 100)))
	}
	if pending, queued := pool.Stats(); pending != 4 || queued != 1 || pool.Nonce(anzeonTestAddr(t, 1)) != 4 {
		t.Errorf("%d pending, %d queued, next nonce %d", pending, queued, pool.Nonce(anzeonTestAddr(t, 1)))
	}
	checkPool(t, pool)
}

// One account has so much behind a gap and no more, and costs behind a gap count.
func TestAccountQueue(t *testing.T) {
	_, pool := small(t, func(c *Config) { c.GlobalQueue = 10 })
	mustAdd(t, pool, ordinary(t, 1, bid(2, 276, 100)), ordinary(t, 1, bid(3, 276, 100)))
	wantFull(t, submit(pool, ordinary(t, 1, bid(5, 276, 100))), "2 transactions of this account wait behind a gap; send the one with nonce 0 first")
	rich := func(n uint64) *types.Transaction {
		return ordinary(t, 2, func(tx *types.DynamicFeeTx) { tx.Nonce, tx.Value = n, big.NewInt(7e18) }) // 9.1 with its fee
	}
	mustAdd(t, pool, rich(1))
	wantError(t, pool, rich(0), gethcore.ErrInsufficientFunds) // both together are more than 18
	checkPool(t, pool)
}

// A full pool lets one that fills a gap in when it is submitted here: what waited behind it had its places already.
func TestFillsGapOfFullPool(t *testing.T) {
	_, pool := small(t, func(c *Config) { c.GlobalQueue = 3 })
	behind := ordinary(t, 9, bid(1, 276, 100))
	mustAdd(t, pool, behind)
	for key := byte(1); key <= 4; key++ {
		mustAdd(t, pool, ordinary(t, key, bid(0, 276, 100)))
	}
	wantFull(t, pool.Submit(ordinary(t, 8, bid(0, 276, 100))), "")
	if err := pool.Submit(ordinary(t, 9, bid(0, 276, 100))); err != nil {
		t.Fatal(err)
	}
	if pending, queued := pool.Stats(); pending != 6 || queued != 0 {
		t.Errorf("%d pending, %d queued", pending, queued)
	}
	checkPool(t, pool)
}

// Large transactions count by their bytes too: a pool of few slots for so many bytes refuses what is more.
func TestBytes(t *testing.T) {
	chain := newAnzeonTestChain(t)
	config := Defaults
	config.GlobalSlots, config.GlobalQueue = 1000, 10
	pool := chain.openWith(t, config)
	taken, most := 0, config.maxBytes()
	for i := range byte(40) {
		chain.state.SetBalance(anzeonTestAddr(t, i+1), uint256.MustFromBig(new(big.Int).Exp(big.NewInt(10), big.NewInt(24), nil)), tracing.BalanceChangeUnspecified)
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
	if want := int(most / 200_143); taken < want-1 || taken > want+1 {
		t.Errorf("%d transactions of 200 kB in %d bytes", taken, most)
	}
	checkPool(t, pool)
}

// The memory that pooled transactions take: 1.5 KiB each, and three times their bytes at most. With the limits of slots and bytes that bounds
// the pool, as docs/operate/transaction-pool.md says.
func TestMemory(t *testing.T) {
	const base, perByte = 1536, 3
	wide := func(n int) types.AccessList {
		list := make(types.AccessList, n)
		for i := range list {
			list[i].Address = common.BigToAddress(big.NewInt(int64(i + 1)))
		}
		return list
	}
	auth := authorization(t, 77, 8283, 0)
	for _, tt := range []struct {
		name  string
		count int
		inner func(i int) types.TxData
	}{
		{"transfers", 3000, func(int) types.TxData {
			return &types.DynamicFeeTx{ChainID: big.NewInt(8283), Gas: 21000, To: &common.Address{1}, GasTipCap: big.NewInt(governedTip), GasFeeCap: big.NewInt(1e14)}
		}},
		{"access lists", 500, func(int) types.TxData {
			return &types.DynamicFeeTx{ChainID: big.NewInt(8283), Gas: 1_000_000, To: &common.Address{1}, GasTipCap: big.NewInt(governedTip),
				GasFeeCap: big.NewInt(1e14), AccessList: wide(300)}
		}},
		{"data", 500, func(int) types.TxData {
			return &types.DynamicFeeTx{ChainID: big.NewInt(8283), Gas: 1_000_000, To: &common.Address{1}, GasTipCap: big.NewInt(governedTip),
				GasFeeCap: big.NewInt(1e14), Data: make([]byte, 8000)}
		}},
		{"authorizations", 60, func(i int) types.TxData {
			inner := &types.SetCodeTx{ChainID: uint256.NewInt(8283), Gas: 2_000_000, GasTipCap: uint256.NewInt(governedTip), GasFeeCap: uint256.NewInt(1e14)}
			for n := range uint64(50) {
				auth.Nonce = uint64(i)<<32 | n // somebody else's with each
				inner.AuthList = append(inner.AuthList, auth)
			}
			return inner
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			chain := newAnzeonTestChain(t)
			pool := chain.open(t)
			encoded, bytes := make([][]byte, tt.count), uint64(0)
			for i := range encoded {
				key, err := crypto.GenerateKey()
				if err != nil {
					t.Fatal(err)
				}
				chain.state.SetBalance(crypto.PubkeyToAddress(key.PublicKey), uint256.NewInt(1e19).Mul(uint256.NewInt(1e19), uint256.NewInt(100)), tracing.BalanceChangeUnspecified)
				if encoded[i], err = types.MustSignNewTx(key, pool.signer, tt.inner(i)).MarshalBinary(); err != nil {
					t.Fatal(err)
				}
				bytes += uint64(len(encoded[i]))
			}
			chain.extend(pool)
			heap := func() uint64 {
				var stats runtime.MemStats
				runtime.GC()
				runtime.GC()
				runtime.ReadMemStats(&stats)
				return stats.HeapAlloc
			}
			before := heap()
			for _, raw := range encoded {
				tx := new(types.Transaction)
				if err := tx.UnmarshalBinary(raw); err != nil {
					t.Fatal(err)
				}
				mustAdd(t, pool, tx)
			}
			chain.extend(pool) // the state that was read for the checks is not the pool's: it goes with the head
			took := heap() - before
			t.Logf("%d bytes a transaction of %d", took/uint64(tt.count), bytes/uint64(tt.count))
			if most := base*uint64(tt.count) + perByte*bytes; took > most {
				t.Errorf("%d transactions of %d bytes take %d bytes of memory, want at most %d", tt.count, bytes, took, most)
			}
			runtime.KeepAlive(encoded)
			runtime.KeepAlive(pool)
		})
	}
}

// A sender whose coins have moved away from under what it had pooled may have few until some are in blocks.
func TestDrainedSender(t *testing.T) {
	chain, pool := small(t, func(c *Config) { c.GlobalSlots, c.AccountSlots = 40, 2 })
	for n := range uint64(4) {
		mustAdd(t, pool, ordinary(t, 1, bid(n, 276, 100)))
	}
	chain.fund(t, 1, fee)
	chain.extend(pool)
	if pending, _ := pool.Stats(); pending != 1 {
		t.Fatalf("%d transactions are paid for", pending)
	}
	chain.fund(t, 1, 18e18)
	chain.extend(pool)
	mustAdd(t, pool, ordinary(t, 1, bid(1, 276, 100)))
	wantFull(t, submit(pool, ordinary(t, 1, bid(2, 276, 100))), "its coins have once moved away")
	chain.state.SetNonce(anzeonTestAddr(t, 1), 1, tracing.NonceChangeUnspecified)
	pool.follow(chain.head, chain.state.Copy(), []*types.Transaction{ordinary(t, 1, bid(0, 276, 100))}, nil, true)
	mustAdd(t, pool, ordinary(t, 1, bid(2, 276, 100)), ordinary(t, 1, bid(3, 276, 100)))
	checkPool(t, pool)
}

// A copy of a refused transaction costs no signature recovery: it is answered while no worker is free. Only a wrong signature is
// remembered as an answer; anything else is decided anew.
func TestRefusedCopies(t *testing.T) {
	chain, pool := small(t, nil)
	chain.fund(t, 1, 0)
	chain.extend(pool)
	poor := ordinary(t, 1, bid(0, 276, 100))
	wantError(t, pool, poor, gethcore.ErrInsufficientFunds)
	forged := forged()
	if err := submit(pool, forged); err == nil {
		t.Fatal("a forged transaction is taken")
	}
	occupy(t, pool.workers)
	answers := make(chan error, 3)
	go func() {
		answers <- submit(pool, decoded(t, poor))
		answers <- submit(pool, decoded(t, forged))
		chain.fund(t, 1, 18e18)
		chain.extend(pool)
		answers <- submit(pool, decoded(t, poor))
	}()
	for i, want := range []error{gethcore.ErrInsufficientFunds, txpool.ErrInvalidSender, nil} {
		select {
		case err := <-answers:
			if !errors.Is(err, want) {
				t.Errorf("answer %d: %v, want %v", i, err, want)
			}
		case <-time.After(patience):
			t.Fatal("a copy waits for a worker")
		}
	}
	if !pool.Known(forged.Hash()) || !pool.Known(poor.Hash()) || pool.Known(common.Hash{1}) {
		t.Error("known: the pooled, those refused for good, nothing else")
	}
}

// Submissions that find no worker wait, up to so many; peers wait without an end. While the node is behind one works at a time and rests as
// long; those that wait go on together when it is not behind any more.
func TestWorkers(t *testing.T) {
	w := testWorkers(t)
	w.limit = 2
	var rests atomic.Int32
	w.slow = func() int { return int(rests.Load()) }
	release, running := make(chan struct{}), make(chan struct{}, maxWaiting+10)
	work := func() { running <- struct{}{}; <-release }
	results := make(chan error, maxWaiting+10)
	start := func(submitted bool) { go func() { results <- w.run(work, 1, submitted) }() }
	start(true)
	start(true)
	<-running
	<-running
	for range maxWaiting {
		start(true)
	}
	awaitWaiting(t, w, maxWaiting, 0)
	if err := w.run(work, 1, true); !errors.Is(err, txpool.ErrOutOfCapacity) {
		t.Errorf("error %v with %d waiting", err, maxWaiting)
	}
	if n := len(running); n != 0 {
		t.Errorf("%d more work than there are workers", n)
	}
	close(release)
	for range maxWaiting + 2 {
		if err := <-results; err != nil {
			t.Fatal(err)
		}
	}
	release, running = make(chan struct{}), make(chan struct{}, 2)
	rests.Store(3)
	rested := make(chan time.Duration, 1)
	w.rest = func(d time.Duration) {
		if w.working != 1 {
			t.Errorf("%d are at work", w.working)
		}
		for range 2 {
			start(false)
		}
		awaitWaiting(t, w, 0, 2)
		rests.Store(0)
		rested <- d
	}
	if err := w.run(func() { time.Sleep(time.Millisecond) }, 1, true); err != nil {
		t.Error(err)
	}
	if d := <-rested; d < time.Millisecond {
		t.Errorf("rested %v", d)
	}
	<-running
	<-running // at the same time, for neither has ended
	close(release)
	for range 2 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

// A pool is crowded with more than a full block of transfers, and than twice what one of the recent blocks took; its workers slow down then,
// whatever the age of the head.
func TestCrowded(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.enrich(t, 1)
	chain.head.GasLimit = 4 * 21_000
	chain.extend(pool)
	next := uint64(0)
	more := func(n int) {
		t.Helper()
		for range n {
			mustAdd(t, pool, ordinary(t, 1, bid(next, 276, 100)))
			next++
		}
	}
	want := func(rests int, when string) {
		t.Helper()
		if pool.workers.slow() != rests {
			t.Errorf("%s: workers rest %d times as long, want %d", when, pool.workers.slow(), rests)
		}
	}
	// taken makes a block with the first n of the pool's transactions.
	first := uint64(0)
	taken := func(n int) {
		t.Helper()
		var txs []*types.Transaction
		for range n {
			txs = append(txs, ordinary(t, 1, bid(first, 276, 100)))
			first++
		}
		chain.state.SetNonce(anzeonTestAddr(t, 1), first, tracing.NonceChangeUnspecified)
		chain.moveTo(types.CopyHeader(chain.head))
		chain.head.Number.Add(chain.head.Number, common.Big1)
		pool.follow(chain.head, chain.state.Copy(), txs, nil, true)
	}
	chain.head.Time = uint64(time.Now().Add(time.Hour).Unix()) // not late for as long as this takes
	more(4)
	want(0, "a full block")
	more(1)
	want(2, "a quarter more than that")
	taken(3)
	want(0, "two left")
	more(4)
	want(0, "two blocks like the last one")
	more(1)
	want(1, "more than two such blocks")
	for range recentBlocks - 1 {
		taken(0)
	}
	want(1, "the full block is still a recent one")
	more(2)
	want(5, "three such blocks")
	more(3)
	want(mostRest, "four such blocks")
	more(100)
	want(mostRest, "many such blocks")
	taken(107)
	want(0, "five left")
	checkPool(t, pool)
}

// What no block takes for want of a tip stays in the pool, costs its sender nothing and crowds nobody: not at the present base fee, and again when
// that falls (spec transactions 3.1).
func TestStranded(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.enrich(t, 1)
	chain.enrich(t, 2)
	chain.head.GasLimit, chain.head.BaseFee = 4*21_000, big.NewInt(60e12)
	chain.extend(pool)
	for n := range uint64(3) {
		mustAdd(t, pool, ordinary(t, 1, bid(n, 276, 100)))
	}
	mustAdd(t, pool, ordinary(t, 1, bid(3, 276, 48))) // a cap of 48,000 gwei
	for n := uint64(4); n < 10; n++ {
		mustAdd(t, pool, ordinary(t, 1, bid(n, 276, 100))) // behind that one
	}
	step := func(crowded bool, when string) {
		t.Helper()
		pool.follow(chain.head, chain.state.Copy(), nil, nil, true)
		if pool.crowded.Load() > 0 != crowded {
			t.Errorf("%s: crowded %v with %d stranded", when, !crowded, pool.stranded)
		}
	}
	step(false, "three and seven that no block takes")
	mustAdd(t, pool, ordinary(t, 2, bid(0, 276, 100)), ordinary(t, 2, bid(1, 276, 100)))
	if pool.crowded.Load() == 0 {
		t.Error("five that a block takes do not crowd it")
	}
	step(true, "five, and seven")
	pool.dropWhere(func(e *entry) bool { return e.from == anzeonTestAddr(t, 2) })
	step(false, "three, and seven")
	chain.head.BaseFee = big.NewInt(20e12)
	chain.extend(pool)
	step(true, "ten, at a lower base fee")
	pool.SetGasTip(big.NewInt(29e12))
	step(false, "at a higher tip")
	checkPool(t, pool)
}

// What asks for nearly all the gas of a block is taken one by one, whatever it uses: it crowds nobody, however much of it there is.
func TestGreedyCrowdNobody(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.enrich(t, 1)
	chain.enrich(t, 2)
	chain.head.GasLimit = 4 * 21_000
	chain.extend(pool)
	ask := func(nonce, gas uint64) *types.Transaction {
		return ordinary(t, 1, func(tx *types.DynamicFeeTx) { bid(nonce, 276, 100)(tx); tx.Gas = gas })
	}
	for n := range uint64(6) {
		mustAdd(t, pool, ask(n, 3*21_000+1))
	}
	pool.follow(chain.head, chain.state.Copy(), nil, nil, true)
	if pool.crowded.Load() != 0 {
		t.Error("six that ask for most of a block crowd it")
	}
	for n := range uint64(5) {
		mustAdd(t, pool, ordinary(t, 2, bid(n, 276, 100)))
	}
	if pool.crowded.Load() == 0 {
		t.Error("five that a block takes do not crowd it")
	}
	checkPool(t, pool)
}

// Copies from peers that come, or have their turn, when a block has the transaction cost no signature; who submits one is told of its nonce.
func TestCopiesOfIncluded(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.enrich(t, 1)
	chain.extend(pool)
	tx := ordinary(t, 1, bid(0, 276, 100))
	release := occupy(t, pool.workers)
	early, answer := decoded(t, tx), make(chan error)
	go func() { answer <- pool.Add([]*types.Transaction{early}, false)[0] }()
	awaitWaiting(t, pool.workers, 0, 1)
	chain.state.SetNonce(anzeonTestAddr(t, 1), 1, tracing.NonceChangeUnspecified)
	pool.follow(chain.head, chain.state.Copy(), []*types.Transaction{tx}, nil, true)

	late, told := decoded(t, tx), make(chan error, 1)
	go func() { told <- pool.Add([]*types.Transaction{late}, false)[0] }()
	select {
	case err := <-told:
		if !errors.Is(err, txpool.ErrAlreadyKnown) {
			t.Errorf("a copy after the block: %v", err)
		}
	case <-time.After(patience):
		t.Error("a copy after the block waits for a worker")
	}
	release()
	if err := <-answer; !errors.Is(err, txpool.ErrAlreadyKnown) {
		t.Errorf("a copy that waited for its turn: %v", err)
	}
	for _, copied := range []*types.Transaction{early, late} {
		if copied.Signers().HasSender() {
			t.Error("the signature of a copy was recovered")
		}
	}
	if err := pool.Submit(decoded(t, tx)); !errors.Is(err, gethcore.ErrNonceTooLow) {
		t.Errorf("submitted when a block has it: %v", err)
	}
	pool.follow(chain.head, chain.state.Copy(), nil, nil, false) // the chain was set back far
	if pool.isLate(tx.Hash()) {
		t.Error("what may be in no block any more is refused")
	}
}

// A head that is many blocks after the last one says how much one of them took.
func TestCrowdedAfterManyBlocks(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.enrich(t, 1)
	chain.extend(pool)
	var txs []*types.Transaction
	for n := range uint64(40) {
		txs = append(txs, ordinary(t, 1, bid(n, 276, 100)))
	}
	chain.head.GasLimit = 4 * 21_000
	before := pool.head.Load().Number.Uint64()
	next := types.CopyHeader(chain.head)
	next.Number = new(big.Int).SetUint64(before + 10)
	pool.follow(next, chain.state.Copy(), txs, nil, true)
	if got := pool.enough(); got != crowdedBlocks*4 {
		t.Errorf("%d are enough after ten blocks with 40 transactions", got)
	}
	pool.follow(chain.head, chain.state.Copy(), txs, nil, true) // back
	if got := pool.enough(); got != crowdedBlocks*4 {
		t.Errorf("%d are enough when the head has gone back", got)
	}
}

// While the pool is crowded who submits rests for longer than the worker does, and peers have their turns meanwhile: what they send was taken elsewhere.
func TestRestForWhoSubmits(t *testing.T) {
	w := testWorkers(t)
	w.limit = 1
	w.slow = func() int { return 16 }
	var (
		order strings.Builder // written by the one worker, as the next two
		took  time.Duration
		all   sync.WaitGroup
		mu    sync.Mutex
		rests []time.Duration // guarded by mu: the last one comes after the answer
	)
	enter := func(who string, submitted bool, work func()) {
		all.Go(func() {
			if err := w.run(func() { order.WriteString(who); work() }, 1, submitted); err != nil {
				t.Error(err)
			}
		})
	}
	w.rest = func(d time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		rests = append(rests, d)
	}
	var alarms []time.Duration // written with the lock of the workers
	w.alarm = func(d time.Duration, ring func()) *time.Timer {
		switch alarms = append(alarms, d); len(alarms) {
		case 1: // never rings: who need not rest does not wait for it
			enter("p", false, func() {})
		case 2:
			w.submitFrom = time.Time{} // the rest has passed
			go ring()
		}
		return time.NewTimer(0)
	}
	enter("s", true, func() {
		enter("S", true, func() {})
		awaitWaiting(t, w, 1, 0)
		start := time.Now()
		time.Sleep(50 * time.Millisecond)
		took = time.Since(start)
	})
	all.Wait()
	mu.Lock()
	defer mu.Unlock()
	if order.String() != "spS" {
		t.Errorf("order %s, want spS", order.String())
	}
	if len(rests) < 2 || rests[0] < took || rests[0] > 8*took {
		t.Errorf("rests %v after %v", rests, took)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(alarms) != 2 || alarms[0] <= 0 || alarms[0] > longestRest {
		t.Errorf("who submits rests for %v", alarms)
	}
}

// Who submits a few signatures while nobody waits and the node is not behind has them recovered in its own goroutine, and no thread is woken up; within the
// bound on how many work at a time, which threads keep too.
func TestAtOnce(t *testing.T) {
	w := testWorkers(t)
	w.limit = 2
	var rests atomic.Int32
	w.slow = func() int { return int(rests.Load()) }
	w.rest = func(time.Duration) {}
	own := func(what string, signatures int, submitted, want bool) {
		t.Helper()
		var buf [1 << 12]byte
		var stack string
		if err := w.run(func() { stack = string(buf[:runtime.Stack(buf[:], false)]) }, signatures, submitted); err != nil {
			t.Fatal(err)
		}
		if got := !strings.Contains(stack, ".(*workers).thread("); got != want {
			t.Errorf("%s: in the caller's goroutine %v, want %v", what, got, want)
		}
	}
	own("one", 1, true, true)
	own("some", atOnce, true, true)
	if w.threads != 0 {
		t.Error("a thread has started for nobody")
	}
	own("many", atOnce+1, true, false)
	own("a peer", 1, false, false)
	rests.Store(1)
	own("while the node is behind", 1, true, false)
	rests.Store(0)

	w = testWorkers(t)
	w.limit = 1
	looks := 0 // guarded by the lock of the workers, as slow is called with it
	w.slow = func() int { looks++; return 0 }
	own("many", atOnce+1, true, false) // so that the thread is there
	release := occupyOne(t, w, true)
	w.mu.Lock()
	before := looks
	w.mu.Unlock()
	answer := make(chan error)
	go func() { answer <- w.run(func() {}, 1, true) }()
	awaitWorkers(t, w, func() (bool, string) {
		return looks == before+2 && len(w.submitted) == 1, fmt.Sprintf("%d waits; he and the thread have looked %d times", len(w.submitted), looks-before)
	})
	release() // and the thread, which has found no place free, is told
	select {
	case err := <-answer:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatal("who waits is forgotten")
	}
}

// Who comes while others wait for a thread that has been called and is not there yet does not go before them, and a queue holds nothing of those that have
// left it.
func TestNobodyOvertakes(t *testing.T) {
	w := testWorkers(t)
	w.limit, w.threads = 1, 1
	w.slow = func() int { return 0 }
	var all sync.WaitGroup
	var order strings.Builder // written by the one worker
	enter := func(who string, submitted bool) {
		all.Go(func() {
			if err := w.run(func() { order.WriteString(who) }, 1, submitted); err != nil {
				t.Error(err)
			}
		})
	}
	enter("p", false)
	awaitWorkers(t, w, func() (bool, string) { return len(w.peers) == 1, "no peer waits" })
	enter("s", true)
	awaitWorkers(t, w, func() (bool, string) { return len(w.submitted) == 1, "who submits does not wait behind the peer" })
	w.mu.Lock()
	queues := [][]waiter{w.submitted, w.peers}
	w.mu.Unlock()
	go w.thread()
	all.Wait()
	if got := order.String(); got != "sp" { // those that submit have their share first
		t.Errorf("turns %s", got)
	}
	for _, queue := range queues {
		if queue[0].work != nil || queue[0].done != nil {
			t.Error("the work of a turn is held on to")
		}
	}
}

// At most so many work at a time, whoever does the work.
func TestWorkersTogether(t *testing.T) {
	w := testWorkers(t)
	w.limit = 2
	var (
		working, together atomic.Int32
		all               sync.WaitGroup
	)
	for i := range 400 {
		all.Go(func() {
			if err := w.run(func() {
				now := working.Add(1)
				for most := together.Load(); now > most && !together.CompareAndSwap(most, now); most = together.Load() {
				}
				runtime.Gosched()
				working.Add(-1)
			}, 1+i%3*atOnce, i%2 == 0); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := together.Load(); n != 2 {
		t.Errorf("%d worked at a time, want 2", n)
	}
}

// Those who submit while the node is behind have their turn together, as many as they may have ahead of peers, and the worker rests once for them.
func TestSubmissionsInATurn(t *testing.T) {
	w := testWorkers(t)
	w.limit = 1
	w.slow = func() int { return 1 }
	var order strings.Builder // written by the one worker
	w.rest = func(time.Duration) { order.WriteByte('|') }
	var all sync.WaitGroup
	enter := func(who string, signatures int, submitted bool) {
		before := len(w.submitted) + len(w.peers)
		all.Go(func() {
			if err := w.run(func() { order.WriteString(who) }, signatures, submitted); err != nil {
				t.Error(err)
			}
		})
		awaitWorkers(t, w, func() (bool, string) { return len(w.submitted)+len(w.peers) > before, who + " does not wait" })
	}
	release := occupy(t, w)
	for range 12 {
		enter("s", 1, true)
	}
	enter("S", aheadOfPeers, true)
	enter("p", 1, false)
	enter("p", 1, false)
	enter("L", 3*aheadOfPeers, true)
	enter("s", 1, true)
	enter("s", 1, true)
	release()
	all.Wait()
	awaitWorkers(t, w, func() (bool, string) { return w.working == 0, "still at work" })
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ahead != 0 {
		t.Errorf("%d signatures ahead of peers, of whom none has waited since", w.ahead)
	}
	if rest := time.Until(w.submitFrom); rest > 0 {
		t.Errorf("who submits rests for %v beyond the common rest", rest)
	}
	if got, want := order.String(), "|ssssssss|p|ssss|S|p|L|ss|"; got != want {
		t.Errorf("turns %s, want %s", got, want)
	}
}

// While the node is behind one works at a time, however many could.
func TestOneWorksWhileBehind(t *testing.T) {
	w := testWorkers(t)
	w.limit = 4
	w.slow = func() int { return 1 }
	w.rest = func(time.Duration) { runtime.Gosched() }
	var (
		working, together atomic.Int32
		all               sync.WaitGroup
	)
	for i := range 200 {
		all.Go(func() {
			if err := w.run(func() {
				together.Store(max(together.Load(), working.Add(1)))
				for range 100 {
					runtime.Gosched()
				}
				working.Add(-1)
			}, 1, i%2 == 0); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := together.Load(); n != 1 {
		t.Errorf("%d worked at a time", n)
	}
}

// testWorkers returns workers that end with the test.
func testWorkers(t *testing.T) *workers {
	w := newWorkers(newAnzeonTestChain(t), func() int { return 0 })
	t.Cleanup(w.close)
	return w
}

// What is looked at goes on when the pool closes, and nothing stays of it, while the node is behind too.
func TestWorkersClose(t *testing.T) {
	for _, limit := range []int{1, 2, 6} {
		w := newWorkers(newAnzeonTestChain(t), func() int { return 0 })
		w.limit = limit
		release := occupy(t, w)
		var behind atomic.Int32
		w.mu.Lock()
		w.slow = func() int { return int(behind.Load()) }
		w.rest = func(time.Duration) {}
		w.mu.Unlock()
		behind.Store(1)
		var waiting sync.WaitGroup
		for range 3 {
			waiting.Go(func() {
				if err := w.run(func() {}, 1, true); err != nil {
					t.Error(err)
				}
			})
		}
		awaitWaiting(t, w, 3, 0)
		w.close()
		release()
		waiting.Wait()
		awaitWorkers(t, w, func() (bool, string) {
			return w.threads == 0, fmt.Sprintf("%d of %d threads are left", w.threads, limit)
		})
		ran := false
		if err := w.run(func() { ran = true }, 1, false); err != nil || !ran {
			t.Errorf("after the end: %v, the work done: %v", err, ran)
		}
	}
}

// occupy takes all turns at the workers, until the returned function is called or the test ends.
func occupy(t *testing.T, w *workers) (release func()) {
	var all []func()
	for range w.limit {
		all = append(all, occupyOne(t, w, false))
	}
	return func() {
		for _, one := range all {
			one()
		}
	}
}

// occupyOne takes one turn at the workers, as a peer or as who submits, until the returned function is called or the test ends.
func occupyOne(t *testing.T, w *workers, submitted bool) (release func()) {
	hold, held := make(chan struct{}), make(chan struct{})
	go func() {
		if err := w.run(func() { held <- struct{}{}; <-hold }, 1, submitted); err != nil {
			t.Error(err)
		}
	}()
	<-held
	release = sync.OnceFunc(func() { close(hold) })
	t.Cleanup(release)
	return release
}

// awaitWaiting returns when so many submissions and peers wait for a worker.
func awaitWaiting(t *testing.T, w *workers, submissions, peers int) {
	t.Helper()
	awaitWorkers(t, w, func() (bool, string) {
		s, p := len(w.submitted), len(w.peers)
		return s == submissions && p == peers, fmt.Sprintf("%d submissions and %d peers wait, want %d and %d", s, p, submissions, peers)
	})
}

// awaitWorkers returns when the workers are in a state, at which look looks with their lock and says what it is like.
func awaitWorkers(t *testing.T, w *workers, look func() (reached bool, state string)) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		w.mu.Lock()
		reached, state := look()
		w.mu.Unlock()
		if reached {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(state)
		}
	}
}

// A node is behind while the next block is late, not when its chain has stopped or it has not synced.
func TestIsBehind(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	for _, period := range []time.Duration{time.Second, 5 * time.Second} {
		for late, want := range map[time.Duration]bool{-time.Second: false, 0: false, time.Second: false, 2 * time.Second: true, 59 * time.Second: true, 2 * time.Minute: false} {
			head := &types.Header{Time: uint64(now.Add(-period - late).Unix())}
			if have := isBehind(head, period, now); have != want {
				t.Errorf("period %v, the next block %v late: behind %v", period, late, have)
			}
		}
	}
}

// Ten full blocks of transfers fit, and a fifth of that behind gaps (105 million gas a block, spec transactions 0).
func TestDefaults(t *testing.T) {
	if least := uint64(10 * 105_000_000 / 21_000); Defaults.GlobalSlots < least || Defaults.GlobalQueue < least/5 {
		t.Errorf("%d and %d slots, want %d and a fifth of it", Defaults.GlobalSlots, Defaults.GlobalQueue, least)
	}
	if have := (Config{}).sanitize(); have != Defaults {
		t.Errorf("a configuration of zeros becomes %+v", have)
	}
	var upstream legacypool.Config
	Defaults.Apply(&upstream)
	if have := FromUpstream(upstream); have != Defaults {
		t.Errorf("the node's configuration says %+v", have)
	}
}

// An account whose coins can move without a transaction of its own, by code or by an authorization that is pooled, has one transaction in the
// pool and none behind a gap; who has more signs for nobody (spec transactions 4.1, rows 7 and 8).
func TestDelegatedAccounts(t *testing.T) {
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
	if limit := pool.mayBack(anzeonTestAddr(t, 3)).most; limit != 16 {
		t.Errorf("who has signed an authorization may back %d", limit)
	}
	mustAdd(t, pool, ordinary(t, 4, bid(0, 276, 100)), ordinary(t, 4, bid(1, 276, 100)))
	wantError(t, pool, carry(t, 2, 1, authorization(t, 4, 8283, 0)), legacypool.ErrAuthorityReserved)
	checkPool(t, pool)

	// With the transaction that carries it the authorization is gone.
	chain.state.SetNonce(anzeonTestAddr(t, 2), 1, tracing.NonceChangeUnspecified)
	chain.extend(pool)
	mustAdd(t, pool, ordinary(t, 3, bid(1, 276, 100)))
	wantPooled(t, pool, map[*types.Transaction]bool{carrier: false})
}

// Each transaction is told of once, when it has become executable, also the one that waited behind a gap.
func TestAnnounce(t *testing.T) {
	chain, pool := small(t, nil)
	events := make(chan gethcore.NewTxsEvent, 16)
	defer pool.SubscribeTransactions(events, false).Unsubscribe()
	heard := func() (nonces []uint64) {
		pool.flush()
		for len(events) > 0 {
			for _, tx := range (<-events).Txs {
				nonces = append(nonces, tx.Nonce())
			}
		}
		return nonces
	}
	expect := func(want ...uint64) {
		t.Helper()
		if have := heard(); fmt.Sprint(have) != fmt.Sprint(want) {
			t.Errorf("heard of nonces %v, want %v", have, want)
		}
	}
	mustAdd(t, pool, ordinary(t, 1, bid(2, 276, 100)))
	expect()
	mustAdd(t, pool, ordinary(t, 1, bid(0, 276, 100)))
	expect(0)
	mustAdd(t, pool, ordinary(t, 1, bid(1, 276, 100)))
	expect(1, 2)
	mustAdd(t, pool, ordinary(t, 1, bid(1, 400, 200)))
	expect(1)
	mustAdd(t, pool, ordinary(t, 2, bid(1, 276, 100)))
	chain.state.SetNonce(anzeonTestAddr(t, 2), 1, tracing.NonceChangeUnspecified) // by a transaction of another node
	chain.extend(pool)
	expect(1)
}

// Blocks that are undone give their transactions back, and those of a block leave the pool whoever pooled the same nonce.
func TestFollow(t *testing.T) {
	chain, pool := small(t, nil)
	mine, other := ordinary(t, 1, bid(0, 276, 100)), ordinary(t, 1, bid(0, 400, 200))
	next := ordinary(t, 1, bid(1, 276, 100))
	mustAdd(t, pool, mine, next)
	before := chain.state.Copy()
	chain.state.SetNonce(anzeonTestAddr(t, 1), 1, tracing.NonceChangeUnspecified)
	pool.follow(chain.head, chain.state.Copy(), []*types.Transaction{other}, nil, true)
	wantPooled(t, pool, map[*types.Transaction]bool{mine: false, other: false, next: true})
	if !pool.Known(other.Hash()) {
		t.Error("what is in a block is asked for again")
	}
	pool.follow(chain.head, before, nil, []*types.Transaction{other}, true)
	wantPooled(t, pool, map[*types.Transaction]bool{mine: false, other: true, next: true})
	if pending, queued := pool.Stats(); pending != 2 || queued != 0 {
		t.Errorf("%d pending, %d queued", pending, queued)
	}
}

// At a head nothing is recovered that the pool has recovered before, and nothing at all for an empty pool; what follows a block of strangers is
// right nevertheless.
func TestSendersOfBlocks(t *testing.T) {
	chain, pool := small(t, nil)
	strange := []*types.Transaction{decoded(t, ordinary(t, 3, bid(0, 276, 100))), decoded(t, ordinary(t, 4, bid(0, 276, 100)))}
	pool.follow(chain.head, chain.state.Copy(), strange, nil, true)
	if strange[0].Signers().HasSender() || strange[1].Signers().HasSender() {
		t.Error("senders are recovered for an empty pool")
	}
	pooled, stale := ordinary(t, 1, bid(0, 276, 100)), ordinary(t, 2, bid(0, 276, 100))
	mustAdd(t, pool, pooled, stale)
	block := []*types.Transaction{decoded(t, pooled), decoded(t, ordinary(t, 2, bid(0, 400, 200)))}
	for key := byte(1); key <= 2; key++ {
		chain.state.SetNonce(anzeonTestAddr(t, key), 1, tracing.NonceChangeUnspecified)
	}
	for range 5 { // more strangers than the pool has senders
		block = append(block, decoded(t, ordinary(t, 3, bid(uint64(len(block)), 276, 100))))
	}
	pool.follow(chain.head, chain.state.Copy(), block, nil, true)
	if !block[0].Signers().HasSender() || block[2].Signers().HasSender() {
		t.Error("the sender of a pooled transaction is recovered once, those of many strangers never")
	}
	wantPooled(t, pool, map[*types.Transaction]bool{pooled: false, stale: false})
}

// What was submitted here and waits is told of again, the oldest first; what peers sent, and what nobody can include now, is not.
func TestOverdue(t *testing.T) {
	_, pool := small(t, nil)
	var want []common.Hash
	for key := byte(2); key >= 1; key-- {
		tx := ordinary(t, key, bid(0, 276, 100))
		tx.SetTime(time.Now().Add(-time.Minute))
		if err := pool.Submit(tx); err != nil {
			t.Fatal(err)
		}
		want = append(want, tx.Hash())
	}
	foreign := ordinary(t, 4, bid(0, 276, 100))
	foreign.SetTime(time.Now().Add(-time.Minute))
	mustAdd(t, pool, foreign)
	behind := ordinary(t, 5, bid(2, 276, 100))
	behind.SetTime(time.Now().Add(-time.Minute))
	if err := pool.Submit(behind); err != nil {
		t.Fatal(err)
	}
	if have := pool.Overdue(time.Now().Add(-time.Second), 10); fmt.Sprint(have) != fmt.Sprint(want) {
		t.Errorf("overdue %v, want %v", have, want)
	}
	if have := pool.Overdue(time.Now().Add(-time.Second), 1); len(have) != 1 || have[0] != want[0] {
		t.Errorf("overdue %v of %v", have, want)
	}
	if have := pool.Overdue(time.Now().Add(-time.Hour), 10); len(have) != 0 {
		t.Errorf("overdue %v after an hour", have)
	}
}

// What waits behind a gap for too long is dropped, and nothing else.
func TestExpire(t *testing.T) {
	_, pool := small(t, nil)
	ready, behind := ordinary(t, 1, bid(0, 276, 100)), ordinary(t, 2, bid(1, 276, 100))
	mustAdd(t, pool, ready, behind)
	pool.expire(time.Now().Add(pool.config.Lifetime - time.Minute))
	wantPooled(t, pool, map[*types.Transaction]bool{ready: true, behind: true})
	pool.expire(time.Now().Add(pool.config.Lifetime + time.Minute))
	wantPooled(t, pool, map[*types.Transaction]bool{ready: true, behind: false})
}

// All that others call is called at the same time, for the race detector. What was promised is there in the end.
func TestConcurrent(t *testing.T) {
	chain, pool := small(t, func(c *Config) { c.GlobalSlots, c.GlobalQueue, c.AccountSlots = 60, 20, 2 })
	events := make(chan gethcore.NewTxsEvent, 4096)
	defer pool.SubscribeTransactions(events, false).Unsubscribe()
	var senders, others sync.WaitGroup
	var promised sync.Map
	for key := byte(1); key <= 4; key++ {
		txs := make([]*types.Transaction, 6)
		for n := range txs {
			txs[n] = ordinary(t, key, bid(uint64((n+3)%6), 276, 100)) // behind a gap first
		}
		senders.Go(func() {
			for _, tx := range txs {
				if pool.Submit(tx) == nil {
					promised.Store(tx.Hash(), tx.Nonce())
				}
			}
		})
		foreign := make([]*types.Transaction, 5)
		for n := range foreign {
			foreign[n] = delegated(t, key+4, key, bid(uint64(n), 276, 100))
		}
		senders.Go(func() { pool.Add(foreign, key%2 == 0) })
	}
	done := make(chan struct{})
	for _, f := range []func(){
		func() { pool.Pending(txpool.PendingFilter{}) },
		func() { pool.Content(); pool.Stats(); pool.ContentFrom(anzeonTestAddr(t, 1)) },
		func() { pool.Nonce(anzeonTestAddr(t, 2)); pool.Nonce(common.Address{9}); pool.Overdue(time.Now(), 5) },
		func() {
			promised.Range(func(hash, _ any) bool {
				pool.Status(hash.(common.Hash))
				return pool.GetMetadata(hash.(common.Hash)) != nil && pool.GetRLP(hash.(common.Hash), 0) != nil && pool.Known(hash.(common.Hash))
			})
		},
		func() {
			pool.Reset(chain.head, chain.head)
			pool.SetGasTip(big.NewInt(governedTip))
			pool.expire(time.Now())
		},
	} {
		others.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					f()
				}
			}
		})
	}
	senders.Wait()
	close(done)
	others.Wait()
	count := 0
	promised.Range(func(hash, nonce any) bool {
		count++
		if !pool.Has(hash.(common.Hash)) {
			t.Errorf("nonce %d was taken and is gone", nonce)
		}
		return true
	})
	if count == 0 {
		t.Error("nothing was taken")
	}
	checkPool(t, pool)
}

// BenchmarkFollow is the work at a new head with a pool of ten full blocks, one of which the head has.
func BenchmarkFollow(b *testing.B) {
	const accounts, each, mined = 3410, 15, 5000
	chain := newAnzeonTestChain(b)
	pool := chain.open(b)
	keys := make([]*ecdsa.PrivateKey, accounts)
	for i := range keys {
		var err error
		if keys[i], err = crypto.GenerateKey(); err != nil {
			b.Fatal(err)
		}
		chain.state.SetBalance(crypto.PubkeyToAddress(keys[i].PublicKey), uint256.MustFromBig(new(big.Int).Lsh(common.Big1, 100)), tracing.BalanceChangeUnspecified)
	}
	chain.extend(pool)
	txs := make([][]*types.Transaction, accounts)
	for i, key := range keys {
		for n := range uint64(each) {
			txs[i] = append(txs[i], types.MustSignNewTx(key, pool.signer, &types.DynamicFeeTx{ChainID: big.NewInt(8283), Nonce: n, Gas: 21000,
				To: &common.Address{1}, GasTipCap: big.NewInt(governedTip), GasFeeCap: big.NewInt(1e14)}))
		}
		for _, err := range pool.Add(txs[i], false) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	before, after := chain.state.Copy(), chain.state.Copy()
	var block []*types.Transaction
	for i := range mined / 2 {
		block = append(block, txs[i][:2]...)
		after.SetNonce(crypto.PubkeyToAddress(keys[i].PublicKey), 2, tracing.NonceChangeUnspecified)
	}
	for b.Loop() {
		pool.follow(chain.head, after, block, nil, true)
		b.StopTimer()
		pool.follow(chain.head, before, nil, block, true)
		if pending, queued := pool.Stats(); pending != accounts*each || queued != 0 {
			b.Fatalf("%d pending, %d queued", pending, queued)
		}
		b.StartTimer()
	}
}
