// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

// The handler of a call is an unexported type of this package, so that calls ask the door for their turns here.

import (
	"bytes"
	"context"
	"strings"
	"time"
)

// batchTime is the time of a processor for one batch. The calls that are left then are refused.
const batchTime = 5 * time.Second

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

// unpausing are the long calls that keep a processor, and the memory of a large answer, until they are done.
var unpausing = map[string]bool{
	"eth_getBlockReceipts": true, "eth_getReceiptsByHash": true, "istanbul_status": true,
	"istanbul_getReceiptProof": true, "istanbul_getFinalityProof": true,
	"txpool_content": true, "txpool_contentFrom": true, "txpool_inspect": true, GraphQL: true,
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

var errBatchSpent = &Refusal{Code: CodeTime,
	Text: "the calls before this one have used up the time of the batch: send smaller batches"}

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

// inTurn runs a call in its turns, and charges its owner. The error says why it did not run, or not to its end.
func inTurn(ctx context.Context, d Door, owner Owner, method string, run func(context.Context)) (err error) {
	budget, _ := ctx.Value(batchBudgetKey{}).(*batchBudget)
	if budget != nil && budget.left <= 0 {
		return errBatchSpent
	}
	turn, err := d.Begin(ctx, owner, !unpausing[method])
	if err != nil {
		return err //nolint:wrapcheck // the error is the answer
	}
	defer func() {
		worked, failed := turn.End()
		d.Used(owner, method, worked)
		if budget != nil {
			budget.left -= worked
		}
		err = failed
	}()
	run(context.WithValue(ctx, turnKey{}, turn))
	return nil
}

type turnKey struct{}

// WithLimit returns a context that ends with the error late when a call has run for a time, without its pauses.
func WithLimit(ctx context.Context, limit time.Duration, late error) (context.Context, context.CancelFunc) {
	turn, ok := ctx.Value(turnKey{}).(Turn)
	if !ok {
		return context.WithTimeoutCause(ctx, limit, late)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	begun, before := time.Now(), turn.Paused()
	var end func()
	end = func() {
		if left := limit + turn.Paused() - before - time.Since(begun); left > 0 && ctx.Err() == nil {
			time.AfterFunc(left, end)
			return
		}
		cancel(late)
	}
	timer := time.AfterFunc(limit, end)
	return ctx, func() {
		timer.Stop()
		cancel(nil)
	}
}

// PauseOf returns what a call with a context has to call often, so that others have their turn. Its error ends the
// call. It is nil for a call that takes no turns.
func PauseOf(ctx context.Context) func(long bool) error {
	turn, ok := ctx.Value(turnKey{}).(Turn)
	if !ok {
		return nil
	}
	return func(long bool) error { return turn.Pause(ctx, long) }
}

// Help begins work for the call of a context in another goroutine, which calls end when it is done: the owner pays for
// that time too.
func Help(ctx context.Context) (end func()) {
	if turn, ok := ctx.Value(turnKey{}).(Turn); ok {
		return turn.Help()
	}
	return func() {}
}

// Pause lets others have their turn, in a call that takes turns. The error ends the call.
func Pause(ctx context.Context) error {
	if turn, ok := ctx.Value(turnKey{}).(Turn); ok {
		return turn.Pause(ctx, false)
	}
	return ctx.Err()
}
