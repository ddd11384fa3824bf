// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
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
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/naoina/toml"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/program"
	"gwon/consensus/wbft"
	"gwon/internal/release"
)

// Config is what the configuration file can hold. Its sections Eth, Node and Metrics are upstream's.
type Config struct {
	Eth      ethconfig.Config
	Node     node.Config
	Gwon     Own
	Ethstats struct {
		URL string `toml:",omitempty"`
	}
	Metrics metrics.Config
}

// Own is the section Gwon of the configuration file.
type Own struct {
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
	Recorder            uint64      // MiB of the recorder of the consensus; 0 for none
	Events              string      `toml:",omitempty"` // file of its events
	Signer              string      `toml:",omitempty"` // socket, or host and port, of the process with the node key
	SignerCredentials   string      `toml:",omitempty"` // file, for host and port
	PayerSlots          uint64      `toml:",omitempty"` // transactions in the pool that one fee payer may back
	DelegatedSlots      uint64      // executable transactions in the pool of an account with code
	Strict              bool        // the consensus does nothing that go-stablenet's does not
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
	"Eth.DocRoot":                 true,
	"Eth.EnableStateSizeTracking": true,
	"Eth.LightEgress":             true,
	"Eth.LightIngress":            true,
	"Eth.LightNoPrune":            true,
	"Eth.LightNoSyncServe":        true,
	"Eth.LightPeers":              true,
	"Eth.LightServ":               true,
	"Eth.OverrideCancun":          true,
	"Eth.OverrideVerkle":          true,
	"Eth.RPCEVMTimeoutOverride":   true,
	"Eth.ForceSyncCycle":          true,
	"Eth.TdSyncInterval":          true,
	"Eth.Miner.Etherbase":         true, // go-ethereum declares it, and refuses to read it
	"Eth.Miner.GasFloor":          true,
	"Eth.Miner.NewPayloadTimeout": true,
	"Eth.Miner.Noverify":          true,
	"Node.InsecureUnlockAllowed":  true,
	"Node.NoUSB":                  true,
	"Gwon.SyncForceCycle":         true,
	"Gwon.SyncTDInterval":         true,
}

// sectionNames has the names of sections in a configuration file by their types, each with a dot at its end.
var sectionNames = nameSections(reflect.TypeFor[Config](), "", make(map[reflect.Type]string))

// nameSections adds the name of a section and those of the sections below it.
func nameSections(section reflect.Type, name string, names map[reflect.Type]string) map[reflect.Type]string {
	for section.Kind() == reflect.Pointer {
		section = section.Elem()
	}
	if _, known := names[section]; known || section.Kind() != reflect.Struct {
		return names
	}
	names[section] = name
	for _, field := range reflect.VisibleFields(section) {
		nameSections(field.Type, name+field.Name+".", names)
	}
	return names
}

// withSectionNames replaces the types of sections in an error of package toml by their names.
func withSectionNames(text string) string {
	for section, name := range sectionNames {
		text = strings.ReplaceAll(text, "("+section.String()+".", "("+name)
	}
	return text
}

// tomlFormat keeps Go's field names as keys and refuses keys it does not know.
var tomlFormat = toml.Config{
	NormFieldName: func(_ reflect.Type, key string) string { return key },
	FieldToKey:    func(_ reflect.Type, field string) string { return field },
	MissingField: func(section reflect.Type, key string) error {
		return fmt.Errorf("unknown key %s", keyName(section, key))
	},
}

// keyName returns a key with its section for messages.
func keyName(section reflect.Type, key string) string {
	return sectionNames[section] + key
}

// Read reads a configuration file into cfg.
func Read(path string, cfg *Config) error {
	given, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("open configuration file: %w", err)
	}
	table, err := parseConfig(given)
	if err == nil {
		err = tomlFormat.UnmarshalTable(table, cfg)
	}
	if err != nil {
		// Upstream's names are points that this chain does not have.
		text := strings.ReplaceAll(err.Error(), history.ChainHistoryNames(), `"all"`)
		return fmt.Errorf("configuration file %s: %s", path, withSectionNames(text))
	}
	if _, err := ParseHistory(cfg.Eth.HistoryMode.String()); err != nil {
		return fmt.Errorf("configuration file %s: HistoryMode: %w", path, err)
	}
	return nil
}

