// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// mostRead is how many bytes a body has at most.
const mostRead = 5 << 20

// hosted serves requests whose bodies are read to their ends, and reports what became of each.
func hosted(t *testing.T, bodies *Account) (p pipes, read chan error) {
	t.Helper()
	p, read = pipes{make(chan net.Conn)}, make(chan error, 1000)
	server := NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, release, err := ReadBody(w, r, bodies, OwnerOf(r.RemoteAddr), mostRead, func() {})
		if err == nil {
			defer release()
			var n int64
			n, err = io.Copy(io.Discard, r.Body)
			expect.That(t, n == r.ContentLength, "a handler has read %d bytes, and takes memory for %d", n, r.ContentLength)
		}
		read <- err
	}))
	go server.Serve(p) //nolint:errcheck // ends with the test
	t.Cleanup(func() {
		_ = server.Close()
		time.Sleep(time.Minute)
	})
	return p, read
}

// begin sends a request that claims a length, with as many bytes of its body.
func begin(p pipes, remote string, claimed, sent int) net.Conn {
	client := p.dial(remote)
	go func() {
		_, _ = fmt.Fprintf(client, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", claimed)
		_, _ = client.Write(make([]byte, sent)) // it may be ended meanwhile
	}()
	return client
}

// Bodies that do not end count in sum, whatever they claim. Above the bound the largest slow one ends, and the request
// of another owner is read. spec: rpc 9.6
func TestUnfinishedBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bodies := NewBodies(mostRead)
		p, read := hosted(t, bodies)
		for n := range 2 * maxBody / mostRead {
			defer begin(p, fmt.Sprintf("203.0.113.%d:1", n), mostRead, mostRead-1).Close() //nolint:errcheck // of the test alone
			synctest.Wait()
			all, _ := bodies.Taken()
			must.That(t, all <= maxBody, "%d bytes are counted, the bound is %d", all, maxBody)
			time.Sleep(slowAfter / 10)
		}
		time.Sleep(slowAfter)
		expect.That(t, len(read) != 0, "no body has left for others")
		for len(read) > 0 {
			expect.Refused(t, <-read, "a body that does not end was read to its end")
		}
		defer begin(p, "198.51.100.1:1", 1<<20, 1<<20).Close() //nolint:errcheck // of the test alone
		synctest.Wait()
		for {
			if err := <-read; err == nil {
				break // that of the other owner
			}
		}
		time.Sleep(time.Minute)
		all, owners := bodies.Taken()
		expect.That(t, all == 0 && owners == 0, "%d bytes of %d owners are counted in the end", all, owners)
	})
}

// A handler takes memory for what has come, also of a body without a length.
func TestUnknownLength(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/", io.LimitReader(strings.NewReader("{}"), 2))
	must.That(t, r.ContentLength < 0, "the request has length %d", r.ContentLength)
	_, release, err := ReadBody(httptest.NewRecorder(), r, NewBodies(mostRead), Owner{"a"}, mostRead, func() {})
	must.That(t, err == nil && r.ContentLength == 2, "a length of %d, error %v", r.ContentLength, err)
	release()
}

// A body has to come at a least rate. One that ends leaves its answer the time that it needs.
func TestSlowBodiesEnd(t *testing.T) {
	for _, row := range []struct {
		name string
		sent int
		ends time.Duration
	}{
		{"nothing", 0, bodyGrace},
		{"a byte", 1, bodyGrace},
		{"a megabyte at once", 1 << 20, bodyGrace + 8*time.Second},
		{"most of it at once", 5<<20 - 1, RequestTime},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, read := hosted(t, NewBodies(mostRead))
				begun := time.Now()
				client := begin(p, "203.0.113.1:1", 5<<20, row.sent)
				defer client.Close() //nolint:errcheck // of the test alone
				err := <-read
				if took := time.Since(begun); err == nil || took.Round(time.Millisecond) != row.ends {
					t.Errorf("ended after %v with %v, want %v", took, err, row.ends)
				}
			})
		})
	}
}

// One owner has a part of what is read at most.
func TestBodiesOfOneOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bodies := NewBodies(mostRead)
		p, read := hosted(t, bodies)
		for n := range 10 {
			defer begin(p, fmt.Sprintf("203.0.113.1:%d", n+1), 5<<20, 5<<20-1).Close() //nolint:errcheck // of the test alone
			synctest.Wait()
		}
		all, _ := bodies.Taken()
		expect.That(t, all <= ownBody, "one owner has %d bytes, its bound is %d", all, ownBody)
		expect.That(t, len(read) != 0, "no body is refused")
	})
}

// A request that was read and is served for long does not leave before those of owners with more that are being read.
// One that leaves ends its connection: what follows on it would be canceled.
func TestServedBodiesAreNotSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bodies := NewBodies(mostRead)
		p, serve := pipes{make(chan net.Conn)}, make(chan struct{})
		server := NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			if _, release, err := ReadBody(w, r, bodies, OwnerOf(r.RemoteAddr), mostRead, cancel); err == nil {
				defer release()
				select {
				case <-serve:
				case <-ctx.Done():
				}
			}
		}))
		go server.Serve(p) //nolint:errcheck // ends with the test
		modest := begin(p, "198.51.100.1:1", 3*bodyChunk, 3*bodyChunk)
		synctest.Wait()
		time.Sleep(2 * slowAfter) // it is served
		shares := make([]*Share, maxBody/ownBody+1)
		for i := range shares { // attackers that are new each moment
			shares[i] = bodies.Share(Owner{fmt.Sprint("greedy ", i)}, func() {})
			for range ownBody / bodyChunk {
				if shares[i].Add(bodyChunk) != nil {
					break
				}
			}
		}
		close(serve)
		answer := make([]byte, 12)
		_, err := io.ReadFull(modest, answer)
		expect.That(t, err == nil && string(answer) == "HTTP/1.1 200", "the modest client got %q, %v", answer, err)
		for _, s := range shares {
			s.Release()
		}
		_ = modest.Close()
		_ = server.Close()
		time.Sleep(time.Minute)
	})
}

// A message has to come at a least rate, and counts until it is released.
func TestMessagesAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bodies := NewBodies(mostRead)
		client, server := net.Pipe()
		const size = 3*bodyChunk + 7
		read := func() (content []byte, release func(), err error) {
			return ReadMessage(io.LimitReader(server, size), bodies, Owner{"a"}, func() { _ = server.Close() })
		}
		go client.Write(make([]byte, size)) //nolint:errcheck // judged by the reader
		content, release, err := read()
		must.That(t, err == nil && len(content) == size, "%d bytes, error %v", len(content), err)
		all, _ := bodies.Taken()
		expect.That(t, all >= size && all <= size+messageBytes, "%d bytes are counted of a message of %d", all, size)
		time.Sleep(time.Hour) // no deadline is left of it
		release()
		begun := time.Now()
		go client.Write(make([]byte, size-1)) //nolint:errcheck // judged by the reader

		// A pong takes the deadline of the connection away.
		lifted := time.AfterFunc(bodyGrace/2, func() { _ = server.SetReadDeadline(time.Time{}) })
		defer lifted.Stop()
		if _, _, err := read(); err == nil || time.Since(begun) < bodyGrace || time.Since(begun) > RequestTime {
			t.Errorf("a message that does not end: %v after %v", err, time.Since(begun))
		}
		all, _ = bodies.Taken()
		expect.That(t, all == 0, "%d bytes are counted in the end", all)
		_ = client.Close()
	})
}
