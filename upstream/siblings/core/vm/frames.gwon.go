// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vm

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/holiman/uint256"
)

// Errors of the rules at the start of a frame (spec chain 6).
var (
	ErrBlacklisted          = errors.New("blacklisted account")
	ErrTransferToZero       = errors.New("transfer to zero address not allowed")
	ErrTransferToPrecompile = errors.New("value transfer to precompiled contract disallowed")
)

// BlacklistedError returns the error for a blacklisted account. It wraps ErrBlacklisted.
func BlacklistedError(addr common.Address) error {
	return fmt.Errorf("%w: %v", ErrBlacklisted, addr)
}

// checkBlacklist refuses a frame in which one of two accounts is blacklisted: the one that executes and the one whose
// code runs. Delegation targets do not count (spec chain 6, rows 2 and 3). It allows everything on other chains.
func (evm *EVM) checkBlacklist(executing, code common.Address) error {
	if !evm.chainRules.IsAnzeon {
		return nil
	}
	if err := evm.interrupted(); err != nil {
		return err
	}
	if pause := evm.Context.Pause; pause != nil && isLong(code) && pause(true) != nil {
		return ErrInterrupted
	}
	if evm.Accounts().IsBlacklisted(executing) {
		return BlacklistedError(executing)
	}
	if executing != code && evm.Accounts().IsBlacklisted(code) {
		return BlacklistedError(code)
	}
	return nil
}

// checkCall refuses a CALL by spec chain 6, rows 2 to 6. It includes the balance test of row 4, which upstream makes
// again after it, so that the order of the rows holds. It allows everything on other chains.
func (evm *EVM) checkCall(caller, addr common.Address, value *uint256.Int) error {
	if !evm.chainRules.IsAnzeon {
		return nil
	}
	if err := evm.checkBlacklist(caller, addr); err != nil || value.IsZero() {
		return err
	}
	if !evm.Context.CanTransfer(evm.StateDB, caller, value) {
		return ErrInsufficientBalance
	}
	if addr == (common.Address{}) {
		return ErrTransferToZero
	}
	if _, ok := evm.native(CALL, caller, addr, GasBudget{}); ok {
		return ErrTransferToPrecompile
	}
	return nil
}
