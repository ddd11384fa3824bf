// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package snapshot

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/internal/atomicfile"
)

const (
	fileMode = 0o644
	dirMode  = 0o755

	// shift is how long a source that rests works in one go.
	shift = 20 * time.Millisecond

	// lookBack bounds how many blocks the state on disk may be behind the head.
	lookBack = 1 << 20
)

// Source is a database that a snapshot is made of.
type Source struct {
	DB   ethdb.Database
	Rest bool // rest as long as it works: a node runs on the database

	chunk uint64 // bytes of a chunk before compression; 0 means 64 MiB
}

// errBusy means that the state on disk changed while it was being opened.
var errBusy = errors.New("the state on disk keeps changing: try again")

// stateView is the state on disk at one root. It does not change, whatever is written meanwhile.
type stateView struct {
	root     common.Hash
	accounts ethdb.Iterator
	slots    ethdb.Iterator
}

// openState opens the flat state. Each write of the database that changes it also changes the root beside it.
func openState(db ethdb.Database) (*stateView, error) {
	if scheme := rawdb.ReadStateScheme(db); scheme != rawdb.PathScheme {
		return nil, fmt.Errorf("the state is kept in scheme %q: a snapshot can be made of a database with --state.scheme path only", scheme)
	}
	var progress struct { // of the generation of the flat state
		Wiping, Done bool
		Rest         []rlp.RawValue `rlp:"tail"`
	}
	if err := rlp.DecodeBytes(rawdb.ReadSnapshotGenerator(db), &progress); err != nil || !progress.Done {
		return nil, errors.New("the flat state is not complete: let the node run until it logs \"Generated snapshot\", then try again")
	}
	for range 3 {
		v := &stateView{
			root:     rawdb.ReadSnapshotRoot(db),
			accounts: db.NewIterator(rawdb.SnapshotAccountPrefix, nil),
			slots:    db.NewIterator(rawdb.SnapshotStoragePrefix, nil),
		}
		if rawdb.ReadSnapshotRoot(db) == v.root {
			return v, nil
		}
		v.release()
	}
	return nil, errBusy
}

func (v *stateView) release() {
	v.accounts.Release()
	v.slots.Release()
}

// headOf returns the newest block with a state root.
func headOf(db ethdb.Database, root common.Hash) (*types.Header, error) {
	number, ok := rawdb.ReadHeaderNumber(db, rawdb.ReadHeadBlockHash(db))
	for n := number; ok && n > 0 && number-n < lookBack; n-- {
		header := rawdb.ReadHeader(db, rawdb.ReadCanonicalHash(db, n), n)
		if header == nil {
			return nil, fmt.Errorf("block %d is not in the database", n)
		}
		if header.Root == root {
			return header, nil
		}
	}
	return nil, errors.New("the state on disk is of no block behind the genesis block: let the node run for five minutes more, " +
		"since the state goes to disk that often, and at least 128 blocks behind the head")
}

// creation is the making of a snapshot.
type creation struct {
	Source
	dir      string
	progress *Progress
	manifest *Manifest
	started  time.Time // of the work since the last rest
}

// Create writes a snapshot into dir, which must be empty or not there, and returns its manifest and the SHA-256 of that.
func Create(ctx context.Context, source Source, dir string, progress *Progress) (*Manifest, Digest, error) {
	if err := prepareDir(dir); err != nil {
		return nil, Digest{}, err
	}
	c := &creation{Source: source, dir: dir, progress: progress, manifest: &Manifest{Format: Format}, started: time.Now()}
	if err := c.write(ctx); err != nil {
		return nil, Digest{}, fmt.Errorf("%w (%s has no manifest and is of no use: delete it)", err, dir)
	}
	raw, err := json.MarshalIndent(c.manifest, "", " ")
	if err != nil {
		return nil, Digest{}, err
	}
	if err := atomicfile.Write(filepath.Join(dir, ManifestName), raw, fileMode); err != nil {
		return nil, Digest{}, err
	}
	return c.manifest, sha256.Sum256(raw), nil
}

// prepareDir makes an empty directory.
func prepareDir(dir string) error {
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty: name a new directory", dir)
	}
	return nil
}

func (c *creation) write(ctx context.Context) error {
	tail, err := c.DB.Tail(rawdb.ChainFreezerBlockDataGroup)
	if err != nil {
		return err
	}
	if tail > 0 {
		return fmt.Errorf("this node has dropped the history before block %d: make the snapshot of a node that has all", tail)
	}
	state, err := openState(c.DB)
	if err != nil {
		return err
	}
	defer state.release()
	head, err := headOf(c.DB, state.root)
	if err != nil {
		return err
	}
	m := c.manifest
	m.Genesis = rawdb.ReadCanonicalHash(c.DB, 0)
	config := rawdb.ReadChainConfig(c.DB, m.Genesis)
	if config == nil || config.Anzeon == nil || !config.ChainID.IsUint64() {
		return errors.New("the database has no chain of gwon's")
	}
	m.ChainID, m.Number, m.Hash, m.StateRoot = config.ChainID.Uint64(), head.Number.Uint64(), head.Hash(), head.Root
	if err := c.writeState(ctx, state); err != nil {
		return err
	}
	return c.writeBlocks(ctx)
}

// rest lets the node that uses the database have the processor for as long as it was used here.
func (c *creation) rest(ctx context.Context) error {
	worked := time.Since(c.started)
	if worked < shift {
		return nil
	}
	if c.Rest {
		select {
		case <-time.After(worked):
		case <-ctx.Done():
		}
	}
	c.started = time.Now()
	return ctx.Err()
}

