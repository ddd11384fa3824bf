// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"time"

	gethcore "github.com/ethereum/go-ethereum/core"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// counted counts the authorizations whose signature the pool recovers.
func counted(pool *Pool) *atomic.Int64 {
	var n atomic.Int64
	authorityOf := pool.recoverAuthority
	pool.recoverAuthority = func(auth *types.SetCodeAuthorization) (common.Address, error) {
		n.Add(1)
		return authorityOf(auth)
	}
	return &n
}

// TestRecoversAuthoritiesLast recovers authorities after all other checks. spec: transactions 4.1 and 4.2
func TestRecoversAuthoritiesLast(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.enrich(t, 1)
	chain.enrich(t, 2)
	chain.enrich(t, 3)
	chain.state.SetNonce(anzeonTestAddr(t, 2), 5, tracing.NonceChangeUnspecified)
	chain.state.SetBlacklisted(anzeonTestAddr(t, 3), true)
	chain.state.SetCode(anzeonTestAddr(t, 5), types.AddressToDelegation(common.Address{7}), tracing.CodeChangeUnspecified)
	chain.enrich(t, 5)
	chain.extend(pool)
	recovered := counted(pool)
	auths := manyAuthorizations(t, 100)
	mustAdd(t, pool, ordinary(t, 1, bid(0, 276, 100)))
	for want, tx := range map[error]*types.Transaction{
		gethcore.ErrInsufficientFunds:           carry(t, 99, 0, auths...), // has no coins
		gethcore.ErrNonceTooLow:                 carry(t, 2, 4, auths...),
		txpool.ErrReplaceUnderpriced:            carry(t, 1, 0, auths...),
		legacypool.ErrOutOfOrderTxFromDelegated: carry(t, 5, 1, auths...),
	} {
		wantError(t, pool, tx, want)
		expect.Error(t, pool.Submit(tx), want, "submitted here: error")
	}
	expect.Refused(t, submit(pool, carry(t, 3, 0, auths...)), "a blacklisted sender's transaction is taken")
	expect.Equal(t, recovered.Load(), 0, "authorizations are recovered in vain")
	mustAdd(t, pool, carry(t, 1, 1, auths...))
	expect.Equal(t, recovered.Load(), 100, "authorizations of 100 are recovered")
	checkPool(t, pool)
}

// TestRecoversAuthoritiesOfFirstNonceOnly decides each transaction of a message before the next one is examined.
func TestRecoversAuthoritiesOfFirstNonceOnly(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.enrich(t, 1)
	chain.extend(pool)
	recovered := counted(pool)
	txs := make([]*types.Transaction, 10)
	for i := range txs {
		auths := manyAuthorizations(t, 100)
		auths[0].Address[0] = byte(i)
		txs[i] = carry(t, 1, 0, auths...)
	}
	for i, err := range pool.Add(txs, true) {
		expect.That(t, (i != 0 || err == nil) && (i <= 0 || errors.Is(err, txpool.ErrReplaceUnderpriced)),
			"transaction %d: %v", i, err)
	}
	n := recovered.Load()
	expect.That(t, n == 100, "%d authorizations are recovered, want those of the first", n)
}

// TestRefusedCopyRecoversNoAuthorities answers a copy without a worker while nothing has changed. Later its authorities
// are recovered in batches.
func TestRefusedCopyRecoversNoAuthorities(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.fund(t, 1, 0)
	chain.extend(pool)
	recovered := counted(pool)
	poor := carry(t, 1, 0, manyAuthorizations(t, 100)...)
	wantError(t, pool, decoded(t, poor), gethcore.ErrInsufficientFunds)
	release := occupy(t, pool.control)
	answers := make(chan error, 1)
	answer := func() error {
		t.Helper()
		select {
		case err := <-answers:
			return err
		case <-time.After(patience):
			t.Fatal("no answer")
			return nil
		}
	}
	for range 3 {
		go func() { answers <- submit(pool, decoded(t, poor)) }()
		expect.Error(t, answer(), gethcore.ErrInsufficientFunds, "error")
	}
	chain.enrich(t, 1)
	chain.extend(pool)
	go func() { answers <- submit(pool, decoded(t, poor)) }()
	awaitWaiting(t, pool.control, 0, 1)
	expect.Equal(t, recovered.Load(), 0, "authorizations are recovered while no worker is free")
	release()
	if err := answer(); err != nil || recovered.Load() != 100 {
		t.Errorf("error %v, %d authorizations of 100 are recovered", err, recovered.Load())
	}
}

