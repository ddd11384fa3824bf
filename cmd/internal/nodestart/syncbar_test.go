// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum"

	"gwon/internal/expect"
)

// scriptedSync is a sync whose state a test sets.
type scriptedSync struct {
	current, highest uint64
	running          bool
}

func (s *scriptedSync) SyncProgress(context.Context) (ethereum.SyncProgress, bool) {
	return ethereum.SyncProgress{CurrentBlock: s.current, HighestBlock: s.highest}, s.running
}

// The bar of a sync follows a target that moves, counts from where the sync began, and is gone without a sync.
func TestSyncState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := new(scriptedSync)
		state := syncState(t.Context(), source)
		expect.Equal(t, state().Stage, "", "without a sync")
		*source = scriptedSync{1000, 2000, true}
		state()
		time.Sleep(10 * time.Second)
		*source = scriptedSync{1100, 2100, true}
		s := state()
		expect.That(t, s.Items == 100 && s.Done == 1100 && s.Total == 2100 && s.Left == 100*time.Second, "in a sync: %+v", s)
		source.running = false
		expect.Equal(t, state().Stage, "", "after the sync")
		*source = scriptedSync{2100, 3000, true}
		s = state()
		expect.That(t, s.Items == 0 && s.Done == 2100, "in a second sync: %+v", s)
	})
}
