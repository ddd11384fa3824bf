// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rawdb

import (
	"bytes"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/params"
	"github.com/stretchr/testify/assert"
)

// The freezer takes no block above the newest state on disk, whatever a key says: a crash would set the head below the
// ancient store, which is then cut. A chain of other rules freezes as upstream does. spec: wbft 7.5
func TestFreezerKeepsToStates(t *testing.T) {
	const head, limit = 50, 20
	for _, row := range []struct {
		name   string
		anzeon bool
		path   bool
		state  uint64 // block whose state is on disk, and no other
		limit  uint64
		final  uint64
		want   [2]uint64
	}{
		{"hash, state of the head", true, false, head, limit, head, [2]uint64{0, limit}},
		{"hash, state of the limit", true, false, limit, limit, head, [2]uint64{0, limit}},
		{"hash, state below the limit", true, false, limit - 1, limit, head, [2]uint64{0, 0}},
		{"path, state of the head", true, true, head, limit, 0, [2]uint64{0, limit}},
		{"path, state below the limit", true, true, limit - 1, limit, 0, [2]uint64{0, 0}},
		{"short chain with a final key", true, true, head, 0, head, [2]uint64{0, 0}},
		{"other rules", false, false, 1, limit, head, [2]uint64{head, limit}},
	} {
		t.Run(row.name, func(t *testing.T) {
			db := NewMemoryDatabase()
			var parent common.Hash
			for number := uint64(0); number <= head; number++ {
				node := fmt.Appendf(nil, "node of block %d", number)
				header := &types.Header{
					Number: new(big.Int).SetUint64(number), ParentHash: parent, Root: crypto.Keccak256Hash(node),
					Difficulty: common.Big1,
				}
				parent = header.Hash()
				WriteHeader(db, header)
				WriteCanonicalHash(db, parent, number)
				if number == row.state && row.path {
					WriteAccountTrieNode(db, nil, node)
				} else if number == row.state {
					WriteLegacyTrieNode(db, header.Root, node)
				}
			}
			config := &params.ChainConfig{ChainID: common.Big1}
			if row.anzeon {
				config.Anzeon = new(params.AnzeonConfig)
			}
			WriteChainConfig(db, ReadCanonicalHash(db, 0), config)
			WriteHeadBlockHash(db, parent)
			final, got := freezable(db, head, row.final, row.limit)
			assert.Truef(t, final == row.want[0] && got == row.want[1], "final %d, limit %d; want %v", final, got, row.want)
		})
	}
}

// A cut of the ancient store, at any length, changes no file that another directory has by a hard link. The directory
// that was taken over by links has the last file of each table for itself.
func TestCutSparesLinkedFiles(t *testing.T) {
	const items, fileSize = 40, 50
	configs := map[string]freezerTableConfig{"raw": {noSnappy: true}, "packed": {}}
	for cut := range uint64(items) {
		t.Run(fmt.Sprint(cut), func(t *testing.T) {
			old, dir := t.TempDir(), t.TempDir()
			item := func(n uint64) []byte { return bytes.Repeat([]byte{byte(n)}, 15) }
			fill := func(f *Freezer, first uint64) {
				t.Helper()
				must.Get(f.ModifyAncients(func(op ethdb.AncientWriteOp) error {
					for n := first; n < items; n++ {
						for name := range configs {
							if err := op.AppendRaw(name, n, item(n)); err != nil {
								return err
							}
						}
					}
					return nil
				}))(t)
			}
			f, err := NewFreezer(old, "", false, fileSize, configs)
			must.Do(t, err)
			fill(f, 0)
			heads := map[string]bool{}
			for name, table := range f.tables {
				heads[fmt.Sprintf("%s.%04d", name, table.headId)] = true
			}
			must.Do(t, f.Close())
			before := contents(t, old)
			for name, content := range before {
				stem := name[:len(name)-len(filepath.Ext(name))]
				isData := filepath.Ext(name) == ".cdat" || filepath.Ext(name) == ".rdat"
				if isData && !heads[stem] {
					err = os.Link(filepath.Join(old, name), filepath.Join(dir, name))
				} else {
					err = os.WriteFile(filepath.Join(dir, name), content, 0o600)
				}
				must.Do(t, err)
			}
			f = must.Get(NewFreezer(dir, "", false, fileSize, configs))(t)
			defer func() { assert.NoError(t, f.Close()) }()
			must.Get((&chainFreezer{ancients: f}).cutHead(cut))(t)
			fill(f, cut)
			for n := range uint64(items) {
				for name := range configs {
					got, err := f.Ancient(name, n)
					assert.Truef(t, err == nil && bytes.Equal(got, item(n)), "item %d of %s after the cut: %x, %v", n, name, got, err)
				}
			}
			for name, content := range contents(t, old) {
				assert.Truef(t, bytes.Equal(content, before[name]), "%s of the other directory has changed", name)
			}
		})
	}
}

// contents returns the files of a directory by their names.
func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	files := make(map[string][]byte)
	for _, e := range entries {
		files[e.Name()] = must.Get(os.ReadFile(filepath.Join(dir, e.Name())))(t)
	}
	return files
}
