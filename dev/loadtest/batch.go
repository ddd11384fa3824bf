// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package loadtest

import (
	"context"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// batchWait is how long the first transaction of a batch waits for the last one.
const batchWait = time.Second

// batch is a request that is being filled. Its transactions wait until sent is closed, and then have their errors.
type batch struct {
	calls []gethrpc.BatchElem
	err   error
	full  chan struct{}
	sent  chan struct{}
}

// sending submits a transaction at a node.
type sending func(context.Context, *ethclient.Client, *types.Transaction) error

// alone submits a transaction in a request of its own.
func alone(ctx context.Context, client *ethclient.Client, tx *types.Transaction) error {
	return client.SendTransaction(ctx, tx)
}

// inBatch submits a transaction in a request with Batch others, if batches are wanted.
func (r *run) inBatch(ctx context.Context, client *ethclient.Client, tx *types.Transaction) error {
	if r.Batch < 2 {
		return alone(ctx, client, tx)
	}
	data, err := tx.MarshalBinary()
	if err != nil {
		return err
	}
	r.mu.Lock()
	b := r.batches[client]
	first := b == nil
	if first {
		b = &batch{full: make(chan struct{}), sent: make(chan struct{})}
		r.batches[client] = b
	}
	i := len(b.calls)
	b.calls = append(b.calls, gethrpc.BatchElem{
		Method: "eth_sendRawTransaction", Args: []any{hexutil.Encode(data)}, Result: new(hexutil.Bytes),
	})
	if len(b.calls) == r.Batch {
		delete(r.batches, client)
		close(b.full)
	}
	r.mu.Unlock()
	if first {
		select {
		case <-b.full:
		case <-time.After(batchWait):
			r.mu.Lock()
			if r.batches[client] == b {
				delete(r.batches, client)
			}
			r.mu.Unlock()
		}
		b.err = client.Client().BatchCallContext(ctx, b.calls)
		close(b.sent)
	}
	<-b.sent
	if b.err != nil {
		return b.err
	}
	return b.calls[i].Error
}
