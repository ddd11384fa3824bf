// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package loadtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// aTransaction is a signed transfer.
func aTransaction(t *testing.T) *types.Transaction {
	t.Helper()
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	tx, err := types.SignNewTx(key, fakeSigner, &types.DynamicFeeTx{ChainID: big.NewInt(8283), GasTipCap: big.NewInt(1), GasFeeCap: big.NewInt(2), Gas: 21000})
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

// posterTo is a poster to a server, without a proxy.
func posterTo(t *testing.T, endpoint string) *poster {
	t.Helper()
	p := newPoster(endpoint, direct)
	if p == nil {
		t.Fatalf("no poster for %s", endpoint)
	}
	t.Cleanup(p.close)
	return p
}

func direct(*http.Request) (*url.URL, error) { return nil, nil }

// A submission as JSON-RPC wants it arrives, with the path, the query and the credentials of the endpoint, each with an id of its own.
func TestPosterRequest(t *testing.T) {
	tx := aTransaction(t)
	raw, err := tx.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		user, password, _ := req.BasicAuth()
		if req.Method != http.MethodPost || req.RequestURI != "/rpc/v1?key=a%20b" || user != "me" || password != "p:w" {
			t.Errorf("%s %s of %q, %q", req.Method, req.RequestURI, user, password)
		}
		if want := req.Context().Value(http.LocalAddrContextKey).(net.Addr).String(); req.Host != want {
			t.Errorf("host %q, want %q", req.Host, want)
		}
		if content, accept := req.Header.Get("Content-Type"), req.Header.Get("Accept"); content != "application/json" || accept != content {
			t.Errorf("content type %q, accepted %q", content, accept)
		}
		var call struct {
			JSONRPC string `json:"jsonrpc"`
			ID      int
			Method  string
			Params  []hexutil.Bytes
		}
		if err := json.NewDecoder(req.Body).Decode(&call); err != nil {
			t.Error(err)
		}
		if call.JSONRPC != "2.0" || call.Method != "eth_sendRawTransaction" || len(call.Params) != 1 || !bytes.Equal(call.Params[0], raw) || call.ID <= last {
			t.Errorf("call %+v after number %d", call, last)
		}
		last = call.ID
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"result":%q}`, call.ID, tx.Hash())
	}))
	t.Cleanup(server.Close)
	p := posterTo(t, strings.Replace(server.URL, "http://", "http://me:p%3Aw@", 1)+"/rpc/v1?key=a%20b")
	for range 2 {
		if err := p.SendTransaction(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
	}
}

// script is a server that answers each request of a connection with these bytes, in which ID stands for that of the request, and counts connections.
type script struct {
	address     string
	connections atomic.Int32
	ended       chan struct{} // a value for each connection that the other side has closed
}

func playScript(t *testing.T, closes bool, answer func(n int) string) *script {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &script{address: listener.Addr().String(), ended: make(chan struct{}, 1000)}
	var all sync.WaitGroup
	t.Cleanup(func() { _ = listener.Close(); all.Wait() })
	requests := 0 // one at a time
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.connections.Add(1)
			all.Go(func() {
				defer func() { _ = conn.Close() }()
				reader := bufio.NewReader(conn)
				for {
					req, err := http.ReadRequest(reader)
					if err != nil {
						s.ended <- struct{}{}
						return
					}
					var call struct{ ID int }
					if err := json.NewDecoder(req.Body).Decode(&call); err != nil {
						t.Error(err)
					}
					requests++
					_, _ = io.WriteString(conn, strings.ReplaceAll(answer(requests), "ID", fmt.Sprint(call.ID)))
					if closes {
						return
					}
				}
			})
		}
	})
	return s
}

// plain is an answer as servers give it.
func plain(status, body string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s", status, len(strings.ReplaceAll(body, "ID", "1")), body)
}

const good = `{"jsonrpc":"2.0","id":ID,"result":"0x01"}`

// Whatever a server answers is told, with the code of a node's error, and the next submission gets its own answer: over the same connection
// where nothing is left of this one, over another otherwise.
func TestPosterAnswers(t *testing.T) {
	refusal := `{"jsonrpc":"2.0","id":ID,"error":{"code":-32005,"message":"txpool is full"}}`
	for _, tt := range []struct {
		name, answer, want string
		code, connections  int
	}{
		{name: "accepted", answer: plain("200 OK", good), connections: 1},
		{name: "accepted for later", answer: plain("202 Accepted", good), connections: 1},
		{name: "accepted, in parts", answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n13\r\n{\"jsonrpc\":\"2.0\",\"i\r\n13\r\nd\":ID,\"result\":\"0x\"}\r\n0\r\n\r\n", connections: 1},
		{name: "accepted after hints", answer: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + plain("200 OK", good), connections: 1},
		{name: "accepted, connection over", answer: strings.Replace(plain("200 OK", good), "\r\n", "\r\nConnection: close\r\n", 1), connections: 2},
		{name: "accepted by old HTTP", answer: strings.Replace(plain("200 OK", good), "1.1", "1.0", 1), connections: 2},
		{name: "accepted, and more unasked", answer: plain("200 OK", good) + "\r\n", connections: 2},
		{name: "refused", answer: plain("200 OK", refusal), want: "txpool is full", code: -32005, connections: 1},
		{name: "refused, id unread", answer: plain("200 OK", strings.Replace(refusal, "ID", "null", 1)), want: "txpool is full", code: -32005, connections: 1},
		{name: "refused without words", answer: plain("200 OK", `{"id":ID,"error":{"code":7}}`), want: "json-rpc error 7", code: 7, connections: 1},
		{name: "not let in", answer: plain("403 Forbidden", "invalid host specified"), want: "403 Forbidden: invalid host specified", connections: 1},
		{name: "sent elsewhere", answer: "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://other\r\nContent-Length: 0\r\n\r\n",
			want: "submit to NODE: 307 Temporary Redirect: the endpoint is http://other", connections: 2},
		{name: "another protocol", answer: "HTTP/1.1 101 Switching Protocols\r\n\r\n", want: "submit to NODE: 101 Switching Protocols", connections: 2},
		{name: "hints only", answer: strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 100), want: "submit to NODE: 103 Early Hints", connections: 2},
		{name: "answer to another", answer: plain("200 OK", `{"id":99,"result":"0x01"}`), want: "submit to NODE: an answer to another request", connections: 2},
		{name: "answer to nobody", answer: plain("200 OK", `{"result":"0x01"}`), want: "submit to NODE: an answer to another request", connections: 2},
		{name: "neither", answer: plain("200 OK", `{"jsonrpc":"2.0","id":ID}`), want: "submit to NODE: an answer with neither result nor error", connections: 2},
		{name: "no JSON", answer: plain("200 OK", "<html>"), want: "submit to NODE: an answer that is no JSON-RPC: <html>", connections: 2},
		{name: "long body", answer: plain("200 OK", strings.Repeat(" ", 2*maxAnswer)), want: "submit to NODE: an answer of more than 131072 bytes", connections: 2},
		{name: "long body without end", answer: "HTTP/1.0 200 OK\r\n\r\n" + strings.Repeat(" ", 2*maxAnswer), want: "submit to NODE: an answer of more than 131072 bytes", connections: 2},
		{name: "long headers", answer: "HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", maxAnswer), want: "submit to NODE: an answer of more than 131072 bytes", connections: 2},
		{name: "no HTTP", answer: "hello\r\n\r\n", want: `submit to NODE: malformed HTTP response "hello"`, connections: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := playScript(t, false, func(n int) string {
				if n > 1 {
					return plain("200 OK", good)
				}
				return tt.answer
			})
			p, tx := posterTo(t, "http://"+server.address), aTransaction(t)
			err := p.SendTransaction(t.Context(), tx)
			want := strings.ReplaceAll(tt.want, "NODE", server.address)
			if (err == nil) != (want == "") || err != nil && err.Error() != want {
				t.Errorf("error %.300v, want %q", err, want)
			}
			var coded gethrpc.Error
			if errors.As(err, &coded) != (tt.code != 0) || tt.code != 0 && coded.ErrorCode() != tt.code {
				t.Errorf("error %#v, want code %d", err, tt.code)
			}
			for range 2 {
				if err := p.SendTransaction(t.Context(), tx); err != nil {
					t.Errorf("the next one: %v", err)
				}
			}
			if n := int(server.connections.Load()); n != tt.connections {
				t.Errorf("%d connections, want %d", n, tt.connections)
			}
			p.close()
			select {
			case <-server.ended:
			case <-time.After(10 * time.Second):
				t.Error("a closed connection is open")
			}
		})
	}
}

// What one answer may have is not what all of a connection may have together.
func TestPosterManyAnswers(t *testing.T) {
	server := playScript(t, false, func(int) string { return plain("200 OK", good+strings.Repeat(" ", maxAnswer/4)) })
	p, tx := posterTo(t, "http://"+server.address), aTransaction(t)
	for range 9 { // the id keeps its length
		if err := p.SendTransaction(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
	}
	if n := server.connections.Load(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

// A submission whose connection ends before the answer has failed, and is not sent again: the node may have it.
func TestPosterAnswerLost(t *testing.T) {
	requests := 0
	server := playScript(t, true, func(n int) string {
		requests = n
		if n == 1 {
			return ""
		}
		return plain("200 OK", good)
	})
	p, tx := posterTo(t, "http://"+server.address), aTransaction(t)
	if err := p.SendTransaction(t.Context(), tx); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want that of an answer that ends", err)
	}
	if requests != 1 {
		t.Errorf("submitted %d times", requests)
	}
}

// A connection that the server has closed while nothing was to be sent, or over which it has said something unasked, costs no submission.
func TestPosterIdleConnection(t *testing.T) {
	server := playScript(t, true, func(int) string { return plain("200 OK", good) })
	p, tx := posterTo(t, "http://"+server.address), aTransaction(t)
	for range 3 {
		if err := p.SendTransaction(t.Context(), tx); err != nil {
			t.Error(err)
		}
		for p.conn != nil && silent(p.conn) {
			runtime.Gosched() // until the end arrives
		}
		p.used = p.used.Add(-2 * unwatched)
	}
	if n := server.connections.Load(); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
	here, there := net.Pipe()
	defer func() { _, _ = here.Close(), there.Close() }()
	if silent(here) {
		t.Error("what cannot be looked at counts as silent")
	}
}

// A node that does not answer, or not to the end, costs a submission its time-out and no more.
func TestPosterTimeout(t *testing.T) {
	for _, part := range []string{"", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"} {
		server := playScript(t, false, func(int) string { return part })
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		var late net.Error
		p := posterTo(t, "http://"+server.address)
		if err := p.SendTransaction(ctx, aTransaction(t)); !errors.As(err, &late) || !late.Timeout() || p.conn != nil {
			t.Errorf("error %v, want a time-out", err)
		}
	}
	// One that takes nothing.
	here, there := net.Pipe()
	defer func() { _ = there.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	p := posterTo(t, "http://127.0.0.1:1")
	p.conn, p.used = here, time.Now().Add(time.Hour)
	if err := p.SendTransaction(ctx, aTransaction(t)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("error %v, want a time-out", err)
	}
	// The time may be over before.
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := posterTo(t, "http://127.0.0.1:1").SendTransaction(over, aTransaction(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// What is not plain HTTP, or behind a proxy, goes another way.
func TestPosterEndpoints(t *testing.T) {
	for endpoint, want := range map[string]struct{ address, host string }{
		"http://node":               {"node:80", "node"},
		"http://127.0.0.1:8545":     {"127.0.0.1:8545", "127.0.0.1:8545"},
		"http://[::1]:8545/x":       {"[::1]:8545", "[::1]:8545"},
		"http://[fe80::1%25lo]":     {"[fe80::1%lo]:80", "[fe80::1]"},
		"https://127.0.0.1:8545":    {},
		"ws://127.0.0.1:8546":       {},
		"/var/lib/gwon/gwon.ipc":    {},
		"http://127.0.0.1:8545\r\n": {},
	} {
		p := newPoster(endpoint, direct)
		if (p != nil) != (want.address != "") || p != nil && (p.address != want.address || !bytes.Contains(p.head, []byte("\r\nHost: "+want.host+"\r\n"))) {
			t.Errorf("%q: %+v, want %q", endpoint, p, want)
		}
	}
	proxied := func(*http.Request) (*url.URL, error) { return url.Parse("http://proxy:3128") }
	unknown := func(*http.Request) (*url.URL, error) { return nil, errors.New("no such proxy") }
	if newPoster("http://node", proxied) != nil || newPoster("http://node", unknown) != nil {
		t.Error("a proxy is passed over")
	}
}
