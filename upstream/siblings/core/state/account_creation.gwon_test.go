// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package state

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/holiman/uint256"
	"github.com/stretchr/testify/assert"
)

// Spec chain 14 item 1: which accounts count as created in the transaction.
func TestCreatedInTransaction(t *testing.T) {
	s := newExtraState(t)
	touch := func(addr common.Address) { s.SetNonce(addr, 1, tracing.NonceChangeUnspecified) }
	existing, fresh, flagged := common.Address{1}, common.Address{2}, common.Address{3}
	s.SetBalance(existing, uint256.NewInt(1), tracing.BalanceChangeUnspecified)
	s.SetBlacklisted(flagged, true)
	s, _ = commitState(t, s, 1)

	want := func(addr common.Address, created bool, when string) {
		t.Helper()
		assert.Truef(t, s.CreatedInTransaction(addr) == created, "%s: created is %v", when, !created)
	}
	want(fresh, false, "absent account")
	touch(existing)
	want(existing, false, "existing account")
	touch(flagged)
	want(flagged, false, "account that was only a flag")
	id := s.Snapshot()
	touch(fresh)
	want(fresh, true, "new account")
	s.RevertToSnapshot(id)
	want(fresh, false, "reverted account")
	touch(fresh)
	id = s.Snapshot()
	touch(fresh)
	s.RevertToSnapshot(id)
	want(fresh, true, "new account after an inner revert")
	s.SelfDestruct(fresh)
	want(fresh, true, "destructed account within the transaction")
	id = s.Snapshot()
	s.CreateContract(existing)
	want(existing, true, "contract created over an account")
	s.RevertToSnapshot(id)
	want(existing, false, "reverted contract creation")
	s.CreateContract(existing)
	s.Finalise(extraRules)
	want(existing, false, "contract of an earlier transaction")
	want(fresh, false, "deleted account")
	// Deleted earlier in the same block counts as absent.
	touch(fresh)
	want(fresh, true, "account made again")
	if cpy := s.Copy(); !cpy.CreatedInTransaction(fresh) || cpy.CreatedInTransaction(existing) {
		t.Error("a copy within the transaction does not know what was created")
	}
	s.Finalise(extraRules)
	want(fresh, false, "account of an earlier transaction")
}

