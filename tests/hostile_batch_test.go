// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// BenchmarkHostileBatch measures how long other clients wait for eth_blockNumber while one connection has sent a
// batch of a thousand calls that run until their gas is used up: the 99th percentile, which has to stay below 100 ms,
// and how long the batch keeps the node.
func BenchmarkHostileBatch(b *testing.B) {
	const (
		calls   = 1000
		clients = 4
		pause   = 5 * time.Millisecond // between two calls of an honest client
	)
	c, err := newCluster(workDir(b), 1)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := c.close(); err != nil {
			b.Error(err)
		}
	})
	c.start(b, 0)
	c.awaitHead(b, 1, 0)
	const target = "0x00000000000000000000000000000000000000ff"
	endless := map[string]any{target: map[string]any{"code": "0x5b600056"}} // JUMPDEST PUSH1 0 JUMP
	batch := make([]gethrpc.BatchElem, calls)
	for i := range batch {
		batch[i] = gethrpc.BatchElem{
			Method: "eth_call", Args: []any{map[string]any{"to": target}, "latest", endless}, Result: new(hexutil.Bytes),
		}
	}
	dial := func() *gethrpc.Client {
		client, err := gethrpc.Dial(c.node(0).HTTP())
		if err != nil {
			b.Fatal(err)
		}
		return client
	}
	for b.Loop() {
		hostile, start := dial(), time.Now()
		done := make(chan struct{})
		var held time.Duration
		go func() {
			defer close(done)
			_ = hostile.BatchCallContext(context.Background(), batch) // whatever it is answered with
			held = time.Since(start)
		}()
		var (
			wg    sync.WaitGroup
			mu    sync.Mutex
			waits []time.Duration
		)
		for range clients {
			client := dial()
			wg.Go(func() {
				defer client.Close()
				for {
					select {
					case <-done:
						return
					case <-time.After(pause):
					}
					asked := time.Now()
					var number hexutil.Uint64
					err := client.Call(&number, "eth_blockNumber")
					mu.Lock()
					waits = append(waits, time.Since(asked))
					mu.Unlock()
					if err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		hostile.Close()
		slices.Sort(waits)
		b.ReportMetric(float64(waits[len(waits)*99/100].Microseconds())/1000, "ms/p99")
		b.ReportMetric(held.Seconds(), "s/batch")
	}
}
