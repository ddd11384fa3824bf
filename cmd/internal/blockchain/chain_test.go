// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"

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
