// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/p2p/enode"

	"gwon/core"
	"gwon/internal/expect"
	"gwon/internal/must"
)

func options(dir string) Options {
	return Options{Dir: dir, Validators: 3, Accounts: 2, ChainID: 8283, Period: time.Second}
}

func prepare(t *testing.T, o Options) *Network {
	t.Helper()
	n := must.Get(Prepare(o))(t)
	t.Cleanup(func() { expect.Error(t, n.Close(), nil, "n.Close") })
	return n
}

// The genesis file is one the node takes: validators with their BLS keys in order, funds for every account.
func TestGenesisFile(t *testing.T) {
	n := prepare(t, options(t.TempDir()))
	file := must.Get(os.Open(n.path(genesisFile)))(t)
	defer func() { _ = file.Close() }()
	given := must.Get(core.ReadGenesis(file))(t)
	must.Do(t, core.CheckAllocation(given))
	genesis, _, err := core.BuildGenesis(given, nil)
	must.Do(t, err)
	init := genesis.Config.Anzeon.Init
	for i, node := range n.Nodes {
		if init.Validators[i] != node.Address || string(init.BLSPublicKeys[i]) != string(node.blsKey) {
			t.Errorf("validator %d is %v with key %v, want %v with %x", i, init.Validators[i], init.BLSPublicKeys[i],
				node.Address, node.blsKey)
		}
	}
	for _, a := range n.Accounts {
		expect.That(t, genesis.Alloc[a.Address].Balance.Sign() > 0, "account %v has no funds", a.Address)
	}
	expect.Equal(t, genesis.Config.ChainID.Uint64(), 8283, "chain id")
}

// A second run finds the same keys, accounts and genesis block, and may choose other ports.
func TestPrepareTwice(t *testing.T) {
	dir := t.TempDir()
	first := must.Get(Prepare(options(dir)))(t)
	before := must.Get(os.ReadFile(first.path(genesisFile)))(t)
	must.Do(t, first.Close())
	second := prepare(t, options(dir))
	after := must.Get(os.ReadFile(second.path(genesisFile)))(t)
	expect.Equal(t, string(before), string(after), "the second run wrote another genesis file")
	for i := range first.Nodes {
		expect.That(t, first.Nodes[i].Address == second.Nodes[i].Address,
			"%s had address %v, now %v", first.Nodes[i].Name, first.Nodes[i].Address, second.Nodes[i].Address)
	}
}

// Every port is another one, and every node's configuration names every other node.
func TestPeersAndPorts(t *testing.T) {
	n := prepare(t, options(t.TempDir()))
	used := make(map[int]string)
	for _, node := range n.Nodes {
		for _, port := range []int{node.P2PPort, node.HTTPPort} {
			expect.That(t, port != 0 && used[port] == "", "port %d of %s is also one of %s", port, node.Name, used[port])
			used[port] = node.Name
		}
		expect.Error(t, expect.Err(enode.ParseV4(node.Enode())), nil, "%s", node.Enode())
		text := must.Get(os.ReadFile(node.configFile()))(t)
		for _, peer := range n.Nodes {
			expect.That(t, strings.Contains(string(text), peer.Enode()) != (peer == node),
				"configuration of %s, peer %s:\n%s", node.Name, peer.Name, text)
		}
	}
}

// The accounts are the same everywhere and for ever: people write them into scripts.
func TestAccounts(t *testing.T) {
	for i, want := range []string{"0x026dC232BFf079a062252Fe251e774CeF35BE606"} {
		a := must.Get(NewAccount(i))(t)
		expect.That(t, a.Address == common.HexToAddress(want), "account %d is %v, want %s", i, a.Address, want)
	}
}

