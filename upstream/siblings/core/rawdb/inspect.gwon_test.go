// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rawdb

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/ethdb/memorydb"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
)

// A database whose history of states is still empty, as after a snapshot, can be inspected. Afterwards the list of
// freezers is whole again.
func TestInspectEmptyHistory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ancient")
	db := must.Get(Open(memorydb.New(), OpenOptions{Ancient: dir}))(t)
	defer db.Close() //nolint:errcheck // in a directory that is removed
	history := must.Get(NewStateFreezer(dir, false, false))(t)
	must.Do(t, history.Close())
	assert.Error(t, InspectDatabase(db, nil, nil), "upstream inspects an empty history: InspectFilled can go")
	before := slices.Clone(freezers)
	assert.NoError(t, InspectFilled(db))
	assert.Truef(t, slices.Equal(freezers, before), "freezers %v, want %v", freezers, before)
}
