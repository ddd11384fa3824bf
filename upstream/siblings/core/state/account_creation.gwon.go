// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package state

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// CreatedInTransaction reports whether SELFDESTRUCT deletes the account on an Anzeon chain: its object was made in this
// transaction because there was no live account, or a contract creation took place at its address (spec chain 14 item
// 1). IsNewContract is upstream's narrower rule.
func (s *StateDB) CreatedInTransaction(addr common.Address) bool {
	obj := s.getStateObject(addr)
	if obj == nil {
		return false
	}
	// The journal lives as long as the transaction, and a revert takes back what it counts.
	changes := s.journal.mutations[addr]
	return obj.newContract || changes != nil && changes.counts[journalMutationKindCreate] > 0
}

// ClearForCreation prepares an account for a contract creation at its address on an Anzeon chain: it removes the extra
// word (spec chain 4) and old storage (spec chain 14 item 2) and keeps the balance. There is no nonce or code, which
// would have been a collision. A revert restores everything.
func (s *StateDB) ClearForCreation(addr common.Address) {
	obj := s.getStateObject(addr)
	if obj == nil {
		return
	}
	if obj.data.Root != types.EmptyRootHash || len(obj.pendingStorage) > 0 || len(obj.dirtyStorage) > 0 {
		s.replaceObject(obj)
	} else if obj.data.Extra != 0 {
		obj.SetExtra(0)
	}
}

// replaceObject puts a fresh object with the same balance in the place of obj, as if obj had been destructed and made
// again: the destruct mark keeps reads from the old storage, and makes commit delete it.
func (s *StateDB) replaceObject(obj *stateObject) {
	change := objectReplacement{prev: obj}
	if _, marked := s.stateObjectsDestruct[obj.address]; !marked {
		s.stateObjectsDestruct[obj.address] = obj
		change.marked = true
	}
	s.journal.append(change)
	fresh := newObject(s, obj.address, nil)
	fresh.data.Balance.Set(obj.data.Balance)
	s.setStateObject(fresh)
}

// objectReplacement undoes replaceObject.
type objectReplacement struct {
	prev   *stateObject
	marked bool // whether the replacement set the destruct mark
}

func (ch objectReplacement) revert(s *StateDB) {
	ch.prev.db = s // in a copy of the state, prev is a copy that still belongs to the original
	s.setStateObject(ch.prev)
	if ch.marked {
		delete(s.stateObjectsDestruct, ch.prev.address)
	}
}

func (ch objectReplacement) mutation() (common.Address, journalMutationKind, bool) {
	return ch.prev.address, journalMutationKindTouch, true
}

func (ch objectReplacement) copy() journalEntry {
	return objectReplacement{prev: ch.prev.deepCopy(ch.prev.db), marked: ch.marked}
}

func (s *hookedStateDB) CreatedInTransaction(addr common.Address) bool {
	return s.inner.CreatedInTransaction(addr)
}

func (s *hookedStateDB) ClearForCreation(addr common.Address) { s.inner.ClearForCreation(addr) }
