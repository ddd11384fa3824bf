// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/devchain"
	"gwon/internal/process"
	"gwon/mempool"
	"gwon/params"
)

// Defaults in which this network differs from upstream (spec network 7.1, 7.3).
const (
	gasCeil            = 105_000_000 // gas a block aims at
	transactionHistory = 31_536_000  // blocks with a transaction index: a year of one-second blocks
	stateInterval      = time.Minute // of execution, after which the hash scheme writes the state: what a crash repeats
	publicLogRange     = 10_000      // blocks one log query may span on a public endpoint (spec rpc 9.7)
	maxVanity          = 31          // bytes; 32 stop the reference's block production (spec wbft 8.3)
)

// Categories of the help page.
const (
	categoryNetwork    = "NETWORK"
	categoryChain      = "CHAIN"
	categoryValidator  = "VALIDATOR"
	categoryRPC        = "API AND CONSOLE"
	categoryAccount    = "ACCOUNT"
	categoryDeprecated = "ALIASED (deprecated)"
)

var (
	dataDirFlag = &cli.PathFlag{
		Name:     "datadir",
		Usage:    "Data directory for databases, node key and keystore (with --testnet the default is its subdirectory testnet)",
		Value:    defaultDataDir(),
		Category: categoryNetwork,
	}
	configFlag = &cli.PathFlag{
		Name:     "config",
		Usage:    "TOML configuration file; flags win over it",
		Category: categoryNetwork,
	}
	mainnetFlag = &cli.BoolFlag{
		Name:     "mainnet",
		Usage:    "WKRC mainnet, chain ID 8282",
		Category: categoryNetwork,
	}
	testnetFlag = &cli.BoolFlag{
		Name:     "testnet",
		Usage:    "WKRC testnet, chain ID 8283",
		Category: categoryNetwork,
	}
	devFlag = &cli.BoolFlag{
		Name:     "dev",
		Usage:    "One validator without network, with funded accounts, open endpoints and test methods, in memory or in --state",
		Category: categoryNetwork,
	}
	devChainIDFlag = &cli.Uint64Flag{
		Name:     "dev.chainid",
		Usage:    "Chain ID of --dev",
		Value:    params.DevChainID,
		Category: categoryNetwork,
	}
	devPeriodFlag = &cli.DurationFlag{
		Name:     "dev.period",
		Usage:    "Time between blocks of --dev in whole seconds (0 = a block when a transaction arrives)",
		Category: categoryNetwork,
	}
	devStateFlag = &cli.PathFlag{
		Name:     "state",
		Usage:    "Directory that --dev keeps its chain in: begun if it is not there, otherwise continued",
		Category: categoryNetwork,
	}
	devMnemonicFlag = &cli.StringFlag{
		Name:     "mnemonic",
		Usage:    "Phrase of the funded accounts of --dev",
		Value:    devchain.Mnemonic,
		Category: categoryNetwork,
	}
	devAllocFlag = &cli.PathFlag{
		Name:     "alloc",
		Usage:    "JSON file with accounts for the genesis block of --dev, as in the alloc of a genesis file",
		Category: categoryNetwork,
	}
	syncIntervalFlag = &cli.DurationFlag{
		Name:     "sync.interval",
		Usage:    "Time between two searches for a peer with a better chain",
		Value:    10 * time.Second,
		Category: categoryNetwork,
	}

	syncVerifyAllFlag = &cli.BoolFlag{
		Name:     "sync.verifyall",
		Usage:    "Verify the seals of every block of the past, and not only those that vouch for the others by their hashes (slow)",
		Category: categoryNetwork,
	}

	checkpointFlag = &cli.StringFlag{
		Name:     "checkpoint",
		Usage:    "Hash of a block that the chain must have; any chain without it is refused",
		Category: categoryNetwork,
	}

	payerSlotsFlag = &cli.Uint64Flag{
		Name:     "txpool.payerslots",
		Usage:    "Maximum number of pooled transactions that one fee payer may back (0 = a quarter of --txpool.globalslots)",
		Category: utils.TxPoolGlobalSlotsFlag.Category,
	}

	mineFlag = &cli.BoolFlag{
		Name:     "mine",
		Usage:    "Take part in consensus with the node key as validator key",
		Category: categoryValidator,
	}

	signFromFlag = &cli.Uint64Flag{
		Name: "validator.signfrom",
		Usage: "Number of the next block, for a network that stands still because too many vote logs were lost: sign from it on " +
			"although the own one is. At any other block it has no effect",
		Category: categoryValidator,
	}

	unlockFlag = &cli.StringFlag{
		Name:     "unlock",
		Usage:    "Comma-separated addresses or keystore indexes of accounts to unlock",
		Category: categoryAccount,
	}
	insecureUnlockFlag = &cli.BoolFlag{
		Name:     "allow-insecure-unlock",
		Usage:    "Allow unlocked accounts while HTTP or WebSocket is open",
		Category: categoryAccount,
	}

	rpcProfileFlag = &cli.StringFlag{
		Name: "rpc.profile",
		Usage: "Opens HTTP with a fixed set of modules: public (eth, net, web3, txpool, istanbul; no key-using methods, " +
			"WebSocket only with --ws), operator (public plus admin and debug on a second, local endpoint) or explorer (public " +
			"plus bounded traces and the methods of Otterscan, with --gcmode archive)",
		Category: categoryRPC,
	}
	rpcOperatorPortFlag = &cli.IntFlag{
		Name:     "rpc.operator.port",
		Usage:    "Port on 127.0.0.1 of the second endpoint of --rpc.profile operator",
		Value:    8550,
		Category: categoryRPC,
	}
	clientRateFlag = &cli.IntFlag{
		Name: "rpc.client.rate",
		Usage: "Units a second that one client of --rpc.profile may use (0 = no bound): a request, a call, 100 us of its run " +
			"and 10 kB cost 1 each; ten seconds of them can be saved up",
		Value:    500,
		Category: categoryRPC,
	}
	clientInFlightFlag = &cli.IntFlag{
		Name:     "rpc.client.inflight",
		Usage:    "HTTP requests of one client of --rpc.profile at a time (0 = no bound)",
		Value:    64,
		Category: categoryRPC,
	}
	clientConnectionsFlag = &cli.IntFlag{
		Name:     "rpc.client.connections",
		Usage:    "WebSocket connections of one client of --rpc.profile (0 = no bound)",
		Value:    16,
		Category: categoryRPC,
	}
	clientSubscriptionsFlag = &cli.IntFlag{
		Name:     "rpc.client.subscriptions",
		Usage:    "Subscriptions of one WebSocket connection to --rpc.profile (0 = no bound)",
		Value:    32,
		Category: categoryRPC,
	}
	trustedProxiesFlag = &cli.StringFlag{
		Name: "rpc.trustedproxies",
		Usage: "Networks of proxies whose X-Forwarded-For names the client for --rpc.profile, in CIDR notation with commas " +
			"between; the header of anybody else is ignored",
		Category: categoryRPC,
	}
	personalFlag = &cli.BoolFlag{
		Name:     "rpc.enabledeprecatedpersonal",
		Usage:    "Offer the personal namespace (list it in --http.api too to open it over HTTP)",
		Category: categoryRPC,
	}

	exitStdinFlag = &cli.BoolFlag{
		Name:   "exit.stdin",
		Usage:  "Shut down when standard input is closed",
		Hidden: true,
	}
)

