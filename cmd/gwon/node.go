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
	"strings"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/eth/tracers"
	"github.com/ethereum/go-ethereum/graphql"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/urfave/cli/v2"

	_ "github.com/ethereum/go-ethereum/eth/tracers/js"     // register tracers by name
	_ "github.com/ethereum/go-ethereum/eth/tracers/live"   // register tracers by name
	_ "github.com/ethereum/go-ethereum/eth/tracers/native" // register tracers by name

	"gwon/cmd/internal/attach"
	"gwon/cmd/internal/blockchain"
	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/devnode"
	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft"
	"gwon/contracts/store"
	"gwon/dev/web"
	"gwon/docs/reference"
	"gwon/eth"
	"gwon/eth/codefetch"
	"gwon/internal/process"
	"gwon/internal/progress"
	"gwon/operator/snapshot"
	"gwon/rpc"
	"gwon/rpc/describe"
)

// runningNode is a node that has been started.
type runningNode struct {
	stack   *node.Node
	dev     *devnode.Node // nil for other networks
	disk    *process.DiskGuard
	closers process.Closers
	page    *web.Options // of a development network; nil elsewhere
}

// close stops the node. A node that a signal stopped already is no error. The error also names a full disk that stopped
// it.
func (r *runningNode) close() error {
	return errors.Join(r.closers.Close(), r.disk.Reason())
}

// closeStack stops the node's services and gives the data directory back.
func (r *runningNode) closeStack() error {
	if err := r.stack.Close(); err != nil && !errors.Is(err, node.ErrNodeStopped) {
		return fmt.Errorf("stop node: %w", err)
	}
	return nil
}

// closeForDisk stops the node when its disk is full. The command that waits for its end reports the reason.
func (r *runningNode) closeForDisk() {
	if err := r.closeStack(); err != nil {
		log.Error("Shutdown failed", "err", err)
	}
}

// runNode is the command without a subcommand: a node until a signal ends it.
func runNode(ctx *cli.Context) error {
	if ctx.NArg() > 0 {
		return program.NoSuchCommand(ctx)
	}
	if ctx.Bool(settings.HelpAllFlag.Name) {
		return showAllHelp(ctx)
	}
	running, err := startNode(ctx, false)
	if errors.Is(err, program.ErrInterrupted) {
		return nil
	}
	if err != nil {
		return err
	}
	if ctx.Bool(settings.DevFlag.Name) {
		until, stop := context.WithCancel(ctx.Context)
		defer stop()
		end, err := devnode.Watch(ctx, running.stack, running.dev, running.page.Book, until)
		if err != nil {
			return errors.Join(err, running.close())
		}
		defer end()
	}
	running.stack.Wait()
	return running.close()
}

// startNode makes the node that flags and configuration file describe, and starts it. With console, Ctrl-C belongs to
// the console.
func startNode(ctx *cli.Context, console bool) (*runningNode, error) {
	s := &nodeStart{ctx: ctx, console: console, dev: ctx.Bool(settings.DevFlag.Name), running: new(runningNode)}
	if err := process.Start(s.steps(), &s.running.closers); err != nil {
		return nil, err
	}
	return s.running, nil
}

// nodeStart is the start of a node: flags, and what the steps have made so far.
type nodeStart struct {
	ctx     *cli.Context
	console bool
	dev     bool

	cfg      *settings.Config
	upstream *cli.Context // flags that upstream's helpers read
	rpc      rpc.Options
	codes    *store.Store              // nil without data directory
	network  *blockchain.ChosenNetwork // nil for a developer chain
	running  *runningNode
	service  *eth.Config
	started  *eth.Service
	metrics  *metricsEndpoint // nil without one
	clients  gethrpc.Gate     // bounds of clients, nil without them
}

// steps returns the parts of a start in their order. A step relies on those before it.
func (s *nodeStart) steps() []process.Step {
	return []process.Step{
		{Name: "read configuration", Run: s.readConfig},
		{Name: "apply profile", Run: s.applyProfile},
		{Name: "limit clients", Run: s.limitClients},
		{Name: "register engine", Run: s.registerEngine},
		{Name: "choose network", Run: s.chooseNetwork}, // before the node exists: boot nodes depend on it
		{Name: "open node key", Run: s.openNodeKey},
		{Name: "open data directory", Run: s.openStack},
		{Name: "check disk space", Run: s.checkDisk},
		{Name: "configure service", Run: s.configureService},
		{Name: "prepare chain", Run: s.prepareChain},
		{Name: "unlock accounts", Run: s.unlockAccounts},
		{Name: "register services", Run: s.registerServices},
		{Name: "register page", Run: s.registerPage},
		{Name: "register health probes", Run: s.registerHealth},
		{Name: "hold early reads", Run: s.holdReads},
		{Name: "start services", Run: s.startServices},
		{Name: "watch signals and disk", Run: s.watch},
	}
}