func (c *creation) chunks(k kind) *chunkWriter {
	limit := c.chunk
	if limit == 0 {
		limit = chunkBytes
	}
	return &chunkWriter{dir: c.dir, kind: k, limit: limit}
}

// writeState writes the accounts in their order, each with its slots.
func (c *creation) writeState(ctx context.Context, state *stateView) error {
	out := c.chunks(stateKind)
	defer out.close()
	builder := newStateBuilder(nil)
	add := func(kind uint8, hash common.Hash, value []byte) error {
		item := &stateItem{kind, hash, value}
		if err := builder.add(item); err != nil {
			return err
		}
		raw, err := rlp.EncodeToBytes(item)
		if err != nil {
			return err
		}
		c.progress.add(len(raw))
		if err := out.add(raw, 0); err != nil {
			return err
		}
		return c.rest(ctx)
	}
	// Of 65,536 parts of the accounts, whose hashes are spread evenly.
	c.progress.begin("Writing state", 1<<16)
	more := state.slots.Next()
	for state.accounts.Next() {
		key := state.accounts.Key()
		if len(key) != len(rawdb.SnapshotAccountPrefix)+common.HashLength {
			continue
		}
		hash, slim := common.Hash(key[len(rawdb.SnapshotAccountPrefix):]), state.accounts.Value()
		c.progress.at(uint64(binary.BigEndian.Uint16(hash[:])))
		account, err := types.FullAccount(slim)
		if err != nil {
			return fmt.Errorf("account %v: %w", hash, err)
		}
		code := common.BytesToHash(account.CodeHash)
		if _, written := builder.codes[code]; !written && code != types.EmptyCodeHash {
			if err := add(codeItem, code, rawdb.ReadCode(c.DB, code)); err != nil {
				return fmt.Errorf("code of account %v: %w", hash, err)
			}
		}
		if err := add(accountItem, hash, slim); err != nil {
			return err
		}
		for ; more; more = state.slots.Next() {
			of, slot, ok := slotOf(state.slots.Key())
			if !ok || bytes.Compare(of, hash[:]) < 0 {
				continue
			}
			if !bytes.Equal(of, hash[:]) {
				break
			}
			if err := add(slotItem, slot, state.slots.Value()); err != nil {
				return err
			}
		}
	}
	if err := errors.Join(state.accounts.Error(), state.slots.Error()); err != nil {
		return fmt.Errorf("read state: %w", err)
	}
	root, err := builder.root()
	if err != nil {
		return err
	}
	if root != state.root {
		return fmt.Errorf("the flat state has root %v and not %v: the database is damaged, remove it with gwon removedb and sync again",
			root, state.root)
	}
	if err := out.end(); err != nil {
		return err
	}
	c.manifest.State = out.done
	return nil
}

// slotOf splits a key of the flat storage into the hashes of account and slot.
func slotOf(key []byte) (account []byte, slot common.Hash, ok bool) {
	key = key[len(rawdb.SnapshotStoragePrefix):]
	if len(key) != 2*common.HashLength {
		return nil, common.Hash{}, false
	}
	return key[:common.HashLength], common.Hash(key[common.HashLength:]), true
}

// writeBlocks writes the blocks from the genesis block to the head.
func (c *creation) writeBlocks(ctx context.Context) error {
	out := c.chunks(blocksKind)
	defer out.close()
	c.progress.begin("Writing blocks", c.manifest.Number+1)
	for n := uint64(0); n <= c.manifest.Number; n++ {
		hash := rawdb.ReadCanonicalHash(c.DB, n)
		item := &blockItem{
			Header: rawdb.ReadHeaderRLP(c.DB, hash, n), Body: rawdb.ReadBodyRLP(c.DB, hash, n), Receipts: rawdb.ReadReceiptsRLP(c.DB, hash, n),
		}
		if len(item.Header) == 0 || len(item.Body) == 0 || len(item.Receipts) == 0 {
			return fmt.Errorf("header, body or receipts of block %d are not in the database: make the snapshot of another node", n)
		}
		if bytes.Equal(item.Receipts, rlp.EmptyList) && n > 0 {
			if err := c.checkEmpty(item, n); err != nil {
				return err
			}
		}
		raw, err := rlp.EncodeToBytes(item)
		if err != nil {
			return err
		}
		if err := out.add(raw, 1); err != nil {
			return err
		}
		c.progress.add(len(raw))
		c.progress.at(n + 1)
		if err := c.rest(ctx); err != nil {
			return err
		}
	}
	if hash := rawdb.ReadCanonicalHash(c.DB, c.manifest.Number); hash != c.manifest.Hash {
		return fmt.Errorf("block %d has changed from %v to %v: try again", c.manifest.Number, c.manifest.Hash, hash)
	}
	if err := out.end(); err != nil {
		return err
	}
	c.manifest.Blocks = out.done
	return nil
}

// checkEmpty refuses a block with transactions that was stored without its receipts (record 0013).
func (c *creation) checkEmpty(item *blockItem, number uint64) error {
	var header types.Header
	if err := rlp.DecodeBytes(item.Header, &header); err != nil {
		return fmt.Errorf("header of block %d: %w", number, err)
	}
	if header.ReceiptHash != types.EmptyReceiptsHash {
		return fmt.Errorf("the receipts of block %d are missing here: make the snapshot of a node that has executed the block", number)
	}
	return nil
}
