// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package miner

import (
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/metrics"
	gethminer "github.com/ethereum/go-ethereum/miner"
)

const (
	firstDelay = 4    // blocks that exclude a suspect's large transactions at first
	maxDelay   = 1024 // the same at most: the delay doubles each time
	forgetting = 4    // delays after which a suspect is forgotten

	maxSenders = 4096 // suspects, and senders whose last large transaction met its time
)

var suspectsGauge = metrics.NewRegisteredGauge("gwon/miner/suspects", nil)

// suspects remembers the senders whose transactions have cost a proposal too much time. Blocks exclude their large
// transactions for a while, and then take them after all others until one meets its time. It is safe for concurrent
// use.
type suspects struct {
	mu       sync.Mutex
	bySender map[common.Address]suspect
	proven   lru.BasicLRU[common.Address, struct{}]
}

// suspect is the memory of one sender. Delay counts blocks, the other fields are block numbers.
type suspect struct {
	delay  uint64
	until  uint64 // first block that takes one of its large transactions
	forget uint64 // first block that treats it as any sender
}

func newSuspects() *suspects {
	return &suspects{bySender: make(map[common.Address]suspect),
		proven: lru.NewBasicLRU[common.Address, struct{}](maxSenders)}
}

// standing returns how the block with a number treats the large transactions of a sender.
func (s *suspects) standing(sender common.Address, number uint64) gethminer.Standing {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.bySender[sender]
	switch {
	case s.proven.Contains(sender):
		return gethminer.Proven
	case !ok || number >= known.forget:
		return gethminer.Ordinary
	case number >= known.until:
		return gethminer.Last
	}
	return gethminer.LeftOut
}

// add notes that a transaction has cost the block with a number too much time. It returns the number of blocks that
// exclude those of its sender.
func (s *suspects) add(sender common.Address, number uint64) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.proven.Remove(sender)
	delay := uint64(firstDelay)
	if known, ok := s.bySender[sender]; ok && number < known.forget {
		delay = min(2*known.delay, maxDelay)
	} else if !ok && len(s.bySender) >= maxSenders {
		s.displace()
	}
	until := number + 1 + delay
	s.bySender[sender] = suspect{delay, until, until + forgetting*delay}
	suspectsGauge.Update(int64(len(s.bySender)))
	return delay
}

// displace removes the suspect that would be forgotten first. The lock is held.
func (s *suspects) displace() {
	var first common.Address
	forget := ^uint64(0)
	for sender, known := range s.bySender {
		if known.forget < forget {
			first, forget = sender, known.forget
		}
	}
	delete(s.bySender, first)
}

// prove notes that a large transaction of a sender has met its time: the sender is no longer a suspect.
func (s *suspects) prove(sender common.Address) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.bySender, sender)
	s.proven.Add(sender, struct{}{})
	suspectsGauge.Update(int64(len(s.bySender)))
}
