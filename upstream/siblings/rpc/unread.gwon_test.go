// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
)

// large is a service with large answers.
type large struct{ release chan struct{} }

func (large) Text(size int) string { return strings.Repeat("x", size) }

func (l large) Wait() { <-l.release }

// boundUnread bounds what the connections of a test have not read.
func boundUnread(t *testing.T, most int) *testDoor {
	t.Helper()
	door := setDoor(t, new(testDoor))
	door.most[Unread] = most
	return door
}

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

// largeServer serves large over what its function connects.
func largeServer(t *testing.T) (large, *Server) {
	t.Helper()
	l, server := large{make(chan struct{})}, NewServer()
	must.Do(t, server.RegisterName("test", l))
	return l, server
}

func textCall(size int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"test_text","params":[%d]}`, size)
}

// isOpen reports whether a connection gives the rest of its answer of at least size bytes.
func isOpen(t *testing.T, conn net.Conn, size int) bool {
	t.Helper()
	line, err := bufio.NewReader(conn).ReadString('\n')
	assert.Truef(t, err != nil || len(line) >= size, "an answer of %d bytes, want %d", len(line), size)
	return err == nil
}

// Answers that clients do not read have a bound in all. The connection with most is ended.
func TestUnreadAnswersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := boundUnread(t, 12_000)
		_, server := largeServer(t)
		defer server.Stop()
		var clients []net.Conn
		connect := func(size int) {
			client, conn := net.Pipe()
			go server.ServeCodec(NewCodec(conn), 0)
			write(t, client, textCall(size))
			synctest.Wait()
			clients = append(clients, client)
		}
		connect(5000)
		connect(5100)
		connect(4900) // 15,000 in all, and more with what each answer takes
		wantSecondEnded(t, clients, 3000, all)
	})
}

// wantSecondEnded reads from three connections, of which the second one was ended. In the end nothing is counted.
func wantSecondEnded(t *testing.T, clients []net.Conn, size int, all *testDoor) {
	t.Helper()
	for i, want := range []bool{true, false, true} {
		assert.Equalf(t, want, isOpen(t, clients[i], size), "connection %d is open", i)
		_ = clients[i].Close()
	}
	synctest.Wait()
	connections, bytes := all.waiting(Unread)
	assert.Truef(t, connections == 0 && bytes == 0, "%d connections and %d bytes are left", connections, bytes)
}

// What a batch has collected counts while its other calls run, and again while it is written. A batch that ends gives
// all of it back, also one whose connection is gone.
func TestCollectedAnswersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := boundUnread(t, 30_000)
		l, server := largeServer(t)
		defer server.Stop()
		var clients []net.Conn
		for _, size := range []int{10_000, 15_000, 1000} {
			client, conn := net.Pipe()
			go server.ServeCodec(NewCodec(conn), 0)
			write(t, client, "["+textCall(size)+`,{"jsonrpc":"2.0","id":2,"method":"test_wait"}]`)
			synctest.Wait()
			clients = append(clients, client)
		}
		_, bytes := all.waiting(Unread)
		assert.Truef(t, bytes >= 26_000 && bytes <= 27_000, "%d bytes are counted of batches that run", bytes)
		write(t, clients[2], textCall(5000)) // above the bound
		synctest.Wait()
		close(l.release)
		wantSecondEnded(t, clients, 1000, all)
	})
}

// The connection of an HTTP request whose answer is not read is ended as others are.
func TestUnreadHTTPAnswersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := boundUnread(t, 100_000)
		_, server := largeServer(t)
		defer server.Stop()
		listener := pipes{make(chan net.Conn)}
		web := &http.Server{Handler: server, ReadHeaderTimeout: time.Hour}
		go web.Serve(listener) //nolint:errcheck // ends with the listener
		ask := func(size int) net.Conn {
			client, body := listener.dial("127.0.0.1:1"), textCall(size)
			write(t, client, fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"+
				"Content-Length: %d\r\n\r\n%s", len(body), body))
			synctest.Wait()
			return client
		}
		first := ask(80_000)
		second := ask(50_000)
		content, err := io.ReadAll(first)
		assert.Truef(t, len(content) < 80_000, "the larger answer was written: %d bytes, error %v", len(content), err)
		response := must.Get(http.ReadResponse(bufio.NewReader(second), nil))(t)
		content, err = io.ReadAll(response.Body)
		assert.Truef(t, err == nil && len(content) >= 50_000, "the other answer: %d bytes, error %v", len(content), err)
		_ = first.Close()
		_ = second.Close()
		_ = web.Close()
		synctest.Wait()
		connections, bytes := all.waiting(Unread)
		assert.Truef(t, connections == 0 && bytes == 0, "%d connections and %d bytes are left", connections, bytes)
	})
}

// A WebSocket keeps the buffer of a short message for the next one, and not that of a long one.
func TestLargeBuffersAreDropped(t *testing.T) {
	var buffer []byte
	for _, size := range []int{100, keptBuffer + 1, 100} {
		message := append(buffer, make([]byte, size)...) //nolint:gocritic // as in dropLargeBuffers
		if buffer = keptOf(message); len(message) != size || len(buffer) != 0 {
			t.Errorf("a message of %d bytes became one of %d", size, len(message))
		}
		if kept := cap(buffer); kept > keptBuffer || kept == 0 && size <= keptBuffer {
			t.Errorf("a buffer of %d bytes is kept after a message of %d", kept, size)
		}
	}
}

// Notifications and answers share the bound: those of a client that reads neither take from one total.
func TestNotificationsAndAnswersShareTheBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := boundUnread(t, 15_000)
		client, conn := net.Pipe()
		defer client.Close() //nolint:errcheck // of the test alone
		subscriber := newOutbox(NewCodec(conn).(*jsonCodec))
		message := &jsonrpcMessage{Version: vsn, Method: "eth_subscription"}
		message.Params = make([]byte, 12_000-sizeOf(message))
		must.Do(t, subscriber.push(message))
		_, server := largeServer(t)
		defer server.Stop()
		reader, other := net.Pipe()
		go server.ServeCodec(NewCodec(other), 0)
		write(t, reader, textCall(5000))
		synctest.Wait()
		assert.Truef(t, isOpen(t, reader, 5000) && subscriber.ended,
			"the subscriber, which has most and reads nothing, is ended: %v", subscriber.ended)
		_ = reader.Close()
		synctest.Wait()
		connections, bytes := all.waiting(Unread)
		assert.Truef(t, connections == 0 && bytes == 0, "%d connections and %d bytes are left", connections, bytes)
	})
}
