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
	"github.com/ethereum/go-ethereum/triedb"

	"gwon/internal/atomicfile"
	"gwon/internal/progress"
)

const (
	fileMode = 0o644
	dirMode  = 0o755

	// shift is how long a source that rests works in one go.
	shift = 20 * time.Millisecond
)

// Source is a database that a snapshot is made of.
type Source struct {
	DB ethdb.Database
	// Tries, if not nil, has states that are newer than the one on disk. No other goroutine may use it.
	Tries *triedb.Database
	Rest  bool // rest as long as it works: a node runs on the database
	Disk  Disk

	chunk uint64 // bytes of a chunk before compression; 0 means 64 MiB
}

// Disk is what a snapshot leaves on the disk that it is written to. A node may run there, which ends before it is full.
type Disk struct {
	Free func(dir string) (uint64, error) // returns the free bytes on the disk of a directory; nil for no bound
	Keep uint64                           // bytes that stay free
}

// room returns an error when the disk of a directory has no room for another chunk.
func (d *Disk) room(dir string) error {
	if d.Free == nil {
		return nil
	}
	free, err := d.Free(dir)
	if err != nil {
		return fmt.Errorf("free space on the disk of %s: %w", dir, err)
	}
	if free < d.Keep+maxPacked {
		return fmt.Errorf("the disk of %s has %v free, and %v have to stay free: free space, or name a directory on another "+
			"disk", dir, common.StorageSize(free), common.StorageSize(d.Keep+maxPacked))
	}
	return nil
}

// creation is the making of a snapshot.
type creation struct {
	Source
	dir      string
	progress *progress.Meter
	manifest *Manifest
	started  time.Time // of the work since the last rest
}

// Create writes a snapshot into dir, which must be empty or not there, and returns its manifest and the SHA-256 of
// that.
func Create(ctx context.Context, source Source, dir string, meter *progress.Meter) (*Manifest, Digest, error) {
	if err := prepareDir(dir); err != nil {
		return nil, Digest{}, err
	}
	c := &creation{Source: source, dir: dir, progress: meter, manifest: &Manifest{Format: Format}, started: time.Now()}
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
	state, head, err := c.openState()
	if err != nil {
		return err
	}
	defer state.release()
	if _, err := c.block(1); err != nil { // the oldest ones are dropped first
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
		return ctx.Err()
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
	return &chunkWriter{dir: c.dir, kind: k, limit: limit, room: c.Disk.room}
}

// writeState writes the accounts in their order, each with its slots.
func (c *creation) writeState(ctx context.Context, state stateView) (err error) {
	out := c.chunks(stateKind)
	defer func() { err = errors.Join(err, out.close()) }()
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
		c.progress.Add(len(raw))
		if err := out.add(raw, 0); err != nil {
			return err
		}
		return c.rest(ctx)
	}
	// Of 65,536 parts of the accounts, whose hashes are spread evenly.
	c.progress.Begin("Writing state", 1<<16)
	for state.next() {
		hash, slim := state.account()
		c.progress.At(uint64(binary.BigEndian.Uint16(hash[:])))
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
		if err := state.slots(func(slot common.Hash, value []byte) error { return add(slotItem, slot, value) }); err != nil {
			return err
		}
	}
	if err := state.err(); err != nil {
		return fmt.Errorf("read state: %w", err)
	}
	root, err := builder.root()
	if err != nil {
		return err
	}
	if root != c.manifest.StateRoot {
		return fmt.Errorf("the flat state has root %v and not %v: the database is damaged, remove it with gwon removedb "+
			"and sync again",
			root, c.manifest.StateRoot)
	}
	if err := out.end(); err != nil {
		return err
	}
	c.manifest.State = out.done
	return nil
}

// writeBlocks writes the blocks from the genesis block to the head.
func (c *creation) writeBlocks(ctx context.Context) (err error) {
	out := c.chunks(blocksKind)
	defer func() { err = errors.Join(err, out.close()) }()
	c.progress.Begin("Writing blocks", c.manifest.Number+1)
	for n := uint64(0); n <= c.manifest.Number; n++ {
		item, err := c.block(n)
		if err != nil {
			return err
		}
		raw, err := rlp.EncodeToBytes(item)
		if err != nil {
			return err
		}
		if err := out.add(raw, 1); err != nil {
			return err
		}
		c.progress.Add(len(raw))
		c.progress.At(n + 1)
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

// block reads a block with its receipts.
func (c *creation) block(number uint64) (*blockItem, error) {
	hash := rawdb.ReadCanonicalHash(c.DB, number)
	item := &blockItem{
		Header: rawdb.ReadHeaderRLP(c.DB, hash, number), Body: rawdb.ReadBodyRLP(c.DB, hash, number),
		Receipts: rawdb.ReadReceiptsRLP(c.DB, hash, number),
	}
	if len(item.Header) == 0 || len(item.Body) == 0 || len(item.Receipts) == 0 {
		return nil, fmt.Errorf("block %d or its receipts are not in the database: make the snapshot of a node that has "+
			"all blocks, and has dropped no history", number)
	}
	if number == 0 || !bytes.Equal(item.Receipts, rlp.EmptyList) {
		return item, nil
	}
	return item, checkEmpty(item, number)
}

// checkEmpty refuses a block with transactions that was stored without its receipts (record 0013).
func checkEmpty(item *blockItem, number uint64) error {
	var header types.Header
	if err := rlp.DecodeBytes(item.Header, &header); err != nil {
		return fmt.Errorf("header of block %d: %w", number, err)
	}
	if header.ReceiptHash != types.EmptyReceiptsHash {
		return fmt.Errorf("the receipts of block %d are missing here: make the snapshot of a node that has executed the "+
			"block", number)
	}
	return nil
}
