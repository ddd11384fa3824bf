// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filtermaps

import (
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The database has the same content as if upstream had written the rows: over some maps at a time, within a map, across
// groups of maps, and where other blocks replace the last ones.
func TestRowsAsUpstream(t *testing.T) {
	t.Cleanup(func() { besides.Store(false) })
	ts := newTestSetup(t)
	defer ts.close()
	ts.chain.addBlocks(600, 5, 2, 4, false)
	first := ts.chain.getCanonicalChain()
	ts.chain.setHead(300)
	ts.chain.addBlocks(200, 3, 2, 4, false)
	second := ts.chain.getCanonicalChain()
	steps := [][]common.Hash{
		first[:40], first[:41], first[:42], first[:200], first[:203], first, first[:350],
		second[:301], second, second[:150], first[:151], first[:590],
	}
	index := func() (hashes []common.Hash) {
		t.Helper()
		if ts.fm != nil {
			ts.fm.Stop()
			ts.fm = nil
		}
		ts.db = rawdb.NewMemoryDatabase()
		for _, step := range steps {
			ts.chain.setCanonicalChain(step)
			if ts.fm == nil {
				ts.setHistory(0, false)
			}
			ts.fm.WaitIdle()
			hashes = append(hashes, ts.fmDbHash())
		}
		return hashes
	}
	want := index()
	besides.Store(true)
	for i, got := range index() {
		assert.Truef(t, got == want[i], "step %d, head %d: the database is another one than upstream's", i, len(steps[i])-1)
	}
}

// tally is a database that counts what is asked of it, and what is deleted.
type tally struct {
	ethdb.Database
	asked, deleted atomic.Int64
}

func (d *tally) Has(key []byte) (bool, error) {
	d.asked.Add(1)
	return d.Database.Has(key)
}

func (d *tally) NewBatch() ethdb.Batch { return &tallyBatch{d.Database.NewBatch(), d} }

type tallyBatch struct {
	ethdb.Batch
	in *tally
}

func (b *tallyBatch) Delete(key []byte) error {
	b.in.deleted.Add(1)
	return b.Batch.Delete(key)
}

// The rows of a new map that have nothing are not touched, and no part of a row is deleted that cannot be there.
func TestNothingForEmptyRows(t *testing.T) {
	besides.Store(true)
	t.Cleanup(func() { besides.Store(false) })
	for name, logs := range map[string]int{"idle": 0, "some logs": 4} {
		ts := newTestSetup(t)
		t.Cleanup(ts.close)
		counted := &tally{Database: rawdb.NewMemoryDatabase()}
		ts.db, ts.params = counted, DefaultParams
		ts.params.deriveFields()
		ts.chain.addBlocks(20, 4, logs, 4, false)
		ts.setHistory(0, false)
		ts.fm.WaitIdle()
		require.Truef(t, ts.fm.indexedRange.headIndexed, "%s: the head is not indexed", name)
		asked, deleted := counted.asked.Load(), counted.deleted.Load()
		assert.Truef(t, asked <= 100 && deleted == 0, "%s: asked for %d keys and deleted %d", name, asked, deleted)
	}
}
