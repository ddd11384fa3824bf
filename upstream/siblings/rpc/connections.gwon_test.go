// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections come from addresses that tests choose.
type pipes struct{ conns chan net.Conn }

type addressed struct {
	net.Conn
	remote net.Addr
}

func (a addressed) RemoteAddr() net.Addr { return a.remote }

func (p pipes) Accept() (net.Conn, error) {
	conn, ok := <-p.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}
func (p pipes) Close() error { close(p.conns); return nil }
func (pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dial connects from an address and returns the client's end.
func (p pipes) dial(remote string) net.Conn {
	client, server := net.Pipe()
	p.conns <- addressed{server, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(remote))}
	return client
}

// closed reports whether the other end has closed a connection.
func closed(conn net.Conn) bool {
	_ = conn.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := conn.Read(make([]byte, 1))
	return errors.Is(err, io.EOF)
}

// Connections are bounded for an address, for the networks that one customer may have, and in all. One that ends makes
// room. Proxies count in all only.
func TestConnectionsAreBounded(t *testing.T) {
	for _, c := range []struct {
		name   string
		remote func(n int) string
		open   int
	}{
		{"IPv4 address", func(n int) string { return fmt.Sprintf("203.0.113.7:%d", n+1) }, 5},
		{"64 bits", func(n int) string { return fmt.Sprintf("[2001:db8::%x]:1", n) }, 5},
		{"IPv4 address in IPv6 form", func(n int) string { return fmt.Sprintf("[::ffff:203.0.113.7]:%d", n+1) }, 5},
		{"56 bits", func(n int) string { return fmt.Sprintf("[2001:db8:0:%x::1]:1", n) }, 20},
		{"48 bits, half of all", func(n int) string { return fmt.Sprintf("[2001:db8:0:%x::1]:1", n<<8) }, 20},
		{"many", func(n int) string { return fmt.Sprintf("198.51.100.%d:1", n) }, 40},
		{"proxy", func(n int) string { return fmt.Sprintf("10.0.0.1:%d", n+1) }, 40},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, bounds := pipes{make(chan net.Conn)}, NewConnections(40)
				l := bounds.Bound(p)
				served := make(chan net.Conn, 100)
				go func() {
					for {
						conn, err := l.Accept()
						if err != nil {
							return
						}
						served <- conn
					}
				}()
				var refused int
				for n := range 60 {
					client := p.dial(c.remote(n))
					synctest.Wait()
					if closed(client) {
						refused++
					}
					defer client.Close() //nolint:errcheck // of the test alone
				}
				if len(served) != c.open || refused != 60-c.open {
					t.Fatalf("%d connections are served and %d closed, want %d served", len(served), refused, c.open)
				}
				first := <-served
				_ = first.Close()
				_ = first.Close()
				client := p.dial(c.remote(0))
				defer client.Close() //nolint:errcheck // of the test alone
				synctest.Wait()
				if len(served) != c.open {
					t.Error("a connection that ended makes no room")
				}
				for len(served) > 0 {
					_ = (<-served).Close()
				}
				if bounds.all != 0 || len(bounds.of) != 0 {
					t.Errorf("%d connections of %d networks are counted in the end", bounds.all, len(bounds.of))
				}
				_ = l.Close()
			})
		})
	}
}

// The files of the process are for its database and peers first.
func TestConnectionsOfFiles(t *testing.T) {
	for files, want := range map[int]int{0: 64, 1024: 256, 3000: 750, 65_536: 4096, 1_000_000: 4096} {
		if got := connectionsFor(files); got != want {
			t.Errorf("%d connections for %d files, want %d", got, files, want)
		}
	}
}

// Connections that say nothing end with the time for headers, and others are served meanwhile.
func TestSilentConnectionsEnd(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	bounds := NewConnections(100)
	server := &http.Server{Handler: NewServer(), ReadHeaderTimeout: 50 * time.Millisecond}
	go server.Serve(bounds.Bound(l)) //nolint:errcheck // it ends with the test
	defer server.Close()             //nolint:errcheck // of the test alone
	for range 99 {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close() //nolint:errcheck // of the test alone
		defer func() {     // ends when the server closes it
			_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
			if _, err := io.ReadAll(conn); err != nil {
				t.Errorf("the connection was not closed: %v", err)
			}
		}()
	}
	client, err := DialHTTP("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close() //nolint:errcheck // of the test alone
	if _, err := client.SupportedModules(); err != nil {
		t.Errorf("beside silent connections: %v", err)
	}
}
