// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package adopt

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/gofrs/flock"

	"gwon/consensus/wbft"
	"gwon/internal/ancient"
	"gwon/internal/atomicfile"
)

const (
	beforeSuffix = ".before" // of go-stablenet's chain database as it was, and of a vote log
)

// takenFrom returns the directory from which an instance of gwon was taken over.
func takenFrom(instance string) (string, error) {
	mark, err := os.ReadFile(filepath.Join(instance, markName))
	if err != nil {
		return "", fmt.Errorf("%s was not taken over from go-stablenet, so there is nothing to return to: %w", instance, err)
	}
	return string(mark), nil
}

// CanReturn returns an error where Return would, before a chain is opened: gwon's has no directory to return to, or an
// earlier one is in its place, or the key cannot be moved.
func CanReturn(dataDir, name string, key bool) error {
	r := Result{From: filepath.Join(dataDir, name)}
	old, err := takenFrom(r.From)
	if err != nil {
		return err
	}
	var aside []string // what gets beforeSuffix
	if r.To = old; key {
		if _, err := r.checkKey(); err != nil {
			return err
		}
		aside = append(aside, filepath.Join(r.From, wbft.VoteLogFile))
	}
	if place := filepath.Join(old, chainName); !exists(filepath.Join(place, markName)) {
		aside = append(aside, place)
	}
	for _, path := range aside {
		if exists(path) && exists(path+beforeSuffix) {
			return fmt.Errorf("%s is there from an earlier return: move it away, or delete it", path+beforeSuffix)
		}
	}
	return nil
}

// Return gives chain and state of gwon back to the directory of go-stablenet from which they were taken over. The state
// of the head must be on disk. The chain database that was there stays beside the new one.
func Return(ctx context.Context, o Options) (result *Result, err error) {
	start := time.Now()
	ours := filepath.Join(o.DataDir, o.Name)
	old, err := takenFrom(ours)
	if err != nil {
		return nil, err
	}
	r := &Result{From: ours, To: old}
	defer func() { r.Took = time.Since(start) }()
	for _, instance := range []string{r.To, r.From} {
		held := flock.New(filepath.Join(instance, lockName))
		locked, err := held.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", instance, err)
		}
		if !locked {
			return nil, fmt.Errorf("%s: %w", instance, errRuns)
		}
		defer func() { err = errors.Join(err, held.Unlock()) }()
	}
	if err := CanReturn(o.DataDir, o.Name, o.Key); err != nil {
		return nil, err
	}
	place := filepath.Join(r.To, chainName)
	work, before := place+workSuffix, place+beforeSuffix
	if exists(filepath.Join(place, markName)) { // a crash came before the end
		r.Finished = true
		return r, r.finish(o, place)
	}
	if !exists(place) && exists(before) && exists(filepath.Join(work, markName)) { // a crash came between two renames
		r.Finished = true
		return r, r.place(o, work, place)
	}
	if err := os.RemoveAll(work); err != nil {
		return nil, err
	}
	if err := os.Mkdir(work, 0o700); err != nil {
		return nil, err
	}
	if err := r.unbuild(ctx, o, work); err != nil {
		return nil, errors.Join(err, os.RemoveAll(work))
	}
	if err := atomicfile.Write(filepath.Join(work, markName), []byte(ours), 0o600); err != nil {
		return nil, err
	}
	if exists(place) {
		if err := atomicfile.Rename(place, before); err != nil {
			return nil, err
		}
		r.Left = []string{before}
	}
	return r, r.place(o, work, place)
}

// place puts the new chain database in place.
func (r *Result) place(o Options, work, place string) error {
	if err := atomicfile.Rename(work, place); err != nil {
		return err
	}
	return r.finish(o, place)
}

// finish gives accepted transactions back, and moves the key. go-stablenet signs with it from now on, of which the vote
// log here knows nothing: if the key ever comes back, its votes are lost. Nor does this directory count as taken over:
// its chain stands still.
func (r *Result) finish(o Options, place string) error {
	if r.Finished {
		err := inDatabase(place, func(db ethdb.Database) (err error) { r.Chain, err = readChain(db); return })
		if err != nil {
			return err
		}
	}
	if err := copySmall(journalName, r.From, r.To); err != nil {
		return err
	}
	if !o.Key {
		return os.Remove(filepath.Join(place, markName))
	}
	votes := filepath.Join(r.From, wbft.VoteLogFile)
	if exists(votes) {
		if err := atomicfile.Rename(votes, votes+beforeSuffix); err != nil {
			return err
		}
	}
	if err := r.moveKey(); err != nil {
		return err
	}
	for _, directory := range []string{place, r.From} {
		if err := os.Remove(filepath.Join(directory, markName)); err != nil {
			return err
		}
	}
	return nil
}

