// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/log"
)

var (
	// ErrStaleProposal means that the parent of a proposal is not the head of the chain, or no longer.
	ErrStaleProposal = errors.New("the parent of the proposal is not the head of the chain")

	// ErrUnexamined means that this node could not examine a proposal, which says nothing about the proposal: the
	// database failed, state or ancestors are missing, or the node is being stopped.
	ErrUnexamined = errors.New("the proposal could not be examined here")

	// ErrExecution means that the execution of a proposal does not give what the header says. Only an execution shows
	// that.
	ErrExecution = errors.New("refused by its execution")

	// ErrChainStopped means that the chain is closed, or about to be.
	ErrChainStopped = errChainStopped
)

// Executed is a block that was executed on top of the head, with its result in memory until a quorum has sealed it.
// It keeps the whole set of changed state: hold few, and drop them when the head changes.
type Executed struct {
	block    *types.Block
	receipts []*types.Receipt
	logs     []*types.Log
	state    *state.StateDB // nil once it was committed, which can be done only once
	elapsed  time.Duration  // execution time
	stats    *ExecuteStats  // nil for a block that was built here: its parts are not measured

	// Wasted is the part of building that went into transactions which are not in the block.
	Wasted time.Duration
}

// NewExecuted makes the result of building a block fit for CommitExecuted. It completes the receipts and their logs in
// place with what the builder could not know: the block hash. It takes over receipts and statedb.
func NewExecuted(block *types.Block, receipts []*types.Receipt, statedb *state.StateDB) *Executed {
	ex := &Executed{block: block, receipts: receipts, state: statedb}
	for i, receipt := range receipts {
		receipt.BlockHash = block.Hash()
		receipt.BlockNumber = block.Number()
		receipt.TransactionIndex = uint(i)
		for _, log := range receipt.Logs {
			log.BlockHash = block.Hash()
		}
		ex.logs = append(ex.logs, receipt.Logs...)
	}
	return ex
}

// Block returns the block without seals of its own, as it was executed.
func (ex *Executed) Block() *types.Block { return ex.block }

// Receipts returns the receipts of the block in transaction order. They must not be changed.
func (ex *Executed) Receipts() []*types.Receipt { return slices.Clip(ex.receipts) }

// prefetchedGas bounds the gas limit of a transaction that is executed ahead of its proposal. Such an execution cannot
// be interrupted. One of this gas takes half a second at the worst.
const prefetchedGas = 5_000_000

// skipsPrefetch reports whether the transactions of a block are not executed ahead of it.
func (c ExecuteConfig) skipsPrefetch(block *types.Block) bool {
	isLarge := func(tx *types.Transaction) bool { return tx.Gas() > prefetchedGas }
	return c.Begin != nil && slices.ContainsFunc(block.Transactions(), isLarge)
}

