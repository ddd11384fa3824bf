// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vm

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"
)

// transferTopic is the first topic of the logs of coin movements (spec chain 5): the Keccak-256 of
// "Transfer(address,address,uint256)".
var transferTopic = common.HexToHash("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")

// transferLog returns the log of a coin movement (spec chain 5). The emitter is the NativeCoinAdapter of the
// configuration.
func transferLog(emitter common.Address, number uint64, from, to common.Address, amount *uint256.Int) *types.Log {
	// The parts live and die with the log, and every transfer makes one: they share its allocation.
	l := new(struct {
		log    types.Log
		topics [3]common.Hash
		data   [32]byte
	})
	l.topics[0] = transferTopic
	copy(l.topics[1][12:], from[:])
	copy(l.topics[2][12:], to[:])
	amount.WriteToArray32(&l.data)
	l.log = types.Log{Address: emitter, Topics: l.topics[:], Data: l.data[:], BlockNumber: number}
	return &l.log
}

// logTransfer adds the log of a movement that did not go through Context.Transfer.
func (evm *EVM) logTransfer(from, to common.Address, amount *uint256.Int) {
	if adapter := evm.systemContracts().NativeCoinAdapter; adapter != nil {
		evm.StateDB.AddLog(transferLog(adapter.Address, evm.Context.BlockNumber.Uint64(), from, to, amount))
	}
}
