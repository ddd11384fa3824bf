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
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"gwon/internal/must"
)

// stallers are clients that never read what they are owed. All are those of one address, but for the silent ones.
type stallers struct {
	at      string // host:port
	sockets []*websocket.Conn
	plain   []net.Conn
}

const (
	stalled    = 16 // WebSocket connections, as many as one address may have
	silent     = 200
	longAnswer = 60 // calls of rpc.discover in a batch, which owes some 7 MB
)

// stallerPause is the time between two long answers that an address can just pay for.
const stallerPause = 1500 * time.Millisecond

// renewal is the time after which silent connections are opened again.
const renewal = 15 * time.Second

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
// its process, is renewed. It counts the long answers that are asked for.
func stall(ctx context.Context, at string, silent int, asked *atomic.Int64) {
	s := &stallers{at: at, sockets: make([]*websocket.Conn, stalled)}
	defer s.close()
	tick := time.NewTicker(stallerPause)
	defer tick.Stop()
	for turn, opened := 0, (time.Time{}); ; turn++ {
		if time.Since(opened) > renewal {
			s.closePlain()
			_ = s.open(silent) // the node may be starting, or refuse some
			opened = time.Now()
		}
		s.turn(turn)
		asked.Add(1)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
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
	t.Parallel()
	c := prepareCluster(t, 1)
	port, dir := fmt.Sprint(c.node(0).HTTPPort), c.node(0).Dir
	p := must.Get(c.supervisor.StartWith(c.node(0), []string{
		"--datadir", dir, "--config", filepath.Join(dir, "config.toml"), "--mine", "--exit.stdin", "--ipcdisable",
		"--nodiscover", "--nat", "none", "--bootnodes", "", "--netrestrict", "127.0.0.0/8", "--cache", "64",
		"--http", "--http.port", port, "--ws", "--ws.port", port,
		"--rpc.profile", "public", "--rpc.trustedproxies", "127.0.0.0/8",
	}))(t)
	c.processes[c.node(0)] = p
	c.awaitHead(t, 2, 0)
	ctx, cancel := context.WithCancel(t.Context())
	honest, work := newProbe(c.node(0).HTTP()), sync.WaitGroup{}
	defer work.Wait()
	defer cancel()
	work.Go(func() { honest.subscribe(ctx) })
	pace := func(blocks int64) time.Duration {
		begun, first := time.Now(), honest.heads.Load()
		c.await(t, "heads", func() (bool, string) {
			n := honest.heads.Load()
			return n >= first+blocks, fmt.Sprint(n)
		})
		return time.Since(begun) / time.Duration(blocks)
	}
	quiet := pace(5)
	var asked atomic.Int64
	work.Go(func() { stall(ctx, "127.0.0.1:"+port, silent, &asked) })
	busy := pace(int64(min(testTime(t, attackVariable, 10*time.Second), time.Minute) / time.Second)) // a block a second
	t.Logf("a head each %v, without the others each %v", busy, quiet)
	if busy > 3*quiet || honest.gaps.Load() > 0 || asked.Load() == 0 {
		t.Errorf("a head each %v, without the others each %v; %d not in order; %d long answers asked for", busy, quiet,
			honest.gaps.Load(), asked.Load())
	}
}