func TestPrepareErrors(t *testing.T) {
	foreign := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(foreign, "letter.txt"), nil, 0o600))
	halfForeign := t.TempDir()
	for _, name := range []string{lockFile, "letter.txt"} {
		must.Do(t, os.WriteFile(filepath.Join(halfForeign, name), nil, 0o600))
	}
	used := t.TempDir()
	prepare(t, options(used))
	other := t.TempDir()
	n := must.Get(Prepare(options(other)))(t)
	must.Do(t, n.Close())
	broken := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(broken, markerFile), []byte("{"), 0o600))
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = listener.Close() }()
	taken := listener.Addr().(*net.TCPAddr).Port

	for _, test := range []struct {
		name   string
		change func(*Options)
		want   string
	}{
		{"no validator", func(o *Options) { o.Validators = 0 }, "not 0"},
		{"too many validators", func(o *Options) { o.Validators = maxValidators + 1 }, "1 to 64 validators"},
		{"no account", func(o *Options) { o.Accounts = 0 }, "funded accounts"},
		{"chain id 0", func(o *Options) { o.ChainID = 0 }, "chain ID"},
		{"chain id of mainnet", func(o *Options) { o.ChainID = 8282 }, "chain ID 8282 is the mainnet's"},
		{"half a year", func(o *Options) { o.Period = 4380 * time.Hour }, "up to 1h0m0s"},
		{"half a second", func(o *Options) { o.Period = 1500 * time.Millisecond }, "whole number of seconds"},
		{"ports beyond the last", func(o *Options) { o.HTTPPort = 65535 }, "do not exist"},
		{"port in use", func(o *Options) { o.HTTPPort = taken }, fmt.Sprintf("port %d is in use", taken)},
		{"foreign directory", func(o *Options) { o.Dir = foreign }, "letter.txt"},
		{"running network", func(o *Options) { o.Dir = used }, "another gwon-dev devnet runs"},
		{"other settings", func(o *Options) { o.Dir, o.ChainID = other, 1 }, "--reset"},
		{"broken marker", func(o *Options) { o.Dir = broken }, "--reset"},
		{"foreign directory, to be reset", func(o *Options) { o.Dir, o.Reset = foreign, true }, "letter.txt"},
		{"foreign file beside a lock", func(o *Options) { o.Dir, o.Reset = halfForeign, true }, "letter.txt"},
		{"file in the way", func(o *Options) { o.Dir = filepath.Join(foreign, "letter.txt") }, "letter.txt"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := options(t.TempDir())
			test.change(&o)
			n, err := Prepare(o)
			if err == nil {
				err = errors.Join(errors.New("no error"), n.Close())
			}
			expect.That(t, strings.Contains(err.Error(), test.want) && !strings.Contains(err.Error(), "\n"),
				"error %q, want one line with %q", err, test.want)
		})
	}
}

func TestUnwritableDirectory(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("everything is writable here")
	}
	dir := t.TempDir()
	must.Do(t, os.Chmod(dir, 0o500))
	_, err := Prepare(options(filepath.Join(dir, "net")))
	expect.That(t, err != nil && strings.Contains(err.Error(), dir), "error %v, want one that names %s", err, dir)
}

// Where no directory can be made, not even by root, the error names the place.
func TestDirectoryBelowAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(file, nil, 0o600))
	_, err := Prepare(options(filepath.Join(file, "net")))
	expect.That(t, err != nil && strings.Contains(err.Error(), file), "error %v, want one that names %s", err, file)
}

// Reset makes a new chain, and deletes nothing that is not the network's.
func TestReset(t *testing.T) {
	o := options(t.TempDir())
	n := must.Get(Prepare(o))(t)
	was := n.Nodes[0].Address
	kept := filepath.Join(o.Dir, "notes.txt")
	must.Do(t, errors.Join(n.Close(), os.WriteFile(kept, nil, 0o600)))
	o.Reset, o.Validators = true, 1
	n = prepare(t, o)
	expect.That(t, n.Nodes[0].Address != was, "the old key is still there")
	expect.Error(t, expect.Err(os.Stat(kept)), nil, "a file of the user is gone")
	expect.Refused(t, expect.Err(os.Stat(filepath.Join(o.Dir, "node3"))), "a node of the old network is left")
	text := must.Get(os.ReadFile(n.path(markerFile)))(t)
	var s settings
	if err := json.Unmarshal(text, &s); err != nil || s != o.settings() {
		t.Errorf("settings %+v, error %v, want %+v", s, err, o.settings())
	}
}

// A network keeps the chain ID that it was made with, unless another one is asked for.
func TestChainIDIsKept(t *testing.T) {
	o := options(t.TempDir())
	must.Do(t, prepareAndClose(o))
	o.ChainID++
	expect.Says(t, prepareAndClose(o), "chain ID 8283", "error that names the chain ID")
	o.KeepChainID = true
	expect.Equal(t, prepare(t, o).ChainID, 8283, "chain ID")
}

// takenPort returns a port that is in use for as long as the test runs.
func takenPort(t *testing.T) int {
	t.Helper()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().(*net.TCPAddr).Port
}

// A run that fails for its ports leaves nothing that stands in the way of the next one, with --reset or without.
func TestRunAfterTakenPort(t *testing.T) {
	o := options(t.TempDir())
	o.HTTPPort = takenPort(t)
	for range 2 {
		must.That(t, expect.Err(Prepare(o)) != nil, "the port is in use, but Prepare succeeded")
	}
	o.HTTPPort, o.Reset = 0, true
	expect.Error(t, prepareAndClose(o), nil, "prepareAndClose")
	o.Reset = false
	expect.Error(t, prepareAndClose(o), nil, "prepareAndClose")
}

