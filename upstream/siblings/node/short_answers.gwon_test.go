// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package node

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
)

// An answer of known and small length keeps its length, is not compressed and leaves the connection open. Others are
// compressed as upstream does.
func TestShortAnswersAreNotCompressed(t *testing.T) {
	for _, tt := range []struct {
		name   string
		size   int
		length bool
		status int
		gzip   bool
	}{
		{"short", shortAnswer, true, 200, false},
		{"short, with a status", 10, true, 403, false},
		{"long", shortAnswer + 1, true, 200, true},
		{"of unknown length", 10, false, 200, true},
	} {
		answer := strings.Repeat("x", tt.size)
		server := httptest.NewServer(newGzipHandler(shortPlain(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if tt.length {
				w.Header().Set("content-length", strconv.Itoa(tt.size))
			}
			if tt.status != 200 {
				w.WriteHeader(tt.status)
			}
			_, err := io.WriteString(w, answer)
			assert.NoError(t, err)
		}))))
		request := must.Get(http.NewRequest(http.MethodGet, server.URL, nil))(t)
		request.Header.Set("Accept-Encoding", "gzip") // said here, it is not taken off by the client
		response := must.Get(server.Client().Do(request))(t)
		body := must.Get(io.ReadAll(response.Body))(t)
		_ = response.Body.Close()
		status, closed := response.StatusCode, response.Close
		if got := response.Header.Get("Content-Encoding") == "gzip"; got != tt.gzip || status != tt.status || closed {
			t.Errorf("%s: compressed %v, status %d, connection closed %v", tt.name, got, status, closed)
		}
		length, encoding := response.ContentLength, response.TransferEncoding
		if !tt.gzip && (string(body) != answer || length != int64(tt.size) || len(encoding) != 0) {
			t.Errorf("%s: %d bytes, length %d, encoding %v", tt.name, len(body), length, encoding)
		}
		server.Close()
	}
}
