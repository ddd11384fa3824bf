// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

// The handler of a call is an unexported type of this package, so that calls ask the door for their turns here.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"sync/atomic"
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

// kinds say what methods are, unless it follows from how they begin. A search for transactions ends by itself.
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

type turnKey struct{}

// WithLimit returns a context that ends with the error late when a call has run for a time, without its pauses.
func WithLimit(ctx context.Context, limit time.Duration, late error) (context.Context, context.CancelFunc) {
	turn, ok := ctx.Value(turnKey{}).(Turn)
	if !ok {
		return context.WithTimeoutCause(ctx, limit, late)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	due := time.Now().Add(limit - turn.Paused())
	var end func()
	end = func() {
		if left := time.Until(due.Add(turn.Paused())); left > 0 && ctx.Err() == nil {
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

// PauseOf returns what a call has to call often, so that others have their turn, nil without turns. Its error ends it.
func PauseOf(ctx context.Context) func(long bool) error {
	turn, ok := ctx.Value(turnKey{}).(Turn)
	if !ok {
		return nil
	}
	return func(long bool) error { return turn.Pause(ctx, long) }
}

// Help begins work for a call in another goroutine, which calls end when it is done: the owner pays for it too.
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

// searchTime is that of a search of a client from the network: its answer is sent within the 30 s of a request.
const searchTime = 20 * time.Second

// callTime is that of the process: upstream's servers are made where no option of gwon is in reach.
var callTime atomic.Int64

// SetCallTime sets for how long a call that executes transactions may run, on all transports and without the waits for
// its turns. 0 means no limit. A trace may ask for more in its configuration. Methods must have no clock of their own
// beside it (RPCEVMTimeout), because that runs on in pauses.
func SetCallTime(limit time.Duration) { callTime.Store(int64(limit)) }

// timeRefusal answers a call that ran for too long, with upstream's text for eth_call. Traces have a reason.
func timeRefusal(method string, limit time.Duration) *Refusal {
	r := &Refusal{Code: CodeTime, Text: fmt.Sprintf("execution aborted (timeout = %v)", limit)}
	if !strings.HasPrefix(method, "eth_") {
		r.Reason = "time"
	}
	return r
}

// errSearchTime answers a search that ran for too long.
var errSearchTime = &Refusal{Code: CodeTime, Text: fmt.Sprintf("the search took longer than %v: ask for fewer blocks, "+
	"addresses and topics, or for fewer keys of a proof", searchTime)}

// timeOf returns for how long a call may run, and the error of one that takes longer; 0 means without a limit.
func timeOf(network bool, method string, params json.RawMessage) (limit time.Duration, late *Refusal) {
	kind := kindOf(method)
	if network && kind&searching != 0 {
		return searchTime, errSearchTime
	}
	if limit = time.Duration(callTime.Load()); limit <= 0 || kind&executing == 0 {
		return 0, nil
	}
	if strings.HasPrefix(method, "debug_") {
		for _, found := range timeouts.FindAllSubmatch(params, -1) {
			if asked, err := time.ParseDuration(string(found[1])); err == nil { // the method judges the rest
				limit = max(limit, asked)
			}
		}
	}
	return limit, timeRefusal(method, limit)
}

// timeouts finds the time that the configuration of a trace asks for.
var timeouts = regexp.MustCompile(`(?i)"timeout"\s*:\s*"([^"]*)"`)

// runTurn runs the method of a call.
func (h *handler) runTurn(ctx context.Context, msg *jsonrpcMessage, callb *callback, args []reflect.Value) (
	answer *jsonrpcMessage) {
	d, owner := h.doorFor(ctx)
	err := runCall(ctx, d, owner, chargedAs(msg), msg.Params, func(ctx context.Context) {
		answer = h.runMethod(ctx, msg, callb, args)
	})
	if err != nil {
		return msg.errorResponse(err)
	}
	h.collect(ctx, answer)
	return answer
}

// RunCall runs work for the client of a request as the server of JSON-RPC runs a long call: the client pays for its
// bytes and its time, it waits for a worker, and it ends at the deadline for calls.
func RunCall(ctx context.Context, method string, params json.RawMessage, run func(context.Context)) error {
	d, owner := theDoor(), OwnerFrom(ctx)
	if d != nil {
		if err := d.Call(ctx, owner, method, params); err != nil {
			return err
		}
	}
	return runCall(ctx, d, owner, method, params, run)
}

// runCall runs a call as soon as it may, in its turns and until its deadline, and charges its owner for its work. The
// error says why it did not run, or not to its end: whatever it has answered is not what was asked for then. Calls of
// the node's own user (IPC, in the process) and short ones run at once.
func runCall(ctx context.Context, d Door, owner Owner, method string, params json.RawMessage,
	run func(context.Context)) (err error) {
	takesLong := kindOf(method)&long != 0
	budget, _ := ctx.Value(batchBudgetKey{}).(*batchBudget)
	switch {
	case d == nil:
	case takesLong && budget != nil && budget.left <= 0:
		return errBatchSpent
	case takesLong:
		turn, refused := d.Begin(ctx, owner, kindOf(method)&unpausing == 0)
		if refused != nil {
			return refused //nolint:wrapcheck // the error is the answer
		}
		ctx = context.WithValue(ctx, turnKey{}, turn)
		defer func() {
			worked, failed := turn.End()
			d.Used(owner, method, worked)
			if budget != nil {
				budget.left -= worked
			}
			if failed != nil {
				err = failed
			}
		}()
	default:
		defer func(begun time.Time) { d.Used(owner, method, time.Since(begun)) }(time.Now())
	}
	limit, late := timeOf(d != nil, method, params)
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = WithLimit(ctx, limit, late)
		defer cancel()
	}
	run(ctx)
	if errors.As(context.Cause(ctx), &late) { // also at the end of its request
		return late
	}
	return nil
}
