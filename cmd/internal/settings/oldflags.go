// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/urfave/cli/v2"
)

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
