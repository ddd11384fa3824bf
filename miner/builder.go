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
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	gethminer "github.com/ethereum/go-ethereum/miner"

	"gwon/consensus/wbft/messages"
	"gwon/core"
)

const (
	// maxBytes bounds a block that is built here. The rest of a message is for what a change of rounds adds.
	maxBytes = messages.MaxSize / 10 * 7

	// maxReceiptBytes bounds its receipts as eth/68 carries them, in a message of 10 MiB.
	maxReceiptBytes = 8_000_000

	// timeShare is the part of the time for building that one large transaction may take before all others were executed.
	timeShare = 4

	logPeriod = time.Minute // between two lines about transactions that were left out
)

var (
	tooLongCounter  = metrics.NewRegisteredCounter("gwon/miner/leftout/time", nil)
	receiptsCounter = metrics.NewRegisteredCounter("gwon/miner/leftout/receipts", nil)
	lostCounter     = metrics.NewRegisteredCounter("gwon/miner/leftout/lost", nil) // senders in a lost proposal
)

// Builder builds candidate blocks from the pool. It is safe for concurrent use.
type Builder struct {
	chain    *gethcore.BlockChain
	pool     *txpool.TxPool
	miner    *gethminer.Miner
	deadline time.Duration
	suspects *suspects
	calls    *vm.LongCalls

	mu     sync.Mutex
	last   attempt
	told   time.Time // when the log last said that a transaction was left out
	untold int       // transactions left out since
}

// attempt is the last block that was built.
type attempt struct {
	number, timestamp uint64
	hash              common.Hash
	slow              []common.Address // senders of the transactions that took longest
}

// NewBuilder returns a builder whose builds end, with what they have, after the deadline.
func NewBuilder(chain *gethcore.BlockChain, pool *txpool.TxPool, miner *gethminer.Miner, deadline time.Duration) *Builder {
	return &Builder{
		chain: chain, pool: pool, miner: miner, deadline: deadline,
		suspects: newSuspects(), calls: vm.NewLongCalls(),
	}
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

// bounds returns the limits of a block that has to be built before ctx ends. Made takes note of what is slow in it.
func (b *Builder) bounds(ctx context.Context, made *attempt) gethminer.Bounds {
	deadline, _ := ctx.Deadline()
	limit := max(time.Until(deadline)/timeShare, time.Millisecond)
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
			b.tell(sender, hash, took, reason, b.suspects.add(sender, made.number))
		},
	}
}

// tell writes to the log that a transaction is left out, once a minute at most.
func (b *Builder) tell(
	sender common.Address, hash common.Hash, took time.Duration, reason gethminer.Reason, blocks uint64,
) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.told.IsZero() && time.Since(b.told) < logPeriod {
		b.untold++
		return
	}
	log.Warn("Transaction left out", "hash", hash, "sender", sender, "reason", reason, "time", took, "blocks", blocks,
		"more", b.untold)
	b.told, b.untold = time.Now(), 0
}

// review suspects the slow transactions of the last block that was built, if the network has decided on another one or has
// gone on to another round. What made the block too late may be something else, so the first rest is a short one.
func (b *Builder) review(parent *types.Header, timestamp uint64) {
	b.mu.Lock()
	last := b.last
	b.last.slow = nil
	b.mu.Unlock()
	if len(last.slow) == 0 {
		return
	}
	lost := timestamp > last.timestamp // for the same block
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
