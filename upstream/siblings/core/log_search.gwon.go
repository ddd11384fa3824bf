// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
)

// keptOfSearch bounds the bytes of receipts and transactions that one search adds to those that are kept. A search of a
// thousand full blocks would otherwise evict everything, and find nothing of itself the next time.
const keptOfSearch = storedReceiptsBytes / 2

// LogFilter selects logs: those of any of the addresses, or of every address if there are none, that have one of
// topics[i] as topic i.
type LogFilter struct {
	addresses map[common.Address]struct{}
	address   common.Address // the only one
	topics    []topicFilter
	least     uint32       // topics that a log has
	toKeep    atomic.Int64 // bytes that the search may still add to those that are kept
}

type topicFilter struct {
	at     uint32
	topics map[common.Hash]struct{}
	topic  common.Hash // the only one
}

// NewLogFilter returns the filter of these addresses and topics, for one search.
func NewLogFilter(addresses []common.Address, topics [][]common.Hash) *LogFilter {
	f := &LogFilter{least: uint32(len(topics)), addresses: make(map[common.Address]struct{})}
	f.toKeep.Store(keptOfSearch)
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

// storedLog holds the positions in encoded receipts of a log's address and of its first topic with the RLP prefix, and
// the number of topics.
type storedLog struct{ address, topics, count uint32 }

// selects reports whether a filter asks for a log in encoded receipts.
func (f *LogFilter) selects(raw []byte, l storedLog) bool {
	if l.count < f.least {
		return false
	}
	for i := range f.topics {
		t := &f.topics[i]
		topic := raw[l.topics+33*t.at+1:][:common.HashLength]
		if len(t.topics) == 1 {
			// The last bytes differ in most logs of other accounts. A call for all bytes takes longer.
			const last = common.HashLength - 8
			if binary.LittleEndian.Uint64(topic[last:]) != binary.LittleEndian.Uint64(t.topic[last:]) ||
				!bytes.Equal(topic, t.topic[:]) {
				return false
			}
		} else if _, ok := t.topics[common.Hash(topic)]; !ok {
			return false
		}
	}
	address := raw[l.address:][:common.AddressLength]
	switch len(f.addresses) {
	case 0:
		return true
	case 1:
		return bytes.Equal(address, f.address[:])
	}
	_, ok := f.addresses[common.Address(address)]
	return ok
}

// decode returns a log of encoded receipts with its position in the block. The caller owns it.
func (l storedLog) decode(raw []byte, tx, index uint) (*types.Log, error) {
	data, _, err := rlp.SplitString(raw[l.topics+33*l.count:])
	if err != nil {
		return nil, errStoredForm
	}
	out := &types.Log{
		Address: common.Address(raw[l.address:][:common.AddressLength]),
		Topics:  make([]common.Hash, l.count),
		Data:    bytes.Clone(data),
		Index:   index,
		TxIndex: tx,
	}
	for t := range out.Topics {
		out.Topics[t] = common.Hash(raw[int(l.topics)+33*t+1:][:common.HashLength])
	}
	return out, nil
}

// walkReceipts calls receipt with the position of each receipt of an encoded list, and found with each of its logs. It
// walks through the encoding itself: package rlp takes three times as long.
func walkReceipts(raw []byte, receipt func(at int), found func(storedLog)) error {
	if len(raw) > math.MaxInt32 {
		return errStoredForm
	}
	w := walker{raw: raw}
	at, end := w.list(0, len(raw))
	for at < end && !w.bad {
		receipt(at)
		inside, after := w.list(at, end)
		_, inside = w.item(inside, after) // status
		_, inside = w.item(inside, after) // cumulative gas
		one, last := w.list(inside, after)
		for one < last && !w.bad {
			inside, next := w.list(one, last)
			address, inside := w.item(inside, next)
			topics, data := w.list(inside, next)
			_, dataEnd := w.item(data, next)
			count := (data - topics) / 33
			if w.bad || inside-address != common.AddressLength || 33*count != data-topics || dataEnd != next {
				return errStoredForm
			}
			for topic := topics; topic < data; topic += 33 {
				if raw[topic] != 0x80+common.HashLength {
					return errStoredForm
				}
			}
			found(storedLog{address: uint32(address), topics: uint32(topics), count: uint32(count)})
			one = next
		}
		w.bad = w.bad || last != after
		at = after
	}
	if w.bad || end != len(raw) {
		return errStoredForm
	}
	return nil
}

// searchReceipts returns the logs of encoded receipts that a filter selects, as StoredReceipts.Logs does.
func searchReceipts(raw []byte, f *LogFilter) ([]*types.Log, error) {
	var (
		logs       []*types.Log
		failed     error
		txs, count uint
	)
	if err := walkReceipts(raw, func(int) { txs++ }, func(l storedLog) {
		if f.selects(raw, l) {
			out, err := l.decode(raw, txs-1, count)
			if err != nil {
				failed = err
				return
			}
			logs = append(logs, out)
		}
		count++
	}); err != nil {
		return nil, err
	}
	return logs, failed
}

// walker goes through encoded items. It is bad after an item of the wrong kind, or one that goes beyond its limit: the
// item then ends there, so that walks end. The forms of almost all items come first.
type walker struct {
	raw []byte
	bad bool
}

// item returns where the content of the string at a position begins and ends.
func (w *walker) item(at, limit int) (begin, end int) {
	if at < limit {
		kind := w.raw[at]
		if kind < 0x80 {
			return at, at + 1
		}
		if end = at + 1 + int(kind-0x80); kind < 0xb8 && end <= limit {
			return at + 1, end
		}
	}
	begin, end, list := w.next(at, limit)
	w.bad = w.bad || list
	return begin, end
}

// list returns where the items of the list at a position begin and end.
func (w *walker) list(at, limit int) (begin, end int) {
	if at+2 < limit {
		switch w.raw[at] {
		case 0xf8:
			begin = at + 2
			end = begin + int(w.raw[at+1])
		case 0xf9:
			begin = at + 3
			end = begin + int(binary.BigEndian.Uint16(w.raw[at+1:]))
		}
		if begin > 0 && end <= limit {
			return begin, end
		}
	}
	begin, end, list := w.next(at, limit)
	w.bad = w.bad || !list
	return begin, end
}

// skip returns where the item at a position ends.
func (w *walker) skip(at, limit int) (end int) {
	if at+2 < limit {
		switch w.raw[at] &^ 0x40 { // of a string or a list
		case 0xb8:
			end = at + 2 + int(w.raw[at+1])
		case 0xb9:
			end = at + 3 + int(binary.BigEndian.Uint16(w.raw[at+1:]))
		}
		if end > 0 && end <= limit {
			return end
		}
	}
	_, end, _ = w.next(at, limit)
	return end
}

// next returns where the content of the item at a position begins and ends, and whether it is a list.
func (w *walker) next(at, limit int) (begin, end int, list bool) {
	if at >= limit {
		w.bad = true
		return limit, limit, false
	}
	kind, begin := w.raw[at], at+1
	size := 0
	switch {
	case kind < 0x80:
		return at, begin, false
	case kind < 0xb8:
		size = int(kind - 0x80)
	case kind >= 0xc0 && kind < 0xf8:
		size = int(kind - 0xc0)
	default:
		width := int(kind-0xb7) % 0x40 // of the size in bytes; that of a list begins at 0xf7
		if width > 4 || width > limit-begin {
			w.bad = true
			return limit, limit, false
		}
		for range width {
			size = size<<8 | int(w.raw[begin])
			begin++
		}
	}
	if size > limit-begin {
		w.bad = true
		return limit, limit, false
	}
	return begin, begin + size, kind >= 0xc0
}

// transactions returns where the transactions of an encoded body begin and end.
func (w *walker) transactions() (begin, end int) {
	body, end := w.list(0, len(w.raw))
	w.bad = w.bad || end != len(w.raw)
	return w.list(body, end)
}

// bodyWalk finds transactions of an encoded body one after the other, and goes no further than it has to.
type bodyWalk struct {
	walker
	at, end int // of the transaction number next, and of the last
	next    int
}

func newBodyWalk(raw []byte) *bodyWalk {
	b := &bodyWalk{walker: walker{raw: raw}}
	b.at, b.end = b.transactions()
	return b
}

// hash returns the hash of a transaction, unless the body is damaged or ends before. No later call may ask for one
// before it.
func (b *bodyWalk) hash(tx int) (hash common.Hash, ok bool) {
	for ; b.next < tx && b.at < b.end; b.next++ {
		b.at = b.skip(b.at, b.end)
	}
	if b.at >= b.end {
		return common.Hash{}, false
	}
	encoded := b.raw[b.at:b.skip(b.at, b.end)]
	if b.bad {
		return common.Hash{}, false
	}
	return transactionHash(encoded), true
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
	hash, number := header.Hash(), header.Number.Uint64()
	logs, err := bc.filterReceipts(header, hash, f)
	if err != nil || len(logs) == 0 {
		return nil, err
	}
	for _, l := range logs {
		l.BlockHash, l.BlockNumber, l.BlockTimestamp = hash, number, header.Time
	}
	if err := bc.addTransactionHashes(logs, f); err != nil {
		return nil, err
	}
	return logs, nil
}

// filterReceipts returns the logs that a filter asks for without what they have of their block. The receipts are kept
// if the search may keep more. Otherwise they are searched where the database has them.
func (bc *BlockChain) filterReceipts(header *types.Header, hash common.Hash, f *LogFilter) ([]*types.Log, error) {
	kept := bc.stored.receipts.has(hash)
	if kept || f.toKeep.Load() > 0 {
		receipts, err := bc.storedReceipts(header, hash)
		if err != nil {
			return nil, err
		}
		if !kept {
			f.toKeep.Add(-int64(receipts.size()))
		}
		return receipts.Logs(f)
	}
	storedMissMeter.Mark(1)
	number := header.Number.Uint64()
	var logs []*types.Log
	err := rawdb.ViewReceiptsRLP(bc.db, hash, number, func(raw []byte) (err error) {
		if err := checkReceipts(header, hash, raw); err != nil {
			return err
		}
		if logs, err = searchReceipts(raw, f); err != nil {
			return fmt.Errorf("block %d %x: %w", number, hash, err)
		}
		return nil
	})
	return logs, err
}

// addTransactionHashes sets the hashes of the transactions of logs of one block.
func (bc *BlockChain) addTransactionHashes(logs []*types.Log, f *LogFilter) error {
	hash, number := logs[0].BlockHash, logs[0].BlockNumber
	tooFew := func(count int) error {
		return fmt.Errorf("block %d %x has receipts of more than its %d transactions", number, hash, count)
	}
	kept := bc.stored.bodies.has(hash)
	if kept || f.toKeep.Load() > 0 {
		body, err := bc.storedBody(hash, number)
		if err != nil {
			return err
		}
		if !kept {
			f.toKeep.Add(-int64(body.size()))
		}
		if last := int(logs[len(logs)-1].TxIndex); last >= body.count() {
			return tooFew(body.count())
		}
		for i, l := range logs {
			if i > 0 && logs[i-1].TxIndex == l.TxIndex {
				l.TxHash = logs[i-1].TxHash
			} else {
				l.TxHash = body.hash(int(l.TxIndex))
			}
		}
		return nil
	}
	storedMissMeter.Mark(1)
	return rawdb.ViewBodyRLP(bc.db, hash, number, func(raw []byte) error {
		if len(raw) == 0 {
			return missingTransactions(number, hash)
		}
		walk := newBodyWalk(raw)
		for i, l := range logs {
			if i > 0 && logs[i-1].TxIndex == l.TxIndex {
				l.TxHash = logs[i-1].TxHash
				continue
			}
			var ok bool
			if l.TxHash, ok = walk.hash(int(l.TxIndex)); !ok {
				if walk.bad {
					return errStoredBody
				}
				return tooFew(walk.next)
			}
		}
		return nil
	})
}