// readFlagged reads the configuration file that a flag names. A network flag does not go with a file of another one,
// whose peers and rules would stay.
func readFlagged(ctx *cli.Context, cfg *Config) error {
	path := program.ExpandHome(ctx.Path(ConfigFlag.Name))
	if path == "" {
		return nil
	}
	if err := Read(path, cfg); err != nil {
		return err
	}
	n := FlaggedPreset(ctx)
	if n == nil {
		return nil
	}
	what := ""
	if id := cfg.Eth.NetworkId; id != 0 && id != n.ID && !ctx.IsSet(utils.NetworkIdFlag.Name) {
		what = fmt.Sprintf("Eth.NetworkId %d, not %d", id, n.ID)
	}
	if cfg.Eth.Genesis != nil {
		what = "a genesis block of its own, Eth.Genesis"
	}
	if what != "" {
		return fmt.Errorf("configuration file %s is of another network than --%s: it has %s; give the file or the flag alone",
			path, n.Name, what)
	}
	return nil
}

// maxRecorder is the largest recorder in MiB.
const maxRecorder = 1 << 20

// compatibleIdentity is the part of the client version by which tools of the network know a node: its indexer looks for
// gstable, stablenet or stableone, its test bench for gstable. --identity replaces it.
const compatibleIdentity = "gstable-compatible"

// Default returns the configuration of a node without flags and file.
func Default() Config {
	cfg := Config{Eth: ethconfig.Defaults, Node: node.DefaultConfig, Metrics: metrics.DefaultConfig}
	cfg.Node.Name = program.Name
	cfg.Node.UserIdent = compatibleIdentity
	cfg.Node.Version = release.Version()
	cfg.Node.DataDir = program.DefaultDataDir()
	cfg.Node.IPCPath = program.Name + ".ipc"
	cfg.Node.HTTPModules = []string{"eth", "net", "web3"}
	cfg.Node.WSModules = []string{"eth", "net", "web3"}
	cfg.Node.P2P.DiscoveryV5 = false
	// A block is executed twice then, the second time to read ahead for the first. With two processors that only takes
	// time from it: an import of full blocks takes a tenth longer and a sixth more CPU.
	cfg.Eth.NoPrefetch = runtime.GOMAXPROCS(0) <= 2
	cfg.Gwon.OperatorPort = RPCOperatorPortFlag.Value
	cfg.Gwon.Recorder, cfg.Gwon.DelegatedSlots = recorderFlag.Value, delegatedSlotsFlag.Value
	cfg.Gwon.ClientRate, cfg.Gwon.ClientInFlight = clientRateFlag.Value, clientInFlightFlag.Value
	cfg.Gwon.ClientConnections, cfg.Gwon.ClientSubscriptions = clientConnectionsFlag.Value, clientSubscriptionsFlag.Value
	cfg.Gwon.SyncInterval = duration(syncIntervalFlag.Value)
	return cfg
}

