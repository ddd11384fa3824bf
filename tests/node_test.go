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
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"gwon/dev/devnet"
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
	p, err := c.supervisor.StartWith(c.node(0), []string{
		"--datadir", c.node(0).Dir, "--mine", "--exit.stdin", "--nodiscover", "--nat", "none", "--port", "0", "--ipcdisable",
		"--rpc.profile", profile, "--rpc.operator.port", fmt.Sprint(second),
		"--http", "--http.addr", "127.0.0.1", "--http.port", fmt.Sprint(c.node(0).HTTPPort),
	})
	must.Do(t, err)
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
	if got := string(post(t, public, "rpc_modules", `[]`).Result); got != modules {
		t.Errorf("rpc_modules: %s", got)
	}
	for _, method := range []string{
		"eth_chainId", "net_version", "web3_clientVersion", "txpool_status", "istanbul_getValidators",
	} {
		if r := post(t, public, method, `[]`); r.Error != nil {
			t.Errorf("%s: %+v", method, r.Error)
		}
	}
	for _, method := range []string{
		"debug_traceTransaction", "debug_setHead", "admin_nodeInfo", "admin_addPeer", "personal_listAccounts",
		"personal_unlockAccount", "personal_signRawFeeDelegateTransaction", "miner_start", "miner_stop",
		"engine_newPayloadV1", "eth_accounts", "eth_sign", "eth_signTransaction", "eth_sendTransaction",
		"eth_signRawFeeDelegateTransaction", "istanbul_consensusStatus",
	} {
		r := post(t, public, method, `[]`)
		want := "the method " + method + " does not exist/is not available"
		if r.Status != http.StatusOK || r.Error == nil || r.Error.Code != -32601 || r.Error.Message != want {
			t.Errorf("%s: HTTP %d, result %s, error %+v; want HTTP 200, -32601 %q", method, r.Status, r.Result, r.Error, want)
		}
	}
	for _, path := range []string{"/graphql", "/admin"} {
		answer := must.Get(http.Post(public+path, "application/json", strings.NewReader(`{}`)))(t)
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: HTTP %d, want 404", path, answer.StatusCode)
		}
	}
	// The limit for ranges is measured in blocks that exist (spec rpc 2.6).
	for _, params := range []string{`[{}]`, `[{"fromBlock":"0x0"}]`, `[{"fromBlock":"earliest","toBlock":"latest"}]`,
		`[{"fromBlock":"0x0","toBlock":"0x2711"}]`, `[{"fromBlock":"0xfffff","toBlock":"0xffffff"}]`} {
		if r := post(t, public, "eth_getLogs", params); r.Error != nil || string(r.Result) != "[]" {
			t.Errorf("eth_getLogs%s: %s, error %+v, want []", params, r.Result, r.Error)
		}
	}
	if _, err := http.Get(operator); err == nil {
		t.Error("the public profile opened the operator's endpoint")
	}
	if _, err := os.Stat(token); !os.IsNotExist(err) {
		t.Errorf("the public profile has a token of the operator's endpoint: %v", err)
	}
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
		if answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("operator endpoint with header %q: HTTP %d, want 401", header, answer.StatusCode)
		}
	}
	for _, method := range []string{"admin_nodeInfo", "debug_gcStats", "miner_start", "istanbul_consensusStatus"} {
		if r := post(t, public, method, `[]`); r.Error == nil || r.Error.Code != -32601 {
			t.Errorf("public %s: %s", method, r.Result)
		}
		if r := postWith(t, operator, string(token), method, `[]`); r.Error != nil {
			t.Errorf("operator %s: %+v", method, r.Error)
		}
	}
	if r := postWith(t, operator, string(token), "eth_accounts", `[]`); r.Error == nil || r.Error.Code != -32601 {
		t.Errorf("operator eth_accounts: %s, error %+v, want -32601", r.Result, r.Error)
	}
}

// genesisOf writes the genesis file of a network of one and returns its path and text.
func genesisOf(t *testing.T, dir string) (path, text string) {
	t.Helper()
	network := must.Get(devnet.Prepare(devnet.Options{
		Dir: filepath.Join(dir, "net"), Validators: 1, Accounts: 1, ChainID: chainID, Period: time.Second,
	}))(t)
	must.Do(t, network.Close())
	path = filepath.Join(network.Dir, "genesis.json")
	content := must.Get(os.ReadFile(path))(t)
	return path, string(content)
}

