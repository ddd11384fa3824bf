// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"context"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// Criteria say which logs are wanted. An empty list of addresses, or of topics at a place, is any.
type Criteria struct {
	Addresses []common.Address
	Topics    [][]common.Hash
}

// Match reports whether a log is wanted.
func (c *Criteria) Match(log *types.Log) bool {
	if len(c.Addresses) > 0 && !slices.Contains(c.Addresses, log.Address) {
		return false
	}
	if len(c.Topics) > len(log.Topics) {
		return false
	}
	for i, list := range c.Topics {
		if len(list) > 0 && !slices.Contains(list, log.Topics[i]) {
			return false
		}
	}
	return true
}

// Within returns the criteria with no more values than a block with this bloom filter can have. possible reports
// whether it can have logs that are wanted.
func (c *Criteria) Within(bloom types.Bloom) (within Criteria, possible bool) {
	if within.Addresses, possible = inBloom(bloom, c.Addresses); !possible {
		return Criteria{}, false
	}
	for _, list := range c.Topics {
		kept, possible := inBloom(bloom, list)
		if !possible {
			return Criteria{}, false
		}
		within.Topics = append(within.Topics, kept)
	}
	return within, true
}

// inBloom returns those of some wanted values that a bloom filter has. An empty list stands for any value.
func inBloom[T interface{ Bytes() []byte }](bloom types.Bloom, list []T) (kept []T, possible bool) {
	for _, value := range list {
		if types.BloomLookup(bloom, value) {
			kept = append(kept, value)
		}
	}
	return kept, len(list) == 0 || len(kept) > 0
}

// Logs returns the logs in blocks of proven headers that one of the criteria wants, in the order of the headers. Bloom
// filters in the headers tell which blocks can have such logs, and the receipts of these are proven: no log can be left
// out. It ends behind the block with which the logs have most bytes in JSON, or half of the time of ctx is over, and
// returns how many blocks were read. The logs of the first block are read whatever they take.
func (r *Reader) Logs(ctx context.Context, headers []*types.Header, wanted []Criteria, most int) (
	found []*types.Log, blocks int, err error,
) {
	found = []*types.Log{}
	half, size := time.Now(), 0
	if end, bounded := ctx.Deadline(); bounded {
		half = half.Add(time.Until(end) / 2)
	}
	for i, header := range headers {
		if _, bounded := ctx.Deadline(); i > 0 && (size >= most || bounded && time.Now().After(half)) {
			return found, i, nil
		}
		if !slices.ContainsFunc(wanted, func(c Criteria) bool { _, ok := c.Within(header.Bloom); return ok }) {
			continue
		}
		block, err := r.Block(ctx, header)
		if err != nil {
			return found, i, err
		}
		receipts, err := r.Receipts(ctx, block)
		if err != nil {
			return found, i, err
		}
		for _, receipt := range receipts {
			for _, log := range receipt.Logs {
				if slices.ContainsFunc(wanted, func(c Criteria) bool { return c.Match(log) }) {
					size += 500 + 70*len(log.Topics) + 2*len(log.Data)
					found = append(found, log)
				}
			}
		}
	}
	return found, len(headers), nil
}
