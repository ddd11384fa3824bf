// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"cmp"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/holiman/uint256"
)

// Overdue returns the hashes of at most n submissions from before a moment that the next block could include, the
// oldest first.
func (p *Pool) Overdue(before time.Time, n int) []common.Hash {
	var found []*entry
	p.mu.Lock()
	minimum := &p.policy.tip
	for _, a := range p.tables.accounts {
		for _, e := range a.txs[:a.executable] {
			if !e.local || !e.tx.Time().Before(before) {
				continue
			}
			if paid := p.policy.paid(&e.feeCap, &e.tip, a.authorized); !paid.Lt(minimum) {
				found = append(found, e)
			}
		}
	}
	p.mu.Unlock()
	slices.SortFunc(found, func(x, y *entry) int { return cmp.Compare(x.seq, y.seq) })
	found = found[:min(n, len(found))]
	hashes := make([]common.Hash, len(found))
	for i, e := range found {
		hashes[i] = e.tx.Hash()
	}
	return hashes
}

// Head returns the block that the pool follows.
func (p *Pool) Head() *types.Header { return p.head.Load() }

// Get implements txpool.SubPool.
func (p *Pool) Get(hash common.Hash) *types.Transaction {
	if e := p.tables.look(hash); e != nil {
		return e.tx
	}
	return nil
}

// GetBySenderHash returns the pooled transaction of type 0x16 whose sender signed the type-2 transaction with this
// hash, executable or queued. It returns nil when the pool has none.
func (p *Pool) GetBySenderHash(hash common.Hash) *types.Transaction {
	return p.tables.bySenderHash(hash)
}

// Has implements txpool.SubPool.
func (p *Pool) Has(hash common.Hash) bool { return p.tables.look(hash) != nil }

// GetRLP implements txpool.SubPool.
func (p *Pool) GetRLP(hash common.Hash, _ uint) []byte {
	e := p.tables.look(hash)
	if e == nil {
		return nil
	}
	encoded, err := rlp.EncodeToBytes(e.tx)
	if err != nil {
		log.Error("Pooled transaction not encoded", "hash", hash, "err", err)
		return nil
	}
	return encoded
}

// GetMetadata implements txpool.SubPool.
func (p *Pool) GetMetadata(hash common.Hash) *txpool.TxMetadata {
	e := p.tables.look(hash)
	if e == nil {
		return nil
	}
	return &txpool.TxMetadata{Type: e.tx.Type(), Size: e.size}
}

// Pending implements txpool.SubPool: the executable transactions that pass a filter, by sender, and their number.
func (p *Pool) Pending(filter txpool.PendingFilter) (map[common.Address][]*txpool.LazyTransaction, int) {
	if filter.BlobTxs {
		return nil, 0
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	pending, total := make(map[common.Address][]*txpool.LazyTransaction, len(p.tables.accounts)), 0
	for addr, a := range p.tables.accounts {
		txs := a.txs[:a.executable]
		if end := slices.IndexFunc(txs, func(e *entry) bool { return isFiltered(e, filter) }); end >= 0 {
			txs = txs[:end]
		}
		if len(txs) == 0 {
			continue
		}
		made, list := make([]txpool.LazyTransaction, len(txs)), make([]*txpool.LazyTransaction, len(txs))
		for i, e := range txs {
			made[i] = txpool.LazyTransaction{
				Pool: p, Hash: e.tx.Hash(), Tx: e.tx, Time: e.tx.Time(), Gas: e.tx.Gas(),
				GasFeeCap: new(uint256.Int).Set(&e.feeCap), GasTipCap: new(uint256.Int).Set(&e.tip),
			}
			list[i] = &made[i]
		}
		pending[addr] = list
		total += len(list)
	}
	return pending, total
}

// isFiltered reports whether a filter excludes a transaction, and with it the later ones of its sender.
func isFiltered(e *entry, filter txpool.PendingFilter) bool {
	return filter.GasLimitCap != 0 && e.tx.Gas() > filter.GasLimitCap ||
		filter.MinTip != nil && e.tx.EffectiveGasTipIntCmp(filter.MinTip, filter.BaseFee) < 0
}

// Nonce implements txpool.SubPool: the first nonce that has no executable transaction.
func (p *Pool) Nonce(addr common.Address) uint64 {
	p.mu.RLock()
	if a := p.tables.accounts[addr]; a != nil {
		defer p.mu.RUnlock()
		return a.missing()
	}
	p.mu.RUnlock()
	p.mu.Lock() // a read of the state changes its caches
	defer p.mu.Unlock()
	return p.missing(addr)
}

// Stats implements txpool.SubPool: the numbers of executable and of queued transactions.
func (p *Pool) Stats() (pending, queued int) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return int(p.tables.held.executableTxs), int(p.tables.held.queuedTxs)
}

// Content implements txpool.SubPool: the executable and the queued transactions by sender.
func (p *Pool) Content() (pending, queued map[common.Address][]*types.Transaction) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	pending = make(map[common.Address][]*types.Transaction)
	queued = make(map[common.Address][]*types.Transaction)
	for addr, a := range p.tables.accounts {
		executable, behindGap := a.content()
		if len(executable) > 0 {
			pending[addr] = executable
		}
		if len(behindGap) > 0 {
			queued[addr] = behindGap
		}
	}
	return pending, queued
}

// ContentFrom implements txpool.SubPool: the executable and the queued transactions of one sender.
func (p *Pool) ContentFrom(addr common.Address) (pending, queued []*types.Transaction) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if a := p.tables.accounts[addr]; a != nil {
		return a.content()
	}
	return nil, nil
}

// Status implements txpool.SubPool.
func (p *Pool) Status(hash common.Hash) txpool.TxStatus {
	e := p.tables.look(hash)
	if e == nil {
		return txpool.TxStatusUnknown
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	a := p.tables.accounts[e.from]
	if a == nil || a.get(e.tx.Nonce()) != e {
		return txpool.TxStatusUnknown
	}
	if e.queued {
		return txpool.TxStatusQueued
	}
	return txpool.TxStatusPending
}
