// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sort"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/ethereum/go-ethereum/rlp"
)

// Bounds of the blocks that are kept in their stored form. A full block of 5,000 payments has 1 MiB of receipts and
// 0.7 MiB of transactions.
const (
	storedReceiptsBytes = 48 << 20
	storedBodiesBytes   = 32 << 20
	storedEntries       = 4096 // of each kind
)

var (
	storedHitMeter  = metrics.NewRegisteredMeter("gwon/chain/stored/hit", nil)
	storedMissMeter = metrics.NewRegisteredMeter("gwon/chain/stored/miss", nil)
)

// storedBlocks keeps receipts and transactions of requested blocks in their stored form, with the position of each. A
// query decodes only those that it needs, and the garbage collector has no objects to scan.
type storedBlocks struct {
	receipts storedCache[*StoredReceipts]
	bodies   storedCache[*storedBody]

	missingMu     sync.Mutex
	missingLoaded bool
	missing       []uint64 // numbers of blocks without receipts that the log index has passed, ascending
}

// storedCache keeps values by the hash of their block, bounded in bytes. Its zero value is empty. A value that several
// callers request at the same time is loaded once.
type storedCache[V interface{ size() int }] struct {
	mu      sync.Mutex
	entries *lru.BasicLRU[common.Hash, *storedEntry[V]]
	bytes   int
}

type storedEntry[V any] struct {
	once  sync.Once
	value V
	err   error
	bytes int // counted in the cache; under its lock
}

// get returns the value of a block, from load when it is not kept. Errors are not kept.
func (c *storedCache[V]) get(hash common.Hash, limit int, load func() (V, error)) (V, error) {
	c.mu.Lock()
	if c.entries == nil {
		entries := lru.NewBasicLRU[common.Hash, *storedEntry[V]](storedEntries)
		c.entries = &entries
	}
	e, ok := c.entries.Get(hash)
	if ok {
		storedHitMeter.Mark(1)
	} else {
		storedMissMeter.Mark(1)
		e = new(storedEntry[V])
		if _, old, evicted := c.entries.Add3(hash, e); evicted {
			c.bytes -= old.bytes
		}
	}
	c.mu.Unlock()
	e.once.Do(func() {
		e.value, e.err = load()
		c.mu.Lock()
		defer c.mu.Unlock()
		if now, ok := c.entries.Peek(hash); !ok || now != e {
			return // it was evicted meanwhile
		}
		if e.err != nil {
			c.entries.Remove(hash)
			return
		}
		e.bytes = e.value.size()
		for c.bytes += e.bytes; c.bytes > limit; {
			_, old, _ := c.entries.RemoveOldest()
			c.bytes -= old.bytes
		}
	})
	return e.value, e.err
}

// has reports whether the value of a block is kept, or is being loaded.
func (c *storedCache[V]) has(hash common.Hash) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries != nil && c.entries.Contains(hash)
}

// StoredReceipts are the receipts of a block as the database has them. They must not be modified.
type StoredReceipts struct {
	raw      []byte      // list of receipts
	receipts []uint32    // where each begins in raw, and where the last one ends
	first    []uint32    // for each the number of logs in the block before it
	logs     []storedLog // of all receipts
}

func (r *StoredReceipts) size() int {
	return 256 + cap(r.raw) + 4*(cap(r.receipts)+cap(r.first)) + 12*cap(r.logs)
}

var errStoredForm = errors.New("the stored receipts are damaged: remove the database and synchronize again")

// newStoredReceipts finds the receipts and logs of an encoded list.
func newStoredReceipts(raw []byte) (*StoredReceipts, error) {
	w := walker{raw: raw}
	begin, end := w.list(0, len(raw))
	n := 0
	for at := begin; at < end; n++ {
		_, at = w.list(at, end)
	}
	r := &StoredReceipts{raw: raw, receipts: make([]uint32, 0, n+1), first: make([]uint32, 0, n+1),
		logs: make([]storedLog, 0, n)}
	if err := walkReceipts(raw, func(at int) {
		r.receipts, r.first = append(r.receipts, uint32(at)), append(r.first, uint32(len(r.logs)))
	}, func(l storedLog) {
		r.logs = append(r.logs, l)
	}); err != nil {
		return nil, err
	}
	r.receipts, r.first = append(r.receipts, uint32(end)), append(r.first, uint32(len(r.logs)))
	return r, nil
}

