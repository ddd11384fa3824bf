// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/ethereum/go-ethereum/cmd/bridge"
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
	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/network"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft"
	"gwon/consensus/wbft/signer/remote"
	"gwon/contracts/store"
	"gwon/docs/reference"
	"gwon/eth"
	"gwon/eth/codefetch"
	"gwon/eth/persist"
	"gwon/internal/process"
	"gwon/internal/progress"
	"gwon/internal/release"
	"gwon/internal/start"
	"gwon/rpc"
)

// Running is a node that has been started.
type Running struct {
	Stack   *node.Node
	disk    *process.DiskGuard
	closers start.Closers
}

// Close stops the node. A node that a signal stopped already is no error. The error also names a full disk that stopped
// it.
func (r *Running) Close() error {
	return errors.Join(r.closers.Close(), r.disk.Reason())
}

// closeStack stops the node's services and gives the data directory back.
func (r *Running) closeStack() error {
	if err := r.Stack.Close(); err != nil && !errors.Is(err, node.ErrNodeStopped) {
		return fmt.Errorf("stop node: %w", err)
	}
	return nil
}

// closeForDisk stops the node when its disk is full. The command that waits for its end reports the reason.
func (r *Running) closeForDisk() {
	if err := r.closeStack(); err != nil {
		log.Error("Shutdown failed", "err", err)
	}
}

// Options say what a program adds to the node that flags and configuration file describe.
type Options struct {
	Console bool     // Ctrl-C belongs to a console
	Chain   OwnChain // nil for a network

	// Adopt takes over what the data directory has of go-stablenet. A chain of the program does not call it.
	Adopt func(*cli.Context, *settings.Config) error

	// Register adds services to those of every node.
	Register func(*cli.Context, *node.Node, *settings.Config, *eth.Service)
}

// OwnChain is a chain that the program brings itself, in place of a network that flags or a data directory choose. It
// has no peers and keeps no votes. The steps of a start call the methods in this order.
type OwnChain interface {
	// Configure completes the configuration that flags and file give.
	Configure(cfg *settings.Config) error

	// Prepare gives the configuration its genesis block and the service its sealer.
	Prepare(stack *node.Node, cfg *settings.Config, service *eth.Config) error

	// Open calls the function that opens the database, and attaches the chain to the service.
	Open(stack *node.Node, open func() (*eth.Service, error)) (*eth.Service, error)

	// Serve registers what the endpoints of the chain have besides methods.
	Serve(stack *node.Node) error

	// Explain completes the error of a start that failed.
	Explain(err error) error
}

// Start makes the node that flags and configuration file describe, and starts it.
func Start(ctx *cli.Context, options Options) (*Running, error) {
	s := &nodeStart{ctx: ctx, Options: options, running: new(Running)}
	if err := start.Run(s.steps(), &s.running.closers); err != nil {
		return nil, err
	}
	return s.running, nil
}

// nodeStart is the start of a node: flags, and what the steps have made so far.
type nodeStart struct {
	ctx *cli.Context
	Options

	cfg      *settings.Config
	upstream *cli.Context // flags that upstream's helpers read
	rpc      rpc.Options
	codes    *store.Store    // nil without data directory
	network  *network.Chosen // nil for a chain of the program
	running  *Running
	service  *eth.Config
	signer   *remote.Client // nil for a node with a key
	started  *eth.Service
	metrics  *metricsEndpoint // nil without one
	door     gethrpc.Door     // of all endpoints
}