// ownNodeFlags are the flags of the node that upstream's helpers must not see: they look some of these names up and give
// them Ethereum's meaning.
var ownNodeFlags = []cli.Flag{
	configFlag, mainnetFlag, testnetFlag, devFlag, devChainIDFlag, devPeriodFlag, devStateFlag, devMnemonicFlag,
	devAllocFlag, contractsVersionFlag, abiFlag, quietFlag, printTracesFlag,
	syncIntervalFlag, syncVerifyAllFlag, checkpointFlag, payerSlotsFlag, mineFlag, signFromFlag,
	utils.NodeKeyFileFlag, nodeKeyPasswordFlag,
	unlockFlag, insecureUnlockFlag, rpcProfileFlag, rpcOperatorPortFlag, clientRateFlag, clientInFlightFlag,
	clientConnectionsFlag, clientSubscriptionsFlag, trustedProxiesFlag, personalFlag, exitStdinFlag,
	healthHeadAgeFlag, healthPeersFlag, healthDiskFlag,
}

// databaseFlags say where and how the chain database is kept.
var databaseFlags = []cli.Flag{
	dataDirFlag, utils.AncientFlag, utils.EraFlag, utils.DBEngineFlag, utils.StateSchemeFlag,
}

// upstreamNodeFlags keep upstream's name and meaning.
var upstreamNodeFlags = []cli.Flag{
	utils.NetworkIdFlag, utils.IdentityFlag, utils.BootnodesFlag, utils.MinFreeDiskSpaceFlag,
	utils.KeyStoreDirFlag, utils.PasswordFileFlag, utils.ExternalSignerFlag, utils.LightKDFFlag,
	utils.TxPoolLocalsFlag, utils.TxPoolNoLocalsFlag, utils.TxPoolJournalFlag, utils.TxPoolRejournalFlag,
	utils.TxPoolPriceLimitFlag, utils.TxPoolPriceBumpFlag, utils.TxPoolAccountSlotsFlag, utils.TxPoolGlobalSlotsFlag,
	utils.TxPoolAccountQueueFlag, utils.TxPoolGlobalQueueFlag, utils.TxPoolLifetimeFlag,
	utils.SyncModeFlag, utils.GCModeFlag, utils.SnapshotFlag,
	utils.TransactionHistoryFlag, utils.ChainHistoryFlag, utils.LogHistoryFlag, utils.LogNoHistoryFlag,
	utils.StateHistoryFlag, utils.TrienodeHistoryFlag, utils.TrienodeHistoryFullValueCheckpointFlag,
	utils.EthRequiredBlocksFlag,
	utils.CacheFlag, utils.CacheDatabaseFlag, utils.CacheTrieFlag, utils.CacheGCFlag, utils.CacheSnapshotFlag,
	utils.CacheNoPrefetchFlag, utils.CacheNoPrecompileFlag, utils.CachePreimagesFlag, utils.CacheLogSizeFlag,
	utils.FDLimitFlag, utils.MemoryLimitFlag, utils.GOGCFlag, utils.CryptoKZGFlag,
	utils.ListenPortFlag, utils.DiscoveryPortFlag, utils.MaxPeersFlag, utils.MaxPendingPeersFlag, utils.NATFlag,
	utils.NoDiscoverFlag, utils.DiscoveryV4Flag, utils.DiscoveryV5Flag, utils.NetrestrictFlag,
	utils.NodeKeyHexFlag, utils.DNSDiscoveryFlag,
	utils.MinerGasLimitFlag, utils.MinerExtraDataFlag,
	utils.VMEnableDebugFlag, utils.VMTraceFlag, utils.VMTraceJsonConfigFlag,
	utils.EthStatsURLFlag, utils.GpoBlocksFlag, utils.GpoPercentileFlag, utils.GpoMaxGasPriceFlag,
	utils.GpoIgnoreGasPriceFlag, utils.LogSlowBlockFlag,
}

