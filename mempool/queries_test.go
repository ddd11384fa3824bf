// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"fmt"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// TestOverdueSubmissions lists executable submissions that wait, oldest first, and no transactions of peers.
func TestOverdueSubmissions(t *testing.T) {
	_, pool := small(t, nil)
	var want []common.Hash
	for key := byte(2); key >= 1; key-- {
		tx := ordinary(t, key, bid(0, 276, 100))
		tx.SetTime(time.Now().Add(-time.Minute))
		must.Do(t, pool.Submit(tx))
		want = append(want, tx.Hash())
	}
	foreign := ordinary(t, 4, bid(0, 276, 100))
	foreign.SetTime(time.Now().Add(-time.Minute))
	mustAdd(t, pool, foreign)
	behind := ordinary(t, 5, bid(2, 276, 100))
	behind.SetTime(time.Now().Add(-time.Minute))
	must.Do(t, pool.Submit(behind))
	have := pool.Overdue(time.Now().Add(-time.Second), 10)
	expect.That(t, fmt.Sprint(have) == fmt.Sprint(want), "overdue %v, want %v", have, want)
	have = pool.Overdue(time.Now().Add(-time.Second), 1)
	expect.That(t, len(have) == 1 && have[0] == want[0], "overdue %v of %v", have, want)
	have = pool.Overdue(time.Now().Add(-time.Hour), 10)
	expect.That(t, len(have) == 0, "overdue %v after an hour", have)
}
