// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package persist

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/internal/progress"
)

// Bounds of the blocks that are verified and executed together. The next such run is read meanwhile.
const (
	RunBlocks = 1024
	RunBytes  = 4 << 20
)

var (
	replayedGauge = metrics.NewRegisteredGauge("gwon/replay/current", nil)
	targetGauge   = metrics.NewRegisteredGauge("gwon/replay/target", nil)
)

// Prover proves runs of stored headers.
type Prover interface {
	ProveStored(chain consensus.ChainHeaderReader, headers []*types.Header) error
}

// Replay is an execution of stored blocks that is under way. Its methods may be called from any goroutine.
type Replay struct {
	chain  *gethcore.BlockChain
	prover Prover
	first  uint64
	last   uint64
	at     atomic.Uint64
}

// FindReplay returns the execution of the blocks that are stored above the head, whose state a crash has lost; nil if
// there are none.
func FindReplay(chain *gethcore.BlockChain, prover Prover) *Replay {
	head := chain.CurrentBlock().Number.Uint64()
	stored := func(number uint64) bool { return chain.GetCanonicalHash(number) != (common.Hash{}) }
	if !stored(head + 1) {
		return nil
	}
	below, above := head+1, head+2
	for stored(above) {
		below, above = above, above+2*(above-head)
	}
	for above-below > 1 {
		if middle := below + (above-below)/2; stored(middle) {
			below = middle
		} else {
			above = middle
		}
	}
	r := &Replay{chain: chain, prover: prover, first: head + 1, last: below}
	r.at.Store(head)
	return r
}

// Progress returns the numbers of the newest executed block, and of the last one to execute.
func (r *Replay) Progress() (current, last uint64) { return r.at.Load(), r.last }

// Run executes the blocks. What is done is saved on the way, so that a crash during a replay loses little. It must run
// before anything else uses the chain. The error says why a stored block could not be executed.
func (r *Replay) Run() error {
	var saver sync.WaitGroup
	defer saver.Wait()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	saver.Go(func() { NewSaver(r.chain).Run(ctx) })
	meter := new(progress.Meter)
	meter.BeginItems("Executing stored blocks again", r.last, "blocks")
	meter.Skip(r.first - 1)
	defer progress.Lines(meter.State)()
	defer meter.End()
	targetGauge.Update(int64(r.last))
	defer targetGauge.Update(0)
	log.Info("Stored blocks without state found", "first", r.first, "last", r.last)
	for r.at.Load() < r.last {
		blocks, err := r.next()
		if err != nil {
			return err
		}
		if n, err := r.chain.InsertChain(blocks); err != nil {
			return fmt.Errorf("execute stored block %d again: %w", blocks[min(n, len(blocks)-1)].NumberU64(), err)
		}
		end := blocks[len(blocks)-1]
		if r.chain.CurrentBlock().Hash() != end.Hash() {
			return fmt.Errorf("the execution of the stored blocks up to %d was interrupted", end.NumberU64())
		}
		r.at.Store(end.NumberU64())
		replayedGauge.Update(end.Number().Int64())
		meter.AddItems(len(blocks))
		meter.At(end.NumberU64())
	}
	log.Info("Executed stored blocks again", "from", r.first, "to", r.last)
	return nil
}

// next reads the next run of blocks and proves it by the seals at its end. Where they prove nothing the blocks are
// verified one by one, so that an error names the one at fault.
func (r *Replay) next() (blocks types.Blocks, err error) {
	head, size := r.chain.CurrentBlock(), uint64(0)
	var headers []*types.Header
	for parent, number := head.Hash(), head.Number.Uint64()+1; number <= r.last; number++ {
		block := r.chain.GetBlockByNumber(number)
		if block == nil || block.ParentHash() != parent {
			break
		}
		blocks, headers, parent = append(blocks, block), append(headers, block.Header()), block.Hash()
		if size += block.Size(); len(blocks) == RunBlocks || size >= RunBytes {
			break
		}
	}
	if len(blocks) == 0 {
		return nil, fmt.Errorf("stored block %d is missing, or does not follow block %d", head.Number.Uint64()+1, head.Number)
	}
	if err := r.prover.ProveStored(r.chain, headers); err != nil {
		log.Warn("Stored blocks not proven by their last one, each is verified", "first", headers[0].Number, "err", err)
	}
	return blocks, nil
}
