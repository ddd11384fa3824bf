// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"cmp"
	"crypto/ecdsa"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"
)

// backedFee is what one of a crowd's transactions may cost its fee payer, in wei.
const backedFee = 2e18

// crowd signs fee-delegated transfers without value of as many senders as a test needs, none of which has a coin.
type crowd struct {
	t    testing.TB
	keys []*ecdsa.PrivateKey
}

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

func (c *crowd) address(i int) common.Address { return crypto.PubkeyToAddress(c.key(i).PublicKey) }

// backed returns a transfer of sender i that key payer pays for.
func (c *crowd) backed(i int, nonce uint64, payer byte) *types.Transaction {
	c.t.Helper()
	return c.priced(i, nonce, payer, 1)
}

// priced returns one of a multiple of the usual fees.
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

// A new fee payer has sure places for a fiftieth of the pool, and for two more with each that it has paid for; it is
// refused a quarter of the pool. One with code, and one whose coins have moved away from under executable promises, is
// refused more than an account has for sure. spec: transactions 6 no. 5
func TestMayBack(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	payer := anzeonTestAddr(t, 9)
	limit := func(most, sure uint64, reason string) {
		t.Helper()
		have := pool.mayBack(payer)
		if have.most != most || have.sure != sure || !strings.Contains(have.reason, reason) || (reason == "") != (have.reason == "") {
			t.Errorf("may back %+v, want %d, %d of them for sure (%q)", have, most, sure, reason)
		}
	}
	included := func(n int) {
		var block []*types.Transaction
		for range n {
			block = append(block, delegated(t, 1, 9, nonce(100)))
		}
		pool.follow(chain.head, chain.state.Copy(), block, nil, true)
	}
	limit(12_800, 1024, "")
	included(10)
	limit(12_800, 1044, "")
	pool.hasPaid(anzeonTestAddr(t, 8), false)
	if pool.records.Len() != 1 {
		t.Error("who pays for itself only is remembered")
	}
	for range 6000 {
		pool.hasPaid(payer, true)
	}
	limit(12_800, 12_800, "")

	mustAdd(t, pool, delegated(t, 1, 9, nil))
	chain.fund(t, 9, 1)
	chain.extend(pool)
	checkPool(t, pool)
	limit(16, 16, "moved away")
	chain.fund(t, 9, 18e18)
	chain.extend(pool)
	limit(16, 16, "moved away") // coins that come back are no fees paid
	included(3)
	limit(22, 22, "moved away")
	for range 6389 {
		pool.hasPaid(payer, true)
	}
	limit(12_800, 12_800, "")

	payer = anzeonTestAddr(t, 8)
	chain.state.SetCode(payer, types.AddressToDelegation(common.Address{7}), tracing.CodeChangeUnspecified)
	chain.extend(pool)
	limit(16, 16, "its code")
}

// Junk behind gaps takes nothing from a fee payer: as many as it may back, from accounts without a coin, neither keep
// what can be executed out by their number nor by the coins that they reserve, whether peers sent them or they were
// submitted here. spec: transactions 6 no. 5
func TestGapsKeepNobodyOut(t *testing.T) {
	for _, tt := range []struct {
		name  string
		local bool
		fees  uint64 // that the payer has
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
			// What can be executed does not displace what can.
			err := pool.Submit(senders.backed(200, 0, 9))
			if !errors.Is(err, txpool.ErrFeePayerLimit) && !errors.Is(err, txpool.ErrFeePayerFunds) {
				t.Errorf("one more executable transaction: %v", err)
			}
			wantPooled(t, pool, want)
		})
	}
}

// The scenario of a sponsor that signs for anybody, with the limits of a node: all that wait behind gaps leave nearly
// the whole of what the payer may back, and are no more than an eighth of the places there are for such. spec:
// transactions 6 no. 5
func TestGapsOfOnePayer(t *testing.T) {
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
	// Those of peers do not displace what was submitted here, and what comes next among themselves displaces the
	// oldest.
	wantFull(t, submit(pool, senders.backed(1500, 1, 9)), "wait behind gaps")
	mustAdd(t, pool, senders.backed(1501, 0, 9))
	checkPool(t, pool)
}

// Of what waits behind gaps the sender that has waited longest loses its highest nonce first, and what was submitted
// here goes last. spec: transactions 4.5
func TestWhichGapsYield(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults; c.PayerSlots = 5 })
	chain.enrich(t, 9)
	chain.extend(pool)
	senders := &crowd{t: t}
	kept := senders.backed(0, 1, 9)
	if err := pool.Submit(kept); err != nil {
		t.Fatal(err)
	}
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

