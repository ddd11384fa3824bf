// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"cmp"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"gwon/internal/must"
)

// TestReservesFees keeps the fees of pooled transactions within the balance of their fee payer.
// spec: transactions 6 no. 5
func TestReservesFees(t *testing.T) {
	chain := newAnzeonTestChain(t)
	for key := byte(1); key <= 4; key++ {
		chain.fund(t, key, 3e18)
	}
	chain.fund(t, 9, 2*fee)
	chain.fund(t, 8, fee)
	pool := chain.open(t)

	first, second := delegated(t, 1, 9, nil), delegated(t, 2, 9, nil)
	mustAdd(t, pool, first, second)
	wantError(t, pool, delegated(t, 3, 9, nil), txpool.ErrFeePayerFunds)
	wantError(t, pool, delegated(t, 3, 9, nonce(5)), txpool.ErrFeePayerFunds) // queued ones count too
	mustAdd(t, pool, delegated(t, 3, 8, nil))

	// A replacement frees the coins of the replaced one.
	bumped := delegated(t, 1, 9, func(tx *types.DynamicFeeTx) {
		tx.GasTipCap, tx.GasFeeCap = big.NewInt(2*governedTip), big.NewInt(1.1e14)
	})
	wantError(t, pool, bumped, txpool.ErrFeePayerFunds)
	chain.fund(t, 9, 2.1*fee)
	chain.extend(pool)
	mustAdd(t, pool, bumped)
	self := ordinary(t, 1, func(tx *types.DynamicFeeTx) {
		tx.GasTipCap, tx.GasFeeCap, tx.Value = big.NewInt(3*governedTip), big.NewInt(1.3e14), new(big.Int)
	})
	mustAdd(t, pool, self)
	mustAdd(t, pool, delegated(t, 4, 9, nil))
	wantPooled(t, pool, map[*types.Transaction]bool{first: false, bumped: false, self: true, second: true})

	pool.Clear()
	wantPooled(t, pool, map[*types.Transaction]bool{self: false, second: false})
	mustAdd(t, pool, first)
	checkPool(t, pool)
}

// TestLimitOfPayer bounds the transactions of one fee payer. spec: transactions 6 no. 5
func TestLimitOfPayer(t *testing.T) {
	chain := newAnzeonTestChain(t)
	for key := byte(1); key <= 5; key++ {
		chain.fund(t, key, 1e18)
	}
	chain.fund(t, 9, 8*fee)
	config := Defaults
	config.GlobalSlots, config.AccountSlots = 16, 1
	testPayerLimit(t, chain, config)
	config.GlobalSlots, config.PayerSlots = Defaults.GlobalSlots, 4
	testPayerLimit(t, chain, config)
}

// testPayerLimit opens a pool in which one fee payer may back four transactions.
func testPayerLimit(t *testing.T, chain *anzeonTestChain, config Config) {
	pool := chain.openWith(t, config)
	for key := byte(1); key <= 4; key++ {
		mustAdd(t, pool, delegated(t, key, 9, nil))
	}
	wantError(t, pool, delegated(t, 5, 9, nil), txpool.ErrFeePayerLimit)
	mustAdd(t, pool, delegated(t, 4, 9, func(tx *types.DynamicFeeTx) {
		tx.GasTipCap, tx.GasFeeCap = big.NewInt(2*governedTip), big.NewInt(1.2e14)
	}))
	checkPool(t, pool)
}

// TestPayerIsOneWeiShort refuses the second transaction of two senders whose common payer can pay all but one wei.
// spec: transactions 6 no. 5
func TestPayerIsOneWeiShort(t *testing.T) {
	for _, short := range []uint64{0, 1} {
		t.Run(fmt.Sprint(short), func(t *testing.T) {
			chain := newAnzeonTestChain(t)
			chain.fund(t, 1, 1e18)
			chain.fund(t, 2, 1e18)
			chain.fund(t, 9, 2*fee-short)
			pool := chain.open(t)
			mustAdd(t, pool, delegated(t, 1, 9, nil))
			second := delegated(t, 2, 9, nil)
			if short == 0 {
				mustAdd(t, pool, second)
			} else {
				wantError(t, pool, second, txpool.ErrFeePayerFunds)
			}
			checkPool(t, pool)
		})
	}
}

