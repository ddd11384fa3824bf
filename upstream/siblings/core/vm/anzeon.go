// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vm

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
)

// MaxCodeSizeAnzeon is the limit of deployed code, and of the init code of the CREATE opcodes, in bytes on an Anzeon chain
// (spec chain 6.1).
const MaxCodeSizeAnzeon = 253952

// initAnzeon completes a new EVM of an Anzeon chain: instruction set, random value and transfer logs. The context is the
// EVM's own copy.
func (evm *EVM) initAnzeon() {
	evm.table = &anzeonInstructionSet

	// The random value is there whatever the difficulty is, 1 in sealed blocks included (spec chain 2.1).
	if evm.Context.Random == nil {
		random := new(common.Hash)
		if evm.Context.Header != nil {
			*random = evm.Context.Header.MixDigest
		}
		evm.Context.Random = random
	}
	adapter := evm.systemContracts().NativeCoinAdapter
	if adapter == nil {
		return
	}
	transfer, emitter, number := evm.Context.Transfer, adapter.Address, evm.Context.BlockNumber.Uint64()
	evm.Context.Transfer = func(db StateDB, from, to common.Address, amount *uint256.Int, rules *params.Rules) {
		transfer(db, from, to, amount, rules)
		if !amount.IsZero() {
			db.AddLog(transferLog(emitter, number, from, to, amount))
		}
	}
}

// systemContracts returns the system contracts in force in the block that runs.
func (evm *EVM) systemContracts() params.SystemContracts {
	number := evm.Context.BlockNumber
	if number == nil || !number.IsUint64() {
		return params.SystemContracts{}
	}
	return evm.chainConfig.SystemContractsAt(number.Uint64())
}

// checkMaxCodeSizeAnzeon checks the size of code that is to be deployed.
func checkMaxCodeSizeAnzeon(size uint64) error {
	if size > MaxCodeSizeAnzeon {
		return fmt.Errorf("%w: code size %d limit %d", ErrMaxCodeSizeExceeded, size, MaxCodeSizeAnzeon)
	}
	return nil
}
