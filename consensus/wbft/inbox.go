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

// share has the queued messages of one validator, or of all other peers together.
type share struct {
	list   []core.Message // oldest first
	bytes  int            // of the list
	spent  time.Duration  // of the driver on its messages, from the level at which it began to wait
	served uint64         // position in the order of service: of the last one, or of the begin of its wait
}

// inbox is a bounded fair queue of messages for the driver. Every validator has a share, by the address of the
// deliverer. The next message comes from the share that has cost the driver the least time. Idle time is neither
// charged nor saved up. Other peers are served last.
//
// A full share evicts its oldest message for the newest. A full inbox evicts from the largest share. New messages are
// about current views, so they matter most. The inbox is safe for concurrent use.
type inbox struct {
	set   atomic.Pointer[validators.Set]
	ready chan struct{} // holds a token when something may be waiting

	mu        sync.Mutex
	members   map[common.Address]*share
	strangers share
	bytes     int           // of all shares
	order     uint64        // last position in the order of service
	level     time.Duration // spent on the share served last, before that
	second    time.Time     // begin of the second that admitted counts for
	admitted  int           // messages of strangers in that second
}

func newInbox() *inbox {
	return &inbox{ready: make(chan struct{}, 1), members: make(map[common.Address]*share)}
}

// setMembers sets the validators that have shares of their own.
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

// put adds a message and reports whether it was accepted. evicted are the messages that it displaced.
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
	if len(m.Payload) > messages.ShareBytes {
		return false, nil
	}
	for len(s.list) == shareMessages || s.bytes+len(m.Payload) > messages.ShareBytes {
		evicted = append(evicted, in.pop(s))
	}
	if len(s.list) == 0 {
		in.order++
		s.spent, s.served = max(s.spent, in.level), in.order
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

// next returns the share to serve next, or nil when no message waits.
func (in *inbox) next() *share {
	var best *share
	for _, s := range in.members {
		if len(s.list) > 0 && (best == nil || s.spent < best.spent || s.spent == best.spent && s.served < best.served) {
			best = s
		}
	}
	if best == nil && len(in.strangers.list) > 0 {
		best = &in.strangers
	}
	return best
}

// take removes and returns the next message; the result is false when there is none.
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
	in.order++
	s.served = in.order
	m := in.pop(s)
	if in.next() != nil {
		in.signal()
	}
	return m, true
}

// charge adds the cost of a message to the share of its deliverer.
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