// gwon init names each violation and writes nothing (spec chain 1.3, 9; network 7.1).
func TestInitRefusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, good := genesisOf(t, dir)
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the genesis file has no %s", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	validator := good[strings.Index(good, `"validators": [`):]
	validator = validator[strings.Index(validator, `"0x`):]
	validator = validator[:strings.Index(validator[1:], `"`)+2]

	for _, test := range []struct{ name, text, want string }{
		{"no JSON", "{", "genesis.json"},
		{"no configuration", `{"alloc":{},"gasLimit":"0x1","difficulty":"0x1"}`, "anzeon"},
		{"no anzeon section", replace(`"anzeon"`, `"other"`), "anzeon"},
		{"no init", replace(`"init"`, `"other"`), "init"},
		{"no validators", replace(`"validators": [`, `"others": [`), "validators"},
		{"no BLS keys", replace(`"blsPublicKeys": [`, `"others": [`), "blsPublicKeys"},
		{"more validators than keys", replace(validator, validator+`, "0x00000000000000000000000000000000000000bb"`),
			"blsPublicKeys"},
		{"no contracts", replace(`"systemContracts"`, `"other"`), "systemContracts"},
		{"no council", replace(`"govCouncil"`, `"other"`), "govCouncil"},
		{"no minter", replace(`"govMinter"`, `"other"`), "govMinter"},
		{"no master minter", replace(`"govMasterMinter"`, `"other"`), "govMasterMinter"},
		{"no validator contract", replace(`"govValidator"`, `"other"`), "govValidator"},
		{"no coin adapter", replace(`"nativeCoinAdapter"`, `"other"`), "nativeCoinAdapter"},
		{"unknown contract version", replace(`"version": "v1"`, `"version": "v7"`), "v7"},
		{"no wbft", replace(`"wbft"`, `"other"`), "wbft"},
		{"request timeout 0", replace(`"requestTimeoutSeconds": 2`, `"requestTimeoutSeconds": 0`), "requestTimeoutSeconds"},
		{"block period 0", replace(`"blockPeriodSeconds": 1`, `"blockPeriodSeconds": 0`), "blockPeriodSeconds"},
		{"epoch length 1", replace(`"epochLength": 10`, `"epochLength": 1`), "epochLength"},
		{"contract in the allocation", replace(`"alloc": {`,
			`"alloc": {"0000000000000000000000000000000000001001": {"balance": "0x1"},`),
			"0x0000000000000000000000000000000000001001"},
		{"later fork", replace(`"londonBlock": 0,`, `"londonBlock": 0, "shanghaiTime": 0,`), "shanghaiTime"},
	} {
		t.Run(test.name, func(t *testing.T) {
			home := t.TempDir()
			file := filepath.Join(home, "genesis.json")
			must.Do(t, os.WriteFile(file, []byte(test.text), 0o600))
			data := filepath.Join(home, "data")
			_, stderr, err := gwon(t, home, "--verbosity", "1", "--datadir", data, "init", file)
			if err == nil {
				t.Fatal("the file was accepted")
			}
			if !strings.Contains(stderr, test.want) || strings.Contains(stderr, "panic") {
				t.Errorf("error %q, want one with %q", stderr, test.want)
			}
			if _, err := os.Stat(data); err == nil {
				t.Error("something was written")
			}
		})
	}
}

// A data directory keeps its chain; the same file again is no error.
func TestInitMismatch(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file, text := genesisOf(t, home)
	data := filepath.Join(home, "data")
	dump := func() string {
		t.Helper()
		stdout, stderr, err := gwon(t, home, "--verbosity", "1", "--datadir", data, "dumpgenesis")
		if err != nil {
			t.Fatalf("dumpgenesis: %v: %s", err, stderr)
		}
		return stdout
	}
	for range 2 {
		if _, stderr, err := gwon(t, home, "--datadir", data, "init", file); err != nil {
			t.Fatalf("init: %v: %s", err, stderr)
		}
	}
	before := dump()
	other := filepath.Join(home, "other.json")
	must.Do(t, os.WriteFile(other, []byte(strings.Replace(text, `"gasLimit": "0x`, `"gasLimit": "0x1`, 1)), 0o600))
	_, stderr, err := gwon(t, home, "--verbosity", "1", "--datadir", data, "init", other)
	if err == nil || !strings.Contains(stderr, "incompatible genesis") {
		t.Errorf("another genesis: error %v, %q", err, stderr)
	}
	if after := dump(); after != before {
		t.Error("the refused genesis changed the stored one")
	}
}

