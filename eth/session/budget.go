// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package session

import (
	"sync"
	"time"
)

// Budget counts how much of something a peer has done of late: a token bucket. The zero value is one of which nothing
// is spent. It is safe for concurrent use.
type Budget struct {
	mu   sync.Mutex
	full time.Time // when nothing will be spent any more
}

// Spend takes one of burst uses, of which one more is there after each. It reports whether there was one.
func (b *Budget) Spend(burst int, each time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if b.full.Before(now) {
		b.full = now
	}
	if b.full.Sub(now) > time.Duration(burst-1)*each {
		return false
	}
	b.full = b.full.Add(each)
	return true
}