// TestPayerNotSet refuses a transaction without a fee payer by the text of the network. spec: transactions 4.1
func TestPayerNotSet(t *testing.T) {
	chain := newAnzeonTestChain(t)
	chain.fund(t, 1, 4*fee)
	pool := chain.open(t)
	named := delegated(t, 1, 9, nil)
	v, r, s := named.RawSignatureValues()
	err := submit(pool, types.NewTx(&types.FeeDelegateTx{SenderTx: types.DynamicFeeTx{
		ChainID: named.ChainId(), To: named.To(), Gas: named.Gas(), GasTipCap: named.GasTipCap(),
		GasFeeCap: named.GasFeeCap(), Value: named.Value(), V: v, R: r, S: s,
	}}))
	if err == nil || err.Error() != "fee delegation: feePayer not set" {
		t.Errorf("error %v", err)
	}
}

// TestDrainedPayerLosesNewest drops the newest transactions until the balance covers the others. Included ones do not
// count. spec: transactions 6 no. 5
func TestDrainedPayerLosesNewest(t *testing.T) {
	chain := newAnzeonTestChain(t)
	for key := byte(1); key <= 4; key++ {
		chain.fund(t, key, 3e18)
	}
	chain.fund(t, 9, 4*fee)
	pool := chain.open(t)
	mined, kept, dropped := delegated(t, 1, 9, nil), delegated(t, 2, 9, nil), delegated(t, 3, 9, nil)
	own := ordinary(t, 4, func(tx *types.DynamicFeeTx) { tx.Value = new(big.Int) })
	start := time.Now()
	for i, tx := range []*types.Transaction{mined, kept, dropped, own} {
		tx.SetTime(start.Add(time.Duration(i) * time.Second))
	}
	mustAdd(t, pool, mined, kept, dropped, own)

	chain.state.SetNonce(anzeonTestAddr(t, 1), 1, tracing.NonceChangeUnspecified)
	chain.fund(t, 9, 2*fee)
	chain.extend(pool)
	wantPooled(t, pool, map[*types.Transaction]bool{mined: false, kept: true, dropped: true, own: true})

	chain.fund(t, 9, 2*fee-1)
	chain.extend(pool)
	wantPooled(t, pool, map[*types.Transaction]bool{kept: true, dropped: false, own: true})

	chain.fund(t, 9, 0)
	chain.extend(pool)
	wantPooled(t, pool, map[*types.Transaction]bool{kept: false, own: true})
}

