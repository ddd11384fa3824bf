// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

// The handler of a call is an unexported type of this package, so that calls ask for workers here. Upstream cannot
// import the queue of workers (gwon/internal/limit), which SetWorkers puts in reach.

import (
	"bytes"
	"context"
	"strings"
	"sync/atomic"
	"time"
)

const (
	batchTime    = 5 * time.Second  // of computing for one batch; the calls that are left then are refused
	turnPatience = 10 * time.Second // a call waits for its turn
)

// evmCalls are the methods whose whole run is cut at the deadline for calls. Traces are some too.
var evmCalls = map[string]bool{
	"eth_call": true, "eth_estimateGas": true, "eth_createAccessList": true, "eth_simulateV1": true,
	"eth_fillTransaction": true,
}

// executes reports whether a method runs transactions or traces them. A search ends by itself, and answers what it has
// found until then.
func executes(method string) bool {
	if evmCalls[method] {
		return true
	}
	if strings.HasPrefix(method, "ots_search") {
		return false
	}
	for _, prefix := range []string{"debug_trace", "debug_standardTrace", "debug_intermediateRoots", "trace_", "ots_"} {
		if strings.HasPrefix(method, prefix) {
			return true
		}
	}
	return false
}

// longCalls are the methods that can keep a processor busy for long. Those that execute and those of debug are some
// too.
var longCalls = map[string]bool{
	"eth_getLogs": true, "eth_getFilterLogs": true, "eth_getProof": true, "eth_feeHistory": true,
	"eth_getBlockReceipts": true, "eth_getReceiptsByHash": true, "istanbul_status": true,
	"eth_getTransactionReceipt": true, "eth_getTransactionReceiptBySenderHash": true, // of 100,000 logs and more
	"istanbul_getReceiptProof": true, "istanbul_getFinalityProof": true,
	"txpool_content": true, "txpool_contentFrom": true, "txpool_inspect": true,
	wholeBlocks: true, MatchingLogs: true, GraphQL: true,
}

// What is charged for but is no method by its name.
const (
	wholeBlocks  = "blocks with their transactions"
	MatchingLogs = "matching of logs" // for a subscription or filter
	GraphQL      = "graphql"
)

// chargedAs returns the method of a call, or wholeBlocks: of 5,000 transactions a block takes 30 ms to encode.
func chargedAs(msg *jsonrpcMessage) string {
	if strings.HasPrefix(msg.Method, "eth_getBlockBy") && bytes.Contains(msg.Params, []byte("true")) {
		return wholeBlocks
	}
	return msg.Method
}

// TakesLong reports whether a method can keep a processor busy for long.
func TakesLong(method string) bool {
	return longCalls[method] || executes(method) || strings.HasPrefix(method, "debug_") ||
		strings.HasPrefix(method, "ots_")
}

// Workers hands out the workers for long calls that come over the network. It must be safe for concurrent use.
type Workers interface {
	// TakeYielding waits for a worker for a client (CallersOf) until the context ends. leave has to be called when the
	// call has run. yield may be called once meanwhile: the call ends then, and may wait again with again set.
	TakeYielding(ctx context.Context, callers []string, again bool, yield func()) (leave func(), err error)
}

// workers are those of the process: upstream's servers are made where no option of gwon is in reach.
var workers atomic.Pointer[Workers]

// SetWorkers makes long calls of all servers of the process wait for workers, nil for none. Calls within the process
// and IPC pass by them.
func SetWorkers(w Workers) {
	if w == nil {
		workers.Store(nil)
		return
	}
	workers.Store(&w)
}

// busyError answers a call that did not get a turn.
type busyError struct{ text string }

func (e *busyError) Error() string { return e.text }

// ErrorCode is that of a call that took too long.
func (e *busyError) ErrorCode() int { return errcodeTimeout }

var (
	errNoTurn     = &busyError{"the node is busy with calls like this one: try again later, or with fewer at a time"}
	errBatchSpent = &busyError{"the calls before this one have used up the time of the batch: send smaller batches"}
)

// batchBudget is what is left of the time for the long calls of one batch, whose calls run one after the other.
type batchBudget struct {
	left time.Duration
	collected
}

type batchBudgetKey struct{}

// withBatchBudget gives the calls of a batch their common time.
func withBatchBudget(ctx context.Context) context.Context {
	return context.WithValue(ctx, batchBudgetKey{}, &batchBudget{left: batchTime})
}

// enter waits until a call may run. leave has to be called when it has. yield may be called once meanwhile, when the
// worker is wanted by a client that has used little.
func enter(ctx context.Context, remote string, yielded bool, yield func()) (leave func(), err error) {
	budget, _ := ctx.Value(batchBudgetKey{}).(*batchBudget)
	if budget != nil && budget.left <= 0 {
		return nil, errBatchSpent
	}
	end := func() {}
	if w := workers.Load(); w != nil {
		waiting, cancel := context.WithTimeout(ctx, turnPatience)
		defer cancel()
		if end, err = (*w).TakeYielding(waiting, CallersOf(remote), yielded, yield); err != nil {
			return nil, errNoTurn
		}
	}
	start := time.Now()
	return func() {
		if budget != nil {
			budget.left -= time.Since(start)
		}
		end()
	}, nil
}
