// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vm

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/holiman/uint256"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// heldPrecompile waits until it may go on.
type heldPrecompile struct {
	price   uint64
	entered chan struct{}
	release chan struct{}
}

func (p *heldPrecompile) RequiredGas([]byte) uint64 { return p.price }
func (p *heldPrecompile) Name() string              { return "HELD" }
func (p *heldPrecompile) Run(input []byte) ([]byte, error) {
	p.entered <- struct{}{}
	<-p.release
	return input, nil
}

// After Cancel nothing that takes long begins any more, in code without jumps too.
func TestCancelEndsCodeWithoutJumps(t *testing.T) {
	held := common.Address{0x77}
	call := []byte{
		byte(PUSH0), byte(PUSH0), byte(PUSH0), byte(PUSH0), byte(PUSH20)}
	call = append(append(call, held[:]...), byte(GAS), byte(STATICCALL), byte(POP))
	for name, code := range map[string][]byte{
		"precompile": bytes.Repeat(call, 3),
		"hash":       {byte(PUSH0), byte(PUSH0), byte(KECCAK256), byte(PUSH1), 1, byte(PUSH0), byte(SSTORE)},
		"storage":    {byte(PUSH1), 1, byte(PUSH0), byte(SSTORE)},
		"log":        {byte(PUSH0), byte(PUSH0), byte(LOG0), byte(PUSH1), 1, byte(PUSH0), byte(SSTORE)},
		"creation":   {byte(PUSH0), byte(PUSH0), byte(PUSH0), byte(CREATE), byte(PUSH1), 1, byte(PUSH0), byte(SSTORE)},
	} {
		t.Run(name, func(t *testing.T) {
			evm, _ := anzeonTestEVM(t, 100)
			ran := make(chan struct{}, 3)
			release := make(chan struct{})
			close(release)
			evm.SetPrecompiles(PrecompiledContracts{held: &heldPrecompile{1, ran, release}})
			target := common.Address{0xc0}
			evm.StateDB.CreateAccount(target)
			evm.StateDB.SetCode(target, code, 0)
			run := func() error {
				_, _, err := evm.Call(common.Address{1}, target, nil, NewGasBudget(1_000_000, 0), new(uint256.Int))
				return err
			}
			evm.Cancel()
			assert.ErrorIs(t, run(), ErrInterrupted, "a frame begins")
			// As in the frames that have begun before.
			contract := NewContract(common.Address{1}, target, new(uint256.Int), NewGasBudget(1_000_000, 0), evm.jumpDests)
			contract.SetCallCode(common.Hash{}, code)
			_, _ = evm.Run(contract, nil, false)
			n := len(ran)
			assert.Truef(t, n == 0, "a precompile was executed %d times", n)
			assert.True(t, evm.StateDB.GetState(target, common.Hash{}) == (common.Hash{}), "the code ran to its end")
			evm.Resume()
			assert.NoError(t, run(), "after it goes on")
		})
	}
}

// An expensive precompile is given up with the transaction that calls it, and while it goes on no other one is begun.
func TestExpensiveCallIsGivenUp(t *testing.T) {
	addr := common.BytesToAddress([]byte{9})
	held := &heldPrecompile{longCallGas, make(chan struct{}, 1), make(chan struct{})}
	original := PrecompiledContractsBoho[addr]
	PrecompiledContractsBoho[addr] = held
	defer func() { PrecompiledContractsBoho[addr] = original }()

	calls := NewLongCalls()
	attach := func() (*EVM, chan struct{}) {
		evm, _ := anzeonTestEVM(t, 100)
		over := make(chan struct{})
		calls.Attach(evm, func() <-chan struct{} { return over })
		return evm, over
	}
	call := func(evm *EVM) error {
		_, _, err := evm.StaticCall(common.Address{1}, addr, []byte{1}, NewGasBudget(2*longCallGas, 0))
		return err
	}
	first, over := attach()
	ended := make(chan error)
	go func() { ended <- call(first) }()
	<-held.entered
	first.Cancel()
	close(over)
	require.ErrorIs(t, <-ended, ErrInterrupted, "given up")
	second, _ := attach()
	if err := call(second); !errors.Is(err, ErrInterrupted) || !second.Cancelled() {
		t.Errorf("beside another one: %v, canceled: %v", err, second.Cancelled())
	}
	held.release <- struct{}{}
	calls.slot <- struct{}{} // free again
	<-calls.slot
	close(held.release)
	third, _ := attach()
	assert.NoError(t, call(third), "afterwards")
}

// An execution of a given block waits for the expensive call that was given up, and leaves no call out.
func TestPatientCallsWait(t *testing.T) {
	addr := common.BytesToAddress([]byte{9})
	held := &heldPrecompile{longCallGas, make(chan struct{}, 1), make(chan struct{})}
	original := PrecompiledContractsBoho[addr]
	PrecompiledContractsBoho[addr] = held
	defer func() { PrecompiledContractsBoho[addr] = original }()

	calls := NewPatientCalls()
	call := func(ctx context.Context) (*EVM, error) {
		evm, _ := anzeonTestEVM(t, 100)
		defer evm.Watch(WithCalls(ctx, calls))()
		_, _, err := evm.StaticCall(common.Address{1}, addr, []byte{1}, NewGasBudget(2*longCallGas, 0))
		return evm, err
	}
	ended := make(chan error)
	run := func(ctx context.Context) {
		evm, err := call(ctx)
		if concluded := evm.Context.Conclude(); err != nil && !errors.Is(concluded, ErrInterrupted) {
			t.Errorf("a transaction without one of its calls is concluded: %v", concluded)
		}
		ended <- err
	}
	first, giveUp := context.WithCancel(t.Context())
	go run(first)
	<-held.entered
	giveUp()
	require.ErrorIs(t, <-ended, ErrInterrupted, "given up")
	second, giveUp := context.WithCancel(t.Context())
	go run(second)
	giveUp()
	require.ErrorIs(t, <-ended, ErrInterrupted, "while it waits")
	go run(t.Context())
	held.release <- struct{}{} // the one that was given up
	<-held.entered
	close(held.release)
	assert.NoError(t, <-ended, "after it")
}

// A precompile keeps its cached results when it can be given up.
func TestWatchedPrecompilesAreCached(t *testing.T) {
	evm, _ := anzeonTestEVM(t, 100)
	cache := NewPrecompileCache()
	evm.SetPrecompileCache(cache)
	defer evm.Watch(WithCalls(t.Context(), NewPatientCalls()))()
	numbers := make([]byte, 96) // three empty ones
	for range 2 {
		modexp := common.BytesToAddress([]byte{5})
		_, _, err := evm.StaticCall(common.Address{1}, modexp, numbers, NewGasBudget(longCallGas, 0))
		must.Do(t, err)
	}
	assert.Truef(t, len(cache.data.caches) == 1, "results of %d precompiles are cached, want 1", len(cache.data.caches))
}