// TestPayersOwnCostsCount takes own costs and fees for others from one balance. spec: transactions 6 no. 5 and 6
func TestPayersOwnCostsCount(t *testing.T) {
	free := func(n uint64) func(*types.DynamicFeeTx) {
		return func(tx *types.DynamicFeeTx) { tx.Nonce, tx.Value = n, new(big.Int) }
	}
	open := func(t *testing.T, payer uint64) (*anzeonTestChain, *Pool) {
		chain := newAnzeonTestChain(t)
		for key := byte(1); key <= 3; key++ {
			chain.fund(t, key, 3e18)
		}
		chain.fund(t, 9, payer)
		return chain, chain.open(t)
	}
	t.Run("own first", func(t *testing.T) {
		_, pool := open(t, 3*fee)
		queued := ordinary(t, 9, free(2))
		mustAdd(t, pool, ordinary(t, 9, free(0)), queued, delegated(t, 1, 9, nil))
		wantError(t, pool, delegated(t, 2, 9, nonce(1)), txpool.ErrFeePayerFunds) // behind a gap itself
		mustAdd(t, pool, delegated(t, 2, 9, nil))
		wantPooled(t, pool, map[*types.Transaction]bool{queued: false})
		wantError(t, pool, delegated(t, 3, 9, nil), txpool.ErrFeePayerFunds)
		wantError(t, pool, ordinary(t, 9, free(1)), gethcore.ErrInsufficientFunds)
		checkPool(t, pool)
	})
	t.Run("promises first", func(t *testing.T) {
		_, pool := open(t, 2*fee)
		mustAdd(t, pool, delegated(t, 1, 9, nil))
		wantError(t, pool, ordinary(t, 9, nil), gethcore.ErrInsufficientFunds) // its value is too much
		own := ordinary(t, 9, free(0))
		mustAdd(t, pool, own)
		wantError(t, pool, ordinary(t, 9, free(1)), gethcore.ErrInsufficientFunds)
		// A replacement needs the difference, which is missing here.
		wantError(t, pool, ordinary(t, 9, func(tx *types.DynamicFeeTx) {
			tx.GasTipCap, tx.GasFeeCap, tx.Value = big.NewInt(2*governedTip), big.NewInt(1.1e14), new(big.Int)
		}), gethcore.ErrInsufficientFunds)
		wantPooled(t, pool, map[*types.Transaction]bool{own: true})
	})
	t.Run("one account, three parts", func(t *testing.T) {
		// Account 9 pays for 1 and sends value in a transaction that 8 pays for. It has the exact coins.
		chain, pool := open(t, fee+1e18)
		chain.fund(t, 8, fee)
		chain.extend(pool)
		sent := delegated(t, 9, 8, nil)
		mustAdd(t, pool, delegated(t, 1, 9, nil), sent)
		wantError(
			t,
			pool,
			delegated(t, 9, 8, func(tx *types.DynamicFeeTx) { tx.Nonce, tx.Value = 1, common.Big1 }),
			gethcore.ErrInsufficientFunds,
		)
		wantPooled(t, pool, map[*types.Transaction]bool{sent: true})
	})
	t.Run("drained", func(t *testing.T) {
		chain, pool := open(t, 4*fee)
		txs := []*types.Transaction{
			delegated(t, 1, 9, nil),
			ordinary(t, 9, free(0)),
			delegated(t, 2, 9, nil),
			ordinary(t, 9, free(1)),
		}
		start := time.Now()
		for i, tx := range txs {
			tx.SetTime(start.Add(time.Duration(i) * time.Second))
		}
		mustAdd(t, pool, txs...)
		chain.fund(t, 9, 4*fee-1)
		chain.extend(pool)
		wantPooled(t, pool, map[*types.Transaction]bool{txs[0]: true, txs[1]: true, txs[2]: true, txs[3]: false})
		chain.fund(t, 9, 2*fee)
		chain.extend(pool)
		wantPooled(t, pool, map[*types.Transaction]bool{txs[0]: true, txs[1]: true, txs[2]: false})
		chain.fund(t, 9, 2*fee-1)
		chain.extend(pool)
		wantPooled(t, pool, map[*types.Transaction]bool{txs[0]: true, txs[1]: false})
	})
}

// TestDropOrderIsDeterministic drops the newest first when two accounts that share a transaction are in debt, whichever
// is examined first. spec: transactions 6 no. 5
func TestDropOrderIsDeterministic(t *testing.T) {
	for range 16 {
		chain := newAnzeonTestChain(t)
		chain.fund(t, 1, fee+2e18)
		chain.fund(t, 9, 3*fee)
		pool := chain.open(t)
		old := ordinary(t, 1, nil)
		shared := delegated(t, 1, 9, func(tx *types.DynamicFeeTx) { tx.Nonce = 1 })
		own := ordinary(t, 9, func(tx *types.DynamicFeeTx) { tx.Value = new(big.Int) })
		mustAdd(t, pool, old, shared, own)
		chain.fund(t, 1, fee+1e18)
		chain.fund(t, 9, 2*fee-1)
		chain.extend(pool)
		wantPooled(t, pool, map[*types.Transaction]bool{old: true, shared: false, own: false})
		for _, key := range []byte{1, 9} {
			if known, _ := pool.tables.records.Peek(anzeonTestAddr(t, key)); !known.drained {
				t.Errorf("nothing is remembered of key %d", key)
			}
		}
	}
}

// backedFee is the most that one of a crowd's transactions pays in fees, in wei.
const backedFee = 2e18

// crowd signs delegated transfers of any number of senders without coins.
type crowd struct {
	t    testing.TB
	keys []*ecdsa.PrivateKey
}

// key returns the key of sender i.
func (c *crowd) key(i int) *ecdsa.PrivateKey {
	c.t.Helper()
	for len(c.keys) <= i {
		key, err := crypto.ToECDSA(common.BigToHash(big.NewInt(int64(1_000_000 + len(c.keys)))).Bytes())
		if err != nil {
			c.t.Fatal(err)
		}
		c.keys = append(c.keys, key)
	}
	return c.keys[i]
}

// address returns the address of sender i.
func (c *crowd) address(i int) common.Address { return crypto.PubkeyToAddress(c.key(i).PublicKey) }

