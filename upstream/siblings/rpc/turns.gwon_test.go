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

	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
)

// The calls of a batch have one time together, and each ends its turn.
func TestBatchBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		door := setDoor(t, new(testDoor))
		ctx := withBatchBudget(t.Context())
		start := time.Now()
		for range 1000 {
			err := runCall(ctx, door, nil, "eth_call", nil, func(context.Context) { time.Sleep(time.Second) })
			if errors.Is(err, errBatchSpent) {
				break
			}
			must.Do(t, err)
		}
		if took := time.Since(start); took != batchTime || door.used != batchTime {
			t.Errorf("the batch ran for %v and was charged for %v, want %v", took, door.used, batchTime)
		}
		assert.Truef(t, door.begun == 5 && door.ended == 5,
			"%d turns have begun, %d have ended, want 5", door.begun, door.ended)
	})
}

// A call that gets no turn does not run, and answers why. One that crashes ends its turn.
func TestTurnsEnd(t *testing.T) {
	door := setDoor(t, new(testDoor))
	door.begin = func(context.Context) error { return errNoRoom }
	ran := false
	err := runCall(t.Context(), door, nil, "eth_call", nil, func(context.Context) { ran = true })
	assert.Truef(t, errors.Is(err, errNoRoom) && !ran, "ran %v, error %v", ran, err)
	door.begin = nil
	func() {
		defer func() { _ = recover() }()
		_ = runCall(t.Context(), door, nil, "eth_call", nil, func(context.Context) { panic("a fault of a method") })
	}()
	assert.Truef(t, door.begun == 1 && door.ended == 1,
		"%d turns have begun, %d have ended, want 1", door.begun, door.ended)
}

// The deadline of a call does not count its pauses.
func TestLimitWithoutPauses(t *testing.T) {
	for name, paused := range map[string]time.Duration{"no pause": 0, "pauses": 3 * time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				turn := &testTurn{door: new(testDoor)}
				late := &Refusal{Text: "late"}
				ctx, cancel := WithLimit(context.WithValue(t.Context(), turnKey{}, turn), time.Second, late)
				defer cancel()
				begun := time.Now()
				turn.paused.Store(int64(paused))
				<-ctx.Done()
				if took := time.Since(begun); took != time.Second+paused || !errors.Is(context.Cause(ctx), late) {
					t.Errorf("ended after %v with %v", took, context.Cause(ctx))
				}
			})
		})
	}
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
		{"debug_traceCall", `[{},"latest",{"timeout":"rubbish"},7]`, true, time.Second},
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
			assert.Equal(t, c.long, TakesLong(chargedAs(msg)), "takes long")
			limit, _ := timeOf(false, c.method, json.RawMessage(c.params))
			assert.Equal(t, c.limit, limit, "limit")
		})
	}
}
