// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package miner

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	gethminer "github.com/ethereum/go-ethereum/miner"
	"golang.org/x/time/rate"

	"gwon/consensus/wbft/messages"
	"gwon/core"
)

const (
	// maxBytes bounds a block that this node builds. The rest of a message is for the justification of a later round.
	maxBytes = messages.MaxSize / 10 * 7

	// maxReceiptBytes bounds the receipts of such a block in the encoding of eth/68, whose messages have 10 MiB.
	maxReceiptBytes = 8_000_000

	// logPeriod is the least time between two log messages about excluded transactions.
	logPeriod = time.Minute
)

var (
	tooLongCounter  = metrics.NewRegisteredCounter("gwon/miner/leftout/time", nil)
	receiptsCounter = metrics.NewRegisteredCounter("gwon/miner/leftout/receipts", nil)
	lostCounter     = metrics.NewRegisteredCounter("gwon/miner/leftout/lost", nil) // senders in a lost proposal
)

// Builder builds candidate blocks from the pool. It is safe for concurrent use.
type Builder struct {
	chain    *gethcore.BlockChain
	miner    *gethminer.Miner
	deadline time.Duration
	suspects *suspects
	calls    *vm.LongCalls

	mu       sync.Mutex
	last     attempt
	excluded rate.Sometimes // log messages about an excluded transaction
	unlogged int            // excluded transactions since
}

// attempt is a block that was built, and what was slow in it.
type attempt struct {
	number, timestamp uint64
	hash              common.Hash
	slow              []common.Address // senders of transactions that took more than half of their time
}

// NewBuilder returns a builder that ends each block after a duration, the deadline, with the transactions in it.
func NewBuilder(chain *gethcore.BlockChain, miner *gethminer.Miner, deadline time.Duration) *Builder {
	return &Builder{
		chain: chain, miner: miner, deadline: deadline,
		suspects: newSuspects(), calls: vm.NewLongCalls(), excluded: rate.Sometimes{Interval: logPeriod},
	}
}

// Build executes pooled transactions on top of parent and returns the unsealed block with its result. When ctx ends or
// the deadline passes, the block is complete with the transactions in it: that is no error.
func (b *Builder) Build(
	ctx context.Context, parent *types.Header, coinbase common.Address, timestamp uint64,
) (*gethcore.Executed, error) {
	state, err := b.chain.StateAt(parent.Root, parent.Number, parent.Time)
	if err != nil {
		return nil, fmt.Errorf("state of block %d: %w", parent.Number, err)
	}
	ctx, cancel := context.WithTimeout(ctx, b.deadline)
	defer cancel()
	stopper := new(gethminer.Stopper)
	defer context.AfterFunc(ctx, stopper.Stop)()
	b.review(parent, timestamp)
	made := attempt{number: parent.Number.Uint64() + 1, timestamp: timestamp}
	executed, err := b.miner.BuildProposal(context.WithoutCancel(ctx), gethminer.Task{
		ParentHash: parent.Hash(),
		Timestamp:  timestamp,
		Coinbase:   coinbase,
		GasTip:     core.GasTip(state, b.chain.Config().Anzeon.SystemContracts.GovValidator.Address),
		Authorized: state.IsAuthorized,
		Bounds:     b.bounds(ctx, &made),
	}, stopper)
	if err != nil {
		return nil, err
	}
	made.hash = executed.Block().Hash()
	b.mu.Lock()
	b.last = made
	b.mu.Unlock()
	return executed, nil
}

// bounds returns the bounds of a block that is complete before ctx ends. Slow transactions are noted in made.
func (b *Builder) bounds(ctx context.Context, made *attempt) gethminer.Bounds {
	deadline, _ := ctx.Deadline()
	limit := max(time.Until(deadline)/4, time.Millisecond) // of one large transaction until all others are executed
	return gethminer.Bounds{
		Bytes:        maxBytes,
		ReceiptBytes: maxReceiptBytes,
		Time:         limit,
		Calls:        b.calls,
		Standing:     func(sender common.Address) gethminer.Standing { return b.suspects.standing(sender, made.number) },
		Included: func(sender common.Address, _ common.Hash, took time.Duration) {
			if took > limit/2 {
				made.slow = append(made.slow, sender)
			}
			if took <= limit {
				b.suspects.prove(sender)
			}
		},
		Excluded: func(sender common.Address, hash common.Hash, took time.Duration, reason gethminer.Reason) {
			counter := tooLongCounter
			if reason == gethminer.TooManyReceipts {
				counter = receiptsCounter
			}
			counter.Inc(1)
			b.logExcluded(sender, hash, took, reason, b.suspects.add(sender, made.number))
		},
	}
}

// logExcluded logs that a transaction is excluded for a number of blocks, at most once a minute.
func (b *Builder) logExcluded(
	sender common.Address, hash common.Hash, took time.Duration, reason gethminer.Reason, blocks uint64,
) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unlogged++
	b.excluded.Do(func() {
		log.Warn("Transaction left out", "hash", hash, "sender", sender, "reason", reason, "time", took, "blocks", blocks,
			"more", b.unlogged-1)
		b.unlogged = 0
	})
}

// review suspects the senders of slow transactions in the last block that was built, if that was lost: the network has
// decided another one, or is in a later round. The reason may be another one, so the first delay is short.
func (b *Builder) review(parent *types.Header, timestamp uint64) {
	b.mu.Lock()
	last := b.last
	b.last.slow = nil
	b.mu.Unlock()
	if len(last.slow) == 0 {
		return
	}
	lost := timestamp > last.timestamp // a later round of the same sequence
	if last.number <= parent.Number.Uint64() {
		canonical := b.chain.GetHeaderByNumber(last.number)
		lost = canonical == nil || canonical.Hash() != last.hash
	}
	if !lost {
		return
	}
	for _, sender := range last.slow {
		lostCounter.Inc(1)
		b.suspects.add(sender, parent.Number.Uint64())
	}
}
