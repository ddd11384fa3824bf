// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package node

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A page of another host is no port of localhost; every other pattern means what it does without ":*" beside it.
func TestOriginsOfAnyPort(t *testing.T) {
	local := []string{"http://localhost", "http://localhost:*", "http://127.0.0.1:*"}
	for _, tt := range []struct {
		name     string
		patterns []string
		origin   string
		want     bool
	}{
		{"host", local, "http://localhost", true},
		{"port", local, "http://localhost:3000", true},
		{"address", local, "http://127.0.0.1:80", true},
		{"capitals", local, "HTTP://LocalHost:3000", true},
		{"name for a port", local, "http://localhost:evil.example", false},
		{"name after a port", local, "http://localhost:3000.evil.example", false},
		{"name and a port", local, "http://localhost:evil.example:80", false},
		{"address and a name", local, "http://127.0.0.1:evil.example", false},
		{"empty port", local, "http://localhost:", false},
		{"long port", local, "http://localhost:123456", false},
		{"signed port", local, "http://localhost:+80", false},
		{"other scheme", local, "https://localhost:3000", false},
		{"other host", local, "http://evil.example:3000", false},
		{"operator's host", []string{"https://app.example.org:*"}, "https://app.example.org:8443", true},
		{"operator's host as a name", []string{"https://app.example.org:*"}, "https://app.example.org:evil", false},
		{"subdomains of any port", []string{"https://*.example.org:*"}, "https://a.example.org:8443", true},
		{"subdomains beside a port", []string{"https://*.example.org", "http://localhost:*"}, "https://a.example.org", true},
		{"everything beside a port", []string{"*", "http://localhost:*"}, "https://a.example.org", true},
		{"no pattern of ports", []string{"https://*.example.org"}, "https://a.example.org", true},
		{"no pattern of ports, other host", []string{"https://*.example.org"}, "https://example.com", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			handler := newCorsHandler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), tt.patterns)
			for _, method := range []string{http.MethodPost, http.MethodOptions} {
				request := httptest.NewRequest(method, "http://localhost:8545", nil)
				request.Header.Set("Origin", tt.origin)
				request.Header.Set("Access-Control-Request-Method", http.MethodPost)
				answer := httptest.NewRecorder()
				handler.ServeHTTP(answer, request)
				assert.Equalf(t, tt.want, answer.Header().Get("Access-Control-Allow-Origin") != "", "%s: allowed", method)
			}
		})
	}
}
