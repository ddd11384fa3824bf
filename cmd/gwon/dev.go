// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/consensus/wbft"
	"gwon/consensus/wbft/bls"
	"gwon/contracts/dev"
	"gwon/core"
	"gwon/devchain"
	"gwon/devnet"
	"gwon/eth"
	"gwon/internal/process"
	"gwon/params"
)

// devValidatorPhrase makes the validator key of --dev. It guards nothing.
const devValidatorPhrase = "gwon dev validator"

// devAccounts is the number of funded accounts of --dev. The node signs for all of them.
const devAccounts = 10

// isolateDev keeps a --dev node off the disk and off the network.
func isolateDev(ctx *cli.Context, cfg *node.Config) error {
	if ctx.IsSet(dataDirFlag.Name) {
		return fmt.Errorf("--%s keeps everything in memory: leave --%s out, or give --%s for a chain that stays",
			devFlag.Name, dataDirFlag.Name, devStateFlag.Name)
	}
	if ctx.IsSet(devStateFlag.Name) && ctx.Path(devStateFlag.Name) == "" {
		return fmt.Errorf("--%s names a directory", devStateFlag.Name)
	}
	if scheme := ctx.String(utils.StateSchemeFlag.Name); scheme != "" && scheme != rawdb.HashScheme {
		return fmt.Errorf("--%s keeps states by their hashes: leave --%s out", devFlag.Name, utils.StateSchemeFlag.Name)
	}
	if ctx.IsSet(utils.GCModeFlag.Name) && ctx.String(utils.GCModeFlag.Name) != "archive" {
		return fmt.Errorf("--%s keeps every state: leave --%s out", devFlag.Name, utils.GCModeFlag.Name)
	}
	if period := ctx.Duration(devPeriodFlag.Name); period < 0 || period%time.Second != 0 {
		return fmt.Errorf("--%s is a whole number of seconds, not %v", devPeriodFlag.Name, period)
	}
	if ctx.Uint64(devChainIDFlag.Name) == 0 {
		return fmt.Errorf("--%s cannot be 0", devChainIDFlag.Name)
	}
	if ctx.Uint64(devChainIDFlag.Name) == params.MainnetChainID {
		return fmt.Errorf("--%s %d is the mainnet's: a transaction signed for the developer chain would be valid there. Take another, "+
			"such as 828300", devChainIDFlag.Name, params.MainnetChainID)
	}
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte(devValidatorPhrase)))
	if err != nil {
		return fmt.Errorf("make validator key: %w", err)
	}
	cfg.DataDir = ""
	if dir := ctx.Path(devStateFlag.Name); dir != "" {
		if cfg.DataDir, err = filepath.Abs(program.ExpandHome(dir)); err != nil {
			return fmt.Errorf("--%s %s: %w", devStateFlag.Name, dir, err)
		}
	}
	cfg.UseLightweightKDF = true
	cfg.P2P.PrivateKey = key
	cfg.P2P.MaxPeers = 0
	cfg.P2P.ListenAddr = ""
	cfg.P2P.NoDial = true
	cfg.P2P.NoDiscovery = true
	cfg.P2P.DiscoveryV4 = false
	cfg.P2P.DiscoveryV5 = false
	cfg.P2P.NAT = nil
	cfg.P2P.StaticNodes = nil
	cfg.P2P.TrustedNodes = nil
	return nil
}