// steps returns the parts of a start in their order. A step relies on those before it.
func (s *nodeStart) steps() []start.Step {
	return []start.Step{
		{Name: "read configuration", Run: s.readConfig},
		{Name: "apply profile", Run: s.applyProfile},
		{Name: "open door", Run: s.openDoor},
		{Name: "register engine", Run: s.registerEngine},
		{Name: "check disk space", Run: s.checkDisk},   // before anything opens a database, which may hang on a full disk
		{Name: "choose network", Run: s.chooseNetwork}, // before the node exists: boot nodes depend on it
		{Name: "open node key", Run: s.openNodeKey},
		{Name: "open data directory", Run: s.openStack},
		{Name: "mend files", Run: s.mendFiles},
		{Name: "configure service", Run: s.configureService},
		{Name: "prepare chain", Run: s.prepareChain},
		{Name: "unlock accounts", Run: s.unlockAccounts},
		{Name: "register services", Run: s.registerServices},
		{Name: "serve chain", Run: s.serveChain},
		{Name: "register health probes", Run: s.registerHealth},
		{Name: "hold early reads", Run: s.holdReads},
		{Name: "watch signals", Run: s.watchSignals}, // before an endpoint says that the node is up
		{Name: "start services", Run: s.startServices},
		{Name: "watch disk", Run: s.watch},
	}
}

// openDoor bounds what comes in, before anything listens.
func (s *nodeStart) openDoor(*start.Closers) (err error) {
	if s.door, err = s.cfg.Door(); err == nil {
		gethrpc.SetDoor(s.door)
	}
	return err
}

func (s *nodeStart) readConfig(*start.Closers) (err error) {
	if err := settings.CheckHealthFlags(s.ctx); err != nil {
		return err
	}
	if s.cfg, s.upstream, err = settings.Load(s.ctx); err != nil {
		return err
	}
	if err := refuseFileAtEndpoint(s.cfg.Node.IPCEndpoint()); err != nil {
		return err
	}
	if s.Chain != nil {
		return s.Chain.Configure(s.cfg)
	}
	return s.Adopt(s.ctx, s.cfg)
}

// refuseFileAtEndpoint refuses a file at the path of the IPC endpoint. Upstream takes it for an old socket, and removes
// it.
func refuseFileAtEndpoint(path string) error {
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		return fmt.Errorf("--%s %s is a file, and no socket: name another path", utils.IPCPathFlag.Name, path)
	}
	return nil
}

func (s *nodeStart) applyProfile(*start.Closers) (err error) {
	if s.rpc, err = s.cfg.ApplyProfile(s.ctx); err != nil {
		return err // which endpoints a profile opens is not known then
	}
	for _, useless := range s.cfg.UselessFlags(s.ctx) {
		log.Warn("Flags have no effect", "flags", strings.Join(useless.Flags, " "), "remedy", useless.Remedy)
	}
	return nil
}

func (s *nodeStart) registerEngine(*start.Closers) (err error) {
	if s.codes, err = s.cfg.CodeStore(); err != nil {
		return err
	}
	eth.RegisterEngine(s.codes.Source())
	return nil
}

func (s *nodeStart) chooseNetwork(*start.Closers) error {
	if s.Chain != nil {
		return nil
	}
	return datadir.OnceUnlocked(s.ctx.Context, s.cfg.Node.DataDir, s.running.disk, func() (err error) {
		s.network, err = network.Select(s.ctx, s.cfg)
		return err
	})
}

func (s *nodeStart) openStack(closers *start.Closers) error {
	genesis := s.cfg.Eth.Genesis
	err := datadir.OnceUnlocked(s.ctx.Context, s.cfg.Node.DataDir, s.running.disk, func() (err error) {
		s.running.Stack, err = settings.NewStack(s.cfg, s.upstream)
		return err
	})
	if err != nil {
		return err
	}
	closers.Add(s.running.closeStack)
	s.cfg.Eth.Genesis = genesis // upstream's helpers know only upstream's networks
	return nil
}

func (s *nodeStart) checkDisk(*start.Closers) error {
	s.running.disk = settings.NewDiskGuard(s.ctx, s.cfg)
	return s.running.disk.Check()
}

func (s *nodeStart) mendFiles(*start.Closers) error {
	if s.Chain != nil {
		return nil // it is not known yet
	}
	return s.network.MendFiles(s.cfg)
}

