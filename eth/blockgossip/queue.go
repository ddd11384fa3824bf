// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package blockgossip

import (
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/core/rules"
	"gwon/eth/session"
)

// Limits of the queue. Each peer has its own share, so a full one excludes no other peer. Of sealed blocks one copy is
// kept; the child of the head always has room. A peer may have one unsealed block of at most 10 MiB below the total.
const (
	maxPeerBlocks  = 64       // unsealed blocks of one peer
	maxPeerBytes   = 12 << 20 // of unsealed blocks of one peer
	maxOpenBytes   = 32 << 20 // of unsealed blocks of all peers
	maxSealedBytes = 64 << 20
)

var noRoomMeter = metrics.NewRegisteredMeter("gwon/import/noroom", nil)

// arrival is a block from a peer that has passed the gate and waits for its parent or its time.
type arrival struct {
	block  *types.Block
	from   *session.Session
	sealed bool      // a quorum has sealed it; otherwise that cannot be told yet
	due    time.Time // not to be looked at before; zero for any time
}

// key names an arrival. Sealed copies are all the same. Others are kept apart: their seals may differ in worth under
// one hash (spec wbft 1.4).
func (a *arrival) key() arrivalKey {
	if a.sealed {
		return arrivalKey{a.block.Hash(), nil}
	}
	return arrivalKey{a.block.Hash(), a.from}
}

type arrivalKey struct {
	hash common.Hash
	from *session.Session
}

// share is what the unsealed blocks of one peer take of the queue.
type share struct{ blocks, bytes int }

// queue holds blocks until they are children of the head. It is safe for concurrent use.
type queue struct {
	wake func() // called with the lock held when a block is added; returns at once

	mu          sync.Mutex
	blocks      map[arrivalKey]arrival
	sealedBytes int
	openBytes   int
	shares      map[*session.Session]*share // without those that are zero
}

func newQueue(wake func()) *queue {
	return &queue{
		wake: wake, blocks: make(map[arrivalKey]arrival), shares: make(map[*session.Session]*share),
	}
}

// contains reports whether a sealed copy of a block waits, or any copy from a peer.
func (q *queue) contains(hash common.Hash, ses *session.Session) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, sealed := q.blocks[arrivalKey{hash, nil}]
	_, open := q.blocks[arrivalKey{hash, ses}]
	return sealed || open
}

// add keeps a block if it fits. The argument child says that the block is a child of the head.
func (q *queue) add(a arrival, child bool) {
	key, size := a.key(), held(a.block)
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, known := q.blocks[key]; known || !q.fits(a, child, size) {
		return
	}
	if a.sealed {
		q.sealedBytes += size
	} else {
		q.openBytes += size
		q.charge(a.from, share{blocks: 1, bytes: size})
	}
	q.blocks[key] = a
	q.wake()
}

// room reports whether an arrival will fit that takes size bytes once it is decoded.
func (q *queue) room(a arrival, child bool, size int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.fits(a, child, size)
}

// fits reports whether an arrival of a size fits, and counts a refusal. The lock is held.
func (q *queue) fits(a arrival, child bool, size int) bool {
	fits := q.openBytes+size <= maxOpenBytes
	if a.sealed {
		fits = child || q.sealedBytes+size <= maxSealedBytes
	} else if s := q.shares[a.from]; s != nil {
		fits = fits && s.blocks < maxPeerBlocks && (s.blocks == 0 || s.bytes+size <= maxPeerBytes)
	}
	if !fits {
		noRoomMeter.Mark(1)
	}
	return fits
}

// take removes the next due child of the head, all blocks at or below the head, and unsealed blocks of lost peers. The
// result wait is the time until the next child is due, 0 for none.
func (q *queue) take(head *types.Header) (next *arrival, passed []arrival, wait time.Duration) {
	hash, number, now := head.Hash(), head.Number.Uint64(), time.Now()
	q.mu.Lock()
	defer q.mu.Unlock()
	for key, a := range q.blocks {
		switch {
		case !a.sealed && a.from.Gone():
			q.release(key)
		case a.block.NumberU64() <= number:
			q.release(key)
			passed = append(passed, a)
		case a.block.ParentHash() != hash:
		case a.due.After(now):
			if left := a.due.Sub(now); wait == 0 || left < wait {
				wait = left
			}
		case next == nil:
			next = &a
		}
	}
	if next != nil {
		q.release(next.key())
	}
	return next, passed, wait
}

// release removes a block. The lock is held.
func (q *queue) release(key arrivalKey) {
	a := q.blocks[key]
	delete(q.blocks, key)
	size := held(a.block)
	if a.sealed {
		q.sealedBytes -= size
		return
	}
	q.openBytes -= size
	q.charge(a.from, share{blocks: -1, bytes: -size})
}

// charge adds to the share of a peer. The lock is held.
func (q *queue) charge(ses *session.Session, more share) {
	s := q.shares[ses]
	if s == nil {
		s = new(share)
		q.shares[ses] = s
	}
	s.blocks += more.blocks
	s.bytes += more.bytes
	if *s == (share{}) {
		delete(q.shares, ses)
	}
}

// held returns about how many bytes of memory a decoded block takes.
func held(block *types.Block) int {
	return int(block.Size()) + len(block.Transactions())*rules.TransactionMemory
}
