// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/mempool"
)

// Bounds of this network (spec network 7.3).
const (
	publicLogRange = 10_000 // blocks one log query may span on a public endpoint (spec rpc 9.7)
)

// Categories of the help page.
const (
	CategoryNetwork    = "NETWORK"
	categoryChain      = "CHAIN"
	CategoryValidator  = "VALIDATOR"
	categoryRPC        = "API AND CONSOLE"
	categoryAccount    = "ACCOUNT"
	categoryDeprecated = "ALIASED (deprecated)"
)

// Flags of the node.
var (
	DataDirFlag = &cli.PathFlag{
		Name: "datadir",
		Usage: "Data directory for databases, node key and keystore " +
			"(with --testnet the default is its subdirectory testnet)",
		Value:    program.DefaultDataDir(),
		Category: CategoryNetwork,
	}
	ConfigFlag = &cli.PathFlag{
		Name:     "config",
		Usage:    "TOML configuration file; flags win over it",
		Category: CategoryNetwork,
	}
	MainnetFlag = &cli.BoolFlag{
		Name:     "mainnet",
		Usage:    "WKRC mainnet, chain ID 8282",
		Category: CategoryNetwork,
	}
	TestnetFlag = &cli.BoolFlag{
		Name:     "testnet",
		Usage:    "WKRC testnet, chain ID 8283",
		Category: CategoryNetwork,
	}
	AdoptFlag = &cli.BoolFlag{
		Name: "adopt",
		Usage: "Take over a chain of go-stablenet that is in the data directory, in gstable, where gwon has none there; " +
			"with --mine its node key, too, unless another one is named",
		Category: CategoryNetwork,
	}
	syncIntervalFlag = &cli.DurationFlag{
		Name:     "sync.interval",
		Usage:    "Time between two searches for a peer with a better chain",
		Value:    10 * time.Second,
		Category: CategoryNetwork,
	}

	syncVerifyAllFlag = &cli.BoolFlag{
		Name: "sync.verifyall",
		Usage: "Verify the seals of every block of the past, and not only those that vouch for the " +
			"others by their hashes (slow)",
		Category: CategoryNetwork,
	}

	CheckpointFlag = &cli.StringFlag{
		Name:     "checkpoint",
		Usage:    "Hash of a block that the chain must have; any chain without it is refused",
		Category: CategoryNetwork,
	}

	payerSlotsFlag = &cli.Uint64Flag{
		Name:     "txpool.payerslots",
		Usage:    "Maximum number of pooled transactions that one fee payer may back (0 = a quarter of --txpool.globalslots)",
		Category: utils.TxPoolGlobalSlotsFlag.Category,
	}

	delegatedSlotsFlag = &cli.Uint64Flag{
		Name:     "txpool.delegatedslots",
		Usage:    "Number of executable transactions of an account with code (EIP-7702), whose coins others can move",
		Value:    mempool.Defaults.DelegatedSlots,
		Category: utils.TxPoolGlobalSlotsFlag.Category,
	}

	MineFlag = &cli.BoolFlag{
		Name:     "mine",
		Usage:    "Take part in consensus with the node key as validator key",
		Category: CategoryValidator,
	}

	SignFromFlag = &cli.Uint64Flag{
		Name: "validator.signfrom",
		Usage: "Number of the next block, for a network that stands still because too many vote logs were lost: sign from " +
			"it on although the own one is. At any other block it has no effect",
		Category: CategoryValidator,
	}

	recorderFlag = &cli.Uint64Flag{
		Name: "wbft.recorder",
		Usage: "MiB of the newest inputs of the consensus that a validator keeps in its data directory, for gwon replay " +
			"and gwon explain (0 = none)",
		Value:    64,
		Category: CategoryValidator,
	}

	eventsFlag = &cli.PathFlag{
		Name: "wbft.events",
		Usage: "File to which a validator writes what its consensus does, one JSON object a line, for conformance " +
			"checkers; at 64 MiB it is renamed to FILE.1, up to FILE.4",
		Category: CategoryValidator,
	}

	strictFlag = &cli.BoolFlag{
		Name: "wbft.strict",
		Usage: "Have a validator do nothing that validators of go-stablenet do not, for conformance checkers: whole " +
			"timeouts for absent proposers too, a timer and a block for every round. Costs blocks when validators are down",
		Category: CategoryValidator,
	}

	NodeKeyPasswordFlag = &cli.PathFlag{
		Name:     "nodekey.password",
		Usage:    "File whose first line is the password of an encrypted node key; without it the terminal asks",
		Category: CategoryValidator,
	}

	SignerFlag = &cli.StringFlag{
		Name: "validator.signer",
		Usage: "Socket, or host and port, of gwon-signer, which has the node key and the vote log: this node has no key. " +
			"Signing ends while it cannot be reached",
		Category: CategoryValidator,
	}

	SignerCredentialsFlag = &cli.PathFlag{
		Name:     "validator.signer.credentials",
		Usage:    "File node.pem of gwon-signer init --tls, for a signer at a host and port",
		Category: CategoryValidator,
	}

	UnlockFlag = &cli.StringFlag{
		Name:     "unlock",
		Usage:    "Comma-separated addresses or keystore indexes of accounts to unlock",
		Category: categoryAccount,
	}
	InsecureUnlockFlag = &cli.BoolFlag{
		Name:     "allow-insecure-unlock",
		Usage:    "Allow unlocked accounts while HTTP or WebSocket is open",
		Category: categoryAccount,
	}

	RPCProfileFlag = &cli.StringFlag{
		Name: "rpc.profile",
		Usage: "Opens HTTP with a fixed set of modules: public (eth, net, web3, txpool, istanbul; no key-using methods, " +
			"WebSocket only with --ws), operator (public plus admin and debug on a second, local endpoint) or explorer " +
			"(public plus bounded traces and the methods of Otterscan, with --gcmode archive)",
		Category: categoryRPC,
	}
	RPCOperatorPortFlag = &cli.IntFlag{
		Name:     "rpc.operator.port",
		Usage:    "Port on 127.0.0.1 of the second endpoint of --rpc.profile operator",
		Value:    8550,
		Category: categoryRPC,
	}
	clientRateFlag = &cli.IntFlag{
		Name: "rpc.client.rate",
		Usage: "Units a second that one client of --rpc.profile may use (0 = no bound): a request, a call, 100 us of its " +
			"run and 10 kB cost 1 each; ten seconds of them can be saved up",
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

	ExitStdinFlag = &cli.BoolFlag{
		Name:   "exit.stdin",
		Usage:  "Shut down when standard input is closed",
		Hidden: true,
	}
)

// ownNodeFlags are the flags of the node that upstream's helpers must not see: they look some of these names up and
// give them Ethereum's meaning.
var ownNodeFlags = []cli.Flag{
	AdoptFlag, ConfigFlag, MainnetFlag, TestnetFlag, syncIntervalFlag, syncVerifyAllFlag, CheckpointFlag, payerSlotsFlag,
	delegatedSlotsFlag, MineFlag, SignFromFlag, recorderFlag, eventsFlag, strictFlag, utils.NodeKeyFileFlag,
	NodeKeyPasswordFlag, SignerFlag, SignerCredentialsFlag, UnlockFlag, InsecureUnlockFlag, RPCProfileFlag,
	RPCOperatorPortFlag, clientRateFlag, clientInFlightFlag, clientConnectionsFlag, clientSubscriptionsFlag,
	trustedProxiesFlag, personalFlag, ExitStdinFlag,
	HealthHeadAgeFlag, HealthPeersFlag, HealthDiskFlag,
}

// NetworkFlags name the public networks. A command that knows one knows the other.
var NetworkFlags = []cli.Flag{MainnetFlag, TestnetFlag}

// DatabaseFlags say where and how the chain database is kept.
var DatabaseFlags = []cli.Flag{
	DataDirFlag, utils.AncientFlag, utils.EraFlag, utils.DBEngineFlag, utils.StateSchemeFlag,
}

// NodeFlags returns every flag of a running node of a network.
func NodeFlags() []cli.Flag {
	flags := slices.Concat(DatabaseFlags, ownNodeFlags, upstreamNodeFlags, upstreamRPCFlags, utils.MetricsFlags)
	for _, d := range deprecatedFlags {
		flags = append(flags, d.flag)
	}
	for _, f := range syncIntervalFlags {
		flags = append(flags, f)
	}
	return append(flags, txLookupLimitFlag, whitelistFlag)
}
