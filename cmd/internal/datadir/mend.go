// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package datadir

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/log"

	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/settings"
	"gwon/eth/persist"
	"gwon/internal/ancient"
)

// lowestBlock returns the number of the lowest block above the genesis block in the key-value store. Those below it are
// in the ancient store only. It returns 0 where there are none.
func lowestBlock(db ethdb.Iteratee) uint64 {
	const prefix, suffix = 'h', 'n' // of the keys of canonical hashes (core/rawdb/schema.go)
	blocks := db.NewIterator([]byte{prefix}, binary.BigEndian.AppendUint64(nil, 1))
	defer blocks.Release()
	for blocks.Next() {
		if key := blocks.Key(); len(key) == 10 && key[9] == suffix {
			if n := binary.BigEndian.Uint64(key[1:]); n > 1 {
				return n
			}
			return 0
		}
	}
	return 0
}

// journal returns the journal of the states in a data directory.
func journal(cfg *settings.Config) persist.Journal {
	return persist.Journal(cfg.Node.ResolvePath("triedb"))
}

// CheckFiles returns an error where MendFiles has something to do.
func (c *StoredChain) CheckFiles(cfg *settings.Config) error {
	err := errors.Join(ancient.Blocks.Check(ancient.Dir(cfg.AncientDir()), c.lowest), journal(cfg).Check())
	if err != nil {
		return fmt.Errorf("files in %s are damaged: start the node, or run gwon db compact, which mends them: %w",
			cfg.Node.DataDir, err)
	}
	return nil
}

// MendFiles makes the small files again whose damage would have go-ethereum cut the chain or take wrong states. It runs
// before the chain database is opened for writing, in a process that has the data directory. What it replaces is kept
// under another name until a later start.
func (c *StoredChain) MendFiles(cfg *settings.Config) error {
	if cfg.Node.DataDir == "" {
		return nil
	}
	root := cfg.AncientDir()
	if err := ancient.Blocks.Mend(ancient.Dir(root), c.lowest); err != nil {
		return damage.Lost(root, err)
	}
	if err := journal(cfg).Mend(); err != nil {
		return damage.OpenError(err)
	}
	if err := c.mendHistory(cfg, ancient.States, filepath.Join(root, rawdb.MerkleStateFreezerName)); err != nil {
		return err
	}
	if cfg.Eth.TrienodeHistory < 0 {
		return nil
	}
	return c.mendHistory(cfg, ancient.Nodes, filepath.Join(root, rawdb.MerkleTrienodeFreezerName))
}

// MendFiles is that of the chain in a data directory, whatever chain that is.
func MendFiles(cfg *settings.Config) error {
	if cfg.Node.DataDir == "" {
		return nil
	}
	path := cfg.Node.ResolvePath("chaindata")
	if rawdb.PreexistingDatabase(path) == "" {
		return withoutStore(path)
	}
	chain, err := readKeyValues(cfg, path)
	if err != nil {
		return err
	}
	return chain.MendFiles(cfg)
}

// mendHistory mends the store of what each state has changed. The chain goes on without the old ones.
func (c *StoredChain) mendHistory(cfg *settings.Config, kind ancient.Kind, dir string) error {
	journal := journal(cfg)
	err := kind.Mend(dir, max(c.states, journal.NewestOnDisk())) // a young chain has all its states in the journal
	if err == nil {
		return nil
	}
	if !damage.IsDamage(err) {
		return damage.OpenError(err)
	}
	log.Warn("History of states begins again, older states cannot be read", "reason", err, "kept", dir+ancient.Damaged)
	if err := errors.Join(kind.Restart(dir, c.states), journal.SetAside()); err != nil {
		return fmt.Errorf("begin the history of states in %s again: %w", dir, err)
	}
	return nil
}

// withoutStore returns an error for a directory of a key-value store that has data, and not the file that names its
// manifest. Such a directory is no new one.
func withoutStore(path string) error {
	entries, err := os.ReadDir(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the directory of the chain database: %w", err)
	}
	manifest, version2, data := "", false, false
	for _, entry := range entries {
		switch name := entry.Name(); {
		case strings.HasPrefix(name, "MANIFEST-"):
			manifest = max(manifest, name) // the newest one has the highest number
		case strings.HasPrefix(name, "marker."):
			version2 = true
		case name == "ancient":
			stored, _ := filepath.Glob(filepath.Join(path, name, "*", "*dat"))
			data = data || len(stored) > 0
		case slices.Contains([]string{".sst", ".ldb", ".log"}, filepath.Ext(name)):
			info, err := entry.Info()
			data = data || err == nil && info.Size() > 0
		}
	}
	switch {
	case !data:
		return nil
	case manifest == "":
		return damage.Lost(path, errors.New("the files CURRENT or marker.manifest and MANIFEST are missing"))
	case version2:
		return fmt.Errorf("the chain database in %s is damaged: the empty file marker.manifest is missing, which names the "+
			"manifest: make it with touch %[1]s/marker.manifest.000001.%s", path, manifest)
	}
	return fmt.Errorf("the chain database in %s is damaged: the file CURRENT is missing, which names the manifest: make "+
		"it with echo %s >%[1]s/CURRENT", path, manifest)
}
