// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package snapshot

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/pebble"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/progress"
)

// testHistory is the first block whose transactions a snapshot has that begins with headers alone.
const testHistory = 40

// create writes a snapshot of a database into a new directory.
func create(t *testing.T, db ethdb.Database, options Options) (dir string, m *Manifest, digest Digest) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "snapshot")
	m, digest, err := Create(t.Context(), Source{DB: db, chunk: testChunk, Options: options}, dir, new(progress.Meter))
	must.Do(t, err)
	return dir, m, digest
}

// openBuilt opens the database that a fetch has built.
func openBuilt(t *testing.T, instance string) ethdb.Database {
	t.Helper()
	dir := filepath.Join(instance, chainName)
	store := must.Get(pebble.New(dir, 16, 16, "", false))(t)
	db := must.Get(rawdb.Open(store, rawdb.OpenOptions{Ancient: filepath.Join(dir, "ancient")}))(t)
	t.Cleanup(func() { must.Do(t, db.Close()) })
	return db
}

// A snapshot without old transactions is proven as any, the node that starts from it is one that has dropped them, and
// that node gives the same snapshot again. Whether the history begins in the ancient store, or among the newest blocks,
// makes no difference.
func TestRecentHistory(t *testing.T) {
	o := newOrigin(t)
	for _, from := range []uint64{testHistory, testBlocks / 4} {
		dir, m, digest := create(t, o.db, Options{HistoryFrom: from})
		if m.HistoryFrom != from || m.Format != formatRecent {
			t.Fatalf("history from %d in format %d", m.HistoryFrom, m.Format)
		}
		must.Get(Verify(t.Context(), locate(t, dir), o.trust(), new(progress.Meter)))(t)
		instance := t.TempDir()
		must.Get(Fetch(t.Context(), serve(t, dir, nil), o.trust(), target(instance)))(t)

		db := openBuilt(t, instance)
		chain := openChain(t, o.net, db)
		if tail, err := db.Tail(rawdb.ChainFreezerBlockDataGroup); err != nil || tail != from {
			t.Errorf("the database begins with block %d (%v), want %d", tail, err, from)
		}
		for n := uint64(0); n <= testBlocks; n++ {
			want := o.chain.GetBlockByNumber(n)
			header, block := chain.GetHeaderByNumber(n), chain.GetBlockByNumber(n)
			must.That(t, header != nil && header.Hash() == want.Hash(), "header %d is not that of the origin", n)
			if whole := n >= from; (block != nil) != whole {
				t.Fatalf("block %d: there %t, want %t", n, block != nil, whole)
			} else if !whole {
				continue
			}
			if string(encoded(t, block)) != string(encoded(t, want)) ||
				string(rawdb.ReadReceiptsRLP(db, want.Hash(), n)) != string(rawdb.ReadReceiptsRLP(o.db, want.Hash(), n)) {
				t.Fatalf("block %d is not that of the origin", n)
			}
		}
		_, again, repeated := create(t, db, Options{})
		if again.HistoryFrom != from || repeated != digest {
			t.Errorf("the snapshot of the new node has history from %d and manifest %v, want %v", again.HistoryFrom, repeated,
				digest)
		}
		expect.Error(t, expect.Err(chain.InsertChain(o.more)), nil, "the node does not follow the chain")
	}
}

// A snapshot that extends another has its files, and the bytes of one that is written as a whole.
func TestExtend(t *testing.T) {
	o := newOrigin(t)
	recent, _, _ := create(t, o.db, Options{HistoryFrom: testHistory})
	must.Get(o.chain.InsertChain(o.more))(t)
	must.Do(t, o.chain.TrieDB().Commit(o.chain.CurrentBlock().Root, false))
	for _, c := range []struct {
		earlier string
		from    uint64
	}{{o.dir, 0}, {recent, testHistory}} {
		_, _, want := create(t, o.db, Options{HistoryFrom: c.from})
		dir, m, digest := create(t, o.db, Options{Extend: c.earlier})
		if digest != want || m.Number != testBlocks+testMore || m.HistoryFrom != c.from {
			t.Errorf("block %d with history from %d, manifest %v, want %v", m.Number, m.HistoryFrom, digest, want)
		}
		first := must.Get(os.Stat(filepath.Join(dir, chunkName(blocksKind, 0))))(t)
		earlier := must.Get(os.Stat(filepath.Join(c.earlier, chunkName(blocksKind, 0))))(t)
		if !os.SameFile(first, earlier) {
			t.Error("the blocks take disk space twice")
		}
		must.Get(Verify(t.Context(), locate(t, dir), o.trust(), new(progress.Meter)))(t)
	}
}