// Logs returns the logs that a filter selects, in their order, with their positions in the block. The caller owns them
// and sets their block.
func (r *StoredReceipts) Logs(f *LogFilter) ([]*types.Log, error) {
	var found []*types.Log
	for i, l := range r.logs {
		if !f.selects(r.raw, l) {
			continue
		}
		tx := sort.Search(len(r.first), func(tx int) bool { return r.first[tx] > uint32(i) }) - 1
		out, err := l.decode(r.raw, uint(tx), uint(i))
		if err != nil {
			return nil, err
		}
		found = append(found, out)
	}
	return found, nil
}

// receipt decodes one of the receipts, with what has to be known of those before it.
func (r *StoredReceipts) receipt(i uint64) (*types.Receipt, rawdb.RawReceiptContext, error) {
	if i+1 >= uint64(len(r.receipts)) {
		err := fmt.Errorf("receipt %d of %d was asked for: the block has fewer transactions", i, len(r.receipts)-1)
		return nil, rawdb.RawReceiptContext{}, err
	}
	var stored types.ReceiptForStorage
	if err := rlp.DecodeBytes(r.raw[r.receipts[i]:r.receipts[i+1]], &stored); err != nil {
		return nil, rawdb.RawReceiptContext{}, err
	}
	context := rawdb.RawReceiptContext{GasUsed: stored.CumulativeGasUsed, LogIndex: uint(r.first[i])}
	if i > 0 {
		before, _, err := rlp.SplitList(r.raw[r.receipts[i-1]:])
		if err == nil {
			_, before, err = rlp.SplitString(before)
		}
		if err != nil {
			return nil, rawdb.RawReceiptContext{}, errStoredForm
		}
		gas, _, err := rlp.SplitUint64(before)
		if err != nil {
			return nil, rawdb.RawReceiptContext{}, errStoredForm
		}
		context.GasUsed -= gas
	}
	return (*types.Receipt)(&stored), context, nil
}

// storedBody is the transactions of a block as the database has them.
type storedBody struct {
	raw []byte
	txs []uint32 // where each begins in raw, and where the last one ends

	mu      sync.Mutex
	hashed  []uint64         // the first bytes of the hashes of the first transactions, as far as they were looked for
	senders []common.Address // zero for those that are not known yet
}

func (b *storedBody) size() int {
	return 256 + cap(b.raw) + 4*cap(b.txs) + (8+common.AddressLength)*(len(b.txs)+1)
}

var errStoredBody = errors.New("the stored transactions are damaged: remove the database and synchronize again")

func newStoredBody(raw []byte) (*storedBody, error) {
	if len(raw) > math.MaxInt32 {
		return nil, errStoredBody
	}
	w := walker{raw: raw}
	at, last := w.transactions()
	n := 0
	for next := at; next < last; n++ {
		next = w.skip(next, last)
	}
	b := &storedBody{raw: raw, txs: make([]uint32, 0, n+1)}
	for at < last {
		b.txs = append(b.txs, uint32(at))
		at = w.skip(at, last)
	}
	if w.bad {
		return nil, errStoredBody
	}
	b.txs = append(b.txs, uint32(last))
	return b, nil
}

func (b *storedBody) count() int { return len(b.txs) - 1 }

func (b *storedBody) hash(i int) common.Hash { return transactionHash(b.raw[b.txs[i]:b.txs[i+1]]) }

// transactionHash returns the hash of an encoded transaction. That of a typed one is of the content of its string.
func transactionHash(encoded []byte) common.Hash {
	if kind, content, _, err := rlp.Split(encoded); err == nil && kind != rlp.List {
		encoded = content
	}
	return crypto.Keccak256Hash(encoded)
}

// find returns the position of a transaction. It hashes no more than it has to, and nothing twice.
func (b *storedBody) find(hash common.Hash) (int, bool) {
	prefix := binary.BigEndian.Uint64(hash[:])
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.hashed == nil {
		b.hashed = make([]uint64, 0, b.count())
	}
	for i, p := range b.hashed {
		if p == prefix && b.hash(i) == hash {
			return i, true
		}
	}
	for i := len(b.hashed); i < b.count(); i++ {
		h := b.hash(i)
		b.hashed = append(b.hashed, binary.BigEndian.Uint64(h[:]))
		if h == hash {
			return i, true
		}
	}
	return 0, false
}

// transaction decodes a transaction, with its sender. Senders are kept because recovery is a third of the work for a
// receipt.
func (b *storedBody) transaction(i int, signer types.Signer) (*types.Transaction, error) {
	tx := new(types.Transaction)
	if err := rlp.DecodeBytes(b.raw[b.txs[i]:b.txs[i+1]], tx); err != nil {
		return nil, err
	}
	b.mu.Lock()
	if b.senders == nil {
		b.senders = make([]common.Address, b.count())
	}
	sender := b.senders[i]
	b.mu.Unlock()
	if sender != (common.Address{}) {
		tx.SetSender(signer, sender)
		return tx, nil
	}
	sender, err := types.Sender(signer, tx)
	if err != nil {
		return tx, nil // as upstream does; the one that asks for the sender gets the error
	}
	b.mu.Lock()
	b.senders[i] = sender
	b.mu.Unlock()
	return tx, nil
}