// Load puts defaults, configuration file and flags together, the later winning over the earlier. The sections of
// the chain (genesis, network, boot nodes) are still open: package blockchain chooses the chain.
func Load(ctx *cli.Context) (*Config, *cli.Context, error) {
	if err := errors.Join(CheckNetworkFlags(ctx), checkValues(ctx)); err != nil {
		return nil, nil, err
	}
	cfg := Default()
	if err := readFlagged(ctx, &cfg); err != nil {
		return nil, nil, err
	}
	upstream, err := upstreamContext(ctx)
	if err != nil {
		return nil, nil, err
	}
	// upstream's helper would end the program, with names of points that this chain does not have
	if ctx.IsSet(utils.ChainHistoryFlag.Name) {
		if _, err := ParseHistory(ctx.String(utils.ChainHistoryFlag.Name)); err != nil {
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
	listen := cfg.Node.P2P.ListenAddr
	cfg.winOverFile(upstream)
	utils.SetNodeConfig(upstream, &cfg.Node)
	if host, _, err := net.SplitHostPort(listen); err == nil && upstream.IsSet(utils.ListenPortFlag.Name) {
		cfg.Node.P2P.ListenAddr = net.JoinHostPort(host, upstream.String(utils.ListenPortFlag.Name)) // not every interface
	}
	if err := cfg.checkModules(); err != nil {
		return nil, nil, err
	}
	cfg.Node.DataDir = program.ExpandHome(cfg.Node.DataDir)
	if ctx.IsSet(utils.AncientFlag.Name) {
		cfg.Eth.DatabaseFreezer = AncientDir(ctx) // the chain is looked at before upstream's helper sets this
	}
	if err := applyOwnFlags(ctx, &cfg); err != nil {
		return nil, nil, err
	}
	if cfg.Node.DataDir != "" {
		damage.SetPath(cfg.Node.ResolvePath("chaindata"))
	}
	return &cfg, upstream, nil
}

// winOverFile has flags replace values of the configuration file that upstream's helpers would leave or add to.
func (cfg *Config) winOverFile(ctx *cli.Context) {
	for _, endpoint := range []struct {
		opens   *cli.BoolFlag
		address *cli.StringFlag
		host    *string
	}{
		{utils.HTTPEnabledFlag, utils.HTTPListenAddrFlag, &cfg.Node.HTTPHost},
		{utils.WSEnabledFlag, utils.WSListenAddrFlag, &cfg.Node.WSHost},
	} {
		switch {
		case ctx.IsSet(endpoint.opens.Name) && !ctx.Bool(endpoint.opens.Name):
			*endpoint.host = ""
		case *endpoint.host != "" && ctx.IsSet(endpoint.address.Name):
			*endpoint.host = ctx.String(endpoint.address.Name)
		}
	}
	if ctx.IsSet(utils.IPCDisabledFlag.Name) && cfg.Node.IPCPath == "" {
		cfg.Node.IPCPath = program.Name + ".ipc"
	}
	override(ctx, utils.IdentityFlag, &cfg.Node.UserIdent, ctx.String)
	if ctx.IsSet(utils.NetrestrictFlag.Name) {
		cfg.Node.P2P.NetRestrict = nil
	}
	if ctx.IsSet(utils.TxPoolLocalsFlag.Name) {
		cfg.Eth.TxPool.Locals = nil
	}
	if ctx.IsSet(utils.EthRequiredBlocksFlag.Name) {
		cfg.Eth.RequiredBlocks = nil
	}
	override(ctx, utils.VMTraceFlag, &cfg.Eth.VMTrace, ctx.String)
	override(ctx, utils.VMTraceJsonConfigFlag, &cfg.Eth.VMTraceJsonConfig, ctx.String)
	if ctx.Bool(utils.SnapshotFlag.Name) && ctx.IsSet(utils.SnapshotFlag.Name) && cfg.Eth.SnapshotCache == 0 {
		cfg.Eth.SnapshotCache = ethconfig.Defaults.SnapshotCache
	}
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
func applyOwnFlags(ctx *cli.Context, cfg *Config) error {
	own := &cfg.Gwon
	expandedHome := func(name string) string { return program.ExpandHome(ctx.String(name)) }
	override(ctx, MineFlag, &own.Mine, ctx.Bool)
	override(ctx, syncVerifyAllFlag, &own.SyncVerifyAll, ctx.Bool)
	override(ctx, SignFromFlag, &own.SignFrom, ctx.Uint64)
	override(ctx, recorderFlag, &own.Recorder, ctx.Uint64)
	if own.Recorder > maxRecorder {
		return fmt.Errorf("--%s counts MiB and is at most %d, not %d", recorderFlag.Name, maxRecorder, own.Recorder)
	}
	override(ctx, eventsFlag, &own.Events, expandedHome)
	override(ctx, SignerFlag, &own.Signer, expandedHome)
	override(ctx, SignerCredentialsFlag, &own.SignerCredentials, expandedHome)
	override(ctx, strictFlag, &own.Strict, ctx.Bool)
	override(ctx, personalFlag, &own.Personal, ctx.Bool)
	override(ctx, InsecureUnlockFlag, &own.InsecureUnlock, ctx.Bool)
	override(ctx, RPCProfileFlag, &own.Profile, ctx.String)
	override(ctx, RPCOperatorPortFlag, &own.OperatorPort, ctx.Int)
	applyClientFlags(ctx, own)
	if err := applySyncInterval(ctx, own); err != nil {
		return err
	}
	if ctx.IsSet(CheckpointFlag.Name) {
		if err := own.Checkpoint.UnmarshalText([]byte(ctx.String(CheckpointFlag.Name))); err != nil {
			return fmt.Errorf("--%s wants a block hash, 0x and 64 hexadecimal digits: %w", CheckpointFlag.Name, err)
		}
	}
	override(ctx, payerSlotsFlag, &own.PayerSlots, ctx.Uint64)
	override(ctx, delegatedSlotsFlag, &own.DelegatedSlots, ctx.Uint64)
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
	byDefault := !ctx.IsSet(DataDirFlag.Name) && cfg.Node.DataDir == program.DefaultDataDir() && cfg.Node.DataDir != ""
	if ctx.Bool(TestnetFlag.Name) && byDefault {
		cfg.Node.DataDir = filepath.Join(cfg.Node.DataDir, "testnet")
	}
	return nil
}

// applySyncInterval applies --sync.interval, or its older names.
func applySyncInterval(ctx *cli.Context, own *Own) error {
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
		return fmt.Errorf("--%s must be longer than 0s, not %v", syncIntervalFlag.Name, DurationOf(own.SyncInterval))
	}
	return nil
}

// DurationOf undoes the type that gives a duration its form in the configuration file.
func DurationOf(d duration) time.Duration { return time.Duration(d) }

// override gives a setting the value of a flag that is set.
func override[T any](ctx *cli.Context, f cli.Flag, to *T, value func(name string) T) {
	if name := f.Names()[0]; ctx.IsSet(name) {
		*to = value(name)
	}
}

// SpareNodeKey gives a command that needs no key of the node one that is kept nowhere. Upstream would make a file
// nodekey, also in place of one that it cannot read though gwon can.
func (c *Config) SpareNodeKey() (err error) {
	if c.Node.P2P.PrivateKey != nil {
		return nil
	}
	if c.Node.P2P.PrivateKey, err = crypto.GenerateKey(); err != nil {
		return fmt.Errorf("generate key: %w", err)
	}
	return nil
}

// NewStack makes the node of a configuration, with its key store, and finishes cfg.Eth but for the chain.
func NewStack(cfg *Config, upstream *cli.Context) (*node.Node, error) {
	stack, err := node.New(&cfg.Node)
	if err != nil {
		return nil, fmt.Errorf("create node: %w", err)
	}
	if err := openKeyStore(stack); err != nil {
		return nil, errors.Join(err, stack.Close())
	}
	utils.SetEthConfig(upstream, stack, &cfg.Eth)
	keepArchive(upstream, &cfg.Eth)
	limitMemory(upstream)
	override(upstream, utils.EthStatsURLFlag, &cfg.Ethstats.URL, upstream.String)
	utils.SetMetricsConfig(upstream, &cfg.Metrics)
	if len(cfg.Eth.Miner.ExtraData) == 0 {
		cfg.Eth.Miner.ExtraData = defaultVanity()
	}
	if n := len(cfg.Eth.Miner.ExtraData); n > wbft.MaxVanity {
		err := fmt.Errorf("--%s has %d bytes, at most %d are allowed", utils.MinerExtraDataFlag.Name, n, wbft.MaxVanity)
		return nil, errors.Join(err, stack.Close())
	}
	return stack, nil
}

// defaultVanity is what a validator writes into its blocks unless told otherwise: name and version, and neither
// operating system nor compiler, which concern no peer (spec rpc 11 no. 28).
func defaultVanity() []byte {
	vanity := program.Name + "/" + release.Number
	return []byte(vanity[:min(len(vanity), wbft.MaxVanity)])
}

// AncientDir returns the ancient directory that a flag names, which the stored genesis may be in.
func AncientDir(ctx *cli.Context) string {
	return program.ExpandHome(ctx.String(utils.AncientFlag.Name))
}

// LoadDirectory is Load as far as the data directory, for commands that start nothing.
func LoadDirectory(ctx *cli.Context) (*Config, error) {
	if err := CheckNetworkFlags(ctx); err != nil {
		return nil, err
	}
	cfg := Default()
	if err := readFlagged(ctx, &cfg); err != nil {
		return nil, err
	}
	switch {
	case ctx.IsSet(DataDirFlag.Name):
		cfg.Node.DataDir = ctx.Path(DataDirFlag.Name)
	case ctx.Bool(TestnetFlag.Name) && cfg.Node.DataDir != "" && cfg.Node.DataDir == program.DefaultDataDir():
		cfg.Node.DataDir = filepath.Join(cfg.Node.DataDir, "testnet")
	}
	if cfg.Node.DataDir == "" {
		return nil, errors.New("no data directory: give --datadir")
	}
	dir, err := filepath.Abs(program.ExpandHome(cfg.Node.DataDir))
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	cfg.Node.DataDir = dir
	return &cfg, nil
}