// TestAuthoritiesInBatches recovers the authorities of a submission in batches of its quota.
func TestAuthoritiesInBatches(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.enrich(t, 1)
	chain.extend(pool)
	tx := carry(t, 1, 0, manyAuthorizations(t, 3*batchSignatures)...)
	for _, most := range []int{submissionQuota, batchSignatures} {
		batches, left := 0, 3*batchSignatures
		must.Get(pool.recoverAuthorities(tx, most, func(work func(), signatures int) error {
			expect.That(t, signatures == most, "a batch of %d signatures, want %d", signatures, most)
			batches, left = batches+1, left-signatures
			work()
			return nil
		}))(t)
		expect.That(t, left == 0 && batches == 3*batchSignatures/most,
			"%d batches of at most %d, %d signatures left", batches, most, left)
	}
	pool.control.limit = 1
	pool.control.factor = func() int { return 1 } // a pause follows each batch
	pauses, batches := 0, 0                       // the one worker alone uses them
	pool.control.pause = func(time.Duration) { pauses++ }
	must.Do(t, pool.Submit(tx))
	must.Do(t, pool.control.run(func() { batches = pauses }, 0, false))
	if want := 1 + 3*batchSignatures/submissionQuota; batches != want {
		t.Errorf("%d batches for a submission with %d authorizations, want %d", batches, 3*batchSignatures, want)
	}
}

// TestInvalidAuthorizationsRestrictNone restricts the signer of an authorization only if that can be valid here, now or
// later (EIP-7702, behavior 1, 2 and 6). spec: transactions 4.1 row 8
func TestInvalidAuthorizationsRestrictNone(t *testing.T) {
	for _, tt := range []struct {
		name           string
		chainID, nonce uint64
		alive          bool
	}{
		{"other chain", 1, 5, false},
		{"other chain, later nonce", 8282, 9, false},
		{"spent", 8283, 4, false},
		{"spent, any chain", 0, 4, false},
		{"last nonce", 8283, math.MaxUint64, false},
		{"now", 8283, 5, true},
		{"now, any chain", 0, 5, true},
		{"later", 8283, 6, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, victimFirst := range []bool{false, true} {
				chain, pool := small(t, func(c *Config) { *c = Defaults })
				chain.state.SetNonce(anzeonTestAddr(t, 1), 5, tracing.NonceChangeUnspecified)
				chain.extend(pool)
				carrier := carry(t, 2, 77, authorization(t, 1, tt.chainID, tt.nonce)) // queued
				own := []*types.Transaction{ordinary(t, 1, bid(5, 276, 100)), ordinary(t, 1, bid(6, 276, 100))}
				if victimFirst {
					mustAdd(t, pool, own...)
					if err := submit(pool, carrier); errors.Is(err, legacypool.ErrAuthorityReserved) != tt.alive {
						t.Errorf("the carrier after two of the author: error %v", err)
					}
					continue
				}
				mustAdd(t, pool, carrier, own[0])
				if err := submit(pool, own[1]); errors.Is(err, txpool.ErrInflightTxLimitReached) != tt.alive {
					t.Errorf("the author's second transaction: error %v", err)
				}
				limit := pool.policy.mayBack(pool.tables, anzeonTestAddr(t, 1)).most
				expect.That(t, (limit == pool.policy.config.AccountSlots) == tt.alive, "the author may back %d", limit)
				// An authorization below the nonce of its account restricts none.
				if tt.alive {
					chain.state.SetNonce(anzeonTestAddr(t, 1), tt.nonce+1, tracing.NonceChangeUnspecified)
					chain.extend(pool)
					mustAdd(t, pool, ordinary(t, 1, bid(tt.nonce+1, 276, 100)), ordinary(t, 1, bid(tt.nonce+2, 276, 100)))
				}
				checkPool(t, pool)
			}
		})
	}
}

// TestCountsAuthorizations counts the authorization of an account that can be valid longest, until all are gone.
func TestCountsAuthorizations(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	auths := []types.SetCodeAuthorization{
		authorization(t, 1, 8283, 2),
		authorization(t, 3, 8283, 0),
		authorization(t, 1, 0, 7),
		authorization(t, 1, 8283, 3),
	}
	auths = append(auths, types.SetCodeAuthorization{ChainID: *uint256.NewInt(8283), V: 9}) // invalid signature
	want := []authority{{anzeonTestAddr(t, 1), 7}, {anzeonTestAddr(t, 3), 0}}
	first, second := carry(t, 2, 0, auths...), carry(t, 4, 0, auths[0])
	expect.Slice(t, pool.authoritiesOf(first), want, "authors")
	mustAdd(t, pool, first, second)
	have := pool.tables.delegations[anzeonTestAddr(t, 1)]
	expect.That(t, have == (delegation{2, 7}), "%+v", have)
	for _, sender := range []byte{2, 4} {
		expect.That(t, pool.policy.mayDelegate(pool.tables, anzeonTestAddr(t, 1)), "nothing is known of an authorization")
		chain.state.SetNonce(anzeonTestAddr(t, sender), 1, tracing.NonceChangeUnspecified)
		chain.extend(pool)
		checkPool(t, pool)
	}
	expect.Equal(t, len(pool.tables.delegations), 0, "%v is left", pool.tables.delegations)
}
