// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
)

// Bounds of the messages that wait for the driver. A share has room for the largest message beside the small ones. All
// shares together hold less than that for each member of a large set; who holds most gives way.
const (
	shareMessages = 512
	shareBytes    = messages.MaxSize + 1<<20
	inboxBytes    = 128 << 20

	// strangerRate is how many messages a second are taken from peers that are no validators, all together. Nobody but a
	// validator of the next epoch has a reason to send any, and not until the epoch is about to begin; what they cost is
	// above all the recovery of a signature each.
	strangerRate = 64
)

// share is what one validator has delivered, or all other peers together.
type share struct {
	list  []core.Message // that wait
	bytes int            // of them
	spent time.Duration  // of the driver's time, on what it delivered, counted from where the others were when it began
	turn  uint64         // when it was served last, or began to wait
}

// inbox holds messages for the driver. Every validator among the peers has a share of its own, by the address of the
// peer that delivered the message. Next is always a share on which the driver has spent the least time so far: a peer
// whose messages are expensive waits while the others are served, however many it sends, and delays each of them by one
// message. Time that nobody else wanted is not held against it, nor does anybody save up what it did not use. What
// comes from other peers is served last.
//
// A share that is full gives up its oldest message for the newest, and so does the largest one when all are: what is
// new is about the views that matter, most of all after a pause. It is safe for concurrent use.
type inbox struct {
	set   atomic.Pointer[validators.Set]
	ready chan struct{} // holds a token when something may be waiting

	mu        sync.Mutex
	members   map[common.Address]*share
	strangers share
	bytes     int           // of all shares
	turns     uint64        // so many were taken, or waited for
	level     time.Duration // spent on the share served last, before that
	second    time.Time     // in which
	admitted  int           // so many messages of strangers were taken
}

func newInbox() *inbox {
	return &inbox{ready: make(chan struct{}, 1), members: make(map[common.Address]*share)}
}

// setMembers tells who the validators are.
func (in *inbox) setMembers(set *validators.Set) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.set.Store(set)
	for address, s := range in.members {
		if len(s.list) == 0 && !set.Contains(address) {
			delete(in.members, address)
		}
	}
}

// put keeps a message; it reports false when it has no place, and returns the messages that lost theirs to it.
func (in *inbox) put(m core.Message) (ok bool, evicted []core.Message) {
	in.mu.Lock()
	defer in.mu.Unlock()
	s := &in.strangers
	if set := in.set.Load(); set != nil && set.Contains(m.From) {
		if s = in.members[m.From]; s == nil {
			s = new(share)
			in.members[m.From] = s
		}
	} else {
		if now := time.Now(); now.Sub(in.second) >= time.Second {
			in.second, in.admitted = now, 0
		}
		if in.admitted == strangerRate {
			return false, nil
		}
		in.admitted++
	}
	if len(m.Payload) > shareBytes {
		return false, nil
	}
	for len(s.list) == shareMessages || s.bytes+len(m.Payload) > shareBytes {
		evicted = append(evicted, in.pop(s))
	}
	if len(s.list) == 0 {
		in.turns++
		s.spent, s.turn = max(s.spent, in.level), in.turns
	}
	s.list = append(s.list, m)
	s.bytes += len(m.Payload)
	in.bytes += len(m.Payload)
	for in.bytes > inboxBytes {
		evicted = append(evicted, in.pop(in.largest()))
	}
	in.signal()
	return true, evicted
}

// pop takes the oldest message out of a share.
func (in *inbox) pop(s *share) core.Message {
	m := s.list[0]
	s.list[0] = core.Message{}
	s.list = s.list[1:]
	s.bytes -= len(m.Payload)
	in.bytes -= len(m.Payload)
	return m
}

// largest returns the share that holds the most bytes.
func (in *inbox) largest() *share {
	most := &in.strangers
	for _, s := range in.members {
		if s.bytes > most.bytes {
			most = s
		}
	}
	return most
}

// next returns the share whose turn it is, nil when nothing waits.
func (in *inbox) next() *share {
	var best *share
	for _, s := range in.members {
		if len(s.list) > 0 && (best == nil || s.spent < best.spent || s.spent == best.spent && s.turn < best.turn) {
			best = s
		}
	}
	if best == nil && len(in.strangers.list) > 0 {
		best = &in.strangers
	}
	return best
}

// take returns the next message, and false when there is none.
func (in *inbox) take() (core.Message, bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	s := in.next()
	if s == nil {
		return core.Message{}, false
	}
	if s != &in.strangers {
		in.level = s.spent
	}
	in.turns++
	s.turn = in.turns
	m := in.pop(s)
	if in.next() != nil {
		in.signal()
	}
	return m, true
}

// charge counts what a message that was taken has cost against the share of the peer that delivered it.
func (in *inbox) charge(from common.Address, cost time.Duration) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if s := in.members[from]; s != nil {
		s.spent += cost
	}
}

func (in *inbox) signal() {
	select {
	case in.ready <- struct{}{}:
	default:
	}
}
