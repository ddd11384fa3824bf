// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package pathdb

import (
	"testing"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A request to flush takes what is in the write buffer to disk with the next state, once.
func TestFlushSoon(t *testing.T) {
	test := newTester(t, &testerConfig{layers: maxDiffLayers + 4})
	defer test.release()
	// persisted waits for a flush that runs and returns the id of the state that is on disk.
	persisted := func() uint64 {
		t.Helper()
		disk := test.db.tree.bottom()
		disk.lock.RLock()
		frozen := disk.frozen
		disk.lock.RUnlock()
		if frozen != nil {
			must.Do(t, frozen.waitFlush())
		}
		return rawdb.ReadPersistentStateID(test.db.diskdb)
	}
	before := persisted()
	require.Truef(t, before == 0, "state %d is on disk before anybody asked", before)
	test.db.FlushSoon()
	test.extend(1)
	bottom := test.db.tree.bottom().stateID()
	got := persisted()
	require.Truef(t, got == bottom && bottom != 0, "state %d is on disk after the request, want %d", got, bottom)
	test.extend(3)
	got = persisted()
	assert.Truef(t, got == bottom, "state %d was written without a request", got)
	assert.NoError(t, test.verifyState(test.lastHash()))

	// A layer that is stale for good, as during a snap sync, is left alone.
	must.Do(t, test.db.Disable())
	test.db.FlushSoon()
}
