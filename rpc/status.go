// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/wbft/validators"
)

// statusWindow is the default number of blocks of istanbul_status.
const statusWindow = 64

// maxStatusRange is the largest number of blocks of istanbul_status (spec rpc 6.7).
const maxStatusRange = 1024

// count maps validators to numbers of blocks or seals.
type count map[common.Address]uint64

// sealStatus is the result of istanbul_status (spec rpc 6.7).
type sealStatus struct {
	SealerActivity struct {
		Total         count `json:"total"`
		Prepared      count `json:"prepared"`
		Committed     count `json:"committed"`
		PrevPrepared  count `json:"prevPrepared"`
		PrevCommitted count `json:"prevCommitted"`
	} `json:"sealerActivity"`
	Author     count `json:"author"`
	BlockRange struct {
		StartBlock  uint64 `json:"startBlock"`
		EndBlock    uint64 `json:"endBlock"`
		TotalBlocks uint64 `json:"totalBlocks"`
	} `json:"blockRange"`
	RoundStats struct {
		RoundDistribution map[uint32]uint64 `json:"roundDistribution"`
	} `json:"roundStats"`

	entered *validators.Set // last set that enter received
}

// Status counts seals, authors and rounds over the blocks from start to end, both included; the default is the last
// 64. A block that cannot be read makes the call fail (spec rpc 6.7).
func (s *istanbul) Status(ctx context.Context, start, end *gethrpc.BlockNumber) (*sealStatus, error) {
	from, to, err := s.statusBlocks(start, end)
	if err != nil {
		return nil, err
	}
	status := newSealStatus()
	status.BlockRange.StartBlock, status.BlockRange.EndBlock = from, to
	status.BlockRange.TotalBlocks = to + 1 - from

	sets := setCache{chain: s.chain, node: s.node}
	for number := from; number <= to; number++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		header := s.chain.GetHeaderByNumber(number)
		if header == nil {
			return nil, fmt.Errorf("block %d not found", number)
		}
		set, err := sets.at(max(number, 1)) // genesis appoints the validators of block 1
		if err != nil {
			return nil, fmt.Errorf("block %d: failed to get validators: %w", number, err)
		}
		status.enter(set, status.counts())
		if number == from && number >= 2 {
			before, err := sets.at(number - 1)
			if err != nil {
				return nil, fmt.Errorf("block %d: failed to get validators: %w", number, err)
			}
			activity := &status.SealerActivity
			status.enter(before, []*count{&activity.Total, &activity.PrevPrepared, &activity.PrevCommitted})
		}
		if err := status.add(header, &sets); err != nil {
			return nil, fmt.Errorf("block %d: %w", number, err)
		}
	}
	return status, nil
}

// statusBlocks applies the rules for the range of istanbul_status. The only tag that it takes is latest.
func (s *istanbul) statusBlocks(start, end *gethrpc.BlockNumber) (from, to uint64, err error) {
	head := s.chain.CurrentBlock().Number.Uint64()
	switch {
	case start == nil && end == nil:
		return max(head, statusWindow-1) - (statusWindow - 1), head, nil
	case end == nil:
		return 0, 0, errors.New("pass the end block number")
	case start == nil:
		return 0, 0, errors.New("pass the start block number")
	}
	if from, err = statusBound(*start, head); err != nil {
		return 0, 0, err
	}
	if to, err = statusBound(*end, head); err != nil {
		return 0, 0, err
	}
	switch {
	case from > to:
		return 0, 0, errors.New("start block number should be less than end block number")
	case to > head:
		return 0, 0, errors.New("end block number should be less than or equal to current block height")
	case to-from >= maxStatusRange:
		return 0, 0, fmt.Errorf("requested range too large: %d blocks (max %d)", to-from+1, maxStatusRange)
	}
	return from, to, nil
}

// statusBound returns the number of a bound of the range. All bounds of a call use the same head.
func statusBound(bound gethrpc.BlockNumber, head uint64) (uint64, error) {
	switch {
	case bound == gethrpc.LatestBlockNumber:
		return head, nil
	case bound < 0:
		return 0, fmt.Errorf("unsupported block number: %d", bound)
	}
	return uint64(bound), nil
}

// counts returns the maps with an entry for each validator.
func (s *sealStatus) counts() []*count {
	activity := &s.SealerActivity
	return []*count{&activity.Total, &activity.Prepared, &activity.Committed, &activity.PrevPrepared,
		&activity.PrevCommitted, &s.Author}
}

func newSealStatus() *sealStatus {
	status := new(sealStatus)
	for _, c := range status.counts() {
		*c = make(count)
	}
	status.RoundStats.RoundDistribution = make(map[uint32]uint64)
	return status
}

// enter adds an entry for every validator of a set to maps, which shows validators without seals and blocks.
func (s *sealStatus) enter(set *validators.Set, to []*count) {
	if set == s.entered {
		return
	}
	s.entered = set
	for _, c := range to {
		for _, address := range set.Addresses() {
			(*c)[address] += 0
		}
	}
}

// add counts one block. Its late seals belong to the validators of the parent.
func (s *sealStatus) add(header *types.Header, sets *setCache) error {
	extra, err := types.DecodeWBFTExtra(header.Extra)
	if err != nil {
		return fmt.Errorf("failed to extract WBFT extra: %w", err)
	}
	number := header.Number.Uint64()
	activity := &s.SealerActivity
	for _, part := range []struct {
		seal  *types.WBFTSeal
		block uint64
		count count
	}{
		{extra.PreparedSeal, number, activity.Prepared},
		{extra.CommittedSeal, number, activity.Committed},
		{extra.PrevPreparedSeal, number - 1, activity.PrevPrepared},
		{extra.PrevCommittedSeal, number - 1, activity.PrevCommitted},
	} {
		if part.seal == nil {
			continue
		}
		set, err := sets.at(part.block)
		if err != nil {
			return fmt.Errorf("failed to get validators: %w", err)
		}
		seen, err := sealers(set, part.seal)
		if err != nil {
			return fmt.Errorf("failed to extract WBFT extra: %w", err)
		}
		for _, address := range seen {
			part.count[address]++
			activity.Total[address]++
		}
	}
	s.Author[header.Coinbase]++
	s.RoundStats.RoundDistribution[extra.Round]++
	return nil
}

// setCache reads the set of each epoch once for ranges that are walked in order.
type setCache struct {
	chain headers
	node  validatorSource
	known map[uint64]*validators.Set // by the epoch block that appointed the set
}

// at returns the validator set of block number, which must not be genesis.
func (c *setCache) at(number uint64) (*validators.Set, error) {
	if number == 0 {
		return nil, errors.New("seals over genesis")
	}
	epoch := c.chain.Config().LastEpochBlock(number - 1)
	if set, ok := c.known[epoch]; ok {
		return set, nil
	}
	set, err := c.node.ValidatorsAt(number)
	if err != nil {
		return nil, err
	}
	if c.known == nil {
		c.known = make(map[uint64]*validators.Set)
	}
	c.known[epoch] = set
	return set, nil
}
