// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vm

import "github.com/ethereum/go-ethereum/common"

// AccountState is what an Anzeon chain asks of a state beyond upstream's needs.
type AccountState interface {
	// GetExtra and SetExtra access the extra word of an account (spec chain 4). Setting creates the account when there
	// is none, is journaled and counts as a touch.
	GetExtra(addr common.Address) uint64
	SetExtra(addr common.Address, extra uint64)

	// The flags in the extra word.
	IsBlacklisted(addr common.Address) bool
	IsAuthorized(addr common.Address) bool
	SetBlacklisted(addr common.Address, on bool)
	SetAuthorized(addr common.Address, on bool)

	// CreatedInTransaction reports whether SELFDESTRUCT deletes the account (spec chain 14 item 1).
	CreatedInTransaction(addr common.Address) bool

	// ClearForCreation leaves of an account only its balance, for a contract creation at its address (spec chain 4, 14
	// item 2).
	ClearForCreation(addr common.Address)
}

// Accounts returns the state of the frames as an Anzeon chain sees it. Every state of a chain has it; only a test
// double of upstream has not.
func (evm *EVM) Accounts() AccountState { return evm.StateDB.(AccountState) }
