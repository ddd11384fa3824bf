// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package miner

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/txorder"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/params"
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

	// Accept may refuse a transaction, which is then left out together with the later ones of its sender. Nil accepts
	// all. The signature of a fee payer is checked in any case.
	Accept func(*types.Transaction) error

	Bounds
}

// BuildProposal builds the block of task from the pool and returns it executed, without seals. Order and choice of the
// transactions follow spec transactions 3.7. When ctx ends, the block is dropped and the error is that of ctx. Stopper
// may be nil.
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
	unlink := context.AfterFunc(ctx, func() { stopper.stop(commitInterruptNewHead) })
	defer unlink()

	fill := newFilling(miner, work, &task, stopper)
	batches := miner.batches(work, &task)
	for i, batch := range batches {
		fill.last = i == len(batches)-1
		fill.from(ctx, txorder.NewTransactionsByPriceAndNonce(work.signer, batch, work.header.BaseFee))
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
	executed := core.NewExecuted(block, work.receipts, work.state)
	executed.Wasted = fill.wasted.all
	return executed, nil
}

// filling puts transactions into a block within the bounds of a task.
type filling struct {
	miner   *Miner
	work    *environment
	task    *Task
	stopper *Stopper

	tx           common.Hash // that is being executed
	watched      bool        // it is timed
	last         bool        // those taken are the last ones
	proven       bool        // its sender is
	wasted       waste       // on watched transactions that were executed in vain
	receiptBytes uint64      // of the transactions in the block
	added        uint64      // of the transaction that is being concluded
}

// waste is the time that went into transactions which are not in the block. A transaction counts for the limit at most:
// what is longer is the time that ending it takes.
type waste struct{ others, proven, all time.Duration }

func (w *waste) add(proven bool, took, limit time.Duration) {
	w.all += took
	if limit > 0 {
		took = min(took, limit)
	}
	if proven {
		w.proven += took
	} else {
		w.others += took
	}
}

// spent reports whether no more transactions of a kind of sender may be executed in vain.
func (w *waste) spent(proven bool, limit time.Duration) bool {
	switch {
	case limit <= 0:
		return false
	case proven:
		return w.proven >= wasteOfProven*limit
	}
	return w.others >= wasteOfOthers*limit
}

func newFilling(miner *Miner, work *environment, task *Task, stopper *Stopper) *filling {
	f := &filling{miner: miner, work: work, task: task, stopper: stopper}
	work.evm.Context.Conclude = f.conclude
	if task.Calls != nil {
		task.Calls.Attach(work.evm, stopper.ended)
	}
	return f
}

// conclude refuses a transaction that was ended, or that makes the receipts too large, before its result counts.
func (f *filling) conclude() error {
	if f.watched && f.work.evm.Cancelled() {
		return errTooLong
	}
	header := f.work.header
	f.added = receiptBytes(f.work.state.GetLogs(f.tx, header.Number.Uint64(), common.Hash{}, header.Time))
	switch limit := f.task.ReceiptBytes; {
	case limit > 0 && f.added > limit:
		return errAllReceipts
	case limit > 0 && f.receiptBytes+f.added > limit:
		return errReceipts
	}
	return nil
}

// from takes transactions in their order until there are no more, the block is full or the build was stopped. After a
// transaction that does not fit or fails, its sender is skipped because the later nonces need the earlier one.
func (f *filling) from(ctx context.Context, txs *txorder.TransactionsByPriceAndNonce) {
	work := f.work
	for {
		if f.stopper.stopped() || work.gasPool.Available(false) < params.TxGas || f.receiptsFull() {
			return
		}
		lazy, _ := txs.Peek()
		if lazy == nil {
			return
		}
		if work.gasPool.Available(false) < lazy.Gas {
			txs.Pop()
			continue
		}
		watched := lazy.Gas > WatchedGas
		tx := lazy.Resolve()
		if tx == nil || watched && f.mayNot(tx) || !f.fits(tx) {
			txs.Pop()
			continue
		}
		if err := f.take(ctx, tx, watched); err == nil || errors.Is(err, core.ErrNonceTooLow) {
			txs.Shift() // what the pool has not yet seen in a block does not hold up what follows
		} else {
			log.Debug("Transaction left out, sender skipped", "hash", tx.Hash(), "err", err)
			txs.Pop()
		}
	}
}

// fits reports whether a transaction leaves the block within upstream's limit of bytes and within that of the task.
func (f *filling) fits(tx *types.Transaction) bool {
	return f.work.txFitsSize(tx) && (f.task.Bytes == 0 || f.work.size+tx.Size() <= f.task.Bytes)
}