// backed returns a transfer of sender i with a fee payer.
func (c *crowd) backed(i int, nonce uint64, payer byte) *types.Transaction {
	c.t.Helper()
	return c.priced(i, nonce, payer, 1)
}

// priced returns such a transfer with a multiple of the usual fees.
func (c *crowd) priced(i int, nonce uint64, payer byte, times int64) *types.Transaction {
	c.t.Helper()
	tx, err := types.SignNewTx(c.key(i), types.NewAnzeonSigner(big.NewInt(8283)), &types.DynamicFeeTx{
		ChainID: big.NewInt(8283), Nonce: nonce, Gas: 25_000, To: &common.Address{1},
		GasTipCap: big.NewInt(times * governedTip), GasFeeCap: big.NewInt(times * backedFee / 25_000)})
	if err != nil {
		c.t.Fatal(err)
	}
	if tx, err = types.WrapFeeDelegated(tx, anzeonTestAddr(c.t, payer)); err != nil {
		c.t.Fatal(err)
	}
	if tx, err = types.SignTx(tx, types.NewFeeDelegateSigner(big.NewInt(8283)), anzeonTestKey(c.t, payer)); err != nil {
		c.t.Fatal(err)
	}
	return tx
}

// TestPayerEarnsSurePlaces checks limits and reserved slots of fee payers: new ones, with history, with code, and
// drained. spec: transactions 6 no. 5
func TestPayerEarnsSurePlaces(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	payer := anzeonTestAddr(t, 9)
	limit := func(most, sure uint64, reason string) {
		t.Helper()
		have := pool.policy.mayBack(pool.tables, payer)
		if have.most != most || have.sure != sure || !strings.Contains(have.reason, reason) ||
			(reason == "") != (have.reason == "") {
			t.Errorf("may back %+v, want %d, %d of them for sure (%q)", have, most, sure, reason)
		}
	}
	included := func(n int) {
		var block []*types.Transaction
		for range n {
			block = append(block, delegated(t, 1, 9, nonce(100)))
		}
		pool.follow(chain.head, chain.state.Copy(), path{block, nil, true})
	}
	limit(12_800, 1024, "")
	included(10)
	limit(12_800, 1044, "")
	pool.tables.notePaid(anzeonTestAddr(t, 8), false)
	if pool.tables.records.Len() != 1 {
		t.Error("an account that pays for itself has a record")
	}
	for range 6000 {
		pool.tables.notePaid(payer, true)
	}
	limit(12_800, 12_800, "")

	mustAdd(t, pool, delegated(t, 1, 9, nil))
	chain.fund(t, 9, 1)
	chain.extend(pool)
	checkPool(t, pool)
	limit(16, 16, "moved away")
	chain.fund(t, 9, 18e18)
	chain.extend(pool)
	limit(16, 16, "moved away") // returned coins are not paid fees
	included(3)
	limit(22, 22, "moved away")
	for range 6389 {
		pool.tables.notePaid(payer, true)
	}
	limit(12_800, 12_800, "")

	payer = anzeonTestAddr(t, 8)
	chain.state.SetCode(payer, types.AddressToDelegation(common.Address{7}), tracing.CodeChangeUnspecified)
	chain.extend(pool)
	limit(16, 16, "its code")
}

