// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package snapshot

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/pebble"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/ethereum/go-ethereum/triedb/pathdb"

	"gwon/internal/atomicfile"
)

const (
	cacheMiB  = 256
	fileCount = 512 // open at once
)

// progressName is the name of the file, beside a database that is being built, with the number of its complete chunks
// of blocks.
const progressName = "progress"

// database is a chain database that is being built.
type database struct {
	ethdb.Database
	dir   string
	batch ethdb.Batch
	limit uint64 // number below which blocks go to the ancient store
}

// openDatabase opens the database in dir, or makes it, for the chain of a snapshot. The newest blocks, as many as a
// node keeps there or as kept says, go to the key-value store. Headers alone go to the ancient store.
func openDatabase(dir string, m *Manifest, kept uint64) (*database, error) {
	if kept == 0 {
		kept = gethparams.FullImmutabilityThreshold
	}
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, err
	}
	store, err := pebble.New(dir, cacheMiB, fileCount, "", false)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	db, err := rawdb.Open(store, rawdb.OpenOptions{Ancient: filepath.Join(dir, "ancient")})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", dir, err), store.Close())
	}
	d := &database{Database: db, dir: dir, batch: db.NewBatch()}
	// As upstream's freezer does it, so that it has nothing to move.
	if m.Number > kept {
		d.limit = m.Number - kept + 1
	}
	d.limit = max(d.limit, m.HistoryFrom)
	return d, nil
}

func (d *database) progressFile() string { return filepath.Join(filepath.Dir(d.dir), progressName) }

// chunks returns how many chunks of blocks are complete.
func (d *database) chunks() (uint64, error) {
	raw, err := os.ReadFile(d.progressFile())
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(string(raw), 10, 32)
}

// resume continues behind the complete chunks of blocks, and removes what came after them.
func (d *database) resume(proof *chainProof, m *Manifest) (chunks uint64, err error) {
	if chunks, err = d.chunks(); err != nil || chunks > uint64(len(m.Blocks)) {
		return 0, fmt.Errorf("%s holds no number of chunks: delete %s and begin again", d.progressFile(), filepath.Dir(d.dir))
	}
	next := uint64(0)
	for _, c := range m.Blocks[:chunks] {
		next += c.Blocks
	}
	if _, err := d.TruncateHead(min(next, d.limit)); err != nil {
		return 0, err
	}
	if next == 0 {
		return 0, nil
	}
	for _, number := range proof.judges(next - 1) {
		header, err := d.header(number)
		if err != nil {
			return 0, err
		}
		proof.proven = append(proof.proven, header)
	}
	if number, ok := rawdb.ReadHeaderNumber(d, proof.checkpoint); ok && number < next {
		proof.passed = true
	}
	return chunks, nil
}

func (d *database) header(number uint64) (*types.Header, error) {
	if h := rawdb.ReadHeader(d, rawdb.ReadCanonicalHash(d, number), number); h != nil {
		return h, nil
	}
	return nil, fmt.Errorf("block %d is missing in %s: delete that directory and begin again", number, d.dir)
}

// putBlocks stores proven consecutive blocks.
func (d *database) putBlocks(run []provenBlock) error {
	old := 0
	for old < len(run) && run[old].NumberU64() < d.limit {
		rawdb.WriteHeaderNumber(d.batch, run[old].Hash(), run[old].NumberU64())
		old++
	}
	if err := d.putAncient(run[:old]); err != nil {
		return err
	}
	for _, b := range run[old:] {
		d.putLive(b)
	}
	return d.flush(false)
}

