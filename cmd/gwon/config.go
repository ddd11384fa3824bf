// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/history"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/naoina/toml"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
)

// config is what the configuration file can hold. Its sections Eth, Node and Metrics are upstream's.
type config struct {
	Eth      ethconfig.Config
	Node     node.Config
	Gwon     ownConfig
	Ethstats struct {
		URL string `toml:",omitempty"`
	}
	Metrics metrics.Config
}

// ownConfig is the section Gwon of the configuration file.
type ownConfig struct {
	Mine                bool     // take part in consensus
	Profile             string   `toml:",omitempty"` // public, operator or nothing
	OperatorPort        int      // TCP port on 127.0.0.1
	ClientRate          int      // units a second that one client of a profile may use
	ClientInFlight      int      // its HTTP requests at a time
	ClientConnections   int      // its WebSocket connections
	ClientSubscriptions int      // subscriptions of one of them
	TrustedProxies      string   `toml:",omitempty"` // networks whose X-Forwarded-For counts
	Personal            bool     // offer the personal namespace
	InsecureUnlock      bool     // unlocked accounts while HTTP or WebSocket is open
	SyncInterval        duration // between two searches for a better peer
	SyncVerifyAll       bool
	SignFrom            uint64
	Checkpoint          common.Hash // block that the chain must have; zero for none
	presetBootnodes     bool        // neither flag nor file named boot nodes
}

// duration is written as "10s" in the configuration file.
type duration time.Duration

// MarshalText implements encoding.TextMarshaler.
func (d duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil {
		return err
	}
	*d = duration(parsed)
	return nil
}

// droppedFields are keys without a meaning here that files of go-stablenet or of older builds of gwon may carry.
var droppedFields = map[string]bool{
	"ethconfig.Config.DocRoot":                 true,
	"ethconfig.Config.EnableStateSizeTracking": true,
	"ethconfig.Config.LightEgress":             true,
	"ethconfig.Config.LightIngress":            true,
	"ethconfig.Config.LightNoPrune":            true,
	"ethconfig.Config.LightNoSyncServe":        true,
	"ethconfig.Config.LightPeers":              true,
	"ethconfig.Config.LightServ":               true,
	"ethconfig.Config.OverrideCancun":          true,
	"ethconfig.Config.OverrideVerkle":          true,
	"ethconfig.Config.RPCEVMTimeoutOverride":   true,
	"ethconfig.Config.ForceSyncCycle":          true,
	"ethconfig.Config.TdSyncInterval":          true,
	"miner.Config.Etherbase":                   true,
	"miner.Config.GasFloor":                    true,
	"miner.Config.NewPayloadTimeout":           true,
	"miner.Config.Noverify":                    true,
	"node.Config.InsecureUnlockAllowed":        true,
	"main.ownConfig.SyncForceCycle":            true,
	"main.ownConfig.SyncTDInterval":            true,
}

// tomlFormat keeps Go's field names as keys and refuses keys it does not know.
var tomlFormat = toml.Config{
	NormFieldName: func(_ reflect.Type, key string) string { return key },
	FieldToKey:    func(_ reflect.Type, field string) string { return field },
	MissingField: func(section reflect.Type, key string) error {
		name := section.String() + "." + key
		if droppedFields[name] {
			log.Warn("Configuration key has no effect", "key", name)
			return nil
		}
		return fmt.Errorf("unknown key %s", name)
	},
}

// readConfig reads a configuration file into cfg.
func readConfig(path string, cfg *config) error {
	given, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("open configuration file: %w", err)
	}
	table, err := parseConfig(given)
	if err == nil {
		err = tomlFormat.UnmarshalTable(table, cfg)
	}
	if err != nil {
		if text := err.Error(); strings.Contains(text, history.ChainHistoryNames()) { // upstream's, with points that this chain does not have
			err = errors.New(strings.ReplaceAll(text, history.ChainHistoryNames(), `"all"`))
		}
		return fmt.Errorf("configuration file %s: %w", path, err)
	}
	if _, err := parseHistory(cfg.Eth.HistoryMode.String()); err != nil {
		return fmt.Errorf("configuration file %s: HistoryMode: %w", path, err)
	}
	return nil
}

