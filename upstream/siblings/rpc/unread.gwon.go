// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

// Bytes are counted in this package because handlers and codecs are unexported types of it, and upstream cannot
// import gwon.

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/gorilla/websocket"
)

// Bounds of what clients have not read.
const (
	maxUnread   = 128 << 20   // bytes of all connections, with what batches have collected; see SetMaxUnread
	answerBytes = 128         // that an answer takes beside its contents
	slowAfter   = time.Second // a connection with bytes for longer has a client that does not read
	keptBuffer  = 64 << 10    // bytes of the buffer that a WebSocket keeps for its next message
)

// Connections that were ended because all connections have too much, and the bytes that wait.
var (
	endedUnread = metrics.NewRegisteredCounter("rpc/unread/ended", nil)
	unreadGauge = metrics.NewRegisteredGauge("rpc/unread/held", nil)
)

// unread are the connections with answers and notifications that are not written yet. Above the bound of all bytes the
// connection with most is ended. Those that have had some for long come first.
type unread struct {
	most int

	mu    sync.Mutex
	held  map[*outbox]*owed
	bytes int // without those of connections that were ended
}

// owed is what one connection has not written.
type owed struct {
	bytes int
	since time.Time
	ended bool
}

var allUnread = newUnread(maxUnread)

func newUnread(most int) *unread { return &unread{most: most, held: make(map[*outbox]*owed)} }

// SetMaxUnread bounds the bytes of what all clients of this process have not read.
func SetMaxUnread(most int) {
	allUnread.mu.Lock()
	defer allUnread.mu.Unlock()
	allUnread.most = most
}

// hold counts bytes of a connection until give is called with as many.
func (u *unread) hold(o *outbox, bytes int) {
	u.mu.Lock()
	own := u.held[o]
	if own == nil {
		own = &owed{since: time.Now()}
		u.held[o] = own
	}
	own.bytes += bytes
	if !own.ended {
		u.bytes += bytes
	}
	var ended []*outbox
	for u.bytes > u.most {
		largest := u.largest()
		u.held[largest].ended = true
		u.bytes -= u.held[largest].bytes
		ended = append(ended, largest)
	}
	unreadGauge.Update(int64(u.bytes))
	u.mu.Unlock()
	for _, o := range ended {
		o.end("total", endedUnread)
	}
}

// give ends the count of hold.
func (u *unread) give(o *outbox, bytes int) {
	if bytes == 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	own := u.held[o]
	if !own.ended {
		u.bytes -= bytes
	}
	if own.bytes -= bytes; own.bytes == 0 {
		delete(u.held, o)
	}
	unreadGauge.Update(int64(u.bytes))
}

// largest returns the connection with most bytes among those that wait for long, or among all if none does. The mutex
// is held, and there are bytes.
func (u *unread) largest() (most *outbox) {
	for _, slow := range []bool{true, false} {
		for o, own := range u.held {
			if own.ended || slow && time.Since(own.since) < slowAfter {
				continue
			}
			if most == nil || own.bytes > u.held[most].bytes {
				most = o
			}
		}
		if most != nil {
			break
		}
	}
	return most
}

// collected are the answers of one batch, which wait for the others.
type collected struct {
	outbox *outbox // nil before the first answer
	bytes  int
	given  bool
	mu     sync.Mutex // taken before the one of unread
}

// collect counts the answer to a call of a batch until the batch ends. The answers to other calls are written at once.
func (h *handler) collect(ctx context.Context, answer *jsonrpcMessage) {
	o, ok := h.conn.(*outbox)
	budget, isBatch := ctx.Value(batchBudgetKey{}).(*batchBudget)
	if !ok || !isBatch || answer == nil {
		return
	}
	c := &budget.collected
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.given {
		return // the batch was answered in the meantime
	}
	if c.outbox == nil {
		c.outbox = o
		context.AfterFunc(ctx, c.give)
	}
	size := sizeOfAnswer(answer)
	c.bytes += size
	o.unread.hold(o, size)
}

// give ends the count of what was collected.
func (c *collected) give() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.outbox != nil && !c.given {
		c.outbox.unread.give(c.outbox, c.bytes)
	}
	c.given = true
}

func sizeOfAnswer(msg *jsonrpcMessage) int {
	return answerBytes + len(msg.Result) + len(msg.Error) + len(msg.Params)
}

// writeAnswer writes one answer, which counts meanwhile.
func (o *outbox) writeAnswer(ctx context.Context, msg *jsonrpcMessage, isError bool) error {
	size := sizeOfAnswer(msg)
	o.unread.hold(o, size)
	defer o.unread.give(o, size)
	return o.jsonWriter.writeJSON(ctx, msg, isError)
}

// writeJSONBatch implements jsonWriter. The answers count until they are written, and no longer as those that wait for
// the rest of their batch.
func (o *outbox) writeJSONBatch(ctx context.Context, msgs []*jsonrpcMessage, isError bool) error {
	size := 0
	for _, msg := range msgs {
		size += sizeOfAnswer(msg)
	}
	if budget, isBatch := ctx.Value(batchBudgetKey{}).(*batchBudget); isBatch {
		budget.collected.give()
	}
	o.unread.hold(o, size)
	defer o.unread.give(o, size)
	return o.jsonWriter.writeJSONBatch(ctx, msgs, isError)
}

// abort ends a connection, also while it is written to.
func (o *outbox) abort() {
	if conn, ok := o.jsonWriter.(interface{ abort() }); ok {
		conn.abort()
	}
}

// abort closes the connection below a codec, also while the codec writes.
func (c *jsonCodec) abort() {
	if request, ok := c.conn.(*httpServerConn); ok {
		request.abort()
		return
	}
	_ = c.conn.Close()
}

// abort ends the connection of an HTTP request: writing fails at once, and the calls of the request are canceled.
func (t *httpServerConn) abort() {
	w, ok := t.Writer.(http.ResponseWriter)
	if !ok {
		return
	}
	controller, past := http.NewResponseController(w), time.Unix(1, 0)
	for _, end := range []func(time.Time) error{controller.SetWriteDeadline, controller.SetReadDeadline} {
		if err := end(past); err != nil {
			log.Error("HTTP connection not ended", "conn", t.r.RemoteAddr, "err", err)
		}
	}
}

// dropLargeBuffers has a WebSocket forget the buffer of a long message: a client that has asked for one would hold that
// memory for as long as it is connected.
func dropLargeBuffers(conn jsonWriter) {
	wc, ok := conn.(*websocketCodec)
	if !ok {
		return
	}
	var b sendBuffer
	wc.encodeMsg = func(_ context.Context, msg *jsonrpcMessage, _ bool) error {
		return wc.conn.WriteMessage(websocket.TextMessage, b.keep(appendMessage(b.kept, msg)))
	}
	wc.encodeBatch = func(_ context.Context, msgs []*jsonrpcMessage, _ bool) error {
		return wc.conn.WriteMessage(websocket.TextMessage, b.keep(appendBatch(b.kept, msgs)))
	}
}

// sendBuffer is the buffer of the next message.
type sendBuffer struct{ kept []byte }

// keep keeps the buffer of a message unless it is a large one, and returns the message.
func (b *sendBuffer) keep(message []byte) []byte {
	b.kept = nil
	if cap(message) <= keptBuffer {
		b.kept = message[:0]
	}
	return message
}
