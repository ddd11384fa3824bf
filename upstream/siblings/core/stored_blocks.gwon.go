// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
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

// StoredReceipts are the receipts of a block as the database has them. They must not be modified.
type StoredReceipts struct {
	raw      []byte      // list of receipts
	receipts []uint32    // where each begins in raw, and where the last one ends
	first    []uint32    // for each the number of logs in the block before it
	logs     []storedLog // of all receipts
}

// storedLog holds the positions in raw of a log's address and of its first topic with the RLP prefix, and the number of
// topics.
type storedLog struct{ address, topics, count uint32 }

func (r *StoredReceipts) size() int {
	return 256 + cap(r.raw) + 4*(cap(r.receipts)+cap(r.first)) + 12*cap(r.logs)
}

var errStoredForm = errors.New("the stored receipts are damaged: remove the database and synchronize again")

// newStoredReceipts finds the receipts and logs of an encoded list. It walks through the encoding itself: package rlp
// takes three times as long, which was a quarter of a search.
func newStoredReceipts(raw []byte) (*StoredReceipts, error) {
	if len(raw) > math.MaxInt32 {
		return nil, errStoredForm
	}
	w := walker{raw: raw}
	begin, end := w.list(0, uint32(len(raw)))
	n := 0
	for at := begin; at < end; n++ {
		_, at, _ = w.next(at, end)
	}
	r := &StoredReceipts{raw: raw, receipts: make([]uint32, 0, n+1), first: make([]uint32, 0, n+1),
		logs: make([]storedLog, 0, n)}
	for at := begin; at < end && !w.bad; {
		r.receipts, r.first = append(r.receipts, at), append(r.first, uint32(len(r.logs)))
		inside, after := w.list(at, end)
		_, inside = w.item(inside, after) // status
		_, inside = w.item(inside, after) // cumulative gas
		one, last := w.list(inside, after)
		for one < last && !w.bad {
			inside, next := w.list(one, last)
			address, inside := w.item(inside, next)
			topics, data := w.list(inside, next)
			w.bad = w.bad || inside-address != common.AddressLength || (data-topics)%33 != 0
			for topic := topics; topic < data && !w.bad; topic += 33 {
				w.bad = raw[topic] != 0x80+common.HashLength
			}
			_, dataEnd := w.item(data, next)
			w.bad = w.bad || dataEnd != next
			r.logs = append(r.logs, storedLog{address: address, topics: topics, count: (data - topics) / 33})
			one = next
		}
		w.bad = w.bad || last != after
		at = after
	}
	if w.bad || end != uint32(len(raw)) {
		return nil, errStoredForm
	}
	r.receipts, r.first = append(r.receipts, end), append(r.first, uint32(len(r.logs)))
	return r, nil
}

// walker goes through encoded items. It is bad after an item of the wrong kind, or one that goes beyond its limit: the
// item then ends there, so that walks end.
type walker struct {
	raw []byte
	bad bool
}

// item returns where the content of the string at a position begins and ends.
func (w *walker) item(at, limit uint32) (begin, end uint32) {
	begin, end, list := w.next(at, limit)
	w.bad = w.bad || list
	return begin, end
}

// list returns where the items of the list at a position begin and end.
func (w *walker) list(at, limit uint32) (begin, end uint32) {
	begin, end, list := w.next(at, limit)
	w.bad = w.bad || !list
	return begin, end
}

// next returns where the content of the item at a position begins and ends, and whether it is a list.
func (w *walker) next(at, limit uint32) (begin, end uint32, list bool) {
	if at >= limit {
		w.bad = true
		return limit, limit, false
	}
	kind, begin := w.raw[at], at+1
	size := uint32(0)
	switch {
	case kind < 0x80:
		return at, begin, false
	case kind < 0xb8:
		size = uint32(kind - 0x80)
	case kind >= 0xc0 && kind < 0xf8:
		size = uint32(kind - 0xc0)
	default:
		width := uint32(kind-0xb7) % 0x40 // of the size in bytes; that of a list begins at 0xf7
		if width > 4 || width > limit-begin {
			w.bad = true
			return limit, limit, false
		}
		for range width {
			size = size<<8 | uint32(w.raw[begin])
			begin++
		}
	}
	if size > limit-begin {
		w.bad = true
		return limit, limit, false
	}
	return begin, begin + size, kind >= 0xc0
}

// LogFilter selects logs: those of any of the addresses, or of every address if there are none, that have one of
// topics[i] as topic i.
type LogFilter struct {
	addresses map[common.Address]struct{}
	address   common.Address // the only one
	topics    []topicFilter
	least     uint32 // topics that a log has
}

type topicFilter struct {
	at     uint32
	topics map[common.Hash]struct{}
	topic  common.Hash // the only one
}

// NewLogFilter returns the filter of these addresses and topics.
func NewLogFilter(addresses []common.Address, topics [][]common.Hash) *LogFilter {
	f := &LogFilter{least: uint32(len(topics)), addresses: make(map[common.Address]struct{})}
	for _, a := range addresses {
		f.addresses[a], f.address = struct{}{}, a
	}
	// The last come first: topic 0 names the kind of event, which most logs of a full block share.
	for i := len(topics) - 1; i >= 0; i-- {
		if len(topics[i]) == 0 {
			continue
		}
		t := topicFilter{at: uint32(i), topics: make(map[common.Hash]struct{})}
		for _, topic := range topics[i] {
			t.topics[topic], t.topic = struct{}{}, topic
		}
		f.topics = append(f.topics, t)
	}
	return f
}

