// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package payments

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gwon/internal/expect"
)

// A sponsor that starts before its node waits for it, and says so when the time is over.
func TestAwaitNode(t *testing.T) {
	var asked atomic.Int64
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) < 3 {
			http.Error(w, "starting", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		expect.Error(t, expect.Err(w.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":"0x205b"}`))), nil, "w.Write")
	}))
	defer node.Close()
	if err := awaitNode(t.Context(), node.URL, time.Millisecond); err != nil || asked.Load() != 3 {
		t.Errorf("asked %d times, %v", asked.Load(), err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	err := awaitNode(over, "http://127.0.0.1:1", time.Hour)
	expect.That(t, err != nil && strings.HasPrefix(err.Error(), "no node at http://127.0.0.1:1: start it"), "%v", err)
}
