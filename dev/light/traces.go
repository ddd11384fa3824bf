// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"context"
	"errors"

	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/tracers"
	"github.com/ethereum/go-ethereum/ethdb"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// traces has the method of the namespace debug that a simulation needs.
type traces struct{ e *Endpoint }

// TraceCall implements debug_traceCall: a trace of a call on proven state.
func (t *traces) TraceCall(ctx context.Context, call callObject, at *gethrpc.BlockNumberOrHash,
	config *tracers.TraceCallConfig,
) (any, error) {
	if config != nil && config.TxIndex != nil {
		return nil, errors.New("the state within a block is not proven: leave txIndex out")
	}
	return executed(ctx, &methods{t.e}, call, at, func(v *view, _ *eth.BlockChainAPI) (any, error) {
		return tracers.NewAPI(traced{v}).TraceCall(ctx, call.TransactionArgs, at, config)
	})
}

// traced is a view as traces see it.
type traced struct{ *view }

// ChainDb implements tracers.Backend: a call reads nothing from the database.
func (traced) ChainDb() ethdb.Database { return nil } //nolint:revive // the name of the method

// StateAtBlock implements tracers.Backend.
func (t traced) StateAtBlock(ctx context.Context, block *types.Block, _ *state.StateDB, _, _ bool) (*state.StateDB,
	tracers.StateReleaseFunc, error,
) {
	statedb, _, err := t.StateAndHeaderByNumberOrHash(ctx, gethrpc.BlockNumberOrHashWithHash(block.Hash(), false))
	return statedb, func() {}, err
}

// StateAtTransaction implements tracers.Backend.
func (traced) StateAtTransaction(context.Context, *types.Block, int) (*types.Transaction, vm.BlockContext,
	*state.StateDB, tracers.StateReleaseFunc, error,
) {
	return nil, vm.BlockContext{}, nil, nil, errors.New("the state within a block is not proven")
}
