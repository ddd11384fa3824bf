// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/urfave/cli/v2"

	"gwon/consensus/wbft"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// The defaults are this network's, not Ethereum's (spec network 7.1, rpc 10).
func TestDefaults(t *testing.T) {
	err := withFlags(t, func(ctx *cli.Context) error {
		cfg, upstream, err := Load(ctx)
		if err != nil {
			return err
		}
		stack, err := NewStack(cfg, upstream)
		if err != nil {
			return err
		}
		defer stack.Close() //nolint:errcheck // the test ends
		expect.Equal(t, cfg.Eth.SyncMode, ethconfig.FullSync, "sync mode")
		expect.Equal(t, cfg.Eth.Miner.GasCeil, 105_000_000, "gas ceiling")
		expect.Equal(t, cfg.Eth.RPCTxFeeCap, 0, "RPC fee cap")
		expect.That(t, cfg.Eth.TrieTimeout == time.Minute,
			"state is written after %v of execution, want a minute", cfg.Eth.TrieTimeout)
		expect.That(t, cfg.Eth.TransactionHistory == 31_536_000,
			"transaction index %d blocks, want 31536000", cfg.Eth.TransactionHistory)
		expect.Equal(t, cfg.Eth.NetworkId, 0, "network id")
		expect.Equal(t, cfg.Node.P2P.ListenAddr, ":30303", "peers on")
		if cfg.Node.HTTPPort != 8545 || cfg.Node.WSPort != 8546 || cfg.Node.HTTPHost != "" || cfg.Node.WSHost != "" {
			t.Errorf("HTTP %q:%d, WebSocket %q:%d, want both closed, on 8545 and 8546",
				cfg.Node.HTTPHost, cfg.Node.HTTPPort, cfg.Node.WSHost, cfg.Node.WSPort)
		}
		expect.Deep(t, cfg.Node.HTTPModules, []string{"eth", "net", "web3"}, "HTTP modules")
		expect.Equal(t, filepath.Base(cfg.Node.IPCEndpoint()), "gwon.ipc", "IPC endpoint %s", cfg.Node.IPCEndpoint())
		name := cfg.Node.NodeName()
		expect.That(t, strings.HasPrefix(name, "gwon/gstable-compatible/v"), "client name %s", name)
		expect.That(t, len(cfg.Eth.Miner.ExtraData) <= wbft.MaxVanity, "vanity of %d bytes", len(cfg.Eth.Miner.ExtraData))
		for _, secret := range []string{runtime.GOOS, runtime.Version(), runtime.GOARCH} {
			expect.That(t, !strings.Contains(string(cfg.Eth.Miner.ExtraData), secret),
				"vanity %q tells %s", cfg.Eth.Miner.ExtraData, secret)
		}
		return nil
	})
	must.Do(t, err)
}

// A private node never dials a public network's boot nodes, and a silent one dials none (spec network 11 no. 6).
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
				cfg, upstream, err := Load(ctx)
				if err != nil {
					return err
				}
				if preset := FlaggedPreset(ctx); preset != nil {
					if err := cfg.ApplyPreset(preset); err != nil {
						return err
					}
				}
				stack, err := NewStack(cfg, upstream)
				if err != nil {
					return err
				}
				defer stack.Close() //nolint:errcheck // the test ends
				expect.Equal(t, len(cfg.Node.P2P.BootstrapNodes), test.count, "boot nodes")
				expect.That(t, len(cfg.Node.P2P.BootstrapNodesV5) == 0 || test.name == "own list",
					"v5 boot nodes: %v", cfg.Node.P2P.BootstrapNodesV5)
				expect.Equal(t, len(cfg.Eth.EthDiscoveryURLs)+len(cfg.Eth.SnapDiscoveryURLs), 0,
					"DNS lists: %v %v", cfg.Eth.EthDiscoveryURLs, cfg.Eth.SnapDiscoveryURLs)
				if test.name == "silent" && (!cfg.Node.P2P.NoDiscovery || cfg.Node.P2P.NAT != nil || cfg.Node.P2P.DiscoveryV5) {
					t.Errorf("discovery off %v, NAT %v, v5 %v", cfg.Node.P2P.NoDiscovery, cfg.Node.P2P.NAT, cfg.Node.P2P.DiscoveryV5)
				}
				return nil
			}, test.args...)
			must.Do(t, err)
		})
	}
}

