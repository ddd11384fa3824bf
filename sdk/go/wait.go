// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wkrc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
)

const defaultPollInterval = 250 * time.Millisecond

// WaitFinal waits until a transaction is in a final block, and returns its receipt. hash is that of the transaction or
// the one that its sender knows. A final block cannot be replaced: no confirmations have to be counted. Look at
// Receipt.Status: a failed transaction is final too.
//
// It waits until ctx ends, also for a transaction that the node has never seen. Errors of the connection end it.
func (c *Client) WaitFinal(ctx context.Context, hash common.Hash) (*Receipt, error) {
	return c.waitFinal(ctx, hash, c.Receipt)
}

func (c *Client) waitFinal(ctx context.Context, hash common.Hash,
	lookUp func(context.Context, common.Hash) (*Receipt, error)) (*Receipt, error) {
	interval := c.PollInterval
	if interval <= 0 {
		interval = defaultPollInterval
	}
	ticker := time.Tick(interval)
	for {
		receipt, err := lookUp(ctx, hash)
		switch {
		case err == nil:
			final, err := c.final(ctx, receipt)
			if err != nil {
				return nil, fmt.Errorf("wait for transaction %v: %w", hash, err)
			}
			if final {
				return receipt, nil
			}
		case errors.Is(err, ethereum.NotFound), isIndexing(err):
		case ctx.Err() != nil:
			return nil, notFinal(ctx, hash)
		default:
			return nil, fmt.Errorf("wait for transaction %v: %w", hash, err)
		}
		select {
		case <-ticker:
		case <-ctx.Done():
			return nil, notFinal(ctx, hash)
		}
	}
}

func notFinal(ctx context.Context, hash common.Hash) error {
	return fmt.Errorf("transaction %v is not in a final block yet: %w", hash, context.Cause(ctx))
}

// final reports whether the block of a receipt is final. go-stablenet knows no final block as long as it produces all
// blocks itself; a block of this network is sealed when it is stored, so that its newest one serves.
func (c *Client) final(ctx context.Context, receipt *Receipt) (bool, error) {
	header, err := c.HeaderByNumber(ctx, finalNumber)
	if err != nil && (errors.Is(err, ethereum.NotFound) || strings.Contains(err.Error(), "finalized block not found")) {
		header, err = c.HeaderByNumber(ctx, nil)
	}
	if err != nil {
		return false, err
	}
	return header.Number.Cmp(receipt.BlockNumber) >= 0, nil
}

// isIndexing reports whether the node does not know a hash yet because it still indexes old blocks.
func isIndexing(err error) bool {
	return strings.Contains(err.Error(), "transaction indexing is in progress")
}
