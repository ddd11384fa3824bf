// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package ethapi

import (
	"context"
	"errors"

	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
)

// Sizes in JSON, in bytes, without what has a variable length.
const (
	simBlockSize = 2000
	simCallSize  = 300
	simHashSize  = 69
	simTxSize    = 1200
	simLogSize   = 465
	simTopicSize = 69
)

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

// spendResult takes what a call has returned off what is left for its simulation. Calls of other methods have no bound.
func spendResult(ctx context.Context, result *core.ExecutionResult) error {
	size, _ := ctx.Value(simulationSizeKey{}).(*simulationSize)
	if size == nil {
		return nil
	}
	bytes := simCallSize + 2*len(result.ReturnData)
	if data := result.Revert(); len(data) > 0 {
		bytes += 6 * len(newRevertError(data).Error()) // each byte of a reason may be escaped
	}
	return size.spend(bytes)
}

// fixedSize returns what the answer has of a block besides what its calls have returned.
func (r *simBlockResult) fixedSize() int {
	bytes := simBlockSize
	for _, tx := range r.Block.Transactions() {
		if bytes += simHashSize; r.fullTx {
			bytes += simTxSize + 2*int(tx.Size())
		}
	}
	for i := range r.Calls {
		bytes += sizeOfLogs(r.Calls[i].Logs)
	}
	return bytes
}

func sizeOfLogs(logs []*types.Log) (bytes int) {
	for _, l := range logs {
		bytes += simLogSize + simTopicSize*len(l.Topics) + 2*len(l.Data)
	}
	return bytes
}
