// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/dev/devnet"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/wellknown"
	"gwon/params"
)

// freePort returns a TCP port that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l := must.Get(devnet.HoldPort())(t)
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// startProfile runs the node of a network of one with an RPC profile, and waits until it answers. It returns the two
// addresses and the file of the operator's token.
func startProfile(t *testing.T, profile string) (public, operator, token string) {
	t.Helper()
	c := prepareCluster(t, 1)
	second := freePort(t)
	p := must.Get(c.supervisor.StartWith(c.node(0), []string{
		"--datadir", c.node(0).Dir, "--mine", "--exit.stdin", "--nodiscover", "--nat", "none", "--port", "0", "--ipcdisable",
		"--rpc.profile", profile, "--rpc.operator.port", fmt.Sprint(second),
		"--http", "--http.addr", "127.0.0.1", "--http.port", fmt.Sprint(c.node(0).HTTPPort),
	}))(t)
	c.processes[c.node(0)] = p
	c.awaitHead(t, 1, 0)
	c.awaitLine(t, 0, "This is gwon") // all endpoints have begun by then
	return c.node(0).HTTP(), fmt.Sprintf("http://127.0.0.1:%d", second),
		filepath.Join(c.node(0).Dir, "gwon", fmt.Sprintf("operator-%d.token", second))
}

// A public endpoint has five namespaces and no keys; everything else does not exist there (spec rpc 9.6, 9.7).
func TestPublicProfile(t *testing.T) {
	t.Parallel()
	public, operator, token := startProfile(t, "public")
	const modules = `{"eth":"1.0","istanbul":"1.0","net":"1.0","rpc":"1.0","txpool":"1.0","web3":"1.0"}`
	expect.Equal(t, string(post(t, public, "rpc_modules", `[]`).Result), modules, "rpc_modules")
	for _, method := range []string{
		"eth_chainId", "net_version", "web3_clientVersion", "txpool_status", "istanbul_getValidators",
	} {
		r := post(t, public, method, `[]`)
		expect.That(t, r.Error == nil, "%s: %+v", method, r.Error)
	}
	for _, method := range []string{
		"debug_traceTransaction", "debug_setHead", "admin_nodeInfo", "admin_addPeer", "personal_listAccounts",
		"personal_unlockAccount", "personal_signRawFeeDelegateTransaction", "miner_start", "miner_stop",
		"engine_newPayloadV1", "eth_accounts", "eth_sign", "eth_signTransaction", "eth_sendTransaction",
		"eth_signRawFeeDelegateTransaction", "istanbul_consensusStatus",
	} {
		r := post(t, public, method, `[]`)
		want := "the method " + method + " does not exist/is not available"
		expect.That(t, r.Status == http.StatusOK && r.Error != nil && r.Error.Code == -32601 && r.Error.Message == want,
			"%s: HTTP %d, result %s, error %+v; want HTTP 200, -32601 %q", method, r.Status, r.Result, r.Error, want)
	}
	for _, path := range []string{"/graphql", "/admin"} {
		answer := must.Get(http.Post(public+path, "application/json", strings.NewReader(`{}`)))(t)
		_ = answer.Body.Close()
		expect.Equal(t, answer.StatusCode, http.StatusNotFound, "%s: HTTP", path)
	}
	// The limit for ranges is measured in blocks that exist (spec rpc 2.6).
	for _, params := range []string{`[{}]`, `[{"fromBlock":"0x0"}]`, `[{"fromBlock":"earliest","toBlock":"latest"}]`,
		`[{"fromBlock":"0x0","toBlock":"0x2711"}]`, `[{"fromBlock":"0xfffff","toBlock":"0xffffff"}]`} {
		if r := post(t, public, "eth_getLogs", params); r.Error != nil || string(r.Result) != "[]" {
			t.Errorf("eth_getLogs%s: %s, error %+v, want []", params, r.Result, r.Error)
		}
	}
	expect.Refused(t, expect.Err(http.Get(operator)), "the public profile opened the operator's endpoint")
	expect.Error(t, expect.Err(os.Stat(token)), os.ErrNotExist,
		"the public profile has a token of the operator's endpoint")
}

