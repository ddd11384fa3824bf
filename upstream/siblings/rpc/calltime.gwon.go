// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"time"
)

// searchTime is for how long a search of a client from the network may run. Its answer has to be sent within the 30 s
// of an HTTP request.
const searchTime = 20 * time.Second

// searches are the methods whose work ends with their context, and whose time depends on what is asked for.
var searches = map[string]bool{"eth_getLogs": true, "eth_getFilterLogs": true, "eth_getProof": true}

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

// timeOf returns for how long a call may run; 0 means without a limit.
func timeOf(method string, params json.RawMessage) time.Duration {
	limit := time.Duration(callTime.Load())
	if limit <= 0 || !executes(method) {
		return 0
	}
	if strings.HasPrefix(method, "debug_") {
		limit = max(limit, askedTime(params))
	}
	return limit
}

// askedTime returns the time that the configuration of a trace asks for, 0 for none. The method judges the rest of it.
func askedTime(params json.RawMessage) (most time.Duration) {
	var list []json.RawMessage
	if json.Unmarshal(params, &list) != nil {
		return 0
	}
	for _, param := range list {
		var config struct {
			Timeout string `json:"timeout"`
		}
		if json.Unmarshal(param, &config) != nil {
			continue
		}
		if asked, err := time.ParseDuration(config.Timeout); err == nil {
			most = max(most, asked)
		}
	}
	return most
}

// runTurn runs a call as soon as it may, and until its deadline. Calls of the node's own user (IPC, in the process) and
// short ones run at once. The door is told how long a call has worked. start is when it began to run.
func (h *handler) runTurn(ctx context.Context, msg *jsonrpcMessage, callb *callback, args []reflect.Value) (
	answer *jsonrpcMessage, start time.Time) {
	d, owner := h.doorFor(ctx)
	limit := timeOf(msg.Method, msg.Params)
	var late *Refusal
	switch {
	case d != nil && searches[msg.Method]:
		limit, late = searchTime, errSearchTime
	case limit > 0:
		late = timeRefusal(msg.Method, limit)
	}
	start = time.Now()
	if d == nil || !TakesLong(chargedAs(msg)) {
		answer = h.runUntil(ctx, limit, late, msg, callb, args)
		if d != nil {
			d.Used(owner, msg.Method, time.Since(start))
		}
		h.collect(ctx, answer)
		return answer, start
	}
	err := inTurn(ctx, d, owner, chargedAs(msg), func(ctx context.Context) {
		start = time.Now()
		answer = h.runUntil(ctx, limit, late, msg, callb, args)
	})
	if err != nil {
		return msg.errorResponse(err), start
	}
	h.collect(ctx, answer)
	return answer, start
}

// runUntil runs a call and ends it at its deadline with the error late. Whatever it answers after that is not what was
// asked for.
func (h *handler) runUntil(ctx context.Context, limit time.Duration, late *Refusal, msg *jsonrpcMessage,
	callb *callback, args []reflect.Value) *jsonrpcMessage {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = WithLimit(ctx, limit, late)
		defer cancel()
	}
	answer := h.runMethod(ctx, msg, callb, args)
	if errors.As(context.Cause(ctx), &late) { // also at the end of its request
		return msg.errorResponse(late)
	}
	return answer
}
