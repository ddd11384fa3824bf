// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
)

const (
	// maxPath is over how many blocks the pool follows the chain block by block. Beyond that everything is looked at anew.
	maxPath = 64

	// turnPerHead is how many accounts are looked at at each head besides those that its transactions name: coins can be taken from an
	// account by somebody else's transaction.
	turnPerHead = 2048

	// headPatience is how long a submission waits for the pool to follow the chain to its present head.
	headPatience = 100 * time.Millisecond

	// many is how many transactions an account has, or backs, that is looked at at each head.
	many = 64
)

// flagSource is where the flags of accounts come from. Only the council can set one, and it does so by writing its own storage (spec chain
// 13 no. 2): while this is the same, nobody has been blacklisted or authorized.
type flagSource struct{ storage, code common.Hash }

func (p *Pool) flagSource() (source flagSource) {
	if council := p.rules.SystemContractsAt(p.head.Load().Number.Uint64()).GovCouncil; council != nil {
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
		log.Error("The transaction pool cannot follow the chain", "head", newHead.Number, "err", err)
		return
	}
	if oldHead != nil {
		oldHead = p.head.Load() // not where the chain was when the state could not be read
	}
	included, undone, known := p.path(oldHead, newHead)
	p.follow(newHead, statedb, included, undone, known)
	p.flush()
}

// awaitHead waits until the pool has followed to the present head of the chain, for headPatience at most. Whoever has seen a receipt
// in that block may spend what it gave (spec rpc 8.1).
func (p *Pool) awaitHead() {
	target := p.chain.CurrentBlock().Number.Uint64()
	if p.hasReached(target) {
		return
	}
	patience := time.NewTimer(headPatience)
	defer patience.Stop()
	for {
		p.mu.RLock()
		followed := p.followed
		p.mu.RUnlock()
		if p.hasReached(target) {
			return
		}
		select {
		case <-followed:
		case <-patience.C:
			return
		case <-p.quit:
			return
		}
	}
}

func (p *Pool) hasReached(number uint64) bool { return p.head.Load().Number.Uint64() >= number }

// path returns the transactions of the blocks by which two heads differ. It is not known when they are far apart, or blocks are missing.
func (p *Pool) path(oldHead, newHead *types.Header) (included, undone []*types.Transaction, known bool) {
	if oldHead == nil {
		return nil, nil, false
	}
	type position struct {
		hash   common.Hash
		number uint64
	}
	before, after := position{oldHead.Hash(), oldHead.Number.Uint64()}, position{newHead.Hash(), newHead.Number.Uint64()}
	for steps := 0; before != after; steps++ {
		if steps > maxPath {
			return nil, nil, false
		}
		at := &after
		if before.number > after.number {
			at = &before
		}
		block := p.chain.GetBlock(at.hash, at.number)
		if block == nil || at.number == 0 {
			return nil, nil, false
		}
		if at == &after {
			included = append(included, block.Transactions()...)
		} else {
			undone = append(undone, block.Transactions()...)
		}
		*at = position{block.ParentHash(), at.number - 1}
	}
	return included, types.TxDifference(undone, included), true
}

