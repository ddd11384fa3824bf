// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/eth/gasprice"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/finality/remotestate"
	"gwon/internal/door"
)

// invalid returns an error with the code of invalid parameters.
func invalid(format string, args ...any) error {
	return &gethrpc.Refusal{Code: gethrpc.CodeParams, Text: fmt.Sprintf(format, args...)}
}

// GetLogs implements eth_getLogs. No log can be left out.
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
	found, blocks, err := m.e.logsOf(v, headers, query)
	if err == nil && blocks < len(headers) {
		err = fmt.Errorf("the logs of %d blocks have %d bytes or take half of %v: ask for fewer blocks, addresses or topics",
			blocks, gethrpc.MaxAnswer, door.RequestTime)
	}
	if err != nil {
		return nil, err
	}
	return found, nil
}

// logsOf returns the logs that a query wants, and of how many blocks these are all: those of one block whatever their
// size, and of more up to gethrpc.MaxAnswer.
func (e *Endpoint) logsOf(v *view, headers []*types.Header, query filters.FilterCriteria) ([]*types.Log, int, error) {
	return e.reader.Logs(v.ctx, headers, []remotestate.Criteria{{Addresses: query.Addresses, Topics: query.Topics}},
		gethrpc.MaxAnswer)
}

func checkCriteria(query filters.FilterCriteria) error {
	if len(query.Topics) > filters.MaxTopics {
		return invalid("%d topics are given, at most %d are possible", len(query.Topics), filters.MaxTopics)
	}
	most := len(query.Addresses)
	for _, list := range query.Topics {
		most = max(most, len(list))
	}
	if most > filters.MaxCriteria {
		return invalid("%d addresses or topics are given, at most %d are taken", most, filters.MaxCriteria)
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
