// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sender is a service with subscriptions that tests feed.
type sender struct {
	subscribed chan func(data any) error // sends a notification of a new subscription
	release    chan struct{}             // ends calls of Wait
}

func newSender() *sender {
	return &sender{subscribed: make(chan func(any) error, 100), release: make(chan struct{})}
}

func (s *sender) Events(ctx context.Context) (*Subscription, error) {
	n, ok := NotifierFromContext(ctx)
	if !ok {
		return nil, ErrNotificationsUnsupported
	}
	sub := n.CreateSubscription()
	s.subscribed <- func(data any) error { return n.Notify(sub.ID, data) }
	return sub, nil
}

func (s *sender) Wait() { <-s.release }

// serve serves a connection with the sender and returns its other end.
func (s *sender) serve(t *testing.T, namespace string) net.Conn {
	t.Helper()
	server := NewServer()
	t.Cleanup(server.Stop)
	must.Do(t, server.RegisterName(namespace, s))
	client, conn := net.Pipe()
	go server.ServeCodec(NewCodec(conn), 0)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func write(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	must.Get(conn.Write([]byte(text + "\n")))(t)
}

func subscribeCall(id int, namespace string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s_subscribe","params":["events"]}`, id, namespace)
}

// Whoever sends notifications to a client that reads nothing never waits, and the connection ends when its queue is
// full.
func TestNotifyNeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := newSender(), boundUnread(t, 1<<30)
		conn := s.serve(t, "eth")
		write(t, conn, subscribeCall(1, "eth"))
		must.Get(bufio.NewReader(conn).ReadString('\n'))(t)
		notify, start, ended := <-s.subscribed, time.Now(), endedQueue.Snapshot().Count()
		sent := 0
		for ; sent < 2*maxQueued; sent++ {
			if err := notify("x"); errors.Is(err, errEnded) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		assert.EqualValues(t, 0, time.Since(start), "the sender waited")
		assert.Equal(t, maxQueued, sent, "notifications were queued")
		assert.EqualValues(t, 1, endedQueue.Snapshot().Count()-ended, "connections ended")
		synctest.Wait()
		_, err := conn.Read(make([]byte, 1))
		assert.Error(t, err, "the connection is open")
		connections, bytes := all.waiting(Unread)
		assert.Truef(t, connections == 0 && bytes == 0, "%d connections, %d bytes are queued in the end", connections, bytes)
	})
}

// A client that is owed a long answer and reads none of it gets the same bound: answers are not in the way of the
// sender.
func TestNotifyBehindAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSender()
		conn := s.serve(t, "eth")
		write(t, conn, subscribeCall(1, "eth"))
		must.Get(bufio.NewReader(conn).ReadString('\n'))(t)
		notify := <-s.subscribed
		write(t, conn, `{"jsonrpc":"2.0","id":2,"method":"rpc_modules"}`)
		if _, err := conn.Read(make([]byte, 1)); err != nil { // of the answer, the rest of which is never read
			t.Fatal(err)
		}
		start := time.Now()
		for range 1000 {
			must.Do(t, notify("x"))
		}
		assert.EqualValues(t, 0, time.Since(start), "the sender waited")
		_ = conn.Close()
	})
}

// A client that reads gets each notification once, in order, and not before the answer that names its subscription,
// also when that belongs to a batch which takes long.
func TestNotificationsFollowTheirAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSender()
		conn := s.serve(t, "eth")
		write(t, conn, "["+subscribeCall(1, "eth")+`,{"jsonrpc":"2.0","id":2,"method":"eth_wait"}]`)
		notify := <-s.subscribed
		for i := range 100 {
			must.Do(t, notify(i))
		}
		synctest.Wait()
		close(s.release)
		in := bufio.NewScanner(conn)
		in.Scan()
		require.Truef(t, strings.HasPrefix(in.Text(), "["), "first line %s, want the answer of the batch", in.Text())
		for i := range 200 {
			if i >= 100 {
				must.Do(t, notify(i))
			}
			var msg struct{ Params struct{ Result int } }
			if in.Scan(); json.Unmarshal(in.Bytes(), &msg) != nil || msg.Params.Result != i {
				t.Fatalf("line %s, want notification %d", in.Text(), i)
			}
		}
	})
}

// All connections together have a bound, and the one with most is ended first.
func TestLargestQueueIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		msg := func(size int) *jsonrpcMessage {
			m := &jsonrpcMessage{Version: vsn, Method: "eth_subscription"}
			m.Params = make([]byte, size-sizeOf(m))
			return m
		}
		all := boundUnread(t, 2500)
		var boxes []*outbox
		for range 4 {
			client, conn := net.Pipe()
			defer client.Close() //nolint:errcheck // of the test alone
			o := newOutbox(NewCodec(conn).(*jsonCodec))
			boxes = append(boxes, o)
		}
		for i, size := range []int{900, 600, 900} {
			must.Do(t, boxes[i].push(msg(size)))
		}
		if err := boxes[3].push(msg(200)); err != nil { // 2,600 bytes in all
			t.Fatal(err)
		}
		ended := 0
		for i, o := range boxes {
			if o.ended {
				ended++
				assert.Truef(t, i != 1 && i != 3, "connection %d is ended, which has less than others", i)
			}
		}
		_, bytes := all.waiting(Unread)
		assert.Truef(t, ended == 1 && bytes == 1700, "%d connections are ended, %d bytes wait; want 1 and 1700", ended, bytes)
		all.most[Unread] = 2 * maxQueuedBytes
		assert.ErrorIs(t, boxes[1].push(msg(maxQueuedBytes)), errEnded, "above the bound of one connection")
		_, bytes = all.waiting(Unread)
		assert.Truef(t, bytes == 1100, "%d bytes are left, want those of the others", bytes)
	})
}