// Without network and chain the node says how to choose one; unlocking next to an open HTTP server needs a second word.
func TestStartErrors(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file, _ := genesisOf(t, home)
	data := filepath.Join(home, "data")
	if _, stderr, err := gwon(t, home, "--datadir", data, "init", file); err != nil {
		t.Fatalf("init: %v: %s", err, stderr)
	}
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"no network", nil, "--testnet"},
		{"other network's chain", []string{"--datadir", data, "--testnet"}, "has genesis block"},
		{"public network without code", []string{"--datadir", filepath.Join(home, "new"), "--testnet", "--nodiscover",
			"--bootnodes", ""}, "gwon contracts import"},
		{"no contract code", []string{"contracts", "import", "--datadir", data, file}, "nothing stored"},
		{"unlock with HTTP", []string{"--datadir", data, "--http", "--http.port", "0", "--unlock", "0"},
			"account unlock with HTTP access is forbidden"},
		{"unlock of nothing", []string{"--datadir", data, "--unlock", "0", "--port", "0", "--nodiscover"},
			"there is no account 0"},
		{"long vanity", []string{"--datadir", data, "--miner.extradata", strings.Repeat("x", 32)}, "at most 31"},
		{"unknown command", []string{"frobnicate"}, `no command "frobnicate"`},
		{"short checkpoint", []string{"--datadir", data, "--checkpoint", "0x12"}, "64 hexadecimal digits"},
		{"unknown flag", []string{"--frobnicate"}, "see gwon --help"},
		{"developer chain", []string{"--dev", "--state", data}, "gwon-dev node --verbosity 1 --state"},
		{"state of a developer chain", []string{"--datadir", data, "--state", data}, "not defined: -state"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, stderr, err := gwon(t, home, append([]string{"--verbosity", "1"}, test.args...)...)
			if err == nil || !strings.Contains(stderr, test.want) || strings.Contains(stderr, "panic") {
				t.Errorf("error %v, %q, want %q", err, stderr, test.want)
			}
		})
	}
}

// What one node exports another imports, block by block the same.
func TestExportImport(t *testing.T) {
	t.Parallel()
	home := t.TempDir() // before the cluster, so that it is removed after the processes are gone
	c := startCluster(t, 1)
	c.awaitHead(t, 4, 0)
	want := c.block(t, 0, uint64(4))
	c.stop(t, 0)
	file := filepath.Join(home, "blocks.gz")
	data := filepath.Join(home, "data")
	genesis := filepath.Join(c.network.Dir, "genesis.json")
	for _, args := range [][]string{
		{"--datadir", c.node(0).Dir, "export", file},
		{"--datadir", data, "init", genesis},
		{"--datadir", data, "import", file},
		{"--datadir", data, "db", "inspect"},
		{"--datadir", data, "db", "compact"},
	} {
		if _, stderr, err := gwon(t, home, args...); err != nil {
			t.Fatalf("gwon %v: %v: %s", args, err, stderr)
		}
	}
	other := must.Get(devnetNodeAt(c, data))(t)
	c.processes[c.node(0)] = other
	c.awaitHead(t, uint64(want.Number), 0)
	if got := c.block(t, 0, uint64(want.Number)); got.Hash != want.Hash || got.StateRoot != want.StateRoot {
		t.Errorf("block %d is %v, was %v", want.Number, got.Hash, want.Hash)
	}
}

// devnetNodeAt starts the first node's RPC on another data directory, without taking part in consensus.
func devnetNodeAt(c *cluster, data string) (*devnet.Process, error) {
	return c.supervisor.StartWith(c.node(0), []string{
		"--datadir", data, "--exit.stdin", "--nodiscover", "--nat", "none", "--port", "0", "--ipcdisable",
		"--http", "--http.port", fmt.Sprint(c.node(0).HTTPPort),
	})
}

// A developer chain seals a transaction before it answers for it, and signs for the accounts that developer tools know.
func TestDev(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t, 1)
	startDev(t, c)
	c.awaitHead(t, 0, 0)

	var accounts []string
	c.must(t, 0, &accounts, "eth_accounts")
	known := must.Get(wellknown.Accounts(wellknown.Mnemonic, 10))(t)
	if len(accounts) != len(known) || !slices.ContainsFunc(accounts,
		func(a string) bool { return strings.EqualFold(a, known[0].Address.Hex()) }) {
		t.Fatalf("accounts %v, want the well-known ones", accounts)
	}
	// What the pool has not yet noticed to be included calls for no block: the transactions follow each other at once.
	const sent = 5
	for nonce := range uint64(sent) {
		tip, feeCap := c.fees(t, 0)
		_, to := emptyAccount(t)
		raw := transferOn(t, params.DevChainID, known[1].Key, nonce, to, tip, tip, feeCap)
		var hash common.Hash
		c.must(t, 0, &hash, "eth_sendRawTransaction", hexutil.Bytes(raw))
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
		if strings.HasPrefix(line, "WARN") || strings.HasPrefix(line, "ERROR") {
			t.Errorf("in the log: %s", line)
		}
	}
}