// adopt takes the senders that are known of the transactions of the same block.
func (b *storedBody) adopt(signer types.Signer, txs types.Transactions) {
	if len(txs) != b.count() {
		return
	}
	b.senders = make([]common.Address, len(txs))
	for i, tx := range txs {
		if tx.Signers().HasSender() {
			b.senders[i], _ = types.Sender(signer, tx) // an error leaves it unknown
		}
	}
}

// StoredReceipts returns the receipts of a block. ErrReceiptsMissing is the error for one that was taken without them.
func (bc *BlockChain) StoredReceipts(header *types.Header) (*StoredReceipts, error) {
	return bc.storedReceipts(header, header.Hash())
}

// checkReceipts returns an error if there are no receipts in what is stored for those of a block.
func checkReceipts(header *types.Header, hash common.Hash, raw []byte) error {
	number := header.Number.Uint64()
	if len(raw) == 0 {
		return fmt.Errorf("receipts of block %d %x are not in the database", number, hash)
	}
	if lacksReceipts(header, raw) {
		return missingReceipts(number)
	}
	return nil
}

func (bc *BlockChain) storedReceipts(header *types.Header, hash common.Hash) (*StoredReceipts, error) {
	return bc.stored.receipts.get(hash, storedReceiptsBytes, func() (*StoredReceipts, error) {
		number := header.Number.Uint64()
		raw := rawdb.ReadReceiptsRLP(bc.db, hash, number)
		if err := checkReceipts(header, hash, raw); err != nil {
			return nil, err
		}
		receipts, err := newStoredReceipts(raw)
		if err != nil {
			return nil, fmt.Errorf("block %d %x: %w", number, hash, err)
		}
		return receipts, nil
	})
}

func missingTransactions(number uint64, hash common.Hash) error {
	return fmt.Errorf("transactions of block %d %x are not in the database", number, hash)
}

func (bc *BlockChain) storedBody(hash common.Hash, number uint64) (*storedBody, error) {
	return bc.stored.bodies.get(hash, storedBodiesBytes, func() (*storedBody, error) {
		raw := rawdb.ReadBodyRLP(bc.db, hash, number)
		if len(raw) == 0 {
			return nil, missingTransactions(number, hash)
		}
		body, err := newStoredBody(raw)
		if err != nil {
			return nil, err
		}
		if block, ok := bc.blockCache.Get(hash); ok {
			body.adopt(types.LatestSigner(bc.chainConfig), block.Transactions())
		}
		return body, nil
	})
}

// readTransaction is rawdb.ReadCanonicalTransaction on kept blocks. Upstream's reads and hashes half of a block for
// each transaction.
func (bc *BlockChain) readTransaction(hash common.Hash) (*types.Transaction, common.Hash, uint64, uint64) {
	number := rawdb.ReadTxLookupEntry(bc.db, hash)
	if number == nil || !bc.chainConfig.IsAnzeon() {
		return rawdb.ReadCanonicalTransaction(bc.db, hash)
	}
	blockHash := rawdb.ReadCanonicalHash(bc.db, *number)
	if blockHash == (common.Hash{}) {
		return nil, common.Hash{}, 0, 0 // the chain was set back behind the block, and its index entry is still there
	}
	body, err := bc.storedBody(blockHash, *number)
	if err == nil {
		if i, ok := body.find(hash); ok {
			var tx *types.Transaction
			if tx, err = body.transaction(i, types.LatestSigner(bc.chainConfig)); err == nil {
				return tx, blockHash, *number, uint64(i)
			}
		}
	}
	log.Error("Transaction of the index not found", "number", *number, "block", blockHash, "hash", hash, "err", err)
	return nil, common.Hash{}, 0, 0
}

// readReceipt is rawdb.ReadCanonicalRawReceipt from kept blocks.
func (bc *BlockChain) readReceipt(header *types.Header, index uint64) (*types.Receipt, rawdb.RawReceiptContext, error) {
	if !bc.chainConfig.IsAnzeon() {
		return rawdb.ReadCanonicalRawReceipt(bc.db, header.Hash(), header.Number.Uint64(), index)
	}
	receipts, err := bc.StoredReceipts(header)
	if err != nil {
		return nil, rawdb.RawReceiptContext{}, err
	}
	return receipts.receipt(index)
}