// TestExecutableDisplacesQueued lets queued transactions of a fee payer occupy neither places nor coins that executable
// ones need. spec: transactions 6 no. 5
func TestExecutableDisplacesQueued(t *testing.T) {
	for _, tt := range []struct {
		name  string
		local bool
		fees  uint64 // that the payer can pay
	}{
		{"peers, by number", false, 1_000_000},
		{"peers, by coins", false, 3},
		{"submitted, by number", true, 1_000_000},
		{"submitted, by coins", true, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			chain, pool := small(t, func(c *Config) { *c = Defaults; c.PayerSlots = 8 })
			balance := new(uint256.Int).Mul(uint256.NewInt(tt.fees), uint256.NewInt(backedFee))
			chain.state.SetBalance(anzeonTestAddr(t, 9), balance, tracing.BalanceChangeUnspecified)
			chain.extend(pool)
			senders := &crowd{t: t}
			for i := range 20 {
				if tx := senders.backed(i, 1, 9); tt.local {
					_ = pool.Submit(tx)
				} else {
					_ = submit(pool, tx)
				}
				checkPool(t, pool)
			}
			_, junk := pool.Stats()
			if junk == 0 {
				t.Fatal("nothing waits behind a gap")
			}
			want := map[*types.Transaction]bool{}
			for i := range min(8, int(tt.fees)) {
				tx := senders.backed(100+i, 0, 9)
				if err := pool.Submit(tx); err != nil {
					t.Fatalf("executable transaction %d: %v", i, err)
				}
				want[tx] = true
				checkPool(t, pool)
			}
			if pending, queued := pool.Stats(); pending != len(want) || queued != 0 {
				t.Errorf("%d pending and %d queued, want %d and none", pending, queued, len(want))
			}
			wantPooled(t, pool, want)
			// Executable transactions do not displace each other.
			err := pool.Submit(senders.backed(200, 0, 9))
			if !errors.Is(err, txpool.ErrFeePayerLimit) && !errors.Is(err, txpool.ErrFeePayerFunds) {
				t.Errorf("one more executable transaction: %v", err)
			}
			wantPooled(t, pool, want)
		})
	}
}

// TestQueueLimitOfPayer bounds the queued transactions of a fee payer that signs for any sender: an eighth of the
// queue. spec: transactions 6 no. 5
func TestQueueLimitOfPayer(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.enrich(t, 9)
	chain.extend(pool)
	senders := &crowd{t: t}
	taken := 0
	for i := range 1400 {
		err := pool.Submit(senders.backed(i, 1, 9))
		if err == nil {
			taken++
			continue
		}
		wantFull(t, err, "1280 transactions that this fee payer backs wait behind gaps; send the one with nonce 0 first")
	}
	if taken != 1280 {
		t.Errorf("%d behind gaps, want 1280", taken)
	}
	// Queued transactions of peers displace no submissions. Executable ones do.
	wantFull(t, submit(pool, senders.backed(1500, 1, 9)), "wait behind gaps")
	mustAdd(t, pool, senders.backed(1501, 0, 9))
	checkPool(t, pool)
}

// TestDisplacesLongestQueued displaces the highest nonce of the sender that has waited longest, and submissions last.
// spec: transactions 4.5
func TestDisplacesLongestQueued(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults; c.PayerSlots = 5 })
	chain.enrich(t, 9)
	chain.extend(pool)
	senders := &crowd{t: t}
	kept := senders.backed(0, 1, 9)
	must.Do(t, pool.Submit(kept))
	a1, a3, b1, a2 := senders.backed(1, 1, 9), senders.backed(1, 3, 9), senders.backed(2, 1, 9), senders.backed(1, 2, 9)
	mustAdd(t, pool, a1, a3, b1, a2)
	all := []*types.Transaction{a3, a2, a1, b1, kept}
	for i := range all {
		mustAdd(t, pool, senders.backed(10+i, 0, 9))
		want := map[*types.Transaction]bool{}
		for j, tx := range all {
			want[tx] = j > i
		}
		wantPooled(t, pool, want)
		checkPool(t, pool)
	}
}

// TestMissingNonceDisplacesOwnTail displaces the end of the sender's own queue for the missing nonce.
func TestMissingNonceDisplacesOwnTail(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults; c.PayerSlots = 3 })
	chain.enrich(t, 9)
	chain.extend(pool)
	senders := &crowd{t: t}
	one, two, three := senders.backed(0, 1, 9), senders.backed(0, 2, 9), senders.backed(0, 3, 9)
	zero := senders.backed(0, 0, 9)
	mustAdd(t, pool, one, two, three, zero)
	wantPooled(t, pool, map[*types.Transaction]bool{zero: true, one: true, two: true, three: false})
	if pending, queued := pool.Stats(); pending != 3 || queued != 0 {
		t.Errorf("%d pending, %d queued", pending, queued)
	}
	checkPool(t, pool)
}

