// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package adopt_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"

	"gwon/consensus/wbft"
	"gwon/eth/persist"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/operator/adopt"
	"gwon/operator/adopt/adopttest"
)

const (
	oldBlocks = 160 // of the program before
	newBlocks = 40  // that gwon adds
	frozen    = 60
	deep      = 120
	written   = 100 // block whose state is on disk
)

// options are those of a call that takes old over into data.
func options(old, data string) adopt.Options {
	return adopt.Options{
		Old: old, DataDir: data, Name: "gwon", Free: func(string) (uint64, error) { return math.MaxUint64, nil },
	}
}

// hashOf returns a hash over names and contents of a directory.
func hashOf(t *testing.T, dir string) [32]byte {
	t.Helper()
	hash := sha256.New()
	must.Do(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(hash, "%s %d %x\n", path, len(content), sha256.Sum256(content))
		return err
	}))
	return [32]byte(hash.Sum(nil))
}

// chainOf is an open chain of gwon.
type chainOf struct {
	*gethcore.BlockChain
	db    ethdb.Database
	close func()
}

// openGwon opens the chain of an instance directory as a node does, and executes blocks whose state is missing.
func openGwon(t *testing.T, instance string) *chainOf {
	t.Helper()
	path := filepath.Join(instance, "chaindata")
	store := must.Get(adopt.OpenKeyValues(path, false))(t)
	db := must.Get(rawdb.Open(store, rawdb.OpenOptions{Ancient: filepath.Join(path, "ancient")}))(t)
	config, _, err := gethcore.LoadChainConfig(db, nil)
	must.Do(t, err)
	engine := must.Get(wbft.New(config, nil))(t)
	scheme := must.Get(rawdb.ParseStateScheme("", db))(t)
	options := gethcore.DefaultConfig().WithStateScheme(scheme)
	options.SnapshotLimit, options.TrieJournalDirectory = 0, filepath.Join(instance, "triedb")
	chain := must.Get(gethcore.NewBlockChain(db, nil, engine, options))(t)
	c := &chainOf{chain, db, sync.OnceFunc(func() {
		chain.Stop()
		expect.Error(t, db.Close(), nil, "db.Close")
	})}
	t.Cleanup(c.close)
	if r := persist.FindReplay(chain, engine); r != nil {
		must.Do(t, r.Run())
	}
	return c
}

// check compares a chain with blocks: receipts are stored without the price, and derived with it.
func (c *chainOf) check(t *testing.T, blocks types.Blocks) {
	t.Helper()
	last := blocks[len(blocks)-1]
	if head := c.CurrentBlock(); head.Hash() != last.Hash() || !c.HasState(head.Root) {
		t.Fatalf("head %d %v, state %v; want block %d", head.Number, head.Hash(), c.HasState(head.Root), last.NumberU64())
	}
	for _, b := range blocks {
		number, hash := b.NumberU64(), b.Hash()
		if got := c.GetBlockByNumber(number); got == nil || got.Hash() != hash {
			t.Fatalf("block %d is missing or another one", number)
		}
		receipts := c.GetReceiptsByHash(hash)
		must.Equal(t, types.DeriveSha(receipts, trie.NewStackTrie(nil)), b.ReceiptHash(),
			"the receipts of block %d have root", number)
		stored := rawdb.ReadReceiptsRLP(c.db, hash, number)
		viewed := []byte(nil)
		must.Do(t, rawdb.ViewReceiptsRLP(c.db, hash, number, func(raw []byte) error {
			viewed = slices.Clone(raw)
			return nil
		}))
		for _, raw := range [][]byte{stored, viewed} {
			var list []struct {
				Status []byte
				Gas    uint64
				Logs   []*types.Log
			}
			if err := rlp.DecodeBytes(raw, &list); err != nil || len(list) != len(b.Transactions()) {
				t.Fatalf("%d stored receipts of block %d with %d transactions: %v", len(list), number, len(b.Transactions()), err)
			}
		}
		for i, r := range receipts {
			if r.EffectiveGasPrice == nil || r.TxHash != b.Transactions()[i].Hash() {
				t.Fatalf("receipt %d of block %d has price %v and transaction %v", i, number, r.EffectiveGasPrice, r.TxHash)
			}
		}
	}
}

// A directory of each kind is taken over and not changed, has all blocks, receipts and the state, goes on, and is given
// back with the new blocks. spec: wbft 7.5
func TestAdoptAndReturn(t *testing.T) {
	genesis, blocks := adopttest.Chain(t, oldBlocks+newBlocks)
	// The later kinds have their state below the ancient store, as a quiet chain leaves it.
	for i, kind := range append(adopttest.Kinds(frozen, written), adopttest.Kinds(deep, written)...) {
		if testing.Short() && i%3 > 0 {
			continue
		}
		t.Run(fmt.Sprintf("%v frozen=%d", kind, kind.Frozen), func(t *testing.T) {
			old, data := t.TempDir(), t.TempDir()
			instance := filepath.Join(old, adopt.Instance)
			adopttest.Write(t, old, genesis, blocks[:oldBlocks], kind)
			all := append(types.Blocks{genesis.ToBlock()}, blocks...)
			if kind.Scheme == rawdb.HashScheme && !kind.Killed { // the others have an earlier state on disk
				must.Equal(t, adopttest.Check(t, instance, all[:1+oldBlocks]), kind.Frozen, "blocks are in the ancient store")
			}
			before := hashOf(t, old)
			result := must.Get(adopt.Run(t.Context(), options(old, data)))(t)
			if c := result.Chain; c.Head != oldBlocks || c.Hash != blocks[oldBlocks-1].Hash() || c.Genesis != all[0].Hash() ||
				c.Engine != kind.Engine || c.Scheme != kind.Scheme {
				t.Errorf("took over %+v", c)
			}
			c := openGwon(t, result.To)
			c.check(t, all[:1+oldBlocks])
			must.Get(c.InsertChain(blocks[oldBlocks:]))(t)
			c.check(t, all)
			kept, err := c.db.Ancients()
			if err != nil || kept < min(kind.Frozen, written+1) {
				t.Errorf("%d blocks are in gwon's ancient store, error %v", kept, err)
			}
			adopttest.Freeze(t, c.db, all[kept:kept+20], func(b *types.Block) []byte {
				return rawdb.ReadReceiptsRLP(c.db, b.Hash(), b.NumberU64())
			})
			must.Do(t, c.TrieDB().Commit(c.CurrentBlock().Root, false))
			c.close()
			expect.Equal(t, hashOf(t, old), before, "the directory that was taken over has changed")
			must.Get(adopt.Return(t.Context(), options("", data)))(t)
			expect.Equal(t, adopttest.Check(t, instance, all), kept+20, "blocks are in the ancient store after the return")
		})
	}
}
