// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package native

import (
	"encoding/binary"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/eth/tracers/internal"
)

// isAnzeon reports whether the traced chain is an Anzeon chain, which has delegated accounts and EIP-6780 without the
// forks that brought them elsewhere.
func (t *prestateTracer) isAnzeon() bool { return t.chainConfig.Anzeon != nil }

// lookupFeePayer adds the account that pays for the transaction. It also marks authorities without an account as created,
// because such an account is deleted when it destructs itself in the same transaction (spec chain 14 no. 1).
func (t *prestateTracer) lookupFeePayer(tx *types.Transaction) {
	if !t.isAnzeon() {
		return
	}
	if payer := tx.FeePayer(); payer != nil {
		t.lookupAccount(*payer)
	}
	for _, auth := range tx.SetCodeAuthorizations() {
		if authority, err := auth.Authority(); err == nil && !t.env.StateDB.Exist(authority) {
			t.created[authority] = true
		}
	}
}

// coinMoves gives for each method of the native coin manager the number of leading arguments that are accounts whose
// balance it changes (spec chain 3.1).
var coinMoves = map[uint32]int{
	0x40c10f19: 1, // mint
	0x9dc29fac: 1, // burn
	0xbeabacc8: 2, // transfer
}

// lookupCoinMove adds the accounts between which a call of the native coin manager moves coins. The stack is that of the
// call opcode and has five items at least.
func (t *prestateTracer) lookupCoinMove(op vm.OpCode, callee common.Address, scope tracing.OpContext) {
	if !t.isAnzeon() || op != vm.CALL || callee != vm.CoinManagerAddress {
		return
	}
	stack := scope.StackData()
	offset, size := stack[len(stack)-4], stack[len(stack)-5]
	if !offset.IsUint64() || !size.IsUint64() || size.Uint64() < 4 {
		return
	}
	const most = 4 + 2*common.HashLength
	input, err := internal.GetMemoryCopyPadded(scope.MemoryData(), int64(offset.Uint64()), int64(min(size.Uint64(), most)))
	if err != nil {
		return // memory that the call would not get either
	}
	for i := range coinMoves[binary.BigEndian.Uint32(input)] {
		if end := 4 + (i+1)*common.HashLength; end <= len(input) {
			t.lookupAccount(common.BytesToAddress(input[end-common.AddressLength : end]))
		}
	}
}
