// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/eth/tracers"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// parity serves the namespace trace. Frames are flat. The chain has no block rewards, so there are no frames of them.
type parity struct{ *node }

// flatConfig is the configuration of upstream's tracer whose frames Parity's methods return.
func flatConfig() *tracers.TraceConfig {
	name := flatTracer
	return &tracers.TraceConfig{Tracer: &name, TracerConfig: json.RawMessage(`{"convertParityErrors":true}`)}
}

// frames collects the frames of transactions.
func (p *parity) frames(w *work, block *types.Block, first, last int, take func(json.RawMessage) error) error {
	return p.execute(w, block, first, last, p.collect(w, flatConfig(),
		func(_ *types.Transaction, result json.RawMessage) error {
			var frames []json.RawMessage
			if err := json.Unmarshal(result, &frames); err != nil {
				return err
			}
			for _, frame := range frames {
				if err := take(frame); err != nil {
					return err
				}
			}
			return nil
		}))
}

// Block implements trace_block: the frames of all transactions of a block; null for an unknown block.
func (p *parity) Block(ctx context.Context, at Block) ([]json.RawMessage, error) {
	block, err := p.block(ctx, at.BlockNumberOrHash)
	if err != nil || block == nil {
		return nil, err
	}
	return p.all(ctx, block, 0, len(block.Transactions())-1)
}

// Transaction implements trace_transaction: the frames of a transaction; null for one that is not mined.
func (p *parity) Transaction(ctx context.Context, hash common.Hash) ([]json.RawMessage, error) {
	found, err := p.transaction(ctx, hash)
	if err != nil || found == nil {
		return nil, err
	}
	return p.all(ctx, found.block, found.index, found.index)
}

