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

// What can be said of a method.
const (
	long      = 1 << iota // it can keep a processor busy for long
	unpausing             // it keeps a processor, and the memory of a large answer, until it is done
	executing             // it executes transactions, or traces them: its whole run is cut at the deadline for calls
	searching             // its work ends with its context, and its time depends on what is asked for
)

// kinds say what methods are, those that are not named by how they begin. A search for transactions ends by itself, and
// answers what it has found until then.
var (
	kinds = map[string]int{
		"eth_call": long | executing, "eth_estimateGas": long | executing, "eth_createAccessList": long | executing,
		"eth_simulateV1": long | executing, "eth_fillTransaction": long | executing,
		"eth_getLogs": long | searching, "eth_getFilterLogs": long | searching, "eth_getProof": long | searching,
		"eth_getBlockReceipts": long | unpausing, "eth_getReceiptsByHash": long | unpausing,
		"eth_getTransactionReceipt": long, "eth_getTransactionReceiptBySenderHash": long, // of 100,000 logs and more
		"istanbul_status": long | unpausing, "istanbul_getReceiptProof": long | unpausing,
		"istanbul_getFinalityProof": long | unpausing, "txpool_content": long | unpausing,
		"txpool_contentFrom": long | unpausing, "txpool_inspect": long | unpausing, GraphQL: long | unpausing | executing,
		"eth_feeHistory": long, wholeBlocks: long, MatchingLogs: long,
	}
	kindsByBegin = []struct {
		begin string
		kind  int
	}{
		{"debug_trace", long | executing}, {"debug_standardTrace", long | executing},
		{"debug_intermediateRoots", long | executing}, {"debug_", long}, {"trace_", long | executing},
		{"ots_search", long}, {"ots_", long | executing},
	}
)

func kindOf(method string) int {
	if kind, ok := kinds[method]; ok || strings.HasPrefix(method, "eth_") {
		return kind
	}
	for _, of := range kindsByBegin {
		if strings.HasPrefix(method, of.begin) {
			return of.kind
		}
	}
	return 0
}

// TakesLong reports whether a method can keep a processor busy for long.
func TakesLong(method string) bool { return kindOf(method)&long != 0 }

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

var errBatchSpent = &Refusal{Code: CodeTime,
	Text: "the calls before this one have used up the time of the batch: send smaller batches"}

// batchBudget is what is left of the time for the long calls of one batch, whose calls run one after the other.
type batchBudget struct {
	left      time.Duration
	collected Share // of the answers, which wait for the others; nil before the first one
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
	turn, err := d.Begin(ctx, owner, kindOf(method)&unpausing == 0)
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