// TestReplacementBeyondLimit displaces others for a replacement of a fee payer beyond its limit, not the replaced one.
func TestReplacementBeyondLimit(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.enrich(t, 9)
	chain.extend(pool)
	senders := &crowd{t: t}
	for i := range 20 {
		mustAdd(t, pool, senders.backed(i, 1, 9))
	}
	chain.state.SetCode(anzeonTestAddr(t, 9), types.AddressToDelegation(common.Address{7}), tracing.CodeChangeUnspecified)
	chain.extend(pool)
	dearer := senders.priced(0, 1, 9, 2)
	mustAdd(t, pool, dearer)
	if _, queued := pool.Stats(); queued != 16 || !pool.Has(dearer.Hash()) {
		t.Errorf("%d wait behind gaps, want 16", queued)
	}
	checkPool(t, pool)
}

// TestSponsorsOwnTransactionDisplacesQueued gives a sponsor's own transaction the coins that queued ones reserve.
func TestSponsorsOwnTransactionDisplacesQueued(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.fund(t, 9, 2*backedFee)
	chain.extend(pool)
	senders := &crowd{t: t}
	for i := range 2 {
		mustAdd(t, pool, senders.backed(i, 1, 9))
	}
	wantError(t, pool, ordinary(t, 9, nonce(1)), gethcore.ErrInsufficientFunds) // behind a gap itself
	mustAdd(t, pool, ordinary(t, 9, nil))                                       // 3.1 coins of 4
	if pending, queued := pool.Stats(); pending != 1 || queued != 0 {
		t.Errorf("%d pending, %d queued", pending, queued)
	}
	checkPool(t, pool)
}

// TestRefusedDisplacesNone keeps queued transactions when the one that would displace them is refused.
func TestRefusedDisplacesNone(t *testing.T) {
	chain, pool := small(t, func(c *Config) { c.PayerSlots, c.GlobalQueue = 2, 20 })
	chain.enrich(t, 9)
	chain.extend(pool)
	senders := &crowd{t: t}
	one, two := senders.backed(0, 1, 9), senders.backed(1, 1, 9)
	mustAdd(t, pool, one, two)
	for key := byte(1); key <= 4; key++ { // the pool is full
		mustAdd(t, pool, ordinary(t, key, bid(0, 276, 100)))
	}
	if err := pool.Submit(senders.backed(2, 0, 9)); err == nil {
		t.Fatal("a full pool takes it")
	}
	wantPooled(t, pool, map[*types.Transaction]bool{one: true, two: true})
	checkPool(t, pool)
}

// TestEvictsSpare evicts transactions without a reserved slot of their fee payer for any other transaction.
// spec: transactions 6 no. 5
func TestEvictsSpare(t *testing.T) {
	chain, pool := small(t, func(c *Config) { c.GlobalSlots, c.AccountSlots, c.PayerSlots = 8, 2, 9 })
	chain.enrich(t, 9)
	chain.extend(pool)
	senders := &crowd{t: t}
	sure, spare, follows := senders.backed(0, 0, 9), senders.backed(2, 0, 9), senders.backed(2, 1, 9)
	mustAdd(t, pool, sure, senders.backed(1, 0, 9), spare, follows)
	for i := 3; i < 7; i++ {
		mustAdd(t, pool, senders.backed(i, 0, 9))
	}
	if pending, _ := pool.Stats(); pending != 8 {
		t.Fatalf("%d pending", pending)
	}
	err := pool.Submit(senders.backed(7, 0, 9))
	if !errors.Is(err, txpool.ErrFeePayerLimit) ||
		!strings.Contains(err.Error(), "limit 2 in a full pool until it has paid for some") {
		t.Errorf("one more of the same payer: %v", err)
	}
	for key := byte(1); key <= 6; key++ {
		mustAdd(t, pool, ordinary(t, key, bid(0, 276, 100)))
		checkPool(t, pool)
		if _, queued := pool.Stats(); queued != 0 {
			t.Errorf("%d wait behind gaps", queued)
		}
	}
	wantPooled(t, pool, map[*types.Transaction]bool{sure: true, spare: false, follows: false})
	wantFull(t, submit(pool, ordinary(t, 7, bid(0, 276, 100))), "8 transactions wait for a block")
	wantPooled(t, pool, map[*types.Transaction]bool{sure: true})
}

