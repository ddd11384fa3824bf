// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
	"gwon/internal/bucket"
)

// share has the queued messages of one validator, or of all other peers together.
type share struct {
	list   []core.Message // oldest first
	bytes  int            // of the list
	spent  time.Duration  // of the driver on its messages, from the level at which it began to wait
	served uint64         // position in the order of service: of the last one, or of the begin of its wait

	account bucket.Bucket // of the messages that may be put in
	burst   int           // messages at once
	each    time.Duration // between two messages that go on without end
}

// inbox is a bounded fair queue of messages for the driver. Every validator has a share, by the address of the
// deliverer. The next message comes from the share that has cost the driver the least time. Idle time is neither
// charged nor saved up. Other peers are served last.
//
// A full share evicts its oldest message for the newest. A full inbox evicts from the largest share. New messages are
// about current views, so they matter most. The inbox is safe for concurrent use.
//
// Each share has an account of messages, because the signature of nearly each has to be recovered before its author is
// known. No honest deliverer exceeds it (docs/adr/0149-accounts-of-links.md).
type inbox struct {
	set   atomic.Pointer[validators.Set]
	ready chan struct{} // holds a token when something may be waiting

	mu        sync.Mutex
	members   map[common.Address]*share
	strangers share
	bytes     int           // of all shares
	order     uint64        // last position in the order of service
	level     time.Duration // spent on the share served last, before that
}

func newInbox() *inbox {
	return &inbox{
		ready:     make(chan struct{}, 1),
		members:   make(map[common.Address]*share),
		strangers: share{burst: strangerRate, each: time.Second / strangerRate},
	}
}

// setMembers sets the validators that have shares of their own.
func (in *inbox) setMembers(set *validators.Set) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.set.Store(set)
	for address, s := range in.members {
		s.burst, s.each = messages.Allowance(set.Len())
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
			s.burst, s.each = messages.Allowance(set.Len())
			in.members[m.From] = s
		}
	}
	if len(m.Payload) > messages.ShareBytes || !s.account.Spend(s.burst, s.each) {
		return false, nil
	}
	for len(s.list) == shareMessages || s.bytes+len(m.Payload) > messages.ShareBytes {
		evicted = append(evicted, in.evict(s, len(s.list) < shareMessages))
	}
	if len(s.list) == 0 {
		in.order++
		s.spent, s.served = max(s.spent, in.level), in.order
	}
	s.list = append(s.list, m)
	s.bytes += len(m.Payload)
	in.bytes += len(m.Payload)
	for in.bytes > inboxBytes {
		evicted = append(evicted, in.evict(in.largest(), true))
	}
	in.signal()
	return true, evicted
}

// evict takes the oldest message out of a share, which costs its deliverer nothing. Where bytes are short it is the
// oldest large one, if there is any: votes do not give way to what the deliverer has relayed.
func (in *inbox) evict(s *share, bytes bool) core.Message {
	i := 0
	if bytes {
		large := func(m core.Message) bool { return len(m.Payload) > messages.MaxSmall }
		i = max(0, slices.IndexFunc(s.list, large))
	}
	s.account.Refund(s.each)
	return in.pop(s, i)
}

// pop takes a message out of a share.
func (in *inbox) pop(s *share, i int) core.Message {
	m := s.list[i]
	s.list = slices.Delete(s.list, i, i+1)
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
	m := in.pop(s, 0)
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

// refund takes a message off the account of its deliverer.
func (in *inbox) refund(from common.Address) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if s := in.members[from]; s != nil {
		s.account.Refund(s.each)
	}
}

func (in *inbox) signal() {
	select {
	case in.ready <- struct{}{}:
	default:
	}
}
