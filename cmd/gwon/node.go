// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/eth/tracers"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/urfave/cli/v2"

	_ "github.com/ethereum/go-ethereum/eth/tracers/js"     // register tracers by name
	_ "github.com/ethereum/go-ethereum/eth/tracers/live"   // register tracers by name
	_ "github.com/ethereum/go-ethereum/eth/tracers/native" // register tracers by name

	"gwon/consensus/wbft"
	"gwon/eth"
	"gwon/eth/codefetch"
	"gwon/rpc"
)

// runningNode is a node that has been started.
type runningNode struct {
	stack   *node.Node
	service *eth.Service
	dev     *devNode // nil for other networks
	disk    *diskGuard
	end     context.CancelFunc // of the guard
}

// close stops the node. A node that a signal stopped already is fine. The error also says when a full disk stopped it.
func (r *runningNode) close() error {
	r.end()
	if err := r.stack.Close(); err != nil && !errors.Is(err, node.ErrNodeStopped) {
		return errors.Join(fmt.Errorf("stop node: %w", err), r.disk.reason())
	}
	return r.disk.reason()
}

// closeForDisk stops the node when its disk is full. Who waits for its end tells why.
func (r *runningNode) closeForDisk() {
	if err := r.stack.Close(); err != nil && !errors.Is(err, node.ErrNodeStopped) {
		log.Error("Shutdown failed", "err", err)
	}
}

// runNode is the command without a subcommand: a node until a signal ends it.
func runNode(ctx *cli.Context) error {
	if ctx.NArg() > 0 {
		return noSuchCommand(ctx)
	}
	running, err := startNode(ctx, false)
	if err == errInterrupted {
		return nil
	}
	if err != nil {
		return err
	}
	if ctx.Bool(devFlag.Name) {
		if err := printDev(ctx, running.stack, running.dev); err != nil {
			return errors.Join(err, running.close())
		}
	}
	running.stack.Wait()
	return running.close()
}

