// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vm

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/params"
)

// anzeonInstructionSet is London with the additions of spec chain 2.2.
var anzeonInstructionSet = newAnzeonInstructionSet()

func newAnzeonInstructionSet() JumpTable {
	set, london := newShanghaiInstructionSet(), newLondonInstructionSet()
	enable1153(&set)
	enable5656(&set)
	enable6780(&set)
	enable7702(&set)
	set[SELFDESTRUCT].execute = opSelfdestructAnzeon
	set[CREATE].dynamicGas = chargeInitCode(london[CREATE].dynamicGas)
	set[CREATE2].dynamicGas = chargeInitCode(london[CREATE2].dynamicGas)
	interruptible(&set)
	return validate(set)
}

// chargeInitCode adds the price and the limit of init code to London's gas function of CREATE and CREATE2. Those of
// Shanghai would apply upstream's limit, which is lower (spec chain 2.2, 6.1).
func chargeInitCode(gas gasFunc) gasFunc {
	return func(evm *EVM, contract *Contract, stack *Stack, mem *Memory, memorySize uint64) (GasCosts, error) {
		costs, err := gas(evm, contract, stack, mem, memorySize)
		if err != nil {
			return GasCosts{}, err
		}
		size := stack.back(2)
		if size.GtUint64(MaxCodeSizeAnzeon) {
			return GasCosts{}, fmt.Errorf("%w: code size %v limit %d", ErrMaxInitCodeSizeExceeded, size, MaxCodeSizeAnzeon)
		}
		costs.ExecutionGas += params.InitCodeWordGas * toWordSize(size.Uint64())
		return costs, nil
	}
}

// opSelfdestructAnzeon is SELFDESTRUCT of spec chain 5, 6 and 14 no. 1: no party may be blacklisted, coins that move
// are logged also when they move to the contract itself, and "created in this transaction" means that the account did
// not exist when the transaction began.
func opSelfdestructAnzeon(_ *uint64, evm *EVM, scope *ScopeContext) ([]byte, error) {
	if evm.readOnly {
		return nil, ErrWriteProtection
	}
	var (
		this        = scope.Contract.Address()
		top         = scope.Stack.pop1()
		beneficiary = common.Address(top.Bytes20())
	)
	if err := evm.checkBlacklist(this, beneficiary); err != nil {
		return nil, err
	}
	balance := evm.StateDB.GetBalance(this).Clone()
	created := evm.Accounts().CreatedInTransaction(this)

	// A created account that names itself destroys its coins.
	if created || this != beneficiary {
		evm.StateDB.SubBalance(this, balance, tracing.BalanceDecreaseSelfdestruct)
	}
	if this != beneficiary {
		evm.StateDB.AddBalance(beneficiary, balance, tracing.BalanceIncreaseSelfdestruct)
	}
	if created {
		evm.StateDB.SelfDestruct(this)
	}
	if !balance.IsZero() {
		evm.logTransfer(this, beneficiary, balance)
	}
	if tracer := evm.Config.Tracer; tracer != nil {
		tracer.EmitEnter(evm.depth, byte(SELFDESTRUCT), this, beneficiary, []byte{}, tracing.Gas{}, balance.ToBig())
		tracer.EmitExit(evm.depth, []byte{}, tracing.Gas{}, tracing.Gas{}, nil, false)
	}
	return nil, errStopToken
}
