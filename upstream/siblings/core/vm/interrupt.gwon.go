// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vm

import (
	"errors"
	"maps"

	"github.com/ethereum/go-ethereum/common"
)

// ErrInterrupted ends frames and precompiles of an execution that was canceled.
var ErrInterrupted = errors.New("execution interrupted")

// longCallGas is the price from which on a precompile is not waited for after Cancel. The worst one takes a tenth of a
// second for it.
const longCallGas = 1_000_000

// Resume makes an EVM usable again after Cancel. Nothing may run in it, and no goroutine may be about to cancel it.
func (evm *EVM) Resume() { evm.abort.Store(false) }

// interrupted returns ErrInterrupted after Cancel. Upstream looks at Cancel in jumps only, and code may do without
// them.
func (evm *EVM) interrupted() error {
	if evm.abort.Load() {
		return ErrInterrupted
	}
	return nil
}

// interruptible makes instructions whose work depends on their operands fail after Cancel.
func interruptible(set *JumpTable) {
	for _, operation := range set {
		if gas := operation.dynamicGas; gas != nil {
			operation.dynamicGas = func(evm *EVM, contract *Contract, stack *Stack, mem *Memory,
				memorySize uint64) (GasCosts, error) {
				if err := evm.interrupted(); err != nil {
					return GasCosts{}, err
				}
				return gas(evm, contract, stack, mem, memorySize)
			}
		}
	}
}

// LongCalls runs the expensive calls of precompiles beside the EVM, so that Cancel ends the wait for them. A call that
// was given up goes on until it is done; while one does, other expensive calls fail as if interrupted.
type LongCalls struct {
	slot chan struct{}
}

// NewLongCalls returns one without a call.
func NewLongCalls() *LongCalls { return &LongCalls{make(chan struct{}, 1)} }

// Attach makes the precompiles of an EVM interruptible: over must be closed whenever the EVM is canceled. Without
// results of earlier executions the EVM takes as long for a transaction as any other node's. It does nothing on chains
// of upstream's rules.
func (l *LongCalls) Attach(evm *EVM, over func() <-chan struct{}) {
	if !evm.chainRules.IsAnzeon {
		return
	}
	set := maps.Clone(*anzeonPrecompiles(evm.chainRules))
	for addr, p := range set {
		set[addr] = &longCall{p, l, evm, over}
	}
	evm.SetPrecompiles(set)
}

// longCall is a precompile that can be given up.
type longCall struct {
	PrecompiledContract
	calls *LongCalls
	evm   *EVM
	over  func() <-chan struct{}
}

// Run executes the precompile. It returns ErrInterrupted when it was given up.
func (c *longCall) Run(input []byte) ([]byte, error) {
	if c.RequiredGas(input) < longCallGas {
		return c.PrecompiledContract.Run(input)
	}
	select {
	case c.calls.slot <- struct{}{}:
	default:
		c.evm.Cancel()
		return nil, ErrInterrupted
	}
	type result struct {
		output []byte
		err    error
	}
	done := make(chan result, 1)
	input = common.CopyBytes(input) // the caller goes on to change it
	go func() {
		defer func() { <-c.calls.slot }()
		output, err := c.PrecompiledContract.Run(input)
		done <- result{output, err}
	}()
	select {
	case r := <-done:
		return r.output, r.err
	case <-c.over():
		return nil, ErrInterrupted
	}
}
