// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// meterGate charges and refuses no client, and notes what it is asked.
type meterGate struct {
	mu       sync.Mutex
	requests int
	calls    []string
	used     time.Duration
	refuse   error
}

func (g *meterGate) Request(w http.ResponseWriter, r *http.Request, next http.Handler) {
	g.requests++
	next.ServeHTTP(w, r)
}

func (g *meterGate) Call(_ context.Context, _, method string, _ json.RawMessage) error {
	g.calls = append(g.calls, method)
	return g.refuse
}

func (*meterGate) Subscribe(string, int) error { return nil }
func (*meterGate) Notified(string, int) bool   { return true }

func (g *meterGate) Used(_, _ string, elapsed time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used += elapsed
}

func asked(handler http.Handler, body string) (status int, answer string) {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)))
	return w.Code, w.Body.String()
}

func refuseBadly(w http.ResponseWriter, err error) { http.Error(w, err.Error(), http.StatusBadRequest) }

// A request that is served as a call is charged like one, ends at the deadline for calls, and answers with that.
// spec: rpc 2.5
func TestRequestAsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := new(meterGate)
		SetGate(gate)
		defer SetGate(nil)
		SetCallTime(5 * time.Second)
		defer SetCallTime(0)
		var lasts time.Duration
		handler := AsCall("graphql", 100, refuseBadly, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			select {
			case <-time.After(lasts):
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusAccepted)
			case <-r.Context().Done():
			}
			_, _ = w.Write(body)
		}))
		lasts = time.Second
		if status, answer := asked(handler, "question"); status != http.StatusAccepted || answer != "question" {
			t.Errorf("answered %d %q", status, answer)
		}
		if gate.requests != 1 || len(gate.calls) != 1 || gate.calls[0] != "graphql" || gate.used != lasts {
			t.Errorf("charged for %d requests, calls %v, %v", gate.requests, gate.calls, gate.used)
		}
		lasts = time.Hour
		begun := time.Now()
		status, answer := asked(handler, "question")
		if status != http.StatusBadRequest || answer != "execution aborted (timeout = 5s)\n" {
			t.Errorf("at the deadline: answered %d %q", status, answer)
		}
		if took := time.Since(begun); took != 5*time.Second || gate.used != 6*time.Second {
			t.Errorf("ended after %v, charged for %v", took, gate.used)
		}
		if status, answer := asked(handler, strings.Repeat("x", 101)); status != http.StatusBadRequest ||
			!strings.Contains(answer, "too large") {
			t.Errorf("a long body: answered %d %q", status, answer)
		}
		gate.refuse = errors.New("no units")
		if status, answer := asked(handler, "question"); status != http.StatusBadRequest || answer != "no units\n" {
			t.Errorf("a client without units: answered %d %q", status, answer)
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
				if err := registry.registerName("test", searchService{}); err != nil {
					t.Fatal(err)
				}
				h := &handler{reg: &registry}
				ctx := context.WithValue(t.Context(), peerInfoContextKey{},
					PeerInfo{Transport: c.transport, RemoteAddr: "203.0.113.5:1"})
				callb := registry.callback("test_search")
				begun := time.Now()
				answer, _ := h.runTurn(ctx, &jsonrpcMessage{Method: c.method, ID: json.RawMessage("1")}, callb, nil)
				late := strings.Contains(string(answer.Error), searchTimeError{}.Error())
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

// The IPC endpoint has a number of connections at most. spec: rpc 9.6
func TestConnectionsOfIPCAreBounded(t *testing.T) {
	path := t.TempDir() + "/test.ipc"
	listener, server, err := StartBoundedIPC(path, []API{{Namespace: "test", Service: searchService{}}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	defer func() { _ = listener.Close() }()
	var clients []*Client
	for range ipcConnections {
		client, err := Dial(path)
		if err != nil {
			t.Fatal(err)
		}
		clients = append(clients, client)
		if _, err := client.SupportedModules(); err != nil { // it is accepted
			t.Fatal(err)
		}
	}
	refused, err := Dial(path)
	if err != nil {
		t.Fatal(err)
	}
	defer refused.Close()
	if modules, err := refused.SupportedModules(); err == nil {
		t.Errorf("one connection too many has %v", modules)
	}
	for _, client := range clients {
		if _, err := client.SupportedModules(); err != nil {
			t.Errorf("a connection within the bound: %v", err)
		}
		client.Close()
	}
	if _, _, err := StartBoundedIPC(path+"/none", []API{{Namespace: "", Service: searchService{}}}); err == nil {
		t.Error("a service without a name is offered")
	}
}