func defaultConfig() config {
	cfg := config{Eth: ethconfig.Defaults, Node: node.DefaultConfig, Metrics: metrics.DefaultConfig}
	cfg.Node.Name = program.Name
	cfg.Node.Version = program.Version()
	cfg.Node.DataDir = defaultDataDir()
	cfg.Node.IPCPath = program.Name + ".ipc"
	cfg.Node.HTTPModules = []string{"eth", "net", "web3"}
	cfg.Node.WSModules = []string{"eth", "net", "web3"}
	cfg.Node.P2P.DiscoveryV5 = false
	// A block is executed twice then, the second time to read ahead for the first. With two processors that only takes time from it: an import of
	// full blocks takes a tenth longer and a sixth more CPU.
	cfg.Eth.NoPrefetch = runtime.GOMAXPROCS(0) <= 2
	cfg.Gwon.OperatorPort = rpcOperatorPortFlag.Value
	cfg.Gwon.ClientRate, cfg.Gwon.ClientInFlight = clientRateFlag.Value, clientInFlightFlag.Value
	cfg.Gwon.ClientConnections, cfg.Gwon.ClientSubscriptions = clientConnectionsFlag.Value, clientSubscriptionsFlag.Value
	cfg.Gwon.SyncInterval = duration(syncIntervalFlag.Value)
	return cfg
}

// loadConfig puts defaults, configuration file and flags together, the later winning over the earlier. The sections of
// the chain (genesis, network, boot nodes) are still open: see selectNetwork.
func loadConfig(ctx *cli.Context) (*config, *cli.Context, error) {
	cfg := defaultConfig()
	if path := ctx.Path(configFlag.Name); path != "" {
		if err := readConfig(program.ExpandHome(path), &cfg); err != nil {
			return nil, nil, err
		}
	}
	upstream, err := upstreamContext(ctx)
	if err != nil {
		return nil, nil, err
	}
	if ctx.IsSet(utils.ChainHistoryFlag.Name) { // upstream's helper would end the program, with names of points that this chain does not have
		if _, err := parseHistory(ctx.String(utils.ChainHistoryFlag.Name)); err != nil {
			return nil, nil, err
		}
	}
	// An empty list in the file says nothing, since dumpconfig writes one; --bootnodes "" says none.
	cfg.Gwon.presetBootnodes = !ctx.IsSet(utils.BootnodesFlag.Name) && len(cfg.Node.P2P.BootstrapNodes) == 0
	if cfg.Node.P2P.BootstrapNodes == nil {
		cfg.Node.P2P.BootstrapNodes = []*enode.Node{} // nil would become Ethereum's list
	}
	if cfg.Node.P2P.BootstrapNodesV5 == nil {
		cfg.Node.P2P.BootstrapNodesV5 = []*enode.Node{}
	}
	utils.SetNodeConfig(upstream, &cfg.Node)
	if err := cfg.checkModules(); err != nil {
		return nil, nil, err
	}
	cfg.Node.DataDir = program.ExpandHome(cfg.Node.DataDir)
	if ctx.IsSet(utils.AncientFlag.Name) {
		cfg.Eth.DatabaseFreezer = ancientDir(ctx) // the chain is looked at before upstream's helper sets this
	}
	if err := applyOwnFlags(ctx, &cfg); err != nil {
		return nil, nil, err
	}
	if ctx.Bool(devFlag.Name) {
		if err := isolateDev(ctx, &cfg.Node); err != nil {
			return nil, nil, err
		}
	}
	if cfg.Node.DataDir != "" {
		path := cfg.Node.ResolvePath("chaindata")
		chainPath.Store(&path)
	}
	return &cfg, upstream, nil
}

