// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common/fdlimit"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
)

// Bounds of TCP connections. The database takes half of the files that the process may open, peers a part of the rest.
const (
	filesPerConnection     = 4    // files of the process for each connection of clients
	mostConnections        = 4096 // of clients, however many files there are
	leastConnections       = 64
	clientConnections      = 256 // of one client, and at most as many as clientPart allows
	clientPart             = 8   // of all connections are one client's
	operatorConnections    = 64  // of endpoints for operators and their programs
	ipcConnections         = 256 // of the IPC endpoint
	connectionRefusalEvery = time.Minute
)

var (
	refusedTotal  = metrics.NewRegisteredCounter("rpc/connections/refused/total", nil)
	refusedClient = metrics.NewRegisteredCounter("rpc/connections/refused/client", nil)
	openGauge     = metrics.NewRegisteredGauge("rpc/connections/open", nil)
)

// Connections bounds the TCP connections of listeners, in all and for the networks of each client. Connections of
// loopback and private addresses, which are those of proxies, count in all only. It is safe for concurrent use.
type Connections struct {
	most, mostOfClient int
	gauge              *metrics.Gauge // nil for none

	mu     sync.Mutex
	all    int
	of     map[netip.Prefix]int
	warned time.Time
}

// NewConnections returns bounds for a number of connections.
func NewConnections(most int) *Connections {
	return &Connections{
		most: most, mostOfClient: max(1, min(clientConnections, most/clientPart)), of: make(map[netip.Prefix]int),
	}
}

// connectionsFor returns how many connections clients may have in a process that may open a number of files.
func connectionsFor(files int) int {
	return max(leastConnections, min(mostConnections, files/filesPerConnection))
}

// ClientConnections bounds the connections of all endpoints for clients.
var ClientConnections = sync.OnceValue(func() *Connections {
	files, err := fdlimit.Current()
	if err != nil {
		log.Warn("Number of files not known, few RPC connections are allowed", "err", err)
	}
	c := NewConnections(connectionsFor(files))
	c.gauge = openGauge
	return c
})

// OperatorConnections bounds the connections of endpoints for operators: metrics, health and the operator's RPC.
// Clients cannot take them away.
var OperatorConnections = sync.OnceValue(func() *Connections { return NewConnections(operatorConnections) })

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
	listener = NewConnections(ipcConnections).Bound(listener)
	go func() { _ = server.ServeListener(listener) }() // ends with the listener
	return listener, server, nil
}

// Bound returns a listener that closes connections above the bounds as soon as they are accepted.
func (c *Connections) Bound(l net.Listener) net.Listener { return &boundListener{l, c} }

type boundListener struct {
	net.Listener
	bounds *Connections
}

// Accept implements net.Listener.
func (l *boundListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		networks := networksOf(conn.RemoteAddr())
		refused := l.bounds.open(networks)
		if refused == nil {
			return &countedConn{Conn: conn, bounds: l.bounds, networks: networks}, nil
		}
		l.bounds.warn(refused, conn.RemoteAddr())
		_ = conn.Close() // nothing was said on it
	}
}

func networksOf(addr net.Addr) []netip.Prefix {
	at, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return nil
	}
	return CustomersOf(at.Addr())
}

// open counts a connection, or says why it is refused.
func (c *Connections) open(networks []netip.Prefix) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all >= c.most {
		refusedTotal.Inc(1)
		return fmt.Errorf("%d connections are open, as many as are allowed", c.all)
	}
	for i, network := range networks {
		if most := BoundOf(i, c.mostOfClient, c.most); c.of[network] >= most {
			refusedClient.Inc(1)
			return fmt.Errorf("network %v has %d connections, as many as it may have", network, most)
		}
	}
	c.count(networks, 1)
	return nil
}

func (c *Connections) close(networks []netip.Prefix) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count(networks, -1)
}

func (c *Connections) count(networks []netip.Prefix, n int) {
	c.all += n
	for _, network := range networks {
		if c.of[network] += n; c.of[network] == 0 {
			delete(c.of, network)
		}
	}
	if c.gauge != nil {
		c.gauge.Update(int64(c.all))
	}
}

// warn logs a refusal, at most one a minute.
func (c *Connections) warn(refused error, remote net.Addr) {
	c.mu.Lock()
	due := c.warned.IsZero() || time.Since(c.warned) >= connectionRefusalEvery
	if due {
		c.warned = time.Now()
	}
	c.mu.Unlock()
	if due {
		log.Warn("RPC connection refused", "network", remote.Network(), "remote", remote, "reason", refused)
	}
}

// countedConn is a connection that counts until it is closed.
type countedConn struct {
	net.Conn
	bounds   *Connections
	networks []netip.Prefix
	once     sync.Once
}

// Close implements net.Conn.
func (c *countedConn) Close() error {
	c.once.Do(func() { c.bounds.close(c.networks) })
	return c.Conn.Close()
}