func (s *nodeStart) limitClients(*process.Closers) (err error) {
	s.clients, err = s.cfg.ClientGate()
	return err
}

func (s *nodeStart) readConfig(*process.Closers) (err error) {
	if err := settings.CheckHealthFlags(s.ctx); err != nil {
		return err
	}
	if s.cfg, s.upstream, err = settings.Load(s.ctx); err != nil {
		return err
	}
	if s.dev {
		return settings.OpenDev(s.ctx, s.cfg)
	}
	if s.ctx.IsSet(settings.ContractsVersionFlag.Name) {
		return fmt.Errorf("--%s goes with --%s: the genesis block of any other chain says which contracts it has",
			settings.ContractsVersionFlag.Name, settings.DevFlag.Name)
	}
	for _, flag := range []cli.Flag{settings.DevStateFlag, settings.DevMnemonicFlag, settings.DevAllocFlag} {
		if name := flag.Names()[0]; s.ctx.IsSet(name) {
			return fmt.Errorf("--%s goes with --%s, a developer chain: leave it out", name, settings.DevFlag.Name)
		}
	}
	for _, f := range []*cli.BoolFlag{settings.QuietFlag, settings.PrintTracesFlag} {
		if s.ctx.Bool(f.Name) {
			return fmt.Errorf("--%s goes with --%s and gwon devnet; --verbosity sets what any other node logs", f.Name,
				settings.DevFlag.Name)
		}
	}
	return nil
}

func (s *nodeStart) applyProfile(*process.Closers) (err error) {
	s.rpc, err = s.cfg.ApplyProfile(s.ctx)
	for _, useless := range s.cfg.UselessFlags(s.ctx) {
		log.Warn("Flags have no effect", "flags", strings.Join(useless.Flags, " "), "remedy", useless.Remedy)
	}
	return err
}

func (s *nodeStart) registerEngine(*process.Closers) (err error) {
	if s.codes, err = s.cfg.CodeStore(); err != nil {
		return err
	}
	eth.RegisterEngine(s.codes.Source())
	return nil
}

func (s *nodeStart) chooseNetwork(*process.Closers) error {
	if s.dev {
		return settings.CheckNetworkFlags(s.ctx)
	}
	return datadir.OnceUnlocked(s.ctx.Context, s.cfg.Node.DataDir, func() (err error) {
		s.network, err = blockchain.SelectNetwork(s.ctx, s.cfg)
		return err
	})
}

func (s *nodeStart) openStack(closers *process.Closers) error {
	genesis := s.cfg.Eth.Genesis
	err := datadir.OnceUnlocked(s.ctx.Context, s.cfg.Node.DataDir, func() (err error) {
		s.running.stack, err = settings.NewStack(s.cfg, s.upstream)
		return err
	})
	if err != nil {
		return err
	}
	closers.Add(s.running.closeStack)
	s.cfg.Eth.Genesis = genesis // upstream's helpers know only upstream's networks
	return nil
}

func (s *nodeStart) checkDisk(*process.Closers) error {
	s.running.disk = settings.NewDiskGuard(s.ctx, s.cfg)
	return s.running.disk.Check()
}

func (s *nodeStart) configureService(*process.Closers) error {
	own := &s.cfg.Gwon
	s.service = &eth.Config{
		Eth:           &s.cfg.Eth,
		Sealing:       own.Mine || s.dev,
		SyncInterval:  settings.DurationOf(own.SyncInterval),
		Checkpoint:    own.Checkpoint,
		SyncVerifyAll: own.SyncVerifyAll,
		SignFrom:      own.SignFrom,
		UnlockAllowed: own.InsecureUnlock,
		RPC:           s.rpc,
	}
	if misbehave != nil {
		s.service.Network = misbehave(s.cfg.Node.NodeKey())
	}
	return nil
}

func (s *nodeStart) prepareChain(*process.Closers) error {
	if s.dev {
		return s.prepareDev()
	}
	missing, err := s.network.Prepare(s.ctx.Context, s.cfg, s.running.stack, s.codes)
	if err != nil {
		return err
	}
	if len(missing) > 0 && s.codes != nil {
		s.service.Codes = codefetch.NewSeeker(missing, s.codes)
	}
	s.service.VoteLogDir = s.running.stack.InstanceDir()
	return nil
}

// prepareDev makes the chain of --dev, which has no peers and keeps no votes.
func (s *nodeStart) prepareDev() (err error) {
	if s.running.dev, err = devnode.New(s.ctx, s.cfg); err != nil {
		return err
	}
	s.running.stack.AccountManager().AddBackend(s.running.dev.Backend())
	s.cfg.Eth.SyncMode, s.service.Checkpoint = ethconfig.FullSync, common.Hash{}
	s.service.Sealer = s.running.dev.Chain
	return nil
}

