// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package state

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// extraChange undoes a change of an account's extra word.
type extraChange struct {
	account common.Address
	prev    uint64
}

func (ch extraChange) revert(s *StateDB) {
	s.getStateObject(ch.account).data.Extra = ch.prev
}

// mutation reports a touch: the account then takes part in Finalise, which writes it, or deletes it when it is empty.
func (ch extraChange) mutation() (common.Address, journalMutationKind, bool) {
	return ch.account, journalMutationKindTouch, true
}

func (ch extraChange) copy() journalEntry { return ch }

// SetExtra sets the extra word. Setting it to its present value still touches the account. The touch of an empty
// account is one like any other for upstream's journal, also for touches that outlive their revert (spec chain 3.2).
func (s *stateObject) SetExtra(extra uint64) {
	if s.empty() && extra == 0 {
		s.touch()
		return
	}
	s.db.journal.append(extraChange{s.address, s.data.Extra})
	s.data.Extra = extra
}

// GetExtra returns the extra word of the account, 0 when there is no account (spec chain 4).
func (s *StateDB) GetExtra(addr common.Address) uint64 {
	if obj := s.getStateObject(addr); obj != nil {
		return obj.data.Extra
	}
	return 0
}

// SetExtra sets the extra word of the account and creates the account when there is none. The change is journaled and
// counts as a touch in the sense of EIP-161.
func (s *StateDB) SetExtra(addr common.Address, extra uint64) {
	if obj := s.getOrNewStateObject(addr); obj != nil {
		obj.SetExtra(extra)
	}
}

// IsBlacklisted reports whether the account carries the blacklist flag.
func (s *StateDB) IsBlacklisted(addr common.Address) bool {
	return s.GetExtra(addr)&types.AccountBlacklisted != 0
}

// IsAuthorized reports whether the account carries the flag of authorized accounts.
func (s *StateDB) IsAuthorized(addr common.Address) bool {
	return s.GetExtra(addr)&types.AccountAuthorized != 0
}

// SetBlacklisted sets or clears the blacklist flag, as SetExtra does.
func (s *StateDB) SetBlacklisted(addr common.Address, on bool) {
	s.SetExtra(addr, withFlag(s.GetExtra(addr), types.AccountBlacklisted, on))
}

// SetAuthorized sets or clears the flag of authorized accounts, as SetExtra does.
func (s *StateDB) SetAuthorized(addr common.Address, on bool) {
	s.SetExtra(addr, withFlag(s.GetExtra(addr), types.AccountAuthorized, on))
}

func withFlag(extra, flag uint64, on bool) uint64 {
	if on {
		return extra | flag
	}
	return extra &^ flag
}

// The same for a state with tracing hooks; there is no hook for the extra word.

func (s *hookedStateDB) GetExtra(addr common.Address) uint64        { return s.inner.GetExtra(addr) }
func (s *hookedStateDB) SetExtra(addr common.Address, extra uint64) { s.inner.SetExtra(addr, extra) }
func (s *hookedStateDB) IsBlacklisted(addr common.Address) bool     { return s.inner.IsBlacklisted(addr) }
func (s *hookedStateDB) IsAuthorized(addr common.Address) bool      { return s.inner.IsAuthorized(addr) }

func (s *hookedStateDB) SetBlacklisted(addr common.Address, on bool) {
	s.inner.SetBlacklisted(addr, on)
}

func (s *hookedStateDB) SetAuthorized(addr common.Address, on bool) { s.inner.SetAuthorized(addr, on) }

// GetExtra returns the extra word to tracers that ask for it.
func (v *tracerView) GetExtra(addr common.Address) uint64 {
	if db, ok := v.db.(interface{ GetExtra(common.Address) uint64 }); ok {
		defer v.suspendAccessList()()
		return db.GetExtra(addr)
	}
	return 0
}
