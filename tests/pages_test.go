// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// The commands of the page on what to do when something of a validator is gone work in their order. Keys stay what they
// were.
func TestDisasterPage(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 1)
	c.awaitHead(t, 3, 0)
	c.stop(t, 0)
	dir, home := c.node(0).Dir, t.TempDir()
	address := c.node(0).Address.Hex()

	data := filepath.Join(home, "data")
	must.Do(t, os.CopyFS(data, os.DirFS(dir)))
	if out, err := runGwon(t, "backup", "--datadir", data, data+"-backup.json"); err != nil {
		t.Fatal(out)
	}
	before := contents(t, data, []string{"gwon/nodekey", "keystore"})
	votes := contents(t, data, []string{"gwon/votes.log"})
	out := runCommands(t, home, commandsOf(t, readPage(t, "docs/operate/disaster.md")), nil, "DATA="+data)
	possession := regexp.MustCompile("proofOfPossession|Proof of possession")
	expect.That(t, strings.Contains(out, address) && possession.MatchString(out),
		"the restored key is not shown:\n%s", out)
	expect.Equal(t, contents(t, data, []string{"gwon/nodekey", "keystore"}), before, "keys have changed")
	moved, err := os.ReadFile(data + "-votes.damaged")
	expect.That(t, err == nil && strings.Contains(votes, fmt.Sprintf("%x", moved)),
		"the vote log is not what it was, error %v", err)
	expect.Error(t, expect.Err(os.Stat(filepath.Join(data, "gwon", "chaindata"))), os.ErrNotExist,
		"the chain is still there")
	out, err = runGwon(t, "init", "--datadir", data, filepath.Join(c.network.Dir, "genesis.json"))
	expect.That(t, err == nil, "the chain cannot be made again: %s", out)
}

// The commands of docs/governing.md work in their order as they stand, but for the port: the gas tip changes, a fifth
// validator is added, seals, and is removed, an account is put on the blacklist, coins are minted and burnt.
// They work a second time, too, which -short leaves out.
func TestDevnetGuide(t *testing.T) {
	t.Parallel()
	commands := rewritten(t, commandsOf(t, readPage(t, "docs/governing.md")), [][2]string{
		{`(gwon-dev devnet)`, "$1 --http.port 0"},
		{`(until grep -q "The network is up" .*\n)`, "${1}RPC=$$(sed -n 's/^RPC  *//p' devnet.log)\n"},
		{`(gwon gov (?:status|proposals|show|approve|refund|propose [a-z-]+|validator configure))`, "$1 --rpc $$RPC"},
		{`http://127\.0\.0\.1:8545`, "$$RPC"},
	})
	dir := workDir(t)
	t.Run("first", func(t *testing.T) { followDevnetGuide(t, dir, commands) })
	if !testing.Short() {
		t.Run("second", func(t *testing.T) { followDevnetGuide(t, dir, commands) })
	}
}

// followDevnetGuide runs the commands of the guide in dir.
func followDevnetGuide(t *testing.T, dir, commands string) {
	t.Helper()
	output := runCommands(t, dir, commands, []string{"FIFTH", "DEVNET"})
	for _, want := range []string{
		"Gas tip +30000 gwei", "gov-validator:1 +voting +1 of 2 for", "registers 0x[0-9a-fA-F]{40} as its validator",
		" seals\n",
		"remove the validator 0x",
		"is no member of GovValidator any more", `0x9E9ce4AbFFFcc799EA3EfFDc44eCE98Fa9f785cd is on the blacklist`,
		"Blacklist +1\n",
		"is on the blacklist.*\nrefused, as it should be",
		"1000 coins were minted to 0x178fefBBf63c0F2F45B25D8ea0918178d50Cb084",
		"250 coins were burnt",
		"Supply +10000000750 coins",
	} {
		expect.That(t, regexp.MustCompile(want).MatchString(output), "no %s in the output", want)
	}
	if t.Failed() {
		t.Logf("output:\n%s", output)
	}
}