// matches reports whether a filter asks for a log.
func (r *StoredReceipts) matches(l storedLog, f *LogFilter) bool {
	if l.count < f.least {
		return false
	}
	for i := range f.topics {
		t := &f.topics[i]
		topic := r.raw[l.topics+33*t.at+1:][:common.HashLength]
		if len(t.topics) == 1 {
			if !bytes.Equal(topic, t.topic[:]) {
				return false
			}
		} else if _, ok := t.topics[common.Hash(topic)]; !ok {
			return false
		}
	}
	address := r.raw[l.address:][:common.AddressLength]
	switch len(f.addresses) {
	case 0:
		return true
	case 1:
		return bytes.Equal(address, f.address[:])
	}
	_, ok := f.addresses[common.Address(address)]
	return ok
}

// Logs returns the logs that a filter selects, in their order, with their positions in the block. The caller owns them
// and sets their block.
func (r *StoredReceipts) Logs(f *LogFilter) ([]*types.Log, error) {
	var found []*types.Log
	for i, l := range r.logs {
		if !r.matches(l, f) {
			continue
		}
		data, _, err := rlp.SplitString(r.raw[l.topics+33*l.count:])
		if err != nil {
			return nil, errStoredForm
		}
		out := &types.Log{
			Address: common.Address(r.raw[l.address:][:common.AddressLength]),
			Topics:  make([]common.Hash, l.count),
			Data:    bytes.Clone(data),
			Index:   uint(i),
			TxIndex: uint(sort.Search(len(r.first), func(tx int) bool { return r.first[tx] > uint32(i) }) - 1),
		}
		for t := range out.Topics {
			out.Topics[t] = common.Hash(r.raw[int(l.topics)+33*t+1:][:common.HashLength])
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
	body, end := w.list(0, uint32(len(raw)))
	at, last := w.list(body, end)
	n := 0
	for next := at; next < last; n++ {
		_, next, _ = w.next(next, last)
	}
	b := &storedBody{raw: raw, txs: make([]uint32, 0, n+1)}
	for at < last {
		b.txs = append(b.txs, at)
		_, at, _ = w.next(at, last)
	}
	if w.bad || end != uint32(len(raw)) {
		return nil, errStoredBody
	}
	b.txs = append(b.txs, last)
	return b, nil
}

func (b *storedBody) count() int { return len(b.txs) - 1 }

// hash returns the hash of a transaction. That of a typed one is of the content of its string.
func (b *storedBody) hash(i int) common.Hash {
	encoded := b.raw[b.txs[i]:b.txs[i+1]]
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
	hash, number := header.Hash(), header.Number.Uint64()
	return bc.stored.receipts.get(hash, storedReceiptsBytes, func() (*StoredReceipts, error) {
		raw := rawdb.ReadReceiptsRLP(bc.db, hash, number)
		if len(raw) == 0 {
			return nil, fmt.Errorf("receipts of block %d %x are not in the database", number, hash)
		}
		if lacksReceipts(header, raw) {
			return nil, missingReceipts(number)
		}
		receipts, err := newStoredReceipts(raw)
		if err != nil {
			return nil, fmt.Errorf("block %d %x: %w", number, hash, err)
		}
		return receipts, nil
	})
}

func (bc *BlockChain) storedBody(hash common.Hash, number uint64) (*storedBody, error) {
	return bc.stored.bodies.get(hash, storedBodiesBytes, func() (*storedBody, error) {
		raw := rawdb.ReadBodyRLP(bc.db, hash, number)
		if len(raw) == 0 {
			return nil, fmt.Errorf("transactions of block %d %x are not in the database", number, hash)
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

// headerItemsBeforeReceipts is the number of fields of a header before its receipt root, which the bloom follows.
const headerItemsBeforeReceipts = 5

// ExcludesLogs reports whether the stored header of a block shows that the block has no wanted log: it has no receipt,
// or mayHave reports false for its bloom. Only these fields of the header are read. It reports false for a block that
// it does not find.
func (bc *BlockChain) ExcludesLogs(hash common.Hash, number uint64, mayHave func(types.Bloom) bool) bool {
	fields, _, err := rlp.SplitList(rawdb.ReadHeaderRLP(bc.db, hash, number))
	for i := 0; i < headerItemsBeforeReceipts && err == nil; i++ {
		_, _, fields, err = rlp.Split(fields)
	}
	if err != nil {
		return false
	}
	root, fields, err := rlp.SplitString(fields)
	if err != nil {
		return false
	}
	if bytes.Equal(root, types.EmptyReceiptsHash[:]) {
		return true
	}
	bloom, _, err := rlp.SplitString(fields)
	return err == nil && len(bloom) == types.BloomByteLength && !mayHave(types.Bloom(bloom))
}

// FilterLogs returns the logs of a block that a filter asks for, with all their fields. The caller owns them.
func (bc *BlockChain) FilterLogs(header *types.Header, f *LogFilter) ([]*types.Log, error) {
	receipts, err := bc.StoredReceipts(header)
	if err != nil {
		return nil, err
	}
	logs, err := receipts.Logs(f)
	if err != nil || len(logs) == 0 {
		return nil, err
	}
	hash, number := header.Hash(), header.Number.Uint64()
	body, err := bc.storedBody(hash, number)
	if err != nil {
		return nil, err
	}
	for i, l := range logs {
		if int(l.TxIndex) >= body.count() {
			return nil, fmt.Errorf("block %d %x has receipts of more than its %d transactions", number, hash, body.count())
		}
		l.BlockHash, l.BlockNumber, l.BlockTimestamp = hash, number, header.Time
		if i > 0 && logs[i-1].TxIndex == l.TxIndex {
			l.TxHash = logs[i-1].TxHash
		} else {
			l.TxHash = body.hash(int(l.TxIndex))
		}
	}
	return logs, nil
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