// The nonce that fills a gap displaces the end of its own sender's queue if need be, and what follows it runs.
func TestFillsOwnGap(t *testing.T) {
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

// A replacement makes room for itself where its fee payer may back fewer than it does, and does not count the one that
// it replaces as room.
func TestReplacementOverLimit(t *testing.T) {
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

// A sponsor's own transaction comes before what it backs behind gaps.
func TestSponsorSends(t *testing.T) {
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

// A refused transaction displaces nothing.
func TestRefusedDisplacesNothing(t *testing.T) {
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

// What comes beyond the sure places of a new fee payer has only room that no other transaction needs: any other one
// takes its place, the last one of a sender first, and it takes nobody's. spec: transactions 6 no. 5
func TestSparePlaces(t *testing.T) {
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
	if !errors.Is(err, txpool.ErrFeePayerLimit) || !strings.Contains(err.Error(), "limit 2 in a full pool until it has paid for some") {
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

// A payer that drains has lost its sure places, and with them those of all later promises until it has paid; one that
// owes only for what waits behind gaps, which anybody can bring about, has not. spec: transactions 6 no. 5
func TestWhoIsDrained(t *testing.T) {
	for _, tt := range []struct {
		name    string
		nonces  []uint64 // of the pooled transactions of one sender each
		fees    uint64   // that are left
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
			if have := pool.mayBack(anzeonTestAddr(t, 9)).most; have != tt.most {
				t.Errorf("may back %d, want %d", have, tt.most)
			}
			checkPool(t, pool)
		})
	}
}

// A transaction that a sender and a fee payer in debt share relieves each once: as few go as end both debts.
// spec: transactions 6 no. 5
func TestDebtsRelievedOnce(t *testing.T) {
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

// After a submission that was refused for want of room the sender's later ones are refused too, and named the nonce to
// send first. What peers send is kept: another node may have taken the one that is missing. spec: transactions 4.5
func TestAfterRefusal(t *testing.T) {
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
	mustAdd(t, pool, senders.backed(2, 1, 9)) // nobody was told that this sender's was refused
	if err := pool.Submit(refused); err != nil {
		t.Fatal(err)
	}
	for n := uint64(4); n < 5; n++ { // another gap
		chain.state.SetNonce(senders.address(1), 2, tracing.NonceChangeUnspecified)
		chain.extend(pool)
		if err := pool.Submit(senders.backed(1, n, 9)); err != nil {
			t.Errorf("behind another gap: %v", err)
		}
	}
	checkPool(t, pool)
}

// burst is a load of one new fee payer in simulated seconds.
type burst struct {
	perSecond, perBlock, seconds int
	retries                      bool // a refused transaction is sent again before the sender's next one
	accepted, refused, included  int
}

// run submits the transactions of 399 senders in turn, has blocks take the oldest, and goes on with blocks until these
// are empty.
func (b *burst) run(t *testing.T) *Pool {
	t.Helper()
	const senders = 399
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	pool.workers.slow = func() int { return 0 } // the rest of the crowded is real time
	chain.enrich(t, 9)
	chain.extend(pool)
	var (
		people     = &crowd{t: t}
		signers    [senders]types.Signers // recovered once: signatures are not what this is about
		recipients [senders]common.Address
		nonces     [senders]uint64
		sponsor    = anzeonTestAddr(t, 9)
	)
	for i := range signers {
		recipients[i] = people.address(i)
		tx := people.backed(i, 0, 9)
		if _, err := types.Sender(pool.signer, tx); err != nil {
			t.Fatal(err)
		}
		if err := types.VerifyFeePayer(pool.signer, tx); err != nil {
			t.Fatal(err)
		}
		signers[i] = tx.Signers()
	}
	offer := func(i int) {
		tx := types.NewTx(&types.FeeDelegateTx{FeePayer: &sponsor, SenderTx: types.DynamicFeeTx{
			ChainID: big.NewInt(8283), Nonce: nonces[i], Gas: 21_000, To: &recipients[i], GasTipCap: big.NewInt(governedTip), GasFeeCap: big.NewInt(1e14)}})
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
		pool.follow(chain.head, chain.state.Copy(), txs, nil, true)
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

// oldestFirst returns the executable transactions that have come first, each after what must come before it.
func oldestFirst(pool *Pool, n int) []*entry {
	type placed struct {
		*entry
		after uint64 // arrival of the last of those up to this one
	}
	var all []placed
	for _, a := range pool.accounts {
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

// A new fee payer carries what blocks take from its first second on: none is refused, and none left behind. Beyond that
// transactions are refused, and what was taken is in a block in the end, whether those refused are sent again or not.
// spec: transactions 6 no. 5
func TestBurstOfNewPayer(t *testing.T) {
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