var upstreamRPCFlags = []cli.Flag{
	utils.HTTPEnabledFlag, utils.HTTPListenAddrFlag, utils.HTTPPortFlag, utils.HTTPCORSDomainFlag,
	utils.HTTPVirtualHostsFlag, utils.HTTPApiFlag, utils.HTTPPathPrefixFlag, utils.HTTPBodyLimitFlag,
	utils.GraphQLEnabledFlag, utils.GraphQLCORSDomainFlag, utils.GraphQLVirtualHostsFlag,
	utils.WSEnabledFlag, utils.WSListenAddrFlag, utils.WSPortFlag, utils.WSApiFlag, utils.WSAllowedOriginsFlag,
	utils.WSPathPrefixFlag, utils.IPCDisabledFlag, utils.IPCPathFlag,
	utils.RPCGlobalGasCapFlag, utils.RPCGlobalEVMTimeoutFlag, utils.RPCGlobalTxFeeCapFlag,
	utils.RPCGlobalLogQueryLimit, utils.RPCGlobalRangeLimitFlag, utils.RPCTxSyncDefaultTimeoutFlag,
	utils.RPCTxSyncMaxTimeoutFlag, utils.AllowUnprotectedTxs, utils.BatchRequestLimit, utils.BatchResponseMaxSize,
}

var consoleFlags = []cli.Flag{utils.JSpathFlag, utils.ExecFlag, utils.PreloadJSFlag}