// startNode makes the node that flags and configuration file describe, and starts it. With console, Ctrl-C belongs to the
// console.
func startNode(ctx *cli.Context, console bool) (*runningNode, error) {
	cfg, upstream, err := loadConfig(ctx)
	if err != nil {
		return nil, err
	}
	dev := ctx.Bool(devFlag.Name)
	if !dev && ctx.IsSet(contractsVersionFlag.Name) {
		return nil, fmt.Errorf("--%s goes with --%s: the genesis block of any other chain says which contracts it has",
			contractsVersionFlag.Name, devFlag.Name)
	}
	for _, flag := range []cli.Flag{devStateFlag, devMnemonicFlag, devAllocFlag} {
		if name := flag.Names()[0]; !dev && ctx.IsSet(name) {
			return nil, fmt.Errorf("--%s goes with --%s, a developer chain: leave it out", name, devFlag.Name)
		}
	}
	if dev {
		if err := openDev(ctx, cfg); err != nil {
			return nil, err
		}
	}
	options, err := cfg.applyProfile(ctx)
	if err != nil {
		return nil, err
	}
	codes, err := cfg.codeStore()
	if err != nil {
		return nil, err
	}
	eth.RegisterEngine(codes.Source())
	var network *chosenNetwork
	if dev {
		if err := checkNetworkFlags(ctx); err != nil {
			return nil, err
		}
	} else {
		err := onceUnlocked(ctx.Context, cfg.Node.DataDir, func() (err error) {
			network, err = selectNetwork(ctx, cfg, codes.Source())
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	genesis := cfg.Eth.Genesis
	var stack *node.Node
	err = onceUnlocked(ctx.Context, cfg.Node.DataDir, func() (err error) {
		stack, err = newStack(cfg, upstream)
		return err
	})
	if err != nil {
		return nil, err
	}
	watch, end := context.WithCancel(context.Background())
	running := &runningNode{stack: stack, disk: newDiskGuard(ctx, cfg), end: end}
	fail := func(err error) (*runningNode, error) {
		if closing := running.close(); closing != nil {
			err = errors.Join(err, closing)
		}
		return nil, err
	}
	if err := running.disk.check(); err != nil {
		return fail(err)
	}
	cfg.Eth.Genesis = genesis // upstream's helpers know only upstream's networks
	service := &eth.Config{
		Eth:           &cfg.Eth,
		Sealing:       cfg.Gwon.Mine || dev,
		SyncInterval:  durationOf(cfg.Gwon.SyncInterval),
		Checkpoint:    cfg.Gwon.Checkpoint,
		SyncVerifyAll: cfg.Gwon.SyncVerifyAll,
		SignFrom:      cfg.Gwon.SignFrom,
		UnlockAllowed: cfg.Gwon.InsecureUnlock,
		RPC:           options,
	}
	if misbehave != nil {
		service.Network = misbehave(cfg.Node.NodeKey())
	}
	if network != nil {
		missing, err := network.prepare(ctx.Context, cfg, stack, codes)
		if err != nil {
			return fail(err)
		}
		if len(missing) > 0 && codes != nil {
			service.Codes = codefetch.NewSeeker(missing, codes)
		}
	}
	if dev {
		if running.dev, err = newDevNode(ctx, cfg); err != nil {
			return fail(err)
		}
		stack.AccountManager().AddBackend(running.dev.backend())
		cfg.Eth.SyncMode, service.Checkpoint = ethconfig.FullSync, common.Hash{} // there are no peers
		service.Sealer = running.dev.chain
	} else {
		service.VotesDir = stack.InstanceDir()
	}
	if err := unlockAccounts(ctx, stack, cfg); err != nil {
		return fail(err)
	}
	if cfg.Eth.SyncMode == ethconfig.SnapSync && cfg.Eth.NoPruning {
		log.Warn("The archive will begin at the pivot of the snap sync: older state is not fetched. For all of it sync in full mode")
	}
	if endpoint := setupMetrics(&cfg.Metrics); endpoint != nil {
		stack.RegisterLifecycle(endpoint)
	}
	running.service, err = registerServices(ctx, stack, cfg, service)
	if dev {
		err = running.dev.attach(running, err)
	}
	if err != nil {
		return fail(err)
	}
	if err := stack.Start(); err != nil {
		return fail(fmt.Errorf("start node: %w", err))
	}
	announce(stack, running.service)
	stopOnSignal(stack, console)
	go running.disk.watch(watch, running.closeForDisk)
	if ctx.Bool(exitStdinFlag.Name) {
		go closeWithStdin(running)
	}
	return running, nil
}

// misbehave is nil but in binaries built with the tag "faulty".
var misbehave func(*ecdsa.PrivateKey) func(wbft.Network) wbft.Network

// registerServices puts the node service and what surrounds it onto the stack.
func registerServices(ctx *cli.Context, stack *node.Node, cfg *config, service *eth.Config) (*eth.Service, error) {
	svc, err := eth.New(stack, service)
	if err != nil {
		return nil, fmt.Errorf("create node service: %w", explainHistory(cfg, err))
	}
	backend := svc.Ethereum().APIBackend
	stack.RegisterAPIs(tracers.APIs(backend))
	logs := filters.NewFilterSystem(backend, filters.Config{
		LogCacheSize: cfg.Eth.FilterLogCacheSize, LogQueryLimit: cfg.Eth.LogQueryLimit, RangeLimit: cfg.Eth.RangeLimit,
	})
	stack.RegisterAPIs([]gethrpc.API{rpc.LogsAPI(logs, service.RPC.Public)})
	if ctx.Bool(utils.GraphQLEnabledFlag.Name) {
		utils.RegisterGraphQLService(stack, backend, logs, &cfg.Node)
	}
	if cfg.Ethstats.URL != "" {
		utils.RegisterEthStatsService(stack, backend, cfg.Ethstats.URL)
	}
	if cfg.Gwon.Profile == profileOperator {
		stack.RegisterLifecycle(&operatorEndpoint{stack: stack, port: cfg.Gwon.OperatorPort})
	}
	return svc, nil
}

// closeWithStdin stops the node when standard input ends: a parent that is gone, in whatever way, closes it.
func closeWithStdin(running *runningNode) {
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		log.Warn("Standard input failed", "err", err)
	}
	log.Info("Standard input closed, shutting down")
	if err := running.close(); err != nil {
		log.Error("Shutdown failed", "err", err)
	}
}