// upstreamContext returns a context that holds only the flags whose names mean the same to upstream's helpers. Those
// helpers look flags up by name: they would take --mainnet for Ethereum's main network.
func upstreamContext(ctx *cli.Context) (*cli.Context, error) {
	set := flag.NewFlagSet(program.Name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	database := []cli.Flag{utils.AncientFlag, utils.EraFlag, utils.DBEngineFlag, utils.StateSchemeFlag, utils.DataDirFlag}
	flags := slices.Concat(database, upstreamNodeFlags, upstreamRPCFlags, utils.MetricsFlags)
	for _, f := range flags {
		if err := f.Apply(set); err != nil {
			return nil, fmt.Errorf("prepare flags: %w", err)
		}
	}
	upstream := cli.NewContext(nil, set, nil)
	for _, f := range flags {
		for _, name := range f.Names()[:1] {
			if !ctx.IsSet(name) {
				continue
			}
			if err := upstream.Set(name, ctx.String(name)); err != nil {
				return nil, fmt.Errorf("flag --%s: %w", name, err)
			}
		}
	}
	for _, renamed := range renamedFlags {
		if ctx.IsSet(renamed.new) || !ctx.IsSet(renamed.old) {
			continue
		}
		if err := upstream.Set(renamed.new, ctx.String(renamed.old)); err != nil {
			return nil, fmt.Errorf("flag --%s: %w", renamed.old, err)
		}
	}
	return upstream, nil
}

// applyOwnFlags applies the flags that upstream does not have, and warns of those that mean nothing here.
func applyOwnFlags(ctx *cli.Context, cfg *config) error {
	own := &cfg.Gwon
	setBool(ctx, mineFlag, &own.Mine)
	setBool(ctx, syncVerifyAllFlag, &own.SyncVerifyAll)
	if ctx.IsSet(signFromFlag.Name) {
		own.SignFrom = ctx.Uint64(signFromFlag.Name)
	}
	setBool(ctx, personalFlag, &own.Personal)
	setBool(ctx, insecureUnlockFlag, &own.InsecureUnlock)
	if ctx.IsSet(rpcProfileFlag.Name) {
		own.Profile = ctx.String(rpcProfileFlag.Name)
	}
	if ctx.IsSet(rpcOperatorPortFlag.Name) {
		own.OperatorPort = ctx.Int(rpcOperatorPortFlag.Name)
	}
	applyClientFlags(ctx, own)
	if err := applySyncInterval(ctx, own); err != nil {
		return err
	}
	if ctx.IsSet(checkpointFlag.Name) {
		if err := own.Checkpoint.UnmarshalText([]byte(ctx.String(checkpointFlag.Name))); err != nil {
			return fmt.Errorf("--%s wants a block hash, 0x and 64 hexadecimal digits: %w", checkpointFlag.Name, err)
		}
	}
	if ctx.IsSet(payerSlotsFlag.Name) {
		cfg.Eth.TxPool.PayerSlots = ctx.Uint64(payerSlotsFlag.Name)
	}
	for _, d := range deprecatedFlags {
		if name := d.flag.Names()[0]; ctx.IsSet(name) {
			log.Warn("Flag has no effect", "flag", "--"+name, "reason", d.reason)
		}
	}
	for _, renamed := range renamedFlags {
		if ctx.IsSet(renamed.old) {
			log.Warn("Flag has a new name", "flag", "--"+renamed.old, "use", "--"+renamed.new)
		}
	}
	byDefault := !ctx.IsSet(dataDirFlag.Name) && cfg.Node.DataDir == defaultDataDir() && cfg.Node.DataDir != ""
	if ctx.Bool(testnetFlag.Name) && byDefault {
		cfg.Node.DataDir = filepath.Join(cfg.Node.DataDir, "testnet")
	}
	return nil
}

// applySyncInterval applies --sync.interval, or its older names.
func applySyncInterval(ctx *cli.Context, own *ownConfig) error {
	var given []time.Duration
	for _, f := range syncIntervalFlags {
		if ctx.IsSet(f.Name) {
			log.Warn("Flag has a new name", "flag", "--"+f.Name, "use", "--"+syncIntervalFlag.Name)
			given = append(given, ctx.Duration(f.Name))
		}
	}
	if ctx.IsSet(syncIntervalFlag.Name) {
		given = []time.Duration{ctx.Duration(syncIntervalFlag.Name)}
	}
	if len(given) > 0 {
		own.SyncInterval = duration(slices.Min(given))
	}
	if own.SyncInterval <= 0 {
		return fmt.Errorf("--%s must be longer than 0s, not %v", syncIntervalFlag.Name, durationOf(own.SyncInterval))
	}
	return nil
}

// durationOf undoes the type that gives a duration its form in the configuration file.
func durationOf(d duration) time.Duration { return time.Duration(d) }

func setBool(ctx *cli.Context, f *cli.BoolFlag, to *bool) {
	if ctx.IsSet(f.Name) {
		*to = ctx.Bool(f.Name)
	}
}

// newStack makes the node of a configuration, with its key store, and finishes cfg.Eth but for the chain.
func newStack(cfg *config, upstream *cli.Context) (*node.Node, error) {
	stack, err := node.New(&cfg.Node)
	if err != nil {
		return nil, fmt.Errorf("create node: %w", err)
	}
	if err := openKeyStore(stack); err != nil {
		return nil, errors.Join(err, stack.Close())
	}
	utils.SetEthConfig(upstream, stack, &cfg.Eth)
	limitMemory(upstream)
	if upstream.IsSet(utils.EthStatsURLFlag.Name) {
		cfg.Ethstats.URL = upstream.String(utils.EthStatsURLFlag.Name)
	}
	utils.SetMetricsConfig(upstream, &cfg.Metrics)
	if len(cfg.Eth.Miner.ExtraData) == 0 {
		cfg.Eth.Miner.ExtraData = defaultVanity()
	}
	if n := len(cfg.Eth.Miner.ExtraData); n > maxVanity {
		err := fmt.Errorf("--%s has %d bytes, at most %d are allowed", utils.MinerExtraDataFlag.Name, n, maxVanity)
		return nil, errors.Join(err, stack.Close())
	}
	return stack, nil
}

var dumpConfigCommand = &cli.Command{
	Name:      "dumpconfig",
	Usage:     "Print the configuration as TOML, for use with --config",
	ArgsUsage: "[file]",
	Flags:     nodeFlags(),
	Action:    dumpConfig,
}

func dumpConfig(ctx *cli.Context) error {
	cfg, upstream, err := loadConfig(ctx)
	if err != nil {
		return err
	}
	if preset := flaggedPreset(ctx); preset != nil {
		if err := cfg.applyPreset(preset); err != nil {
			return err
		}
	}
	utils.SetMetricsConfig(upstream, &cfg.Metrics)
	ethSection, err := staticEthConfig(cfg, upstream)
	if err != nil {
		return err
	}
	cfg.Eth = ethSection
	cfg.Eth.Genesis = nil // the chain is in the data directory or named by a flag, not in this file
	text, err := marshalConfig(cfg)
	if err != nil {
		return fmt.Errorf("encode configuration: %w", err)
	}
	if path := ctx.Args().First(); path != "" {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return fmt.Errorf("write configuration: %w", err)
		}
		return nil
	}
	_, err = ctx.App.Writer.Write(text)
	return err
}

// staticEthConfig returns section Eth as newStack would finish it, without touching the data directory.
func staticEthConfig(cfg *config, upstream *cli.Context) (ethconfig.Config, error) {
	memory := cfg.Node
	memory.DataDir, memory.IPCPath, memory.KeyStoreDir, memory.ExternalSigner = "", "", "", ""
	scratch := *cfg
	scratch.Node = memory
	stack, err := newStack(&scratch, upstream)
	if err != nil {
		return ethconfig.Config{}, err
	}
	return scratch.Eth, stack.Close()
}