// putAncient stores blocks in the ancient store. Headers alone stand between the genesis block and the history.
func (d *database) putAncient(run []provenBlock) error {
	for len(run) > 0 {
		var (
			headers  []*types.Header
			blocks   []*types.Block
			receipts []rlp.RawValue
			alone    = run[0].receipts == nil
			n        = 0
			err      error
		)
		for ; n < len(run) && (run[n].receipts == nil) == alone; n++ {
			headers = append(headers, run[n].Header())
			blocks, receipts = append(blocks, run[n].Block), append(receipts, run[n].receipts)
		}
		if alone {
			_, err = rawdb.WriteAncientHeaderChain(d, headers)
		} else {
			_, err = rawdb.WriteAncientBlocks(d, blocks, receipts)
		}
		if err != nil {
			return err
		}
		run = run[n:]
	}
	return nil
}

// putLive stores a block in the key-value store.
func (d *database) putLive(b provenBlock) {
	rawdb.WriteBlock(d.batch, b.Block)
	rawdb.WriteCanonicalHash(d.batch, b.Hash(), b.NumberU64())
	rawdb.WriteRawReceipts(d.batch, b.Hash(), b.NumberU64(), b.receipts)
}

// endChunk makes the blocks until now durable, and notes how many chunks are complete.
func (d *database) endChunk(chunks uint64) error {
	if err := d.flush(true); err != nil {
		return err
	}
	if err := errors.Join(d.SyncAncient(), d.SyncKeyValue()); err != nil {
		return err
	}
	return atomicfile.Write(d.progressFile(), strconv.AppendUint(nil, chunks, 10), fileMode)
}

// flush writes what has gathered, if it is much or all is to be written. It implements stateStore.
func (d *database) flush(all bool) error {
	if !all && d.batch.ValueSize() < ethdb.IdealBatchSize {
		return nil
	}
	if err := d.batch.Write(); err != nil {
		return err
	}
	d.batch.Reset()
	return nil
}

func (d *database) putAccount(hash common.Hash, slim []byte) {
	rawdb.WriteAccountSnapshot(d.batch, hash, slim)
}

func (d *database) putSlot(account, hash common.Hash, value []byte) {
	rawdb.WriteStorageSnapshot(d.batch, account, hash, value)
}

func (d *database) putCode(hash common.Hash, code []byte) { rawdb.WriteCode(d.batch, hash, code) }

func (d *database) hasCode(hash common.Hash) bool { return rawdb.HasCodeWithPrefix(d, hash) }

func (d *database) putNode(owner common.Hash, path, blob []byte) {
	if owner == (common.Hash{}) {
		rawdb.WriteAccountTrieNode(d.batch, path, blob)
		return
	}
	rawdb.WriteStorageTrieNode(d.batch, owner, path, blob)
}

// finish adopts the state, and writes what makes the chain one that a node starts with.
func (d *database) finish(m *Manifest, network *Network) error {
	paths := *pathdb.Defaults
	paths.SnapshotNoBuild = true // the flat state is complete
	tries := triedb.NewDatabase(d.Database, &triedb.Config{PathDB: &paths})
	if err := errors.Join(tries.AdoptSyncedState(m.StateRoot), tries.Close()); err != nil {
		return fmt.Errorf("adopt state: %w", err)
	}
	genesis, err := d.header(0)
	if err != nil {
		return err
	}
	d.putLive(provenBlock{types.NewBlockWithHeader(genesis), rlp.EmptyList}) // upstream keeps it there, too
	rawdb.WriteChainConfig(d.batch, m.Genesis, network.Config)
	if len(network.Alloc) > 0 {
		rawdb.WriteGenesisStateSpec(d.batch, m.Genesis, network.Alloc)
	}
	if m.HistoryFrom > 0 {
		if _, err := d.TruncateTail(rawdb.ChainFreezerBlockDataGroup, m.HistoryFrom); err != nil {
			return fmt.Errorf("note where the history begins: %w", err)
		}
	}
	rawdb.WriteDatabaseVersion(d.batch, gethcore.BlockChainVersion)
	rawdb.WriteHeadHeaderHash(d.batch, m.Hash)
	rawdb.WriteHeadFastBlockHash(d.batch, m.Hash)
	rawdb.WriteHeadBlockHash(d.batch, m.Hash)
	return errors.Join(d.flush(true), d.SyncKeyValue())
}
