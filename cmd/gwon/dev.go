// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/urfave/cli/v2"

	"gwon/consensus/wbft/bls"
	"gwon/core"
	"gwon/devnet"
	"gwon/internal/process"
	"gwon/params"
)

// devValidatorPhrase makes the validator key of --dev. It guards nothing.
const devValidatorPhrase = "gwon dev validator"

// devAccounts is the number of funded accounts of --dev; the first is unlocked.
const devAccounts = 10

// isolateDev keeps a --dev node off the disk and off the network.
func isolateDev(ctx *cli.Context, cfg *node.Config) error {
	if ctx.IsSet(dataDirFlag.Name) {
		return fmt.Errorf("--%s keeps everything in memory: leave --%s out, or use gwon devnet for a chain that stays",
			devFlag.Name, dataDirFlag.Name)
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
			rpc.HTTPModules = devnet.Modules()
		}
		if !ctx.IsSet(utils.WSApiFlag.Name) {
			rpc.WSModules = devnet.Modules()
		}
	}
	if rpc.HTTPHost == "" {
		rpc.HTTPHost = loopback
		if ctx.IsSet(utils.HTTPListenAddrFlag.Name) {
			rpc.HTTPHost = ctx.String(utils.HTTPListenAddrFlag.Name)
		}
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
	if !ctx.IsSet(utils.GCModeFlag.Name) {
		cfg.Eth.NoPruning, cfg.Eth.StateHistory, cfg.Eth.TrienodeHistory = true, 0, 0
	}
	if !ctx.IsSet(utils.IPCPathFlag.Name) && !ctx.Bool(utils.IPCDisabledFlag.Name) {
		rpc.IPCPath = devIPC()
	}
	return nil
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
	standard := node.Config{Name: clientName, DataDir: defaultDataDir(), IPCPath: clientName + ".ipc"}
	return standard.IPCEndpoint()
}

// devIPC returns where gwon attach looks for a node that is told nothing, or "" when a node is there already.
func devIPC() string {
	path := defaultIPC()
	if connection, err := net.DialTimeout("unix", path, time.Second); err == nil {
		connection.Close()
		log.Warn("Another node has the IPC endpoint: attach to this one over HTTP", "path", path)
		return ""
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		log.Warn("No IPC endpoint: attach over HTTP", "err", err)
		return ""
	}
	return path
}

// devGenesis returns the genesis of --dev: this node's key is the only validator, and the well-known accounts have coins.
// The first of them is the member of the governances.
func devGenesis(cfg *node.Config, chainID uint64, period time.Duration, contracts string) (*gethcore.Genesis, error) {
	secret, err := bls.DeriveKey(cfg.P2P.PrivateKey)
	if err != nil {
		return nil, fmt.Errorf("derive BLS key: %w", err)
	}
	accounts, err := developerAccounts()
	if err != nil {
		return nil, err
	}
	validator := params.DevnetValidator{
		Address: crypto.PubkeyToAddress(cfg.P2P.PrivateKey.PublicKey), BLSPublicKey: secret.PublicKey().Bytes(),
		Operator: accounts[0].Address,
	}
	chain, err := params.DevConfig(chainID, validator, uint64(period/time.Second), contracts)
	if err != nil {
		return nil, fmt.Errorf("configure the developer chain: %w", err)
	}
	code, err := storedCode()
	if err != nil {
		return nil, err
	}
	genesis, info, err := core.BuildGenesis(core.DevnetGenesis(chain, uint64(time.Now().Unix()), devnet.Funds(accounts)), code)
	if err != nil {
		return nil, fmt.Errorf("make the developer chain: %w", err)
	}
	if len(info.Missing) > 0 {
		return nil, fmt.Errorf("the code of %s is not here: gwon contracts import supplies it, and --%s %s needs none",
			codeNames(info.Missing), contractsVersionFlag.Name, params.G1)
	}
	return genesis, nil
}

// unlockDevAccount puts the first well-known account into the key store and unlocks it.
func unlockDevAccount(stack *node.Node) error {
	account, err := devnet.NewAccount(0)
	if err != nil {
		return err
	}
	ks, err := keyStoreOf(stack)
	if err != nil {
		return err
	}
	stored, err := ks.ImportECDSA(account.Key(), "")
	if errors.Is(err, keystore.ErrAccountAlreadyExists) { // in a --keystore of the user's
		stored, err = ks.Find(stored)
	}
	if err != nil {
		return fmt.Errorf("store the developer account: %w", err)
	}
	if err := ks.Unlock(stored, ""); err != nil {
		return fmt.Errorf("unlock the developer account: %w", err)
	}
	return nil
}

func developerAccounts() ([]devnet.Account, error) {
	accounts := make([]devnet.Account, devAccounts)
	var err error
	for i := range accounts {
		if accounts[i], err = devnet.NewAccount(i); err != nil {
			return nil, err
		}
	}
	return accounts, nil
}

// watchDev prints a developer chain and what happens on it, until ctx ends. A line with the letter t prints the former again.
func watchDev(ctx *cli.Context, running *runningNode, until context.Context) error {
	if ctx.Bool(quietFlag.Name) {
		return nil
	}
	if err := printDev(ctx, running.stack); err != nil {
		return err
	}
	readLines(map[string]func() error{"t": func() error { return printDev(ctx, running.stack) }})
	f := &feed{
		dial: func(context.Context) (*gethrpc.Client, error) { return running.stack.Attach(), nil },
		book: running.page.Book, traces: ctx.Bool(printTracesFlag.Name), out: os.Stderr,
	}
	go f.run(until)
	return nil
}

// printDev prints where to reach a developer chain and what it has.
func printDev(ctx *cli.Context, stack *node.Node) error {
	accounts, err := developerAccounts()
	if err != nil {
		return err
	}
	accounts[0].Member = true
	info := &devnet.Info{
		ChainID: ctx.Uint64(devChainIDFlag.Name),
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
	own := process.Command(clientName)
	return info.WriteText(ctx.App.Writer, devnet.Hints{
		Command: own,
		Console: own + console,
		Ending:  "Ctrl-C ends the chain: it is in memory only.",
		ChainID: "--" + devChainIDFlag.Name + " 828300",
	})
}
