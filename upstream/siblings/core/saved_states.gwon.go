// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"path/filepath"

	"github.com/ethereum/go-ethereum/core/rawdb"
)

// hashStateDistance is the largest number of blocks from one state that the hash scheme writes to the next. Upstream
// counts only the time of their execution, of which light blocks need an hour in a month. A crash must not lose the
// states of more blocks than the freezer leaves.
const hashStateDistance = 16_384

// openStates restores the newest states of an Anzeon chain after a crash. It runs before the head is looked for, which
// otherwise is the newest block whose state the database has on disk.
func (bc *BlockChain) openStates() (err error) {
	if !bc.chainConfig.IsAnzeon() || bc.cfg.TrieJournalDirectory == "" {
		return nil
	}
	bc.states, err = bc.triedb.OpenSavedLayers(filepath.Join(bc.cfg.TrieJournalDirectory, "layers"))
	return err
}

// SaveState makes the state of the head safe from a crash of the process or the machine, and returns the bytes that
// this wrote beside the database. With flush the write buffer of the database goes to disk. The hash scheme writes with
// flush alone, after many blocks. Nothing is done for a chain in memory.
func (bc *BlockChain) SaveState(flush bool) (int64, error) {
	if bc.states != nil {
		return bc.states.Save(bc.CurrentBlock().Root, flush)
	}
	if !flush || bc.cfg.ArchiveMode || bc.triedb.Scheme() != rawdb.HashScheme {
		return 0, nil
	}
	return 0, bc.commitHashState(hashStateDistance)
}

// commitHashState writes the state of the head where that of none of the newest blocks, by a number, was written.
func (bc *BlockChain) commitHashState(distance uint64) error {
	if !bc.chainmu.TryLock() {
		return errChainStopped
	}
	defer bc.chainmu.Unlock()
	head := bc.CurrentBlock()
	if head.Number.Uint64() < bc.lastWrite+distance {
		return nil
	}
	if err := bc.triedb.Commit(head.Root, false); err != nil {
		return err
	}
	bc.lastWrite = head.Number.Uint64()
	return nil
}
