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
	"math"
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
	Options

	chunk uint64 // bytes of a chunk before compression; 0 means 64 MiB
}

// Options say what a snapshot holds, and what it is made of besides the database.
type Options struct {
	// HistoryFrom is the first block whose transactions and receipts are wanted; 0 means all that the database has.
	HistoryFrom uint64 `json:"historyFrom,omitempty"`
	// Extend is the directory of an earlier snapshot of the chain, whose chunks of blocks are taken over; "" for none.
	Extend string `json:"extend,omitempty"`
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
	c := &creation{Source: source, dir: dir, progress: meter, manifest: new(Manifest), started: time.Now()}
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
	m := c.manifest
	m.Genesis = rawdb.ReadCanonicalHash(c.DB, 0)
	config := rawdb.ReadChainConfig(c.DB, m.Genesis)
	if config == nil || config.Anzeon == nil || !config.ChainID.IsUint64() {
		return errors.New("the database has no chain of gwon's")
	}
	m.ChainID, m.Number, m.Hash, m.StateRoot = config.ChainID.Uint64(), head.Number.Uint64(), head.Hash(), head.Root
	taken, err := c.takeOver(ctx)
	if err != nil {
		return err
	}
	if err := c.setHistory(taken); err != nil {
		return err
	}
	if err := c.writeState(ctx, state); err != nil {
		return err
	}
	return c.writeBlocks(ctx, taken)
}

// setHistory decides with which block the history begins. The oldest blocks are dropped first.
func (c *creation) setHistory(taken []Chunk) error {
	m, next := c.manifest, blocksIn(taken)
	if next == 0 {
		dropped, _ := c.DB.Tail(rawdb.ChainFreezerBlockDataGroup) // a database without ancient store has dropped nothing
		m.HistoryFrom = max(c.HistoryFrom, m.HistoryFrom, dropped)
	}
	if m.HistoryFrom == 1 {
		m.HistoryFrom = 0 // the genesis block has no transactions
	}
	if m.HistoryFrom > m.Number {
		return fmt.Errorf("the history is to begin with block %d, and the newest state is that of block %d: name an "+
			"earlier block", m.HistoryFrom, m.Number)
	}
	if m.Format = Format; m.HistoryFrom > 0 {
		m.Format = formatRecent
	}
	_, err := c.block(max(m.HistoryFrom, next, 1))
	return err
}

// blocksIn returns the number of blocks in chunks.
func blocksIn(chunks []Chunk) (blocks uint64) {
	for _, c := range chunks {
		blocks += c.Blocks
	}
	return blocks
}

// earlier reads the manifest of the snapshot that is extended; nil for none.
func (o *Options) earlier() (*Manifest, error) {
	if o.Extend == "" {
		return nil, nil
	}
	raw, err := atomicfile.Read(filepath.Join(o.Extend, ManifestName))
	if err != nil {
		return nil, err
	}
	m, err := parseManifest(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Extend, err)
	}
	return m, nil
}

// takeOver links the full chunks of blocks of an earlier snapshot into this one, and returns them. What they hold is
// compared with the manifest, and the head of that snapshot with this chain.
func (c *creation) takeOver(ctx context.Context) ([]Chunk, error) {
	earlier, err := c.earlier()
	if earlier == nil || err != nil {
		return nil, err
	}
	m := c.manifest
	switch {
	case earlier.Genesis != m.Genesis || rawdb.ReadCanonicalHash(c.DB, earlier.Number) != earlier.Hash:
		return nil, fmt.Errorf("the snapshot in %s is of block %d, %v, which is not in this chain: name a snapshot of this "+
			"chain, or none", c.Extend, earlier.Number, earlier.Hash)
	case earlier.Number > m.Number:
		return nil, fmt.Errorf("the snapshot in %s is of block %d, and the newest state here is that of block %d: try later",
			c.Extend, earlier.Number, m.Number)
	case c.HistoryFrom > 0 && c.HistoryFrom != earlier.HistoryFrom:
		return nil, fmt.Errorf("the history in %s begins with block %d, not with %d: a snapshot that begins elsewhere has "+
			"to be written as a whole", c.Extend, earlier.HistoryFrom, c.HistoryFrom)
	}
	m.HistoryFrom = earlier.HistoryFrom
	chunks := earlier.Blocks
	if chunks[len(chunks)-1].Unpacked < c.limit() {
		chunks = chunks[:len(chunks)-1]
	}
	c.progress.Begin("Taking over blocks", uint64(len(chunks)))
	for i, chunk := range chunks {
		name := chunkName(blocksKind, i)
		from, to := filepath.Join(c.Extend, name), filepath.Join(c.dir, name)
		if err := checkFile(from, chunk); err != nil {
			return nil, fmt.Errorf("%s: %w: write the snapshot without that one", from, err)
		}
		if err := c.link(from, to); err != nil {
			return nil, err
		}
		c.progress.At(uint64(i + 1))
		if err := c.rest(ctx); err != nil {
			return nil, err
		}
	}
	return chunks, nil
}

// link makes a file appear under a second name, or copies it onto another disk.
func (c *creation) link(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	if err := c.Disk.room(c.dir); err != nil {
		return err
	}
	raw, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return atomicfile.Write(to, raw, fileMode)
}

// limit returns the bytes before compression with which a chunk is complete.
func (c *creation) limit() uint64 {
	if c.chunk > 0 {
		return c.chunk
	}
	return chunkBytes
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
	return &chunkWriter{dir: c.dir, kind: k, limit: c.limit(), room: c.Disk.room}
}

// writeState writes the accounts in their order, each with its slots.
func (c *creation) writeState(ctx context.Context, state stateView) (err error) {
	out := c.chunks(stateKind)
	defer func() { err = errors.Join(err, out.close()) }()
	builder := newStateBuilder(nil, math.MaxInt)
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

// writeBlocks writes the blocks to the head that chunks which are there do not have.
func (c *creation) writeBlocks(ctx context.Context, taken []Chunk) (err error) {
	out := c.chunks(blocksKind)
	out.done = taken
	defer func() { err = errors.Join(err, out.close()) }()
	c.progress.Begin("Writing blocks", c.manifest.Number+1)
	next := blocksIn(taken)
	c.progress.Skip(next)
	for n := next; n <= c.manifest.Number; n++ {
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

// block reads a block with its receipts, or its header before the history.
func (c *creation) block(number uint64) (*blockItem, error) {
	hash := rawdb.ReadCanonicalHash(c.DB, number)
	item := &blockItem{Header: rawdb.ReadHeaderRLP(c.DB, hash, number)}
	if number == 0 || !c.manifest.hasBody(number) {
		var header types.Header
		if err := rlp.DecodeBytes(item.Header, &header); err != nil {
			return nil, fmt.Errorf("header of block %d: %w", number, err)
		}
		if number > 0 {
			return item, nil
		}
		body, err := rlp.EncodeToBytes(genesisBody(&header)) // a node that has dropped history has none
		item.Body, item.Receipts = body, rlp.EmptyList
		return item, err
	}
	item.Body, item.Receipts = rawdb.ReadBodyRLP(c.DB, hash, number), rawdb.ReadReceiptsRLP(c.DB, hash, number)
	if len(item.Header) == 0 || len(item.Body) == 0 || len(item.Receipts) == 0 {
		return nil, fmt.Errorf("block %d or its receipts are not in the database: make the snapshot of a node that has "+
			"all blocks from there on", number)
	}
	if !bytes.Equal(item.Receipts, rlp.EmptyList) {
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
