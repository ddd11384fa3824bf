// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"context"

	"github.com/ethereum/go-ethereum"

	"gwon/internal/progress"
)

// syncSource is what tells how far a sync is.
type syncSource interface {
	SyncProgress(context.Context) (ethereum.SyncProgress, bool)
}

// syncState returns a function for progress.Bar: how far a sync is, and nothing without one.
func syncState(ctx context.Context, source syncSource) func() progress.State {
	meter := new(progress.Meter)
	var last uint64
	begun := false
	return func() progress.State {
		sync, running := source.SyncProgress(ctx)
		switch {
		case !running:
			meter.End()
		case !begun:
			meter.BeginItems("Syncing", sync.HighestBlock, "blocks")
			meter.Skip(sync.CurrentBlock)
			last = sync.CurrentBlock
		case sync.CurrentBlock > last:
			meter.AddItems(int(sync.CurrentBlock - last))
			last = sync.CurrentBlock
			fallthrough
		default:
			meter.Extend(sync.HighestBlock)
			meter.At(sync.CurrentBlock)
		}
		begun = running
		return meter.State()
	}
}
