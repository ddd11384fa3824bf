// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package ethapi

import (
	"context"
	"errors"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/ethapi/override"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"
)

// Sizes in JSON, in bytes, without what has a variable length. A block and a call are those of a simulation.
const (
	SizeOfHash = 69

	sizeOfBlock = 2000
	sizeOfCall  = 300
	sizeOfTx    = 1200
	sizeOfLog   = 465
)

// SizeOfTx returns about the bytes of a transaction in JSON.
func SizeOfTx(tx *types.Transaction) int { return sizeOfTx + 2*int(tx.Size()) }

// SizeOfLog returns about the bytes of a log in JSON.
func SizeOfLog(l *types.Log) int { return sizeOfLog + SizeOfHash*len(l.Topics) + 2*len(l.Data) }

// ErrSimulationSize refuses the answer to eth_simulateV1 that would be too large.
var ErrSimulationSize = errors.New("the answer is too large")

// Simulation is the first argument of eth_simulateV1.
type Simulation = simOpts

// simulationSize is how many bytes of an answer are left for a simulation.
type simulationSize struct{ left int }

func (s *simulationSize) spend(bytes int) error {
	if s.left -= bytes; s.left < 0 {
		return ErrSimulationSize
	}
	return nil
}

type simulationSizeKey struct{}

// SimulateWithin answers eth_simulateV1, or returns ErrSimulationSize as soon as the answer would have more bytes. What
// is counted is what the answer has, or somewhat more.
func SimulateWithin(ctx context.Context, b Backend, opts Simulation, at *rpc.BlockNumberOrHash, most int) (any, error) {
	latest := rpc.BlockNumberOrHashWithNumber(rpc.LatestBlockNumber)
	if at == nil {
		at = &latest
	}
	statedb, base, err := b.StateAndHeaderByNumberOrHash(ctx, *at)
	if err != nil || statedb == nil {
		return nil, err
	}
	opts.TraceTransfers = opts.TraceTransfers && !b.ChainConfig().IsAnzeon() // the coin has logged each transfer
	opts.BlockStateCalls = spaced(b.ChainConfig(), base, opts.BlockStateCalls)
	b = &simulationBase{b, statedb, base}
	size := &simulationSize{most}
	blocks, err := NewBlockChainAPI(b).SimulateV1(context.WithValue(ctx, simulationSizeKey{}, size), opts, at)
	if size.left < 0 {
		return nil, ErrSimulationSize // which the simulator tells in words of its own
	}
	if err != nil {
		return nil, err
	}
	for _, block := range blocks {
		if err := size.spend(block.fixedSize()); err != nil {
			return nil, err
		}
	}
	return blocks, nil
}

// simulationBase is a backend with one state, on which the blocks of a simulation were spaced.
type simulationBase struct {
	Backend
	state  *state.StateDB
	header *types.Header
}

func (b *simulationBase) StateAndHeaderByNumberOrHash(
	context.Context, rpc.BlockNumberOrHash,
) (*state.StateDB, *types.Header, error) {
	return b.state, b.header, nil
}

// spaced returns the blocks of a simulation with the block period of an Anzeon chain between their times where they
// have none, and with the blocks that are left out between them. Upstream's simulator takes 12 seconds. What that
// simulator refuses stays as it is.
func spaced(config *params.ChainConfig, base *types.Header, blocks []simBlock) []simBlock {
	if config.Anzeon == nil {
		return blocks
	}
	number, time := base.Number.Uint64(), base.Time
	last := number + maxSimulateBlocks
	var all []simBlock
	add := func(b simBlock) {
		number, time = number+1, time+config.WBFTAt(number+1).BlockPeriodSeconds
		var set override.BlockOverrides
		if b.BlockOverrides != nil {
			set = *b.BlockOverrides
		}
		if set.Time != nil {
			time = uint64(*set.Time)
		} else {
			at := hexutil.Uint64(time)
			set.Time = &at
		}
		b.BlockOverrides = &set
		all = append(all, b)
	}
	for i, b := range blocks {
		next := number + 1
		if set := b.BlockOverrides; set != nil && set.Number != nil {
			if !set.Number.ToInt().IsUint64() {
				return append(all, blocks[i:]...)
			}
			next = set.Number.ToInt().Uint64()
		}
		if next <= number || next > last {
			return append(all, blocks[i:]...)
		}
		for number+1 < next {
			add(simBlock{})
		}
		add(b)
	}
	return all
}

// spendResult takes what a call has returned off what is left for its simulation. Calls of other methods have no bound.
func spendResult(ctx context.Context, result *core.ExecutionResult) error {
	size, _ := ctx.Value(simulationSizeKey{}).(*simulationSize)
	if size == nil {
		return nil
	}
	bytes := sizeOfCall + 2*len(result.ReturnData)
	if data := result.Revert(); len(data) > 0 {
		bytes += 6 * len(newRevertError(data).Error()) // each byte of a reason may be escaped
	}
	return size.spend(bytes)
}

// fixedSize returns what the answer has of a block besides what its calls have returned.
func (r *simBlockResult) fixedSize() int {
	bytes := sizeOfBlock
	for _, tx := range r.Block.Transactions() {
		if bytes += SizeOfHash; r.fullTx {
			bytes += SizeOfTx(tx)
		}
	}
	for i := range r.Calls {
		bytes += sizeOfLogs(r.Calls[i].Logs)
	}
	return bytes
}

func sizeOfLogs(logs []*types.Log) (bytes int) {
	for _, l := range logs {
		bytes += SizeOfLog(l)
	}
	return bytes
}
