// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gwon/internal/expect"
	"gwon/internal/must"
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
				p, bounds := pipes{make(chan net.Conn)}, NewAccount(Bound{Own: 5, Sum: 40})
				l := Listener(p, bounds)
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
				must.That(t, len(served) == c.open && refused == 60-c.open,
					"%d connections are served and %d closed, want %d served", len(served), refused, c.open)
				first := <-served
				_ = first.Close()
				_ = first.Close()
				client := p.dial(c.remote(0))
				defer client.Close() //nolint:errcheck // of the test alone
				synctest.Wait()
				expect.Equal(t, len(served), c.open, "a connection that ended makes no room")
				for len(served) > 0 {
					_ = (<-served).Close()
				}
				all, names := bounds.Taken()
				expect.That(t, all == 0 && names == 0, "%d connections of %d names are counted in the end", all, names)
				_ = l.Close()
			})
		})
	}
}

// Requests by HTTP/2, unfinished headers and long ones get no further than the server. HTTP/1.1 is all that it speaks.
func TestServerSpeaksHTTP1(t *testing.T) {
	for _, row := range []struct{ name, sent, answer string }{
		{"preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00", "HTTP/1.1 400"},
		{"upgrade to HTTP/2", "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n" +
			"HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n", "HTTP/1.1 204"},
		{"long header", "GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 1<<20), "HTTP/1.1 431"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pipes{make(chan net.Conn)}
				server := NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.WriteHeader(http.StatusNoContent)
				}))
				go server.Serve(ForClients(p)) //nolint:errcheck // ends with the test
				client := p.dial("203.0.113.7:1")
				go func() { _, _ = client.Write([]byte(row.sent)) }() // it is not read to its end
				answer := make([]byte, len(row.answer))
				_, err := io.ReadFull(client, answer)
				expect.That(t, err == nil && string(answer) == row.answer, "answered %q (%v), want %q", answer, err, row.answer)
				_ = client.Close()
				_ = server.Close()
				time.Sleep(time.Minute) // a server waits before it closes a connection
			})
		})
	}
}

// A connection that says nothing, or does not end its header, ends with the time for headers.
func TestSilentConnectionsEnd(t *testing.T) {
	for _, sent := range []string{"", "POST / HTTP/1.1\r\nHost: x\r\n"} {
		synctest.Test(t, func(t *testing.T) {
			p := pipes{make(chan net.Conn)}
			server := NewServer(http.NotFoundHandler())
			go server.Serve(ForClients(p)) //nolint:errcheck // ends with the test
			client, begun := p.dial("203.0.113.7:1"), time.Now()
			_, _ = client.Write([]byte(sent))
			_, _ = io.ReadAll(client)
			expect.Equal(t, time.Since(begun), headerTime, "ended after")
			_ = server.Close()
		})
	}
}

// All servers of all programs are made by NewServer, so that each port has its bounds.
func TestServersAreOfTheDoor(t *testing.T) {
	must.Do(t, filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "build" || entry.Name() == "node_modules" || entry.Name() == "tests"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"),
			strings.HasSuffix(path, "internal/door/listener.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		text := string(source)
		expect.That(t, !strings.Contains(text, "http.Server{") && !strings.Contains(text, "http.ListenAndServe"),
			"%s makes a server of its own: use NewServer", path)
		return err
	}))
}