// What a configuration file says survives being written and read again.
func TestConfigRoundTrip(t *testing.T) {
	dump := func(t *testing.T, args ...string) string {
		t.Helper()
		return must.Get(run(t, append([]string{"dumpconfig"}, args...)...))(t)
	}
	dir := t.TempDir()
	first := dump(t, "--datadir", dir, "--testnet", "--mine", "--http", "--sync.interval", "7s",
		"--rpc.profile", "operator", "--miner.extradata", "mine")
	for _, want := range []string{`SyncInterval = "7s"`, `Mine = true`, `Profile = "operator"`, `HTTPHost = "127.0.0.1"`,
		`enode://075958386d06`} {
		expect.That(t, strings.Contains(first, want), "no %s in\n%s", want, first)
	}
	file := filepath.Join(dir, "config.toml")
	must.Do(t, os.WriteFile(file, []byte(first), 0o600))
	expect.Equal(t, dump(t, "--config", file), first, "read and written again")
}

// flagTexts are two values of each flag that takes no number, duration or any text.
var flagTexts = map[string][2]string{
	"bootnodes":          {testNode("1"), testNode("2")},
	"checkpoint":         {"0x" + strings.Repeat("11", 32), "0x" + strings.Repeat("22", 32)},
	"crypto.kzg":         {"gokzg", "gokzg"},
	"db.engine":          {"pebble", "leveldb"},
	"eth.requiredblocks": {"1=0x" + strings.Repeat("11", 32), "2=0x" + strings.Repeat("22", 32)},
	"gcmode":             {"full", "archive"},
	"history.chain":      {"all", "5:0x" + strings.Repeat("11", 32)},
	"http.addr":          {"127.0.0.1", "0.0.0.0"},
	"http.api":           {"eth", "net"},
	"http.rpcprefix":     {"/a", "/b"},
	"nat":                {"none", "extip:10.0.0.1"},
	"netrestrict":        {"10.0.0.0/8", "192.168.0.0/16"},
	"rpc.profile":        {"public", "operator"},
	"state.scheme":       {"hash", "path"},
	"syncmode":           {"full", "snap"},
	"txpool.locals":      {"0x" + strings.Repeat("11", 20), "0x" + strings.Repeat("22", 20)},
	"rpc.trustedproxies": {"10.0.0.0/8", "192.168.0.0/16"},
	"whitelist":          {"1=0x" + strings.Repeat("11", 32), "2=0x" + strings.Repeat("22", 32)},
	"ws.addr":            {"127.0.0.1", "0.0.0.0"},
	"ws.api":             {"eth", "net"},
	"ws.rpcprefix":       {"/a", "/b"},
}

// testNode returns the URL of a node.
func testNode(host string) string {
	return "enode://075958386d06762b352312b2430a0e4aad483a80ba952733453c9eb63cef94de" +
		"5f2b330d98d07450470a6720a0bcedd6a7b900429ec69539e7098efe608e801f@127.0.0." + host + ":8589"
}

// without are the flags that set no field of the configuration file.
var without = []string{
	"config", "mainnet", "testnet", "nodekey", "nodekeyhex", "nodekey.password", "password", "unlock", "exit.stdin",
	"datadir.minfreedisk", "eth.requiredblocks", "fdlimit", "memorylimit", "gogc", "crypto.kzg", "graphql",
	"health.headage", "health.peers",
	"health.disk", "adopt",
}

// derived are the fields that the value of a flag gives a default, which a file may then say otherwise.
var derived = map[string][]string{
	"gcmode":   {"Preimages", "TransactionHistory"},
	"snapshot": {"TrieCleanCache"},
}

