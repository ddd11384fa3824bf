// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// Where no node answers, one sentence says so and what to give; what answers instead is not shown.
func TestEndpointErrors(t *testing.T) {
	answering := func(status int, body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	for endpoint, want := range map[string]string{
		"":                   "no node at",
		"127.0.0.1:28545":    "no node at 127.0.0.1:28545: the URL has no scheme: begin it with http://",
		"http://127.0.0.1:1": "cannot be reached: connect: connection refused: does a node run there? give --rpc http://",
		"ftp://127.0.0.1":    "is no known transport: take http",
		"/nowhere.ipc":       "no node at /nowhere.ipc: ",
		answering(404, "<html>no\nsuch page</html>"): "answers with HTTP status 404: does a node run there?",
		answering(200, "<html>welcome</html>"):       "answers what no node does: does a node run there?",
		answering(200, `{"jsonrpc":"2.0","id":1,"result":{}}`): "answers what no node does: does a node run there? " +
			"give --rpc http://",
		answering(200, ""): "answers what no node does",
		answering(200, `{"jsonrpc":"2.0","id":1,`+
			`"error":{"code":-32601,"message":"the method does not exist"}}`): `the error -32601, "the method`,
	} {
		t.Run(endpoint, func(t *testing.T) {
			_, err := Open(t.Context(), endpoint, nil, DefaultAddresses())
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", endpoint, err, want)
				return
			}
			for _, leak := range []string{"\n", "<html", "hexutil", "Go value"} {
				expect.That(t, !strings.Contains(err.Error(), leak), "%q: %v", endpoint, err)
			}
		})
	}
}

// A node whose pool is full is offered the same transaction again, as long as the user waits (EIP-1474, -32005).
func TestFullPool(t *testing.T) {
	c := startChain(t, 2, 0, params.G1)
	_, plan, err := c.try(1, plain(GasTip(gwei(30_000))))
	must.Do(t, err)
	tx := must.Get(plan.Sign(KeySigner{key(1)}))(t)
	var offered []string
	busy, answers := 2, `"error":{"code":-32005,"message":"txpool is full: try again"}`
	head := `{"number":"0x1","gasLimit":"0x1","gasUsed":"0x0","timestamp":"0x1","difficulty":"0x1","extraData":"0x",` +
		`"baseFeePerGas":"0x1","parentHash":"H","sha3Uncles":"H",` +
		`"stateRoot":"H","transactionsRoot":"H","receiptsRoot":"H","mixHash":"H",` +
		`"nonce":"0x0000000000000000",` +
		`"miner":"0x0000000000000000000000000000000000000000","logsBloom":"0x` + strings.Repeat("0", 512) + `"}`
	head = strings.ReplaceAll(head, `"H"`, `"0x`+strings.Repeat("0", 64)+`"`)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			ID     json.RawMessage
			Method string
			Params []json.RawMessage
		}
		expect.Error(t, json.NewDecoder(r.Body).Decode(&request), nil, "json.NewDecoder")
		w.Header().Set("content-type", "application/json")
		answer := `"result":"0x1"`
		switch request.Method {
		case "eth_getBlockByNumber":
			answer = `"result":` + head
		case "eth_sendRawTransaction":
			offered = append(offered, string(request.Params[0]))
			if answer = `"result":"` + tx.Hash().Hex() + `"`; len(offered) <= busy {
				answer = answers
			}
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, request.ID, answer)
	}))
	defer server.Close()
	chain := must.Get(Open(t.Context(), server.URL, nil, DefaultAddresses()))(t)
	defer chain.Close()
	err = chain.Send(t.Context(), tx, 0)
	expect.That(t, err != nil && strings.Contains(err.Error(), "txpool is full") && len(offered) == 1,
		"without patience: %v, offered %d times", err, len(offered))
	if err := chain.Send(t.Context(), tx, 30*time.Second); err != nil || len(offered) != 3 || offered[1] != offered[2] {
		t.Errorf("with patience: %v, offered %q", err, offered)
	}
	busy, answers = 9, `"error":{"code":-32000,"message":"nonce too low"}`
	err = chain.Send(t.Context(), tx, 30*time.Second)
	expect.That(t, err != nil && len(offered) == 4, "another error: %v, offered %d times", err, len(offered))
	var waiting *WaitingError
	_, err = c.open().Await(t.Context(), plan, tx, time.Millisecond)
	expect.That(t, errors.As(err, &waiting) && waiting.Transaction == tx.Hash(), "a transaction that waits: %v", err)
}
