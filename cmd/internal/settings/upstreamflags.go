// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/internal/process"
	"gwon/mempool"
	"gwon/params"
)

// Defaults in which this network differs from upstream (spec network 7.1, 7.3).
const (
	cacheSize          = 1024        // MiB: more saves no CPU in a full sync of a million blocks (docs/load.csv)
	transactionHistory = 31_536_000  // blocks with a transaction index: a year of one-second blocks
	stateInterval      = time.Minute // of execution, after which the hash scheme writes the state: what a crash repeats
)

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

// upstreamRPCFlags are those of endpoints.
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

// ConsoleFlags are the flags of a JavaScript console.
var ConsoleFlags = []cli.Flag{utils.JSpathFlag, utils.ExecFlag, utils.PreloadJSFlag}

// setDefaults gives upstream's defaults this network's values, in the configuration and on the help page. It must run
// before any flag is parsed.
func setDefaults() {
	ethconfig.Defaults.SyncMode = ethconfig.FullSync
	ethconfig.Defaults.TransactionHistory = transactionHistory
	ethconfig.Defaults.RPCTxFeeCap = 0
	share := func(percentage *cli.IntFlag) int { return cacheSize * percentage.Value / 100 }
	ethconfig.Defaults.DatabaseCache = share(utils.CacheDatabaseFlag)
	ethconfig.Defaults.TrieCleanCache = share(utils.CacheTrieFlag)
	ethconfig.Defaults.TrieDirtyCache = share(utils.CacheGCFlag)
	ethconfig.Defaults.SnapshotCache = share(utils.CacheSnapshotFlag)
	ethconfig.Defaults.TrieTimeout = stateInterval
	ethconfig.Defaults.Miner.GasCeil = params.DefaultGasCeil
	ethconfig.Defaults.Miner.GasPrice = big.NewInt(1)
	ethconfig.Defaults.EthDiscoveryURLs = []string{}
	ethconfig.Defaults.SnapDiscoveryURLs = []string{}
	mempool.Defaults.Apply(&ethconfig.Defaults.TxPool)

	utils.CacheFlag.Value = cacheSize
	utils.TxPoolGlobalSlotsFlag.Value = mempool.Defaults.GlobalSlots
	utils.TxPoolAccountQueueFlag.Value = mempool.Defaults.AccountQueue
	utils.TxPoolGlobalQueueFlag.Value = mempool.Defaults.GlobalQueue
	utils.TxPoolAccountSlotsFlag.Usage = "Number of executable transactions of one account for which the last quarter " +
		"of --txpool.globalslots is open"
	utils.TxPoolJournalFlag.Usage = "File with the transactions submitted to this node, " +
		"which survive a restart with it (empty = none)"
	utils.ChainHistoryFlag.Usage = "Oldest block whose transactions and receipts are kept, as NUMBER:HASH, or all " +
		"(see gwon prune-history)"
	utils.SyncModeFlag.Value = ethconfig.FullSync.String()
	utils.TransactionHistoryFlag.Value = transactionHistory
	utils.RPCGlobalTxFeeCapFlag.Value = 0
	utils.GOGCFlag.Value = process.GCPercent
	utils.CryptoKZGFlag.Usage = "KZG library: gokzg, which alone is built in"
	utils.GOGCFlag.Usage = "Growth of the heap between two garbage collections in percent (negative disables)"
	utils.MemoryLimitFlag.Usage = "Soft memory limit for the Go runtime in megabytes"
	utils.MemoryLimitFlag.DefaultText = "that of control group or machine, less caches"
	utils.FDLimitFlag.Usage = "Limit of open files to raise to"
	utils.FDLimitFlag.DefaultText = "that of the system"
	utils.MinerGasLimitFlag.Value = params.DefaultGasCeil
	utils.MinerExtraDataFlag.Usage = "Block extra data set by the validator, at most 31 bytes (default = client version)"
	utils.DiscoveryV5Flag.Value = false
	utils.NetworkIdFlag.Usage = "Network ID, only when it differs from the chain ID"
	utils.HttpHeaderFlag.Usage = "Header for the requests of gwon attach, as \"Name: " +
		"value\". It may be given several times"
	utils.MinFreeDiskSpaceFlag.Usage = "Free disk space in MB below which the node, or a command that fills the disk, " +
		"stops (0 = off)"
	utils.MinFreeDiskSpaceFlag.DefaultText = "512, or twice what --cache leaves for recent state"
	utils.DBEngineFlag.Usage = "Kind of a new database: pebble or leveldb. One that is there keeps its kind"
	utils.DBEngineFlag.DefaultText = "pebble"
	for _, category := range []*string{
		&utils.AncientFlag.Category, &utils.EraFlag.Category, &utils.MinFreeDiskSpaceFlag.Category,
		&utils.DBEngineFlag.Category,
		&utils.EthRequiredBlocksFlag.Category, &utils.NetworkIdFlag.Category, &utils.SnapshotFlag.Category,
	} {
		*category = categoryChain
	}
	metrics.DefaultConfig.InfluxDBDatabase, utils.MetricsInfluxDBDatabaseFlag.Value = program.Name, program.Name
	metrics.DefaultConfig.InfluxDBBucket, utils.MetricsInfluxDBBucketFlag.Value = program.Name, program.Name
	metrics.DefaultConfig.InfluxDBOrganization, utils.MetricsInfluxDBOrganizationFlag.Value = program.Name, program.Name
	utils.StateSchemeFlag.Usage = "Scheme to use for storing state ('hash' or 'path', default = " + rawdb.PathScheme + ")"
}
