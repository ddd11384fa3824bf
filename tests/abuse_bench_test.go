// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"gwon/dev/devnet"
)

const (
	abuseVariable     = "GWON_TEST_ABUSE"      // names the abuse of a process that abuses
	abusePortVariable = "GWON_TEST_ABUSE_PORT" // where the public node listens
	abuserVariable    = "GWON_TEST_ABUSER"     // its address
	honestAddress     = "198.51.100.7"
	abuserConnections = 32
)

// abuses are bodies that one client sends as fast as it gets answers.
var abuses = map[string]string{
	"flood":   rpcCall("eth_blockNumber", ""),
	"batches": "[" + strings.Repeat(rpcCall("eth_blockNumber", "")+",", 999) + rpcCall("eth_blockNumber", "") + "]",
	"loops":   rpcCall("eth_call", `{"data":"0x5b600056"},"latest"`),
	"logs":    rpcCall("eth_getLogs", `{"fromBlock":"0x0","toBlock":"0x270f"}`),
	"garbage": "[" + strings.Repeat("[", 1<<16),
	"sockets": rpcCall("eth_blockNumber", ""),
}

// abuseKinds is the order in which the abuses are measured.
var abuseKinds = []string{"flood", "batches", "loops", "logs", "garbage", "sockets"}

func rpcCall(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":[%s]}`, method, params)
}

// abuse abuses the node in the environment until the standard input ends, and prints how many answers it had.
func abuse(kind string) int {
	var (
		answers atomic.Int64
		ended   = make(chan struct{})
		at      = "127.0.0.1:" + os.Getenv(abusePortVariable)
		visit   = visitHTTP
	)
	if kind == "sockets" {
		visit = visitSocket
	}
	for range abuserConnections {
		go func() {
			for {
				visit(at, abuses[kind], &answers) // a closed connection is opened again
			}
		}()
	}
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, os.Stdin) // its end is the sign, an error too
	}()
	<-ended
	fmt.Println(answers.Load())
	return 0
}

func visitHTTP(at, body string, answers *atomic.Int64) {
	conn, err := net.Dial("tcp", at)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	c := &client{conn, bufio.NewReader(conn), os.Getenv(abuserVariable)}
	for {
		if _, err := c.ask(body); err != nil {
			return
		}
		answers.Add(1)
	}
}

// visitSocket has subscriptions and asks without waiting for answers.
func visitSocket(at, body string, answers *atomic.Int64) {
	header := http.Header{"X-Forwarded-For": {os.Getenv(abuserVariable)}}
	conn, refused, err := websocket.DefaultDialer.Dial("ws://"+at, header)
	if err != nil {
		if refused != nil {
			answers.Add(1)
		}
		return
	}
	defer func() { _ = conn.Close() }()
	go func() {
		for range 100 {
			if conn.WriteMessage(websocket.TextMessage, []byte(rpcCall("eth_subscribe", `"newHeads"`))) != nil {
				return
			}
		}
		for conn.WriteMessage(websocket.TextMessage, []byte(body)) == nil {
			continue
		}
	}()
	for {
		if _, _, err := conn.ReadMessage(); err != nil {
			return
		}
		answers.Add(1)
	}
}

// client is a connection of a proxy that speaks for one address.
type client struct {
	conn    net.Conn
	in      *bufio.Reader
	address string
}

// ask returns the status of the answer to a body.
func (c *client) ask(body string) (int, error) {
	if _, err := fmt.Fprintf(c.conn, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
		"X-Forwarded-For: %s\r\nContent-Length: %d\r\n\r\n%s", c.address, len(body), body); err != nil {
		return 0, err
	}
	answer, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, errors.Join(err, answer.Body.Close())
}

// startAbuser starts a process that abuses a node. The process has a low priority: what it needs to make requests
// would otherwise be taken for the node's. The returned function ends it and returns its answers.
func startAbuser(b *testing.B, port int, kind, address string) (stop func() string) {
	b.Helper()
	abuser := exec.Command("nice", "-n", "10", os.Args[0])
	abuser.Env = append(os.Environ(), abuseVariable+"="+kind, fmt.Sprintf("%s=%d", abusePortVariable, port),
		abuserVariable+"="+address)
	abuser.Stderr = os.Stderr
	var out strings.Builder
	abuser.Stdout = &out
	in, err := abuser.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := abuser.Start(); err != nil {
		b.Fatal(err)
	}
	end := sync.OnceFunc(func() {
		if err := errors.Join(in.Close(), abuser.Wait()); err != nil {
			b.Error(err)
		}
	})
	b.Cleanup(end)
	return func() string {
		end()
		return strings.TrimSpace(out.String())
	}
}

