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
	if err := prepare(rawdb.NewDatabase(store), ancient); err != nil {
		return chain, errors.Join(err, store.Close())
	}
	// Opening the ancient store converts its metadata and finds gaps. It closes the key-value store as well.
	db, err := rawdb.Open(store, rawdb.OpenOptions{Ancient: ancient})
	if err != nil {
		return chain, errors.Join(fmt.Errorf("open the copy of the ancient store: %w", err), store.Close())
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if chain, err = readChain(db); err != nil {
		return chain, err
	}
	chain.Engine = rawdb.PreexistingDatabase(path)
	return chain, convertKeys(db, chain)
}

// prepare refuses a chain database that go-stablenet has not written, and makes the state histories begin at its state.
func prepare(db ethdb.Database, ancient string) error {
	if !IsForeign(db) {
		return errors.New("go-stablenet has not written this chain database: gwon takes it as it is")
	}
	if version := rawdb.ReadDatabaseVersion(db); version == nil || *version > gethcore.BlockChainVersion {
		return fmt.Errorf("the chain database has a version that this program does not know; it knows %d and %d",
			oldDatabaseVersion, gethcore.BlockChainVersion)
	}
	if id := rawdb.ReadPersistentStateID(db); rawdb.ReadStateScheme(db) == rawdb.PathScheme && id > 0 {
		return beginHistories(ancient, id)
	}
	return nil
}

// convertKeys makes the newest block with a state on disk the head. gwon executes those above, which are found in the
// key-value store, when it starts: it would cut them from the ancient store.
func convertKeys(db ethdb.Database, chain Chain) error {
	frozen, err := db.Ancients()
	if err != nil {
		return err
	}
	batch := db.NewBatch()
	for number := chain.State + 1; number < frozen; number++ {
		hash := rawdb.ReadCanonicalHash(db, number)
		header, body := rawdb.ReadHeader(db, hash, number), rawdb.ReadBodyRLP(db, hash, number)
		if header == nil || len(body) == 0 {
			return fmt.Errorf("block %d is not in the ancient store", number)
		}
		rawdb.WriteHeader(batch, header)
		rawdb.WriteBodyRLP(batch, hash, number, body)
		rawdb.WriteRawReceipts(batch, hash, number, rawdb.ReadReceiptsRLP(db, hash, number))
		rawdb.WriteCanonicalHash(batch, hash, number)
		if batch.ValueSize() >= ethdb.IdealBatchSize {
			if err := batch.Write(); err != nil {
				return err
			}
			batch.Reset()
		}
	}
	rawdb.WriteHeadBlockHash(batch, rawdb.ReadCanonicalHash(db, chain.State))
	rawdb.WriteDatabaseVersion(batch, gethcore.BlockChainVersion)
	if err := errors.Join(
		batch.Delete(finalKey), batch.Delete(journalKey), batch.Delete(difficultyKey(0, chain.Genesis)), batch.Write(),
		db.SyncKeyValue(),
	); err != nil {
		return err
	}
	if chain.State+1 < frozen {
		_, err = db.TruncateHead(chain.State + 1)
	}
	return err
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

// readChain reads the head, and the newest block whose state is on disk.
func readChain(db ethdb.Database) (chain Chain, err error) {
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
	if chain.State, found = rawdb.NewestState(db, chain.Hash, number); !found {
		return chain, errors.New("no block of the chain has its state on disk: sync gwon in another data directory")
	}
	return chain, nil
}
