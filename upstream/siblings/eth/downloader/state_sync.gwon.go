// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package downloader

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// SyncState fetches the state of a block from the snap peers. It returns nil when the state is complete, and the error
// of ctx when ctx ends first; the next call continues from the state fetched so far, whatever its pivot. SnapSyncStart
// of the chain must have been called. One call at a time.
func (d *Downloader) SyncState(ctx context.Context, pivot *types.Header) error {
	s := d.syncState(pivot)
	select {
	case <-s.done:
		if s.err != nil {
			return fmt.Errorf("state of block %d: %w", pivot.Number, s.err)
		}
		return nil
	case <-ctx.Done():
		if s.Cancel() == nil {
			return nil // it was complete at the same moment
		}
		return ctx.Err()
	}
}

// CommitPivot makes a block the head whose body and receipts are stored and whose state SyncState has completed.
// Afterwards the node executes blocks.
func (d *Downloader) CommitPivot(hash common.Hash) error {
	if err := d.blockchain.SnapSyncComplete(hash, false); err != nil {
		return fmt.Errorf("commit pivot %x: %w", hash, err)
	}
	d.committed.Store(true)
	d.moder.disableSnap()
	return nil
}

// WaiveState ends the wait for a state: the one of the head is there, and blocks are executed from it on.
func (d *Downloader) WaiveState() { d.moder.disableSnap() }
