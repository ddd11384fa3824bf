// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// AsCall serves each request by next as the server of JSON-RPC serves one long call: the client pays for its bytes and
// its time, it waits for a worker, and it ends at the deadline for calls. What next has written by then is dropped, and
// refuse writes the error instead. A body has a number of bytes at most.
//
// The body is read before the request has a worker, and the answer is written after it: a slow client takes none.
func AsCall(method string, most int64, refuse func(http.ResponseWriter, error), next http.Handler) http.Handler {
	return Gated(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
		if err != nil {
			refuse(w, err)
			return
		}
		d, owner := theDoor(), OwnerFrom(r.Context())
		if d != nil {
			if err := d.Call(r.Context(), owner, method, body); err != nil {
				refuse(w, err)
				return
			}
		}
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer, err := answerOf(r, d, owner, method, next)
		if err != nil {
			refuse(w, err)
			return
		}
		for key, values := range answer.header {
			w.Header()[key] = values
		}
		if answer.status != 0 {
			w.WriteHeader(answer.status)
		}
		_, _ = w.Write(answer.body.Bytes()) // a client that has gone needs no answer
	}))
}

// maxKeptAnswer bounds an answer that is kept until the call has ended.
const maxKeptAnswer = 10 << 20

var errLargeAnswer = fmt.Errorf("the answer has more than %d bytes: ask for less", maxKeptAnswer)

// answerOf returns what next writes in its turn and before the deadline for calls.
func answerOf(r *http.Request, d Door, owner Owner, method string, next http.Handler) (*keptAnswer, error) {
	answer := &keptAnswer{header: make(http.Header)}
	run := func(ctx context.Context) error {
		if limit := time.Duration(callTime.Load()); limit > 0 {
			late := &timeError{limit: limit}
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeoutCause(ctx, limit, late)
			defer cancel()
		}
		next.ServeHTTP(answer, r.WithContext(ctx))
		if answer.tooLarge {
			return errLargeAnswer
		}
		if late := (*timeError)(nil); errors.As(context.Cause(ctx), &late) {
			return late
		}
		return nil
	}
	if d == nil {
		return answer, run(r.Context())
	}
	var late error
	if err := inTurn(r.Context(), d, owner, method, func(ctx context.Context) { late = run(ctx) }); err != nil {
		return nil, err
	}
	return answer, late
}

// keptAnswer keeps an answer until it may be sent.
type keptAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer

	tooLarge bool
}

// Header implements http.ResponseWriter.
func (a *keptAnswer) Header() http.Header { return a.header }

// Write implements http.ResponseWriter.
func (a *keptAnswer) Write(b []byte) (int, error) {
	if a.body.Len()+len(b) > maxKeptAnswer {
		a.tooLarge = true
		return 0, errLargeAnswer
	}
	return a.body.Write(b)
}

// WriteHeader implements http.ResponseWriter.
func (a *keptAnswer) WriteHeader(status int) { a.status = status }
