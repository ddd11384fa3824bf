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
		limit = max(limit, askedTime(params))
	}
	return limit, timeRefusal(method, limit)
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

// runTurn runs the method of a call.
func (h *handler) runTurn(ctx context.Context, msg *jsonrpcMessage, callb *callback, args []reflect.Value) (
	answer *jsonrpcMessage) {
	d, owner := h.doorFor(ctx)
	limit, late := timeOf(d != nil, msg.Method, msg.Params)
	err := runCall(ctx, d, owner, chargedAs(msg), limit, late, func(ctx context.Context) {
		answer = h.runMethod(ctx, msg, callb, args)
	})
	if err != nil {
		return msg.errorResponse(err)
	}
	h.collect(ctx, answer)
	return answer
}

// RunCall runs work for the client of a request as the server of JSON-RPC runs a long call: the client pays for its bytes
// and its time, it waits for a worker, and it ends at the deadline for calls.
func RunCall(ctx context.Context, method string, params json.RawMessage, run func(context.Context)) error {
	d, owner := theDoor(), OwnerFrom(ctx)
	if d != nil {
		if err := d.Call(ctx, owner, method, params); err != nil {
			return err
		}
	}
	limit, late := timeOf(d != nil, method, params)
	return runCall(ctx, d, owner, method, limit, late, run)
}

// runCall runs a call as soon as it may, and until its deadline. Whatever it answers after that is not what was asked
// for, and late is returned. Calls of the node's own user (IPC, in the process) and short ones run at once. The door is
// told how long a call has worked.
func runCall(ctx context.Context, d Door, owner Owner, method string, limit time.Duration, late *Refusal,
	run func(context.Context)) (err error) {
	until := func(ctx context.Context) {
		if limit > 0 {
			var cancel context.CancelFunc
			ctx, cancel = WithLimit(ctx, limit, late)
			defer cancel()
		}
		run(ctx)
		if errors.As(context.Cause(ctx), &late) { // also at the end of its request
			err = late
		}
	}
	switch {
	case d == nil:
		until(ctx)
	case kindOf(method)&long == 0:
		start := time.Now()
		until(ctx)
		d.Used(owner, method, time.Since(start))
	default:
		if failed := inTurn(ctx, d, owner, method, until); failed != nil {
			return failed
		}
	}
	return err
}
