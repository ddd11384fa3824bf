// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package miner

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	gethminer "github.com/ethereum/go-ethereum/miner"

	"gwon/core"
)

// Builder builds candidate blocks from the pool. It is safe for concurrent use.
type Builder struct {
	chain    *gethcore.BlockChain
	pool     *txpool.TxPool
	miner    *gethminer.Miner
	deadline time.Duration
	idle     atomic.Bool // the last block found nothing it could include
}

// idleRetry is how long a chain that seals on demand leaves pending transactions alone that the last block could not include.
const idleRetry = time.Second

// NewBuilder returns a builder whose builds end, with what they have, after the deadline.
func NewBuilder(chain *gethcore.BlockChain, pool *txpool.TxPool, miner *gethminer.Miner, deadline time.Duration) *Builder {
	return &Builder{chain: chain, pool: pool, miner: miner, deadline: deadline}
}

// Build executes pooled transactions on top of parent and returns the unsealed block with its result. When ctx ends or the
// deadline passes, the block is closed with what is in it.
func (b *Builder) Build(ctx context.Context, parent *types.Header, coinbase common.Address, timestamp uint64) (*gethcore.Executed, error) {
	state, err := b.chain.StateAt(parent.Root, parent.Number, parent.Time)
	if err != nil {
		return nil, fmt.Errorf("state of block %d: %w", parent.Number, err)
	}
	ctx, cancel := context.WithTimeout(ctx, b.deadline)
	defer cancel()
	stopper := new(gethminer.Stopper)
	defer context.AfterFunc(ctx, stopper.Stop)()
	executed, err := b.miner.BuildProposal(context.WithoutCancel(ctx), gethminer.Task{
		ParentHash: parent.Hash(),
		Timestamp:  timestamp,
		Coinbase:   coinbase,
		GasTip:     core.GasTip(state, b.chain.Config().Anzeon.SystemContracts.GovValidator.Address),
		Authorized: state.IsAuthorized,
	}, stopper)
	if err != nil {
		return nil, err
	}
	b.idle.Store(len(executed.Block().Transactions()) == 0)
	return executed, nil
}

// WaitWork returns when the pool holds a transaction that the next block can include, or with ctx's error.
func (b *Builder) WaitWork(ctx context.Context) error {
	arrived := make(chan gethcore.NewTxsEvent, 16)
	sub := b.pool.SubscribeTransactions(arrived, true)
	defer sub.Unsubscribe()
	var retry <-chan time.Time
	if b.idle.Load() {
		timer := time.NewTimer(idleRetry)
		defer timer.Stop()
		retry = timer.C
	}
	for {
		if retry == nil {
			if work, err := b.hasWork(); work || err != nil {
				return err
			}
		}
		select {
		case <-arrived:
			retry = nil
		case <-retry:
			retry = nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// hasWork tells whether the pool holds a transaction that may follow the head. The pool itself follows the head with a delay:
// what the newest block has included is still among its pending ones for a moment.
func (b *Builder) hasWork() (bool, error) {
	head := b.chain.CurrentBlock()
	state, err := b.chain.StateAt(head.Root, head.Number, head.Time)
	if err != nil {
		return false, fmt.Errorf("state of block %d: %w", head.Number, err)
	}
	pending, _ := b.pool.Pending(txpool.PendingFilter{})
	for sender, list := range pending {
		nonce := state.GetNonce(sender)
		for _, lazy := range list {
			if tx := lazy.Resolve(); tx != nil && tx.Nonce() >= nonce {
				return true, nil
			}
		}
	}
	return false, nil
}
