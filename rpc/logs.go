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

// filterBounds are those of the filters of a public node's clients: with all of them full they take 150 MB, and what
// they refer to.
var filterBounds = filters.Bounds{Filters: 1024, PerClient: 256, Items: 16_384, Bytes: maxAnswer}

// LogsAPI returns upstream's service of log queries and filters for the namespace eth, which says of a range that ends
// before it begins what is wrong with it. On a public node answers and filters are bounded.
func LogsAPI(system *filters.FilterSystem, public bool) gethrpc.API {
	return gethrpc.API{Namespace: "eth", Service: newLogs(system, public, maxAnswer, filterBounds)}
}

type logs struct {
	*filters.BoundedAPI
	bounded func(context.Context) bool
	most    int // bytes of an answer
}

func newLogs(system *filters.FilterSystem, public bool, most int, bounds filters.Bounds) *logs {
	bounded := func(ctx context.Context) bool { return public && fromPublic(ctx) }
	return &logs{filters.NewBoundedAPI(system, bounds), bounded, most}
}

// query answers a call for logs, within the bound of its answer.
func (s *logs) query(ctx context.Context, logs func(context.Context) ([]*types.Log, error)) (logList, error) {
	if !s.bounded(ctx) {
		return logs(ctx)
	}
	ctx, allowance := filters.WithAllowance(ctx, s.most)
	found, err := logs(ctx)
	if err != nil && allowance.Exceeded() {
		return nil, &sizeError{s.most, "ask for fewer blocks, or for fewer addresses and topics"}
	}
	return found, err
}

// GetLogs answers eth_getLogs.
func (s *logs) GetLogs(ctx context.Context, query filters.FilterCriteria) (logList, error) {
	if err := checkRange(query); err != nil {
		return nil, err
	}
	return s.query(ctx, func(ctx context.Context) ([]*types.Log, error) { return s.FilterAPI.GetLogs(ctx, query) })
}

// GetFilterLogs answers eth_getFilterLogs.
func (s *logs) GetFilterLogs(ctx context.Context, id gethrpc.ID) (logList, error) {
	if err := s.Overflow(id); err != nil {
		return nil, err
	}
	return s.query(ctx, func(ctx context.Context) ([]*types.Log, error) { return s.FilterAPI.GetFilterLogs(ctx, id) })
}

// GetFilterChanges answers eth_getFilterChanges.
func (s *logs) GetFilterChanges(id gethrpc.ID) (any, error) { return s.Changes(id) }

// NewFilter answers eth_newFilter.
func (s *logs) NewFilter(ctx context.Context, query filters.FilterCriteria) (gethrpc.ID, error) {
	if err := checkRange(query); err != nil {
		return "", err
	}
	if !s.bounded(ctx) {
		return s.FilterAPI.NewFilter(query)
	}
	return s.InstallLogs(client(ctx), query)
}

// NewBlockFilter answers eth_newBlockFilter.
func (s *logs) NewBlockFilter(ctx context.Context) (gethrpc.ID, error) {
	return s.install(ctx, s.FilterAPI.NewBlockFilter)
}

// NewPendingTransactionFilter answers eth_newPendingTransactionFilter.
func (s *logs) NewPendingTransactionFilter(ctx context.Context, full *bool) (gethrpc.ID, error) {
	return s.install(ctx, func() gethrpc.ID { return s.FilterAPI.NewPendingTransactionFilter(full) })
}

func (s *logs) install(ctx context.Context, filter func() gethrpc.ID) (gethrpc.ID, error) {
	if !s.bounded(ctx) {
		return filter(), nil
	}
	return s.Install(client(ctx), func() (gethrpc.ID, error) { return filter(), nil })
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

// checkRange refuses a range of two numbers that ends before it begins. Tags are negative numbers, which only the head
// can tell.
func checkRange(query filters.FilterCriteria) error {
	from, to := query.FromBlock, query.ToBlock
	if from == nil || to == nil || from.Sign() < 0 || to.Sign() < 0 || from.Cmp(to) <= 0 {
		return nil
	}
	return &rangeError{from.Uint64(), to.Uint64()}
}
