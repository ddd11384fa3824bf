// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"bytes"
	"crypto/ecdsa"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/internal/vectors"
	"gwon/params"
)

// withFlags runs f in the context of a node that was started with args, in a home directory of its own.
func withFlags(t *testing.T, f func(*cli.Context) error, args ...string) error {
	t.Helper()
	app := newApp()
	app.Writer = new(bytes.Buffer)
	app.Before, app.After = nil, nil
	app.Action = f
	return app.Run(append([]string{program.Name, "--datadir", t.TempDir()}, args...))
}

// The defaults are this network's, not Ethereum's (spec network 7.1, rpc 10).
func TestDefaults(t *testing.T) {
	err := withFlags(t, func(ctx *cli.Context) error {
		cfg, upstream, err := loadConfig(ctx)
		if err != nil {
			return err
		}
		stack, err := newStack(cfg, upstream)
		if err != nil {
			return err
		}
		defer stack.Close() //nolint:errcheck // the test ends
		if cfg.Eth.SyncMode != ethconfig.FullSync {
			t.Errorf("sync mode %v, want full", cfg.Eth.SyncMode)
		}
		if cfg.Eth.Miner.GasCeil != 105_000_000 {
			t.Errorf("gas ceiling %d, want 105000000", cfg.Eth.Miner.GasCeil)
		}
		if cfg.Eth.RPCTxFeeCap != 0 {
			t.Errorf("RPC fee cap %v, want none", cfg.Eth.RPCTxFeeCap)
		}
		if cfg.Eth.TrieTimeout != time.Minute {
			t.Errorf("state is written after %v of execution, want a minute", cfg.Eth.TrieTimeout)
		}
		if cfg.Eth.TransactionHistory != 31_536_000 {
			t.Errorf("transaction index %d blocks, want 31536000", cfg.Eth.TransactionHistory)
		}
		if cfg.Eth.NetworkId != 0 {
			t.Errorf("network id %d, want the chain's", cfg.Eth.NetworkId)
		}
		if got := cfg.Node.P2P.ListenAddr; got != ":30303" {
			t.Errorf("peers on %s, want :30303", got)
		}
		if cfg.Node.HTTPPort != 8545 || cfg.Node.WSPort != 8546 || cfg.Node.HTTPHost != "" || cfg.Node.WSHost != "" {
			t.Errorf("HTTP %q:%d, WebSocket %q:%d, want both closed, on 8545 and 8546",
				cfg.Node.HTTPHost, cfg.Node.HTTPPort, cfg.Node.WSHost, cfg.Node.WSPort)
		}
		if want := []string{"eth", "net", "web3"}; !reflect.DeepEqual(cfg.Node.HTTPModules, want) {
			t.Errorf("HTTP modules %v, want %v", cfg.Node.HTTPModules, want)
		}
		if filepath.Base(cfg.Node.IPCEndpoint()) != "gwon.ipc" {
			t.Errorf("IPC endpoint %s", cfg.Node.IPCEndpoint())
		}
		if name := cfg.Node.NodeName(); !strings.HasPrefix(name, "gwon/v") {
			t.Errorf("client name %s", name)
		}
		if len(cfg.Eth.Miner.ExtraData) > maxVanity {
			t.Errorf("vanity of %d bytes", len(cfg.Eth.Miner.ExtraData))
		}
		for _, secret := range []string{runtime.GOOS, runtime.Version(), runtime.GOARCH} {
			if strings.Contains(string(cfg.Eth.Miner.ExtraData), secret) {
				t.Errorf("vanity %q tells %s", cfg.Eth.Miner.ExtraData, secret)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A private node never dials a public network's boot nodes, and a silent one dials nobody (spec network 11 no. 6).
func TestBootnodes(t *testing.T) {
	const own = "enode://075958386d06762b352312b2430a0e4aad483a80ba952733453c9eb63cef94de" +
		"5f2b330d98d07450470a6720a0bcedd6a7b900429ec69539e7098efe608e801f@127.0.0.1:8589"
	for _, test := range []struct {
		name  string
		args  []string
		count int
	}{
		{"private", nil, 0},
		{"testnet", []string{"--testnet"}, 2},
		{"mainnet", []string{"--mainnet"}, 8},
		{"own list", []string{"--testnet", "--bootnodes", own}, 1},
		{"silent", []string{"--testnet", "--nodiscover", "--bootnodes", "", "--nat", "none"}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := withFlags(t, func(ctx *cli.Context) error {
				cfg, upstream, err := loadConfig(ctx)
				if err != nil {
					return err
				}
				if preset := flaggedPreset(ctx); preset != nil {
					if err := cfg.applyPreset(preset); err != nil {
						return err
					}
				}
				stack, err := newStack(cfg, upstream)
				if err != nil {
					return err
				}
				defer stack.Close() //nolint:errcheck // the test ends
				if got := len(cfg.Node.P2P.BootstrapNodes); got != test.count {
					t.Errorf("%d boot nodes, want %d", got, test.count)
				}
				if len(cfg.Node.P2P.BootstrapNodesV5) != 0 && test.name != "own list" {
					t.Errorf("v5 boot nodes: %v", cfg.Node.P2P.BootstrapNodesV5)
				}
				if len(cfg.Eth.EthDiscoveryURLs)+len(cfg.Eth.SnapDiscoveryURLs) != 0 {
					t.Errorf("DNS lists: %v %v", cfg.Eth.EthDiscoveryURLs, cfg.Eth.SnapDiscoveryURLs)
				}
				if test.name == "silent" && (!cfg.Node.P2P.NoDiscovery || cfg.Node.P2P.NAT != nil || cfg.Node.P2P.DiscoveryV5) {
					t.Errorf("discovery off %v, NAT %v, v5 %v", cfg.Node.P2P.NoDiscovery, cfg.Node.P2P.NAT, cfg.Node.P2P.DiscoveryV5)
				}
				return nil
			}, test.args...)
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Without a network and without a chain the node does not guess (spec rpc 11 no. 30).
func TestNetworkChoice(t *testing.T) {
	selected := func(ctx *cli.Context) error {
		cfg, _, err := loadConfig(ctx)
		if err != nil {
			return err
		}
		_, err = selectNetwork(ctx, cfg)
		return err
	}
	err := withFlags(t, selected)
	if !errors.Is(err, errNoNetwork) {
		t.Errorf("error %v, want %v", err, errNoNetwork)
	}
	for _, way := range []string{"--testnet", "--mainnet", "gwon init", "--dev", "gwon devnet"} {
		if !strings.Contains(errNoNetwork.Error(), way) {
			t.Errorf("the error does not name %s", way)
		}
	}
	if err := withFlags(t, selected, "--testnet", "--mainnet"); err == nil || !strings.Contains(err.Error(), "exclude each other") {
		t.Errorf("two networks: error %v", err)
	}
	for _, network := range []string{"--testnet", "--mainnet"} {
		if err := withFlags(t, selected, network); err != nil {
			t.Errorf("%s: %v", network, err)
		}
	}
}

// A new node of a public network that knows nobody to ask for contract code says so in one sentence, once all flags were
// looked at.
func TestNobodyToAsk(t *testing.T) {
	for _, row := range []struct{ args, want string }{
		{"--nodiscover --bootnodes=", "there is no peer to ask"},
		{"--maxpeers 0", "there is no peer to ask"},
		{"--nodiscover --bootnodes= --miner.extradata " + strings.Repeat("x", maxVanity+1), "--miner.extradata has 32 bytes"},
		{"--nodiscover --bootnodes= --http.api nothing", "--http.api"},
	} {
		t.Run(row.args, func(t *testing.T) {
			args := append([]string{"--testnet", "--datadir", t.TempDir(), "--port", "0", "--ipcdisable"}, strings.Fields(row.args)...)
			_, err := run(t, args...)
			if err == nil || !strings.Contains(err.Error(), row.want) || len(err.Error()) > 500 {
				t.Errorf("error %v, want a short one with %q", err, row.want)
			}
		})
	}
}

// What a configuration file says survives being written and read again.
func TestConfigRoundTrip(t *testing.T) {
	dump := func(t *testing.T, args ...string) string {
		t.Helper()
		app := newApp()
		out := new(bytes.Buffer)
		app.Writer = out
		app.Before, app.After = nil, nil
		if err := app.Run(append([]string{program.Name, "dumpconfig"}, args...)); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	dir := t.TempDir()
	first := dump(t, "--datadir", dir, "--testnet", "--mine", "--http", "--sync.interval", "7s",
		"--rpc.profile", "operator", "--miner.extradata", "mine")
	for _, want := range []string{`SyncInterval = "7s"`, `Mine = true`, `Profile = "operator"`, `HTTPHost = "127.0.0.1"`, `enode://075958386d06`} {
		if !strings.Contains(first, want) {
			t.Errorf("no %s in\n%s", want, first)
		}
	}
	file := filepath.Join(dir, "config.toml")
	if err := os.WriteFile(file, []byte(first), 0o600); err != nil {
		t.Fatal(err)
	}
	if second := dump(t, "--config", file); second != first {
		t.Errorf("read and written again:\n%s\nwant\n%s", second, first)
	}
}

func TestConfigErrors(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"unknown key", "[Gwon]\nMain = true\n", "unknown key main.ownConfig.Main"},
		{"not TOML", "[Gwon\n", "configuration file"},
		{"dropped key", "[Eth]\nLightServ = 1\n", ""},
		{"bad duration", "[Gwon]\nSyncInterval = \"soon\"\n", "soon"},
		{"dropped key of gwon", "[Gwon]\nSyncTDInterval = \"7s\"\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config.toml")
			if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			cfg := defaultConfig()
			err := readConfig(file, &cfg)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// A wrong flag is answered with one sentence, not with pages of help.
func TestWrongFlag(t *testing.T) {
	for _, args := range [][]string{{"--nosuch"}, {"--http.port", "abc"}, {"devnet", "--nosuch"}, {"validator", "new", "--nosuch"}} {
		app := newApp()
		var out strings.Builder
		app.Writer, app.ErrWriter = &out, &out
		err := app.Run(append([]string{program.Name}, args...))
		if err == nil || !strings.Contains(err.Error(), "see gwon") {
			t.Errorf("%v: error %v", args, err)
		}
		if out.Len() != 0 {
			t.Errorf("%v: printed %d bytes", args, out.Len())
		}
	}
}

// A word that is no command of a group, or an argument where none belongs, is answered with one sentence; a group alone with its help.
func TestWrongCommand(t *testing.T) {
	groups := 0
	for _, c := range newApp().Commands {
		if len(c.Subcommands) == 0 || c.Subcommands[0].Name == "help" { // which the library adds to every command
			continue
		}
		groups++
		_, err := run(t, c.Name, "nosuch")
		if want := fmt.Sprintf(`there is no command "nosuch" of gwon %s; see gwon %[1]s --help`, c.Name); err == nil || err.Error() != want {
			t.Errorf("%s nosuch: %v, want %s", c.Name, err, want)
		}
		if slices.Contains([]string{devnetCommand.Name, notifyCommand.Name, sponsorCommand.Name}, c.Name) {
			continue // does its work when it is alone
		}
		if out, err := run(t, c.Name); err != nil || !strings.Contains(out, c.Subcommands[0].Usage) {
			t.Errorf("%s alone: %q, %v, want its help", c.Name, out, err)
		}
	}
	if groups < 6 {
		t.Errorf("%d groups of commands", groups)
	}
	for want, args := range map[string][]string{
		"did you mean list?":                            {"contracts", "lst"},
		"did you mean inspect?":                         {"db", "inspct"},
		"did you mean show?":                            {"genesis", "shw"},
		"gwon account list takes no arguments, \"x\"":   {"account", "list", "--datadir", t.TempDir(), "x"},
		"gwon version takes no arguments, \"x\"":        {"version", "x"},
		"gwon dumpgenesis takes no arguments, \"x\"":    {"dumpgenesis", "x"},
		"gwon load takes no arguments, \"x\"":           {"load", "x"},
		"gwon contracts list takes no arguments, \"x\"": {"contracts", "list", "x"},
	} {
		if _, err := run(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", args, err, want)
		}
	}
}

// What --dev cannot do is said before anything starts, with what to do instead.
func TestDevRefuses(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // the test ends
	taken := listener.Addr().(*net.TCPAddr).Port
	busy := fmt.Sprintf("port %d is in use: give another --", taken)
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"HTTP port in use", []string{"--http.port", fmt.Sprint(taken)}, []string{busy + "http.port, or 0"}},
		{"WebSocket port in use", []string{"--http.port", "0", "--ws.port", fmt.Sprint(taken)}, []string{busy + "ws.port, or 0"}},
		{"another machine's address", []string{"--http.addr", "192.0.2.1"}, []string{`--http.addr "192.0.2.1"`, "listens on 127.0.0.1 only"}},
		{"every address", []string{"--http.addr", "0.0.0.0"}, []string{"listens on 127.0.0.1 only"}},
		{"every address, public", []string{"--rpc.profile", "public", "--http.addr", "0.0.0.0", "--http.vhosts", "*"}, []string{"listens on 127.0.0.1 only"}},
		{"every IPv6 address", []string{"--http.addr", "::"}, []string{`--http.addr "::"`, "listens on 127.0.0.1 only"}},
		{"a host name", []string{"--http.addr", "node.example"}, []string{"listens on 127.0.0.1 only"}},
		{"no address", []string{"--http.addr", ""}, []string{`--http.addr ""`, "listens on 127.0.0.1 only"}},
		{"WebSocket alone", []string{"--http.port", "0", "--ws.addr", "::"}, []string{"--ws.addr", "listens on 127.0.0.1 only"}},
		{"every address of WebSocket", []string{"--http.port", "0", "--ws", "--ws.addr", "0.0.0.0"}, []string{"--ws.addr", "listens on 127.0.0.1 only"}},
		{"mistyped mnemonic", []string{"--http.port", "0", "--mnemonic", "test junk"}, []string{"--mnemonic", "no mnemonic"}},
		{"other states", []string{"--state.scheme", "path"}, []string{"leave --state.scheme out"}},
		{"fewer states", []string{"--gcmode", "full"}, []string{"leave --gcmode out"}},
		{"no allocation", []string{"--http.port", "0", "--alloc", "/nowhere"}, []string{"--alloc"}},
		{"operator", []string{"--http.port", "0", "--rpc.profile", "operator"}, []string{"--datadir", "without a profile"}},
		{"mainnet's chain ID", []string{"--dev.chainid", "8282"}, []string{"--dev.chainid 8282 is the mainnet's"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("HOME", t.TempDir())
			_, err := run(t, append([]string{"--dev"}, c.args...)...)
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in %v", want, err)
				}
			}
		})
	}
}

// The help of no command names another product, or a fork of another chain.
func TestHelpNamesThisProgram(t *testing.T) {
	foreign := regexp.MustCompile(`(?i)\bgeth\b|ethereum|beacon|engine api|clique|sepolia|holesky|\bmerge`)
	var look func(path []string, commands []*cli.Command)
	look = func(path []string, commands []*cli.Command) {
		help, err := run(t, append(path, "--help")...)
		if err != nil || help == "" {
			t.Errorf("%v: %q, %v", path, help, err)
		}
		for line := range strings.Lines(help) {
			if foreign.MatchString(line) {
				t.Errorf("%v: %s", path, line)
			}
		}
		for _, c := range commands {
			if c.Name != "help" {
				look(append(slices.Clone(path), c.Name), c.Subcommands)
			}
		}
	}
	look(nil, newApp().Commands)
}

// Start scripts of the reference keep working (spec network 7.2).
func TestDeprecatedFlags(t *testing.T) {
	args := []string{"--txlookuplimit", "7", "--metrics.expensive"}
	for _, d := range deprecatedFlags {
		if _, ok := d.flag.(*cli.StringFlag); ok {
			args = append(args, "--"+d.flag.Names()[0], "1")
		}
	}
	err := withFlags(t, func(ctx *cli.Context) error {
		_, upstream, err := loadConfig(ctx)
		if err == nil && upstream.Uint64("history.transactions") != 7 {
			t.Errorf("--txlookuplimit 7 became --history.transactions %d", upstream.Uint64("history.transactions"))
		}
		return err
	}, args...)
	if err != nil {
		t.Fatal(err)
	}
}

// Upstream's helpers must not see flags whose names mean another network to them.
func TestUpstreamContext(t *testing.T) {
	err := withFlags(t, func(ctx *cli.Context) error {
		upstream, err := upstreamContext(ctx)
		if err != nil {
			return err
		}
		for _, name := range []string{"mainnet", "dev", "testnet", "config"} {
			if upstream.IsSet(name) || upstream.Bool(name) {
				t.Errorf("--%s is visible", name)
			}
		}
		if upstream.Int("maxpeers") != 3 || !upstream.IsSet("maxpeers") || upstream.IsSet("port") {
			t.Error("--maxpeers 3 got lost, or --port appeared")
		}
		return nil
	}, "--mainnet", "--maxpeers", "3")
	if err != nil {
		t.Fatal(err)
	}
}

// The limit of a fee payer comes from the configuration file or, before that, from its flag.
func TestPayerSlots(t *testing.T) {
	file := filepath.Join(t.TempDir(), "gwon.toml")
	if err := os.WriteFile(file, []byte("[Eth.TxPool]\nPayerSlots = 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want uint64
	}{
		{nil, 0},
		{[]string{"--config", file}, 7},
		{[]string{"--config", file, "--txpool.payerslots", "9"}, 9},
	} {
		err := withFlags(t, func(ctx *cli.Context) error {
			cfg, _, err := loadConfig(ctx)
			if err == nil && cfg.Eth.TxPool.PayerSlots != test.want {
				t.Errorf("%v: %d slots, want %d", test.args, cfg.Eth.TxPool.PayerSlots, test.want)
			}
			return err
		}, test.args...)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestVanityLimit(t *testing.T) {
	for _, test := range []struct {
		length int
		ok     bool
	}{{31, true}, {32, false}} {
		err := withFlags(t, func(ctx *cli.Context) error {
			cfg, upstream, err := loadConfig(ctx)
			if err != nil {
				return err
			}
			stack, err := newStack(cfg, upstream)
			if err != nil {
				return err
			}
			return stack.Close()
		}, "--miner.extradata", strings.Repeat("x", test.length))
		if (err == nil) != test.ok {
			t.Errorf("%d bytes: error %v", test.length, err)
		}
	}
}

// The explorer profile opens four namespaces more, and needs the states of all blocks.
// spec: rpc 9.7
func TestExplorerProfile(t *testing.T) {
	for _, test := range []struct {
		name    string
		args    []string
		history uint64 // blocks whose states are kept; 0 for all
		want    string // part of the error, empty for none
	}{
		{"archive", []string{"--gcmode", "archive"}, 0, ""},
		{"part of an archive", []string{"--gcmode", "archive", "--history.state", "7"}, 90_000, ""}, // set with the service
		{"no archive", nil, 0, "add --gcmode archive"},
		{"pruned", []string{"--gcmode", "full"}, 0, "add --gcmode archive"},
		{"keys", []string{"--gcmode", "archive", "--unlock", "0"}, 0, "--unlock cannot be combined"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := withFlags(t, func(ctx *cli.Context) error {
				cfg, _, err := loadConfig(ctx)
				if err != nil {
					return err
				}
				options, err := cfg.applyProfile(ctx)
				if err != nil {
					return err
				}
				want := []string{"eth", "net", "web3", "txpool", "istanbul", "debug", "trace", "ots", "erigon"}
				if !slices.Equal(cfg.Node.HTTPModules, want) || !slices.Equal(cfg.Node.WSModules, want) || !options.Public {
					t.Errorf("modules %v and %v, options %+v", cfg.Node.HTTPModules, cfg.Node.WSModules, options)
				}
				if cfg.Eth.StateHistory != test.history {
					t.Errorf("states of %d blocks, want %d", cfg.Eth.StateHistory, test.history)
				}
				return nil
			}, append([]string{"--rpc.profile", "explorer"}, test.args...)...)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// The public profile fixes modules and keeps keys away; it wants to know where it is reached (spec rpc 9.7).
func TestPublicProfile(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		want string // part of the error, empty for none
	}{
		{"loopback", []string{"--rpc.profile", "public"}, ""},
		{"named host", []string{"--rpc.profile", "public", "--http", "--http.addr", "0.0.0.0", "--http.vhosts", "rpc.example.org"}, ""},
		{"host without name", []string{"--rpc.profile", "public", "--http", "--http.addr", "0.0.0.0"}, "needs --http.vhosts"},
		{"own modules", []string{"--rpc.profile", "public", "--http.api", "eth,admin"}, "--http.api cannot be combined"},
		{"modules of WebSocket", []string{"--rpc.profile", "public", "--ws", "--ws.api", "debug"}, "--ws.api cannot be combined"},
		{"browsers anywhere", []string{"--rpc.profile", "public", "--http.corsdomain", "*", "--ws", "--ws.origins", "*"}, ""},
		{"proxies", []string{"--rpc.profile", "public", "--rpc.trustedproxies", "10.0.0.0/8, ::1"}, ""},
		{"no proxies", []string{"--rpc.profile", "public", "--rpc.trustedproxies", "proxy.example.org"}, "give addresses or CIDR networks"},
		{"negative rate", []string{"--rpc.profile", "public", "--rpc.client.rate", "-1"}, "give 0, for no bound"},
		{"rate without profile", []string{"--rpc.client.rate", "10"}, "--rpc.client.rate goes with --rpc.profile"},
		{"unlocked keys", []string{"--rpc.profile", "public", "--unlock", "0"}, "--unlock cannot be combined"},
		{"personal", []string{"--rpc.profile", "operator", "--rpc.enabledeprecatedpersonal"}, "cannot be combined"},
		{"unknown", []string{"--rpc.profile", "private"}, `not "private"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := withFlags(t, func(ctx *cli.Context) error {
				cfg, _, err := loadConfig(ctx)
				if err != nil {
					return err
				}
				options, err := cfg.applyProfile(ctx)
				if err != nil {
					return err
				}
				if _, err := cfg.clientGate(); err != nil {
					return err
				}
				want := []string{"eth", "net", "web3", "txpool", "istanbul"}
				if !slices.Equal(cfg.Node.HTTPModules, want) || !slices.Equal(cfg.Node.WSModules, want) {
					t.Errorf("modules %v and %v, want %v", cfg.Node.HTTPModules, cfg.Node.WSModules, want)
				}
				limited := cfg.Eth.RangeLimit == 10_000
				keyless := options.Public && !options.Personal
				if cfg.Node.HTTPHost == "" || (cfg.Node.WSHost != "") != ctx.Bool("ws") || !limited || !keyless {
					t.Errorf("HTTP %q, WebSocket %q, log range %d, options %+v", cfg.Node.HTTPHost, cfg.Node.WSHost, cfg.Eth.RangeLimit, options)
				}
				return nil
			}, test.args...)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

type keyVector struct {
	Address           common.Address `json:"address"`
	PrivateKey        hexutil.Bytes  `json:"privateKey"`
	BLSPublicKey      hexutil.Bytes  `json:"blsPublicKey"`
	ProofOfPossession hexutil.Bytes  `json:"proofOfPossession"`
}

// gwon validator prints what the reference derives from the same key (testdata/keys.json, spec wbft 2.1 and 2.2; the last
// one is that of spec network 8).
func TestValidatorShow(t *testing.T) {
	var recorded struct {
		Keys []keyVector `json:"keys"`
	}
	vectors.Load(t, "keys.json", &recorded)
	keys := append(recorded.Keys, keyVector{
		Address:      common.HexToAddress("0xed5424f04cc7d939f88115c11b9c7cddd3f08013"),
		PrivateKey:   common.FromHex("997dd6a22b7e6853f9527dce2037fdd1347b17fc501792a3af89d7736ae0d4e0"),
		BLSPublicKey: common.FromHex("88001bb83e93055ddb0166a7976872f6b1218e377a69631ad1b36bbc2e2864491462d839a52063134481d836a13151b4"),
		ProofOfPossession: common.FromHex("accf2594615b1b274f059ab74011e814d739fb4f266a80c82ab2dafc357452b63b0a984196db05d20dc469cdde87975d" +
			"02a6ef0d117d20ffcf9374622cb2a40121708a6375b5ccc2cd9cbdd20e2f20550318438c3dd0bef9b999aad0f23388ae"),
	})
	for _, want := range keys {
		file := filepath.Join(t.TempDir(), "nodekey")
		if err := writeNodeKey(file, mustKey(t, want.PrivateKey)); err != nil {
			t.Fatal(err)
		}
		app := newApp()
		out := new(bytes.Buffer)
		app.Writer = out
		app.Before, app.After = nil, nil
		if err := app.Run([]string{program.Name, "validator", "show", "--nodekey", file, "--json"}); err != nil {
			t.Fatal(err)
		}
		var got validatorIdentity
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if got.Address != want.Address || !bytes.Equal(got.BLSPublicKey, want.BLSPublicKey) ||
			!bytes.Equal(got.ProofOfPossession, want.ProofOfPossession) {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
	}
}

func mustKey(t *testing.T, raw []byte) *ecdsa.PrivateKey {
	t.Helper()
	key, err := crypto.ToECDSA(raw)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// A new key is readable by its owner only, and never replaces an older one.
func TestValidatorNew(t *testing.T) {
	dir := t.TempDir()
	create := func() (string, error) {
		app := newApp()
		out := new(bytes.Buffer)
		app.Writer = out
		app.Before, app.After = nil, nil
		err := app.Run([]string{program.Name, "validator", "new", "--datadir", dir})
		return out.String(), err
	}
	printed, err := create()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "gwon", "nodekey")
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %o, want 600", info.Mode().Perm())
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(printed, string(before)) {
		t.Error("the private key was printed")
	}
	if _, err := hex.DecodeString(string(before)); err != nil || len(before) != 64 {
		t.Errorf("key file with %d bytes: %v", len(before), err)
	}
	if _, err := create(); err == nil || !strings.Contains(err.Error(), "never overwritten") {
		t.Errorf("second key: error %v", err)
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the key changed (error %v)", err)
	}
	app := newApp()
	app.Before, app.After = nil, nil
	if err := app.Run([]string{program.Name, "validator", "show", "--datadir", t.TempDir()}); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing key: error %v, want one that says what to do", err)
	}
}

// The presets are where the flags say.
func TestPresets(t *testing.T) {
	for _, f := range []*cli.BoolFlag{mainnetFlag, testnetFlag} {
		if _, ok := params.NetworkByName(f.Name); !ok {
			t.Errorf("no network for --%s", f.Name)
		}
	}
}