// A flag beside a configuration file with another value of its field wins, also where it counts only beside another
// flag: a file with an open endpoint and --http.addr 127.0.0.1 leave it open to this machine alone.
func TestFlagsWinOverFile(t *testing.T) {
	dir := t.TempDir()
	dump := func(t *testing.T, args ...string) map[string]string {
		t.Helper()
		text, err := run(t, append([]string{"dumpconfig"}, args...)...)
		must.That(t, err == nil, "%v: %v", args, err)
		must.Do(t, os.WriteFile(filepath.Join(dir, "dumped"), []byte(text), 0o600))
		fields, section := make(map[string]string), ""
		for line := range strings.Lines(text) {
			if key, value, found := strings.Cut(strings.TrimSpace(line), " = "); found {
				fields[section+key] = value
			} else {
				section = strings.TrimSpace(line)
			}
		}
		return fields
	}
	type setting struct{ name, one, two string }
	var list []setting
	var groups [][]setting
	for _, f := range NodeFlags() {
		name := f.Names()[0]
		if hidden, ok := f.(cli.VisibleFlag); slices.Contains(without, name) || ok && !hidden.IsVisible() {
			continue
		}
		s := setting{name, name + "1", name + "2"}
		switch f.(type) {
		case *cli.BoolFlag:
			s.one, s.two = "true", "false"
		case *cli.IntFlag, *cli.Int64Flag, *cli.UintFlag, *cli.Uint64Flag, *cli.Float64Flag:
			s.one, s.two = "3", "5"
		case *cli.DurationFlag:
			s.one, s.two = "3s", "5s"
		default:
			if texts, found := flagTexts[name]; found {
				s.one, s.two = texts[0], texts[1]
			}
		}
		if _, found := derived[name]; found || name == "rpc.profile" {
			groups = append(groups, []setting{s}) // it says something about the fields of others
		} else {
			list = append(list, s)
		}
	}
	// A flag that counts only beside another one begins with its name, so that a group, in which each is far from the
	// others in the alphabet, has not both.
	const together = 8
	slices.SortFunc(list, func(a, b setting) int { return strings.Compare(a.name, b.name) })
	apart := (len(list) + together - 1) / together
	for first := range apart {
		var group []setting
		for i := first; i < len(list); i += apart {
			group = append(group, list[i])
		}
		groups = append(groups, group)
	}
	for _, group := range groups {
		var names, ones, twos, free []string
		for _, s := range group {
			names = append(names, s.name)
			ones, twos = append(ones, "--"+s.name+"="+s.one), append(twos, "--"+s.name+"="+s.two)
			free = append(free, derived[s.name]...)
		}
		t.Run(strings.Join(names, " "), func(t *testing.T) {
			files := make(map[string]string)
			dumped := func(values []string) map[string]string {
				fields := dump(t, append([]string{"--http", "--ws"}, values...)...)
				file := filepath.Join(t.TempDir(), "file.toml")
				must.Do(t, os.Rename(filepath.Join(dir, "dumped"), file))
				files[values[0]] = file
				return fields
			}
			first, second := dumped(ones), dumped(twos)
			check := func(want, other map[string]string, file string, values []string) {
				got, changed := dump(t, append([]string{"--config", file}, values...)...), 0
				fields := maps.Clone(other)
				maps.Copy(fields, want)
				for field := range fields {
					if want[field] == other[field] {
						continue
					}
					changed++
					_, key, _ := strings.Cut(field, "]")
					expect.That(t, got[field] == want[field] || slices.Contains(free, key),
						"%s is %s beside %s in the file, want %s", field, got[field], other[field], want[field])
				}
				if changed < len(group) {
					t.Errorf("%d flags change %d fields of the configuration: name one in without, or give it other values",
						len(group), changed)
				}
			}
			check(first, second, files[twos[0]], ones)
			check(second, first, files[ones[0]], twos)
		})
	}
}

func TestConfigErrors(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"unknown key", "[Gwon]\nMain = true\n", "unknown key Gwon.Main"},
		{"unknown section", "[Gwen]\nMine = true\n", "unknown key Gwen"},
		{"unknown key of a section within a section", "[Eth.Miner]\nGas = 1\n", "unknown key Eth.Miner.Gas"},
		{"wrong type", "[Eth]\nNetworkId = \"a\"\n", "(Eth.NetworkId)"},
		{"not TOML", "[Gwon\n", "configuration file"},
		{"dropped key", "[Eth]\nLightServ = 1\n", ""},
		{"bad duration", "[Gwon]\nSyncInterval = \"soon\"\n", "soon"},
		{"dropped key of gwon", "[Gwon]\nSyncTDInterval = \"7s\"\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config.toml")
			must.Do(t, os.WriteFile(file, []byte(test.text), 0o600))
			cfg := Default()
			err := Read(file, &cfg)
			expect.Ends(t, err, test.want, "the error")
		})
	}
}

// A value that cannot be meant ends the start with a sentence that names the flag.
func TestRefusedValues(t *testing.T) {
	for flag, value := range map[string]string{
		"--datadir.minfreedisk": "-5", "--cache": "-1", "--bootnodes": "enode://foo",
	} {
		err := withFlags(t, func(ctx *cli.Context) error {
			_, _, err := Load(ctx)
			return err
		}, flag, value)
		expect.That(t, err != nil && strings.HasPrefix(err.Error(), flag), "%s %s: error %v", flag, value, err)
	}
}

// Start scripts of the reference keep working (spec network 7.2).
func TestDeprecatedFlags(t *testing.T) {
	args := []string{"--txlookuplimit", "7", "--metrics.expensive"}
	for _, d := range deprecatedFlags {
		if _, ok := d.flag.(*cli.StringFlag); ok {
			args = append(args, "--"+d.flag.Names()[0], "1")
		}
	}
	must.Do(t, withFlags(t, func(ctx *cli.Context) error {
		_, upstream, err := Load(ctx)
		expect.That(t, err != nil || upstream.Uint64("history.transactions") == 7,
			"--txlookuplimit 7 became --history.transactions %d", upstream.Uint64("history.transactions"))
		return err
	}, args...))
}

