// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common/fdlimit"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	"golang.org/x/time/rate"
)

// warnEvery is the time between two log lines about refused connections.
const warnEvery = time.Minute

// Metrics of the connections of clients.
var (
	openGauge         = metrics.NewRegisteredGauge("rpc/connections/open", nil)
	refusedOfClient   = metrics.NewRegisteredCounter("rpc/connections/refused/client", nil)
	refusedConnection = metrics.NewRegisteredCounter("rpc/connections/refused/total", nil)
)

// connectionBound returns how many connections clients may have, by the number of files that the process may open.
func connectionBound() Bound {
	files, err := fdlimit.Current()
	if err != nil {
		log.Warn("Number of files not known, few RPC connections are allowed", "err", err)
	}
	all := max(leastConnections, min(mostConnections, files/filesPerConnection))
	return Bound{Own: max(1, min(ownConnections, all/ownConnectionPart)), Sum: all}
}

// NewServer returns a server with the bounds of all ports: HTTP/1.1 alone, short headers, and times for what comes.
func NewServer(handler http.Handler) *http.Server {
	//nolint:gosec // SetBounds gives it the time of a header
	server := &http.Server{Handler: handler, WriteTimeout: RequestTime, IdleTimeout: 2 * time.Minute}
	SetBounds(server)
	return server
}

// SetBounds gives a server the bounds of all ports, and keeps shorter times.
func SetBounds(server *http.Server) {
	server.Handler = onlyHTTP1(server.Handler)
	server.Protocols = new(http.Protocols)
	server.Protocols.SetHTTP1(true)
	server.MaxHeaderBytes = maxHeader
	server.ReadHeaderTimeout = headerTime
	if server.ReadTimeout <= 0 || server.ReadTimeout > RequestTime {
		server.ReadTimeout = RequestTime
	}
}

// onlyHTTP1 refuses the preface of HTTP/2, which net/http hands to the handler of a server without HTTP/2.
func onlyHTTP1(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 1 {
			w.Header().Set("Connection", "close")
			http.Error(w, "only HTTP/1.1 is spoken here", http.StatusBadRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// clients and operators have the connections of all endpoints of this process. Clients cannot take those of operators.
var (
	clients = sync.OnceValue(func() *Account {
		a := NewAccount(connectionBound())
		a.Held, a.Full, a.Over = openGauge, refusedConnection, refusedOfClient
		return a
	})
	operators = NewAccount(Bound{Own: operatorConnections, Sum: operatorConnections})
)

// ForClients bounds the connections of an endpoint for clients.
func ForClients(listener net.Listener) net.Listener { return Listener(listener, clients()) }

// ForOperator bounds the connections of an endpoint for operators, such as metrics.
func ForOperator(listener net.Listener) net.Listener { return Listener(listener, operators) }

// Listener bounds the connections of a listener by an account.
func Listener(listener net.Listener, account *Account) net.Listener {
	return &boundListener{listener, account, rate.Sometimes{Interval: warnEvery}}
}

// boundListener closes connections above the bounds as soon as they are accepted, and says so once a minute.
type boundListener struct {
	net.Listener
	account *Account
	warn    rate.Sometimes
}

// Accept implements net.Listener.
func (l *boundListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err //nolint:wrapcheck // a server looks at the error of its listener
		}
		remote := conn.RemoteAddr()
		share := l.account.Share(OwnerOf(remote.String()), func() { _ = conn.Close() })
		refused := share.Add(1)
		if refused == nil {
			return &countedConn{conn, share}, nil
		}
		l.warn.Do(func() {
			log.Warn("RPC connection refused", "network", remote.Network(), "remote", remote, "reason", refused)
		})
		_ = conn.Close() // nothing was said on it
	}
}

// countedConn is a connection that counts until it is closed.
type countedConn struct {
	net.Conn
	share *Share
}

// Close implements net.Conn.
func (c *countedConn) Close() error {
	c.share.Release()
	return c.Conn.Close() //nolint:wrapcheck // the caller knows the connection
}
