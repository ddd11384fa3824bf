// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package testnode

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/dev/devchain"
	"gwon/dev/devnet"
	"gwon/params"
)

// validatorPhrase makes the validator key of a developer chain. It guards nothing.
const validatorPhrase = "gwon dev validator"

// isolate keeps the node off the disk and off the network.
func isolate(ctx *cli.Context, cfg *node.Config) error {
	if ctx.IsSet(settings.DataDirFlag.Name) {
		return fmt.Errorf("%s keeps everything in memory: leave --%s out, or give --%s for a chain that stays",
			commandName, settings.DataDirFlag.Name, stateFlag.Name)
	}
	if ctx.IsSet(stateFlag.Name) && ctx.Path(stateFlag.Name) == "" {
		return fmt.Errorf("--%s names a directory", stateFlag.Name)
	}
	if scheme := ctx.String(utils.StateSchemeFlag.Name); scheme != "" && scheme != rawdb.HashScheme {
		return fmt.Errorf("%s keeps states by their hashes: leave --%s out", commandName, utils.StateSchemeFlag.Name)
	}
	if ctx.IsSet(utils.GCModeFlag.Name) && ctx.String(utils.GCModeFlag.Name) != "archive" {
		return fmt.Errorf("%s keeps every state: leave --%s out", commandName, utils.GCModeFlag.Name)
	}
	if period := ctx.Duration(periodFlag.Name); period < 0 || period%time.Second != 0 {
		return fmt.Errorf("--%s is a whole number of seconds, not %v", periodFlag.Name, period)
	}
	if err := checkForkFlags(ctx); err != nil {
		return err
	}
	if ctx.Uint64(chainIDFlag.Name) == 0 {
		return fmt.Errorf("--%s cannot be 0", chainIDFlag.Name)
	}
	if ctx.Uint64(chainIDFlag.Name) == params.MainnetChainID {
		return fmt.Errorf("--%s %d is the mainnet's: a transaction signed for the developer chain would be valid there. "+
			"Take another, such as %d", chainIDFlag.Name, params.MainnetChainID, params.DevnetChainID)
	}
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte(validatorPhrase)))
	if err != nil {
		return fmt.Errorf("make validator key: %w", err)
	}
	cfg.DataDir = ""
	if dir := ctx.Path(stateFlag.Name); dir != "" {
		if cfg.DataDir, err = filepath.Abs(program.ExpandHome(dir)); err != nil {
			return fmt.Errorf("--%s %s: %w", stateFlag.Name, dir, err)
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
	cfg.HTTPTimeouts.WriteTimeout = max(cfg.HTTPTimeouts.WriteTimeout, 10*time.Minute) // a call can mine 100,000 blocks
	return nil
}

// openEndpoints opens the endpoints of a developer chain, which are those of a devnet, and has it keep every state.
// What a flag or the configuration file says stays.
func openEndpoints(ctx *cli.Context, cfg *settings.Config) error {
	rpc := &cfg.Node
	if cfg.Gwon.Profile == settings.ProfileOperator && cfg.Node.DataDir == "" {
		return fmt.Errorf("--%s %s needs --%s, a data directory, for the token of its endpoint: %s has none, and opens "+
			"every namespace on %s without a profile", settings.RPCProfileFlag.Name, settings.ProfileOperator,
			settings.DataDirFlag.Name, commandName, settings.Loopback)
	}
	if cfg.Gwon.Profile == "" {
		cfg.Gwon.Personal, cfg.Gwon.InsecureUnlock = true, true
		rpc.AllowUnprotectedTxs = true // keyless deployments name no chain
		if !ctx.IsSet(utils.HTTPApiFlag.Name) {
			rpc.HTTPModules = devModules()
		}
		if !ctx.IsSet(utils.WSApiFlag.Name) {
			rpc.WSModules = devModules()
		}
	}
	if rpc.HTTPHost == "" {
		rpc.HTTPHost = settings.Loopback
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
	settings.KeepStates(&cfg.Eth)
	if !ctx.IsSet(utils.IPCPathFlag.Name) && !ctx.Bool(utils.IPCDisabledFlag.Name) {
		rpc.IPCPath = devIPC()
	}
	return nil
}

// keepDevLocal refuses an endpoint beyond this machine, with every profile. A flag is looked at even where it opens
// nothing.
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
			if !settings.IsLoopback(host) {
				return fmt.Errorf("--%s %q: the keys of %s are public knowledge, so it listens on %s only",
					listen.flag, host, commandName, settings.Loopback)
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

// devIPC returns where gwon attach looks for a node that is told nothing, or "" when a node is there already.
func devIPC() string {
	path := settings.DefaultIPC()
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
