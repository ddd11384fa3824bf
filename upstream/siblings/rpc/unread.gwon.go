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

const (
	answerBytes = 128      // that an answer takes beside its contents
	smallAnswer = 4 << 10  // bytes of an answer that is not counted: each connection has one of these at most
	keptBuffer  = 64 << 10 // bytes of the buffer that a WebSocket keeps for its next message
)

// endedUnread counts connections that were ended because all connections have too much.
var endedUnread = metrics.NewRegisteredCounter("rpc/unread/ended", nil)

// hold counts bytes that the client has not read until give is called with as many. The error says that there is no
// room, and then the connection is ended.
func (o *outbox) hold(bytes int) error {
	if bytes == 0 {
		return nil
	}
	o.mu.Lock()
	if o.unread == nil {
		if d := theDoor(); d != nil {
			o.unread = d.Share(Unread, o.knownOwner(context.Background()), func() { o.end("total", endedUnread) })
		}
	}
	share := o.unread
	o.mu.Unlock()
	if share == nil {
		return nil
	}
	if err := share.Add(bytes); err != nil {
		o.end("total", endedUnread)
		return errEnded
	}
	return nil
}

// give ends the count of hold.
func (o *outbox) give(bytes int) {
	o.mu.Lock()
	share := o.unread
	o.mu.Unlock()
	if share != nil && bytes > 0 {
		_ = share.Add(-bytes) // fails for a connection that has been ended, which counts no more
	}
}

// collected are the answers of one batch, which wait for the others.
type collected struct {
	outbox *outbox // nil before the first answer
	bytes  int
	given  bool
	mu     sync.Mutex // taken before the one of unread
}

// collect counts the answer to a call of a batch until the batch is written, with which its context ends. The answers
// to other calls are written at once.
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
	if o.hold(size) == nil {
		c.bytes += size
	}
}

// give ends the count of what was collected.
func (c *collected) give() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.outbox != nil && !c.given {
		c.outbox.give(c.bytes)
	}
	c.given = true
}

func sizeOfAnswer(msg *jsonrpcMessage) int {
	return answerBytes + len(msg.Result) + len(msg.Error) + len(msg.Params)
}

// writeAnswer writes one answer, which counts meanwhile.
func (o *outbox) writeAnswer(ctx context.Context, msg *jsonrpcMessage, isError bool) error {
	size := sizeOfAnswer(msg)
	if size <= smallAnswer {
		return o.jsonWriter.writeJSON(ctx, msg, isError)
	}
	if err := o.hold(size); err != nil {
		return err
	}
	defer o.give(size)
	return o.jsonWriter.writeJSON(ctx, msg, isError)
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

// countMessages has the messages of a WebSocket counted while they are read and their calls run.
func (o *outbox) countMessages() {
	wc, ok := o.jsonWriter.(*websocketCodec)
	d := theDoor()
	if !ok || d == nil {
		return
	}
	owner := d.OwnerOf(wc.info.RemoteAddr)
	wc.readFrame = func() ([]byte, error) {
		_, message, err := wc.conn.NextReader()
		if err != nil {
			return nil, err //nolint:wrapcheck // upstream looks at the error of the connection
		}
		content, release, err := d.Read(owner, message, wc.conn.SetReadDeadline, wc.abort)
		if err != nil {
			return nil, err //nolint:wrapcheck // the same
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		o.reading = append(o.reading, release)
		return content, nil
	}
}

// held runs the calls of the oldest message of a connection that has not run. The message counts until they have ended.
func (h *handler) held(run func()) {
	if o, ok := h.conn.(*outbox); ok {
		o.mu.Lock()
		if len(o.reading) > 0 {
			defer o.reading[0]()
			o.reading = o.reading[1:]
		}
		o.mu.Unlock()
	}
	run()
}