// Results of a computation wait for their reader.
func TestTracesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSender()
		conn := s.serve(t, waitingNamespace)
		write(t, conn, subscribeCall(1, waitingNamespace))
		in := bufio.NewReader(conn)
		must.Get(in.ReadString('\n'))(t)
		notify, start := <-s.subscribed, time.Now()
		synctest.Wait()
		go func() {
			time.Sleep(time.Second)
			_, _ = in.ReadString('\n')
		}()
		err := notify("trace")
		assert.Truef(t, err == nil && time.Since(start) == time.Second, "sent after %v, %v", time.Since(start), err)
	})
}

// networkCodec is a connection that counts as one of the network.
type networkCodec struct {
	*jsonCodec
	remote string
}

func (c networkCodec) peerInfo() PeerInfo {
	return PeerInfo{Transport: "ws", RemoteAddr: c.remote}
}

// The subscriptions of a connection are bounded however they are asked for: at once, in one batch, or one after the
// other. One that ends makes room. spec: rpc 9.6
func TestSubscriptionsAreCounted(t *testing.T) {
	calls := slices.Repeat([]string{subscribeCall(1, "eth")}, 10)
	for _, c := range []struct {
		name  string
		calls []string
	}{
		{"batch", []string{"[" + strings.Join(calls, ",") + "]"}},
		{"one by one", calls},
	} {
		t.Run(c.name, func(t *testing.T) {
			setDoor(t, &testDoor{subscriptions: 2})
			s, server := newSender(), NewServer()
			defer server.Stop()
			must.Do(t, server.RegisterName("eth", s))
			client, conn := net.Pipe()
			defer client.Close() //nolint:errcheck // of the test alone
			go server.ServeCodec(networkCodec{NewCodec(conn).(*jsonCodec), "203.0.113.7:1"}, 0)
			go func() {
				for _, call := range c.calls {
					if _, err := client.Write([]byte(call + "\n")); err != nil {
						return
					}
				}
			}()
			in, made, refused := json.NewDecoder(client), 0, 0
			var last string
			for made+refused < 10 {
				var raw json.RawMessage
				must.Do(t, in.Decode(&raw))
				msgs, _ := parseMessage(raw)
				for _, msg := range msgs {
					if msg.Error != nil {
						assert.Contains(t, string(msg.Error), `"reason":"subscriptions"`, "the door's own words")
						refused++
						continue
					}
					made++
					last = string(msg.Result)
				}
			}
			assert.Equal(t, 2, made, "subscriptions")
			for _, step := range []struct{ method, param, want string }{
				{"unsubscribe", last, "true"}, {"subscribe", `"events"`, `"0x`}, {"subscribe", `"events"`, ""},
			} {
				write(t, client, fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":"eth_%s","params":[%s]}`, step.method, step.param))
				var msg jsonrpcMessage
				must.Do(t, in.Decode(&msg))
				assert.Truef(t, strings.HasPrefix(string(msg.Result), step.want) && (step.want == "") == (msg.Error != nil),
					"%s: result %s, error %s", step.method, msg.Result, msg.Error)
			}
		})
	}
}

// The subscriptions of all connections are bounded. Above that the connection with most is ended, and one that ends
// gives its part back. spec: rpc 9.6
func TestSubscriptionsOfAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		door := setDoor(t, new(testDoor))
		door.most[Subscriptions] = 10
		s, server := newSender(), NewServer()
		defer server.Stop()
		must.Do(t, server.RegisterName("eth", s))
		connect := func(remote string, asked int) (client net.Conn, made int) {
			client, conn := net.Pipe()
			go server.ServeCodec(networkCodec{NewCodec(conn).(*jsonCodec), remote}, 0)
			in := json.NewDecoder(client)
			for range asked {
				write(t, client, subscribeCall(1, "eth"))
				var msg jsonrpcMessage
				must.Do(t, in.Decode(&msg))
				if msg.Error == nil {
					made++
				}
			}
			return client, made
		}
		large, made := connect("203.0.113.7:1", 8)
		require.Equal(t, 8, made, "subscriptions")
		small, made := connect("203.0.113.8:1", 3)
		_, err := large.Read(make([]byte, 1))
		assert.Truef(t, err != nil && made == 3, "the connection with most is open, and the other has %d of 3", made)
		_ = small.Close()
		synctest.Wait()
		shares, _ := door.waiting(Subscriptions)
		assert.Equal(t, 0, shares, "connections have subscriptions in the end")
	})
}