// all returns the frames of transactions of a block.
func (p *parity) all(ctx context.Context, block *types.Block, first, last int) ([]json.RawMessage, error) {
	w, end := p.bounds.begin(ctx, 0)
	defer end()
	all := []json.RawMessage{}
	err := p.frames(w, block, first, last, func(frame json.RawMessage) error {
		all = append(all, frame)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Modes of a filter with both addresses.
const (
	modeUnion        = "union"
	modeIntersection = "intersection"
)

// Filter is the parameter of trace_filter.
type Filter struct {
	FromBlock   *Block           `json:"fromBlock"` // by default the latest block
	ToBlock     *Block           `json:"toBlock"`   // by default the latest block
	FromAddress []common.Address `json:"fromAddress"`
	ToAddress   []common.Address `json:"toAddress"`
	Mode        string           `json:"mode"`  // union, the default: one side is enough; intersection: both
	After       *Number          `json:"after"` // frames that are left out
	Count       *Number          `json:"count"` // frames that are returned
}

// check refuses a filter that cannot be used.
func (f *Filter) check(b Bounds) error {
	if f.Mode == "" {
		f.Mode = modeUnion
	}
	switch {
	case f.Mode != modeUnion && f.Mode != modeIntersection:
		return refuse(gethrpc.CodeParams, "params", "mode is %.20q: give %s or %s", f.Mode, modeUnion, modeIntersection)
	case len(f.FromAddress) > filters.MaxCriteria || len(f.ToAddress) > filters.MaxCriteria:
		return refuse(gethrpc.CodeParams, "params", "more than %d addresses: ask in several calls", filters.MaxCriteria)
	case f.Count != nil && uint64(*f.Count) > uint64(b.Traces): // #nosec G115 -- a positive constant
		return refuse(gethrpc.CodeParams, "traces", "count is %d, at most %d frames are returned: "+
			"give less, and after for the rest",
			*f.Count, b.Traces)
	}
	return nil
}

// matches reports whether the filter asks for a frame.
func (f *Filter) matches(frame json.RawMessage) (bool, error) {
	if len(f.FromAddress) == 0 && len(f.ToAddress) == 0 {
		return true, nil
	}
	var ends struct {
		Action struct {
			From, To, Address, RefundAddress *common.Address
		}
		Result *struct{ Address *common.Address }
	}
	if err := json.Unmarshal(frame, &ends); err != nil {
		return false, err
	}
	from, to := ends.Action.From, ends.Action.To
	if ends.Action.Address != nil { // of a contract that destroyed itself
		from, to = ends.Action.Address, ends.Action.RefundAddress
	}
	if ends.Result != nil && ends.Result.Address != nil { // of a creation
		to = ends.Result.Address
	}
	in := func(list []common.Address, address *common.Address) bool {
		return address != nil && slices.Contains(list, *address)
	}
	if f.Mode == modeUnion {
		return in(f.FromAddress, from) || in(f.ToAddress, to), nil
	}
	return (len(f.FromAddress) == 0 || in(f.FromAddress, from)) && (len(f.ToAddress) == 0 || in(f.ToAddress, to)), nil
}

// blocks returns the blocks of the filter, within the bounds of range and gas.
func (p *parity) blocks(ctx context.Context, f *Filter) ([]*types.Header, error) {
	ends := [2]uint64{}
	for i, at := range []*Block{f.FromBlock, f.ToBlock} {
		which := gethrpc.BlockNumberOrHashWithNumber(gethrpc.LatestBlockNumber)
		if at != nil {
			which = at.BlockNumberOrHash
		}
		if number, ok := which.Number(); ok && number == gethrpc.PendingBlockNumber {
			return nil, refuse(gethrpc.CodeParams, "params", "the pending block cannot be traced: give latest or a number")
		}
		header, err := p.backend.HeaderByNumberOrHash(ctx, which)
		if err != nil {
			return nil, err
		}
		if header == nil {
			return nil, fmt.Errorf("block %s not found", which.String())
		}
		ends[i] = header.Number.Uint64()
	}
	from, to := ends[0], ends[1]
	if from > to {
		return nil, refuse(gethrpc.CodeParams, "blocks", "fromBlock %d is above toBlock %d: exchange them", from, to)
	}
	if count := to - from + 1; count > p.bounds.Blocks {
		return nil, refuse(gethrpc.CodeLimit, "blocks",
			"%d blocks are asked for, at most %d are traced at once: ask for fewer",
			count, p.bounds.Blocks)
	}
	var headers []*types.Header
	gas := uint64(0)
	for number := max(from, 1); number <= to; number++ {
		header, err := p.backend.HeaderByNumber(ctx, gethrpc.BlockNumber(number)) // #nosec G115 -- below the head
		if err != nil {
			return nil, err
		}
		if header == nil {
			return nil, fmt.Errorf("block %d is not stored here", number)
		}
		if gas += header.GasUsed; gas > p.bounds.Gas {
			return nil, refuse(gethrpc.CodeLimit, "gas", "blocks %d to %d have used %d gas, at most %d is traced at once: "+
				"ask for fewer blocks", from, number, gas, p.bounds.Gas)
		}
		if header.GasUsed > 0 {
			headers = append(headers, header)
		}
	}
	return headers, nil
}

// errEnough ends a filter that has all frames.
var errEnough = fmt.Errorf("all frames are found")

// Filter implements trace_filter: the frames of a range of blocks, with the addresses that the filter names.
func (p *parity) Filter(ctx context.Context, filter Filter) ([]json.RawMessage, error) {
	if err := filter.check(p.bounds); err != nil {
		return nil, err
	}
	headers, err := p.blocks(ctx, &filter)
	if err != nil {
		return nil, err
	}
	w, end := p.bounds.begin(ctx, 0)
	defer end()
	skip, most := uint64(0), uint64(p.bounds.Traces) // #nosec G115 -- a positive constant
	if filter.After != nil {
		skip = uint64(*filter.After)
	}
	if filter.Count != nil {
		most = uint64(*filter.Count)
	}
	found := []json.RawMessage{}
	take := func(frame json.RawMessage) error {
		match, err := filter.matches(frame)
		switch {
		case err != nil:
			return err
		case !match:
			return w.spend(-len(frame))
		case skip > 0:
			skip--
			return w.spend(-len(frame))
		case uint64(len(found)) >= most:
			return errEnough
		default:
			found = append(found, frame)
		}
		return nil
	}
	for _, header := range headers {
		block, err := p.backend.BlockByHash(w, header.Hash())
		if err != nil {
			return nil, err
		}
		if block == nil {
			return nil, fmt.Errorf("block %d is not stored here", header.Number)
		}
		err = p.frames(w, block, 0, len(block.Transactions())-1, take)
		switch {
		case err == errEnough && filter.Count == nil: //nolint:errorlint // a mark that is never wrapped
			return nil, refuse(gethrpc.CodeLimit, "traces",
				"more than %d frames match: give count and after, or ask for fewer blocks",
				most)
		case err == errEnough: //nolint:errorlint // a mark that is never wrapped
			return found, nil
		case err != nil:
			return nil, err
		}
	}
	return found, nil
}