func (s *nodeStart) unlockAccounts(*process.Closers) error {
	return keys.UnlockAccounts(s.ctx, s.running.stack, s.cfg)
}

func (s *nodeStart) registerServices(*process.Closers) (err error) {
	if s.cfg.Eth.SyncMode == ethconfig.SnapSync && s.cfg.Eth.NoPruning {
		log.Warn("The archive will begin at the pivot of the snap sync: older state is not fetched. " +
			"For all of it sync in full mode")
	}
	if s.metrics = setupMetrics(&s.cfg.Metrics); s.metrics != nil {
		s.running.stack.RegisterLifecycle(s.metrics)
	}
	register := func() (*eth.Service, error) { return registerServices(s.ctx, s.running.stack, s.cfg, s.service) }
	if s.dev {
		s.started, err = s.running.dev.Open(register)
		return s.running.dev.Attach(s.running.stack, s.started, err)
	}
	s.started, err = register()
	return err
}

func (s *nodeStart) registerPage(*process.Closers) (err error) {
	s.running.page, err = devnode.ServePage(s.ctx, s.running.stack, s.started.Chain().Config())
	return err
}

func (s *nodeStart) startServices(*process.Closers) error {
	if err := s.running.stack.Start(); err != nil {
		err = fmt.Errorf("start node: %w", damage.ExplainPeers(s.running.stack.ResolvePath("nodes"), err))
		if s.dev {
			err = s.running.dev.Explain(err)
		}
		return err
	}
	announce(s.running.stack, s.started)
	return nil
}

func (s *nodeStart) watch(closers *process.Closers) error {
	process.StopOnSignal(s.running.stack, s.console, utils.DebugExit)
	watch, end := context.WithCancel(context.Background())
	closers.Add(func() error {
		end()
		return nil
	})
	go s.running.disk.Watch(watch, s.running.closeForDisk)
	if !s.dev && !s.console {
		end := progress.Bar(syncState(watch, s.started), os.Stderr)
		closers.Add(func() error {
			end()
			return nil
		})
	}
	if s.ctx.Bool(settings.ExitStdinFlag.Name) {
		go closeWithStdin(s.running)
	}
	return nil
}

// misbehave is nil but in binaries built with the tag "faulty".
var misbehave func(*ecdsa.PrivateKey) func(wbft.Network) wbft.Network

// registerServices puts the node service and what surrounds it onto the stack.
func registerServices(
	ctx *cli.Context, stack *node.Node, cfg *settings.Config, service *eth.Config,
) (*eth.Service, error) {
	var svc *eth.Service
	err := damage.WithoutTable(func() (err error) {
		svc, err = eth.New(stack, service)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("create node service: %w", damage.ExplainFiles(blockchain.ExplainHistory(cfg, err)))
	}
	gethrpc.SetCallTime(cfg.Eth.RPCEVMTimeout)
	backend := svc.Ethereum().APIBackend
	stack.RegisterAPIs(tracers.APIs(backend))
	logs := filters.NewFilterSystem(backend, filters.Config{
		LogCacheSize: cfg.Eth.FilterLogCacheSize, LogQueryLimit: cfg.Eth.LogQueryLimit, RangeLimit: cfg.Eth.RangeLimit,
	})
	stack.RegisterAPIs([]gethrpc.API{rpc.LogsAPI(logs, service.RPC.Public)})
	if cfg.Gwon.Profile == settings.ProfileExplorer {
		registerExplorer(stack, backend, logs, cfg.Eth.RPCEVMTimeout)
	}
	if ctx.Bool(utils.GraphQLEnabledFlag.Name) {
		err := graphql.Register(stack, backend, logs, cfg.Node.GraphQLCors, cfg.Node.GraphQLVirtualHosts)
		if err != nil {
			return nil, err
		}
	}
	if cfg.Ethstats.URL != "" {
		utils.RegisterEthStatsService(stack, backend, cfg.Ethstats.URL)
	}
	gethrpc.SetDescriber(describe.Describer(reference.OpenRPC))
	chain := svc.Chain()
	snapshots := snapshot.NewService(svc.Ethereum().ChainDb(), chain.TrieDB().FlushSoon, blockchain.SnapshotDisk(ctx, cfg))
	stack.RegisterLifecycle(snapshots) // stops before the service, which closes the database
	stack.RegisterAPIs([]gethrpc.API{{Namespace: "snapshot", Service: snapshots.API()}})
	if cfg.Gwon.Profile == settings.ProfileOperator {
		stack.RegisterLifecycle(&attach.Operator{Stack: stack, Port: cfg.Gwon.OperatorPort})
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