func (s *nodeStart) configureService(*start.Closers) error {
	own := &s.cfg.Gwon
	s.service = &eth.Config{
		Eth:            &s.cfg.Eth,
		Sealing:        own.Mine || s.Chain != nil,
		SyncInterval:   settings.DurationOf(own.SyncInterval),
		Checkpoint:     own.Checkpoint,
		SyncVerifyAll:  own.SyncVerifyAll,
		SignFrom:       own.SignFrom,
		RecorderSize:   int64(own.Recorder) << 20, //nolint:gosec // settings bounds it
		Events:         own.Events,
		Strict:         own.Strict,
		Build:          release.Version(),
		PayerSlots:     own.PayerSlots,
		DelegatedSlots: own.DelegatedSlots,
		UnlockAllowed:  own.InsecureUnlock,
		RPC:            s.rpc,
		Replaying:      s.replaying,
	}
	if s.signer != nil {
		s.service.Key = s.signer
	}
	if misbehave != nil {
		s.service.Network = misbehave(s.cfg.Node.NodeKey())
	}
	return nil
}

func (s *nodeStart) prepareChain(*start.Closers) error {
	if s.Chain != nil {
		s.cfg.Eth.SyncMode, s.service.Checkpoint = ethconfig.FullSync, common.Hash{}
		if err := s.Chain.Prepare(s.running.Stack, s.cfg, s.service); err != nil {
			return err
		}
		return s.Chain.Explain(datadir.MendFiles(s.cfg))
	}
	missing, err := s.network.Prepare(s.ctx.Context, s.cfg, s.running.Stack, s.codes)
	if err != nil {
		return err
	}
	if len(missing) > 0 && s.codes != nil {
		s.service.Codes = codefetch.NewSeeker(missing, s.codes)
	}
	s.service.VoteLogDir = s.running.Stack.InstanceDir()
	return nil
}

func (s *nodeStart) unlockAccounts(*start.Closers) error {
	return keys.UnlockAccounts(s.ctx, s.running.Stack, s.cfg)
}

func (s *nodeStart) registerServices(*start.Closers) (err error) {
	if s.cfg.Eth.SyncMode == ethconfig.SnapSync && s.cfg.Eth.NoPruning {
		log.Warn("The archive will begin at the pivot of the snap sync: older state is not fetched. " +
			"For all of it sync in full mode")
	}
	if s.metrics = setupMetrics(&s.cfg.Metrics); s.metrics != nil {
		s.running.Stack.RegisterLifecycle(s.metrics)
	}
	register := func() (*eth.Service, error) {
		svc, err := RegisterServices(s.ctx, s.running.Stack, s.cfg, s.service, s.door, s.running.disk)
		if err == nil {
			s.Register(s.ctx, s.running.Stack, s.cfg, svc)
		}
		return svc, err
	}
	if s.Chain != nil {
		s.started, err = s.Chain.Open(s.running.Stack, register)
		return err
	}
	s.started, err = register()
	return err
}

func (s *nodeStart) serveChain(*start.Closers) error {
	if s.Chain == nil {
		return nil
	}
	return s.Chain.Serve(s.running.Stack)
}

// explainListen adds the remedy to the error of a port that another program has, or of a path that is too long.
func explainListen(err error, ipc string) error {
	if errors.Is(err, syscall.EINVAL) && len(ipc) > process.MaxSocketPath {
		return fmt.Errorf("%w: the path has %d characters, a socket takes %d: give a shorter one with --%s", err, len(ipc),
			process.MaxSocketPath, utils.IPCPathFlag.Name)
	}
	if !errors.Is(err, syscall.EADDRINUSE) {
		return err
	}
	return fmt.Errorf("%w: end the program that has the port, perhaps another node, or give another --%s, --%s, --%s or "+
		"--%s", err, utils.HTTPPortFlag.Name, utils.WSPortFlag.Name, utils.ListenPortFlag.Name, utils.MetricsPortFlag.Name)
}

func (s *nodeStart) watchSignals(*start.Closers) error {
	process.StopOnSignal(s.running.Stack, s.Console, bridge.DebugExit)
	return nil
}

