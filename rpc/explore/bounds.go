// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package explore

import (
	"context"
	"fmt"
	"time"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// Bounds limit what one call may cost.
type Bounds struct {
	Time   time.Duration // of one call, without the waits for its turns
	Size   int           // of an answer, in bytes
	Gas    uint64        // of debug_traceCall, and of all blocks that trace_filter executes
	Blocks uint64        // range of trace_filter
	Traces int           // that trace_filter returns
	Page   int           // transactions of a page
}

// DefaultBounds returns the bounds of a node.
func DefaultBounds() Bounds {
	return Bounds{
		Time: 5 * time.Second, Size: 25_000_000, Gas: 500_000_000, Blocks: 1000, Traces: 10_000, Page: 100,
	}
}

// refusal is the error of a call that exceeds a bound or has a parameter that is not open to the network. Its reason is
// time, size, gas, blocks, traces, page, busy, tracer or params.
type refusal = gethrpc.Refusal

func refuse(code int, reason, format string, args ...any) *refusal {
	return &refusal{Code: code, Reason: reason, Text: fmt.Sprintf(format, args...)}
}

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
	share gethrpc.Share // of the answers of all
}

// begin starts a bounded call that may take a time, at most that of the bounds; 0 means that. end must be called.
func (b *Bounds) begin(ctx context.Context, limit time.Duration) (w *work, end func()) {
	if limit <= 0 || limit > b.Time {
		limit = b.Time
	}
	late := refuse(gethrpc.CodeTime, "time", "the call took more than %v: ask for less", limit)
	ctx, cancel := gethrpc.WithLimit(ctx, limit, late)
	ctx, cease := context.WithCancelCause(ctx)
	share := gethrpc.ShareOf(ctx, gethrpc.Unread, func() { cease(errBusy) })
	return &work{ctx, b.Size, b.Size, cease, share}, func() {
		share.Release()
		cease(nil)
		cancel()
	}
}

// errBusy ends a call whose answer is the largest of all that are being made and read.
var errBusy = refuse(gethrpc.CodeLimit, "busy",
	"the answers of all clients have too many bytes: ask for less, or later")

// spend takes bytes off the answer, which wait for their client from now on. A negative number gives them back.
func (w *work) spend(bytes int) error {
	if w.left -= bytes; w.left < 0 {
		return refuse(gethrpc.CodeSize, "size", "the answer would have more than %d bytes: ask for less", w.most)
	}
	if w.share.Add(bytes) != nil {
		return errBusy
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

// fromNetwork reports whether a call came over HTTP or WebSocket.
func fromNetwork(ctx context.Context) bool {
	transport := gethrpc.PeerInfoFromContext(ctx).Transport
	return transport == "http" || transport == "ws"
}
