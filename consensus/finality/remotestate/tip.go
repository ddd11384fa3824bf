// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
)

// keepAge is the time between the blocks whose proofs are stored.
const keepAge = time.Hour

// Tip follows the newest block of a chain. It is safe for concurrent use.
type Tip struct {
	reader *Reader

	mu      sync.Mutex
	head    *types.Header // nil until one is proven
	failure error         // why the last search for a newer one has failed
	kept    uint64        // time of the block whose proof is stored, in seconds
	changed chan struct{} // closed and replaced with each newer head
}

// NewTip returns a tip of which no block is known.
func NewTip(r *Reader) *Tip { return &Tip{reader: r, changed: make(chan struct{})} }

// Head returns the newest proven block, or why there is none.
func (t *Tip) Head() (*types.Header, error) {
	head, _, err := t.Watch()
	return head, err
}

// Watch returns what Head does, and a channel that is closed when a newer block is proven.
func (t *Tip) Watch() (*types.Header, <-chan struct{}, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.head != nil:
		return t.head, t.changed, nil
	case t.failure != nil:
		return nil, t.changed, fmt.Errorf("no block is proven yet: %w", t.failure)
	}
	return nil, t.changed, errors.New("no block is proven yet: ask again in some seconds")
}

// Advance looks for a newer block once, and proves that it continues the one before. A proof is stored for each hour of
// the chain.
func (t *Tip) Advance(ctx context.Context) error {
	t.mu.Lock()
	before, kept := t.head, t.kept
	t.mu.Unlock()
	header, err := t.reader.Latest(ctx, before)
	if err == nil && before != nil {
		err = t.reader.Continues(ctx, before, header)
	}
	t.mu.Lock()
	t.failure = err
	t.mu.Unlock()
	if err != nil {
		return err
	}
	t.Show(header)
	if header.Number.Sign() == 0 || header.Time < kept+uint64(keepAge/time.Second) {
		return nil
	}
	if err := t.reader.Keep(ctx, header); err != nil {
		log.Warn("Proof of the newest block not stored", "number", header.Number, "err", err)
	}
	t.mu.Lock()
	t.kept = header.Time // a failure is tried again as late as a success
	t.mu.Unlock()
	return nil
}

// Show makes a proven block the newest one, unless a newer one is.
func (t *Tip) Show(header *types.Header) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.head == nil || header.Number.Cmp(t.head.Number) > 0 {
		t.head = header
		close(t.changed)
		t.changed = make(chan struct{})
	}
}

// Fatal reports whether nothing may be read any more after an error: a quorum has sealed two blocks of one number, what
// is trusted is too old, or no node is left.
func Fatal(err error) bool {
	return errors.Is(err, ErrConflict) || errors.Is(err, ErrOld) || errors.Is(err, ErrLeft)
}
