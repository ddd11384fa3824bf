// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vm

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
)

// MaxCodeSizeAnzeon is the limit of deployed code, and of the init code of the CREATE opcodes, in bytes on an Anzeon
// chain (spec chain 6.1).
const MaxCodeSizeAnzeon = 253952

// initAnzeon completes a new EVM of an Anzeon chain: instruction set, random value, governed tip and transfer logs. The
// context is the EVM's own copy; the maker of the EVM gives it the header.
func (evm *EVM) initAnzeon() {
	evm.table = &anzeonInstructionSet
	evm.chainRules.IsShanghai = true // the generated loop runs PUSH0 by this rule alone (spec chain 2.2)
	evm.TakeTurns(evm.Context.Pause)

	header := evm.Context.Header
	if header == nil {
		header = new(types.Header)
	}
	// The random value is there whatever the difficulty is, 1 in sealed blocks included (spec chain 2.1).
	if evm.Context.Random == nil {
		random := header.MixDigest
		evm.Context.Random = &random
	}
	// Without a governed tip every transaction keeps its own: the rule for extra data that does not decode (spec chain
	// 7.3). A simulated block has none: its tip is what the engine would write, that in the state before it.
	tip, err := types.WBFTGasTip(header.Extra)
	if validator := evm.systemContracts().GovValidator; len(header.Extra) == 0 && validator != nil && evm.StateDB != nil {
		tip, err = evm.StateDB.GetState(validator.Address, types.GasTipSlot).Big(), nil
	}
	if err == nil {
		var overflow bool
		if evm.Context.GasTip, overflow = uint256.FromBig(tip); overflow {
			evm.Context.GasTip.SetAllOne() // above every fee cap
		}
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

// checkCodeSize checks the size in bytes of code that is to be deployed.
func (evm *EVM) checkCodeSize(size uint64) error {
	if !evm.chainRules.IsAnzeon {
		return CheckMaxCodeSize(&evm.chainRules, size)
	}
	if size > MaxCodeSizeAnzeon {
		return fmt.Errorf("%w: code size %d limit %d", ErrMaxCodeSizeExceeded, size, MaxCodeSizeAnzeon)
	}
	return nil
}

// clearForCreation clears an account but for its balance, because a contract is about to be created at its address
// (spec chain 4). Its flags stay if the configuration of the chain says so (spec chain 13 no. 3).
func (evm *EVM) clearForCreation(addr common.Address) {
	flags := evm.Accounts().GetExtra(addr)
	evm.Accounts().ClearForCreation(addr)
	if flags != 0 && evm.chainConfig.Anzeon.KeepsFlags(evm.Context.BlockNumber) {
		evm.Accounts().SetExtra(addr, flags)
	}
}
