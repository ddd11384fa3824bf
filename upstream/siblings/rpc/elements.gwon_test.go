// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
)

// sized takes a list of structures, as eth_simulateV1 does.
type sized struct{}

func (sized) Count(list []struct{ A [64]uint64 }) int { return len(list) }

func sizedServer(t *testing.T) *Server {
	t.Helper()
	server := NewServer()
	t.Cleanup(server.Stop)
	server.SetBatchLimits(10, 1000)
	must.Do(t, server.RegisterName("test", sized{}))
	return server
}

// Parameters become structures only up to a number of objects, on HTTP and WebSocket.
// spec: rpc 9.6
func TestObjectsAreBounded(t *testing.T) {
	server := sizedServer(t)
	overHTTP, overWS := httptest.NewServer(server), httptest.NewServer(server.WebsocketHandler([]string{"*"}))
	defer overHTTP.Close()
	defer overWS.Close()
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(overWS.URL, "http"), nil)
	must.Do(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	must.Do(t, conn.SetReadDeadline(time.Now().Add(time.Minute)))
	for _, c := range []struct {
		name, element string
		n             int
		want          string
	}{
		{"objects", "{}", maxObjects, `"result":32768`},
		{"too many objects", "{}", maxObjects + 1, "the parameters have 32769 objects, at most 32768 are allowed"},
		{"too many nulls", "null", maxObjects + 1, "the parameters have 32769 objects"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := strings.TrimSuffix(strings.Repeat(c.element+",", c.n), ",")
			request := `{"jsonrpc":"2.0","id":1,"method":"test_count","params":[[` + list + `]]}`
			answer := must.Get(http.Post(overHTTP.URL, "application/json", strings.NewReader(request)))(t)
			t.Cleanup(func() { _ = answer.Body.Close() })
			body, err := io.ReadAll(answer.Body)
			assert.Truef(t, err == nil && strings.Contains(string(body), c.want), "HTTP: %.200s, %v", body, err)
			must.Do(t, conn.WriteMessage(websocket.TextMessage, []byte(request)))
			_, body, err = conn.ReadMessage()
			assert.Truef(t, err == nil && strings.Contains(string(body), c.want), "WebSocket: %.200s, %v", body, err)
		})
	}
}

// Braces and the word null in strings are no objects.
func TestObjectsInStrings(t *testing.T) {
	for text, want := range map[string]int{
		`["{{{","null","\"{",{"a":null}]`: 2, `[]`: 0, `["\\",{}]`: 1, `[true,false,1e5,"n"]`: 0,
	} {
		_, n := scan([]byte(text))
		assert.Truef(t, n == want, "%s: %d objects, want %d", text, n, want)
	}
}

// The elements of a batch become messages only up to a number.
func TestBatchesAreBounded(t *testing.T) {
	server := httptest.NewServer(sizedServer(t))
	defer server.Close()
	for n, want := range map[int]string{maxMessages: "batch too large", maxMessages + 1: "parse error"} {
		batch := "[" + strings.TrimSuffix(strings.Repeat("{},", n), ",") + "]"
		answer := must.Get(http.Post(server.URL, "application/json", strings.NewReader(batch)))(t)
		body, err := io.ReadAll(answer.Body)
		assert.NoError(t, answer.Body.Close())
		assert.Truef(t, err == nil && strings.Contains(string(body), want), "%d messages: %.200s, %v", n, body, err)
	}
}
