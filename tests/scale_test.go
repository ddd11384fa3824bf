// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/rpc/minblock"
)

const haproxyConfig = "contrib/haproxy/haproxy.cfg"

// haproxyPorts are the ports of the nodes in the shipped configuration.
var haproxyPorts = []string{"127.0.0.1:18545", "127.0.0.1:28545", "127.0.0.1:38545"}

// haproxyProgram returns the path of HAProxy. Tests with it take a minute and run by make scale only.
func haproxyProgram(t *testing.T) string {
	t.Helper()
	if os.Getenv("GWON_TEST_SCALE") == "" {
		t.Skip("make scale runs this test")
	}
	cmd := exec.Command("../.ci/haproxy")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	must.Do(t, err, ".ci/haproxy found and fetched none:")
	return strings.TrimSpace(string(out))
}

// startHAProxy runs HAProxy with the shipped configuration but for the ports. It returns its URL without scheme.
func startHAProxy(t *testing.T, program, dir string, nodes []string) string {
	t.Helper()
	text := readPage(t, haproxyConfig)
	address := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	for i, old := range append([]string{"bind 127.0.0.1:8545"}, haproxyPorts...) {
		fresh := "bind " + address
		if i > 0 {
			fresh = nodes[i-1]
		}
		must.Equal(t, strings.Count(text, old), 1, "%s has not one %q", haproxyConfig, old)
		text = strings.Replace(text, old, fresh, 1)
	}
	file := filepath.Join(dir, "haproxy.cfg")
	must.Do(t, os.WriteFile(file, []byte(text), 0o600))
	cmd := exec.Command(program, "-db", "-f", file)
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	must.Do(t, cmd.Start())
	t.Cleanup(func() {
		expect.Error(t, cmd.Process.Kill(), nil, "cmd.Process.Kill")
		cmd.Wait() //nolint:errcheck // it was killed
		if t.Failed() {
			t.Logf("HAProxy printed:\n%s", output.String())
		}
	})
	return address
}

// reader is a client with an address of its own. It reads until its context ends.
type reader struct {
	name   string
	url    string
	client http.Client

	requests atomic.Uint64
	seen     atomic.Uint64 // the newest block of all answers
	slowest  atomic.Int64  // nanoseconds

	mu     sync.Mutex
	errors []string
}

// newReader returns a client whose connections come from this address.
func newReader(address, from string) *reader {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	return &reader{name: from, url: "http://" + address, client: http.Client{
		Timeout: patience, Transport: &http.Transport{DialContext: dialer.DialContext},
	}}
}

func (r *reader) fail(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.errors) < 5 {
		r.errors = append(r.errors, fmt.Sprintf(format, args...))
	}
}

func (r *reader) failures() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.errors
}

// raise makes value at least number and returns what it was.
func raise(value *atomic.Uint64, number uint64) (was uint64) {
	for {
		if was = value.Load(); number <= was || value.CompareAndSwap(was, number) {
			return was
		}
	}
}

// run reads in turn what shows the head by each tag, and a balance, until ctx ends.
func (r *reader) run(ctx context.Context) {
	calls := []string{
		`"method":"eth_blockNumber","params":[]`,
		`"method":"eth_getBlockByNumber","params":["latest",false]`,
		`"method":"eth_getBlockByNumber","params":["finalized",false]`,
		`"method":"eth_getBlockByNumber","params":["safe",false]`,
		`"method":"eth_getBalance","params":["0x0000000000000000000000000000000000001000","latest"]`,
	}
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for n := 0; ; n++ {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		call := calls[n%len(calls)]
		before, begin := r.seen.Load(), time.Now()
		number, err := r.ask(call)
		raiseDuration(&r.slowest, time.Since(begin))
		r.requests.Add(1)
		switch {
		case err != nil:
			r.fail("%s failed after %v: %v", call, time.Since(begin), err)
		case number != 0 && number < before:
			r.fail("%s shows block %d after block %d was seen", call, number, before)
		}
		raise(&r.seen, number)
	}
}

func raiseDuration(value *atomic.Int64, took time.Duration) {
	for {
		was := value.Load()
		if int64(took) <= was || value.CompareAndSwap(was, int64(took)) {
			return
		}
	}
}

