// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// foreignConfig is a file in the form in which go-stablenet dumps its configuration, with all its keys.
const foreignConfig = `[Eth]
NetworkId = 8283
SyncMode = "full"
EthDiscoveryURLs = []
SnapDiscoveryURLs = []
NoPruning = false
NoPrefetch = false
TxLookupLimit = 31536000
TransactionHistory = 31536000
StateHistory = 90000
LightPeers = 100
ForceSyncCycle = "10s"
TdSyncInterval = "10s"
DatabaseCache = 512
DatabaseFreezer = ""
TrieCleanCache = 154
TrieDirtyCache = 256
TrieTimeout = "1h0m0s"
SnapshotCache = 102
Preimages = false
FilterLogCacheSize = 32
EnablePreimageRecording = false
RPCGasCap = 50000000
RPCEVMTimeout = "5s"
RPCTxFeeCap = 0.0

[Eth.Miner]
Etherbase = "0x00000000000000000000000000000000000000aa"
GasFloor = 0
GasCeil = 105000000
GasPrice = 100000000000
Recommit = "2s"
NewPayloadTimeout = "2s"

[Eth.TxPool]
Locals = []
NoLocals = false
Journal = "transactions.rlp"
Rejournal = "1h0m0s"
PriceLimit = 1
PriceBump = 10
AccountSlots = 16
GlobalSlots = 5120
AccountQueue = 64
GlobalQueue = 1024
Lifetime = "2h30m0s"

[Eth.BlobPool]
Datadir = "blobpool"
Datacap = 10737418240
PriceBump = 100

[Eth.GPO]
Blocks = 20
Percentile = 60
MaxHeaderHistory = 1024
MaxBlockHistory = 1024
MaxPrice = 500000000000
IgnorePrice = 2

[Node]
DataDir = "DIRECTORY"
IPCPath = "gstable.ipc"
InsecureUnlockAllowed = true
NoUSB = true
HTTPHost = "127.0.0.1"
HTTPPort = 8545
HTTPVirtualHosts = ["localhost"]
HTTPModules = ["eth", "net", "web3"]
AuthAddr = "localhost"
AuthPort = 8551
AuthVirtualHosts = ["localhost"]
WSHost = ""
WSPort = 8546
WSModules = ["eth", "net", "web3"]
GraphQLVirtualHosts = ["localhost"]
BatchRequestLimit = 1000
BatchResponseMaxSize = 25000000

[Node.P2P]
MaxPeers = 50
NoDiscovery = true
DiscoveryV4 = true
BootstrapNodes = []
BootstrapNodesV5 = []
StaticNodes = []
TrustedNodes = []
ListenAddr = ":30303"
DiscAddr = ""
EnableMsgEvents = false

[Node.HTTPTimeouts]
ReadTimeout = 30000000000
ReadHeaderTimeout = 30000000000
WriteTimeout = 31000000000
IdleTimeout = 120000000000

[Metrics]
HTTP = "127.0.0.1"
Port = 6060
InfluxDBEndpoint = "http://localhost:8086"
InfluxDBDatabase = "gstable"
InfluxDBUsername = "test"
InfluxDBPassword = "test"
InfluxDBTags = "host=localhost"
InfluxDBToken = "test"
InfluxDBBucket = "gstable"
InfluxDBOrganization = "gstable"
`

// A whole configuration file of go-stablenet is read: its durations are text, and its own keys have no effect.
// spec: network 7
func TestForeignConfig(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "config.toml")
	must.Do(t, os.WriteFile(file, []byte(strings.Replace(foreignConfig, "DIRECTORY", dir, 1)), 0o600))
	cfg := Default()
	must.Do(t, Read(file, &cfg))
	for _, d := range []struct {
		name       string
		have, want time.Duration
	}{
		{"TrieTimeout", cfg.Eth.TrieTimeout, time.Hour},
		{"RPCEVMTimeout", cfg.Eth.RPCEVMTimeout, 5 * time.Second},
		{"Miner.Recommit", cfg.Eth.Miner.Recommit, 2 * time.Second},
		{"TxPool.Rejournal", cfg.Eth.TxPool.Rejournal, time.Hour},
		{"TxPool.Lifetime", cfg.Eth.TxPool.Lifetime, 150 * time.Minute},
		{"HTTPTimeouts.WriteTimeout", cfg.Node.HTTPTimeouts.WriteTimeout, 31 * time.Second},
	} {
		t.Run(d.name, func(t *testing.T) { expect.Equal(t, d.have, d.want, "d.have") })
	}
	dumped := must.Get(run(t, "dumpconfig", "--config", file))(t)
	for _, want := range []string{`TrieTimeout = "1h0m0s"`, `Recommit = "2s"`, `Lifetime = "2h30m0s"`,
		`RPCEVMTimeout = "5s"`,
		"WriteTimeout = 31000000000"} { // the last in the only form that go-stablenet reads
		expect.That(t, strings.Contains(dumped, want+"\n"), "no %s in\n%s", want, dumped)
	}
	again := filepath.Join(dir, "again.toml")
	must.Do(t, os.WriteFile(again, []byte(dumped), 0o600))
	second, err := run(t, "dumpconfig", "--config", again)
	expect.That(t, err == nil && second == dumped, "read and written again: %v\n%s\nwant\n%s", err, second, dumped)
}

