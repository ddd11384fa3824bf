// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package adopt

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"
)

// oldDifficulties is the table of total difficulties in the ancient store of go-stablenet.
const oldDifficulties = "diffs"

// Keys of go-stablenet that gwon must not find.
var (
	finalKey   = []byte("LastFinalized") // lets the freezer take the head
	journalKey = []byte("TrieJournal")   // of a version that gwon does not read
)

// toGwon converts the copy of a chain database of go-stablenet, and returns what is in it.
func toGwon(path string) (chain Chain, err error) {
	store, err := OpenKeyValues(path, false)
	if err != nil {
		return chain, fmt.Errorf("open the copy of the chain database: %w", err)
	}
	ancient := filepath.Join(path, ancientName)
	if chain, err = convertKeys(store, ancient); err != nil {
		return chain, errors.Join(err, store.Close())
	}
	chain.Engine = rawdb.PreexistingDatabase(path)
	// Opening the ancient store converts its metadata and finds gaps. It closes the key-value store as well.
	db, err := rawdb.Open(store, rawdb.OpenOptions{Ancient: ancient})
	if err != nil {
		return chain, errors.Join(fmt.Errorf("open the copy of the ancient store: %w", err), store.Close())
	}
	return chain, db.Close()
}

// convertKeys converts the key-value store, and makes the state histories begin at its state.
func convertKeys(store ethdb.KeyValueStore, ancient string) (chain Chain, err error) {
	db := rawdb.NewDatabase(store)
	if !IsForeign(db) {
		return chain, errors.New("go-stablenet has not written this chain database: gwon takes it as it is")
	}
	if version := rawdb.ReadDatabaseVersion(db); version == nil || *version > gethcore.BlockChainVersion {
		return chain, fmt.Errorf("the chain database has a version that this program does not know; it knows %d and %d",
			oldDatabaseVersion, gethcore.BlockChainVersion)
	}
	if chain, err = readChain(db, ancient); err != nil {
		return chain, err
	}
	batch := store.NewBatch()
	rawdb.WriteDatabaseVersion(batch, gethcore.BlockChainVersion)
	if err := errors.Join(
		batch.Delete(finalKey), batch.Delete(journalKey), batch.Delete(difficultyKey(0, chain.Genesis)), batch.Write(),
		store.SyncKeyValue(),
	); err != nil {
		return chain, err
	}
	id := rawdb.ReadPersistentStateID(db)
	if chain.Scheme != rawdb.PathScheme || id == 0 {
		return chain, nil
	}
	return chain, beginHistories(ancient, id)
}

// beginHistories makes empty state histories that begin at a state. They are for returning to states below the newest
// one on disk, and neither program reads those of the other.
func beginHistories(ancient string, id uint64) error {
	histories, err := rawdb.NewStateFreezer(ancient, false, false)
	if err != nil {
		return err
	}
	_, err = histories.TruncateTail(rawdb.DefaultHistoryGroup, id)
	return errors.Join(err, histories.Close())
}

// readChain reads head and state, and refuses a database from which gwon would cut blocks.
func readChain(db ethdb.Database, ancient string) (chain Chain, err error) {
	chain.Genesis, chain.Hash = rawdb.ReadCanonicalHash(db, 0), rawdb.ReadHeadBlockHash(db)
	config := rawdb.ReadChainConfig(db, chain.Genesis)
	number, found := rawdb.ReadHeaderNumber(db, chain.Hash)
	switch {
	case chain.Genesis == (common.Hash{}) || !found:
		return chain, errors.New("the chain database has no head: sync again, or take another directory over")
	case config == nil || !config.IsAnzeon():
		return chain, errors.New("the chain database is not of a WBFT chain: no gwon can run it")
	}
	chain.ChainID, chain.Head, chain.Scheme = config.ChainID.Uint64(), number, rawdb.ReadStateScheme(db)
	chain.newest, chain.config = rawdb.ReadHeader(db, chain.Hash, number), config
	if chain.Head == 0 {
		return chain, nil
	}
	frozen := uint64(0)
	tables, err := readTables(chainTables(ancient))
	if err != nil {
		return chain, err
	}
	for _, t := range tables {
		if t.name == rawdb.ChainFreezerHashTable {
			frozen = t.length
		}
	}
	if chain.State, found = rawdb.NewestState(db, chain.Hash, number, frozen); !found {
		return chain, fmt.Errorf("no block of %d to %d has its state on disk, so that the blocks below would be cut: start "+
			"go-stablenet on the directory, let it reach the head, stop it with a signal and not by kill -9, and try again",
			frozen, number)
	}
	return chain, nil
}
