// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package explore

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/filters"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

const growth = 8 // by which the next window is larger when a page is not full

// transferTopic is the first topic of the logs that movements of value leave (spec chain 5).
var transferTopic = crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))

// page is the result of a search: transactions from the newest to the oldest one.
type page struct {
	Txs       []*eth.RPCTransaction `json:"txs"`
	Receipts  []map[string]any      `json:"receipts"`
	FirstPage bool                  `json:"firstPage"` // nothing is newer
	LastPage  bool                  `json:"lastPage"`  // nothing is older
}

// hit is the place of a transaction.
type hit struct {
	block uint64
	index int
}

func compareHits(a, b hit) int {
	if order := cmp.Compare(a.block, b.block); order != 0 {
		return order
	}
	return cmp.Compare(a.index, b.index)
}

// SearchTransactionsBefore implements ots_searchTransactionsBefore: the newest transactions of an address below a
// block, 0 for all. A page has whole blocks, so it can be larger than asked for.
func (o *otterscan) SearchTransactionsBefore(ctx context.Context, address common.Address,
	before, size Number) (*page, error) {
	head := o.backend.CurrentBlock().Number.Uint64()
	from := head
	if before > 0 {
		from = min(head, uint64(before)-1)
	}
	result, all, err := o.search(ctx, address, from, size, true)
	if err != nil {
		return nil, err
	}
	result.FirstPage, result.LastPage = before == 0, all
	return result, nil
}

// SearchTransactionsAfter implements ots_searchTransactionsAfter: the oldest transactions of an address above a block,
// in the order of SearchTransactionsBefore.
func (o *otterscan) SearchTransactionsAfter(ctx context.Context, address common.Address,
	after, size Number) (*page, error) {
	result, all, err := o.search(ctx, address, uint64(after)+1, size, false)
	if err != nil {
		return nil, err
	}
	result.FirstPage, result.LastPage = all, after == 0
	return result, nil
}

// search fills a page from a block on, downwards or upwards. all reports that it reached the end of the chain.
func (o *otterscan) search(ctx context.Context, address common.Address, from uint64, size Number, down bool) (
	result *page, all bool, err error) {
	if err := o.checkPage(size); err != nil {
		return nil, false, err
	}
	w, end := o.bounds.begin(ctx, 0)
	defer end()
	hits, all, err := o.hits(w, address, from, int(size), down) // #nosec G115 -- checkPage
	if err != nil {
		return nil, false, err
	}
	result = &page{Txs: []*eth.RPCTransaction{}, Receipts: []map[string]any{}}
	slices.SortFunc(hits, func(a, b hit) int { return compareHits(b, a) })
	for i := 0; i < len(hits); i++ {
		block, err := o.stored(w, hits[i].block)
		if err != nil {
			return nil, false, err
		}
		txs, receipts, err := o.rows(w, block, hits[i].index, hits[i].index+1)
		if err != nil {
			return nil, false, err
		}
		receipts[0]["timestamp"] = block.Time()
		result.Txs, result.Receipts = append(result.Txs, txs...), append(result.Receipts, receipts...)
	}
	return result, all, nil
}

// hits collects at least size transactions from a block on, all of each block. When the time is over it returns what it
// has, if that is anything.
func (o *otterscan) hits(w *work, address common.Address, from uint64, size int, down bool) ([]hit, bool, error) {
	s := &search{otterscan: o, address: address, down: down, most: size}
	head := o.backend.CurrentBlock().Number.Uint64()
	code, err := o.codeAt(w, address, head)
	if err != nil {
		return nil, false, err
	}
	if s.sends = !isContract(code); !s.sends {
		if s.created, err = o.creationBlock(w, address, head); err != nil {
			return nil, false, err
		}
	}
	var found []hit
	for window := uint64(256); ; {
		if from == 0 || from > head {
			return found, true, nil
		}
		low, high := from, min(head, from+window-1)
		if down {
			low, high = from-min(from, window)+1, from
		}
		more, reached, err := s.window(w, low, high)
		var large *tooMany
		switch {
		case errors.As(err, &large) && low < high:
			window = max(1, (high-low+1)/growth)
			continue
		case large != nil:
			return nil, false, large.error
		case err != nil && w.err() != nil && len(found) > 0:
			return found, false, nil
		case err != nil && w.err() != nil:
			return nil, false, refuse(gethrpc.CodeTime, "time", "the search has found nothing from block %d on in %v: "+
				"go on from there", from, o.bounds.Time)
		case err != nil:
			return nil, false, err
		}
		full, rest := cut(more, size-len(found), down)
		found = append(found, full...)
		ended := reached == head
		if down {
			ended = reached == 1
		}
		if rest || ended || len(found) >= size {
			return found, ended && !rest, nil
		}
		if from = reached + 1; down {
			from = reached - 1
		}
		window = min(window*growth, 1<<24)
	}
}