// What does not fit is refused, and leaves no manifest.
func TestExtendRefusals(t *testing.T) {
	o := newOrigin(t)
	earlier := func(change func(m *Manifest)) string {
		c := takeApart(t, o.dir)
		dir := c.write(t)
		change(c.manifest)
		writeManifest(t, dir, c.manifest)
		return dir
	}
	for name, c := range map[string]struct {
		options Options
		want    string
	}{
		"no snapshot": {Options{Extend: t.TempDir()}, "no such file"},
		"another chain": {Options{Extend: earlier(func(m *Manifest) { m.Genesis = common.Hash{1} })},
			"is not in this chain"},
		"another head": {Options{Extend: earlier(func(m *Manifest) { m.Hash = common.Hash{1} })}, "is not in this chain"},
		"damaged file": {Options{Extend: earlier(func(m *Manifest) { m.Blocks[1].SHA256 = Digest{1} })},
			"write the snapshot without that one"},
		"another history":     {Options{Extend: o.dir, HistoryFrom: testHistory}, "begins with block 0, not with 40"},
		"history in the time": {Options{HistoryFrom: testBlocks + 1}, "name an earlier block"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			_, _, err := Create(t.Context(), Source{DB: o.db, chunk: testChunk, Options: c.options}, dir, new(progress.Meter))
			checkError(t, err, c.want)
			expect.Refused(t, expect.Err(os.Stat(filepath.Join(dir, ManifestName))), "a manifest was written")
		})
	}
}

// Blocks come with or without transactions exactly as the manifest says.
func TestForgedHistory(t *testing.T) {
	o := newOrigin(t)
	dir, _, _ := create(t, o.db, Options{HistoryFrom: testHistory})
	whole := takeApart(t, o.dir)
	for name, c := range map[string]struct {
		forge func(c *content)
		want  string
	}{
		"body before the history": {func(c *content) { c.blocks[3] = whole.blocks[3] }, "block 3: it has a body"},
		"no body in the history": {func(c *content) { c.blocks[50].Body, c.blocks[50].Receipts = nil, nil },
			"block 50: it has no receipts"},
		"no receipts in the history": {func(c *content) { c.blocks[50].Receipts = nil }, "block 50: it has no receipts"},
		"history behind the head": {func(c *content) { c.manifest.HistoryFrom = testBlocks + 1 },
			"its history begins with block 61"},
		"whole in the other format":  {func(c *content) { c.manifest.HistoryFrom = 0 }, "in format 2"},
		"recent in the first format": {func(c *content) { c.manifest.Format = Format }, "in format 1"},
		"another header": {func(c *content) {
			h := c.header(t, 5)
			h.Time++
			c.setHeader(t, 5, h)
		}, "are not of this chain"},
		"no genesis body": {func(c *content) { c.blocks[0] = &blockItem{Header: c.blocks[0].Header} },
			"the genesis block has transactions"},
	} {
		t.Run(name, func(t *testing.T) {
			content := takeApart(t, dir)
			c.forge(content)
			_, err := Verify(t.Context(), locate(t, content.write(t)), o.trust(), new(progress.Meter))
			checkError(t, err, c.want)
		})
	}
	if h := whole.header(t, 5); h.ReceiptHash == types.EmptyReceiptsHash {
		t.Error("the blocks have no transactions, and prove nothing here")
	}
}
