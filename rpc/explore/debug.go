// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/tracers"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// debug serves the traces of the namespace debug. Calls on this machine, by IPC, are upstream's without bounds.
type debug struct {
	*node
	upstream *tracers.API
}

// tracedTransaction is one entry of the trace of a block.
type tracedTransaction struct {
	TxHash common.Hash     `json:"txHash"`
	Result json.RawMessage `json:"result"`
}

// TraceBlockByNumber implements debug_traceBlockByNumber.
func (d *debug) TraceBlockByNumber(ctx context.Context, number gethrpc.BlockNumber,
	config *tracers.TraceConfig) (any, error) {
	if !fromNetwork(ctx) {
		return d.upstream.TraceBlockByNumber(ctx, number, config)
	}
	return d.traceBlock(ctx, gethrpc.BlockNumberOrHashWithNumber(number), config)
}

// TraceBlockByHash implements debug_traceBlockByHash.
func (d *debug) TraceBlockByHash(ctx context.Context, hash common.Hash, config *tracers.TraceConfig) (any, error) {
	if !fromNetwork(ctx) {
		return d.upstream.TraceBlockByHash(ctx, hash, config)
	}
	return d.traceBlock(ctx, gethrpc.BlockNumberOrHashWithHash(hash, false), config)
}

func (d *debug) traceBlock(ctx context.Context, at gethrpc.BlockNumberOrHash,
	config *tracers.TraceConfig) (any, error) {
	config, limit, err := parseConfig(config)
	if err != nil {
		return nil, err
	}
	block, err := d.block(ctx, at)
	switch {
	case err != nil:
		return nil, err
	case block == nil:
		return nil, fmt.Errorf("block %s not found", at.String())
	case block.NumberU64() == 0:
		return nil, errGenesis
	}
	w, end := d.bounds.begin(ctx, limit)
	defer end()
	results := make([]tracedTransaction, 0, len(block.Transactions()))
	err = d.execute(w, block, 0, len(block.Transactions())-1, d.collect(w, config, func(tx *types.Transaction,
		result json.RawMessage) error {
		results = append(results, tracedTransaction{tx.Hash(), result})
		return nil
	}))
	if err != nil {
		return nil, err
	}
	return results, nil
}

var errGenesis = refuse(gethrpc.CodeParams, "params", "the genesis block has no transactions: trace a later one")

// collect returns an observer that traces each transaction and hands over the result.
func (n *node) collect(w *work, config *tracers.TraceConfig,
	take func(*types.Transaction, json.RawMessage) error) observer {
	return func(tx *types.Transaction, place *tracers.Context) (*tracers.Tracer, func(*state.StateDB) error, error) {
		t, err := n.newTrace(w, config, place)
		if err != nil {
			return nil, nil, err
		}
		return t.Tracer, func(*state.StateDB) error {
			result, err := t.result()
			if err != nil {
				return err
			}
			return take(tx, result)
		}, nil
	}
}

// TraceTransaction implements debug_traceTransaction.
func (d *debug) TraceTransaction(ctx context.Context, hash common.Hash, config *tracers.TraceConfig) (any, error) {
	if !fromNetwork(ctx) {
		return d.upstream.TraceTransaction(ctx, hash, config)
	}
	config, limit, err := parseConfig(config)
	if err != nil {
		return nil, err
	}
	found, err := d.transaction(ctx, hash)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, errUnknownTransaction
	}
	w, end := d.bounds.begin(ctx, limit)
	defer end()
	var trace json.RawMessage
	err = d.execute(w, found.block, found.index, found.index, d.collect(w, config,
		func(_ *types.Transaction, result json.RawMessage) error {
			trace = result
			return nil
		}))
	return trace, err
}

var errUnknownTransaction = fmt.Errorf("transaction not found: it is not mined, or its index is older than " +
	"--history.transactions")

