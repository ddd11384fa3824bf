// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft/wbfttest"
	"gwon/eth/persist"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// Blocks of the directory that is damaged: those in the ancient store, those whose states are on disk, all.
const frozen, onDisk, length = 60, 100, 160

// makeDirectory makes the data directory of a node that was stopped.
func makeDirectory(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	recipe := must.Get((&wbfttest.LiveOptions{
		Validators: 4, EpochLength: 10, Boho: 15, Seed: 7, LightEvery: 1, LightTxs: 2, Last: length,
	}).Recipe())(t)
	maker := must.Get(wbfttest.NewMaker(rawdb.NewMemoryDatabase(), recipe))(t)
	must.Do(t, maker.Make(t.Context(), length))
	apptest.OnChain(t, dir, &wbfttest.Network{Genesis: maker.Genesis}, func(chain *gethcore.BlockChain) error {
		_, err := chain.InsertChain(maker.Blocks()[:onDisk])
		if err == nil {
			err = chain.TrieDB().Commit(chain.CurrentBlock().Root, false)
		}
		if err == nil {
			_, err = chain.InsertChain(maker.Blocks()[onDisk:])
		}
		if err == nil {
			_, err = chain.SaveState(false) // as a node does
		}
		return err
	})
	if blocks, head, err := open(t, dir); err != nil || head != length || blocks != length+1 {
		t.Fatalf("with nothing in the ancient store: %d blocks, head %d, error %v", blocks, head, err)
	}
	freeze(t, dir)
	must.Do(t, persist.Journal(filepath.Join(dir, program.Name, "triedb")).Seal())
	return dir
}

// freeze moves blocks to the ancient store, as a node does after 90,000 others.
func freeze(t *testing.T, dir string) {
	t.Helper()
	stack := must.Get(node.New(&node.Config{DataDir: dir, Name: program.Name}))(t)
	db := must.Get(stack.OpenDatabaseWithOptions("chaindata", node.DatabaseOptions{Cache: 16, Handles: 16}))(t)
	var blocks []*types.Block
	var receipts []rlp.RawValue
	for n := range uint64(frozen) {
		hash := rawdb.ReadCanonicalHash(db, n)
		blocks = append(blocks, rawdb.ReadBlock(db, hash, n))
		receipts = append(receipts, rawdb.ReadReceiptsRLP(db, hash, n))
	}
	must.Get(rawdb.WriteAncientBlocks(db, blocks, receipts))(t)
	must.Do(t, db.SyncAncient())
	for _, block := range blocks[1:] {
		rawdb.DeleteBlockWithoutNumber(db, block.Hash(), block.NumberU64())
		rawdb.DeleteCanonicalHash(db, block.NumberU64())
	}
	must.Do(t, db.Compact(nil, nil))
	must.Do(t, errors.Join(db.Close(), stack.Close()))
}

// open opens the chain of a data directory as commands do, and returns how many of its blocks and receipts can be read.
func open(t *testing.T, dir string) (blocks int, head uint64, err error) {
	t.Helper()
	defer damage.Explain(&err)
	err = apptest.RunWithFlags(t, settings.NewApp(nil), func(ctx *cli.Context) error {
		opened, err := OpenChain(ctx, false)
		if err != nil {
			return err
		}
		head = opened.Chain.CurrentBlock().Number.Uint64()
		for n := range uint64(length + 1) {
			if b := opened.Chain.GetBlockByNumber(n); b != nil && opened.Chain.GetReceiptsByHash(b.Hash()) != nil {
				blocks++
			}
		}
		return opened.Close()
	}, "--datadir", dir)
	return blocks, head, err
}

// contents returns the files below a directory, but for logs and locks.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	must.Do(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "LOCK") {
			return err
		}
		content, err := os.ReadFile(path)
		files[path] = string(content)
		return err
	}))
	return files
}

// ways are those in which a file is damaged; nil removes it.
var ways = map[string]func([]byte) []byte{
	"gone":  func([]byte) []byte { return nil },
	"empty": func([]byte) []byte { return []byte{} },
	"half":  func(b []byte) []byte { return b[:len(b)/2] },
	"tail":  func(b []byte) []byte { return b[:max(0, len(b)-7)] },
	"junk":  func(b []byte) []byte { return append(b, 1, 2, 3, 4, 5, 6, 7) },
	"zero":  func(b []byte) []byte { return append(b[:len(b)/2:len(b)/2], make([]byte, len(b)-len(b)/2)...) },
	"head": func(b []byte) []byte {
		b[min(3, len(b)-1)] ^= 4
		return b
	},
	"flip": func(b []byte) []byte {
		b[len(b)/2] ^= 0x80
		return b
	},
	"end": func(b []byte) []byte {
		b[max(0, len(b)-20)] ^= 4
		return b
	},
}