// Spec chain 4 and 14 item 2: a contract creation leaves only the balance; a revert restores everything.
func TestClearForCreation(t *testing.T) {
	eachScheme(t, func(t *testing.T, db *triedb.Database) {
		var (
			key, other = common.Hash{1}, common.Hash{2}
			value      = common.Hash{31: 7}
			balance    = uint256.NewInt(9)
		)
		s := must.Get(New(types.EmptyRootHash, NewDatabase(db, nil)))(t)
		s.SetBalance(extraAddr, balance, tracing.BalanceChangeUnspecified)
		s.SetBlacklisted(extraAddr, true)
		s.SetState(extraAddr, key, value)
		s.SetState(extraAddr, other, value)
		s, before := commitState(t, s, 1)

		create := func(s *StateDB) {
			s.ClearForCreation(extraAddr)
			s.CreateContract(extraAddr)
			s.SetNonce(extraAddr, 1, tracing.NonceChangeNewContract)
		}
		cleared := func(s *StateDB, when string) {
			t.Helper()
			if s.GetState(extraAddr, key) != (common.Hash{}) || s.GetCommittedState(extraAddr, key) != (common.Hash{}) ||
				s.GetExtra(extraAddr) != 0 || s.GetBalance(extraAddr).Cmp(balance) != 0 {
				t.Errorf("%s: slot %v, extra %x, balance %v", when, s.GetState(extraAddr, key), s.GetExtra(extraAddr),
					s.GetBalance(extraAddr))
			}
		}
		restored := func(s *StateDB, when string) {
			t.Helper()
			if s.GetState(extraAddr, key) != value || s.GetState(extraAddr, other) != value ||
				!s.IsBlacklisted(extraAddr) || s.GetNonce(extraAddr) != 0 || s.IsNewContract(extraAddr) ||
				s.GetBalance(extraAddr).Cmp(balance) != 0 {
				t.Errorf("%s: slot %v, extra %x", when, s.GetState(extraAddr, key), s.GetExtra(extraAddr))
			}
		}

		// Reverted: the root is the old one.
		snapshot := s.Snapshot()
		create(s)
		cleared(s, "creation")
		s.SetState(extraAddr, key, common.Hash{9})
		s.AddBalance(extraAddr, uint256.NewInt(1), tracing.BalanceChangeUnspecified)
		inner := s.Copy()
		s.RevertToSnapshot(snapshot)
		restored(s, "revert")
		id := s.Snapshot()
		s.SetState(extraAddr, other, common.Hash{})
		inner.RevertToSnapshot(snapshot)
		restored(inner, "revert of a copy after a change of the original")
		s.RevertToSnapshot(id)
		inner.SetState(extraAddr, other, common.Hash{})
		assert.True(t, inner.GetState(extraAddr, other) == (common.Hash{}), "the copy does not keep a change")
		restored(s, "change of the copy")
		root := s.Copy().IntermediateRoot(extraRules)
		assert.Truef(t, root == before, "root %v after a revert, want %v", root, before)

		// Reverted, then made again in the same transaction, with a slot of its own, and committed.
		create(s)
		cleared(s, "second creation")
		s.SetState(extraAddr, key, common.Hash{31: 1})
		s, after := commitState(t, s, 2)
		want := newExtraState(t)
		want.SetBalance(extraAddr, balance, tracing.BalanceChangeUnspecified)
		want.SetNonce(extraAddr, 1, tracing.NonceChangeUnspecified)
		want.SetState(extraAddr, key, common.Hash{31: 1})
		assert.Equal(t, want.IntermediateRoot(extraRules), after, "root")
		assert.True(t, s.GetState(extraAddr, other) == (common.Hash{}) && s.GetState(extraAddr, key) == (common.Hash{31: 1}),
			"the old storage came back after the commit")
		// The destruct mark of one creation must not hide what a later block writes.
		s.SetState(extraAddr, other, value)
		s, _ = commitState(t, s, 3)
		assert.True(t, s.GetState(extraAddr, other) == value, "a later write was lost")
	})
}

// Created over an account with storage and destructed in the same transaction: account and storage go.
func TestClearForCreationThenDestruct(t *testing.T) {
	eachScheme(t, func(t *testing.T, db *triedb.Database) {
		s := must.Get(New(types.EmptyRootHash, NewDatabase(db, nil)))(t)
		s.SetBalance(common.Address{1}, uint256.NewInt(1), tracing.BalanceChangeUnspecified)
		s, empty := commitState(t, s, 1)
		s.SetState(extraAddr, common.Hash{1}, common.Hash{1})
		s.SetBlacklisted(extraAddr, true)
		s, _ = commitState(t, s, 2)
		s.ClearForCreation(extraAddr)
		s.CreateContract(extraAddr)
		s.SelfDestruct(extraAddr)
		s, root := commitState(t, s, 3)
		assert.Truef(t, root == empty && !s.Exist(extraAddr), "root %v, want %v", root, empty)
	})
}

func TestClearForCreationWithoutStorage(t *testing.T) {
	s := newExtraState(t)
	s.ClearForCreation(extraAddr)
	assert.False(t, s.Exist(extraAddr), "made an account")
	s.SetAuthorized(extraAddr, true)
	s.Finalise(extraRules)
	id := s.Snapshot()
	s.ClearForCreation(extraAddr)
	assert.True(t, s.GetExtra(extraAddr) == 0, "the word stayed")
	s.RevertToSnapshot(id)
	assert.True(t, s.IsAuthorized(extraAddr), "the word was not restored")
	// Storage that an earlier transaction of the block, or a state override, wrote.
	s.SetState(extraAddr, common.Hash{1}, common.Hash{1})
	s.Finalise(extraRules)
	s.ClearForCreation(extraAddr)
	assert.True(t, s.GetState(extraAddr, common.Hash{1}) == (common.Hash{}), "pending storage stayed")
}