// deprecatedFlags are those that start scripts of the reference may carry and that have no effect here, with the reason
// (spec network 7.1, 7.2).
var deprecatedFlags = []struct {
	flag   cli.Flag
	reason string
}{
	{stringFlag("miner.etherbase"), "blocks always carry the address of the node key"},
	{stringFlag("miner.gasprice"), "the minimum tip comes from governance"},
	{stringFlag("miner.recommit"), "a block is built once for each round"},
	{stringFlag("miner.newpayload-timeout"), "there is no engine API"},
	{stringFlag("miner.pending.feeRecipient"), "blocks always carry the address of the node key"},
	{stringFlag("authrpc.addr"), "there is no engine API"},
	{stringFlag("authrpc.port"), "there is no engine API"},
	{stringFlag("authrpc.vhosts"), "there is no engine API"},
	{stringFlag("authrpc.jwtsecret"), "there is no engine API"},
	{stringFlag("docroot"), "there is nothing left that it names"},
	{stringFlag("override.cancun"), "the forks of this chain are in its configuration"},
	{stringFlag("override.verkle"), "the forks of this chain are in its configuration"},
	{boolFlag("metrics.expensive"), "there are no such metrics"},
	{boolFlag("v5disc"), "say --discovery.v5"},
	{stringFlag("blobpool.datacap"), noBlobs},
	{stringFlag("blobpool.datadir"), noBlobs},
	{stringFlag("blobpool.pricebump"), noBlobs},
	{stringFlag("bloomfilter.size"), "nothing prunes with such a filter"},
	{stringFlag("cache.trie.journal"), "the cache of the trie is not kept over a restart"},
	{stringFlag("cache.trie.rejournal"), "the cache of the trie is not kept over a restart"},
	{stringFlag("dev.gaslimit"), "say --miner.gaslimit"},
	{boolFlag("exitwhensynced"), "the node goes on after a sync; eth_syncing says when it is done"},
	{boolFlag("goerli"), noEthereum},
	{boolFlag("holesky"), noEthereum},
	{boolFlag("sepolia"), noEthereum},
	{stringFlag("header"), "only gwon attach sends headers"},
	{stringFlag("light.egress"), noLight},
	{stringFlag("light.ingress"), noLight},
	{stringFlag("light.maxpeers"), noLight},
	{boolFlag("light.nopruning"), noLight},
	{boolFlag("light.nosyncserve"), noLight},
	{stringFlag("light.serve"), noLight},
	{stringFlag("log.backtrace"), "log lines carry no stack"},
	{boolFlag("log.debug"), "say --verbosity 4"},
	{boolFlag("nocompaction"), "an import leaves compaction to the database"},
	{boolFlag("nousb"), noUSB},
	{boolFlag("usb"), noUSB},
	{stringFlag("pcscdpath"), noUSB},
	{stringFlag("remotedb"), "the database is in the data directory"},
	{stringFlag("synctarget"), "the seals of the validators say what to sync to"},
	{stringFlag("trace"), "say --go-execution-trace"},
}

// Reasons why flags have no effect.
const (
	noBlobs    = "this chain has no blobs"
	noEthereum = "gwon runs no network of Ethereum: the chain is that of the data directory, of --testnet or of --mainnet"
	noLight    = "there are no light clients"
	noUSB      = "hardware wallets are not used by the node"
)

// renamedFlags are older names of flags that still work.
var renamedFlags = []struct{ old, new string }{
	{txLookupLimitFlag.Name, utils.TransactionHistoryFlag.Name},
	{whitelistFlag.Name, utils.EthRequiredBlocksFlag.Name},
}

// syncIntervalFlags are go-stablenet's names of --sync.interval; of two that are given the shorter time holds.
var syncIntervalFlags = []*cli.DurationFlag{
	{Name: "sync.forcecycle", Usage: "Older name of --sync.interval", Hidden: true, Category: categoryDeprecated},
	{Name: "sync.tdinterval", Usage: "Older name of --sync.interval", Hidden: true, Category: categoryDeprecated},
}

// whitelistFlag is the older name of --eth.requiredblocks and still works.
var whitelistFlag = &cli.StringFlag{
	Name:     "whitelist",
	Usage:    "Older name of --eth.requiredblocks",
	Hidden:   true,
	Category: categoryDeprecated,
}

// txLookupLimitFlag is the older name of --history.transactions and still works.
var txLookupLimitFlag = &cli.Uint64Flag{
	Name:     "txlookuplimit",
	Usage:    "Older name of --history.transactions",
	Hidden:   true,
	Category: categoryDeprecated,
}

