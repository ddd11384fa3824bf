// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package explore

import (
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/tracers"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// node is the chain as the methods see it.
type node struct {
	backend *eth.EthAPIBackend
	bounds  Bounds
}

// observer returns the tracer of a transaction, and what to do when the transaction is executed.
type observer func(*types.Transaction, *tracers.Context) (*tracers.Tracer, func(*state.StateDB) error, error)

func (n *node) signer(block *types.Block) types.Signer {
	return types.MakeSigner(n.backend.ChainConfig(), block.Number(), block.Time())
}

// block returns a block by number, tag or hash; nil if there is none. There is no pending block for explorers.
func (n *node) block(ctx context.Context, at gethrpc.BlockNumberOrHash) (*types.Block, error) {
	if number, ok := at.Number(); ok {
		if number == gethrpc.PendingBlockNumber {
			return nil, refuse(gethrpc.CodeParams, "params", "the pending block cannot be traced: give latest or a number")
		}
		return n.backend.BlockByNumber(ctx, number)
	}
	hash, _ := at.Hash()
	return n.backend.BlockByHash(ctx, hash)
}

// mined is a transaction and its place.
type mined struct {
	block *types.Block
	index int
}

// transaction finds a mined transaction; nil if there is none.
func (n *node) transaction(ctx context.Context, hash common.Hash) (*mined, error) {
	found, _, blockHash, number, index := n.backend.GetCanonicalTransaction(hash)
	if !found {
		if !n.backend.TxIndexDone() {
			return nil, eth.NewTxIndexingError()
		}
		return nil, nil
	}
	block, err := n.backend.BlockByHash(ctx, blockHash)
	if err != nil {
		return nil, err
	}
	if block == nil {
		return nil, fmt.Errorf("block %d of the transaction is not stored here", number)
	}
	return &mined{block, int(index)}, nil
}

// execute runs the transactions first to last of a block under an observer, on the state that they found.
func (n *node) execute(w *work, block *types.Block, first, last int, observe observer) error {
	if len(block.Transactions()) == 0 {
		return nil
	}
	_, environment, db, release, err := n.backend.StateAtTransaction(w, block, first)
	if err != nil {
		if w.err() != nil {
			return w.err()
		}
		return &stateError{block.NumberU64() - 1, err}
	}
	defer release()
	signer := n.signer(block)
	for i, tx := range block.Transactions()[first : last+1] {
		message, err := gethcore.TransactionToMessage(tx, signer, block.BaseFee())
		if err != nil {
			return err
		}
		place := &tracers.Context{
			BlockHash: block.Hash(), BlockNumber: block.Number(), TxIndex: first + i, TxHash: tx.Hash(),
		}
		tracer, done, err := observe(tx, place)
		if err != nil {
			return err
		}
		if err := n.apply(w, tx, message, environment, place, db, tracer, nil); err != nil {
			return err
		}
		if err := done(db); err != nil {
			return err
		}
	}
	return nil
}

var errStopped = errors.New("the trace was stopped")

// apply executes one message. The execution ends when the work has to.
func (n *node) apply(w *work, tx *types.Transaction, message *gethcore.Message, environment vm.BlockContext,
	place *tracers.Context, db *state.StateDB, tracer *tracers.Tracer, precompiles vm.PrecompiledContracts) error {
	if err := w.err(); err != nil {
		return err
	}
	hooked := state.NewHookedState(db, tracer.Hooks)
	evm := vm.NewEVM(environment, hooked, n.backend.ChainConfig(), vm.Config{Tracer: tracer.Hooks, NoBaseFee: true})
	defer evm.Release()
	evm.TakeTurns(gethrpc.PauseOf(w))
	if precompiles != nil {
		evm.SetPrecompiles(precompiles)
	}
	stopped := make(chan struct{})
	watching := context.AfterFunc(w, func() {
		tracer.Stop(errStopped)
		evm.Cancel()
		close(stopped)
	})
	db.SetTxContext(place.TxHash, place.TxIndex, uint32(place.TxIndex+1)) // #nosec G115 -- an index in a block
	_, _, err := gethcore.ApplyTransactionWithEVM(w, message, gethcore.NewGasPool(message.GasLimit), db,
		environment.BlockNumber, place.BlockHash, environment.Time, tx, evm)
	if !watching() {
		<-stopped // the EVM must not be canceled once it is released
	}
	if stop := w.err(); stop != nil {
		return stop
	}
	if err != nil {
		return fmt.Errorf("trace failed: %w", err)
	}
	return nil
}
