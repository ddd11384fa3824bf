// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package pathdb

import (
	"testing"
	"testing/synctest"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"
)

// slowToLetGo is a database whose iterators are released only when it says so.
type slowToLetGo struct {
	ethdb.KeyValueStore
	release chan struct{}
}

func (db slowToLetGo) NewIterator(prefix, start []byte) ethdb.Iterator {
	return slowIterator{db.KeyValueStore.NewIterator(prefix, start), db.release}
}

type slowIterator struct {
	ethdb.Iterator
	release chan struct{}
}

func (it slowIterator) Release() {
	<-it.release
	it.Iterator.Release()
}

// A stopped generator, finished or not, holds nothing of the database, which may be closed next.
func TestStoppedGeneratorHoldsNothing(t *testing.T) {
	for name, root := range map[string]common.Hash{"finished": types.EmptyRootHash, "without its trie": {1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db := slowToLetGo{memorydb.New(), make(chan struct{})}
				generator := newGenerator(db, false, nil, &generatorStats{})
				generator.run(root)
				stopped := make(chan struct{})
				go func() {
					generator.stop()
					close(stopped)
				}()
				synctest.Wait()
				select {
				case <-stopped:
					t.Error("stopped with iterators in its hands")
				default:
				}
				close(db.release)
				<-stopped
			})
		})
	}
}
