// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"crypto/ecdsa"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/internal/expect"
	"gwon/internal/must"
)

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
	expect.That(t, err != nil && err.Error() == "fee delegation: feePayer not set", "error %v", err)
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
		key := must.Get(crypto.ToECDSA(common.BigToHash(big.NewInt(int64(1_000_000 + len(c.keys)))).Bytes()))(c.t)
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
	must.Do(c.t, err)
	tx, err = types.WrapFeeDelegated(tx, anzeonTestAddr(c.t, payer))
	must.Do(c.t, err)
	tx, err = types.SignTx(tx, types.NewFeeDelegateSigner(big.NewInt(8283)), anzeonTestKey(c.t, payer))
	must.Do(c.t, err)
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
	expect.Equal(t, pool.tables.records.Len(), 1, "an account that pays for itself has a record")
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
	expect.Equal(t, taken, 1280, "behind gaps")
	// Queued transactions of peers displace no submissions. Executable ones do.
	wantFull(t, submit(pool, senders.backed(1500, 1, 9)), "wait behind gaps")
	mustAdd(t, pool, senders.backed(1501, 0, 9))
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
	pending, _ := pool.Stats()
	must.Equal(t, pending, 8, "pending")
	err := pool.Submit(senders.backed(7, 0, 9))
	if !errors.Is(err, txpool.ErrFeePayerLimit) ||
		!strings.Contains(err.Error(), "limit 2 in a full pool until it has paid for some") {
		t.Errorf("one more of the same payer: %v", err)
	}
	for key := byte(1); key <= 6; key++ {
		mustAdd(t, pool, ordinary(t, key, bid(0, 276, 100)))
		checkPool(t, pool)
		_, gapped := pool.Stats()
		expect.Equal(t, gapped, 0, "transactions behind gaps")
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
			expect.Equal(t, pool.policy.mayBack(pool.tables, anzeonTestAddr(t, 9)).most, tt.most, "may back")
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
	pending, queued := pool.Stats()
	expect.That(t, pending == 1 && queued == 0, "%d pending, %d queued", pending, queued)
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
	err := pool.Submit(refused)
	must.That(t, errors.Is(err, txpool.ErrFeePayerLimit), "beyond the limit: %v", err)
	err = submit(pool, senders.backed(2, 0, 9))
	must.That(t, errors.Is(err, txpool.ErrFeePayerLimit), "beyond the limit, of a peer: %v", err)
	chain.state.SetNonce(senders.address(0), 2, tracing.NonceChangeUnspecified)
	chain.extend(pool)
	wantFull(t, pool.Submit(senders.backed(1, 2, 9)), "the transaction with nonce 1 was refused; send it first")
	wantFull(t, pool.Submit(senders.backed(1, 3, 9)), "the transaction with nonce 1 was refused; send it first")
	mustAdd(t, pool, senders.backed(2, 1, 9)) // a peer's: its sender has no refused submission
	must.Do(t, pool.Submit(refused))
	chain.state.SetNonce(senders.address(1), 2, tracing.NonceChangeUnspecified)
	chain.extend(pool)
	expect.Error(t, pool.Submit(senders.backed(1, 4, 9)), nil, "behind another gap")
	checkPool(t, pool)
}
