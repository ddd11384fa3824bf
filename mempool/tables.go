// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
)

// tables holds the pooled transactions, the indexes that agree with them, and the histories of accounts. It decides
// nothing: the policy says which transactions enter and leave. All methods but look need the lock of the pool.
type tables struct {
	reserver    txpool.Reserver // holds the addresses of accounts
	accounts    map[common.Address]*account
	payers      map[common.Address]*payer
	delegations map[common.Address]delegation
	records     lru.BasicLRU[common.Address, record]
	missed      lru.BasicLRU[common.Address, uint64] // first missing nonce, if its submission was refused
	held        tally                                // executable and queued transactions of all accounts, and their slots
	bytes       uint64                               // of all transactions
	arrivals    uint64                               // transactions admitted so far, the source of entry.seq
	order       order
	queue       fifo             // queued transactions of peers, oldest first
	rotation    []common.Address // accounts and fee payers that addRotation has not yet added in this rotation
	unannounced []*entry         // became executable since the last announcement

	lookup struct { // has its own lock: peers ask for every announced hash
		sync.RWMutex
		txs      map[common.Hash]*entry
		bySender map[common.Hash]*entry // of type 0x16, by the hash that the sender knows
	}
}

// newTables returns empty tables whose order of eviction is by a pricer.
func newTables(by pricer) *tables {
	t := &tables{
		order:   order{by: by},
		records: lru.NewBasicLRU[common.Address, record](remembered),
		missed:  lru.NewBasicLRU[common.Address, uint64](remembered),
	}
	t.reset()
	return t
}

// reset empties the tables except for the histories.
func (t *tables) reset() {
	for addr := range t.accounts {
		t.release(addr)
	}
	t.accounts = make(map[common.Address]*account)
	t.payers = make(map[common.Address]*payer)
	t.delegations = make(map[common.Address]delegation)
	t.held, t.bytes, t.unannounced, t.rotation = tally{}, 0, nil, nil
	t.queue, t.order.heap = fifo{}, nil
	t.lookup.Lock()
	t.lookup.txs = make(map[common.Hash]*entry)
	t.lookup.bySender = make(map[common.Hash]*entry)
	t.lookup.Unlock()
}

// look returns the pooled transaction with a hash, or nil. It needs no lock.
func (t *tables) look(hash common.Hash) *entry {
	t.lookup.RLock()
	defer t.lookup.RUnlock()
	return t.lookup.txs[hash]
}

// apply carries out a plan for e: what leaves for it, and its insertion. The error is that of the reservation of a new
// sender, and nothing is changed then.
func (t *tables) apply(e *entry, x plan) error {
	a := x.account
	if t.accounts[e.from] == nil {
		if err := t.reserver.Hold(e.from); err != nil {
			return err
		}
		t.accounts[e.from] = a
	}
	t.drop(x.evicted)
	if x.passed != nil {
		t.queue.apply(x.passed)
		t.drop(x.passed.victims)
	}
	t.arrivals++
	e.seq = t.arrivals
	if x.old != nil {
		e.seq = x.old.seq
		e.local = e.local || x.old.local
	}
	t.insert(a, e)
	if nonce, known := t.missed.Peek(e.from); known && nonce == e.tx.Nonce() {
		t.missed.Remove(e.from)
	}
	t.drop(x.displaced)
	return nil
}

// insert adds e to the tables, in the place of a transaction with the same nonce. Its account is in the pool.
func (t *tables) insert(a *account, e *entry) {
	executable := a.executable
	t.held.sub(a.slots)
	old := a.put(e)
	t.held.add(a.slots)
	t.bytes += e.size
	if old != nil {
		t.unlink(old)
	}
	t.lookup.Lock()
	t.lookup.txs[e.tx.Hash()] = e
	t.indexSender(e)
	t.lookup.Unlock()
	t.addDelegations(e)
	if e.paidByOther() {
		t.payer(e.payer).add(e)
	}
	a.seen = time.Now()
	i, _ := a.find(e.tx.Nonce())
	switch {
	case i >= a.executable:
		t.enqueue(e)
	case old != nil:
		t.promote(e)
	default:
		t.promote(a.txs[executable:a.executable]...)
	}
	t.reorder(a)
}

// remove removes the transaction at an index from an account, and an empty account from the pool.
func (t *tables) remove(a *account, index int) {
	executable := a.executable
	t.held.sub(a.slots)
	e := a.remove(index)
	t.held.add(a.slots)
	t.unlink(e)
	t.demote(a, executable-1)
	t.finish(a)
}

// advance moves an account to its nonce at the head.
func (t *tables) advance(a *account, next uint64) {
	if next == a.next {
		return
	}
	executable := a.executable
	t.held.sub(a.slots)
	gone := a.forward(next)
	t.held.add(a.slots)
	for _, e := range gone {
		t.unlink(e)
	}
	if kept := max(0, executable-len(gone)); a.executable > kept {
		t.promote(a.txs[kept:a.executable]...)
		a.seen = time.Now()
	} else {
		t.demote(a, kept)
	}
	t.finish(a)
}

// promote marks transactions that became executable, and lists them for announcement.
func (t *tables) promote(entries ...*entry) {
	for _, e := range entries {
		e.queued = false
		if e.paidByOther() {
			t.payer(e.payer).setExecutable(e)
		}
	}
	t.unannounced = append(t.unannounced, entries...)
}

// demote marks transactions that are no longer executable: those of an account up to an index.
func (t *tables) demote(a *account, end int) {
	for i := a.executable; i < end; i++ {
		t.enqueue(a.txs[i])
	}
}

// enqueue marks a transaction behind a gap.
func (t *tables) enqueue(e *entry) {
	e.queued = true
	t.queue.push(e)
	if e.paidByOther() {
		t.payer(e.payer).setQueued(e)
	}
}

