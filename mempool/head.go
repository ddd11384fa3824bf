// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus/misc/eip1559"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
)

// headWait is the longest time that a submission waits for the pool to follow to the head of the chain.
const headWait = 100 * time.Millisecond

// flagSource identifies the flags of accounts. The council alone sets flags, and each change writes its own storage.
// spec: chain 13 no. 2
type flagSource struct{ storage, code common.Hash }

// flagSource returns the identity of the flags at the head.
func (p *Pool) flagSource() (source flagSource) {
	if council := p.chainConfig.SystemContractsAt(p.head.Load().Number.Uint64()).GovCouncil; council != nil {
		source.storage = p.state.GetStorageRoot(council.Address)
		source.code = p.state.GetCodeHash(council.Address)
	}
	return source
}

// Reset implements txpool.SubPool: it follows the chain to a new head.
func (p *Pool) Reset(oldHead, newHead *types.Header) {
	if newHead == nil {
		newHead = p.chain.CurrentBlock()
	}
	statedb, err := p.chain.StateAt(newHead.Root, newHead.Number, newHead.Time)
	if err != nil {
		log.Error("Pool state not read, head skipped", "head", newHead.Number, "err", err)
		return
	}
	if oldHead != nil {
		oldHead = p.head.Load() // may be older, after a skipped head
	}
	p.follow(newHead, statedb, p.path(oldHead, newHead))
	p.flush()
}

// awaitHead waits at most headWait until the pool has followed to the head of the chain. A client that has seen a
// receipt of that block may spend the coins. spec: rpc 8.1
func (p *Pool) awaitHead() {
	target := p.chain.CurrentBlock().Number.Uint64()
	if p.hasReached(target) {
		return
	}
	timeout := time.NewTimer(headWait)
	defer timeout.Stop()
	for {
		p.mu.RLock()
		followed := p.followed
		p.mu.RUnlock()
		if p.hasReached(target) {
			return
		}
		select {
		case <-followed:
		case <-timeout.C:
			return
		case <-p.quit:
			return
		}
	}
}

// hasReached reports whether the pool has followed to a block number.
func (p *Pool) hasReached(number uint64) bool { return p.head.Load().Number.Uint64() >= number }

// path is the difference between two heads. It is unknown if they are far apart, or if blocks are missing.
type path struct {
	included []*types.Transaction // in blocks of the new head only
	undone   []*types.Transaction // in blocks of the old head only
	known    bool
}

// path returns the path between two heads. An old head of nil makes it unknown.
func (p *Pool) path(oldHead, newHead *types.Header) (way path) {
	if oldHead == nil {
		return path{}
	}
	type position struct {
		hash   common.Hash
		number uint64
	}
	from := position{oldHead.Hash(), oldHead.Number.Uint64()}
	to := position{newHead.Hash(), newHead.Number.Uint64()}
	for steps := 0; from != to; steps++ {
		if steps > 64 { // all accounts are examined then
			return path{}
		}
		at := &to
		if from.number > to.number {
			at = &from
		}
		block := p.chain.GetBlock(at.hash, at.number)
		if block == nil || at.number == 0 {
			return path{}
		}
		if at == &to {
			way.included = append(way.included, block.Transactions()...)
		} else {
			way.undone = append(way.undone, block.Transactions()...)
		}
		*at = position{block.ParentHash(), at.number - 1}
	}
	way.undone = types.TxDifference(way.undone, way.included)
	way.known = true
	return way
}

// moveTo makes head the head of the pool, with its state.
func (p *Pool) moveTo(head *types.Header, statedb *state.StateDB) {
	p.head.Store(head)
	p.state, p.policy.state = statedb, statedb
	p.policy.baseFee.SetFromBig(eip1559.CalcBaseFee(p.chainConfig, head))
	p.tables.order.invalidate()
}

// follow makes head the head of the pool, with its state and the path to it.
func (p *Pool) follow(head *types.Header, statedb *state.StateDB, way path) {
	start := time.Now()
	sendersKnown := p.recoverSenders(way.included)
	examine := p.named(way.included)

	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.head.Load()
	p.moveTo(head, statedb)
	if blocks := int64(head.Number.Uint64() - before.Number.Uint64()); way.known && blocks > 0 {
		p.recent.add(len(way.included) / int(blocks))
	}
	if len(way.undone) > 0 || !way.known {
		p.included.Purge() // may name transactions that are in no block any more
	}
	p.noteIncluded(way.included, examine)
	flags := p.flagSource()
	flagsChanged := flags != p.flags
	p.flags = flags
	if flagsChanged {
		p.readFlags()
	}
	if head.GasLimit < before.GasLimit {
		p.tables.dropWhere(func(e *entry) bool { return e.tx.Gas() > head.GasLimit })
	}
	if !way.known || !sendersKnown || flagsChanged {
		p.tables.addAll(examine)
	}
	p.tables.addRotation(examine)
	for addr := range examine { // before debts: fees of included transactions are paid
		if a := p.tables.accounts[addr]; a != nil {
			p.tables.advance(a, statedb.GetNonce(addr))
		}
	}
	p.settleDebts(examine)
	for _, tx := range way.undone {
		p.readmit(tx)
	}
	p.countUnmineable()
	p.noteSize()
	close(p.followed)
	p.followed = make(chan struct{})
	resetTimer.UpdateSince(start)
}

