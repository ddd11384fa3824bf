// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
)

// sweepLength is the length of a queue above which removed transactions are swept out.
const sweepLength = 1024

// fifo holds the queued transactions of peers in order of arrival. Those that have left, or that have become
// executable, are skipped.
type fifo struct {
	entries []*entry
	sweepAt int // length at which those that have left are swept out
}

// push adds a transaction. Submissions are left out: they are never evicted from the queue.
func (f *fifo) push(e *entry) {
	if e.local {
		return
	}
	if len(f.entries) >= max(f.sweepAt, sweepLength) {
		f.sweep()
	}
	f.entries = append(f.entries, e)
}

// sweep removes transactions that have left, and second entries of the same transaction.
func (f *fifo) sweep() {
	seen := make(map[*entry]struct{}, len(f.entries))
	kept := f.entries[:0]
	for _, e := range f.entries {
		if _, twice := seen[e]; !twice && e.queued {
			seen[e] = struct{}{}
			kept = append(kept, e)
		}
	}
	clear(f.entries[len(kept):])
	f.entries, f.sweepAt = kept, 2*len(kept)
}

// passage is a search of a queue from its front for transactions that leave, without a change of the queue.
type passage struct {
	queue   *fifo
	victims []*entry
	read    int      // entries that the search has passed
	kept    []*entry // passed ones that stay at the front
	moved   []*entry // passed ones that go to the end, and lead to other senders first
}

// next returns the next transaction of the search that is queued and no victim, or nil at the end.
func (s *passage) next() (e *entry) {
	for {
		switch {
		case s.read < len(s.queue.entries):
			e = s.queue.entries[s.read]
			s.read++
		case len(s.moved) > 0:
			e, s.moved = s.moved[0], s.moved[1:]
		default:
			return nil
		}
		if e.queued && !slices.Contains(s.victims, e) {
			return e
		}
	}
}

// pass adds the victim that leaves next and returns it, or nil if there is none. The victim is the highest nonce of the
// sender whose transaction has been queued longest, except one sender.
func (s *passage) pass(accounts map[common.Address]*account, except common.Address) (victim *entry) {
	for {
		e := s.next()
		if e == nil {
			return nil
		}
		if e.from == except {
			s.kept = append(s.kept, e)
			continue
		}
		victim = e
		for _, last := range slices.Backward(accounts[e.from].txs) {
			if slices.Contains(s.victims, last) {
				continue
			}
			if last != e && !last.local {
				s.moved = append(s.moved, e)
				victim = last
			}
			break
		}
		s.victims = append(s.victims, victim)
		return victim
	}
}

// apply gives the queue the order after a passage.
func (f *fifo) apply(s *passage) {
	f.entries = append(f.entries[s.read:], s.moved...)
	if len(s.kept) > 0 {
		f.entries = append(s.kept, f.entries...)
	}
}
