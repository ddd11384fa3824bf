// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package load

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
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

// posterTo is a poster to a server that it closes before the server ends.
func posterTo(t *testing.T, endpoint string) *poster {
	t.Helper()
	p := newPoster(endpoint)
	if p == nil {
		t.Fatalf("no poster for %s", endpoint)
	}
	t.Cleanup(p.close)
	return p
}

// The same submission as that of geth's client arrives, with the path, the query and the credentials of the endpoint.
func TestPosterRequest(t *testing.T) {
	tx := aTransaction(t)
	raw, err := tx.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		user, password, _ := req.BasicAuth()
		if req.Method != http.MethodPost || req.RequestURI != "/rpc/v1?key=a%20b" || user != "me" || password != "p:w" {
			t.Errorf("%s %s of %q, %q", req.Method, req.RequestURI, user, password)
		}
		if got := req.Header.Get("Content-Type"); got != "application/json" {
			t.Errorf("content type %q", got)
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
		if call.JSONRPC != "2.0" || call.Method != "eth_sendRawTransaction" || len(call.Params) != 1 || string(call.Params[0]) != string(raw) {
			t.Errorf("call %+v", call)
		}
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

// Whatever a node answers is told, with the code of its error, and the next submission is none the worse for it.
func TestPosterAnswers(t *testing.T) {
	good := `{"jsonrpc":"2.0","id":1,"result":"0x01"}`
	for _, tt := range []struct {
		name, body, want string
		status, code     int
		closes, chunked  bool
	}{
		{name: "accepted", body: good},
		{name: "accepted, last answer of the connection", body: good, closes: true},
		{name: "accepted, in parts", body: good, chunked: true},
		{name: "refused", body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"txpool is full"}}`, want: "txpool is full", code: -32005},
		{name: "not let in", status: http.StatusForbidden, body: "invalid host specified", want: "403 Forbidden: invalid host specified"},
		{name: "neither", body: `{"jsonrpc":"2.0","id":1}`, want: "an answer with neither result nor error"},
		{name: "no JSON", body: "<html>", want: "an answer that is no JSON-RPC: invalid character '<' looking for beginning of value"},
		{name: "endless", body: strings.Repeat(" ", 2*maxAnswer), want: "an answer of more than 65536 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var first atomic.Bool
			first.Store(true)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				if !first.Swap(false) {
					_, _ = io.WriteString(w, good)
					return
				}
				if tt.closes {
					w.Header().Set("Connection", "close")
				}
				if tt.status != 0 {
					w.WriteHeader(tt.status)
				}
				half := len(tt.body) / 2
				_, _ = io.WriteString(w, tt.body[:half])
				if tt.chunked {
					w.(http.Flusher).Flush()
				}
				_, _ = io.WriteString(w, tt.body[half:])
			}))
			t.Cleanup(server.Close)
			p, tx := posterTo(t, server.URL), aTransaction(t)
			err := p.SendTransaction(t.Context(), tx)
			if (err == nil) != (tt.want == "") || err != nil && err.Error() != tt.want {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			var coded gethrpc.Error
			if errors.As(err, &coded) != (tt.code != 0) || tt.code != 0 && coded.ErrorCode() != tt.code {
				t.Errorf("error %#v, want code %d", err, tt.code)
			}
			if err := p.SendTransaction(t.Context(), tx); err != nil {
				t.Errorf("the next one: %v", err)
			}
		})
	}
}

// A submission whose connection ends before the answer has failed, and is not sent again: the node may have it. A connection that was long
// unused is not trusted, for the server may have closed it.
func TestPosterConnections(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	var connections, requests atomic.Int32
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			// The first connection gives no answer, the others one each and then close without a word.
			silent := connections.Add(1) == 1
			reader := bufio.NewReader(conn)
			if req, err := http.ReadRequest(reader); err == nil {
				_, _ = io.Copy(io.Discard, req.Body)
				if requests.Add(1); !silent {
					_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{\"result\":\"0\"}")
				}
			}
			_ = conn.Close()
		}
	}()
	p, tx := posterTo(t, "http://"+listener.Addr().String()), aTransaction(t)
	if err := p.SendTransaction(t.Context(), tx); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want that of an answer that ends", err)
	}
	if n := requests.Load(); n != 1 {
		t.Errorf("submitted %d times", n)
	}
	for range 2 {
		if err := p.SendTransaction(t.Context(), tx); err != nil {
			t.Error(err)
		}
		p.used = p.used.Add(-2 * maxIdle)
	}
	if n := connections.Load(); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
}

// A node that does not answer costs a submission its time-out and no more.
func TestPosterTimeout(t *testing.T) {
	gone := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-gone }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(gone) })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	var late net.Error
	if err := posterTo(t, server.URL).SendTransaction(ctx, aTransaction(t)); !errors.As(err, &late) || !late.Timeout() {
		t.Errorf("error %v, want a time-out", err)
	}
}

// What is not plain HTTP goes another way.
func TestPosterEndpoints(t *testing.T) {
	for endpoint, want := range map[string]string{
		"http://node":               "node:80",
		"http://127.0.0.1:8545":     "127.0.0.1:8545",
		"http://[::1]:8545/x":       "[::1]:8545",
		"http://[fe80::1]":          "[fe80::1]:80",
		"https://127.0.0.1:8545":    "",
		"ws://127.0.0.1:8546":       "",
		"/var/lib/gwon/gwon.ipc":    "",
		"http://127.0.0.1:8545\r\n": "",
	} {
		p := newPoster(endpoint)
		if (p != nil) != (want != "") || p != nil && p.address != want {
			t.Errorf("%q: %+v, want %q", endpoint, p, want)
		}
	}
}
