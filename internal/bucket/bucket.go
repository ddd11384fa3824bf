// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package bucket counts the uses of a resource.
package bucket

import (
	"sync"
	"time"
)

// Bucket counts the recent uses of a resource by a peer, as a token bucket. The zero value is a full bucket. It is safe
// for concurrent use.
type Bucket struct {
	mu   sync.Mutex
	full time.Time // time at which the bucket is full again
}

// Spend takes one of burst tokens; one token returns per duration each. It reports whether a token was left.
func (b *Bucket) Spend(burst int, each time.Duration) bool {
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

// Refund gives a token back that Spend took with the same duration.
func (b *Bucket) Refund(each time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.full = b.full.Add(-each)
}