// ask sends a call and returns the number of the block that the answer shows, 0 if it shows none.
func (r *reader) ask(call string) (number uint64, err error) {
	answer, err := r.client.Post(r.url, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,`+call+`}`))
	if err != nil {
		return 0, err
	}
	body, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		return 0, err
	}
	var reply struct{ Result json.RawMessage }
	if answer.StatusCode != http.StatusOK || json.Unmarshal(body, &reply) != nil || len(reply.Result) == 0 {
		return 0, fmt.Errorf("status %d: %s", answer.StatusCode, body)
	}
	switch {
	case strings.Contains(call, "eth_blockNumber"):
		var head hexutil.Uint64
		err = json.Unmarshal(reply.Result, &head)
		number = uint64(head)
	case strings.Contains(call, "eth_getBlockByNumber"):
		var b block
		err = json.Unmarshal(reply.Result, &b)
		number = uint64(b.Number)
	}
	return number, err
}

// subscribed follows new heads over WebSocket until ctx ends, and connects again when the connection breaks. Within a
// connection no head is older than the one before.
func (r *reader) subscribed(ctx context.Context) {
	for ctx.Err() == nil {
		client, err := gethrpc.DialContext(ctx, strings.Replace(r.url, "http", "ws", 1))
		if err != nil {
			if ctx.Err() == nil {
				r.fail("connect: %v", err)
			}
			return
		}
		heads := make(chan *types.Header, 16)
		sub, err := client.EthSubscribe(ctx, heads, "newHeads")
		if err == nil {
			r.requests.Add(1)
			r.follow(ctx, sub, heads)
		}
		client.Close()
	}
}

func (r *reader) follow(ctx context.Context, sub *gethrpc.ClientSubscription, heads <-chan *types.Header) {
	defer sub.Unsubscribe()
	var last uint64
	for {
		select {
		case head := <-heads:
			if number := head.Number.Uint64(); number < last {
				r.fail("head %d after head %d", number, last)
			} else {
				last = number
			}
			raise(&r.seen, last)
		case <-sub.Err(): //nolint:errcheck // the connection has broken
			return
		case <-ctx.Done():
			return
		}
	}
}

// Three followers behind HAProxy serve steady readers. One follower loses its peers, one is killed at the same time,
// and later one is stopped. No request fails, no reader sees a block below one that it has seen, and each reader goes
// on to new blocks.
func TestScaledReads(t *testing.T) {
	program, c := haproxyProgram(t), startCluster(t, 4)
	first := c.addFollowers(t, 3)
	c.awaitHead(t, 1, 0, 1, 2, 3) // a dial before the validators listen is repeated only after half a minute
	validators, nodes := []int{0, 1, 2, 3}, make([]string, 3)
	startFollower := func(i int) {
		t.Helper()
		port := fmt.Sprint(c.node(i).HTTPPort)
		c.follow(t, i, validators, "--health.headage", "4s", "--ws", "--ws.addr", "127.0.0.1", "--ws.port", port)
	}
	for n := range nodes {
		startFollower(first + n)
		nodes[n] = strings.TrimPrefix(c.node(first+n).HTTP(), "http://")
	}
	for n := range nodes {
		c.awaitReadiness(t, first+n, http.StatusOK)
	}
	address := startHAProxy(t, program, c.network.Dir, nodes)
	c.await(t, "HAProxy", func() (bool, string) {
		number, err := newReader(address, "127.0.0.1").ask(`"method":"eth_blockNumber","params":[]`)
		return number > 0, fmt.Sprint(err)
	})

	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	var readers []*reader
	for n := range 12 { // the last two share their sight with a second loop: requests of one client side by side
		r := newReader(address, fmt.Sprintf("127.0.1.%d", n+1))
		readers = append(readers, r)
		running.Go(func() { r.run(ctx) })
		if n >= 10 {
			running.Go(func() { r.run(ctx) })
		}
	}
	var subscribers []*reader
	for range 3 {
		r := newReader(address, "127.0.0.1")
		subscribers = append(subscribers, r)
		running.Go(func() { r.subscribed(ctx) })
	}
	stop := sync.OnceFunc(func() { cancel(); running.Wait() })
	defer stop()
	// goOn waits until every reader and every subscriber has seen a block that is new now.
	goOn := func(when string) {
		t.Helper()
		head := must.Get(c.head(0))(t)
		for _, r := range append(readers, subscribers...) {
			c.await(t, fmt.Sprintf("block %d in the sight of %s %s", head+2, r.name, when), func() (bool, string) {
				return r.seen.Load() >= head+2, fmt.Sprintf("block %d, errors %q", r.seen.Load(), r.failures())
			})
		}
	}
	goOn("with three followers")

	killed, cut, stopped := first, first+1, first+2
	var done bool
	for _, v := range validators {
		c.must(t, cut, &done, "admin_removePeer", c.node(v).Enode())
	}
	head := must.Get(c.head(cut))(t)
	c.awaitHead(t, head+2, 0) // the follower without peers is behind, and still ready
	c.kill(t, killed)
	goOn("with one follower")
	c.awaitReadiness(t, cut, http.StatusServiceUnavailable)
	for _, v := range validators {
		c.must(t, cut, &done, "admin_addPeer", c.node(v).Enode())
	}
	startFollower(killed)
	c.awaitReadiness(t, killed, http.StatusOK)
	c.awaitReadiness(t, cut, http.StatusOK)
	goOn("with three followers again")

	process := c.processes[c.node(stopped)].Pid()
	must.Do(t, syscall.Kill(process, syscall.SIGSTOP))
	resume := sync.OnceFunc(func() { expect.Error(t, syscall.Kill(process, syscall.SIGCONT), nil, "syscall.Kill") })
	defer resume()
	goOn("with one follower stopped")
	resume()
	c.awaitReadiness(t, stopped, http.StatusOK)
	goOn("at the end")
	stop()

	var requests uint64
	var slowest time.Duration
	for _, r := range readers {
		for _, failure := range r.failures() {
			t.Errorf("%s: %s", r.name, failure)
		}
		requests += r.requests.Load()
		slowest = max(slowest, time.Duration(r.slowest.Load()))
	}
	connections := uint64(0)
	for _, r := range subscribers {
		for _, failure := range r.failures() {
			t.Errorf("subscriber: %s", failure)
		}
		connections += r.requests.Load()
	}
	expect.That(t, connections > 3, "%d connections of 3 subscribers: no follower that went away had one", connections)
	t.Logf("%d requests, the slowest took %v; %d WebSocket connections", requests, slowest, connections)
}

// A node answers the header as docs/operate/scaling.md says.
func TestMinBlock(t *testing.T) {
	c := oneNode(t)
	head := must.Get(c.head(0))(t)
	for _, row := range []struct {
		name   string
		least  string
		status int
	}{
		{"past", "1", http.StatusOK},
		{"next block", fmt.Sprint(head + 1), http.StatusOK},
		{"far ahead", fmt.Sprint(head + 1_000_000), http.StatusServiceUnavailable},
		{"no number", "latest", http.StatusBadRequest},
	} {
		t.Run(row.name, func(t *testing.T) {
			var status int
			var shown string
			// The next block may come later than the node waits: the client then asks again, as the answer says.
			c.await(t, fmt.Sprintf("status %d", row.status), func() (bool, string) {
				var text string
				var err error
				status, shown, text, err = askAbove(c.node(0).HTTP(), row.least)
				return status == row.status, fmt.Sprintf("status %d, error %v: %s", status, err, text)
			})
			expect.That(t, (shown != "") == (status == http.StatusOK),
				"status %d has the header %s: %q", status, minblock.Block, shown)
		})
	}
}

// askAbove asks a node for its head with the least block in the header. It returns status, the header of the answer and
// its text.
func askAbove(url, least string) (status int, shown, text string, err error) {
	body := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}`)
	request, err := http.NewRequest(http.MethodPost, url, body)
	if err != nil {
		return 0, "", "", err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(minblock.MinBlock, least)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", "", err
	}
	content, err := io.ReadAll(answer.Body)
	err = errors.Join(err, answer.Body.Close())
	return answer.StatusCode, answer.Header.Get(minblock.Block), string(content), err
}
