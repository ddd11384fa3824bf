// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"math"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/types"
)

// author has signed authorizations that a transaction carries. The nonce is the highest of them: none can be valid when that of the account is
// above it (EIP-7702, behavior 6).
type author struct {
	addr  common.Address
	nonce uint64
}

// signed is what pooled transactions carry of one author.
type signed struct {
	transactions int
	nonce        uint64 // the highest since there is one of them
}

// take decides about a transaction whose authors nobody has recovered yet. They are recovered when nothing else speaks against it, so that it
// costs its sender what any other does, and without the lock, which is held before and after.
func (p *Pool) take(e *entry) error {
	if len(e.tx.SetCodeAuthorizations()) > 0 {
		if _, _, _, err := p.check(e); err != nil {
			return err
		}
		p.mu.Unlock()
		var err error
		most := turnSignatures
		if e.local {
			most = aheadOfPeers
		}
		e.authors, err = p.recoverAuthors(e.tx, most, func(work func(), signatures int) error { return p.workers.run(work, signatures, e.local) })
		p.mu.Lock()
		if err != nil {
			return err
		}
	}
	return p.admit(e)
}

// recoverAuthors returns who has signed authorizations in a transaction, those left out that are for another chain or of a nonce that no
// account can go beyond: they are never valid (EIP-7702, behavior 1 and 2). Turn calls its argument, which recovers so many, at most as are for one turn.
func (p *Pool) recoverAuthors(tx *types.Transaction, most int, turn func(work func(), signatures int) error) ([]author, error) {
	var (
		all     = tx.SetCodeAuthorizations()
		ours    = make([]*types.SetCodeAuthorization, 0, len(all))
		authors []author
		places  = make(map[common.Address]int)
	)
	for i := range all {
		if auth := &all[i]; (auth.ChainID.IsZero() || auth.ChainID.CmpBig(p.rules.ChainID) == 0) && auth.Nonce != math.MaxUint64 {
			ours = append(ours, auth)
		}
	}
	for batch := range slices.Chunk(ours, most) {
		if err := turn(func() {
			for _, auth := range batch {
				addr, err := p.recover(auth)
				if err != nil {
					continue // nobody's, and of no effect
				}
				i, again := places[addr]
				if !again {
					i, places[addr] = len(authors), len(authors)
					authors = append(authors, author{addr: addr})
				}
				authors[i].nonce = max(authors[i].nonce, auth.Nonce)
			}
		}, len(batch)); err != nil {
			return nil, err
		}
	}
	return slices.Clone(authors), nil
}

// authorsOf returns who has signed authorizations in a transaction of a block, from the pool where it knows it.
func (p *Pool) authorsOf(tx *types.Transaction) []author {
	if tx.Type() != types.SetCodeTxType {
		return nil
	}
	if e := p.look(tx.Hash()); e != nil {
		return e.authors
	}
	authors, _ := p.recoverAuthors(tx, turnSignatures, func(work func(), _ int) error { work(); return nil }) // at once, which does not fail
	return authors
}

// authorize counts a transaction that comes into the pool for those who have signed authorizations in it. It counts behind a gap too: else an
// author could pool many transactions whose coins go when the gap is filled.
func (p *Pool) authorize(e *entry) {
	for _, author := range e.authors {
		s := p.authors[author.addr]
		p.authors[author.addr] = signed{s.transactions + 1, max(s.nonce, author.nonce)}
	}
}

// unauthorize takes back what authorize has counted.
func (p *Pool) unauthorize(e *entry) {
	for _, author := range e.authors {
		if s := p.authors[author.addr]; s.transactions > 1 {
			s.transactions--
			p.authors[author.addr] = s
		} else {
			delete(p.authors, author.addr)
		}
	}
}

// mayDelegate tells that pooled transactions carry an authorization of an account that can be valid at the head or later.
func (p *Pool) mayDelegate(addr common.Address) bool {
	s := p.authors[addr]
	return s.transactions > 0 && s.nonce >= p.state.GetNonce(addr)
}

// checkAuthors lets no account with more than one pooled transaction sign an authorization (spec transactions 4.1, row 8), unless that can no
// longer be valid.
func (p *Pool) checkAuthors(e *entry) error {
	for _, author := range e.authors {
		other := p.accounts[author.addr]
		if (other != nil && len(other.txs) > 1 || p.reserver.Has(author.addr)) && author.nonce >= p.state.GetNonce(author.addr) {
			return legacypool.ErrAuthorityReserved
		}
	}
	return nil
}