// TestDrainedByExecutableOnly counts a fee payer as drained for a debt of executable transactions, not of queued ones.
// spec: transactions 6 no. 5
func TestDrainedByExecutableOnly(t *testing.T) {
	for _, tt := range []struct {
		name    string
		nonces  []uint64 // of one transaction for each sender
		fees    uint64   // that the payer can still pay
		most    uint64
		pending int
		queued  int
	}{
		{"executable promises are void", []uint64{0, 0, 0}, 1, 16, 1, 0},
		{"promises behind gaps are void", []uint64{1, 1, 0}, 1, 12_800, 1, 0},
		{"those behind gaps do not suffice", []uint64{1, 0, 0}, 1, 16, 1, 0},
		{"the newest behind gaps goes first", []uint64{0, 1, 1}, 2, 12_800, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			chain, pool := small(t, func(c *Config) { *c = Defaults })
			senders := &crowd{t: t}
			chain.fund(t, 9, 3*backedFee)
			chain.extend(pool)
			for i, n := range tt.nonces {
				mustAdd(t, pool, senders.backed(i, n, 9))
			}
			chain.fund(t, 9, tt.fees*backedFee)
			chain.extend(pool)
			if pending, queued := pool.Stats(); pending != tt.pending || queued != tt.queued {
				t.Errorf("%d pending and %d queued, want %d and %d", pending, queued, tt.pending, tt.queued)
			}
			if have := pool.policy.mayBack(pool.tables, anzeonTestAddr(t, 9)).most; have != tt.most {
				t.Errorf("may back %d, want %d", have, tt.most)
			}
			checkPool(t, pool)
		})
	}
}

// TestSharedTransactionRelievesBothDebts drops as few transactions as end the debts of sender and fee payer.
// spec: transactions 6 no. 5
func TestSharedTransactionRelievesBothDebts(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.fund(t, 1, 10e18)
	chain.fund(t, 9, 10e18)
	chain.extend(pool)
	var txs []*types.Transaction
	for n := range uint64(4) {
		txs = append(txs, delegated(t, 1, 9, nonce(n))) // one coin of value, 2.1 of fees
	}
	mustAdd(t, pool, txs...)
	chain.fund(t, 1, 3e18)          // a debt of 1: one transaction
	chain.fund(t, 9, 2*fee+fee/100) // a debt of two fees, less a bit: two transactions
	chain.extend(pool)
	wantPooled(t, pool, map[*types.Transaction]bool{txs[0]: true, txs[1]: true, txs[2]: false, txs[3]: false})
	checkPool(t, pool)
}

// TestRefusesAfterRefusedNonce refuses submissions behind a refused one and names its nonce. Transactions of peers are
// queued: another node may have admitted the missing one. spec: transactions 4.5
func TestRefusesAfterRefusedNonce(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults; c.PayerSlots = 3 })
	chain.enrich(t, 9)
	chain.extend(pool)
	senders := &crowd{t: t}
	first := senders.backed(1, 0, 9)
	mustAdd(t, pool, senders.backed(0, 0, 9), senders.backed(0, 1, 9), first)
	refused := senders.backed(1, 1, 9)
	if err := pool.Submit(refused); !errors.Is(err, txpool.ErrFeePayerLimit) {
		t.Fatalf("beyond the limit: %v", err)
	}
	if err := submit(pool, senders.backed(2, 0, 9)); !errors.Is(err, txpool.ErrFeePayerLimit) {
		t.Fatalf("beyond the limit, of a peer: %v", err)
	}
	chain.state.SetNonce(senders.address(0), 2, tracing.NonceChangeUnspecified)
	chain.extend(pool)
	wantFull(t, pool.Submit(senders.backed(1, 2, 9)), "the transaction with nonce 1 was refused; send it first")
	wantFull(t, pool.Submit(senders.backed(1, 3, 9)), "the transaction with nonce 1 was refused; send it first")
	mustAdd(t, pool, senders.backed(2, 1, 9)) // a peer's: its sender has no refused submission
	must.Do(t, pool.Submit(refused))
	chain.state.SetNonce(senders.address(1), 2, tracing.NonceChangeUnspecified)
	chain.extend(pool)
	if err := pool.Submit(senders.backed(1, 4, 9)); err != nil {
		t.Errorf("behind another gap: %v", err)
	}
	checkPool(t, pool)
}

// burst is a load of one new fee payer in simulated seconds.
type burst struct {
	perSecond, perBlock, seconds int
	retries                      bool // a refused nonce is sent again before the next one
	accepted, refused, included  int
}