// The operator has the same public endpoint, and a second one on loopback with everything else, for those who can
// read its token.
func TestOperatorProfile(t *testing.T) {
	t.Parallel()
	public, operator, tokenFile := startProfile(t, "operator")
	token := must.Get(os.ReadFile(tokenFile))(t)
	for _, header := range []string{"", "Bearer WRONG"} {
		request := must.Get(http.NewRequest(http.MethodPost, operator,
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"admin_nodeInfo"}`)))(t)
		request.Header.Set("Content-Type", "application/json")
		if header != "" {
			request.Header.Set("Authorization", header)
		}
		answer := must.Get(http.DefaultClient.Do(request))(t)
		_ = answer.Body.Close()
		expect.Equal(t, answer.StatusCode, http.StatusUnauthorized, "operator endpoint with header %q: HTTP", header)
	}
	for _, method := range []string{"admin_nodeInfo", "debug_gcStats", "miner_start", "istanbul_consensusStatus"} {
		r := post(t, public, method, `[]`)
		expect.That(t, r.Error != nil && r.Error.Code == -32601, "public %s: %s", method, r.Result)
		r = postWith(t, operator, string(token), method, `[]`)
		expect.That(t, r.Error == nil, "operator %s: %+v", method, r.Error)
	}
	if r := postWith(t, operator, string(token), "eth_accounts", `[]`); r.Error == nil || r.Error.Code != -32601 {
		t.Errorf("operator eth_accounts: %s, error %+v, want -32601", r.Result, r.Error)
	}
}

// A developer chain seals a transaction before it answers for it, and signs for the accounts that developer tools know.
func TestDev(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t, 1)
	startDev(t, c)
	c.awaitHead(t, 0, 0)

	accounts := get[[]string](t, c, 0, "eth_accounts")
	known := must.Get(wellknown.Accounts(wellknown.Mnemonic, 10))(t)
	must.That(t, len(accounts) == len(known) && slices.ContainsFunc(accounts,
		func(a string) bool { return strings.EqualFold(a, known[0].Address.Hex()) }),
		"accounts %v, want the well-known ones", accounts)
	// What the pool has not yet noticed to be included calls for no block: the transactions follow each other at once.
	const sent = 5
	for nonce := range uint64(sent) {
		tip, feeCap := c.fees(t, 0)
		_, to := emptyAccount(t)
		raw := transferOn(t, params.DevChainID, known[1].Key, nonce, to, tip, tip, feeCap)
		hash := get[common.Hash](t, c, 0, "eth_sendRawTransaction", hexutil.Bytes(raw))
		if r := c.receipt(t, 0, hash); r.Status != 1 || r.BlockNumber.Uint64() != nonce+1 {
			t.Errorf("transaction %d: status %d in block %v, want 1 in block %d", nonce, r.Status, r.BlockNumber, nonce+1)
		}
	}
	if head, err := c.head(0); err != nil || head != sent {
		t.Errorf("head %d, error %v, want %d: no block without a transaction", head, err, sent)
	}
	// gwon-dev node writes its log from warnings on, and nothing here is one.
	written := must.Get(os.ReadFile(c.node(0).LogFile()))(t)
	for line := range strings.Lines(string(written)) {
		expect.That(t, !strings.HasPrefix(line, "WARN") && !strings.HasPrefix(line, "ERROR"), "in the log: %s", line)
	}
}

// A page that a developer serves on this machine, on whatever port, may talk to a development node over HTTP and
// WebSocket; a page from anywhere else may not.
func TestBrowserOrigins(t *testing.T) {
	c := oneNode(t)
	for origin, allowed := range map[string]bool{
		"http://localhost:3000":      true,
		"http://localhost":           true,
		"https://localhost:5173":     true,
		"http://127.0.0.1:8080":      true,
		"http://evil.example":        false,
		"http://localhost.evil.test": false,
		"http://127.0.0.1.evil.test": false,
		"null":                       false,
	} {
		request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodOptions, c.node(0).HTTP(), nil))(t)
		request.Header.Set("Origin", origin)
		request.Header.Set("Access-Control-Request-Method", "POST")
		request.Header.Set("Access-Control-Request-Headers", "content-type")
		answer := must.Get(http.DefaultClient.Do(request))(t)
		_ = answer.Body.Close()
		have := answer.Header.Get("Access-Control-Allow-Origin")
		if (have != "") != allowed || allowed && have != origin && have != "*" {
			t.Errorf("HTTP from %s: allowed origin %q, want it allowed: %t", origin, have, allowed)
		}

		client, err := gethrpc.DialWebsocket(t.Context(), c.node(0).WS(), origin)
		if err == nil {
			client.Close()
		}
		if (err == nil) != allowed || err != nil && !strings.Contains(err.Error(), "403") {
			t.Errorf("WebSocket from %s: %v, want it allowed: %t", origin, err, allowed)
		}
	}
	expect.Equal(t, strings.TrimPrefix(c.node(0).WS(), "ws"), strings.TrimPrefix(c.node(0).HTTP(), "http"),
		"HTTP at %s, WebSocket at %s: want one port", c.node(0).HTTP(), c.node(0).WS())
}