// mayNot reports whether a watched transaction is not taken because others like it have been executed in vain. It notes
// the kind of its sender.
func (f *filling) mayNot(tx *types.Transaction) bool {
	sender, _ := types.Sender(f.work.signer, tx) // the pool has checked it
	f.proven = f.task.Standing != nil && f.task.Standing(sender) == Proven
	return f.wasted.spent(f.proven, f.task.Time)
}

// receiptsFull reports whether the receipts leave no room for what a transaction may log that is not watched.
func (f *filling) receiptsFull() bool {
	limit := f.task.ReceiptBytes
	return limit > 0 && f.receiptBytes+WatchedGas/params.LogDataGas > limit
}

// take executes a transaction and puts it into the block. After an error nothing of it is left.
func (f *filling) take(ctx context.Context, tx *types.Transaction, watched bool) error {
	f.work.state.SetTxContext(tx.Hash(), f.work.tcount, uint32(f.work.tcount+1))
	f.tx, f.watched = tx.Hash(), watched
	if !watched {
		return f.commit(ctx, tx)
	}
	limit := f.task.Time
	if f.last {
		limit = 0
	}
	sender, _ := types.Sender(f.work.signer, tx) // the pool has checked it
	start := time.Now()
	release := f.stopper.watch(f.work.evm, limit)
	err := f.commit(ctx, tx)
	release()
	took := time.Since(start)
	switch {
	case err == nil && f.task.Included != nil:
		f.task.Included(sender, tx.Hash(), took)
	case errors.Is(err, errTooLong) && took < f.task.Time:
		// The time for building has ended, or another long call is still running: neither is the transaction's fault.
		f.wasted.all += took
	case errors.Is(err, errTooLong):
		f.wasted.add(f.proven, took, f.task.Time)
		f.exclude(sender, tx.Hash(), took, TooLong)
	case errors.Is(err, errReceipts):
		f.wasted.add(f.proven, took, f.task.Time)
	case errors.Is(err, errAllReceipts):
		f.wasted.add(f.proven, took, f.task.Time)
		f.exclude(sender, tx.Hash(), took, TooManyReceipts)
	}
	return err
}

func (f *filling) exclude(sender common.Address, hash common.Hash, took time.Duration, reason Reason) {
	if f.task.Excluded != nil {
		f.task.Excluded(sender, hash, took, reason)
	}
}

func (f *filling) commit(ctx context.Context, tx *types.Transaction) error {
	err := f.miner.commitTransaction(ctx, f.work, tx)
	if err == nil {
		f.receiptBytes += f.added
	}
	return err
}

// batches returns the pending transactions by sender in the five groups that are taken one after the other. Four are
// the operator's own senders before others, and in both authorized ones before normal ones; the fifth has standing
// Last. Inside a group the tip decides, and among normal senders, whose tip is the governed one, the time of arrival.
func (miner *Miner) batches(work *environment, task *Task) [5]map[common.Address][]*txpool.LazyTransaction {
	miner.confMu.RLock()
	local := make(map[common.Address]bool, len(miner.prio))
	for _, addr := range miner.prio {
		local[addr] = true
	}
	miner.confMu.RUnlock()

	governed := new(uint256.Int)
	if task.GasTip != nil && governed.SetFromBig(task.GasTip) {
		governed.SetAllOne() // wider than 256 bits: no account can pay it
	}
	var baseFee *uint256.Int
	if work.header.BaseFee != nil {
		baseFee = uint256.MustFromBig(work.header.BaseFee)
	}
	var batches [5]map[common.Address][]*txpool.LazyTransaction
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
		late := len(txs) // index of the first one that is taken last
		for i, tx := range txs {
			standing := task.standing(sender, tx)
			if standing == LeftOut {
				txs = txs[:i]
				break
			}
			if standing == Last {
				late = min(late, i)
			}
			if !authorized {
				tx.GasTipCap = governed
			}
			if !local[sender] && !paysTip(tx, baseFee, governed) {
				txs = txs[:i]
				break
			}
			tx.Pool, tx.Tx = &checked{tx.Pool, tx.Tx, work.signer, task.Accept}, nil
		}
		late = min(late, len(txs))
		if late > 0 {
			batches[batch][sender] = txs[:late:late]
		}
		if late < len(txs) {
			batches[len(batches)-1][sender] = txs[late:]
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

// checked resolves a transaction only when its fee payer has signed it and it is accepted. The builder skips the sender
// of one that it cannot resolve. The check is made that late because it may cost a signature recovery and most pending
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