// honestCalls are what the honest client asks in turns.
var honestCalls = []struct{ name, body string }{
	{"blockNumber", rpcCall("eth_blockNumber", "")},
	{"getBalance", rpcCall("eth_getBalance", `"0x0000000000000000000000000000000000001000","latest"`)},
	{"call", rpcCall("eth_call", `{"data":"0x00"},"latest"`)},
}

// honest asks a hundred times a second, below the limit of a client, and adds its waits to those of each call.
func honest(b *testing.B, port int, during time.Duration, waits map[string][]time.Duration) {
	b.Helper()
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	c := &client{conn, bufio.NewReader(conn), honestAddress}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end, i := time.Now().Add(during), 0; time.Now().Before(end); i++ {
		<-tick.C
		call := honestCalls[i%len(honestCalls)]
		begun := time.Now()
		if status, err := c.ask(call.body); err != nil || status != http.StatusOK {
			b.Fatalf("the honest client: status %d, %v", status, err)
		}
		waits[call.name] = append(waits[call.name], time.Since(begun))
	}
}

// BenchmarkAbuse reports the 99th percentile of what one client of a public node waits while another client abuses the
// node, in milliseconds and as a multiple of that of the idle node. The goal is twice as long at most. Idle and abused
// times take turns, -benchtime 5x is five, and in each turn the abuser has another address. With GWON_BENCH_BASE
// another binary is measured instead.
func BenchmarkAbuse(b *testing.B) {
	const (
		warm    = 2 * time.Second // the abuser spends what it has saved
		measure = 6 * time.Second
	)
	c, file := history{"payments", 100, 500}.build(b)
	node := c.addFollowers(b, 1)
	c.give(b, file, node)
	if base := os.Getenv("GWON_BENCH_BASE"); base != "" {
		c.supervisor = devnet.NewSupervisor(base, nil, false, false)
	}
	port := c.node(node).HTTPPort
	dir := c.node(node).Dir
	writePeers(b, c.node(node), nil)
	p, err := c.supervisor.StartWith(c.node(node), []string{
		"--datadir", dir, "--config", filepath.Join(dir, "config.toml"), "--exit.stdin",
		"--nodiscover", "--nat", "none", "--bootnodes", "", "--ipcdisable",
		"--http", "--http.port", fmt.Sprint(port), "--ws", "--ws.port", fmt.Sprint(port),
		"--rpc.profile", "public", "--rpc.trustedproxies", "127.0.0.0/8",
	})
	if err != nil {
		b.Fatal(err)
	}
	c.processes[c.node(node)] = p
	c.awaitHead(b, 100, node)
	honest(b, port, warm, make(map[string][]time.Duration))
	turn := 0
	for _, kind := range abuseKinds {
		b.Run(kind, func(b *testing.B) {
			idle, abused := make(map[string][]time.Duration), make(map[string][]time.Duration)
			for b.Loop() {
				turn++
				honest(b, port, measure, idle)
				stop := startAbuser(b, port, kind, fmt.Sprintf("203.0.113.%d", turn%256))
				time.Sleep(warm)
				honest(b, port, measure, abused)
				b.Logf("the abuser had %s answers", stop())
			}
			for _, call := range honestCalls {
				before, after := p99(idle[call.name]), p99(abused[call.name])
				b.Logf("%-8s %-12s p99 idle %10v, abused %10v, ratio %.2f", kind, call.name, before, after,
					after.Seconds()/before.Seconds())
				b.ReportMetric(after.Seconds()*1000, call.name+"-p99-ms")
				b.ReportMetric(after.Seconds()/before.Seconds(), call.name+"-ratio")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func p99(waits []time.Duration) time.Duration {
	slices.Sort(waits)
	return waits[len(waits)*99/100]
}
