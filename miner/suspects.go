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
	firstRest   = 4    // blocks that a sender's large transactions are left out for at first
	longestRest = 1024 // the same at most: doubled each time
	remembered  = 4    // rests after which a sender is forgotten
	maxSuspects = 4096
	maxProven   = 4096 // senders one of whose large transactions has gone well
)

var suspectsGauge = metrics.NewRegisteredGauge("gwon/miner/suspects", nil)

// suspects remembers the senders whose transactions have cost a proposal too much. Their large transactions are left
// out for some blocks, and then taken after all others until one of them goes well. It is safe for concurrent use.
type suspects struct {
	mu       sync.Mutex
	bySender map[common.Address]suspect
	proven   lru.BasicLRU[common.Address, struct{}]
}

// suspect is what is remembered of a sender. The fields are block numbers but for the rest, in blocks.
type suspect struct {
	rest   uint64
	until  uint64 // first block that takes one of its large transactions
	forget uint64 // first block for which it is a sender like any other
}

func newSuspects() *suspects {
	return &suspects{bySender: make(map[common.Address]suspect),
		proven: lru.NewBasicLRU[common.Address, struct{}](maxProven)}
}

// standing returns how block number treats the large transactions of a sender.
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

// add notes that a transaction has cost block number too much, and returns for how many blocks those of its sender are
// left out.
func (s *suspects) add(sender common.Address, number uint64) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.proven.Remove(sender)
	rest := uint64(firstRest)
	if known, ok := s.bySender[sender]; ok && number < known.forget {
		rest = min(2*known.rest, longestRest)
	} else if !ok && len(s.bySender) >= maxSuspects {
		s.displace()
	}
	until := number + 1 + rest
	s.bySender[sender] = suspect{rest, until, until + remembered*rest}
	suspectsGauge.Update(int64(len(s.bySender)))
	return rest
}

// displace removes the sender that would be forgotten first. The lock is held.
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

// prove notes that a large transaction of a sender has gone well, which it has paid for: it is no suspect any more.
func (s *suspects) prove(sender common.Address) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.bySender, sender)
	s.proven.Add(sender, struct{}{})
	suspectsGauge.Update(int64(len(s.bySender)))
}
