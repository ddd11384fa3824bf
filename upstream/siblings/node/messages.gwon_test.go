// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package node

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
)

// A message over WebSocket has the bound of a request over HTTP. A longer one ends the connection.
// spec: rpc 9.6
func TestWebsocketMessagesAreBounded(t *testing.T) {
	const limit = 10_000
	server := rpc.NewServer()
	defer server.Stop()
	config := wsConfig{rpcEndpointConfig: rpcEndpointConfig{httpBodyLimit: limit}}
	endpoint := httptest.NewServer(boundMessages(server, config).WebsocketHandler([]string{"*"}))
	defer endpoint.Close()
	for length, answered := range map[int]bool{limit: true, limit + 1: false} {
		conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(endpoint.URL, "http"), nil)
		must.Do(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		must.Do(t, conn.SetReadDeadline(time.Now().Add(time.Minute)))
		request := `{"jsonrpc":"2.0","id":1,"method":"rpc_modules"}`
		request += strings.Repeat(" ", length-len(request))
		must.Do(t, conn.WriteMessage(websocket.TextMessage, []byte(request)))
		_, _, err = conn.ReadMessage()
		assert.Truef(t, (err == nil) == answered, "%d bytes: %v", length, err)
	}
}