// ExecuteProposal executes a block on top of the current head, checks the roots, the bloom and the gas of its header
// against the result and keeps the result in memory; nothing is written. The caller has verified the rest of the
// header. A proposal with a fee payer that has not signed is invalid, although a sealed block with one would be valid
// (spec transactions 6 no. 1).
//
// The error is ErrStaleProposal when the parent is not the head, ErrUnexamined when the reason lies in this node,
// ErrExecution when the execution shows that the block is invalid, and otherwise names why it is. A context of
// vm.WithCalls interrupts the execution; any other one ends the call only before the execution.
//
// The lock of the chain is not held, so that imports and the shutdown do not wait for an execution. A live tracer is
// the exception, because it follows one execution at a time. The caller ends executions before it stops the chain.
func (bc *BlockChain) ExecuteProposal(ctx context.Context, block *types.Block) (*Executed, error) {
	if bc.logger != nil {
		if !bc.chainmu.TryLock() {
			return nil, fmt.Errorf("%w: %w", ErrUnexamined, errChainStopped)
		}
		defer bc.chainmu.Unlock()
	}
	if bc.stopping.Load() {
		return nil, fmt.Errorf("%w: %w", ErrUnexamined, errChainStopped)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnexamined, err)
	}
	head := bc.CurrentBlock()
	if block.ParentHash() != head.Hash() {
		return nil, fmt.Errorf("%w: block %d has parent %x, the head is %d %x",
			ErrStaleProposal, block.NumberU64(), block.ParentHash(), head.Number, head.Hash())
	}
	switch err := bc.validator.ValidateBody(block); {
	case errors.Is(err, ErrKnownBlock):
		// A crash between writing a block and making it the head leaves it behind. Its stored body has been validated.
		if block = bc.GetBlock(block.Hash(), block.NumberU64()); block == nil {
			return nil, fmt.Errorf("%w: it is stored, but cannot be read", ErrUnexamined)
		}
	case errors.Is(err, consensus.ErrUnknownAncestor), errors.Is(err, consensus.ErrPrunedAncestor):
		return nil, fmt.Errorf("%w: the head's block or state is missing: %w", ErrUnexamined, err)
	case err != nil:
		return nil, err
	}
	signer := types.MakeSigner(bc.chainConfig, block.Number(), block.Time())
	SenderCacher().RecoverFromBlocks(signer, []*types.Block{block})

	ex, number, hash := &Executed{block: block}, block.NumberU64(), block.Hash()
	begin := func(statedb *state.StateDB) { ex.state = statedb }
	hold := func(result *ProcessResult) { ex.receipts, ex.logs = result.Receipts, result.Logs }
	start := time.Now()
	result, err := bc.ProcessBlock(ctx, head.Root, block, ExecuteConfig{EnableTracer: true, Begin: begin, Hold: hold})
	switch {
	case errors.Is(err, vm.ErrInterrupted):
		return nil, fmt.Errorf("%w: proposal %d %x: %w", ErrUnexamined, number, hash, err)
	case err != nil && ex.state == nil:
		return nil, fmt.Errorf("%w: proposal %d %x: no state to begin with: %w", ErrUnexamined, number, hash, err)
	case err != nil && ex.state.Error() != nil:
		// State that cannot be read counts as empty during the execution, which changes the result.
		return nil, fmt.Errorf("%w: proposal %d %x: %w: %w", ErrUnexamined, number, hash, ex.state.Error(), err)
	case err != nil:
		return nil, fmt.Errorf("%w: proposal %d %x: %w", ErrExecution, number, hash, err)
	}
	ex.elapsed, ex.stats = time.Since(start), result.stats
	if err := bc.verifyFeePayers(block); err != nil {
		return nil, fmt.Errorf("%w: proposal %d %x: %w", ErrExecution, number, hash, err)
	}
	return ex, nil
}

// CommitExecuted writes a held execution with the sealed header, makes the block the head and marks it final, and
// returns when it is on disk. Only the seals may differ between the header of sealed and the executed one, which the
// equal hash proves; the body is that which was executed. It sends the events of a new head.
//
// A block that is the head already is no error. ErrStaleProposal means that the head is not the parent of the block. An
// execution can be committed once. If the write cannot be synced, the block is the head nevertheless and the error says
// so.
func (bc *BlockChain) CommitExecuted(sealed *types.Block, ex *Executed) error {
	return bc.commitExecuted(sealed, ex, bc.announce)
}

// CommitQuietly is CommitExecuted without the wait for the disk and without the event of a new head. A later
// CommitExecuted or AnnounceHead makes up for both. It is for blocks that no validator has voted for.
func (bc *BlockChain) CommitQuietly(sealed *types.Block, ex *Executed) error {
	return bc.commitExecuted(sealed, ex, func(*types.Block) error { return nil })
}

// AnnounceHead makes the head durable and sends the event of a new head.
func (bc *BlockChain) AnnounceHead() error {
	if !bc.chainmu.TryLock() {
		return errChainStopped
	}
	defer bc.chainmu.Unlock()
	head := bc.CurrentBlock()
	return bc.announce(types.NewBlockWithHeader(head))
}

