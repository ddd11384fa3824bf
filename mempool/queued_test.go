// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// TestPassage finds the victims of a full queue: the highest nonce of each sender in turn, the longest queued sender
// first. The queue changes when the passage is applied. spec: transactions 4.5
func TestPassage(t *testing.T) {
	accounts := make(map[common.Address]*account)
	queued := func(sender byte, local ...bool) (txs []*entry) {
		for _, submission := range local {
			txs = append(txs, &entry{from: common.Address{sender}, local: submission, queued: true})
		}
		accounts[common.Address{sender}] = &account{txs: txs}
		return txs
	}
	a, b, c := queued(1, false, false, false), queued(2, false), queued(3, false, true)
	left := &entry{from: common.Address{4}}
	for _, tt := range []struct {
		name    string
		queue   []*entry
		except  byte
		victims []*entry
		after   []*entry
	}{
		{"highest nonce of the first", a, 0, a[2:], []*entry{a[1], a[2], a[0]}},
		{"senders take turns", slices.Concat(a[:1], b), 0, []*entry{a[2], b[0]}, a[:1]},
		{"all of a sender", a, 0, []*entry{a[2], a[1], a[0]}, nil},
		{"a submission stays", c[:1], 0, c[:1], nil},
		{"none of its own", slices.Concat(a[:1], b), 1, b, a[:1]},
		{"those that have left are skipped", []*entry{left, b[0]}, 0, b, nil},
		{"too few", slices.Concat(b, a[:1]), 1, []*entry{b[0], nil}, a[:1]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := fifo{entries: slices.Clone(tt.queue)}
			s := &passage{queue: &f}
			for i, want := range tt.victims {
				expect.That(t, s.pass(accounts, common.Address{tt.except}) == want, "victim %d is not the one wanted", i)
			}
			expect.Slice(t, f.entries, tt.queue, "the search has changed the queue")
			f.apply(s)
			gone := func(e *entry) bool { return slices.Contains(s.victims, e) }
			rest, want := slices.DeleteFunc(f.entries, gone), slices.DeleteFunc(slices.Clone(tt.after), gone)
			expect.That(t, slices.Equal(rest, want), "%d are left in the queue, want %d in another order", len(rest), len(want))
		})
	}
}

// TestQueueIsSwept keeps the transactions that wait, each once, of a long queue with many that have left.
func TestQueueIsSwept(t *testing.T) {
	f, waits := new(fifo), &entry{queued: true}
	f.push(waits)
	f.push(waits)
	for range 2 * sweepLength {
		f.push(new(entry))
	}
	expect.That(t, len(f.entries) <= sweepLength && f.entries[0] == waits && f.entries[1] != waits,
		"%d transactions are in the queue", len(f.entries))
}

// TestRefusedQueuedDisplacesNone keeps the queued transactions of peers when they free too few slots for another one.
// spec: transactions 4.5
func TestRefusedQueuedDisplacesNone(t *testing.T) {
	chain, pool := small(t, func(c *Config) { c.GlobalQueue = 3 })
	chain.enrich(t, 4)
	chain.extend(pool)
	for key := byte(1); key <= 2; key++ {
		must.Do(t, pool.Submit(ordinary(t, key, bid(3, 276, 100))))
	}
	queued := ordinary(t, 3, bid(3, 276, 100))
	mustAdd(t, pool, queued)
	large := ordinary(t, 4, func(tx *types.DynamicFeeTx) {
		bid(3, 276, 100)(tx)
		tx.Gas, tx.Data = 10_000_000, make([]byte, slotSize)
	})
	wantFull(t, submit(pool, large), "3 transactions wait behind gaps")
	wantPooled(t, pool, map[*types.Transaction]bool{queued: true, large: false})
}