// What the damage of a file of a data directory costs, kind by kind: nothing, or an error that names the file and
// changes nothing, so that a backup of that file mends it.
func TestDamagedDirectory(t *testing.T) {
	whole := makeDirectory(t)
	if blocks, head, err := open(t, whole); err != nil || head != length || blocks != length+1 {
		t.Fatalf("the whole directory: %d blocks, head %d, error %v", blocks, head, err)
	}
	for _, row := range []struct {
		files, ways string
		costs       int    // blocks that cannot be read afterwards at most
		says        string // in the error; empty for a start. NAME is that of the file
	}{
		// package ancient has all tables and ways
		{"chaindata/ancient/chain/headers.cidx", "gone half tail head end", 1, ""},
		{"chaindata/ancient/chain/headers.cidx", "flip", 2, ""},
		{"chaindata/ancient/chain/bodies.cidx", "gone empty zero", 1, ""},
		{"chaindata/ancient/chain/[hr]e*.meta", "gone empty head", 0, ""},
		{"chaindata/ancient/chain/[hr]*.?dat", "gone half", 0, "NAME"},
		{"chaindata/ancient/state/account.data.cidx", "gone half head", 0, ""},
		{"chaindata/ancient/state/history.meta.meta", "gone head", 0, ""},
		{"chaindata/ancient/state/*.?dat", "half", 0, ""},
		{"triedb/merkle.journal", "gone empty half tail junk zero head flip end", 0, ""},
		{"triedb/merkle.journal.sum", "gone empty flip", 0, ""},
		{"triedb/layers/*", "gone half flip", 0, ""},
		{"chaindata/marker.manifest.*", "gone", 0, "touch "},
		{"chaindata/MANIFEST-*", "gone half head", 0, "NAME"},
		{"chaindata/OPTIONS-*", "gone empty half head", 0, ""},
		{"chaindata/*.sst", "gone half", 0, "NAME"},
		{"nodekey", "gone", 0, ""},
		{"LOCK", "gone", 0, ""},
	} {
		paths := must.Get(filepath.Glob(filepath.Join(whole, program.Name, row.files)))(t)
		expect.That(t, len(paths) != 0, "no file %s", row.files)
		if strings.Contains(row.files, "/MANIFEST-") {
			paths = paths[len(paths)-1:] // the others are of no use
		}
		for _, path := range paths {
			for i, way := range strings.Fields(row.ways) {
				if testing.Short() && i%3 > 0 { // package ancient has all of them
					continue
				}
				name := must.Get(filepath.Rel(whole, path))(t)
				t.Run(name+"/"+way, func(t *testing.T) {
					dir := t.TempDir()
					must.Do(t, os.CopyFS(dir, os.DirFS(whole)))
					path := filepath.Join(dir, name)
					b := must.Get(os.ReadFile(path))(t)
					must.Do(t, os.Remove(path))
					if b = ways[way](b); b != nil {
						must.Do(t, os.WriteFile(path, b, 0o600))
					}
					before := contents(t, dir)
					blocks, head, err := open(t, dir)
					if row.says != "" {
						says := strings.Replace(row.says, "NAME", strings.TrimSuffix(filepath.Base(name), ".sst"), 1)
						expect.Says(t, err, says, "refusal")
						for path, content := range before {
							now, err := os.ReadFile(path)
							expect.That(t, err == nil && string(now) == content, "%s was changed: %v", path, err)
						}
						return
					}
					expect.That(t, err == nil && head == length && blocks >= length+1-row.costs,
						"%d blocks, head %d, error %v", blocks, head, err)
				})
			}
		}
	}
}

// Every directory that a node writes to is watched for space: it may be on a disk of its own, or behind a link.
func TestGuardWatchesEveryDirectory(t *testing.T) {
	dir := makeDirectory(t)
	must.Do(t, apptest.RunWithFlags(t, settings.NewApp(nil), func(ctx *cli.Context) error {
		cfg, _, err := settings.Load(ctx)
		must.Do(t, err)
		watched := settings.NewDiskGuard(ctx, cfg).Dirs
		return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && !slices.Contains(watched, path) {
				t.Errorf("%s is not watched", path)
			}
			return err
		})
	}, "--datadir", dir))
}

// A directory with the files of a database, and without the one that names its manifest, is no new one. One that a
// full disk kept from becoming a database is.
func TestWithoutStore(t *testing.T) {
	for _, row := range []struct {
		files string // name:content
		says  string // in the error; empty for a new directory
	}{
		{"", ""},
		{"LOCK:", ""},
		{"MANIFEST-000001:x 000002.log:", ""},
		{"MANIFEST-000001:x 000002.log:x marker.format-version.000001.013:",
			"touch DIR/marker.manifest.000001.MANIFEST-000001"},
		{"MANIFEST-000007:x MANIFEST-000010:x 000002.sst:x marker.format-version.000001.013:", "MANIFEST-000010"},
		{"MANIFEST-000007:x 000002.ldb:x", "echo MANIFEST-000007 >DIR/CURRENT"},
		{"000002.sst:x", "MANIFEST are missing"},
		{"ancient/chain/headers.0000.cdat:x", "MANIFEST are missing"},
	} {
		t.Run(row.files, func(t *testing.T) {
			dir := t.TempDir()
			for _, file := range strings.Fields(row.files) {
				name, content, _ := strings.Cut(file, ":")
				apptest.WriteFile(t, filepath.Join(dir, name), content)
			}
			err := withoutStore(dir)
			says := strings.ReplaceAll(row.says, "DIR", dir)
			expect.That(t, (err == nil) == (says == "") && strings.Contains(fmt.Sprint(err), says),
				"error %v, want %q", err, says)
		})
	}
}
