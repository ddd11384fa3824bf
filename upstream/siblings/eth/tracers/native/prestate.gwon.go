// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package native

import (
	"encoding/json"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/eth/tracers/internal"
)

// isAnzeon reports whether the traced chain is an Anzeon chain, which has delegated accounts and EIP-6780 without the
// forks that brought them elsewhere.
func (t *prestateTracer) isAnzeon() bool { return t.chainConfig.Anzeon != nil }

// lookupTransaction adds the fee payer of the transaction, the account whose code its recipient runs, and the accounts
// that a native manager reads or changes. It also marks authorities without an account as created, because such an
// account is deleted when it destructs itself in the same transaction (spec chain 14 no. 1).
func (t *prestateTracer) lookupTransaction(tx *types.Transaction) {
	if !t.isAnzeon() {
		return
	}
	t.lookupDelegation(t.to)
	if payer := tx.FeePayer(); payer != nil {
		t.lookupAccount(*payer)
	}
	t.lookupManagerInput(t.to, tx.Data())
	for _, auth := range tx.SetCodeAuthorizations() {
		if authority, err := auth.Authority(); err == nil && !t.env.StateDB.Exist(authority) {
			t.created[authority] = true
		}
	}
}

// extra returns the extra word of an account in the state as it is now (spec chain 4).
func (t *prestateTracer) extra(addr common.Address) uint64 {
	if db, ok := t.env.StateDB.(interface{ GetExtra(common.Address) uint64 }); ok {
		return db.GetExtra(addr)
	}
	return 0
}

// MarshalJSON adds the extra words to what upstream's generated code writes of accounts (spec chain 14 no. 1).
func (m stateMap) MarshalJSON() ([]byte, error) {
	shown := make(map[common.Address]json.RawMessage, len(m))
	for addr, acc := range m {
		fields, err := acc.MarshalJSON()
		if err != nil {
			return nil, err
		}
		if acc.Extra != 0 {
			fields = fields[:len(fields)-1] // without the closing brace
			if len(fields) > 1 {
				fields = append(fields, ',')
			}
			fields = append(strconv.AppendUint(append(fields, `"extra":`...), acc.Extra, 10), '}')
		}
		shown[addr] = fields
	}
	return json.Marshal(shown)
}

// codeHash returns the code hash of an account in the present state, and that of no code for an absent account. The
// zero hash of the state would be taken for a change, so that a diff had every absent account that the transaction
// names.
func (t *prestateTracer) codeHash(addr common.Address) common.Hash {
	hash := t.env.StateDB.GetCodeHash(addr)
	if hash == (common.Hash{}) && t.isAnzeon() {
		return types.EmptyCodeHash
	}
	return hash
}

// lookupDelegation adds the account whose code an account with a delegation runs.
func (t *prestateTracer) lookupDelegation(addr common.Address) {
	if target, ok := types.ParseDelegation(t.env.StateDB.GetCode(addr)); ok {
		t.lookupAccount(target)
	}
}

// lookupCall adds the account whose code the callee runs, and those that a native manager reads or changes. The stack
// is that of the call opcode and has five items at least.
func (t *prestateTracer) lookupCall(op vm.OpCode, callee common.Address, scope tracing.OpContext) {
	if !t.isAnzeon() {
		return
	}
	t.lookupDelegation(callee)
	if !vm.IsNativeManager(callee) {
		return
	}
	stack := scope.StackData()
	input := len(stack) - 3 // gas, address, input, and the value before it with two of the opcodes
	if op == vm.CALL || op == vm.CALLCODE {
		input--
	}
	offset, size := stack[input], stack[input-1]
	if !offset.IsUint64() || !size.IsUint64() || size.Uint64() < 4 {
		return
	}
	const most = 4 + 2*common.HashLength
	data, err := internal.GetMemoryCopyPadded(scope.MemoryData(), int64(offset.Uint64()), int64(min(size.Uint64(), most)))
	if err != nil {
		return // memory that the call would not get either
	}
	t.lookupManagerInput(callee, data)
}

// lookupManagerInput adds the accounts in the arguments of a call of a native manager.
func (t *prestateTracer) lookupManagerInput(manager common.Address, input []byte) {
	for _, account := range vm.ManagerAccounts(manager, input) {
		t.lookupAccount(account)
	}
}