// openDev opens the endpoints of a developer chain, which are those of a devnet, and has it keep every state. What a flag or
// the configuration file says stays.
func openDev(ctx *cli.Context, cfg *config) error {
	rpc := &cfg.Node
	if cfg.Gwon.Profile == "" {
		cfg.Gwon.Personal, cfg.Gwon.InsecureUnlock = true, true
		if !ctx.IsSet(utils.HTTPApiFlag.Name) {
			rpc.HTTPModules = devModules()
		}
		if !ctx.IsSet(utils.WSApiFlag.Name) {
			rpc.WSModules = devModules()
		}
	}
	if rpc.HTTPHost == "" {
		rpc.HTTPHost = loopback
		if ctx.IsSet(utils.HTTPListenAddrFlag.Name) {
			rpc.HTTPHost = ctx.String(utils.HTTPListenAddrFlag.Name)
		}
	}
	if err := keepDevLocal(ctx, rpc); err != nil {
		return err
	}
	if !ctx.IsSet(utils.HTTPPortFlag.Name) && rpc.HTTPPort == node.DefaultHTTPPort {
		port, err := freePort(rpc.HTTPHost, rpc.HTTPPort)
		if err != nil {
			return err
		}
		if port != rpc.HTTPPort {
			fmt.Fprintf(os.Stderr, "Port %d is in use: taking the next free one, %d\n", rpc.HTTPPort, port)
		}
		rpc.HTTPPort = port
	} else if err := checkPort(rpc.HTTPHost, rpc.HTTPPort, utils.HTTPPortFlag.Name); err != nil {
		return err
	}
	if rpc.WSHost == "" && cfg.Gwon.Profile == "" {
		rpc.WSHost = rpc.HTTPHost
		if !ctx.IsSet(utils.WSPortFlag.Name) {
			rpc.WSPort = rpc.HTTPPort
		}
	}
	if rpc.WSHost != "" && (rpc.WSPort != rpc.HTTPPort || rpc.WSHost != rpc.HTTPHost) {
		if err := checkPort(rpc.WSHost, rpc.WSPort, utils.WSPortFlag.Name); err != nil {
			return err
		}
	}
	if !ctx.IsSet(utils.HTTPCORSDomainFlag.Name) && len(rpc.HTTPCors) == 0 {
		rpc.HTTPCors = devnet.LocalOrigins()
	}
	if !ctx.IsSet(utils.WSAllowedOriginsFlag.Name) && len(rpc.WSOrigins) == 0 {
		rpc.WSOrigins = devnet.LocalHosts()
	}
	keepStates(&cfg.Eth)
	if !ctx.IsSet(utils.IPCPathFlag.Name) && !ctx.Bool(utils.IPCDisabledFlag.Name) {
		rpc.IPCPath = devIPC()
	}
	return nil
}

// keepDevLocal refuses an endpoint beyond this machine, with every profile. A flag is looked at even where it opens nothing.
func keepDevLocal(ctx *cli.Context, cfg *node.Config) error {
	for _, listen := range []struct{ host, flag string }{
		{cfg.HTTPHost, utils.HTTPListenAddrFlag.Name}, {cfg.WSHost, utils.WSListenAddrFlag.Name},
	} {
		var hosts []string
		if listen.host != "" {
			hosts = append(hosts, listen.host)
		}
		if ctx.IsSet(listen.flag) {
			hosts = append(hosts, ctx.String(listen.flag)) // "" is every address
		}
		for _, host := range hosts {
			if !isLoopback(host) {
				return fmt.Errorf("--%s %q: the keys of --%s are public knowledge, so it listens on %s only",
					listen.flag, host, devFlag.Name, loopback)
			}
		}
	}
	return nil
}

// devModules returns the RPC namespaces of a developer chain, each of them once.
func devModules() []string {
	modules := devnet.Modules()
	for _, name := range devchain.Namespaces() {
		if !slices.Contains(modules, name) {
			modules = append(modules, name)
		}
	}
	return modules
}

// keepStates has a chain keep each state under its hash, whatever block it belongs to, and no transaction that left the pool.
func keepStates(cfg *ethconfig.Config) {
	cfg.StateScheme, cfg.NoPruning, cfg.Preimages = rawdb.HashScheme, true, true
	cfg.StateHistory, cfg.TrienodeHistory, cfg.SnapshotCache = 0, 0, 0
	cfg.TxPool.NoLocals, cfg.TxPool.Journal = true, ""
}

const loopback = "127.0.0.1"

