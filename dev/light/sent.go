// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// maxSenders bounds what is remembered of submitted transactions.
const maxSenders = 1024

// submitted knows up to which nonce senders have submitted transactions here.
type submitted struct {
	mu   sync.Mutex
	last map[common.Address]sentNonce
}

type sentNonce struct {
	nonce uint64
	at    time.Time
}

func (s *submitted) add(sender common.Address, nonce uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil || len(s.last) >= maxSenders {
		s.last = make(map[common.Address]sentNonce)
	}
	if known, found := s.last[sender]; !found || nonce > known.nonce || time.Since(known.at) >= idleTime {
		s.last[sender] = sentNonce{nonce, time.Now()}
	}
}

// next returns the nonce after those that are proven and those that were submitted.
func (s *submitted) next(sender common.Address, proven uint64) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, found := s.last[sender]; found && time.Since(known.at) < idleTime {
		return max(proven, known.nonce+1)
	}
	return proven
}
