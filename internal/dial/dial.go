// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package dial

import (
	"context"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"
)

// timeout bounds a connection attempt, and each question to a node.
const timeout = 30 * time.Second

// Node connects to a node at an HTTP, WebSocket or IPC endpoint.
func Node(ctx context.Context, endpoint string) (*rpc.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	client, err := rpc.DialContext(ctx, endpoint)
	if err != nil {
		return nil, fmt.Errorf("no node at %s: %w", endpoint, err)
	}
	return client, nil
}

// Ask calls a method and stores the answer in result. The error names the method.
func Ask(ctx context.Context, client *rpc.Client, result any, method string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := client.CallContext(ctx, result, method, args...); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// BlockHash returns the hash of the block with a number. It fails when the node does not have that block.
func BlockHash(ctx context.Context, client *rpc.Client, number uint64) (common.Hash, error) {
	var block *struct{ Hash common.Hash }
	if err := Ask(ctx, client, &block, "eth_getBlockByNumber", hexutil.Uint64(number), false); err != nil {
		return common.Hash{}, err
	}
	if block == nil {
		return common.Hash{}, fmt.Errorf("the node does not have block %d", number)
	}
	return block.Hash, nil
}
