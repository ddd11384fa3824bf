// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vm

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
)

// IsNativeManager reports whether addr is one of the two native managers of an Anzeon chain (spec chain 3).
func IsNativeManager(addr common.Address) bool {
	return addr == CoinManagerAddress || addr == AccountManagerAddress
}

// runTraced executes a permitted method inside the one frame that tracers see below the manager's own (spec rpc 4.4).
// The frame has the input and gas of the manager's and shows a movement of coins as a call with value, so that calls
// sum up to the change of balances, and a flag as a call of its account. Gas hooks are not called: no gas moves.
func (c *managerCall) runTraced(method *managerMethod, words []common.Hash, input []byte) ([]byte, error) {
	var (
		tracer               = c.evm.Config.Tracer
		depth                = c.evm.depth + 1
		kind, from, to, coin = c.effect(method, words)
		left                 = c.gas
	)
	tracer.EmitEnter(depth, byte(kind), from, to, input, c.gas.AsTracing(), coin)
	ret, err := method.run(c.evm, words)
	if err != nil {
		left.DrainExecution()
	} else {
		left.ChargeExecutionOnly(c.price)
	}
	tracer.EmitExit(depth, ret, c.gas.AsTracing(), left.AsTracing(), VMErrorFromErr(err), err != nil)
	return ret, err
}

// effect returns the kind, the two ends and the value in wei of the frame that shows a method; the value is nil for the
// methods of the account manager.
func (c *managerCall) effect(
	method *managerMethod, words []common.Hash,
) (kind OpCode, from, to common.Address, value *big.Int) {
	first := wordAddress(words[0])
	switch {
	case c.manager == AccountManagerAddress && method.holder == nil:
		return STATICCALL, c.manager, first, nil
	case c.manager == AccountManagerAddress:
		return CALL, c.manager, first, nil
	case method.name == "mint":
		return CALL, common.Address{}, first, words[1].Big()
	case method.name == "burn":
		return CALL, first, common.Address{}, words[1].Big()
	default:
		return CALL, first, wordAddress(words[1]), words[2].Big()
	}
}
