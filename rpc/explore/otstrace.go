// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package explore

import (
	"context"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/eth/tracers"
)

// frame is one call of a transaction, in the form of ots_traceTransaction.
type frame struct {
	Type   string         `json:"type"`
	Depth  int            `json:"depth"`
	From   common.Address `json:"from"`
	To     common.Address `json:"to"`
	Value  *hexutil.Big   `json:"value"` // null for calls that cannot move any
	Input  hexutil.Bytes  `json:"input"`
	Output hexutil.Bytes  `json:"output"`

	kind vm.OpCode
	lost bool // the call failed, or one that contains it
}

// frames records the calls of a transaction in their order.
type frames struct {
	work *work
	data bool // inputs and outputs are wanted
	all  []*frame
	open []int // indexes of the calls that run
}

// record returns a tracer that records frames.
func record(w *work, data bool) (*frames, *tracers.Tracer) {
	f := &frames{work: w, data: data}
	return f, &tracers.Tracer{
		Hooks: &tracing.Hooks{OnEnter: f.enter, OnExit: f.exit},
		Stop:  func(error) {}, // the work ends, and the execution with it
	}
}

func (f *frames) hold(bytes int) bool {
	err := f.work.spend(bytes)
	if err != nil {
		f.work.cease(err)
	}
	return err == nil
}

func (f *frames) enter(depth int, kind byte, from, to common.Address, input []byte, _ uint64, value *big.Int) {
	f.open = append(f.open, len(f.all))
	entry := &frame{Type: vm.OpCode(kind).String(), Depth: depth, From: from, To: to, kind: vm.OpCode(kind)}
	size := frameSize
	if f.data {
		size += 2 * len(input)
	}
	if !f.hold(size) {
		f.all = append(f.all, entry)
		return
	}
	if value != nil && entry.kind != vm.DELEGATECALL && entry.kind != vm.STATICCALL {
		entry.Value = (*hexutil.Big)(new(big.Int).Set(value))
	}
	if f.data {
		entry.Input = common.CopyBytes(input)
	}
	f.all = append(f.all, entry)
}

func (f *frames) exit(_ int, output []byte, _ uint64, _ error, reverted bool) {
	if len(f.open) == 0 {
		return
	}
	index := f.open[len(f.open)-1]
	f.open = f.open[:len(f.open)-1]
	if reverted {
		for _, entry := range f.all[index:] {
			entry.lost = true
		}
	}
	if (f.data || index == 0) && f.hold(2*len(output)) {
		f.all[index].Output = common.CopyBytes(output)
	}
}

// framesOf executes a transaction and returns its frames; nil for one that is not mined.
func (o *otterscan) framesOf(ctx context.Context, hash common.Hash, data bool) ([]*frame, error) {
	found, err := o.transaction(ctx, hash)
	if err != nil || found == nil {
		return nil, err
	}
	w, end := o.bounds.begin(ctx, 0)
	defer end()
	f, tracer := record(w, data)
	err = o.execute(w, found.block, found.index, found.index,
		func(*types.Transaction, *tracers.Context) (*tracers.Tracer, func(*state.StateDB) error, error) {
			return tracer, func(*state.StateDB) error { return nil }, nil
		})
	if err != nil {
		return nil, err
	}
	return f.all, nil
}

// TraceTransaction implements ots_traceTransaction; null for a transaction that is not mined.
func (o *otterscan) TraceTransaction(ctx context.Context, hash common.Hash) ([]*frame, error) {
	return o.framesOf(ctx, hash, true)
}

// operation is a movement of coins, a creation or a destruction within a transaction.
type operation struct {
	Type  int            `json:"type"` // 0 transfer, 1 self-destruction, 2 CREATE, 3 CREATE2
	From  common.Address `json:"from"`
	To    common.Address `json:"to"`
	Value *hexutil.Big   `json:"value"`
}

// GetInternalOperations implements ots_getInternalOperations. What was reverted is left out: it moved nothing.
func (o *otterscan) GetInternalOperations(ctx context.Context, hash common.Hash) ([]operation, error) {
	all, err := o.framesOf(ctx, hash, false)
	if err != nil {
		return nil, err
	}
	kinds := map[vm.OpCode]int{vm.CALL: 0, vm.SELFDESTRUCT: 1, vm.CREATE: 2, vm.CREATE2: 3}
	operations := []operation{}
	for _, f := range all {
		kind, ok := kinds[f.kind]
		if !ok || f.Depth == 0 || f.lost || f.kind == vm.CALL && (f.Value == nil || f.Value.ToInt().Sign() == 0) {
			continue
		}
		value := f.Value
		if value == nil {
			value = new(hexutil.Big)
		}
		operations = append(operations, operation{kind, f.From, f.To, value})
	}
	return operations, nil
}

// GetTransactionError implements ots_getTransactionError: what a failed transaction returned, 0x for any other.
func (o *otterscan) GetTransactionError(ctx context.Context, hash common.Hash) (hexutil.Bytes, error) {
	all, err := o.framesOf(ctx, hash, false)
	if err != nil || len(all) == 0 || !all[0].lost {
		return hexutil.Bytes{}, err
	}
	return append(hexutil.Bytes{}, all[0].Output...), nil
}