// finish completes a change of an account: it removes an empty one, and updates the order of eviction.
func (t *tables) finish(a *account) {
	if len(a.txs) == 0 {
		delete(t.accounts, a.addr)
		t.release(a.addr)
	}
	t.reorder(a)
}

// unlink removes e from all tables except that of its account. The queue skips it from now on.
func (t *tables) unlink(e *entry) {
	t.bytes -= e.size
	t.lookup.Lock()
	delete(t.lookup.txs, e.tx.Hash())
	t.unindexSender(e)
	t.lookup.Unlock()
	t.removeDelegations(e)
	if e.paidByOther() {
		if payer := t.payers[e.payer]; payer != nil && payer.remove(e) == 0 {
			delete(t.payers, e.payer)
		}
	}
	e.queued = false
}

// release ends the reservation of a sender for this pool.
func (t *tables) release(addr common.Address) {
	if err := t.reserver.Release(addr); err != nil {
		log.Error("Pooled sender not released", "address", addr, "err", err)
	}
}

// drop removes transactions that can no longer be executed, or that are evicted.
func (t *tables) drop(entries []*entry) {
	for _, e := range entries {
		a := t.accounts[e.from]
		if a == nil {
			continue
		}
		if i, ok := a.find(e.tx.Nonce()); ok && a.txs[i] == e {
			t.remove(a, i)
			droppedMeter.Mark(1)
			log.Trace("Pooled transaction dropped", "hash", e.tx.Hash())
		}
	}
}

// dropWhere removes the transactions for which bad returns true, the highest nonce of an account first.
func (t *tables) dropWhere(bad func(*entry) bool) {
	var found []*entry
	for _, a := range t.accounts {
		for _, e := range slices.Backward(a.txs) {
			if bad(e) {
				found = append(found, e)
			}
		}
	}
	t.drop(found)
}

// expire drops the queued transactions of accounts that have been inactive for a lifetime.
func (t *tables) expire(now time.Time, lifetime time.Duration) {
	for _, a := range t.accounts {
		if a.executable < len(a.txs) && now.Sub(a.seen) > lifetime {
			gone := slices.Clone(a.txs[a.executable:])
			t.drop(gone)
			expiredMeter.Mark(int64(len(gone)))
		}
	}
}

// payer returns the fee payer at an address, a new one if it backs none yet.
func (t *tables) payer(addr common.Address) *payer {
	if t.payers[addr] == nil {
		t.payers[addr] = &payer{txs: make(map[*entry]struct{}), queued: make(map[*entry]struct{})}
	}
	return t.payers[addr]
}

// notePaid notes that an account has paid for a transaction in a block. Accounts that pay for their own transactions
// have a record after a drain only.
func (t *tables) notePaid(addr common.Address, forOther bool) {
	known, ok := t.records.Get(addr)
	if !ok && !forOther {
		return
	}
	known.paid++
	t.records.Add(addr, known)
}

// addDelegations counts the authorizations of a transaction that enters the pool. Queued transactions count too.
// Otherwise an authority could pool many transactions whose coins move away when the gap is filled.
func (t *tables) addDelegations(e *entry) {
	for _, authority := range e.authorities {
		d := t.delegations[authority.addr]
		t.delegations[authority.addr] = delegation{d.transactions + 1, max(d.nonce, authority.nonce)}
	}
}

// removeDelegations reverts addDelegations.
func (t *tables) removeDelegations(e *entry) {
	for _, authority := range e.authorities {
		if d := t.delegations[authority.addr]; d.transactions > 1 {
			d.transactions--
			t.delegations[authority.addr] = d
		} else {
			delete(t.delegations, authority.addr)
		}
	}
}

// bySenderHash returns the pooled transaction of type 0x16 with a hash that its sender knows, or nil. It needs no lock.
func (t *tables) bySenderHash(hash common.Hash) *types.Transaction {
	t.lookup.RLock()
	defer t.lookup.RUnlock()
	if e := t.lookup.bySender[hash]; e != nil {
		return e.tx
	}
	return nil
}

// indexSender adds an entry to the table of sender hashes. The lock of the look-up is held.
func (t *tables) indexSender(e *entry) {
	if hash := e.tx.SenderTransactionHash(); hash != nil {
		t.lookup.bySender[*hash] = e
	}
}

// unindexSender removes an entry from that table, unless a replacement with another fee payer stands there already. The
// lock of the look-up is held.
func (t *tables) unindexSender(e *entry) {
	if hash := e.tx.SenderTransactionHash(); hash != nil && t.lookup.bySender[*hash] == e {
		delete(t.lookup.bySender, *hash)
	}
}

// addAll adds all senders and fee payers to a set.
func (t *tables) addAll(set map[common.Address]struct{}) {
	for addr := range t.accounts {
		set[addr] = struct{}{}
	}
	for addr := range t.payers {
		set[addr] = struct{}{}
	}
}

// addRotation adds the next accounts of the rotation to a set, and fee payers that back many transactions of others.
// Any transaction can take coins from any account.
func (t *tables) addRotation(set map[common.Address]struct{}) {
	if len(t.rotation) == 0 {
		for addr := range t.accounts {
			t.rotation = append(t.rotation, addr)
		}
		for addr := range t.payers {
			t.rotation = append(t.rotation, addr)
		}
	}
	n := min(2048, len(t.rotation))
	for _, addr := range t.rotation[:n] {
		set[addr] = struct{}{}
	}
	t.rotation = t.rotation[n:]
	for addr, payer := range t.payers {
		if len(payer.txs) >= 64 {
			set[addr] = struct{}{}
		}
	}
}
