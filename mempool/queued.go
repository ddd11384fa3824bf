// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import "github.com/ethereum/go-ethereum/common"

// sweepLength is the length of a queue above which removed transactions are swept out.
const sweepLength = 1024

// fifo holds the queued transactions of peers in order of arrival. Those that have left are skipped.
type fifo struct {
	entries []*entry
	sweepAt int // length at which those that have left are swept out
}

// push adds a transaction. Submissions are left out: they are never evicted from the queue.
func (f *fifo) push(p *Pool, e *entry) {
	if e.local {
		return
	}
	if len(f.entries) >= max(f.sweepAt, sweepLength) {
		f.sweep(p)
	}
	f.entries = append(f.entries, e)
}

// sweep removes transactions that have left, and second entries of the same transaction.
func (f *fifo) sweep(p *Pool) {
	seen := make(map[*entry]struct{}, len(f.entries))
	kept := f.entries[:0]
	for _, e := range f.entries {
		if _, twice := seen[e]; !twice && p.isQueued(e) {
			seen[e] = struct{}{}
			kept = append(kept, e)
		}
	}
	clear(f.entries[len(kept):])
	f.entries, f.sweepAt = kept, 2*len(kept)
}

// isQueued reports whether e is in the pool, behind a gap.
func (p *Pool) isQueued(e *entry) bool { return e.queued && p.look(e.tx.Hash()) == e }

// pop removes and returns the transaction that is evicted next: the highest nonce of the sender whose transaction has
// been queued longest, except one sender. It returns nil if there is none.
func (f *fifo) pop(p *Pool, except common.Address) *entry {
	var own []*entry
	defer func() { f.entries = append(own, f.entries...) }()
	for len(f.entries) > 0 {
		e := f.entries[0]
		f.entries = f.entries[1:]
		if !p.isQueued(e) {
			continue
		}
		if e.from == except {
			own = append(own, e)
			continue
		}
		txs := p.accounts[e.from].txs
		if last := txs[len(txs)-1]; last != e && !last.local {
			f.entries = append(f.entries, e)
			return last
		}
		return e
	}
	return nil
}