// cut returns the first hits in the direction of a search, at least size, all of each block. rest reports that there
// are more.
func cut(hits []hit, size int, down bool) (full []hit, rest bool) {
	slices.SortFunc(hits, compareHits)
	hits = slices.Compact(hits)
	if down {
		slices.Reverse(hits)
	}
	for i := size; i < len(hits); i++ {
		if i > 0 && hits[i].block != hits[i-1].block {
			return hits[:i], true
		}
	}
	return hits, false
}

// search looks for the transactions of an address.
type search struct {
	*otterscan
	address common.Address
	down    bool
	sends   bool   // the address can send transactions
	created uint64 // block of the contract's creation; 0 for none
	most    int    // transactions that are needed of those that the address sent
}

// tooMany is the error of a window with more logs than one query may have.
type tooMany struct{ error }

// window returns the hits in the blocks low to high, and the last block of which all are known, in the direction of the
// search.
func (s *search) window(w *work, low, high uint64) ([]hit, uint64, error) {
	hits, reached := []hit(nil), high
	if s.down {
		reached = low
	}
	if s.sends {
		var err error
		if hits, reached, err = s.sentIn(w, low, high); err != nil {
			return nil, 0, err
		}
	}
	if s.down {
		low = reached
	} else {
		high = reached
	}
	if s.created >= max(low, 1) && s.created <= high {
		block, err := s.stored(w, s.created)
		if err != nil {
			return nil, 0, err
		}
		_, index, err := s.creationIn(w, block, s.address)
		if err != nil {
			return nil, 0, err
		}
		if index >= 0 {
			hits = append(hits, hit{s.created, index})
		}
	}
	padded := common.BytesToHash(s.address[:])
	coin := s.backend.ChainConfig().Anzeon.SystemContracts.NativeCoinAdapter.Address
	for _, query := range []struct {
		emitter common.Address
		topics  [][]common.Hash
	}{
		{coin, [][]common.Hash{{transferTopic}, {padded}}},
		{coin, [][]common.Hash{{transferTopic}, nil, {padded}}},
		{s.address, nil},
	} {
		logs, err := s.logsOf(w, low, high, query.emitter, query.topics)
		if err != nil {
			return nil, 0, err
		}
		for _, l := range logs {
			hits = append(hits, hit{l.BlockNumber, int(l.TxIndex)}) // #nosec G115 -- an index in a block
		}
	}
	return hits, reached, nil
}

// logsOf runs one query, whose logs have to fit into the size of an answer.
func (s *search) logsOf(w *work, low, high uint64, emitter common.Address,
	topics [][]common.Hash) ([]*types.Log, error) {
	ctx, exceeded := filters.WithAllowance(w, s.bounds.Size)
	first, last := int64(low), int64(high) // #nosec G115 -- not above the head
	logs, err := s.logs.NewRangeFilter(first, last, []common.Address{emitter}, topics, 0).Logs(ctx)
	if err != nil && exceeded() {
		return nil, &tooMany{refuse(gethrpc.CodeSize, "size",
			"the logs of block %d that name the address have more than %d bytes",
			low, s.bounds.Size)}
	}
	return logs, err
}

// sentIn returns transactions that the address sent in the blocks low to high, in the direction of the search until
// there are enough, and the last block of which all are known.
func (s *search) sentIn(w *work, low, high uint64) ([]hit, uint64, error) {
	first, err := s.nonceAt(w, s.address, low-1)
	if err != nil {
		return nil, 0, err
	}
	next, err := s.nonceAt(w, s.address, high)
	if err != nil {
		return nil, 0, err
	}
	var hits []hit
	below, above := low-1, high // blocks whose nonces are first and next
	for first < next {
		if len(hits) >= s.most {
			if s.down {
				return hits, above + 1, nil
			}
			return hits, below, nil
		}
		wanted := first
		if s.down {
			wanted = next - 1
		}
		number, err := firstBlock(w, below, above, func(number uint64) (bool, error) {
			nonce, err := s.nonceAt(w, s.address, number)
			return nonce > wanted, err
		})
		if err != nil {
			return nil, 0, err
		}
		from, to := first, next
		if s.down {
			if from, err = s.nonceAt(w, s.address, number-1); err != nil {
				return nil, 0, err
			}
			next, above = from, number-1
		} else {
			if to, err = s.nonceAt(w, s.address, number); err != nil {
				return nil, 0, err
			}
			first, below = to, number
		}
		block, err := s.stored(w, number)
		if err != nil {
			return nil, 0, err
		}
		indexes, err := s.sent(block, s.address, from, to)
		if err != nil {
			return nil, 0, err
		}
		for _, index := range indexes {
			hits = append(hits, hit{number, index})
		}
	}
	if s.down {
		return hits, low, nil
	}
	return hits, high, nil
}
