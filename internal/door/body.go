// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
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
// most bytes one more is read, and none where the request claims it: the handler refuses it. read is how many bytes
// came, also with an error.
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
	b := new(readBytes)
	release = func() {
		share.Release()
		b.free()
	}
	err = b.readFrom(r.Body, share, most, control.SetReadDeadline)
	if read = b.n; err != nil {
		release()
		return read, nil, fmt.Errorf("read the request: %w", err)
	}
	served.Store(true)
	r.Body, r.ContentLength = io.NopCloser(b), int64(read)
	return read, release, nil
}

// ReadMessage reads a message of a WebSocket, at a least rate. It counts in an account until release is called. evict
// is called when others need the room.
func ReadMessage(
	message io.Reader, setDeadline func(time.Time) error, bodies *Account, owner Owner, evict func(),
) (content []byte, release func(), err error) {
	share, b := bodies.Share(owner, evict), new(readBytes)
	defer b.free()
	if err = setDeadline(time.Now().Add(bodyGrace)); err == nil {
		err = b.readFrom(message, share, math.MaxInt, setDeadline)
	}
	if err == nil {
		err = share.Add(messageBytes + b.n%bodyChunk)
	}
	if err == nil {
		err = setDeadline(time.Time{})
	}
	if err != nil {
		share.Release()
		return nil, nil, err //nolint:wrapcheck // the caller looks at the error of its connection
	}
	content = make([]byte, b.n)
	_, _ = io.ReadFull(b, content) // it is in memory
	return content, share.Release, nil
}

// chunkPool has the memory of bodies, so that those that do not end leave nothing to the garbage collector.
var chunkPool = sync.Pool{New: func() any { return new([bodyChunk]byte) }}

// readBytes is a body in memory, in chunks that are given back as they are read.
type readBytes struct {
	chunks []*[bodyChunk]byte
	n      int // bytes in all
	at     int // bytes that are read
}

// readFrom reads a body to its end. Memory is counted before it is taken, but for the first chunk.
func (b *readBytes) readFrom(
	body io.Reader, share *Share, most int, setDeadline func(time.Time) error,
) error {
	begun, slow := time.Now(), false
	for {
		if b.n == len(b.chunks)*bodyChunk {
			if b.n > 0 {
				if err := share.Add(bodyChunk); err != nil {
					return err
				}
			}
			b.chunks = append(b.chunks, chunkPool.Get().(*[bodyChunk]byte))
		}
		n, err := body.Read(b.chunks[len(b.chunks)-1][b.n%bodyChunk:])
		b.n += n
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
		err = setDeadline(begun.Add(min(due, bodyTime)))
		if err != nil && !errors.Is(err, http.ErrNotSupported) { // by what is in memory already
			return fmt.Errorf("bound the time of a request: %w", err)
		}
	}
}

// Read implements io.Reader.
func (b *readBytes) Read(p []byte) (int, error) {
	if b.at == b.n {
		return 0, io.EOF
	}
	chunk := b.chunks[b.at/bodyChunk]
	n := copy(p, chunk[b.at%bodyChunk:min(bodyChunk, b.n-b.at/bodyChunk*bodyChunk)])
	b.at += n
	if b.at%bodyChunk == 0 || b.at == b.n {
		chunkPool.Put(chunk)
		b.chunks[(b.at-1)/bodyChunk] = nil
	}
	return n, nil
}

// free gives back what was not read.
func (b *readBytes) free() {
	for i, chunk := range b.chunks {
		if chunk != nil {
			chunkPool.Put(chunk)
			b.chunks[i] = nil
		}
	}
	b.at = b.n
}