// The commands of docs/operate/standby.md work in their order, for a stand-by from nothing: it is ready, shows the
// metrics of the page, and takes the place at the end.
func TestStandbyGuide(t *testing.T) {
	t.Parallel()
	g := startGoverned(t, 4, unchanged)
	g.awaitHead(t, 3, 0, 1, 2, 3)
	dir := workDir(t)
	operator, peers, data := filepath.Join(dir, "operator"), filepath.Join(dir, "peers.toml"), filepath.Join(dir, "data")
	must.Do(t, os.WriteFile(operator, []byte(hex.EncodeToString(crypto.FromECDSA(g.network.Accounts[3].Key()))), 0o600))
	text := fmt.Sprintf("[Node.P2P]\nNoDiscovery = true\nStaticNodes = [%q, %q]\n", g.node(0).Enode(), g.node(1).Enode())
	must.Do(t, os.WriteFile(peers, []byte(text), 0o600))
	before := must.Get(g.registration(3))(t)
	runPage(t, dir, "docs/operate/standby.md", "", []string{"NODE", "WATCHER"},
		"gwon --testnet --datadir DATA --mine", "gwon --datadir DATA --config "+peers+
			" --mine --bootnodes= --nodiscover --nat none --port 0 --cache 64",
		" --testnet", "", "DATA", data, "GENESIS", filepath.Join(g.network.Dir, "genesis.json"), "OPERATOR-KEY", operator,
		"127.0.0.1:6063", fmt.Sprintf("127.0.0.1:%d", freePort(t)))

	key := must.Get(crypto.LoadECDSA(filepath.Join(data, "gwon", "nodekey")))(t)
	after, err := g.registration(3)
	if own := crypto.PubkeyToAddress(key.PublicKey); err != nil || after != own || before == own {
		t.Errorf("the operator's validator was %v and is %v, want %v: %v", before, after, own, err)
	}
	metrics := must.Get(os.ReadFile(filepath.Join(dir, "metrics")))(t)
	names := strings.Fields(string(metrics))
	for _, name := range []string{"ready", "replaced", "signs", "switches", "failures"} {
		expect.That(t, slices.Contains(names, "gwon_standby_"+name), "the watcher has no metric gwon_standby_%s", name)
	}
}

// serviceCommand returns what systemd starts for the package of the signer, as the user of this test.
func serviceCommand(t *testing.T) string {
	t.Helper()
	start := regexp.MustCompile(`(?m)^ExecStart=/usr/bin/(.* )--peer gwon$`).FindStringSubmatch(
		readPage(t, "contrib/package/gwon-signer.service"))
	must.That(t, start != nil, "the unit has no command for the user gwon")
	return start[1] + fmt.Sprintf("--peer %d", os.Getuid())
}

// The commands of docs/operate/signer.md work in their order: two validators of four, without which there is no block,
// sign by a signer on the same machine and by one on another. Users and services are replaced, the signer's service by
// the command of its unit.
func TestSignerGuide(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 4)
	const local, remote = 2, 3
	c.awaitHead(t, 4, 0, 1, local, remote)
	c.stop(t, local)
	c.stop(t, remote)
	before := must.Get(c.head(0))(t)
	dir := workDir(t)
	preamble := "adduser() { :; }\nchown() { :; }\nsystemctl() {\n\tcase \"$1\" in\n\tstop) ;;\n\tenable) " +
		serviceCommand(t) + " & SIGNER=$! ;;\n\tesac\n}\n"
	state, runtime := filepath.Join(dir, "state"), filepath.Join(dir, "run")
	for _, d := range []string{state, runtime} {
		must.Do(t, os.Mkdir(d, 0o700))
	}
	node := func(i int) string { // as the devnet starts it, but for the end with its parent
		command := "gwon "
		for _, arg := range c.node(i).Args() {
			if arg != "--exit.stdin" {
				command += "'" + arg + "' "
			}
		}
		return command
	}
	address := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	runPage(t, dir, "docs/operate/signer.md", preamble, []string{"NODE", "SIGNER", "OTHER", "REMOTE"},
		"gwon $NETWORK --datadir /var/lib/gwon ", node(local),
		"gwon $NETWORK --datadir DATA ", node(remote),
		"/var/lib/gwon-signer", state, "/run/gwon-signer", runtime, "/var/lib/gwon", c.node(local).Dir,
		"DATA", c.node(remote).Dir, "DIR", filepath.Join(dir, "remote"), "192.0.2.7:30400", address)

	head := must.Get(c.head(0))(t)
	var status struct {
		SealerActivity struct {
			Total map[common.Address]uint64 `json:"total"`
		} `json:"sealerActivity"`
	}
	c.must(t, 0, &status, "istanbul_status", hexutil.Uint64(before+1), hexutil.Uint64(head))
	for _, i := range []int{local, remote} {
		if status.SealerActivity.Total[c.node(i).Address] == 0 {
			t.Errorf("%s has sealed none of the blocks %d to %d", c.node(i).Name, before+1, head)
		}
		expect.Error(t, expect.Err(os.Stat(filepath.Join(c.node(i).Dir, "gwon", "nodekey"))), os.ErrNotExist,
			"the key of %s is still in its data directory", c.node(i).Name)
	}
}