// freePort returns the first free port from first on.
func freePort(host string, first int) (int, error) {
	const tries = 1000
	for port := first; port < first+tries; port++ {
		err := tryPort(host, port)
		if err == nil {
			return port, nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			return 0, err
		}
	}
	return 0, fmt.Errorf("no free port on %s from %d on: give --%s", host, first, utils.HTTPPortFlag.Name)
}

// checkPort refuses a port that cannot be opened, before anything is started.
func checkPort(host string, port int, flag string) error {
	err := tryPort(host, port)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("port %d is in use: give another --%s, or 0 for a free one", port, flag)
	}
	return err
}

func tryPort(host string, port int) error {
	address := net.JoinHostPort(host, fmt.Sprint(port))
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("RPC on %s: %w", address, err)
	}
	return listener.Close()
}

// defaultIPC is where gwon attach looks.
func defaultIPC() string {
	standard := node.Config{Name: program.Name, DataDir: defaultDataDir(), IPCPath: program.Name + ".ipc"}
	return standard.IPCEndpoint()
}

// devIPC returns where gwon attach looks for a node that is told nothing, or "" when a node is there already.
func devIPC() string {
	path := defaultIPC()
	if connection, err := net.DialTimeout("unix", path, time.Second); err == nil {
		_ = connection.Close()
		log.Warn("Another node has the IPC endpoint: attach to this one over HTTP", "path", path)
		return ""
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		log.Warn("No IPC endpoint: attach over HTTP", "err", err)
		return ""
	}
	return path
}

// devNode is what --dev adds to a node.
type devNode struct {
	accounts []devnet.Account
	chain    *devchain.Chain
	state    *devState // nil for a chain in memory
	genesis  *gethcore.Genesis
}

// newDevNode makes the accounts and the genesis block that flags and a directory of an earlier run describe, and the chain.
// The process is that of a developer chain from then on.
func newDevNode(ctx *cli.Context, cfg *config) (*devNode, error) {
	list, err := devchain.Accounts(ctx.String(devMnemonicFlag.Name), devAccounts)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", devMnemonicFlag.Name, err)
	}
	dev := new(devNode)
	for _, a := range list {
		dev.accounts = append(dev.accounts, devnet.AccountOf(a.Key))
	}
	if cfg.Node.DataDir != "" {
		if dev.state, err = openDevState(ctx, cfg.Node.DataDir, dev.accounts[0].Address); err != nil {
			return nil, err
		}
	}
	if dev.state != nil && dev.state.genesis != nil {
		cfg.Eth.Genesis = dev.state.genesis
	} else if cfg.Eth.Genesis, err = devGenesis(ctx, &cfg.Node, dev.accounts); err != nil {
		return nil, err
	}
	dev.genesis = cfg.Eth.Genesis
	if dev.state != nil && dev.state.genesis == nil {
		if err := dev.state.write(dev.genesis, false); err != nil {
			return nil, err
		}
	}
	dev.chain, err = devchain.New(devchain.Options{
		Key: cfg.Node.NodeKey(), Period: ctx.Duration(devPeriodFlag.Name), Accounts: list, Version: program.Name + "/v" + program.Version(),
	})
	if err != nil {
		return nil, err
	}
	eth.WrapEngine(func(inner *wbft.Engine) eth.EngineWrapper { return dev.chain.Engine(inner) })
	return dev, nil
}

