// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package node

import (
	"net/http"
	"strconv"
)

// shortAnswer is the length in bytes up to which an answer over HTTP is not compressed. It fits into one packet either
// way, and compressing the hash of a transaction costs a node more than signing a transaction.
const shortAnswer = 1024

// shortPlain keeps short answers of a handler from being compressed by a handler around it.
func shortPlain(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&plainWriter{ResponseWriter: w}, r)
	})
}

// plainWriter asks newGzipHandler, by a header that is never sent, not to compress an answer whose length is known to
// be small.
type plainWriter struct {
	http.ResponseWriter
	begun bool
}

// Unwrap is for http.ResponseController, which sets deadlines of the connection below.
func (w *gzipResponseWriter) Unwrap() http.ResponseWriter { return w.resp }

// Unwrap is for http.ResponseController.
func (w *plainWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *plainWriter) begin() {
	if w.begun {
		return
	}
	w.begun = true
	if n, err := strconv.Atoi(w.Header().Get("content-length")); err == nil && n <= shortAnswer {
		w.Header().Set("transfer-encoding", "identity")
	}
}

func (w *plainWriter) WriteHeader(status int) {
	w.begin()
	w.ResponseWriter.WriteHeader(status)
}

func (w *plainWriter) Write(b []byte) (int, error) {
	w.begin()
	return w.ResponseWriter.Write(b)
}

// Flush implements http.Flusher.
func (w *plainWriter) Flush() {
	if f, ok := w.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}