func stringFlag(name string) cli.Flag {
	return &cli.StringFlag{Name: name, Hidden: true, Category: categoryDeprecated}
}

func boolFlag(name string) cli.Flag {
	return &cli.BoolFlag{Name: name, Hidden: true, Category: categoryDeprecated}
}

// nodeFlags returns every flag of a running node.
func nodeFlags() []cli.Flag {
	flags := slices.Concat(databaseFlags, ownNodeFlags, upstreamNodeFlags, upstreamRPCFlags, utils.MetricsFlags)
	for _, d := range deprecatedFlags {
		flags = append(flags, d.flag)
	}
	for _, f := range syncIntervalFlags {
		flags = append(flags, f)
	}
	return append(flags, txLookupLimitFlag, whitelistFlag)
}

// setDefaults gives upstream's defaults this network's values, in the configuration and on the help page. It must run
// before any flag is parsed.
func setDefaults() {
	ethconfig.Defaults.SyncMode = ethconfig.FullSync
	ethconfig.Defaults.TransactionHistory = transactionHistory
	ethconfig.Defaults.RPCTxFeeCap = 0
	ethconfig.Defaults.TrieTimeout = stateInterval
	ethconfig.Defaults.Miner.GasCeil = gasCeil
	ethconfig.Defaults.Miner.GasPrice = big.NewInt(1)
	ethconfig.Defaults.EthDiscoveryURLs = []string{}
	ethconfig.Defaults.SnapDiscoveryURLs = []string{}
	mempool.Defaults.Apply(&ethconfig.Defaults.TxPool)

	utils.TxPoolGlobalSlotsFlag.Value = mempool.Defaults.GlobalSlots
	utils.TxPoolAccountQueueFlag.Value = mempool.Defaults.AccountQueue
	utils.TxPoolGlobalQueueFlag.Value = mempool.Defaults.GlobalQueue
	utils.TxPoolAccountSlotsFlag.Usage = "Number of executable transactions of one account for which the last quarter of --txpool.globalslots is open"
	utils.TxPoolJournalFlag.Usage = "File with the transactions submitted to this node, which survive a restart with it (empty = none)"
	utils.ChainHistoryFlag.Usage = "Oldest block whose transactions and receipts are kept, as NUMBER:HASH, or all (see gwon prune-history)"
	utils.SyncModeFlag.Value = ethconfig.FullSync.String()
	utils.TransactionHistoryFlag.Value = transactionHistory
	utils.RPCGlobalTxFeeCapFlag.Value = 0
	utils.GOGCFlag.Value = process.GCPercent
	utils.GOGCFlag.Usage = "Growth of the heap between two garbage collections in percent (negative disables)"
	utils.MemoryLimitFlag.Usage = "Soft memory limit for the Go runtime in megabytes (default = control group or machine, less caches)"
	utils.MinerGasLimitFlag.Value = gasCeil
	utils.MinerExtraDataFlag.Usage = "Block extra data set by the validator, at most 31 bytes (default = client version)"
	utils.DiscoveryV5Flag.Value = false
	utils.NetworkIdFlag.Usage = "Network ID, only when it differs from the chain ID"
	utils.HttpHeaderFlag.Usage = "Header for the requests of gwon attach, as \"Name: value\". It may be given several times"
	utils.MinFreeDiskSpaceFlag.Usage = "Free disk space in MB below which the node stops (default = 512, or twice what --cache leaves for recent state; 0 = off)"
	for _, category := range []*string{
		&utils.AncientFlag.Category, &utils.EraFlag.Category, &utils.MinFreeDiskSpaceFlag.Category, &utils.DBEngineFlag.Category,
		&utils.EthRequiredBlocksFlag.Category, &utils.NetworkIdFlag.Category, &utils.SnapshotFlag.Category,
	} {
		*category = categoryChain
	}
	metrics.DefaultConfig.InfluxDBDatabase, utils.MetricsInfluxDBDatabaseFlag.Value = program.Name, program.Name
	metrics.DefaultConfig.InfluxDBBucket, utils.MetricsInfluxDBBucketFlag.Value = program.Name, program.Name
	metrics.DefaultConfig.InfluxDBOrganization, utils.MetricsInfluxDBOrganizationFlag.Value = program.Name, program.Name
	utils.StateSchemeFlag.Usage = "Scheme to use for storing state ('hash' or 'path', default = " + rawdb.PathScheme + ")"
}
