// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vm

import (
	"context"
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
// them. A call that takes turns with others pauses here.
func (evm *EVM) interrupted() error {
	if evm.abort.Load() {
		return ErrInterrupted
	}
	if pause := evm.Context.Pause; pause != nil && pause(false) != nil {
		return ErrInterrupted
	}
	return nil
}

// pausingSet is the instruction set of calls that take turns with others: also jumps look whether it is time to pause.
var pausingSet = newPausingSet()

func newPausingSet() *JumpTable {
	set := copyJumpTable(&anzeonInstructionSet)
	for _, op := range []OpCode{JUMP, JUMPI} {
		execute := set[op].execute
		set[op].execute = func(pc *uint64, evm *EVM, scope *ScopeContext) ([]byte, error) {
			if err := evm.interrupted(); err != nil {
				return nil, err
			}
			return execute(pc, evm, scope)
		}
	}
	return set
}

// isLong reports whether the work of a precompile depends on its input, and cannot pause: modexp, pairings, blake2f,
// point evaluation and what follows.
func isLong(addr common.Address) bool {
	last := addr[common.AddressLength-1]
	return (last == 5 || last >= 8 && last <= 0x11) && addr == common.BytesToAddress([]byte{last})
}

// TakeTurns has the EVM call pause often, whose error ends the execution. With long the rest is one of the long calls.
// It does nothing without pause, nor on chains of upstream's rules. The loop that is generated does not look at the
// instruction set for jumps.
func (evm *EVM) TakeTurns(pause func(long bool) error) {
	if pause == nil || !evm.chainRules.IsAnzeon {
		return
	}
	evm.Context.Pause = pause
	evm.table, evm.forceTableLoop = pausingSet, true
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
// was given up continues until it is done. Only one such call runs at a time.
type LongCalls struct {
	slot    chan struct{}
	patient bool // an expensive call waits for the one that was given up; otherwise it fails as if interrupted
}

// NewLongCalls returns LongCalls for block building, where a transaction can be left out.
func NewLongCalls() *LongCalls { return &LongCalls{slot: make(chan struct{}, 1)} }

// NewPatientCalls returns LongCalls for the execution of given blocks, where every call counts.
func NewPatientCalls() *LongCalls { return &LongCalls{slot: make(chan struct{}, 1), patient: true} }

// callsKey is the key of LongCalls in a context.
type callsKey struct{}

// WithCalls returns a context that ends the execution of a block with itself, with calls for the precompiles.
func WithCalls(ctx context.Context, calls *LongCalls) context.Context {
	return context.WithValue(ctx, callsKey{}, calls)
}

// Watch interrupts the EVM when a context of WithCalls ends. The transaction under way and all later ones then fail
// with ErrInterrupted. The caller calls release after the execution. Watch does nothing with any other context, nor on
// chains of upstream's rules.
func (evm *EVM) Watch(ctx context.Context) (release func()) {
	calls, ok := ctx.Value(callsKey{}).(*LongCalls)
	if !ok || !evm.chainRules.IsAnzeon {
		return func() {}
	}
	cache := evm.precompileCache // of pure results, which a wrapped precompile has too
	calls.Attach(evm, ctx.Done)
	evm.precompileCache = cache
	evm.Context.Conclude = evm.interrupted
	stop := context.AfterFunc(ctx, evm.Cancel)
	return func() { stop() }
}

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
	if !c.enter() {
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
		c.evm.Cancel() // before the caller concludes the transaction
		return nil, ErrInterrupted
	}
}

// enter takes the slot for expensive calls and reports whether it did.
func (c *longCall) enter() bool {
	if c.calls.patient {
		select {
		case c.calls.slot <- struct{}{}:
			return true
		case <-c.over():
			return false
		}
	}
	select {
	case c.calls.slot <- struct{}{}:
		return true
	default:
		return false
	}
}

// Cacheable implements CacheablePrecompile for the wrapped precompile.
func (c *longCall) Cacheable() bool {
	inner, ok := c.PrecompiledContract.(CacheablePrecompile)
	return ok && inner.Cacheable()
}

// NormalizeInput implements NormalizingPrecompile for the wrapped precompile.
func (c *longCall) NormalizeInput(input []byte) ([]byte, bool) {
	if inner, ok := c.PrecompiledContract.(NormalizingPrecompile); ok {
		return inner.NormalizeInput(input)
	}
	return input, true
}
