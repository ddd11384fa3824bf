// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/fdlimit"
	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/gorilla/websocket"
)

// stallers are clients that never read what they are owed. All are those of one address, but for the silent ones.
type stallers struct {
	at      string // host:port
	sockets []*websocket.Conn
	plain   []net.Conn
}

const (
	stalled      = 16 // WebSocket connections, as many as one address may have
	silent       = 200
	longAnswer   = 60 // calls of rpc.discover in a batch, which owes some 7 MB
	stallerBlock = 20 // blocks that the network makes meanwhile
	latest       = 5  // blocks by which a head may be late, on a machine with other work
)

// stallerPause is the time between two long answers that an address can just pay for.
const stallerPause = 1500 * time.Millisecond

// dial returns a WebSocket that subscribes to heads, logs and transactions, with little room for what it does not read.
func (s *stallers) dial() (*websocket.Conn, error) {
	dialer := websocket.Dialer{NetDial: func(network, address string) (net.Conn, error) {
		conn, err := net.Dial(network, address)
		if err != nil {
			return nil, err
		}
		return conn, conn.(*net.TCPConn).SetReadBuffer(4096)
	}}
	conn, answer, err := dialer.Dial("ws://"+s.at, http.Header{"X-Forwarded-For": {"203.0.113.9"}})
	if answer != nil && answer.Body != nil {
		defer func() { _ = answer.Body.Close() }()
	}
	if err != nil {
		return nil, err
	}
	for _, kind := range []string{`"newHeads"`, `"logs",{}`, `"newPendingTransactions",true`} {
		if err := conn.WriteMessage(websocket.TextMessage, []byte(rpcCall("eth_subscribe", kind))); err != nil {
			return nil, err
		}
	}
	return conn, nil
}

// turn has another one of the connections ask for a long answer. One that the node has ended is renewed.
func (s *stallers) turn(n int) {
	i := n % stalled
	if s.sockets[i] != nil {
		batch := "[" + strings.Repeat(rpcCall("rpc.discover", "")+",", longAnswer-1) + rpcCall("rpc.discover", "") + "]"
		_ = s.sockets[i].SetWriteDeadline(time.Now().Add(time.Second))
		if s.sockets[i].WriteMessage(websocket.TextMessage, []byte(batch)) == nil {
			return
		}
		_ = s.sockets[i].Close()
	}
	s.sockets[i], _ = s.dial() // refused while the address has too many: the next turn tries again
}

// open opens connections of which most send nothing, and some send a body slowly or read half of an answer.
func (s *stallers) open(silent int) error {
	for n := range silent {
		conn, err := net.Dial("tcp", s.at)
		if err != nil {
			return err
		}
		s.plain = append(s.plain, conn)
		body := "[" + strings.Repeat(rpcCall("rpc.discover", "")+",", 20) + rpcCall("rpc.discover", "") + "]"
		head := fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
			"X-Forwarded-For: 192.0.2.%d\r\nContent-Length: %d\r\n\r\n", n%4, len(body))
		switch n % 20 {
		case 0:
			_, err = conn.Write([]byte(head + body[:1]))
		case 1:
			_, err = conn.Write([]byte(head + body))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stall keeps clients that do not read, and silent ones, at a node until ctx ends. What the node ends, or loses with
// its process, is renewed. It returns the number of long answers that were asked for.
func stall(ctx context.Context, at string, silent int) (turns int) {
	s := &stallers{at: at, sockets: make([]*websocket.Conn, stalled)}
	defer s.close()
	tick := time.NewTicker(stallerPause)
	defer tick.Stop()
	for opened := (time.Time{}); ; turns++ {
		if time.Since(opened) > killPause {
			s.closePlain()
			_ = s.open(silent) // the node may be starting, or refuse some
			opened = time.Now()
		}
		s.turn(turns)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return turns
		}
	}
}

// silentConnections returns how many silent connections leave half of what a node takes to others: thousands, where a
// process may open that many files.
func silentConnections(t *testing.T) int {
	t.Helper()
	files, err := fdlimit.Maximum()
	if err != nil {
		t.Fatal(err)
	}
	return min(2000, files/8)
}

func (s *stallers) closePlain() {
	for _, conn := range s.plain {
		_ = conn.Close()
	}
	s.plain = nil
}

func (s *stallers) close() {
	for _, conn := range s.sockets {
		if conn != nil {
			_ = conn.Close()
		}
	}
	s.closePlain()
}

// The chain and the other clients of a validator never wait for clients that do not read: subscribers that are owed
// long answers, half-read answers, slow bodies and silent connections. Blocks keep their pace, and an honest subscriber
// gets each head once, in order. spec: rpc 9.6
func TestClientsThatDoNotRead(t *testing.T) {
	c := prepareCluster(t, 1)
	at := fmt.Sprintf("127.0.0.1:%d", c.node(0).HTTPPort)
	port, dir := fmt.Sprint(c.node(0).HTTPPort), c.node(0).Dir
	p, err := c.supervisor.StartWith(c.node(0), []string{
		"--datadir", dir, "--config", filepath.Join(dir, "config.toml"), "--mine", "--exit.stdin", "--ipcdisable",
		"--nodiscover", "--nat", "none", "--bootnodes", "", "--netrestrict", "127.0.0.0/8", "--cache", "64",
		"--http", "--http.port", port, "--ws", "--ws.port", port,
		"--rpc.profile", "public", "--rpc.trustedproxies", "127.0.0.0/8",
	})
	if err != nil {
		t.Fatal(err)
	}
	c.processes[c.node(0)] = p
	c.awaitHead(t, 2, 0)
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	header := http.Header{"X-Forwarded-For": {"198.51.100.7"}}
	honest, err := gethrpc.DialOptions(ctx, "ws://"+at, gethrpc.WithHeaders(header))
	if err != nil {
		t.Fatal(err)
	}
	defer honest.Close()
	heads := make(chan *types.Header, 100)
	subscription, err := honest.EthSubscribe(ctx, heads, "newHeads")
	if err != nil {
		t.Fatal(err)
	}
	defer subscription.Unsubscribe()
	var last uint64
	follow := func(blocks int, during func(int)) time.Duration {
		t.Helper()
		start, tick := time.Now(), time.NewTicker(stallerPause)
		defer tick.Stop()
		for turn := 0; blocks > 0; {
			select {
			case head := <-heads:
				if number := head.Number.Uint64(); last != 0 && number != last+1 {
					t.Fatalf("head %d after %d", number, last)
				}
				last = head.Number.Uint64()
				blocks--
				if newest, err := c.head(0); err != nil || newest > last+latest {
					t.Fatalf("head %d comes when the node has block %d, %v", last, newest, err)
				}
			case err := <-subscription.Err():
				t.Fatalf("the honest subscription ended: %v", err)
			case <-ctx.Done():
				t.Fatalf("no head after %d for long", last)
			case <-tick.C:
				during(turn)
				turn++
			}
		}
		return time.Since(start)
	}
	quiet := follow(5, func(int) {}) / 5
	s := &stallers{at: at, sockets: make([]*websocket.Conn, stalled)}
	defer s.close()
	if err := s.open(silent); err != nil {
		t.Fatal(err)
	}
	for i := range s.sockets {
		if s.sockets[i], err = s.dial(); err != nil {
			t.Fatal(err)
		}
	}
	pace := follow(stallerBlock, s.turn) / stallerBlock
	t.Logf("a head each %v, without the others each %v", pace, quiet)
	if pace > 3*quiet {
		t.Errorf("a head each %v, without the others each %v", pace, quiet)
	}
}
