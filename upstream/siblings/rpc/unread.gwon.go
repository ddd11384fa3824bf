// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

// Bytes are counted here because handlers and codecs are unexported, and upstream cannot import gwon.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/gorilla/websocket"
)

const (
	messageBytes = 128      // that an answer or notification takes beside its contents
	smallAnswer  = 4 << 10  // bytes of an answer that is not counted: each connection has one of these at most
	keptBuffer   = 64 << 10 // bytes of the buffer that a WebSocket keeps for its next message

	// MaxAnswer bounds an answer in bytes that has no other bound, and is kept until its call has ended.
	MaxAnswer = 10 << 20
)

// endedUnread counts connections that were ended because all connections have too much.
var endedUnread = metrics.NewRegisteredCounter("rpc/unread/ended", nil)

// unread returns a share of what a connection has not read. Where others need it more the connection is ended.
func (o *outbox) unread() Share {
	if d := theDoor(); d != nil {
		return d.Share(Unread, o.owner, func() { _ = o.end("total", endedUnread) })
	}
	return noShare{}
}

// collect counts the answer to a call of a batch until the batch is written and its context ends.
func (h *handler) collect(ctx context.Context, answer *jsonrpcMessage) {
	budget, isBatch := ctx.Value(batchBudgetKey{}).(*batchBudget)
	if !isBatch || answer == nil {
		return
	}
	o := h.conn.(*outbox)
	if budget.collected == nil {
		budget.collected = o.unread()
		context.AfterFunc(ctx, budget.collected.Release)
	}
	if budget.collected.Add(sizeOf(answer)) != nil && ctx.Err() == nil {
		_ = o.end("total", endedUnread)
	}
}

// sizeOf returns how many bytes an answer or notification takes.
func sizeOf(msg *jsonrpcMessage) int {
	return messageBytes + len(msg.Method) + len(msg.Params) + len(msg.Result) + len(msg.Error)
}

// writeAnswer writes one answer, which counts meanwhile.
func (o *outbox) writeAnswer(ctx context.Context, msg *jsonrpcMessage, isError bool) error {
	if size := sizeOf(msg); size > smallAnswer {
		share := o.unread()
		defer share.Release()
		if share.Add(size) != nil {
			return o.end("total", endedUnread)
		}
	}
	return o.jsonWriter.writeJSON(ctx, msg, isError)
}

// abort ends the connection below a codec, also while it writes. Over HTTP the calls of the request are canceled.
func (c *jsonCodec) abort() {
	request, ok := c.conn.(*httpServerConn)
	if !ok {
		_ = c.conn.Close()
		return
	}
	if w, ok := request.Writer.(http.ResponseWriter); ok {
		control, past := http.NewResponseController(w), time.Unix(1, 0)
		if err := errors.Join(control.SetWriteDeadline(past), control.SetReadDeadline(past)); err != nil {
			log.Error("HTTP connection not ended", "conn", c.remoteAddr(), "err", err)
		}
	}
}

// dropLargeBuffers has a WebSocket forget the buffer of a long message, which would stay as long as its client.
func dropLargeBuffers(codec *websocketCodec) {
	var buffer []byte
	send := func(message []byte) error {
		buffer = keptOf(message)
		return codec.conn.WriteMessage(websocket.TextMessage, message)
	}
	codec.encodeMsg = func(_ context.Context, msg *jsonrpcMessage, _ bool) error {
		return send(appendMessage(buffer, msg))
	}
	codec.encodeBatch = func(_ context.Context, msgs []*jsonrpcMessage, _ bool) error {
		return send(appendBatch(buffer, msgs))
	}
}

// keptOf returns the buffer of a message that is kept for the next one, nil for none.
func keptOf(message []byte) []byte {
	if cap(message) > keptBuffer {
		return nil
	}
	return message[:0]
}

// countMessages has the messages of a WebSocket counted while they are read and their calls run.
func (o *outbox) countMessages(d Door, codec *websocketCodec) {
	if d == nil {
		return
	}
	codec.readFrame = func() ([]byte, error) {
		_, message, err := codec.conn.NextReader()
		if err != nil {
			return nil, err //nolint:wrapcheck // upstream looks at the error of the connection
		}
		content, release, err := d.Read(o.owner, message, codec.abort)
		if err != nil {
			return nil, err //nolint:wrapcheck // the same
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		select {
		case <-codec.closed():
			release()
		default:
			o.reading = append(o.reading, release)
		}
		return content, nil
	}
	go func() { // what is never handled, such as a message that is no JSON
		<-codec.closed()
		o.mu.Lock()
		defer o.mu.Unlock()
		for _, release := range append(o.reading, o.handled) {
			release()
		}
		o.reading, o.handled = nil, func() {}
	}()
}

// next begins with the oldest message that is not handled. The one before counts no more, unless it has calls.
func (h *handler) next() {
	o := h.conn.(*outbox)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.handled()
	if o.handled = func() {}; len(o.reading) > 0 {
		o.handled, o.reading = o.reading[0], o.reading[1:]
	}
}

// start runs the calls of the message that is handled, which counts until they have ended; those of HTTP at once.
func (h *handler) start(run func()) {
	if !h.allowSubscribe {
		run()
		return
	}
	o := h.conn.(*outbox)
	o.mu.Lock()
	defer o.mu.Unlock()
	release := o.handled
	o.handled = func() {}
	go func() {
		defer release()
		run()
	}()
}

// Bounds of what a request becomes in memory. An element of two bytes becomes a structure of some hundred, and the
// limits of batches and simulations are looked at only after that.
const (
	maxMessages = 100_000 // elements of a batch, far above any limit of batches
	maxObjects  = 32_768  // objects and nulls in the parameters of one call
)

var errTooManyMessages = errors.New("batch too large")

// boundBatches makes a connection fail at a batch with too many elements before each of them becomes a message.
func boundBatches(codec *jsonCodec) {
	read := codec.readFrame
	codec.readFrame = func() ([]byte, error) {
		frame, err := read()
		if err == nil && isBatch(frame) && bytes.Count(frame, []byte{','}) >= maxMessages {
			if commas, _ := scan(frame); commas >= maxMessages {
				return nil, errTooManyMessages
			}
		}
		return frame, err
	}
}

// checkObjects refuses the parameters of a call that have too many objects and nulls.
func checkObjects(params json.RawMessage) error {
	if _, n := scan(params); n > maxObjects {
		return &invalidParamsError{fmt.Sprintf("the parameters have %d objects, at most %d are allowed: divide the call",
			n, maxObjects)}
	}
	return nil
}

// scan counts the commas of the outermost list, and all objects and nulls, outside of strings.
func scan(data []byte) (commas, objects int) {
	inString, depth := false, 0
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
			if c == '{' {
				objects++
			}
		case c == '}' || c == ']':
			depth--
		case c == 'n':
			objects++
		case c == ',' && depth == 1:
			commas++
		}
	}
	return commas, objects
}
