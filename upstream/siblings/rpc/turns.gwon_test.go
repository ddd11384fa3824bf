// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// busyWorkers are workers that no call gets.
type busyWorkers struct{}

// TakeYielding implements Workers.
func (busyWorkers) TakeYielding(ctx context.Context, _ []string, _ bool, _ func()) (func(), error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// A call does not wait for ever for a worker, and not at all when none are set.
func TestTurnPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		leave, err := enter(t.Context(), "other", false, nil)
		if err != nil || time.Since(start) != 0 {
			t.Fatalf("error %v after %v without workers", err, time.Since(start))
		}
		leave()
		SetWorkers(busyWorkers{})
		defer SetWorkers(nil)
		if _, err := enter(t.Context(), "other", false, nil); !errors.Is(err, errNoTurn) ||
			time.Since(start) != turnPatience {
			t.Errorf("error %v after %v, want errNoTurn after %v", err, time.Since(start), turnPatience)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := enter(ctx, "gone", false, nil); !errors.Is(err, errNoTurn) {
			t.Errorf("a canceled call: %v", err)
		}
	})
}

// oneWorker counts the calls that have it.
type oneWorker struct{ taken, left int }

// TakeYielding implements Workers.
func (w *oneWorker) TakeYielding(context.Context, []string, bool, func()) (func(), error) {
	w.taken++
	return func() { w.left++ }, nil
}

// The calls of a batch have one time together, and each leaves its worker.
func TestBatchBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worker := new(oneWorker)
		SetWorkers(worker)
		defer SetWorkers(nil)
		ctx := withBatchBudget(t.Context())
		start := time.Now()
		for range 1000 {
			leave, err := enter(ctx, "batch", false, nil)
			if errors.Is(err, errBatchSpent) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			leave()
		}
		if took := time.Since(start); took != batchTime {
			t.Errorf("the batch ran for %v, want %v", took, batchTime)
		}
		if worker.taken != 5 || worker.left != 5 {
			t.Errorf("%d calls had the worker, %d have left it, want 5", worker.taken, worker.left)
		}
	})
}

// What a node shows of its whole pool waits for a turn like every long call; its counts do not. Calls that execute have
// a deadline, but searches, which answer what they have found. spec: rpc 9.6
func TestLongCalls(t *testing.T) {
	SetCallTime(time.Second)
	defer SetCallTime(0)
	for _, c := range []struct {
		method, params string
		long           bool
		limit          time.Duration
	}{
		{"txpool_content", "", true, 0},
		{"txpool_contentFrom", "", true, 0},
		{"txpool_inspect", "", true, 0},
		{"txpool_status", "", false, 0},
		{"eth_getLogs", "", true, 0},
		{"eth_call", "", true, time.Second},
		{"eth_estimateGas", `[{},{"timeout":"1h"}]`, true, time.Second},
		{"debug_traceCall", `[{},"latest"]`, true, time.Second},
		{"debug_traceCall", `[{},"latest",{"timeout":"1m"}]`, true, time.Minute},
		{"debug_traceCall", `[{},"latest",{"timeout":"1ms"}]`, true, time.Second},
		{"debug_traceCall", `[{},"latest",{"timeout":"rubbish"},7`, true, time.Second},
		{"debug_setHead", "", true, 0},
		{"trace_block", "", true, time.Second},
		{"ots_traceTransaction", "", true, time.Second},
		{"ots_searchTransactionsBefore", "", true, 0},
		{"eth_getTransactionReceipt", `["0x01"]`, true, 0},
		{"eth_getTransactionReceiptBySenderHash", `["0x01"]`, true, 0},
		{"istanbul_getReceiptProof", `["0x01"]`, true, 0},
		{"istanbul_getFinalityProof", "", true, 0},
		{"eth_getTransactionByHash", `["0x01"]`, false, 0},
		{"eth_chainId", "", false, 0},
		{"eth_getBlockByNumber", `["latest",true]`, true, 0},
		{"eth_getBlockByHash", `["0x01",false]`, false, 0},
		{"eth_sendRawTransaction", "", false, 0},
	} {
		t.Run(c.method+c.params, func(t *testing.T) {
			msg := &jsonrpcMessage{Method: c.method, Params: json.RawMessage(c.params)}
			if long := TakesLong(chargedAs(msg)); long != c.long {
				t.Errorf("takes long: %v", long)
			}
			if limit := timeOf(c.method, json.RawMessage(c.params)); limit != c.limit {
				t.Errorf("limit %v, want %v", limit, c.limit)
			}
		})
	}
}