func (s *nodeStart) startServices(*start.Closers) error {
	err := s.running.Stack.Start()
	if errors.Is(err, node.ErrNodeStopped) {
		return program.ErrInterrupted
	}
	if err != nil {
		stack := s.running.Stack
		err = fmt.Errorf("start node: %w", damage.ExplainPeers(stack.ResolvePath("nodes"),
			explainListen(err, stack.IPCEndpoint())))
		if s.Chain != nil {
			err = s.Chain.Explain(err)
		}
		return err
	}
	announce(s.running.Stack, s.started)
	return nil
}

func (s *nodeStart) watch(closers *start.Closers) error {
	watch, end := context.WithCancel(context.Background())
	closers.Add(func() error {
		end()
		return nil
	})
	go s.running.disk.Watch(watch, s.running.closeForDisk)
	if s.Chain == nil && !s.Console {
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

// RegisterServices puts the node service and what surrounds it onto the stack.
func RegisterServices(
	ctx *cli.Context, stack *node.Node, cfg *settings.Config, service *eth.Config, door gethrpc.Door,
	disk *process.DiskGuard,
) (*eth.Service, error) {
	var svc *eth.Service
	opened := disk.TellSlow()
	defer opened()
	if inner := service.Replaying; inner != nil { // which has lines of its own
		service.Replaying = func(replay *persist.Replay) (end func()) {
			opened()
			return inner(replay)
		}
	}
	callTime := cfg.Eth.RPCEVMTimeout
	cfg.Eth.RPCEVMTimeout = 0 // a method's own clock would run on while its call waits for a turn
	gethrpc.SetCallTime(callTime)
	err := damage.WithoutTable(func() (err error) {
		svc, err = eth.New(stack, service)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("create node service: %w", damage.ExplainFiles(explainHistory(cfg, err)))
	}
	opened()
	log.Info("States kept", "of", settings.KeptStates(&cfg.Eth, svc.Chain().TrieDB().Scheme()))
	backend := svc.Ethereum().APIBackend
	stack.RegisterAPIs(tracers.APIs(backend))
	logs := filters.NewFilterSystem(backend, filters.Config{
		LogCacheSize: cfg.Eth.FilterLogCacheSize, LogQueryLimit: cfg.Eth.LogQueryLimit, RangeLimit: cfg.Eth.RangeLimit,
	})
	stack.RegisterAPIs([]gethrpc.API{rpc.LogsAPI(logs, door, service.RPC.Public)})
	if cfg.Gwon.Profile == settings.ProfileExplorer {
		registerExplorer(stack, backend, logs, callTime)
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
	gethrpc.SetDescriber(rpc.Describer(reference.OpenRPC))
	if cfg.Gwon.Profile == settings.ProfileOperator {
		stack.RegisterLifecycle(&attach.Operator{Stack: stack, Port: cfg.Gwon.OperatorPort})
	}
	return svc, nil
}

// explainHistory says what to do when the data directory does not hold the history that the node was told to keep.
// Upstream's errors have no names.
func explainHistory(cfg *settings.Config, err error) error {
	if err == nil {
		return nil
	}
	flag := fmt.Sprintf("--%s %s", utils.ChainHistoryFlag.Name, cfg.Eth.HistoryMode)
	switch text := err.Error(); {
	case text == "history pruning required":
		return fmt.Errorf("the data directory holds history that %s is to leave out: drop it with gwon prune-history "+
			"--datadir %s %s, or start without the flag", flag, cfg.Node.DataDir, flag)
	case strings.HasPrefix(text, "database tail "):
		return fmt.Errorf("%s names another block than the one with which the history in the data directory begins: give "+
			"its hash, or start without the flag (%w)", flag, err)
	case strings.HasPrefix(text, "database pruned beyond"):
		return fmt.Errorf("%s asks for history that has been dropped from the data directory: name the block with which it "+
			"begins, or start without the flag; only a new data directory gets the rest from the network again (%w)", flag, err)
	}
	return err
}

// closeWithStdin stops the node when standard input ends: a parent that is gone, in whatever way, closes it.
func closeWithStdin(running *Running) {
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		log.Warn("Standard input failed", "err", err)
	}
	log.Info("Standard input closed, shutting down")
	if err := running.Close(); err != nil {
		log.Error("Shutdown failed", "err", err)
	}
}
