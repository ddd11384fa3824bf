// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

// Servers, connections and calls are bounded by a door, which is made outside: upstream's servers are made where no
// option of gwon is in reach, and upstream cannot import gwon.

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Owner names what a request counts for, from the narrowest name on: an address and its networks, or a connection.
type Owner []string

// Resource is something that owners have a share of.
type Resource int

// The resources that this package and the filters count.
const (
	Reading       Resource = iota // bytes of requests that are being read or served
	Unread                        // bytes of answers and notifications that are made or that a client has not read
	Subscriptions                 // of connections from the network
	Criteria                      // addresses and topics of filters and subscriptions
	Resources
)

// Share is what one request, connection or the like has of a resource.
type Share interface {
	// Add counts n more, or less if it is negative. The error says which bound is reached; nothing is counted then.
	Add(n int) error

	// Release ends the share.
	Release()
}

// noShare is that of a caller that the door is not for.
type noShare struct{}

// Add implements Share.
func (noShare) Add(int) error { return nil }

// Release implements Share.
func (noShare) Release() {}

// Turn is that of a call that can take long.
type Turn interface {
	// Pause returns when the call may go on, with long among the long ones. The error ends the call, as does that of ctx.
	Pause(ctx context.Context, long bool) error

	// Help begins work for the call in another goroutine, which calls end when it is done.
	Help() (end func())

	// Paused returns for how long the call has waited in pauses. It may wait for the end of one.
	Paused() time.Duration

	// End ends the turn in the goroutine that has begun it. worked is how long the call has kept a processor busy.
	// failed is why it was not let go on, nil if it was.
	End() (worked time.Duration, failed error)
}

// Door judges what clients send over HTTP and WebSocket. It must be safe for concurrent use.
type Door interface {
	// Listen bounds a server and the connections of its listener. server is nil for IPC.
	Listen(server *http.Server, listener net.Listener) net.Listener

	// Request serves a request, or an upgrade to WebSocket, by next, or refuses it.
	Request(w http.ResponseWriter, r *http.Request, next http.Handler)

	// Read reads a message to its end, at a least rate. It counts until release is called. abort is called when it does
	// not come in time, or another owner needs the room more.
	Read(owner Owner, message io.Reader, abort func()) (content []byte, release func(), err error)

	// OwnerOf returns the owner of a connection by its remote address.
	OwnerOf(remote string) Owner

	// Call lets a call run, or refuses it by an error. It may wait until the context ends. params are those of the client.
	Call(ctx context.Context, owner Owner, method string, params json.RawMessage) error

	// Begin waits for the first turn of a call that can take long. One that does not pause begins among the long ones.
	Begin(ctx context.Context, owner Owner, pauses bool) (Turn, error)

	// Used is told how long a call has run, or has kept a processor busy if it can take long.
	Used(owner Owner, method string, elapsed time.Duration)

	// Share returns an empty share of a resource. evict is called when another owner needs it more.
	Share(of Resource, owner Owner, evict func()) Share

	// Subscribe lets a connection with a number of subscriptions have one more, or refuses that by an error.
	Subscribe(owner Owner, subscriptions int) error

	// Notified is told how many bytes are to be sent for subscriptions, and reports whether the connection may go on.
	Notified(owner Owner, bytes int) bool
}

var door atomic.Pointer[Door]

// SetDoor puts a door before all servers of the process, nil for none. Calls within the process and IPC pass by it.
func SetDoor(d Door) { door.Store(&d) }

// theDoor returns the door of the process, nil for none.
func theDoor() Door {
	if d := door.Load(); d != nil {
		return *d
	}
	return nil
}

// Bounded bounds a server and the connections of its listener by the door of the process, which is before all of its
// handlers: an answer that no method gives costs too.
func Bounded(server *http.Server, listener net.Listener) net.Listener {
	d := theDoor()
	if d == nil {
		return listener
	}
	if server != nil {
		server.Handler = Gated(server.Handler)
	}
	return d.Listen(server, listener)
}

// Gated puts the door of the process before a handler.
func Gated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d := theDoor(); d != nil {
			d.Request(w, r, next)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// StartBoundedIPC is StartIPCEndpoint with a bound of connections. The file of the endpoint keeps other users of the
// machine away, so that the bound is for faulty programs of the operator.
func StartBoundedIPC(endpoint string, apis []API) (net.Listener, *Server, error) {
	server := NewServer()
	for _, api := range apis {
		if err := server.RegisterName(api.Namespace, api.Service); err != nil {
			return nil, nil, fmt.Errorf("offer namespace %s at the IPC endpoint: %w", api.Namespace, err)
		}
	}
	listener, err := ipcListen(endpoint)
	if err != nil {
		return nil, nil, err
	}
	listener = Bounded(nil, listener)
	go func() { _ = server.ServeListener(listener) }() // ends with the listener
	return listener, server, nil
}

type ownerKey struct{}

// WithOwner returns a context that carries the owner of a connection or request.
func WithOwner(ctx context.Context, owner Owner) context.Context {
	return context.WithValue(ctx, ownerKey{}, owner)
}

// OwnerFrom returns the owner of the caller of a context, nil if there is no door.
func OwnerFrom(ctx context.Context) Owner {
	if owner, ok := ctx.Value(ownerKey{}).(Owner); ok {
		return owner
	}
	if d := theDoor(); d != nil {
		return d.OwnerOf(PeerInfoFromContext(ctx).RemoteAddr)
	}
	return nil
}

// ShareOf returns an empty share for the caller of a context, without a bound where the door is not for it.
func ShareOf(ctx context.Context, of Resource, evict func()) Share {
	if d := theDoor(); d != nil && PeerInfoFromContext(ctx).fromNetwork() {
		return d.Share(of, OwnerFrom(ctx), evict)
	}
	return noShare{}
}

// fromNetwork reports whether a caller is one that the door is for.
func (p PeerInfo) fromNetwork() bool { return p.Transport == "http" || p.Transport == "ws" }

// doorFor returns the door for a call, and the owner of its connection; nil for callers that pass by it.
func (h *handler) doorFor(ctx context.Context) (Door, Owner) {
	if d := theDoor(); d != nil && PeerInfoFromContext(ctx).fromNetwork() {
		return d, h.conn.(*outbox).owner
	}
	return nil, nil
}

// admit asks the door about a call, and gives DiscoverMethod the name that upstream can look up.
func (h *handler) admit(ctx context.Context, msg *jsonrpcMessage) error {
	if msg.Method == DiscoverMethod {
		msg.Method = discoverCallback
	}
	if !PeerInfoFromContext(ctx).fromNetwork() {
		return nil
	}
	if err := checkObjects(msg.Params); err != nil {
		return err
	}
	if d, owner := h.doorFor(ctx); d != nil {
		return d.Call(ctx, owner, msg.Method, msg.Params)
	}
	return nil
}