// Upstream's helpers must not see flags whose names mean another network to them.
func TestUpstreamContext(t *testing.T) {
	must.Do(t, withFlags(t, func(ctx *cli.Context) error {
		upstream, err := upstreamContext(ctx)
		if err != nil {
			return err
		}
		for _, name := range []string{"mainnet", "dev", "testnet", "config"} {
			expect.That(t, !upstream.IsSet(name) && !upstream.Bool(name), "--%s is visible", name)
		}
		expect.That(t, upstream.Int("maxpeers") == 3 && upstream.IsSet("maxpeers") && !upstream.IsSet("port"),
			"--maxpeers 3 got lost, or --port appeared")
		return nil
	}, "--mainnet", "--maxpeers", "3"))
}

// The limit of a fee payer comes from the configuration file or, before that, from its flag.
func TestPayerSlots(t *testing.T) {
	file := filepath.Join(t.TempDir(), "gwon.toml")
	must.Do(t, os.WriteFile(file, []byte("[Gwon]\nPayerSlots = 7\n"), 0o600))
	older := filepath.Join(t.TempDir(), "older.toml")
	must.Do(t, os.WriteFile(older, []byte("[Eth.TxPool]\nPayerSlots = 7\n"), 0o600))
	for _, test := range []struct {
		args []string
		want uint64
	}{
		{nil, 0},
		{[]string{"--config", file}, 7},
		{[]string{"--config", older}, 7},
		{[]string{"--config", file, "--txpool.payerslots", "9"}, 9},
	} {
		must.Do(t, withFlags(t, func(ctx *cli.Context) error {
			cfg, _, err := Load(ctx)
			expect.That(t, err != nil || cfg.Gwon.PayerSlots == test.want,
				"%v: %d slots, want %d", test.args, cfg.Gwon.PayerSlots, test.want)
			return err
		}, test.args...))
	}
}

func TestVanityLimit(t *testing.T) {
	for _, test := range []struct {
		length int
		ok     bool
	}{{31, true}, {32, false}} {
		err := withFlags(t, func(ctx *cli.Context) error {
			cfg, upstream, err := Load(ctx)
			if err != nil {
				return err
			}
			stack, err := NewStack(cfg, upstream)
			if err != nil {
				return err
			}
			return stack.Close()
		}, "--miner.extradata", strings.Repeat("x", test.length))
		expect.Equal(t, err == nil, test.ok, "%d bytes: error %v", test.length, err)
	}
}

// The presets are where the flags say.
func TestPresets(t *testing.T) {
	for _, f := range []*cli.BoolFlag{MainnetFlag, TestnetFlag} {
		_, ok := params.NetworkByName(f.Name)
		expect.That(t, ok, "no network for --%s", f.Name)
	}
}

// A network flag does not go with a file of another network, whatever of it the file says.
func TestFileOfAnotherNetwork(t *testing.T) {
	testnet := fmt.Sprintf("[Eth]\nNetworkId = %d\n", params.TestnetChainID)
	for _, c := range []struct {
		name, text string
		flags      []string
		refused    bool
	}{
		{"another ID", "[Eth]\nNetworkId = 828301\n", []string{"--testnet"}, true},
		{"the ID of the other network", testnet, []string{"--mainnet"}, true},
		{"another genesis", "[Eth.Genesis]\nNonce = 7\nGasLimit = 1\nDifficulty = 1\n[Eth.Genesis.Alloc]\n",
			[]string{"--testnet"}, true},
		{"its ID", testnet, []string{"--testnet"}, false},
		{"no network in the file", "[Gwon]\nMine = false\n", []string{"--testnet"}, false},
		{"no flag", "[Eth]\nNetworkId = 828301\n", nil, false},
		{"a flag for the ID", "[Eth]\nNetworkId = 828301\n", []string{"--testnet", "--networkid", "8283"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config.toml")
			must.Do(t, os.WriteFile(file, []byte(c.text), 0o600))
			args := append([]string{"--config", file, "--datadir", t.TempDir()}, c.flags...)
			for name, load := range map[string]func(*cli.Context) error{
				"node":      func(ctx *cli.Context) error { _, _, err := Load(ctx); return err },
				"directory": func(ctx *cli.Context) error { _, err := LoadDirectory(ctx); return err },
			} {
				err := withFlags(t, load, args...)
				if refused := err != nil && strings.Contains(err.Error(), "is of another network than --"); refused != c.refused ||
					!c.refused && err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}
