// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// ErrManyLogs means that the logs of a question have more bytes than allowed.
var ErrManyLogs = errors.New("the logs have too many bytes")

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

// possible reports whether a block with this bloom filter can have logs that are wanted.
func (c *Criteria) possible(bloom types.Bloom) bool {
	has := func(value []byte) bool { return types.BloomLookup(bloom, bytesOf(value)) }
	emitter := func(a common.Address) bool { return has(a[:]) }
	if len(c.Addresses) > 0 && !slices.ContainsFunc(c.Addresses, emitter) {
		return false
	}
	for _, list := range c.Topics {
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

// Logs returns the logs in blocks of proven headers that one of the criteria wants, in the order of the headers. Bloom
// filters in the headers tell which blocks can have such logs, and the receipts of these are proven: no log can be left
// out. Above most bytes in JSON the error is ErrManyLogs; 0 is no bound.
func (r *Reader) Logs(ctx context.Context, headers []*types.Header, wanted []Criteria, most int) ([]*types.Log, error) {
	found, size := []*types.Log{}, 0
	for _, header := range headers {
		if !slices.ContainsFunc(wanted, func(c Criteria) bool { return c.possible(header.Bloom) }) {
			continue
		}
		block, err := r.Block(ctx, header)
		if err != nil {
			return nil, err
		}
		receipts, err := r.Receipts(ctx, block)
		if err != nil {
			return nil, err
		}
		for _, receipt := range receipts {
			for _, log := range receipt.Logs {
				if !slices.ContainsFunc(wanted, func(c Criteria) bool { return c.Match(log) }) {
					continue
				}
				if size += 500 + 70*len(log.Topics) + 2*len(log.Data); most > 0 && size > most {
					return nil, fmt.Errorf("%w, more than %d", ErrManyLogs, most)
				}
				found = append(found, log)
			}
		}
	}
	return found, nil
}
