// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/eth/gasprice"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// Bounds of criteria, those of a node.
const (
	maxTopics   = 4
	maxCriteria = 1000
)

// paramsError has the code of invalid parameters.
type paramsError struct{ text string }

// Error implements error.
func (e *paramsError) Error() string { return e.text }

// ErrorCode implements rpc.Error.
func (e *paramsError) ErrorCode() int { return -32602 }

func invalid(format string, args ...any) error { return &paramsError{fmt.Sprintf(format, args...)} }

// GetLogs implements eth_getLogs. The bloom filters in proven headers tell which blocks can have such logs, and the
// receipts of these are proven: no log can be left out.
func (m *methods) GetLogs(ctx context.Context, query filters.FilterCriteria) ([]*types.Log, error) {
	if err := checkCriteria(query); err != nil {
		return nil, err
	}
	v, leave, err := m.e.viewInTurn(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	headers, err := v.searched(query)
	if err != nil {
		return nil, err
	}
	found, size := []*types.Log{}, 0
	for _, header := range headers {
		if !possible(header.Bloom, query) {
			continue
		}
		block, err := v.blockOf(header)
		if err != nil {
			return nil, err
		}
		receipts, err := v.receiptsOf(block)
		if err != nil {
			return nil, err
		}
		for _, receipt := range receipts {
			for _, log := range receipt.Logs {
				if !matches(log, query) {
					continue
				}
				if size += 500 + 70*len(log.Topics) + 2*len(log.Data); size > maxResult {
					return nil, fmt.Errorf("the answer would have more than %d bytes: ask for fewer blocks, addresses or topics",
						maxResult)
				}
				found = append(found, log)
			}
		}
	}
	return found, nil
}

func checkCriteria(query filters.FilterCriteria) error {
	if len(query.Topics) > maxTopics {
		return invalid("%d topics are given, at most %d are possible", len(query.Topics), maxTopics)
	}
	most := len(query.Addresses)
	for _, list := range query.Topics {
		most = max(most, len(list))
	}
	if most > maxCriteria {
		return invalid("%d addresses or topics are given, at most %d are taken", most, maxCriteria)
	}
	return nil
}

// searched returns the headers of the blocks that a query names.
func (v *view) searched(query filters.FilterCriteria) ([]*types.Header, error) {
	if query.BlockHash != nil {
		header, err := v.HeaderByHash(v.ctx, *query.BlockHash)
		if err == nil && header == nil {
			err = errors.New("unknown block")
		}
		return []*types.Header{header}, err
	}
	newest := v.head.Number.Uint64()
	first, err := v.bound(query.FromBlock)
	if err != nil {
		return nil, err
	}
	last, err := v.bound(query.ToBlock)
	if err != nil {
		return nil, err
	}
	given := func(n *big.Int) bool { return n != nil && n.Sign() >= 0 }
	switch {
	case given(query.FromBlock) && given(query.ToBlock) && first > last:
		return nil, invalid("invalid block range params: fromBlock %d is above toBlock %d", first, last)
	case first > newest:
		return nil, nil
	}
	last = min(last, newest)
	switch {
	case first > last:
		return nil, invalid("invalid block range params: fromBlock is block %d and above toBlock, which is block %d", first,
			last)
	case last-first >= MaxLogBlocks:
		return nil, invalid("%d blocks are asked for, at most %d are proven at once: ask for fewer", last-first+1,
			MaxLogBlocks)
	}
	header, err := v.HeaderByNumber(v.ctx, gethrpc.BlockNumber(last))
	if err != nil {
		return nil, err
	}
	return v.link(header, first)
}

// bound returns the number of a block at an end of a range.
func (v *view) bound(given *big.Int) (uint64, error) {
	if given == nil {
		return v.head.Number.Uint64(), nil
	}
	switch tag := gethrpc.BlockNumber(given.Int64()); {
	case !given.IsInt64():
		return 0, invalid("block %v is no number of a block", given)
	case tag == gethrpc.PendingBlockNumber:
		return 0, errPending
	case tag == gethrpc.EarliestBlockNumber:
		return 0, nil
	case tag < 0:
		return v.head.Number.Uint64(), nil
	default:
		return uint64(tag), nil
	}
}

// possible reports whether a block with this bloom filter can have logs of a query.
func possible(bloom types.Bloom, query filters.FilterCriteria) bool {
	has := func(value []byte) bool { return types.BloomLookup(bloom, bytesOf(value)) }
	emitter := func(a common.Address) bool { return has(a[:]) }
	if len(query.Addresses) > 0 && !slices.ContainsFunc(query.Addresses, emitter) {
		return false
	}
	for _, list := range query.Topics {
		if len(list) > 0 && !slices.ContainsFunc(list, func(t common.Hash) bool { return has(t[:]) }) {
			return false
		}
	}
	return true
}

// bytesOf is a value in a bloom filter.
type bytesOf []byte

// Bytes returns the value.
func (b bytesOf) Bytes() []byte { return b }

// matches reports whether a log is one of a query. An empty list of topics is any topic.
func matches(log *types.Log, query filters.FilterCriteria) bool {
	if len(query.Addresses) > 0 && !slices.Contains(query.Addresses, log.Address) {
		return false
	}
	if len(query.Topics) > len(log.Topics) {
		return false
	}
	for i, list := range query.Topics {
		if len(list) > 0 && !slices.Contains(list, log.Topics[i]) {
			return false
		}
	}
	return true
}

// FeeHistory implements eth_feeHistory.
func (m *methods) FeeHistory(ctx context.Context, count math.HexOrDecimal64, newest gethrpc.BlockNumber,
	percentiles []float64,
) (any, error) {
	if count > MaxFeeBlocks {
		return nil, invalid("%d blocks are asked for, at most %d are proven at once: ask for fewer", uint64(count),
			MaxFeeBlocks)
	}
	v, leave, err := m.e.viewInTurn(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if last, err := v.HeaderByNumber(ctx, newest); err != nil {
		return nil, err
	} else if last != nil && count > 0 {
		if _, err := v.link(last, last.Number.Uint64()-min(last.Number.Uint64(), uint64(count)-1)); err != nil {
			return nil, err
		}
	}
	history, err := eth.NewEthereumAPI(v).FeeHistory(ctx, count, newest, percentiles)
	return answer[any](v, history, err)
}

// FeeHistory returns fees of proven blocks, as a node computes them.
func (v *view) FeeHistory(ctx context.Context, count uint64, newest gethrpc.BlockNumber, percentiles []float64) (
	*big.Int, [][]*big.Int, []*big.Int, []float64, []*big.Int, []float64, error,
) {
	config := ethconfig.Defaults.GPO
	config.MaxHeaderHistory, config.MaxBlockHistory = MaxFeeBlocks, MaxFeeBlocks
	return gasprice.NewOracle(v, config, nil).FeeHistory(ctx, count, newest, percentiles)
}
