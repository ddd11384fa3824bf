// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/log"
)

// All functions of this file but reset need the lock of the pool.

// reset empties the tables.
func (p *Pool) reset() {
	p.accounts = make(map[common.Address]*account)
	p.payers = make(map[common.Address]*payer)
	p.delegations = make(map[common.Address]delegation)
	p.held, p.bytes, p.unmineable, p.unannounced, p.rotation = tally{}, 0, 0, nil, nil
	p.queue, p.pricing.heap = fifo{}, nil
	p.lookup.Lock()
	p.lookup.txs = make(map[common.Hash]*entry)
	p.lookup.bySender = make(map[common.Hash]*entry)
	p.lookup.Unlock()
}

// insert adds e to the tables, and returns the transaction that it replaces, or nil. Its account is in the pool.
func (p *Pool) insert(a *account, e *entry) (old *entry) {
	executable := a.executable
	p.held.sub(a.slots)
	old = a.put(e)
	p.held.add(a.slots)
	p.bytes += e.size
	if old != nil {
		p.unlink(old)
	}
	p.lookup.Lock()
	p.lookup.txs[e.tx.Hash()] = e
	p.indexSender(e)
	p.lookup.Unlock()
	p.addDelegations(e)
	if e.paidByOther() {
		p.payer(e.payer).add(e)
	}
	a.seen = time.Now()
	i, _ := a.find(e.tx.Nonce())
	switch {
	case i >= a.executable:
		p.enqueue(e)
	case old != nil:
		p.promote(e)
	default:
		p.promote(a.txs[executable:a.executable]...)
	}
	p.pricing.update(p, a)
	return old
}

// remove removes the transaction at an index from an account, and an empty account from the pool.
func (p *Pool) remove(a *account, index int) {
	executable := a.executable
	p.held.sub(a.slots)
	e := a.remove(index)
	p.held.add(a.slots)
	p.unlink(e)
	p.demote(a, executable-1)
	p.finish(a)
}

// promote marks transactions that became executable, and lists them for announcement.
func (p *Pool) promote(entries ...*entry) {
	for _, e := range entries {
		e.queued = false
		if e.paidByOther() {
			p.payer(e.payer).setExecutable(e)
		}
	}
	p.unannounced = append(p.unannounced, entries...)
}

// demote marks transactions that are no longer executable: those of an account up to an index.
func (p *Pool) demote(a *account, end int) {
	for i := a.executable; i < end; i++ {
		p.enqueue(a.txs[i])
	}
}

// enqueue marks a transaction behind a gap.
func (p *Pool) enqueue(e *entry) {
	e.queued = true
	p.queue.push(p, e)
	if e.paidByOther() {
		p.payer(e.payer).setQueued(e)
	}
}

// finish completes a change of an account: it removes an empty one, and updates the order of eviction.
func (p *Pool) finish(a *account) {
	if len(a.txs) == 0 {
		delete(p.accounts, a.addr)
		p.release(a.addr)
	}
	p.pricing.update(p, a)
}

// unlink removes e from all tables except that of its account.
func (p *Pool) unlink(e *entry) {
	p.bytes -= e.size
	p.lookup.Lock()
	delete(p.lookup.txs, e.tx.Hash())
	p.unindexSender(e)
	p.lookup.Unlock()
	p.removeDelegations(e)
	if e.paidByOther() {
		if payer := p.payers[e.payer]; payer != nil && payer.remove(e) == 0 {
			delete(p.payers, e.payer)
		}
	}
}

// release ends the reservation of a sender for this pool.
func (p *Pool) release(addr common.Address) {
	if err := p.reserver.Release(addr); err != nil {
		log.Error("Pooled sender not released", "address", addr, "err", err)
	}
}

// drop removes transactions that can no longer be executed, or that are evicted.
func (p *Pool) drop(entries []*entry) {
	for _, e := range entries {
		a := p.accounts[e.from]
		if a == nil {
			continue
		}
		if i, ok := a.find(e.tx.Nonce()); ok && a.txs[i] == e {
			p.remove(a, i)
			droppedMeter.Mark(1)
			log.Trace("Pooled transaction dropped", "hash", e.tx.Hash())
		}
	}
}

// dropWhere removes the transactions for which bad returns true, the highest nonce of an account first.
func (p *Pool) dropWhere(bad func(*entry) bool) {
	var found []*entry
	for _, a := range p.accounts {
		for _, e := range slices.Backward(a.txs) {
			if bad(e) {
				found = append(found, e)
			}
		}
	}
	p.drop(found)
}
