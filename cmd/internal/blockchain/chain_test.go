// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/gofrs/flock"

	"gwon/cmd/internal/apptest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// removedb deletes databases and neither keys nor the record of signed votes, and of an ancient directory elsewhere
// only what go-ethereum has made there. A relative one lies below the instance directory, as for the node.
func TestRemoveDB(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	keep := []string{"gwon/nodekey", "gwon/votes.log", "keystore/key", "gwon/old/photos/1", "old/chain/not-ours"}
	drop := []string{"gwon/chaindata/CURRENT", "gwon/triedb/journal", "gwon/old/chain/bodies", "gwon/old/state/history"}
	for _, name := range append(keep, drop...) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(t, os.WriteFile(path, nil, 0o600))
	}
	lock := flock.New(filepath.Join(dir, "gwon", "LOCK"))
	must.Get(lock.TryLock())(t)
	_, err := run(t, "removedb", "--datadir", dir, "--datadir.ancient", "old", "--yes")
	expect.Says(t, err, "stop it first", "while a node runs")
	must.Do(t, lock.Unlock())
	must.Get(run(t, "removedb", "--datadir", dir, "--datadir.ancient", "old", "--yes"))(t)
	for _, name := range keep {
		expect.Error(t, expect.Err(os.Stat(filepath.Join(dir, filepath.FromSlash(name)))), nil, "os.Stat")
	}
	for _, name := range drop {
		expect.Refused(t, expect.Err(os.Stat(filepath.Join(dir, filepath.FromSlash(name)))), "%s is still there", name)
	}
	expect.Says(t, expect.Err(run(t, "removedb", "--datadir", dir, "--yes")), "no database", "nothing left")
}

// No command replaces or spoils a file that it did not write: blocks are appended to an export of the chain alone that
// ends with the block before the first one. What is refused leaves every byte.
func TestExportAppends(t *testing.T) {
	_, chain, blocks := payments(t, 10)
	_, other, _ := payments(t, 3)
	export := func(chain *gethcore.BlockChain, name string, ranges ...uint64) string {
		path := filepath.Join(t.TempDir(), name)
		for i := 0; i < len(ranges); i += 2 {
			must.Do(t, exportBlocks(t.Context(), chain, path, ranges[i], ranges[i+1]))
		}
		return path
	}
	read := func(path string) string { return string(must.Get(os.ReadFile(path))(t)) }
	whole := read(export(chain, "blocks", 0, 10))
	for _, name := range []string{"blocks", "blocks.gz"} {
		path := export(chain, name, 0, 3, 4, 4, 5, 10)
		info := must.Get(os.Stat(path))(t)
		expect.That(t, info.Mode().Perm() == 0o644, "%s has mode %v", name, info.Mode())
		source := must.Get(openStream(path))(t)
		for i := range 11 {
			block, err := source.next()
			want := append(types.Blocks{chain.Genesis()}, blocks...)[i].Hash()
			must.That(t, err == nil && block.Hash() == want, "%s: block %d is %v, %v", name, i, block, err)
		}
		must.Do(t, source.Close())
	}
	expect.That(t, read(export(chain, "blocks", 0, 3, 4, 10)) == whole, "an export in two parts differs from one in one")
	for _, c := range []struct{ name, file, content, want string }{
		{"a key backup", "backup.json", `{"nodeKey":"1f"}`, "give a file that gwon export wrote"},
		{"a key", "nodekey", strings.Repeat("1f", 32), "give a file that gwon export wrote"},
		{"a password", "password.gz", "secret", "no gzip file"},
		{"an empty file", "empty", "", "name a new file"},
		{"another chain", "blocks", read(export(other, "blocks", 0, 3)), "name a new file"},
		{"blocks that come again", "blocks", read(export(chain, "blocks", 0, 5)), "give the first block 6, or name"},
		{"a gap", "blocks.gz", read(export(chain, "blocks.gz", 0, 2)), "give the first block 3, or name"},
		{"no order", "blocks", read(export(chain, "blocks", 2, 3)) + read(export(chain, "blocks", 2, 3)), "name a new file"},
		{"a block that was cut off", "blocks", whole[:len(whole)-1], "damaged"},
		{"text behind the blocks", "blocks", read(export(chain, "blocks", 0, 3)) + "x", "damaged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := apptest.WriteFile(t, filepath.Join(t.TempDir(), c.file), []byte(c.content))
			err := exportBlocks(t.Context(), chain, path, 4, 10)
			expect.That(t, err != nil && strings.Contains(err.Error(), path) && strings.Contains(err.Error(), c.want),
				"error %v, want %q", err, c.want)
			expect.That(t, read(path) == c.content, "the file has changed")
		})
	}
}