// TraceCall implements debug_traceCall on the state after a block, by default the latest one.
func (d *debug) TraceCall(ctx context.Context, args eth.TransactionArgs, at *gethrpc.BlockNumberOrHash,
	config *tracers.TraceCallConfig) (any, error) {
	if !fromNetwork(ctx) {
		return d.upstream.TraceCall(ctx, args, at, config)
	}
	if config == nil {
		config = new(tracers.TraceCallConfig)
	}
	_, limit, err := parseConfig(&config.TraceConfig)
	if err != nil {
		return nil, err
	}
	if at == nil {
		latest := gethrpc.BlockNumberOrHashWithNumber(gethrpc.LatestBlockNumber)
		at = &latest
	}
	block, err := d.block(ctx, *at)
	if err != nil {
		return nil, err
	}
	if block == nil {
		return nil, fmt.Errorf("block %s not found", at.String())
	}
	w, end := d.bounds.begin(ctx, limit)
	defer end()
	db, release, err := d.stateOfCall(w, block, config)
	if err != nil {
		return nil, err
	}
	defer release()
	return d.traceCall(w, args, block, db, config)
}

// stateOfCall returns the state after a block, or before one of its transactions.
func (d *debug) stateOfCall(w *work, block *types.Block, config *tracers.TraceCallConfig) (
	db *state.StateDB, release tracers.StateReleaseFunc, err error) {
	if config.TxIndex == nil {
		db, release, err = d.backend.StateAtBlock(w, block, nil, true, false)
	} else if index := int(*config.TxIndex); index >= len(block.Transactions()) { // #nosec G115 -- checked
		return nil, nil, refuse(gethrpc.CodeParams, "params", "txIndex is %d, block %d has %d transactions: give a lower one",
			index, block.NumberU64(), len(block.Transactions()))
	} else {
		_, _, db, release, err = d.backend.StateAtTransaction(w, block, index)
	}
	if err != nil {
		return nil, nil, &stateError{block.NumberU64(), err}
	}
	return db, release, nil
}

// traceCall executes a call on a state.
func (d *debug) traceCall(w *work, args eth.TransactionArgs, block *types.Block, db *state.StateDB,
	config *tracers.TraceCallConfig) (any, error) {
	chain := d.backend.BlockChain()
	header := block.Header()
	environment := gethcore.NewEVMBlockContext(header, chain, nil)
	if next := config.BlockOverrides; next != nil && next.Number != nil &&
		next.Number.ToInt().Cmp(new(big.Int).Add(header.Number, common.Big1)) == 0 {
		// A call in the next block finds the hash of this one.
		header.ParentHash, header.Number = block.Hash(), next.Number.ToInt()
		environment = gethcore.NewEVMBlockContext(header, chain, nil)
	}
	if err := config.BlockOverrides.Apply(&environment); err != nil {
		return nil, err
	}
	rules := chain.Config().Rules(environment.BlockNumber, environment.Random != nil, environment.Time)
	precompiles := vm.ActivePrecompiledContracts(rules)
	if err := config.StateOverrides.Apply(db, precompiles); err != nil {
		return nil, err
	}
	most := d.bounds.Gas
	if limit := d.backend.RPCGasCap(); limit != 0 {
		most = min(most, limit)
	}
	if err := args.CallDefaults(most, environment.BaseFee, chain.Config().ChainID); err != nil {
		return nil, err
	}
	message := args.ToMessage(environment.BaseFee, true).SkipExecutionGasCapCheck()
	if message.GasPrice.Sign() == 0 {
		environment.BaseFee = new(big.Int) // a call without a price pays nothing
	}
	place := new(tracers.Context)
	t, err := d.newTrace(w, &config.TraceConfig, place)
	if err != nil {
		return nil, err
	}
	tx := args.ToTransaction(types.DynamicFeeTxType)
	if err := d.apply(w, tx, message, environment, place, db, t.Tracer, precompiles); err != nil {
		return nil, err
	}
	return t.result()
}
