// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"path/filepath"
)

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
// this wrote beside the database. With flush the write buffer of the database goes to disk. It does nothing with the
// hash scheme, which decides by itself when to write, and for a chain in memory.
func (bc *BlockChain) SaveState(flush bool) (int64, error) {
	if bc.states == nil {
		return 0, nil
	}
	return bc.states.Save(bc.CurrentBlock().Root, flush)
}