// An export that fails leaves no new file, and of an earlier export what was there. One that is interrupted before its
// first block, too.
func TestExportThatFails(t *testing.T) {
	_, chain, _ := payments(t, 3)
	path := filepath.Join(t.TempDir(), "blocks")
	ended, end := context.WithCancel(t.Context())
	end()
	for range 2 { // without a file, then with one
		before, _ := os.ReadFile(path) //nolint:errcheck // nil without a file
		first := uint64(len(before) / max(1, len(before)))
		for _, ctx := range []context.Context{t.Context(), ended} {
			err := exportBlocks(ctx, chain, path, first, 7)
			if after, _ := os.ReadFile(path); err == nil || !bytes.Equal(before, after) || after == nil != (before == nil) {
				t.Errorf("from block %d: %d bytes of %d are left, error %v", first, len(after), len(before), err)
			}
		}
		if before == nil {
			must.Do(t, exportBlocks(t.Context(), chain, path, 0, 0))
		}
	}
}

// A directory of files that gwon did not write keeps its checksums.
func TestForeignChecksums(t *testing.T) {
	_, chain, _ := payments(t, 1)
	dir := t.TempDir()
	sums := apptest.WriteFile(t, filepath.Join(dir, checksumsName), []byte("1f  film.mkv\n"))
	_, err := (&eraExport{chain: chain, dir: dir}).run(t.Context(), 0, 1)
	expect.Says(t, err, "give an empty directory", "run")
	text := must.Get(os.ReadFile(sums))(t)
	expect.That(t, string(text) == "1f  film.mkv\n", "the checksums are %q", text)
}

// Commands that write from the data directory into another place, or the reverse, refuse a place inside of it, by
// whatever name, and write nothing there.
func TestPlacesAreApart(t *testing.T) {
	data, genesis := t.TempDir(), apptest.PrivateGenesis(t)
	must.Get(run(t, "init", "--datadir", data, genesis))(t)
	link := filepath.Join(t.TempDir(), "link")
	must.Do(t, os.Symlink(data, link))
	for _, args := range [][]string{
		{"export", filepath.Join(data, "new")}, {"export", filepath.Join(link, "new"), "0", "0"},
		{"export-history", filepath.Join(data, "gwon", "new")}, {"export-history", data},
		{"snapshot", "create", filepath.Join(data, "new")}, {"snapshot", "create", filepath.Join(link, "gwon", "new")},
		{"snapshot", "create", filepath.Dir(data)},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			before := must.Get(filepath.Glob(filepath.Join(data, "*")))(t)
			_, err := run(t, append([]string{"--datadir", data}, args...)...)
			expect.Says(t, err, "name a place outside of it", "run")
			after := must.Get(filepath.Glob(filepath.Join(data, "*")))(t)
			expect.That(t, slices.Equal(before, after), "%v, before %v", after, before)
		})
	}
	fresh := t.TempDir()
	_, err := run(t, "snapshot", "fetch", "--datadir", fresh, "--genesis", genesis, filepath.Join(fresh, "gwon", "x"))
	expect.Says(t, err, "name a place outside of it", "fetch")
}
