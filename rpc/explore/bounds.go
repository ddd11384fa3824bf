// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package explore

import (
	"context"
	"fmt"
	"runtime"
	"time"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// Bounds limit what one call may cost.
type Bounds struct {
	Time    time.Duration // of one call, without the wait for its turn
	Size    int           // of an answer, in bytes
	Gas     uint64        // of debug_traceCall, and of all blocks that trace_filter executes
	Blocks  uint64        // range of trace_filter
	Traces  int           // that trace_filter returns
	Page    int           // transactions of a page
	Running int           // calls that execute transactions at the same time
}

// DefaultBounds returns the bounds of a node. The number of running calls follows from the processors.
func DefaultBounds() Bounds {
	return Bounds{
		Time: 5 * time.Second, Size: 25_000_000, Gas: 500_000_000, Blocks: 1000, Traces: 10_000, Page: 100,
		Running: max(1, runtime.GOMAXPROCS(0)/2),
	}
}

// JSON-RPC codes of refusals (spec rpc 2.5).
const (
	codeTime   = -32002
	codeSize   = -32003
	codeLimit  = -32005
	codeParams = -32602
)

// refusal is the error of a call that exceeds a bound or has a parameter that is not open to the network.
type refusal struct {
	Reason string `json:"reason"` // time, size, gas, blocks, traces, page, busy, tracer or params

	code int
	text string
}

func refuse(code int, reason, format string, args ...any) *refusal {
	return &refusal{Reason: reason, code: code, text: fmt.Sprintf(format, args...)}
}

func (r *refusal) Error() string { return r.text }

// ErrorCode implements rpc.Error.
func (r *refusal) ErrorCode() int { return r.code }

// ErrorData implements rpc.DataError.
func (r *refusal) ErrorData() any { return r }

// stateError is the error of a block whose state the node does not have.
type stateError struct {
	number uint64
	cause  error
}

func (e *stateError) Error() string {
	return fmt.Sprintf("the state of block %d is not here (%v): the node needs --gcmode archive from its first start on, "+
		"and some minutes to index old states after an import", e.number, e.cause)
}

func (e *stateError) Unwrap() error { return e.cause }

// work is one bounded call.
type work struct {
	context.Context
	left  int // bytes of the answer
	most  int // bytes
	cease context.CancelCauseFunc
}

// begin starts a bounded call that may take a time, at most that of the bounds; 0 means that. end must be called.
func (b *Bounds) begin(ctx context.Context, limit time.Duration) (w *work, end func()) {
	if limit <= 0 || limit > b.Time {
		limit = b.Time
	}
	late := refuse(codeTime, "time", "the call took more than %v: ask for less", limit)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
	ctx, cease := context.WithCancelCause(ctx)
	return &work{Context: ctx, left: b.Size, most: b.Size, cease: cease}, func() {
		cease(nil)
		cancel()
	}
}

// spend takes bytes off the answer.
func (w *work) spend(bytes int) error {
	if w.left -= bytes; w.left < 0 {
		return refuse(codeSize, "size", "the answer would have more than %d bytes: ask for less", w.most)
	}
	return nil
}

// err returns why the work has to end; nil if it may go on.
func (w *work) err() error {
	if w.Err() == nil {
		return nil
	}
	return context.Cause(w)
}

// slots bound the calls that execute transactions at the same time.
type slots struct {
	free     chan struct{}
	patience time.Duration
}

func newSlots(b Bounds) *slots { return &slots{make(chan struct{}, b.Running), b.Time} }

// enter waits for a slot. leave gives it back.
func (s *slots) enter(ctx context.Context) (leave func(), err error) {
	patience := time.NewTimer(s.patience)
	defer patience.Stop()
	select {
	case s.free <- struct{}{}:
		return func() { <-s.free }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-patience.C:
		return nil, refuse(codeLimit, "busy", "%d traces are running, as many as the node allows: try again later",
			cap(s.free))
	}
}

// fromNetwork reports whether a call came over HTTP or WebSocket.
func fromNetwork(ctx context.Context) bool {
	transport := gethrpc.PeerInfoFromContext(ctx).Transport
	return transport == "http" || transport == "ws"
}
