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

// Bounds of the messages that wait for the driver. A share has room for the largest message beside the small ones.
const (
	shareMessages = 512
	shareBytes    = messages.MaxSize + 1<<20

	// strangerRate is how many messages a second are taken from peers that are no validators, all together. Nobody but a
	// validator of the next epoch has a reason to send any, and not until the epoch is about to begin; what they cost is
	// above all the recovery of a signature each.
	strangerRate = 64
)

// share is what waits of one validator, or of all other peers.
type share struct {
	list  []core.Message
	bytes int
}

// inbox holds messages for the driver. Every validator among the peers has a share of its own, by the address of the peer that
// delivered the message, and shares are served in turn: a peer that floods fills its own share and delays the others by one
// message. What comes from other peers is served last. It is safe for concurrent use.
type inbox struct {
	set   atomic.Pointer[validators.Set]
	ready chan struct{} // holds a token when something may be waiting

	mu        sync.Mutex
	members   map[common.Address]*share
	turns     []common.Address // of the members that have something waiting
	strangers share
	second    time.Time // in which
	admitted  int       // so many messages of strangers were taken
}

func newInbox() *inbox {
	return &inbox{ready: make(chan struct{}, 1), members: make(map[common.Address]*share)}
}

// put keeps a message; it reports false when there is no room.
func (in *inbox) put(m core.Message) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if set := in.set.Load(); set == nil || !set.Contains(m.From) {
		if now := time.Now(); now.Sub(in.second) >= time.Second {
			in.second, in.admitted = now, 0
		}
		if in.admitted == strangerRate || !in.strangers.push(m) {
			return false
		}
		in.admitted++
	} else {
		s := in.members[m.From]
		if s == nil {
			s = new(share)
			in.members[m.From] = s
			in.turns = append(in.turns, m.From)
		}
		if !s.push(m) {
			return false
		}
	}
	in.signal()
	return true
}

func (s *share) push(m core.Message) bool {
	if len(s.list) == shareMessages || s.bytes+len(m.Payload) > shareBytes {
		return false
	}
	s.list = append(s.list, m)
	s.bytes += len(m.Payload)
	return true
}

func (s *share) pop() core.Message {
	m := s.list[0]
	s.list[0] = core.Message{}
	s.list = s.list[1:]
	s.bytes -= len(m.Payload)
	return m
}

// take returns the next message, and false when there is none.
func (in *inbox) take() (core.Message, bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	var m core.Message
	switch {
	case len(in.turns) > 0:
		from := in.turns[0]
		in.turns = in.turns[1:]
		s := in.members[from]
		if m = s.pop(); len(s.list) > 0 {
			in.turns = append(in.turns, from)
		} else {
			delete(in.members, from)
		}
	case len(in.strangers.list) > 0:
		m = in.strangers.pop()
	default:
		return m, false
	}
	if len(in.turns)+len(in.strangers.list) > 0 {
		in.signal()
	}
	return m, true
}

func (in *inbox) signal() {
	select {
	case in.ready <- struct{}{}:
	default:
	}
}