// A duration is text with a unit, or a number of nanoseconds. spec: network 7
func TestDurationForms(t *testing.T) {
	for _, test := range []struct {
		text string
		want time.Duration // 0 for an error
	}{
		{`"2s"`, 2 * time.Second}, {`"1m30s"`, 90 * time.Second}, {"2000000000", 2 * time.Second},
		{`"2"`, 0}, {`"soon"`, 0}, {`""`, 0}, {"true", 0}, {"1.5", 0}, {`["2s"]`, 0},
	} {
		t.Run(test.text, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config.toml")
			must.Do(t, os.WriteFile(file, []byte("[Eth.Miner]\nRecommit = "+test.text+"\n"), 0o600))
			cfg := Default()
			err := Read(file, &cfg)
			switch {
			case test.want == 0 && (err == nil || !strings.Contains(err.Error(), "line 2")):
				t.Errorf("error %v does not name the line", err)
			case test.want != 0 && (err != nil || cfg.Eth.Miner.Recommit != test.want):
				t.Errorf("%v, %v, want %v", cfg.Eth.Miner.Recommit, err, test.want)
			}
		})
	}
}

// Flags of go-stablenet that mean nothing here are taken, with what follows them. spec: network 7.1
func TestFlagsWithoutEffect(t *testing.T) {
	for _, d := range deprecatedFlags {
		name := d.flag.Names()[0]
		t.Run(name, func(t *testing.T) {
			args := []string{"--" + name}
			if _, isBool := d.flag.(*cli.BoolFlag); !isBool {
				args = append(args, "1")
			}
			err := withFlags(t, func(ctx *cli.Context) error {
				if ctx.NArg() != 0 {
					return fmt.Errorf("arguments %q", ctx.Args().Slice())
				}
				_, _, err := Load(ctx)
				return err
			}, args...)
			expect.That(t, err == nil && d.reason != "", "%v, reason %q", err, d.reason)
		})
	}
}

// The older name of --eth.requiredblocks goes on protecting a node. spec: network 7.1
func TestWhitelist(t *testing.T) {
	hash := "0x" + strings.Repeat("ab", 32)
	expect.Error(t, withFlags(t, func(ctx *cli.Context) error {
		_, upstream, err := Load(ctx)
		if err != nil {
			return err
		}
		expect.Equal(t, upstream.String("eth.requiredblocks"), "7="+hash, "required blocks")
		return nil
	}, "--whitelist", "7="+hash), nil, "error")
}

// go-stablenet's names of --sync.interval work; --sync.interval wins over them. spec: network 7.1
func TestSyncInterval(t *testing.T) {
	for _, test := range []struct {
		args  string
		want  time.Duration
		error string
	}{
		{"", 10 * time.Second, ""},
		{"--sync.interval 7s", 7 * time.Second, ""},
		{"--sync.forcecycle 12s", 12 * time.Second, ""},
		{"--sync.tdinterval 3s", 3 * time.Second, ""},
		{"--sync.forcecycle 5s --sync.tdinterval 4s", 4 * time.Second, ""},
		{"--sync.forcecycle 5s --sync.interval 20s --sync.tdinterval 4s", 20 * time.Second, ""},
		{"--sync.interval 0s", 0, "--sync.interval must be longer than 0s"},
		{"--sync.tdinterval -1s", 0, "--sync.interval must be longer than 0s, not -1s"},
	} {
		t.Run(test.args, func(t *testing.T) {
			err := withFlags(t, func(ctx *cli.Context) error {
				cfg, _, err := Load(ctx)
				if err == nil && DurationOf(cfg.Gwon.SyncInterval) != test.want {
					t.Errorf("%v, want %v", DurationOf(cfg.Gwon.SyncInterval), test.want)
				}
				return err
			}, strings.Fields(test.args)...)
			expect.Ends(t, err, test.error, "the error")
		})
	}
}