// follow makes head the pool's. Included and undone say what the blocks in between hold, if that is known.
func (p *Pool) follow(head *types.Header, statedb *state.StateDB, included, undone []*types.Transaction, known bool) {
	start, told := time.Now(), known
	if !p.sendersOf(included) {
		known = false
	}
	named := make(map[common.Address]struct{}, 2*len(included))
	for _, tx := range included {
		if !tx.Signers().HasSender() {
			continue
		}
		if from, err := types.Sender(p.signer, tx); err == nil {
			named[from] = struct{}{}
		}
		if to := tx.To(); to != nil {
			named[*to] = struct{}{}
		}
		for _, author := range p.authorsOf(tx) {
			named[author.addr] = struct{}{}
		}
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.head.Swap(head)
	p.state = statedb
	p.heights++
	if blocks := int64(head.Number.Uint64() - before.Number.Uint64()); told && blocks > 0 {
		p.taken[p.heights%recentBlocks] = len(included) / int(blocks)
	}
	p.pricing.forget()
	if len(undone) > 0 || !told { // nobody knows what is in the chain still
		p.included.Purge()
	}
	for _, tx := range included {
		p.included.Add(tx.Hash(), struct{}{})
		p.refused.Remove(tx.Hash())
		if payer := tx.FeePayer(); payer != nil {
			named[*payer] = struct{}{}
			p.hasPaid(*payer, true)
		} else if tx.Signers().HasSender() {
			if from, err := types.Sender(p.signer, tx); err == nil {
				p.hasPaid(from, false)
			}
		}
	}
	source := p.flagSource()
	flagsChanged := source != p.flags
	p.flags = source
	if flagsChanged {
		p.reflag()
	}
	if head.GasLimit < before.GasLimit {
		p.dropWhere(func(e *entry) bool { return e.tx.Gas() > head.GasLimit })
	}
	if !known || flagsChanged {
		for addr := range p.accounts {
			named[addr] = struct{}{}
		}
		for addr := range p.payers {
			named[addr] = struct{}{}
		}
	}
	p.addTurn(named)
	for addr := range named { // first, for the fees of what is in a block are paid already
		p.advance(addr)
	}
	p.settleDebts(named)
	for _, tx := range undone {
		if from, err := types.Sender(p.signer, tx); err == nil && p.FilterType(tx.Type()) {
			e := &entry{tx: tx, from: from, authors: p.authorsOf(tx)}
			if err := p.admit(e); err != nil {
				log.Debug("A transaction of an undone block is not pooled again", "hash", tx.Hash(), "err", err)
			}
		}
	}
	p.countStranded()
	p.noteSize()
	close(p.followed)
	p.followed = make(chan struct{})
	resetTimer.UpdateSince(start)
}

// sendersOf recovers the senders of transactions in blocks, most of which the pool knows. It does not when there are more others than
// senders in the pool: to look at all of these costs less, and a node that catches up has none.
func (p *Pool) sendersOf(txs []*types.Transaction) bool {
	types.AdoptSigners(txs, p.Get)
	var others []*types.Transaction
	for _, tx := range txs {
		if !tx.Signers().HasSender() {
			others = append(others, tx)
		}
	}
	p.mu.RLock()
	few := len(others) <= len(p.accounts)
	p.mu.RUnlock()
	if !few {
		return false
	}
	for _, tx := range others {
		if _, err := types.Sender(p.signer, tx); err != nil {
			return false
		}
	}
	return true
}

// addTurn adds the accounts with much in the pool, and the next ones of those whose turn it is.
func (p *Pool) addTurn(named map[common.Address]struct{}) {
	if len(p.turn) == 0 {
		for addr := range p.accounts {
			p.turn = append(p.turn, addr)
		}
		for addr := range p.payers {
			p.turn = append(p.turn, addr)
		}
	}
	n := min(turnPerHead, len(p.turn))
	for _, addr := range p.turn[:n] {
		named[addr] = struct{}{}
	}
	p.turn = p.turn[n:]
	for addr, payer := range p.payers {
		if len(payer.txs) >= many {
			named[addr] = struct{}{}
		}
	}
}

// advance brings what an account has in the pool up to date with its nonce at the head.
func (p *Pool) advance(addr common.Address) {
	a := p.accounts[addr]
	if a == nil {
		return
	}
	next := p.state.GetNonce(addr)
	if next == a.next {
		return
	}
	ran := a.executable
	p.held.sub(a.slots)
	gone := a.forward(next)
	p.held.add(a.slots)
	for _, e := range gone {
		p.unlink(e)
	}
	switch kept := max(0, ran-len(gone)); {
	case a.executable > kept:
		p.runs(a.txs[kept:a.executable]...)
		a.seen = time.Now()
	default:
		p.behindGap(a, kept)
	}
	p.settle(a)
}

// settleDebts drops what accounts can no longer pay for, of their own and of what they back.
func (p *Pool) settleDebts(named map[common.Address]struct{}) {
	drained, gone := p.unpayable(named)
	for addr := range drained {
		p.records.Add(addr, record{drained: true})
	}
	p.drop(gone)
	drainedMeter.Mark(int64(len(gone)))
}

// reflag reads the flags of all senders, and drops what is from, to or paid by an account that has been blacklisted (spec transactions 6 no. 7).
func (p *Pool) reflag() {
	blacklisted := make(map[common.Address]bool)
	is := func(addr common.Address) bool {
		known, ok := blacklisted[addr]
		if !ok {
			known = p.state.IsBlacklisted(addr)
			blacklisted[addr] = known
		}
		return known
	}
	for addr, a := range p.accounts {
		a.authorized = p.state.IsAuthorized(addr)
	}
	p.dropWhere(func(e *entry) bool {
		to := e.tx.To()
		return is(e.from) || to != nil && is(*to) || is(e.payer)
	})
}

// expireLoop drops once a minute what has waited behind a gap for too long.
func (p *Pool) expireLoop() {
	defer p.done.Done()
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			p.expire(now)
		case <-p.quit:
			return
		}
	}
}

func (p *Pool) expire(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range p.accounts {
		if a.executable < len(a.txs) && now.Sub(a.seen) > p.config.Lifetime {
			gone := append([]*entry(nil), a.txs[a.executable:]...)
			p.drop(gone)
			expiredMeter.Mark(int64(len(gone)))
		}
	}
	p.noteSize()
}