// devGenesis returns the genesis of --dev: this node's key is the only validator, and the well-known accounts have coins.
// The first of them is the member of the governances.
func devGenesis(ctx *cli.Context, cfg *node.Config, accounts []devnet.Account) (*gethcore.Genesis, error) {
	secret, err := bls.DeriveKey(cfg.P2P.PrivateKey)
	if err != nil {
		return nil, fmt.Errorf("derive BLS key: %w", err)
	}
	validator := params.DevnetValidator{
		Address: crypto.PubkeyToAddress(cfg.P2P.PrivateKey.PublicKey), BLSPublicKey: secret.PublicKey().Bytes(),
		Operator: accounts[0].Address,
	}
	period := uint64(ctx.Duration(devPeriodFlag.Name) / time.Second)
	chain, err := params.DevConfig(ctx.Uint64(devChainIDFlag.Name), validator, period, ctx.String(contractsVersionFlag.Name))
	if err != nil {
		return nil, fmt.Errorf("configure the developer chain: %w", err)
	}
	code, err := storedCode()
	if err != nil {
		return nil, err
	}
	alloc, err := devAlloc(ctx, accounts)
	if err != nil {
		return nil, err
	}
	given := core.DevnetGenesis(chain, uint64(time.Now().Unix()), alloc)
	if err := core.CheckAllocation(given); err != nil {
		return nil, fmt.Errorf("--%s: %w", devAllocFlag.Name, err)
	}
	genesis, info, err := core.BuildGenesis(given, code)
	if err != nil {
		return nil, fmt.Errorf("make the developer chain: %w", err)
	}
	if len(info.Missing) > 0 {
		return nil, fmt.Errorf("the code of %s is not here: gwon contracts import supplies it, and --%s %s needs none",
			codeNames(info.Missing), contractsVersionFlag.Name, params.G1)
	}
	return genesis, nil
}

// devAlloc returns the accounts of the genesis block: those of the mnemonic, the contracts that tools expect, and those of
// --alloc, which replace the others.
func devAlloc(ctx *cli.Context, accounts []devnet.Account) (types.GenesisAlloc, error) {
	alloc := devnet.Funds(accounts)
	maps.Copy(alloc, dev.Predeploys())
	given, err := readAlloc(ctx.Path(devAllocFlag.Name))
	if err != nil {
		return nil, err
	}
	maps.Copy(alloc, given)
	return alloc, nil
}

// watchDev prints a developer chain and what happens on it, until ctx ends. The key t prints the former again. end gives the
// terminal back.
func watchDev(ctx *cli.Context, running *runningNode, until context.Context) (end func(), err error) {
	if ctx.Bool(quietFlag.Name) {
		return func() {}, nil
	}
	if err := printDev(ctx, running.stack, running.dev); err != nil {
		return nil, err
	}
	end = readKeys(map[byte]func() error{'t': func() error { return printDev(ctx, running.stack, running.dev) }})
	f := &feed{
		dial: func(context.Context) (*gethrpc.Client, error) { return running.stack.Attach(), nil },
		book: running.page.Book, traces: ctx.Bool(printTracesFlag.Name), out: os.Stderr,
	}
	go f.run(until)
	return end, nil
}

// printDev prints where to reach a developer chain and what it has.
func printDev(ctx *cli.Context, stack *node.Node, dev *devNode) error {
	accounts := dev.accounts
	accounts[0].Member = true
	ending := "Ctrl-C ends the chain: it is in memory only."
	if dev.state != nil {
		ending = fmt.Sprintf("Ctrl-C stops the chain; the same --%s continues it.", devStateFlag.Name)
	}
	info := &devnet.Info{
		ChainID: ctx.Uint64(devChainIDFlag.Name),
		Dir:     stack.DataDir(),
		Governance: devnet.GovernanceInfo{
			Contracts: ctx.String(contractsVersionFlag.Name), Members: []common.Address{accounts[0].Address}, Quorum: 1,
			Minter: params.GovMinterAddress,
		},
		RPC:      stack.HTTPEndpoint(),
		Page:     stack.HTTPEndpoint() + "/",
		IPC:      stack.IPCEndpoint(),
		FeePayer: accounts[0].Address,
		Accounts: accounts,
	}
	if stack.Config().WSHost != "" {
		info.WS = stack.WSEndpoint()
	}
	console := " attach"
	switch info.IPC {
	case "":
		console += " " + process.ShellWord(info.RPC)
	case defaultIPC():
	default:
		console += " " + process.ShellWord(info.IPC)
	}
	own := process.Command(program.Name)
	return info.WriteText(ctx.App.Writer, devnet.Hints{
		Command: own,
		Console: own + console,
		Ending:  ending,
		Signs:   true,
		ChainID: "--" + devChainIDFlag.Name + " 828300",
	})
}
