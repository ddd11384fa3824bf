// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package miner

import (
	"context"
	"fmt"
	"math/big"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/txorder"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"
)

// Task says which block to build.
type Task struct {
	ParentHash common.Hash
	Timestamp  uint64         // seconds; must exceed that of the parent, the engine may raise it
	Coinbase   common.Address // must be what the engine puts into the header
	GasTip     *big.Int       // governed tip in wei that the header will carry

	// Authorized reports whether a sender pays its own tip instead of the governed one (spec transactions 3.3), in the
	// state of the parent. Nil means that none does.
	Authorized func(common.Address) bool

	// Accept may refuse a transaction, which is then left out together with the later ones of its sender. Nil accepts all.
	// The signature of a fee payer is checked in any case.
	Accept func(*types.Transaction) error
}

// Stopper ends the building of a block early, with the transactions that are in it by then.
type Stopper struct{ flag atomic.Int32 }

// Stop makes the build that uses s finish its block as far as it got. A build that begins afterwards makes an empty block.
func (s *Stopper) Stop() { s.flag.CompareAndSwap(commitInterruptNone, commitInterruptResubmit) }

// BuildProposal builds the block of task from the pool and returns it executed, without seals. Order and choice of the
// transactions follow spec transactions 3.7. When ctx ends, the block is dropped and the error is that of ctx. Stopper may be
// nil.
func (miner *Miner) BuildProposal(ctx context.Context, task Task, stopper *Stopper) (*core.Executed, error) {
	if stopper == nil {
		stopper = new(Stopper)
	}
	work, err := miner.prepareWork(ctx, &generateParams{
		timestamp:  task.Timestamp,
		forceTime:  true,
		parentHash: task.ParentHash,
		coinbase:   task.Coinbase,
	}, false)
	if err != nil {
		return nil, fmt.Errorf("prepare block on %x: %w", task.ParentHash, err)
	}
	defer work.discard()

	if work.header.Coinbase != task.Coinbase {
		return nil, fmt.Errorf("the engine wants coinbase %v, the task says %v", work.header.Coinbase, task.Coinbase)
	}
	unlink := context.AfterFunc(ctx, func() { stopper.flag.Store(commitInterruptNewHead) })
	defer unlink()

	none := txorder.NewTransactionsByPriceAndNonce(work.signer, nil, work.header.BaseFee)
	for _, batch := range miner.batches(work, &task) {
		ordered := txorder.NewTransactionsByPriceAndNonce(work.signer, batch, work.header.BaseFee)
		// The only error is that the build was stopped, and the flag says so again below.
		if miner.commitTransactions(ctx, work, ordered, none, &stopper.flag) != nil {
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	body := &types.Body{Transactions: work.txs}
	if err := consensus.Assemble(miner.engine, miner.chain, work.header, work.state, body); err != nil {
		return nil, fmt.Errorf("assemble block %d: %w", work.header.Number, err)
	}
	block := core.AssembleBlock(miner.chain, work.header, work.state, body, work.receipts, work.bal)
	if err := work.state.Error(); err != nil {
		return nil, fmt.Errorf("%w: %w", errStateReadFailure, err)
	}
	return core.NewExecuted(block, work.receipts, work.state), nil
}

// batches returns the pending transactions by sender in the four groups that are taken one after the other: the operator's
// own senders before others, and in both authorized ones before normal ones. Inside a group the tip decides, and since the
// tip of every normal sender is the governed one, arrival time decides among those.
func (miner *Miner) batches(work *environment, task *Task) [4]map[common.Address][]*txpool.LazyTransaction {
	miner.confMu.RLock()
	local := make(map[common.Address]bool, len(miner.prio))
	for _, addr := range miner.prio {
		local[addr] = true
	}
	miner.confMu.RUnlock()

	governed := new(uint256.Int)
	if task.GasTip != nil && governed.SetFromBig(task.GasTip) {
		governed.SetAllOne() // wider than 256 bits: nobody can pay it
	}
	var baseFee *uint256.Int
	if work.header.BaseFee != nil {
		baseFee = uint256.MustFromBig(work.header.BaseFee)
	}
	var batches [4]map[common.Address][]*txpool.LazyTransaction
	for i := range batches {
		batches[i] = make(map[common.Address][]*txpool.LazyTransaction)
	}
	pending, _ := miner.txpool.Pending(txpool.PendingFilter{})
	for sender, txs := range pending {
		var (
			authorized = task.Authorized != nil && task.Authorized(sender)
			batch      = 0
		)
		if !local[sender] {
			batch += 2
		}
		if !authorized {
			batch++
		}
		for i, tx := range txs {
			if !authorized {
				tx.GasTipCap = governed
			}
			if !local[sender] && !paysTip(tx, baseFee, governed) {
				txs = txs[:i]
				break
			}
			tx.Pool, tx.Tx = &checked{tx.Pool, tx.Tx, work.signer, task.Accept}, nil
		}
		if len(txs) > 0 {
			batches[batch][sender] = txs
		}
	}
	return batches
}

// paysTip reports whether a transaction leaves at least the given tip per gas above the base fee.
func paysTip(tx *txpool.LazyTransaction, baseFee, tip *uint256.Int) bool {
	if tx.GasTipCap.Lt(tip) {
		return false
	}
	if baseFee == nil {
		return true
	}
	left, underflow := new(uint256.Int).SubOverflow(tx.GasFeeCap, baseFee)
	return !underflow && !left.Lt(tip)
}

// checked resolves a transaction only when its fee payer has signed it and it is accepted. The builder skips the sender of
// one that it cannot resolve. The check is made that late because it may cost a signature recovery and most pending
// transactions are never reached.
type checked struct {
	pool   txpool.LazyResolver
	tx     *types.Transaction // nil if it must be fetched from the pool
	signer types.Signer
	accept func(*types.Transaction) error // nil accepts all
}

// Get implements txpool.LazyResolver.
func (c *checked) Get(hash common.Hash) *types.Transaction {
	tx := c.tx
	if tx == nil {
		tx = c.pool.Get(hash)
	}
	if tx == nil || types.VerifyFeePayer(c.signer, tx) != nil || c.accept != nil && c.accept(tx) != nil {
		return nil
	}
	return tx
}
