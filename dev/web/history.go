// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package web

import (
	"cmp"
	"context"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/dev/inspect"
	"gwon/internal/dial"
)

// Bounds of what the page reads of the chain.
const (
	maxSearched = 20_000                 // blocks behind the newest one
	maxKept     = 60_000                 // transactions of all accounts, each counted for every account that it has
	searchTime  = 500 * time.Millisecond // of one request; the next one goes on
)

// history is what the page has read of the chain, from the newest block backwards: the contracts of artifacts, and the
// transactions of accounts.
type history struct {
	mu        sync.Mutex
	low, high uint64      // blocks from low on and below high are read
	newest    common.Hash // of block high - 1
	contracts []deployment
	sent      map[common.Address][]sentTransaction
	kept      int
}

type deployment struct {
	Address common.Address `json:"address"`
	Name    string         `json:"name"`
	Block   uint64         `json:"block"`
}

// sentTransaction is a transaction in the list of an account.
type sentTransaction struct {
	Hash    common.Hash     `json:"hash"`
	Block   uint64          `json:"block"`
	From    common.Address  `json:"from"`
	To      *common.Address `json:"to"`
	Created *common.Address `json:"created,omitempty"`
	Payer   *common.Address `json:"feePayer,omitempty"`
	Value   inspect.Amount  `json:"value"`
	index   int
}

// readBlock is what is read of a block.
type readBlock = dial.Block[inspect.Shown]

// catchUp reads new blocks, and further ones backwards for as long as one request may. It returns the first block that
// is read, and whether a further request reads more. The mutex is held.
func (s *Server) catchUp(ctx context.Context) (low uint64, more bool, err error) {
	h, until := &s.history, time.Now().Add(searchTime)
	head, err := s.head(ctx)
	if err != nil {
		return 0, false, err
	}
	if err := s.checkNewest(ctx, head); err != nil {
		return 0, false, err
	}
	for h.high <= head && time.Now().Before(until) {
		if err := s.readBlock(ctx, h.high); err != nil {
			return 0, false, err
		}
		h.high++
	}
	further := func() bool { return h.low > max(head, maxSearched)-maxSearched && h.kept < maxKept }
	for further() && time.Now().Before(until) {
		if err := s.readBlock(ctx, h.low-1); err != nil {
			return 0, false, err
		}
		h.low--
	}
	return h.low, h.high <= head || further(), nil
}

// checkNewest begins again at the head where nothing is read, where the chain went back, and where too much is new.
func (s *Server) checkNewest(ctx context.Context, head uint64) error {
	h := &s.history
	if h.sent != nil && h.high > h.low && h.high <= head+1 && head < h.high+maxSearched && h.kept < 2*maxKept {
		b, err := s.raw(ctx, h.high-1)
		if err != nil {
			return err
		}
		if b != nil && b.Hash == h.newest {
			return nil
		}
	}
	h.low, h.high, h.newest, h.kept = head+1, head+1, common.Hash{}, 0
	h.contracts, h.sent = []deployment{}, make(map[common.Address][]sentTransaction)
	return nil
}

func (s *Server) readBlock(ctx context.Context, number uint64) error {
	short, err := s.raw(ctx, number)
	if err != nil || short == nil {
		return err
	}
	b := &readBlock{Hash: short.Hash}
	if len(short.Transactions) == 0 {
		return s.keepBlock(ctx, b, number)
	}
	// Whole blocks are long calls, for which a busy node has few workers.
	if err := s.call(ctx, &b, "eth_getBlockByNumber", hexutil.Uint64(number), true); err != nil || b == nil {
		return err
	}
	return s.keepBlock(ctx, b, number)
}

// keepBlock keeps what a block has of accounts and contracts.
func (s *Server) keepBlock(ctx context.Context, b *readBlock, number uint64) error {
	h := &s.history
	for i, tx := range b.Transactions {
		one := sentTransaction{
			Hash: tx.Hash, Block: number, From: tx.From, To: tx.To, Payer: tx.FeePayer,
			Value: inspect.NewAmount((*big.Int)(tx.Value)), index: i,
		}
		if tx.To == nil {
			created := crypto.CreateAddress(tx.From, uint64(tx.Nonce))
			one.Created = &created
			if err := s.addContract(ctx, created, number); err != nil {
				return err
			}
		}
		accounts := []common.Address{tx.From}
		for _, other := range []*common.Address{one.To, one.Created, one.Payer} {
			if other != nil && !slices.Contains(accounts, *other) {
				accounts = append(accounts, *other)
			}
		}
		for _, a := range accounts {
			before := len(h.sent[a])
			list := append(h.sent[a], one)
			slices.SortFunc(list, func(x, y sentTransaction) int {
				return cmp.Or(cmp.Compare(y.Block, x.Block), cmp.Compare(y.index, x.index))
			})
			h.sent[a] = list[:min(len(list), maxRows)]
			h.kept += len(h.sent[a]) - before
		}
	}
	if number+1 >= h.high {
		h.newest = b.Hash
	}
	return nil
}

// addContract lists a created contract whose artifact is known.
func (s *Server) addContract(ctx context.Context, address common.Address, block uint64) error {
	if !s.o.Book.HasArtifacts() {
		return nil
	}
	var code hexutil.Bytes
	if err := s.call(ctx, &code, "eth_getCode", address, "latest"); err != nil {
		return err
	}
	if known := s.o.Book.ByCode(code); known != nil {
		h := &s.history
		h.contracts = append(h.contracts, deployment{address, known.Name, block})
		slices.SortStableFunc(h.contracts, func(x, y deployment) int { return cmp.Compare(x.Block, y.Block) })
		h.contracts = h.contracts[max(0, len(h.contracts)-maxRows):]
	}
	return nil
}

// ownContracts returns the contracts that were found, the first block that was read, and whether more will be read.
func (s *Server) ownContracts(ctx context.Context) ([]deployment, uint64, bool, error) {
	s.history.mu.Lock()
	defer s.history.mu.Unlock()
	low, more, err := s.catchUp(ctx)
	return slices.Clone(s.history.contracts), low, more, err
}

// transactionsOf returns the newest transactions that an account has sent, got or paid for, with what ownContracts says
// of the search.
func (s *Server) transactionsOf(ctx context.Context, a common.Address) ([]sentTransaction, uint64, bool, error) {
	s.history.mu.Lock()
	defer s.history.mu.Unlock()
	low, more, err := s.catchUp(ctx)
	return append([]sentTransaction{}, s.history.sent[a]...), low, more, err
}
