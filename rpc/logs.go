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

// filterBounds limits what a filter of a public node's client holds. Full filters take 150 MB in addition to the logs
// that they refer to.
var filterBounds = filters.Bounds{Items: 16_384, Bytes: gethrpc.MaxAnswer}

// LogsAPI returns upstream's service of log queries and filters for the namespace eth, with an error for a range that
// ends before it begins. On a public node results and filters are bounded.
func LogsAPI(system *filters.FilterSystem, door gethrpc.Door, public bool) gethrpc.API {
	return gethrpc.API{Namespace: "eth", Service: newLogs(system, door, public, gethrpc.MaxAnswer, filterBounds)}
}

// logs has upstream's service in it, but not the bounded one: every exported method of it would be one of clients.
type logs struct {
	*filters.FilterAPI
	filters *filters.BoundedAPI
	bounded func(context.Context) bool
	most    int // limit of a result in bytes
}

func newLogs(system *filters.FilterSystem, door gethrpc.Door, public bool, most int, bounds filters.Bounds) *logs {
	bounded := func(ctx context.Context) bool { return public && fromPublic(ctx) }
	api := filters.NewBoundedAPI(system, door, bounds)
	return &logs{api.FilterAPI, api, bounded, most}
}

// query runs a call for logs within the limit of its result.
func (s *logs) query(ctx context.Context, logs func(context.Context) ([]*types.Log, error)) (logList, error) {
	if !s.bounded(ctx) {
		return logs(ctx)
	}
	ctx, exceeded := filters.WithAllowance(ctx, s.most)
	found, err := logs(ctx)
	if err != nil && exceeded() {
		return nil, tooLarge(s.most, "ask for fewer blocks, or for fewer addresses and topics")
	}
	return found, err
}

// GetLogs implements eth_getLogs.
func (s *logs) GetLogs(ctx context.Context, query filters.FilterCriteria) (logList, error) {
	if err := checkRange(query); err != nil {
		return nil, err
	}
	return s.query(ctx, func(ctx context.Context) ([]*types.Log, error) { return s.FilterAPI.GetLogs(ctx, query) })
}

// GetFilterLogs implements eth_getFilterLogs.
func (s *logs) GetFilterLogs(ctx context.Context, id gethrpc.ID) (logList, error) {
	if err := s.filters.Overflow(id); err != nil {
		return nil, err
	}
	return s.query(ctx, func(ctx context.Context) ([]*types.Log, error) { return s.FilterAPI.GetFilterLogs(ctx, id) })
}

// GetFilterChanges implements eth_getFilterChanges.
func (s *logs) GetFilterChanges(id gethrpc.ID) (any, error) { return s.filters.Changes(id) }

// UninstallFilter implements eth_uninstallFilter.
func (s *logs) UninstallFilter(id gethrpc.ID) bool { return s.filters.UninstallFilter(id) }

// NewFilter implements eth_newFilter.
func (s *logs) NewFilter(ctx context.Context, query filters.FilterCriteria) (gethrpc.ID, error) {
	if err := checkRange(query); err != nil {
		return "", err
	}
	if !s.bounded(ctx) {
		return s.FilterAPI.NewFilter(query)
	}
	return s.filters.InstallLogs(gethrpc.OwnerFrom(ctx), query)
}

// NewBlockFilter implements eth_newBlockFilter.
func (s *logs) NewBlockFilter(ctx context.Context) (gethrpc.ID, error) {
	return s.install(ctx, s.FilterAPI.NewBlockFilter)
}

// NewPendingTransactionFilter implements eth_newPendingTransactionFilter.
func (s *logs) NewPendingTransactionFilter(ctx context.Context, full *bool) (gethrpc.ID, error) {
	return s.install(ctx, func() gethrpc.ID { return s.FilterAPI.NewPendingTransactionFilter(full) })
}

func (s *logs) install(ctx context.Context, filter func() gethrpc.ID) (gethrpc.ID, error) {
	if !s.bounded(ctx) {
		return filter(), nil
	}
	return s.filters.Install(gethrpc.OwnerFrom(ctx), nil, func() (gethrpc.ID, error) { return filter(), nil })
}

// Logs implements the subscription of the same name. Each new log is compared with its addresses and topics.
func (s *logs) Logs(ctx context.Context, query filters.FilterCriteria) (*gethrpc.Subscription, error) {
	if err := checkRange(query); err != nil {
		return nil, err
	}
	if !s.bounded(ctx) {
		return s.FilterAPI.Logs(ctx, query)
	}
	return s.filters.SubscribeLogs(ctx, gethrpc.OwnerFrom(ctx), query)
}

// checkRange refuses a range of two numbers that ends before it begins, in the words of go-stablenet (spec rpc 2.6).
// Tags are negative numbers; their order depends on the head.
func checkRange(query filters.FilterCriteria) error {
	from, to := query.FromBlock, query.ToBlock
	if from == nil || to == nil || from.Sign() < 0 || to.Sign() < 0 || from.Cmp(to) <= 0 {
		return nil
	}
	return &gethrpc.Refusal{Code: gethrpc.CodeParams, Text: fmt.Sprintf("invalid block range params: "+
		"fromBlock %d is above toBlock %d",
		from, to)}
}
