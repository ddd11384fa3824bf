// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"net/http"
	"strings"
	"testing"

	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/must"
)

// A page that a developer serves on this machine, on whatever port, may talk to a development node over HTTP and
// WebSocket; a page from anywhere else may not.
func TestBrowserOrigins(t *testing.T) {
	c := oneNode(t)
	for origin, allowed := range map[string]bool{
		"http://localhost:3000":      true,
		"http://localhost":           true,
		"https://localhost:5173":     true,
		"http://127.0.0.1:8080":      true,
		"http://evil.example":        false,
		"http://localhost.evil.test": false,
		"http://127.0.0.1.evil.test": false,
		"null":                       false,
	} {
		request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodOptions, c.node(0).HTTP(), nil))(t)
		request.Header.Set("Origin", origin)
		request.Header.Set("Access-Control-Request-Method", "POST")
		request.Header.Set("Access-Control-Request-Headers", "content-type")
		answer := must.Get(http.DefaultClient.Do(request))(t)
		_ = answer.Body.Close()
		have := answer.Header.Get("Access-Control-Allow-Origin")
		if (have != "") != allowed || allowed && have != origin && have != "*" {
			t.Errorf("HTTP from %s: allowed origin %q, want it allowed: %t", origin, have, allowed)
		}

		client, err := gethrpc.DialWebsocket(t.Context(), c.node(0).WS(), origin)
		if err == nil {
			client.Close()
		}
		if (err == nil) != allowed || err != nil && !strings.Contains(err.Error(), "403") {
			t.Errorf("WebSocket from %s: %v, want it allowed: %t", origin, err, allowed)
		}
	}
	if strings.TrimPrefix(c.node(0).WS(), "ws") != strings.TrimPrefix(c.node(0).HTTP(), "http") {
		t.Errorf("HTTP at %s, WebSocket at %s: want one port", c.node(0).HTTP(), c.node(0).WS())
	}
}
