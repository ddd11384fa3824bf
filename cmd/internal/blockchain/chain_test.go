// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"

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
	if err == nil || !strings.Contains(err.Error(), "stop it first") {
		t.Errorf("while a node runs: error %v", err)
	}
	must.Do(t, lock.Unlock())
	must.Get(run(t, "removedb", "--datadir", dir, "--datadir.ancient", "old", "--yes"))(t)
	for _, name := range keep {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
	for _, name := range drop {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	if _, err := run(t, "removedb", "--datadir", dir, "--yes"); err == nil ||
		!strings.Contains(err.Error(), "no database") {
		t.Errorf("nothing left: error %v", err)
	}
}