func prepareAndClose(o Options) error {
	n, err := Prepare(o)
	if err != nil {
		return err
	}
	return n.Close()
}

// A reset that fails for its ports leaves the old network as it was.
func TestFailedReset(t *testing.T) {
	o := options(t.TempDir())
	must.Do(t, prepareAndClose(o))
	before := must.Get(os.ReadFile(filepath.Join(o.Dir, genesisFile)))(t)
	o.HTTPPort, o.Reset = takenPort(t), true
	must.That(t, expect.Err(Prepare(o)) != nil, "the port is in use, but Prepare succeeded")
	after, err := os.ReadFile(filepath.Join(o.Dir, genesisFile))
	expect.That(t, err == nil && string(after) == string(before), "the genesis file is gone or another one, error %v", err)
}

// What earlier versions left of a run that was cut short, before there were settings, does not stop the next run.
func TestLeftovers(t *testing.T) {
	o := options(t.TempDir())
	key := filepath.Join(o.Dir, "node1", "gwon", "nodekey")
	for _, path := range []string{
		filepath.Join(o.Dir, lockFile), filepath.Join(o.Dir, passwordFile),
		filepath.Join(o.Dir, markerFile+partialMark), filepath.Join(o.Dir, "."+markerFile+".new-123"), key,
	} {
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("not a key"), 0o600)))
	}
	expect.Error(t, prepareAndClose(o), nil, "prepareAndClose")
}

// With PortsMove a port in use is passed over and reported.
func TestPortsMove(t *testing.T) {
	o := options(t.TempDir())
	o.HTTPPort, o.PortsMove = takenPort(t), true
	n := prepare(t, o)
	expect.That(t, len(n.Busy) != 0 && n.Busy[0] == o.HTTPPort, "busy ports %v, want %d first", n.Busy, o.HTTPPort)
	last := o.HTTPPort
	for _, node := range n.Nodes {
		expect.That(t, node.HTTPPort > last, "%s has port %d, want one above %d", node.Name, node.HTTPPort, last)
		last = node.HTTPPort
	}
}

// The processes of a network are told from which block to sign, and only then.
func TestSignFromReachesTheNodes(t *testing.T) {
	for from, want := range map[uint64]string{0: "", 9: "--validator.signfrom 9"} {
		o := options(t.TempDir())
		o.SignFrom = from
		n := prepare(t, o)
		for _, node := range n.Nodes {
			args := strings.Join(node.Args(), " ")
			expect.That(t, strings.Contains(args, "--validator.signfrom") == (want != "") && strings.Contains(args, want),
				"from %d, %s: %s", from, node.Name, args)
		}
	}
}

// A network that stands still because its vote logs are lost names the command that ends that; another one does not.
func TestWhyStill(t *testing.T) {
	n := &Network{Command: "gwon-dev devnet --datadir x"}
	for i, reason := range []string{"", "lost: start with --validator.signfrom 7", "the log begins later"} {
		node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var call struct {
				ID     json.RawMessage
				Method string
			}
			expect.Error(t, json.NewDecoder(r.Body).Decode(&call), nil, "json.NewDecoder")
			result := map[string]string{
				"eth_blockNumber": fmt.Sprintf(`"0x%x"`, 6+i%2), "istanbul_consensusStatus": fmt.Sprintf(`{"waiting": %q}`, reason),
			}[call.Method]
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": %s, "result": %s}`, call.ID, result)
		}))
		t.Cleanup(node.Close)
		n.Nodes = append(n.Nodes, &Node{HTTPPort: node.Listener.Addr().(*net.TCPAddr).Port, network: n})
	}
	why := n.whyStill()
	expect.That(t, strings.Contains(why, ": 2 of 3 validators wait") &&
		strings.HasSuffix(why, " gwon-dev devnet --datadir x --validator.signfrom 8"), "with lost votes: %s", why)
	whole := n.Nodes
	if n.Nodes = whole[2:]; !strings.Contains(n.whyStill(), "1 of 1 validators wait") ||
		strings.Contains(n.whyStill(), "signfrom") {
		t.Errorf("with a log that begins later: %s", n.whyStill())
	}
	if n.Nodes = whole[:1]; n.whyStill() != "" {
		t.Errorf("without: %s", n.whyStill())
	}
}