// named returns the accounts whose nonce or coins transactions of blocks may have changed, except fee payers.
func (p *Pool) named(txs []*types.Transaction) map[common.Address]struct{} {
	named := make(map[common.Address]struct{}, 2*len(txs))
	for _, tx := range txs {
		from, known := p.knownSender(tx)
		if !known {
			continue
		}
		named[from] = struct{}{}
		if to := tx.To(); to != nil {
			named[*to] = struct{}{}
		}
		for _, authority := range p.authoritiesOf(tx) {
			named[authority.addr] = struct{}{}
		}
	}
	return named
}

// knownSender returns the sender of a transaction if its signature is recovered.
func (p *Pool) knownSender(tx *types.Transaction) (common.Address, bool) {
	if !tx.Signers().HasSender() {
		return common.Address{}, false
	}
	from, err := types.Sender(p.signer, tx)
	return from, err == nil
}

// noteIncluded remembers transactions of new blocks and their payments, and names their fee payers.
func (p *Pool) noteIncluded(txs []*types.Transaction, named map[common.Address]struct{}) {
	for _, tx := range txs {
		p.included.Add(tx.Hash(), struct{}{})
		p.refused.Remove(tx.Hash())
		if payer := tx.FeePayer(); payer != nil {
			named[*payer] = struct{}{}
			p.tables.notePaid(*payer, true)
		} else if from, known := p.knownSender(tx); known {
			p.tables.notePaid(from, false)
		}
	}
}

// readmit admits a transaction whose block was undone, if it is still valid.
func (p *Pool) readmit(tx *types.Transaction) {
	from, err := types.Sender(p.signer, tx)
	if err != nil || !p.FilterType(tx.Type()) {
		return
	}
	if err := p.admit(&entry{tx: tx, from: from, authorities: p.authoritiesOf(tx)}); err != nil {
		log.Debug("Transaction of an undone block refused", "hash", tx.Hash(), "err", err)
	}
}

// recoverSenders recovers the senders of transactions in blocks, and reports whether all are known. It takes them from
// the pool where it can. With more unknown ones than senders in the pool, an examination of all these costs less.
func (p *Pool) recoverSenders(txs []*types.Transaction) bool {
	types.AdoptSigners(txs, p.Get)
	unknown := slices.DeleteFunc(slices.Clone(txs), func(tx *types.Transaction) bool { return tx.Signers().HasSender() })
	p.mu.RLock()
	few := len(unknown) <= len(p.tables.accounts)
	p.mu.RUnlock()
	if !few {
		return false
	}
	return !slices.ContainsFunc(unknown, func(tx *types.Transaction) bool {
		_, err := types.Sender(p.signer, tx)
		return err != nil
	})
}

// settleDebts drops the transactions that some accounts can no longer pay for.
func (p *Pool) settleDebts(named map[common.Address]struct{}) {
	drained, gone := p.policy.unpayable(p.tables, named)
	for addr := range drained {
		p.tables.records.Add(addr, record{drained: true})
	}
	p.tables.drop(gone)
	drainedMeter.Mark(int64(len(gone)))
}

// readFlags reads the flags of all senders, and drops transactions of, to, or paid by a blacklisted account.
// spec: transactions 6 no. 7
func (p *Pool) readFlags() {
	known := make(map[common.Address]bool)
	isBlacklisted := func(addr common.Address) bool {
		blacklisted, ok := known[addr]
		if !ok {
			blacklisted = p.state.IsBlacklisted(addr)
			known[addr] = blacklisted
		}
		return blacklisted
	}
	for addr, a := range p.tables.accounts {
		a.authorized = p.state.IsAuthorized(addr)
	}
	p.tables.dropWhere(func(e *entry) bool {
		to := e.tx.To()
		return isBlacklisted(e.from) || to != nil && isBlacklisted(*to) || isBlacklisted(e.payer)
	})
}

// expireLoop drops expired transactions once a minute.
func (p *Pool) expireLoop() {
	defer p.done.Done()
	ticker := time.Tick(time.Minute)
	for {
		select {
		case now := <-ticker:
			p.expire(now)
		case <-p.quit:
			return
		}
	}
}

// expire drops the queued transactions of accounts that have been inactive for the configured lifetime.
func (p *Pool) expire(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tables.expire(now, p.policy.config.Lifetime)
	p.noteSize()
}
