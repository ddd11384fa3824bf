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

// authority is the signer of authorizations in one transaction (EIP-7702), with the highest nonce of these. None of
// them can be valid when the nonce of the account is above it.
type authority struct {
	addr  common.Address
	nonce uint64
}

// delegation counts the pooled transactions that carry authorizations of one account.
type delegation struct {
	transactions int
	nonce        uint64 // the highest of all since the first one was pooled
}

// decide admits or refuses a transaction whose sender is recovered. Authorities are recovered when no other check
// fails, so that only a sender with an otherwise valid transaction can make the node recover them. The lock is held,
// except during the recovery.
func (p *Pool) decide(e *entry) error {
	if len(e.tx.SetCodeAuthorizations()) > 0 {
		if _, err := p.place(e); err != nil {
			return err
		}
		p.mu.Unlock()
		var err error
		most := batchSignatures
		if e.local {
			most = submissionQuota
		}
		e.authorities, err = p.recoverAuthorities(e.tx, most, func(work func(), signatures int) error {
			return p.control.run(work, signatures, e.local)
		})
		p.mu.Lock()
		if err != nil {
			return err
		}
	}
	return p.admit(e)
}

// recoverAuthorities returns the authorities of a transaction. The function run gets batches of at most the given
// number of signatures, and calls its argument.
func (p *Pool) recoverAuthorities(
	tx *types.Transaction, most int, run func(work func(), signatures int) error,
) ([]authority, error) {
	var set authoritySet
	for batch := range slices.Chunk(p.authorizations(tx), most) {
		if err := run(func() { set.add(batch, p.recoverAuthority) }, len(batch)); err != nil {
			return nil, err
		}
	}
	return slices.Clone(set.list), nil
}

// authorizations returns the authorizations in a transaction, without those that are never valid: of another chain, or
// with the highest nonce (EIP-7702, behavior 1 and 2).
func (p *Pool) authorizations(tx *types.Transaction) (valid []*types.SetCodeAuthorization) {
	all := tx.SetCodeAuthorizations()
	for i := range all {
		auth := &all[i]
		ourChain := auth.ChainID.IsZero() || auth.ChainID.CmpBig(p.chainConfig.ChainID) == 0
		if ourChain && auth.Nonce != math.MaxUint64 {
			valid = append(valid, auth)
		}
	}
	return valid
}

// authoritySet collects authorities, each account once.
type authoritySet struct {
	list  []authority
	index map[common.Address]int
}

// add adds the signers of authorizations. An authorization with an invalid signature is left out: it has no effect in
// execution either.
func (s *authoritySet) add(
	batch []*types.SetCodeAuthorization, authorityOf func(*types.SetCodeAuthorization) (common.Address, error),
) {
	if s.index == nil {
		s.index = make(map[common.Address]int)
	}
	for _, auth := range batch {
		addr, err := authorityOf(auth)
		if err != nil {
			continue
		}
		i, known := s.index[addr]
		if !known {
			i, s.index[addr] = len(s.list), len(s.list)
			s.list = append(s.list, authority{addr: addr})
		}
		s.list[i].nonce = max(s.list[i].nonce, auth.Nonce)
	}
}

// authoritiesOf returns the authorities of a transaction in a block, without recovery if the transaction is pooled.
func (p *Pool) authoritiesOf(tx *types.Transaction) []authority {
	if tx.Type() != types.SetCodeTxType {
		return nil
	}
	if e := p.tables.look(tx.Hash()); e != nil {
		return e.authorities
	}
	var set authoritySet
	set.add(p.authorizations(tx), p.recoverAuthority)
	return set.list
}

// checkAuthorities refuses a valid authorization of an account with more than one pooled transaction.
// spec: transactions 4.1 row 8
func (p *Pool) checkAuthorities(e *entry) error {
	for _, authority := range e.authorities {
		other := p.tables.accounts[authority.addr]
		many := other != nil && len(other.txs) > 1 || p.tables.reserver.Has(authority.addr)
		if many && authority.nonce >= p.state.GetNonce(authority.addr) {
			return legacypool.ErrAuthorityReserved
		}
	}
	return nil
}
