// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filtermaps

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// slowStart is a database whose first read of a row waits, and says that it does.
type slowStart struct {
	ethdb.Database
	reached, gate chan struct{}
}

func (s *slowStart) Has(key []byte) (bool, error) {
	select {
	case s.reached <- struct{}{}:
		<-s.gate
	default:
	}
	return s.Database.Has(key)
}

// Only Stop waits for the newest map, and the index is as good as ever afterwards.
func TestStartBeside(t *testing.T) {
	t.Cleanup(func() { besides.Store(false) })
	ts := newTestSetup(t)
	defer ts.close()
	ts.chain.addBlocks(100, 5, 2, 4, false)
	ts.setHistory(0, false)
	ts.fm.WaitIdle()
	want := ts.fm.indexedRange
	ts.fm.Stop()
	ts.fm = nil

	open := func(db ethdb.Database) *FilterMaps {
		t.Helper()
		head := ts.chain.CurrentBlock()
		fm, err := NewFilterMaps(db, NewChainView(ts.chain, head.Number.Uint64(), head.Hash()), 0, 0, ts.params, Config{})
		must.Do(t, err)
		return fm
	}
	slow := &slowStart{ts.db, make(chan struct{}), make(chan struct{})}
	fm := open(slow)
	fm.StartBeside() // returns although no row can be read
	<-slow.reached
	stopped := make(chan struct{})
	go func() {
		fm.Stop()
		close(stopped)
	}()
	<-fm.closeCh
	select {
	case <-stopped:
		t.Error("Stop does not wait for the start")
	default:
	}
	close(slow.gate)
	<-stopped

	fm = open(ts.db)
	fm.StartBeside()
	fm.WaitIdle()
	if fm.indexedRange.blocks != want.blocks || fm.indexedRange.maps != want.maps || !fm.indexedRange.headIndexed {
		t.Errorf("range %v, want %v", fm.indexedRange, want)
	}
	fm.Stop()
}

// A stretch of idle blocks is indexed with one copy of the map it fills, and as if each block had come alone.
func TestSnapshotsOfIdleBlocks(t *testing.T) {
	besides.Store(true)
	t.Cleanup(func() { besides.Store(false) })
	const count = 3 * valuesPerCallback
	index := func(steps ...int) (*FilterMaps, *testSetup) {
		t.Helper()
		ts := newTestSetup(t)
		t.Cleanup(ts.close)
		ts.params = DefaultParams
		ts.params.deriveFields()
		ts.chain.addBlocks(count, 0, 0, 0, false)
		all := ts.chain.getCanonicalChain()
		for _, head := range steps {
			ts.chain.setCanonicalChain(all[:head+1])
			if ts.fm == nil {
				ts.setHistory(0, false)
			}
			ts.fm.WaitIdle()
		}
		got := ts.fm.indexedRange.blocks.AfterLast()
		require.Truef(t, got == uint64(len(all)), "indexed up to block %d of %d", got, len(all))
		return ts.fm, ts
	}
	fm, once := index(count)
	keys := fm.renderSnapshots.Keys()
	assert.Truef(t, slices.Equal(keys, []uint64{count}), "snapshots of blocks %v, want that of the head", keys)
	fm, apart := index(count/2, count-3, count-2, count-1, count)
	assert.True(t, apart.fmDbHash() == once.fmDbHash(), "the index depends on how many blocks came at a time")
	if keys := fm.renderSnapshots.Keys(); !slices.Equal(keys, []uint64{count - 1, count}) || !fm.testSnapshotUsed {
		t.Errorf("snapshots of blocks %v, want those of the last two heads, used: %v", keys, fm.testSnapshotUsed)
	}
}

// ranges is a database that records how many maps the index has after each write.
type ranges struct {
	ethdb.Database
	maps []uint32
}

func (r *ranges) NewBatch() ethdb.Batch { return &rangesBatch{r.Database.NewBatch(), r} }

type rangesBatch struct {
	ethdb.Batch
	in *ranges
}

func (b *rangesBatch) Write() error {
	err := b.Batch.Write()
	if stored, found, readErr := rawdb.ReadFilterMapsRange(b.in.Database); found && readErr == nil {
		b.in.maps = append(b.in.maps, stored.MapsAfterLast-stored.MapsFirst)
	}
	return err
}

// Finished maps are written when some time has passed, and not only when there are as many as upstream writes at once.
func TestMapsAreWrittenByTime(t *testing.T) {
	t.Cleanup(func() {
		besides.Store(false)
		written.Store(0)
	})
	for _, due := range []bool{true, false} {
		t.Run(fmt.Sprintf("due %v", due), func(t *testing.T) {
			besides.Store(true)
			written.Store(time.Now().Add(time.Hour).UnixNano())
			if due {
				written.Store(0)
			}
			ts := newTestSetup(t)
			defer ts.close()
			recorded := &ranges{Database: rawdb.NewMemoryDatabase()}
			ts.db = recorded
			ts.chain.addBlocks(100, 5, 2, 4, false)
			ts.setHistory(0, false)
			ts.fm.WaitIdle()
			assert.Truef(t, slices.Contains(recorded.maps, 1) == due, "maps on disk after each write: %v", recorded.maps)
			blocks, ok := ts.fm.Indexed()
			assert.Truef(t, ok && blocks.First() == 0 && blocks.Last() == 100, "indexed blocks %v", blocks)
		})
	}
}
