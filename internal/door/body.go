// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// body is the body of a request. It counts in the account of all bodies from the first chunk on, until the request is
// served, and has to come at a least rate.
type body struct {
	io.ReadCloser
	share   *Share
	meter   meter
	control *http.ResponseController

	begun   time.Time
	read    int
	counted int
	waits   bool // the deadline of reading is that of this body
}

// NewBodies returns an account for the bodies of all requests to a program.
func NewBodies() *Account { return NewAccount(Bound{Own: ownBody, Sum: maxBody, Moves: true}) }

// BoundBody has the body of a request counted, and read at a least rate, until release is called. cancel is called when
// the request has to end because others need the room. The handler refuses a body above most bytes by what it claims.
func BoundBody(
	w http.ResponseWriter, r *http.Request, bodies *Account, owner Owner, most int64, cancel func(),
) (release func()) {
	return boundBody(w, r, bodies, meter{owner: owner}, most, cancel)
}

func boundBody(
	w http.ResponseWriter, r *http.Request, bodies *Account, bytes meter, most int64, cancel func(),
) (release func()) {
	if r.Body == nil || r.Body == http.NoBody {
		return func() {}
	}
	b := &body{ReadCloser: r.Body, meter: bytes, control: http.NewResponseController(w)}
	b.share = bodies.Share(bytes.owner, func() {
		cancel()
		_ = b.control.SetReadDeadline(time.Unix(1, 0)) // fails for a request that has ended
	})
	r.Body = b
	if r.ContentLength <= most {
		r.ContentLength = min(r.ContentLength, bodyChunk) // for which the handler would take memory
	}
	return b.share.Release
}

// Read implements io.Reader. Memory for what comes is counted before it comes.
func (b *body) Read(p []byte) (int, error) {
	if b.read == 0 {
		b.begun = time.Now()
	} else if err := b.wait(); err != nil {
		return 0, err
	}
	if b.read+len(p) > b.counted+bodyChunk {
		more := min(b.read+len(p)-b.counted, bodyChunk)
		if err := b.share.Add(more); err != nil {
			return 0, fmt.Errorf("read the request: %w", err)
		}
		b.counted += more
		p = p[:min(len(p), b.counted+bodyChunk-b.read)]
	}
	n, err := b.ReadCloser.Read(p)
	b.read += n
	b.meter.add(n)
	if errors.Is(err, io.EOF) && b.waits {
		b.waits = false
		_ = b.control.SetReadDeadline(time.Time{}) // the answer has its own time
	}
	return n, err //nolint:wrapcheck // an io.Reader returns io.EOF as it is
}

// wait sets until when the next bytes have to come, for a body that has not come at once.
func (b *body) wait() error {
	b.waits = true
	due := bodyGrace + time.Duration(b.read)*time.Second/bodyRate
	err := b.control.SetReadDeadline(b.begun.Add(min(due, bodyTime)))
	if err != nil && !errors.Is(err, http.ErrNotSupported) { // by what is in memory already
		return fmt.Errorf("bound the time of a request: %w", err)
	}
	return nil
}