// headOf returns the head of the chain database of go-stablenet, zero where there is none.
func headOf(place string) (head common.Hash, err error) {
	if !exists(place) {
		return head, nil
	}
	err = inDatabase(place, func(db ethdb.Database) error {
		head = rawdb.ReadHeadBlockHash(db)
		return nil
	})
	return head, err
}

// inDatabase runs f with the chain database of go-stablenet.
func inDatabase(place string, f func(ethdb.Database) error) error {
	store, err := OpenKeyValues(place, true)
	if err != nil {
		return fmt.Errorf("open the chain database of go-stablenet: %w", err)
	}
	return errors.Join(f(rawdb.NewDatabase(store)), store.Close())
}

// unbuild makes go-stablenet's chain database from gwon's.
func (r *Result) unbuild(ctx context.Context, o Options, work string) error {
	from, store := filepath.Join(r.From, chainName), o.Ancient
	if store == "" {
		store = filepath.Join(r.To, chainName, ancientName)
	}
	tables, new := filepath.Join(from, ancientName), filepath.Join(work, ancientName)
	t := &transfer{meter: o.Meter, free: o.Free}
	if err := errors.Join(
		t.addKeyValues(from, work),
		t.addTables(ancient.Dir(tables), filepath.Join(new, rawdb.ChainFreezerName), rawdb.ChainFreezerBALTable, false),
		t.addTables(ancient.Dir(store), filepath.Join(new, rawdb.ChainFreezerName), oldDifficulties, true),
	); err != nil {
		return err
	}
	if err := t.run(ctx, work); err != nil {
		return err
	}
	r.Clones, r.Links, r.Copies, r.Copied = t.clones, t.links, t.copies, t.copied
	head, err := headOf(filepath.Join(r.To, chainName))
	if err != nil {
		return err
	}
	if r.Chain, err = toOld(work, head); err != nil {
		return err
	}
	return errors.Join(extendDifficulties(filepath.Join(new, rawdb.ChainFreezerName)), oldMetadata(new))
}

// toOld converts the copy of gwon's key-value store, and makes the state histories begin at its state. The chain must
// have the head of the one whose place it takes.
func toOld(path string, head common.Hash) (chain Chain, err error) {
	store, err := OpenKeyValues(path, false)
	if err != nil {
		return chain, fmt.Errorf("open the copy of the chain database: %w", err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	db, ancient := rawdb.NewDatabase(store), filepath.Join(path, ancientName)
	if chain, err = readChain(db); err != nil {
		return chain, err
	}
	chain.Engine = rawdb.PreexistingDatabase(path)
	if chain.State != chain.Head {
		return chain, fmt.Errorf("the newest state on disk is that of block %d, and the head is %d: start gwon, and stop it "+
			"with a signal before", chain.State, chain.Head)
	}
	if _, found := rawdb.ReadHeaderNumber(db, head); !found && head != (common.Hash{}) {
		return chain, fmt.Errorf("go-stablenet has gone on since its chain was taken over: its head %v is not in gwon's "+
			"chain, which ends with %d. Start go-stablenet as it is, and move a key back by hand", head, chain.Head)
	}
	if err := writeDifficulties(store); err != nil {
		return chain, err
	}
	if id := rawdb.ReadPersistentStateID(db); chain.Scheme == rawdb.PathScheme && id > 0 {
		if err := beginHistories(ancient, id); err != nil {
			return chain, err
		}
	}
	rawdb.WriteDatabaseVersion(store, oldDatabaseVersion)
	return chain, store.SyncKeyValue()
}

// writeDifficulties stores the total difficulty of each block that has none: each block adds one.
func writeDifficulties(store ethdb.KeyValueStore) error {
	batch := store.NewBatch()
	headers := store.NewIterator([]byte{'h'}, nil)
	defer headers.Release()
	for headers.Next() {
		key := headers.Key()
		if len(key) != 1+8+common.HashLength {
			continue
		}
		number := binary.BigEndian.Uint64(key[1:])
		if err := batch.Put(difficultyKey(number, common.Hash(key[9:])), difficulty(number)); err != nil {
			return err
		}
		if batch.ValueSize() >= ethdb.IdealBatchSize {
			if err := batch.Write(); err != nil {
				return err
			}
			batch.Reset()
		}
	}
	return errors.Join(headers.Error(), batch.Write())
}

// difficulty returns the total difficulty of a block as go-stablenet stores it.
func difficulty(number uint64) []byte {
	encoded, err := rlp.EncodeToBytes(new(big.Int).SetUint64(number + 1))
	if err != nil {
		panic(err) // a number has an encoding
	}
	return encoded
}
