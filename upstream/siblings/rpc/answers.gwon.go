// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

// Answers are counted in this package because handlers and codecs are unexported types of it, and upstream cannot
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

// Bounds of the answers that are not written yet.
const (
	maxAllAnswers = 128 << 20   // bytes of all connections, with what batches have collected
	answerBytes   = 128         // that an answer takes beside its contents
	slowAfter     = time.Second // an answer that waits for longer has a client that does not read
	keptBuffer    = 64 << 10    // bytes of the buffer that a WebSocket keeps for its next message
)

// Connections that were ended for their answers, and the bytes that wait.
var (
	endedAnswers = metrics.NewRegisteredCounter("rpc/answers/ended", nil)
	answersGauge = metrics.NewRegisteredGauge("rpc/answers/held", nil)
)

// answers are the connections with answers that are not written yet. Above the bound of all bytes the connection with
// most is ended. Those whose answers have waited for long come first.
type answers struct {
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

var allAnswers = newAnswers(maxAllAnswers)

func newAnswers(most int) *answers { return &answers{most: most, held: make(map[*outbox]*owed)} }

// hold counts bytes of a connection until give is called with as many.
func (a *answers) hold(o *outbox, bytes int) {
	a.mu.Lock()
	own := a.held[o]
	if own == nil {
		own = &owed{since: time.Now()}
		a.held[o] = own
	}
	own.bytes += bytes
	if !own.ended {
		a.bytes += bytes
	}
	var ended []*outbox
	for a.bytes > a.most {
		largest := a.largest()
		a.held[largest].ended = true
		a.bytes -= a.held[largest].bytes
		ended = append(ended, largest)
	}
	answersGauge.Update(int64(a.bytes))
	a.mu.Unlock()
	for _, o := range ended {
		endedAnswers.Inc(1)
		log.Debug("Connection ended for its answers", "conn", o.remoteAddr())
		o.abort()
	}
}

// give ends the count of hold.
func (a *answers) give(o *outbox, bytes int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	own := a.held[o]
	if !own.ended {
		a.bytes -= bytes
	}
	if own.bytes -= bytes; own.bytes == 0 {
		delete(a.held, o)
	}
	answersGauge.Update(int64(a.bytes))
}

// largest returns the connection with most bytes among those that wait for long, or among all if none does. The mutex
// is held, and there are bytes.
func (a *answers) largest() (most *outbox) {
	for _, slow := range []bool{true, false} {
		for o, own := range a.held {
			if own.ended || slow && time.Since(own.since) < slowAfter {
				continue
			}
			if most == nil || own.bytes > a.held[most].bytes {
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
	mu     sync.Mutex // taken before the one of answers
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
	o.answers.hold(o, size)
}

// give ends the count of what was collected.
func (c *collected) give() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.outbox != nil && !c.given {
		c.outbox.answers.give(c.outbox, c.bytes)
	}
	c.given = true
}

func sizeOfAnswer(msg *jsonrpcMessage) int {
	return answerBytes + len(msg.Result) + len(msg.Error) + len(msg.Params)
}

// writeAnswer writes one answer, which counts meanwhile.
func (o *outbox) writeAnswer(ctx context.Context, msg *jsonrpcMessage, isError bool) error {
	size := sizeOfAnswer(msg)
	o.answers.hold(o, size)
	defer o.answers.give(o, size)
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
	o.answers.hold(o, size)
	defer o.answers.give(o, size)
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
