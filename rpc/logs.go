// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth/filters"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// LogsAPI returns upstream's service of log queries and filters for the namespace eth, which says of a range that ends before it
// begins what is wrong with it.
func LogsAPI(system *filters.FilterSystem) gethrpc.API {
	return gethrpc.API{Namespace: "eth", Service: &logs{filters.NewFilterAPI(system)}}
}

type logs struct{ *filters.FilterAPI }

// GetLogs answers eth_getLogs.
func (s *logs) GetLogs(ctx context.Context, query filters.FilterCriteria) ([]*types.Log, error) {
	if err := checkRange(query); err != nil {
		return nil, err
	}
	return s.FilterAPI.GetLogs(ctx, query)
}

// NewFilter answers eth_newFilter.
func (s *logs) NewFilter(query filters.FilterCriteria) (gethrpc.ID, error) {
	if err := checkRange(query); err != nil {
		return "", err
	}
	return s.FilterAPI.NewFilter(query)
}

// Logs answers the subscription of the same name.
func (s *logs) Logs(ctx context.Context, query filters.FilterCriteria) (*gethrpc.Subscription, error) {
	if err := checkRange(query); err != nil {
		return nil, err
	}
	return s.FilterAPI.Logs(ctx, query)
}

// rangeError has the code for invalid parameters; its text begins like the reference's (spec rpc 2.6).
type rangeError struct{ from, to uint64 }

func (e *rangeError) Error() string {
	return fmt.Sprintf("invalid block range params: fromBlock %d is above toBlock %d", e.from, e.to)
}

func (e *rangeError) ErrorCode() int { return -32602 }

// checkRange refuses a range of two numbers that ends before it begins. Tags are negative numbers, which only the head can tell.
func checkRange(query filters.FilterCriteria) error {
	from, to := query.FromBlock, query.ToBlock
	if from == nil || to == nil || from.Sign() < 0 || to.Sign() < 0 || from.Cmp(to) <= 0 {
		return nil
	}
	return &rangeError{from.Uint64(), to.Uint64()}
}
