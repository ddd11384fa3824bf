// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"fmt"
	"testing"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/tracing"

	"gwon/internal/expect"
)

// TestAnnouncesExecutable announces each transaction once, when it becomes executable.
func TestAnnouncesExecutable(t *testing.T) {
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
		have := heard()
		expect.That(t, fmt.Sprint(have) == fmt.Sprint(want), "heard of nonces %v, want %v", have, want)
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
