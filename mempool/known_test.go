// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"testing"
	"time"

	gethcore "github.com/ethereum/go-ethereum/core"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// TestRefusedCopyNeedsNoRecovery answers copies of refused transactions while all workers are busy. Only a wrong
// signature is refused for good.
func TestRefusedCopyNeedsNoRecovery(t *testing.T) {
	chain, pool := small(t, nil)
	chain.fund(t, 1, 0)
	chain.extend(pool)
	poor := ordinary(t, 1, bid(0, 276, 100))
	wantError(t, pool, poor, gethcore.ErrInsufficientFunds)
	forged := forged()
	must.That(t, submit(pool, forged) != nil, "a forged transaction is taken")
	occupy(t, pool.control)
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
			expect.Error(t, err, want, "answer %d", i)
		case <-time.After(patience):
			t.Fatal("a copy waits for a worker")
		}
	}
	expect.That(t, pool.Known(forged.Hash()) && pool.Known(poor.Hash()) && !pool.Known(common.Hash{1}),
		"known: the pooled, those refused for good, nothing else")
}

// TestIncludedCopyNeedsNoRecovery refuses copies of included transactions without recovery, also those that waited. A
// submission gets the error about its nonce.
func TestIncludedCopyNeedsNoRecovery(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.enrich(t, 1)
	chain.extend(pool)
	tx := ordinary(t, 1, bid(0, 276, 100))
	release := occupy(t, pool.control)
	early, answer := decoded(t, tx), make(chan error)
	go func() { answer <- pool.Add([]*types.Transaction{early}, false)[0] }()
	awaitWaiting(t, pool.control, 0, 1)
	chain.state.SetNonce(anzeonTestAddr(t, 1), 1, tracing.NonceChangeUnspecified)
	pool.follow(chain.head, chain.state.Copy(), path{[]*types.Transaction{tx}, nil, true})

	late, answers := decoded(t, tx), make(chan error, 1)
	go func() { answers <- pool.Add([]*types.Transaction{late}, false)[0] }()
	select {
	case err := <-answers:
		expect.Error(t, err, txpool.ErrAlreadyKnown, "a copy after the block")
	case <-time.After(patience):
		t.Error("a copy after the block waits for a worker")
	}
	release()
	expect.Error(t, <-answer, txpool.ErrAlreadyKnown, "a copy that waited")
	for _, copied := range []*types.Transaction{early, late} {
		expect.That(t, !copied.Signers().HasSender(), "the signature of a copy was recovered")
	}
	expect.Error(t, pool.Submit(decoded(t, tx)), gethcore.ErrNonceTooLow, "submitted when a block has it")
	pool.follow(chain.head, chain.state.Copy(), path{nil, nil, false}) // a head far away
	expect.That(t, !pool.isIncluded(tx.Hash()), "what may be in no block any more is refused")
}
