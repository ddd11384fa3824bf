// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package calls

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/netip"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// meter charges an owner for bytes. Without a door it charges none. One goroutine uses it at a time.
type meter struct {
	door  *Door
	owner gethrpc.Owner
	left  int // bytes that are not charged yet
}

func (m *meter) add(n int) {
	if m.door != nil {
		m.left += n
		m.door.owe(m.owner, m.left/unitBytes)
		m.left %= unitBytes
	}
}

// meteredWriter charges for the answer to a request, and makes a metered connection of one that becomes a WebSocket.
type meteredWriter struct {
	http.ResponseWriter
	meter  meter
	client string // address of the client, with a port
}

// Unwrap is for http.ResponseController.
func (w *meteredWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *meteredWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.meter.add(n)
	return n, err //nolint:wrapcheck // the caller knows the writer
}

// Flush implements http.Flusher.
func (w *meteredWriter) Flush() {
	_ = http.NewResponseController(w.ResponseWriter).Flush() // a writer without it has no buffer
}

// Hijack implements http.Hijacker.
func (w *meteredWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, fmt.Errorf("take over the connection: %w", err)
	}
	remote := conn.RemoteAddr()
	if at, err := netip.ParseAddrPort(w.client); err == nil {
		remote = net.TCPAddrFromAddrPort(at)
	}
	return &meteredConn{conn, remote, w.meter, w.meter}, buffered, nil
}

// meteredConn is a WebSocket of a client. It charges the client for bytes, and is slowed down while the client owes
// units. It has the address of the client, by which calls are counted, also when a proxy holds the connection.
type meteredConn struct {
	net.Conn
	remote  net.Addr
	in, out meter
}

func (c *meteredConn) RemoteAddr() net.Addr { return c.remote }

func (c *meteredConn) Read(p []byte) (int, error) {
	if d := c.in.door; d != nil {
		d.slow(c.in.owner)
	}
	n, err := c.Conn.Read(p)
	c.in.add(n)
	return n, err //nolint:wrapcheck // the caller knows the connection
}

func (c *meteredConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.out.add(n)
	return n, err //nolint:wrapcheck // the caller knows the connection
}
