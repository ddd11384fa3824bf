// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"time"
)

// Gate judges what clients send over HTTP and WebSocket. It must be safe for concurrent use.
type Gate interface {
	// Request serves a request, or an upgrade to WebSocket, by next, or refuses it.
	Request(w http.ResponseWriter, r *http.Request, next http.Handler)

	// Call lets a call run, or refuses it by an error. It may wait first, until the context ends. params are as the client
	// has sent them.
	Call(ctx context.Context, remote, method string, params json.RawMessage) error

	// Subscribe lets a connection with a number of subscriptions have one more, or refuses that by an error.
	Subscribe(remote string, subscriptions int) error

	// Notified is told how many bytes are to be sent for subscriptions, and reports whether the connection may go on.
	Notified(remote string, bytes int) bool

	// Used is told how long a call has run, without the time for which it waited for its turn.
	Used(remote, method string, elapsed time.Duration)
}

// gate is that of the process: upstream's servers are made where no option of gwon is in reach.
var gate atomic.Pointer[Gate]

// SetGate puts a gate before all servers of the process, nil for none. Calls within the process and IPC pass by it.
func SetGate(g Gate) {
	if g == nil {
		gate.Store(nil)
		return
	}
	gate.Store(&g)
}

// Gated puts the gate of the process before a handler.
func Gated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g := gate.Load(); g != nil {
			(*g).Request(w, r, next)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// fromNetwork reports whether a caller is one that the gate and the turns of long calls are for.
func (p PeerInfo) fromNetwork() bool { return p.Transport == "http" || p.Transport == "ws" }

// admit asks the gate about a call, and gives DiscoverMethod the name that upstream can look up.
func (h *handler) admit(ctx context.Context, msg *jsonrpcMessage) error {
	if msg.Method == DiscoverMethod {
		msg.Method = discoverCallback
	}
	info := PeerInfoFromContext(ctx)
	if !info.fromNetwork() {
		return nil
	}
	if err := checkObjects(msg.Params); err != nil {
		return err
	}
	g := gate.Load()
	if g == nil {
		return nil
	}
	return (*g).Call(ctx, info.RemoteAddr, msg.Method, msg.Params)
}
