// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// GetBySenderHash returns the pooled transaction of type 0x16 whose sender signed the type-2 transaction with this
// hash, executable or queued. It returns nil when the pool has none.
func (p *Pool) GetBySenderHash(hash common.Hash) *types.Transaction {
	p.lookup.RLock()
	defer p.lookup.RUnlock()
	if e := p.lookup.bySender[hash]; e != nil {
		return e.tx
	}
	return nil
}

// indexSender adds an entry to the table of sender hashes. The lock of the tables is held.
func (p *Pool) indexSender(e *entry) {
	if hash := e.tx.SenderTransactionHash(); hash != nil {
		p.lookup.bySender[*hash] = e
	}
}

// unindexSender removes an entry from that table, unless a replacement with another fee payer stands there already. The
// lock of the tables is held.
func (p *Pool) unindexSender(e *entry) {
	if hash := e.tx.SenderTransactionHash(); hash != nil && p.lookup.bySender[*hash] == e {
		delete(p.lookup.bySender, *hash)
	}
}
