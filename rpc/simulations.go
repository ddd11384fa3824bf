// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"errors"
	"math"

	"github.com/ethereum/go-ethereum/eth"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// simulations serves eth_simulateV1, with the block period between blocks without times, and with a limit in bytes for
// the clients of a public node. Upstream limits blocks, calls, total gas, and time.
type simulations struct {
	node Backend
	most int
}

// SimulateV1 implements eth_simulateV1.
func (s *simulations) SimulateV1(ctx context.Context, opts eth.Simulation, at *gethrpc.BlockNumberOrHash) (any, error) {
	most := math.MaxInt
	if fromPublic(ctx) {
		most = s.most
	}
	answer, err := eth.SimulateWithin(ctx, s.node.APIBackend(), opts, at, most)
	if errors.Is(err, eth.ErrSimulationSize) {
		return nil, tooLarge(most, "simulate fewer calls, or calls that return and log less")
	}
	return answer, err
}
