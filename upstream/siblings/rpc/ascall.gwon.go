// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// AsCall serves each request by next as the server of JSON-RPC serves one long call: the client pays for its bytes and
// its time, it waits for a worker, and it ends at the deadline for calls. What next has written by then is dropped, and
// refuse writes the error instead, as that of check. A body has a number of bytes at most.
//
// The body is read before the request has a worker, and the answer is written after it: a slow client takes none.
func AsCall(method string, most int64, check func(body []byte) error, refuse func(http.ResponseWriter, error),
	next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := answerOf(w, r, method, most, check, next)
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
	})
}

// maxKeptAnswer bounds an answer that is kept until the call has ended.
const maxKeptAnswer = 10 << 20

var errLargeAnswer = fmt.Errorf("the answer has more than %d bytes: ask for less", maxKeptAnswer)

// answerOf returns what next writes in its turn and before the deadline for calls.
func answerOf(w http.ResponseWriter, r *http.Request, method string, most int64, check func([]byte) error,
	next http.Handler) (answer *keptAnswer, err error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err == nil {
		err = check(body)
	}
	d, owner := theDoor(), OwnerFrom(r.Context())
	if err == nil && d != nil {
		err = d.Call(r.Context(), owner, method, body)
	}
	if err != nil {
		return nil, err
	}
	answer = &keptAnswer{header: make(http.Header)}
	limit := time.Duration(callTime.Load())
	err = runCall(r.Context(), d, owner, method, limit, timeRefusal("eth_", limit), func(ctx context.Context) {
		r = r.Clone(ctx)
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(answer, r)
	})
	if err == nil && answer.tooLarge {
		err = errLargeAnswer
	}
	return answer, err
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
