// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
)

func asked(handler http.Handler, body string) (status int, answer string) {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)))
	return w.Code, w.Body.String()
}

// A request that is served as a call is charged like one, ends at the deadline for calls, and answers with that.
// spec: rpc 2.5
func TestRequestAsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := setDoor(t, new(testDoor))
		SetCallTime(5 * time.Second)
		defer SetCallTime(0)
		lasts, answer := time.Second, ""
		handler := Gated(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer = ""
			err := RunCall(r.Context(), GraphQL, nil, func(ctx context.Context) {
				select {
				case <-time.After(lasts):
					answer = "answer"
				case <-ctx.Done():
				}
			})
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
			}
		}))
		if status, _ := asked(handler, "question"); status != http.StatusOK || answer != "answer" {
			t.Errorf("answered %d %q", status, answer)
		}
		assert.Truef(t, gate.requests == 1 && len(gate.calls) == 1 && gate.calls[0] == GraphQL && gate.used == lasts,
			"charged for %d requests, calls %v, %v", gate.requests, gate.calls, gate.used)
		lasts = time.Hour
		begun := time.Now()
		status, text := asked(handler, "question")
		assert.Truef(t, status == http.StatusBadRequest && text == "execution aborted (timeout = 5s)\n",
			"at the deadline: answered %d %q", status, text)
		if took := time.Since(begun); took != 5*time.Second || gate.used != 6*time.Second {
			t.Errorf("ended after %v, charged for %v", took, gate.used)
		}
		gate.refuse = errors.New("no units")
		if status, text := asked(handler, "question"); status != http.StatusBadRequest || text != "no units\n" {
			t.Errorf("a client without units: answered %d %q", status, text)
		}
	})
}

// A search of a client from the network ends at its own deadline, and its work with it. Those of the operator do not.
// spec: rpc 9.7
func TestSearchesEnd(t *testing.T) {
	for _, c := range []struct {
		method, transport string
		ends              bool
	}{
		{"eth_getLogs", "http", true},
		{"eth_getFilterLogs", "ws", true},
		{"eth_getProof", "http", true},
		{"eth_getLogs", "ipc", false},
		{"eth_blockNumber", "http", false},
	} {
		t.Run(c.method+" "+c.transport, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var registry serviceRegistry
				must.Do(t, registry.registerName("test", searchService{}))
				setDoor(t, new(testDoor))
				h := &handler{reg: &registry, conn: new(outbox)}
				ctx := context.WithValue(t.Context(), peerInfoContextKey{},
					PeerInfo{Transport: c.transport, RemoteAddr: "203.0.113.5:1"})
				callb := registry.callback("test_search")
				begun := time.Now()
				answer := h.runTurn(ctx, &jsonrpcMessage{Method: c.method, ID: json.RawMessage("1")}, callb, nil)
				late := strings.Contains(string(answer.Error), errSearchTime.Text)
				switch took := time.Since(begun); {
				case c.ends && (!late || took != searchTime), !c.ends && (answer.Error != nil || took != searchLasts):
					t.Errorf("ended after %v with %s", took, answer.Error)
				}
			})
		})
	}
}

const searchLasts = time.Minute

// searchService has a method that works until its context ends.
type searchService struct{}

// Search works for a minute.
func (searchService) Search(ctx context.Context) (string, error) {
	select {
	case <-time.After(searchLasts):
		return "found", nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// The door is before all handlers of a server, and lets a request in once.
func TestDoorIsPassedOnce(t *testing.T) {
	door := setDoor(t, new(testDoor))
	server := &http.Server{Handler: http.NotFoundHandler()}
	_ = Bounded(server, nil)
	if status, _ := asked(server.Handler, "question"); status != http.StatusNotFound || door.requests != 1 {
		t.Errorf("status %d, %d requests, want 404 and 1", status, door.requests)
	}
}