// announce makes a block that is the head durable, and then sends the event of a new head.
func (bc *BlockChain) announce(block *types.Block) error {
	err := bc.syncHead(block)
	bc.MarkFinal(block.Header())
	bc.chainHeadFeed.Send(ChainHeadEvent{Header: block.Header()})
	return err
}

// commitExecuted implements CommitExecuted. It ends with announce.
func (bc *BlockChain) commitExecuted(sealed *types.Block, ex *Executed, announce func(*types.Block) error) error {
	if sealed.Hash() != ex.block.Hash() {
		return fmt.Errorf("sealed block %x is not the executed block %x", sealed.Hash(), ex.block.Hash())
	}
	if !bc.chainmu.TryLock() {
		return errChainStopped
	}
	defer bc.chainmu.Unlock()

	head := bc.CurrentBlock()
	switch {
	case head.Hash() == sealed.Hash():
		return bc.syncHead(sealed)
	case head.Hash() != sealed.ParentHash():
		return fmt.Errorf("%w: block %d has parent %x, the head is %d %x",
			ErrStaleProposal, sealed.NumberU64(), sealed.ParentHash(), head.Number, head.Hash())
	case ex.state == nil:
		return fmt.Errorf("the execution of block %d %x was committed before", sealed.NumberU64(), sealed.Hash())
	}
	statedb := ex.state
	ex.state = nil
	block := ex.block.WithSeal(sealed.Header())
	start := time.Now()
	if _, err := bc.writeBlockAndSetHead(block, ex.receipts, ex.logs, statedb, false); err != nil {
		return fmt.Errorf("commit block %d %x: %w", block.NumberU64(), block.Hash(), err)
	}
	bc.blockCache.Add(block.Hash(), block) // the pool and many others are about to ask for it
	bc.gcproc += ex.elapsed
	ex.stats.reportCommit(block, statedb, time.Since(start))
	return announce(block)
}

// reportCommit feeds upstream's metrics of block imports. Upstream executes and writes a block in one step, gwon in
// two; write is the duration of the second.
func (s *ExecuteStats) reportCommit(block *types.Block, statedb *state.StateDB, write time.Duration) {
	if s == nil {
		return
	}
	s.AccountCommits, s.StorageCommits = statedb.AccountCommits, statedb.StorageCommits
	s.DatabaseCommit = statedb.DatabaseCommits
	s.TotalTime += write
	s.MgasPerSecond = float64(block.GasUsed()) * 1000 / float64(s.TotalTime)
	s.reportMetrics()
}

// SyncBlocks returns when every block that was in the chain before the call is on disk.
func (bc *BlockChain) SyncBlocks() error {
	if err := bc.db.SyncKeyValue(); err != nil {
		return fmt.Errorf("the blocks of the chain could not be synced to disk: %w", err)
	}
	return nil
}

// syncHead makes a block that is the head durable, however it became it. The votes for it are durable: if it were not,
// a power loss of all validators would leave them bound to a block that no node has (spec wbft 5.10).
func (bc *BlockChain) syncHead(block *types.Block) error {
	if err := bc.db.SyncKeyValue(); err != nil {
		number, hash := block.NumberU64(), block.Hash()
		return fmt.Errorf("block %d %x is the head, but could not be synced to disk: %w", number, hash, err)
	}
	return nil
}

// keepHead makes an imported block of an Anzeon chain durable, and marks it final, before the event of the new head.
// The event announces a final block, which must not be gone after a crash of the process or the machine. An error does
// not prevent the event because the block is in the chain.
func (bc *BlockChain) keepHead(block *types.Block) {
	if !bc.chainConfig.IsAnzeon() {
		return
	}
	if err := bc.syncHead(block); err != nil {
		log.Error("Imported blocks may be lost in a crash", "err", err)
	}
	bc.MarkFinal(block.Header())
}
