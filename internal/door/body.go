// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// NewBodies returns an account for the bodies of all requests to a program, where one has a number of bytes at most.
func NewBodies(most int) *Account {
	return NewAccount(Bound{Own: max(ownBody, 2*most), Sum: max(maxBody, 4*most), Moves: true})
}

// ReadBody reads the body of a request, at a least rate, and gives the handler what was read. It counts in an account
// until release is called. cancel is called when the request has to end because others need the room. Of a body above
// most bytes one more is read, and none where the request claims it: the handler refuses it. read counts bytes.
func ReadBody(
	w http.ResponseWriter, r *http.Request, bodies *Account, owner Owner, most int, cancel func(),
) (read int, release func(), err error) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength > int64(most) {
		return 0, func() {}, nil
	}
	control, past := http.NewResponseController(w), time.Unix(1, 0)
	var served atomic.Bool
	share := bodies.Share(owner, func() {
		if served.Load() { // the connection ends, which net/http takes for canceled from now on
			cancel()
			_ = control.SetWriteDeadline(past) // fails for a request that has ended
		}
		_ = control.SetReadDeadline(past)
	})
	var b readBytes
	if err = b.readFrom(r.Body, share, most, control.SetReadDeadline); err != nil {
		share.Release()
		return b.n, nil, fmt.Errorf("read the request: %w", err)
	}
	served.Store(true)
	r.Body, r.ContentLength = io.NopCloser(&b.chunks), int64(b.n)
	return b.n, share.Release, nil
}

// ReadMessage reads a message of a WebSocket, at a least rate. It counts in an account until release is called. abort
// ends the connection when others need the room or the message is late. The connection's deadline is that of pings.
func ReadMessage(message io.Reader, bodies *Account, owner Owner, abort func()) (
	content []byte, release func(), err error) {
	share, b, due := bodies.Share(owner, abort), new(readBytes), time.AfterFunc(bodyGrace, abort)
	defer due.Stop()
	err = b.readFrom(message, share, math.MaxInt, func(at time.Time) error {
		if due.Stop(); !at.IsZero() {
			due.Reset(time.Until(at))
		}
		return nil
	})
	if err == nil {
		err = share.Add(messageBytes + b.n - b.counted)
	}
	if err != nil {
		share.Release()
		return nil, nil, err //nolint:wrapcheck // the caller looks at the error of its connection
	}
	return slices.Concat(b.chunks...), share.Release, nil
}

// fullChunks has memory of bodies that did not end, for the next ones: many of them leave nothing to the collector.
var fullChunks = sync.Pool{New: func() any { return new([bodyChunk]byte) }}

// readBytes is a body in memory, in chunks that grow with it: a body that does not end leaves no copies of itself.
type readBytes struct {
	chunks     net.Buffers
	n, counted int // bytes in all, and of the memory that is counted
}

// readFrom reads a body to its end. Memory is counted before it is taken, but for the first chunk.
func (b *readBytes) readFrom(
	body io.Reader, share *Share, most int, setDeadline func(time.Time) error,
) (err error) {
	begun, slow, chunk := time.Now(), false, make([]byte, 0, firstChunk)
	defer func() {
		b.chunks = append(b.chunks, chunk)
		for _, c := range b.chunks {
			if err != nil && cap(c) == bodyChunk {
				fullChunks.Put((*[bodyChunk]byte)(c[:bodyChunk]))
			}
		}
	}()
	for {
		if len(chunk) == cap(chunk) {
			size := min(b.n, bodyChunk)
			if err := share.Add(size); err != nil {
				return err
			}
			b.chunks, chunk, b.counted = append(b.chunks, chunk), make([]byte, 0, size%bodyChunk), b.counted+size
			if size == bodyChunk {
				chunk = fullChunks.Get().(*[bodyChunk]byte)[:0]
			}
		}
		n, err := body.Read(chunk[len(chunk):cap(chunk)])
		chunk, b.n = chunk[:len(chunk)+n], b.n+n
		switch {
		case errors.Is(err, io.EOF):
			share.Settle()
			if slow {
				_ = setDeadline(time.Time{}) // the answer has its own time
			}
			return nil
		case err == nil && b.n > most:
			return nil // the deadline stays for what net/http reads of the rest
		case err != nil:
			return err //nolint:wrapcheck // the caller says what was read
		}
		slow = true
		due := bodyGrace + time.Duration(b.n)*time.Second/bodyRate
		err = setDeadline(begun.Add(min(due, RequestTime)))
		if err != nil && !errors.Is(err, http.ErrNotSupported) { // by what is in memory already
			return fmt.Errorf("bound the time of a request: %w", err)
		}
	}
}