// run submits the transactions of 399 senders in rotation, with a block of the oldest ones each second.
func (b *burst) run(t *testing.T) *Pool {
	t.Helper()
	const senders = 399
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	pool.control.factor = func() int { return 0 } // delays are real time
	chain.enrich(t, 9)
	chain.extend(pool)
	var (
		people     = &crowd{t: t}
		signers    [senders]types.Signers // recovered once, to save time
		recipients [senders]common.Address
		nonces     [senders]uint64
		sponsor    = anzeonTestAddr(t, 9)
	)
	for i := range signers {
		recipients[i] = people.address(i)
		tx := people.backed(i, 0, 9)
		must.Get(types.Sender(pool.signer, tx))(t)
		must.Do(t, types.VerifyFeePayer(pool.signer, tx))
		signers[i] = tx.Signers()
	}
	offer := func(i int) {
		tx := types.NewTx(&types.FeeDelegateTx{FeePayer: &sponsor, SenderTx: types.DynamicFeeTx{
			ChainID: big.NewInt(8283), Nonce: nonces[i], Gas: 21_000, To: &recipients[i],
			GasTipCap: big.NewInt(governedTip), GasFeeCap: big.NewInt(1e14),
		}})
		tx.SetSigners(signers[i])
		err := pool.Submit(tx)
		switch {
		case err == nil:
			b.accepted++
		case errors.Is(err, txpool.ErrOutOfCapacity):
			b.refused++
		default:
			t.Fatalf("sender %d, nonce %d: %v", i, nonces[i], err)
		}
		if err == nil || !b.retries {
			nonces[i]++
		}
	}
	block := func() int {
		var txs []*types.Transaction
		for _, e := range oldestFirst(pool, b.perBlock) {
			txs = append(txs, e.tx)
			chain.state.SetNonce(e.from, e.tx.Nonce()+1, tracing.NonceChangeUnspecified)
		}
		chain.moveTo(types.CopyHeader(chain.head))
		chain.head.Number.Add(chain.head.Number, common.Big1)
		pool.follow(chain.head, chain.state.Copy(), path{txs, nil, true})
		b.included += len(txs)
		return len(txs)
	}
	for second := range b.seconds {
		for n := range b.perSecond {
			offer((second*b.perSecond + n) % senders)
		}
		block()
	}
	for block() > 0 {
	}
	checkPool(t, pool)
	return pool
}

// oldestFirst returns the first n executable transactions by arrival, each after the earlier nonces of its sender.
func oldestFirst(pool *Pool, n int) []*entry {
	type placed struct {
		*entry
		after uint64 // last arrival of this and earlier nonces
	}
	var all []placed
	for _, a := range pool.tables.accounts {
		after := uint64(0)
		for _, e := range a.txs[:a.executable] {
			after = max(after, e.seq)
			all = append(all, placed{e, after})
		}
	}
	slices.SortFunc(all, func(x, y placed) int {
		return cmp.Or(cmp.Compare(x.after, y.after), cmp.Compare(x.tx.Nonce(), y.tx.Nonce()))
	})
	oldest := make([]*entry, min(n, len(all)))
	for i := range oldest {
		oldest[i] = all[i].entry
	}
	return oldest
}

// TestBurstOfNewPayerIsAdmitted refuses none of a new fee payer up to the rate of the blocks. All admitted transactions
// are included, also beyond that rate. spec: transactions 6 no. 5
func TestBurstOfNewPayerIsAdmitted(t *testing.T) {
	for _, tt := range []struct {
		name    string
		burst   burst
		refuses bool
	}{
		{"as much as blocks take", burst{perSecond: 2000, perBlock: 2000, seconds: 20}, false},
		{"twice as much, refused ones sent again", burst{perSecond: 4000, perBlock: 2000, seconds: 12, retries: true}, true},
		{"twice as much, refused ones left out", burst{perSecond: 4000, perBlock: 2000, seconds: 12}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := &tt.burst
			pool := b.run(t)
			t.Logf("%d taken, %d refused, %d in blocks", b.accepted, b.refused, b.included)
			if refuses := b.refused > 0; refuses != tt.refuses {
				t.Errorf("%d refused", b.refused)
			}
			if pending, queued := pool.Stats(); b.included != b.accepted || pending != 0 || queued != 0 {
				t.Errorf("%d taken, %d in blocks, %d pending, %d behind gaps", b.accepted, b.included, pending, queued)
			}
		})
	}
}
