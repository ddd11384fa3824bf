// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"io"
	"math/big"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/eth/protocols/snap"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/netutil"
	gethparams "github.com/ethereum/go-ethereum/params"
	"golang.org/x/time/rate"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/eventstream"
	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/keylock"
	"gwon/consensus/wbft/recording"
	"gwon/consensus/wbft/signing"
	"gwon/core"
	"gwon/eth/blockgossip"
	"gwon/eth/blocklog"
	"gwon/eth/checkpoint"
	"gwon/eth/codefetch"
	"gwon/eth/forkwatch"
	"gwon/eth/observer"
	"gwon/eth/persist"
	"gwon/eth/senderindex"
	"gwon/eth/session"
	blocksync "gwon/eth/sync"
	"gwon/eth/txgossip"
	"gwon/eth/validatorpeers"
	"gwon/internal/feed"
	"gwon/mempool"
	"gwon/miner"
	"gwon/rpc"
)

const haltReminder = time.Minute

// Config holds the settings of a Service.
type Config struct {
	Eth           *ethconfig.Config // go-ethereum's settings; New sets Extension
	Sealing       bool              // take part in consensus from the start, whether or not the node key is a validator's
	Key           wbft.Key          // key of the validator in another process; nil for the node key of the stack
	VoteLogDir    string            // directory of the vote log; empty for a chain in memory
	SignFrom      uint64            // sequence from which the validator signs despite lost votes; 0 for none
	RecorderSize  int64             // bytes of the recorder of a validator; 0 for none
	Events        string            // file of the event stream of a validator; empty for none
	Strict        bool              // wbft.DriverConfig.Strict
	Build         string            // version of the program, for recordings
	SyncInterval  time.Duration     // time between two searches for a better peer; 0 means 10 s
	Checkpoint    common.Hash       // block that the chain must contain; zero for none
	SyncVerifyAll bool              // verify the seals of every historical block
	PayerSlots    uint64            // transactions that one fee payer may back in the pool; 0 for the default

	// DelegatedSlots is the number of executable transactions of an account with code in the pool; 0 for the default.
	DelegatedSlots uint64
	UnlockAllowed  bool // keys may be unlocked while HTTP or WebSocket is open
	RPC            rpc.Options
	Codes          *codefetch.Seeker // source of code for later upgrades; nil if none is missing
	Sealer         Sealer            // replaces the consensus driver on developer chains; nil elsewhere
	// Replaying, if not nil, is called when stored blocks are executed again, and returns what is called afterwards. New
	// returns later.
	Replaying func(*persist.Replay) (end func())
	// Network, if not nil, wraps the carrier of the driver's messages. Tests use it for validators that break the rules.
	Network func(wbft.Network) wbft.Network
}

// Sealer seals the blocks of a chain without consensus.
type Sealer interface {
	Start() error
	Stop()
	Running() bool
}

// EngineWrapper is an engine in front of WBFT.
type EngineWrapper interface {
	consensus.Engine
	WBFT() *wbft.Engine
}

// Service is the node service of an Anzeon chain. It implements node.Lifecycle and rpc.Backend.
type Service struct {
	Configuration core.Configuration // of the chain

	differences rate.Sometimes // log lines about peers with another one

	cfg      Config
	stack    *node.Node
	ethereum *eth.Ethereum
	chain    *gethcore.BlockChain
	engine   *wbft.Engine
	address  common.Address

	sessions     *session.Sessions
	refusals     *session.Refusals
	messages     *session.Messenger
	blocks       *blockgossip.Gossip
	safety       *blockgossip.Safety
	forks        *forkwatch.Watch
	peers        *validatorpeers.Peers
	importer     *blockgossip.Importer
	syncer       *blocksync.Syncer
	driver       *wbft.Driver
	evidence     *evidence.Store // nil for a chain in memory
	recorder     *recording.Recorder
	pool         *mempool.Pool
	transactions *txgossip.Gossip
	senders      *senderindex.Index
	observer     *observer.Observer // nil without metrics

	sealLater atomic.Bool // sealing waits for the first sync

	lock   io.Closer // on the node key
	tip    *big.Int  // minimum tip of the pool; owned by Start, then by watchHead
	cancel context.CancelFunc

	begun   sync.Once
	started chan struct{} // closed by the first Start
	wg      sync.WaitGroup
}

var (
	registerEngine sync.Once
	upgradeCode    atomic.Pointer[core.CodeSource]
	engineWrapper  atomic.Pointer[func(*wbft.Engine) EngineWrapper]
)

// RegisterEngine makes go-ethereum create the WBFT engine for every chain configuration with an anzeon section. Later
// engines take the code of system contract upgrades from codes, which may be nil (spec chain 10). Call it before a
// chain is opened.
func RegisterEngine(codes core.CodeSource) {
	upgradeCode.Store(&codes)
	registerEngine.Do(func() {
		ethconfig.RegisterEngine(func(config *gethparams.ChainConfig, db ethdb.Database) (consensus.Engine, error) {
			if config.Anzeon == nil {
				return nil, nil
			}
			engine, err := wbft.New(config, *upgradeCode.Load())
			if wrap := engineWrapper.Load(); wrap != nil && err == nil {
				return (*wrap)(engine), nil
			}
			return engine, err
		})
	})
}

// WrapEngine makes wrap add an engine in front of each later one.
func WrapEngine(wrap func(*wbft.Engine) EngineWrapper) { engineWrapper.Store(&wrap) }

// engineOf returns the WBFT engine of a chain, or nil.
func engineOf(engine consensus.Engine) *wbft.Engine {
	switch engine := engine.(type) {
	case *wbft.Engine:
		return engine
	case EngineWrapper:
		return engine.WBFT()
	}
	return nil
}

// New creates go-ethereum's service and this one around it, and registers both on the stack.
func New(stack *node.Node, cfg *Config) (*Service, error) {
	s := &Service{cfg: *cfg, stack: stack, sessions: session.NewSessions(), refusals: session.NewRefusals(),
		started: make(chan struct{}), lock: io.NopCloser(nil)}
	if s.cfg.SyncInterval <= 0 {
		s.cfg.SyncInterval = 10 * time.Second
	}
	key := stack.Config().NodeKey()
	s.address = crypto.PubkeyToAddress(key.PublicKey)
	s.forks = forkwatch.New(stack.Server().Name, s.inCharge)
	s.messages = session.NewMessenger(s.address, s.sessions, s.paired)

	s.cfg.Eth.Extension = (*extension)(s)
	if stack.InstanceDir() != "" {
		stack.RegisterLifecycle(persist.Journal(stack.ResolvePath("triedb"))) // stops after the chain
	}
	ethereum, err := eth.New(stack, s.cfg.Eth)
	if err != nil {
		return nil, err
	}
	rawdb.PopUncleanShutdownMarker(ethereum.ChainDb()) // Start writes it: a node that is not started ends cleanly
	s.boundState(stack.Server().Protocols)
	s.afterStart(stack.Server().Protocols)
	if err := s.attach(ethereum, key); err != nil {
		return nil, err
	}
	configurations := session.NewConfigurations(s.sessions, s.chain.Genesis().Hash(), s.Configuration,
		func(ses *session.Session, difference string) {
			s.forks.Configured(ses.Address, difference)
			if difference == "" {
				return
			}
			s.differences.Do(func() {
				ses.Peer.Log().Warn("Peer has another chain configuration", "difference", difference,
					"validator", s.inCharge(ses.Address), "remedy", "compare gwon genesis show of both genesis files")
			})
		})
	stack.RegisterProtocols([]p2p.Protocol{s.messages.Protocol(s.nodeInfo), configurations.Protocol()})
	stack.RegisterAPIs(rpc.APIs(s, s.cfg.RPC))
	stack.RegisterLifecycle(s)
	return s, nil
}

// attach connects the parts of the service to go-ethereum's.
func (s *Service) attach(ethereum *eth.Ethereum, key *ecdsa.PrivateKey) error {
	engine := engineOf(ethereum.Engine())
	if engine == nil {
		return errors.New("the chain in this data directory has no \"anzeon\" section: choose a directory of a WBFT chain, " +
			"or initialize a new one with gwon init")
	}
	if s.cfg.Key != nil {
		engine.AuthorizeKey(s.cfg.Key)
	} else if err := engine.Authorize(key); err != nil {
		return err
	}
	s.ethereum, s.engine, s.chain = ethereum, engine, ethereum.BlockChain()
	if err := s.checkHistory(); err != nil {
		return err
	}
	var err error
	if s.Configuration, err = core.Canonical(s.chain.Config()); err != nil {
		return err
	}
	if s.senders, err = senderindex.New(ethereum.ChainDb(), s.chain, s.cfg.Eth.TransactionHistory); err != nil {
		return err
	}
	s.safety = blockgossip.NewSafety(s.chain, engine, s.halt, s.violation)
	s.safety.Watch(s.forks.BlockRefused)
	s.blocks = blockgossip.New(s.chain, s.sessions)
	s.peers = s.validatorPeers()
	s.syncer = blocksync.New(blocksync.Config{
		Chain: s.chain, Engine: engine, Sessions: s.sessions, Safety: s.safety, Announcer: s.blocks,
		States:     blocksync.States(ethereum),
		Checkpoint: checkpoint.New(s.cfg.Checkpoint, s.chain), Interval: s.cfg.SyncInterval, VerifyAll: s.cfg.SyncVerifyAll,
		Pause:  func(paused bool) { s.driver.Pause(paused) },
		Synced: s.caughtUp,
		Drop:   s.drop,
	})
	s.transactions = txgossip.New(txgossip.Config{
		Sessions: s.sessions, Pool: s.pool, Validator: s.messages.Member, Signer: types.LatestSigner(s.chain.Config()),
	})
	s.importer = blockgossip.NewImporter(s.chain, engine, s.blocks, s.safety, s.drop, s.syncer, ethereum.TxPool().Get)

	if s.cfg.VoteLogDir != "" {
		if s.evidence, err = evidence.Open(s.cfg.VoteLogDir, s.chain.Genesis().Hash()); err != nil {
			return err
		}
	}
	config := wbft.DriverConfig{
		Engine:     engine,
		Chain:      s.chain,
		Network:    (*network)(s),
		Pooled:     ethereum.TxPool().Get,
		Builder:    miner.NewBuilder(s.chain, ethereum.Miner(), 800*time.Millisecond),
		VoteLogDir: s.cfg.VoteLogDir,
		Evidence:   s.evidence,
		Cause:      s.forks.Cause,
		SignFrom:   s.cfg.SignFrom,
		Strict:     s.cfg.Strict,
	}
	if s.recorder, err = s.newRecorder(); err != nil {
		return err
	}
	config.Recorder = s.recorder
	if s.cfg.Network != nil {
		config.Network = s.cfg.Network(config.Network)
	}
	if s.observer = s.newObserver(); s.observer != nil {
		config.Observe = s.observer.Steps().Observe
	}
	driver, err := wbft.NewDriver(config)
	if err != nil {
		return err
	}
	s.driver = driver
	return nil
}

// newRecorder returns the recorder of a validator, nil for none and for a chain in memory.
func (s *Service) newRecorder() (*recording.Recorder, error) {
	if s.cfg.VoteLogDir == "" {
		return nil, nil
	}
	var writers []recording.Writer
	if s.cfg.RecorderSize > 0 {
		ring, err := recording.NewRing(recording.RingConfig{
			Dir: filepath.Join(s.cfg.VoteLogDir, recording.Dir), Size: s.cfg.RecorderSize, Build: s.cfg.Build,
		})
		if err != nil {
			return nil, err
		}
		writers = append(writers, ring)
	}
	if s.cfg.Events != "" {
		events, err := eventstream.New(s.cfg.Events, s.cfg.Build)
		if err != nil {
			return nil, fmt.Errorf("--wbft.events: %w", err)
		}
		writers = append(writers, events)
	}
	return recording.NewRecorder(writers...), nil
}

// checkHistory refuses the execution of a chain from block 0 when its early history shall not be stored
// (--history.chain).
func (s *Service) checkHistory() error {
	cutoff, _ := s.chain.HistoryPruningCutoff()
	tail, err := s.ethereum.ChainDb().Tail(rawdb.ChainFreezerBlockDataGroup)
	if err != nil {
		return fmt.Errorf("read the start of the history in the ancient store: %w", err)
	}
	if tail < cutoff && !blocksync.States(s.ethereum).Pending() {
		return fmt.Errorf("--history.chain: a full sync stores the history before block %d too: begin with --syncmode "+
			"snap, or without --history.chain and drop it later with gwon prune-history", cutoff)
	}
	return nil
}

// validatorPeers creates the validator connections and their reserved places at the p2p server.
func (s *Service) validatorPeers() *validatorpeers.Peers {
	server, path := s.stack.Server(), ""
	if dir := s.stack.InstanceDir(); dir != "" {
		path = filepath.Join(dir, validatorpeers.FileName)
	}
	v := validatorpeers.New(s.address, s.chain.Config().ChainID, validatorpeers.Server{Server: server}, s.sessions, path,
		server.StaticNodes, server.TrustedNodes)
	s.sessions.Changed = v.Nudge
	server.Reserve(v.Reserves)
	server.Refuse(s.refusals.Holds)
	server.BoundStrangers(s.messages.Seals)
	return v
}

// Start implements node.Lifecycle. While it runs it has the machine's lock on its node key, sealing or not: a second
// node with the key would keep it from its peers.
func (s *Service) Start() error {
	if s.stack.InstanceDir() != "" && s.cfg.Key == nil { // a signer that has the key has the lock
		lock, err := keylock.Acquire(s.address, s.chain.Genesis().Hash())
		if err != nil {
			return err
		}
		s.lock = lock
	}
	if _, _, err := rawdb.PushUncleanShutdownMarker(s.ethereum.ChainDb()); err != nil { // go-ethereum's Stop removes it
		return errors.Join(fmt.Errorf("mark the start in the chain database: %w", err), s.lock.Close())
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.begun.Do(func() { close(s.started) })
	// Before the first read of the head, so that none is missed.
	heads, sub := feed.Relay(s.chain.SubscribeChainHeadEvent, 1)
	if s.syncer.HasState() {
		if err := s.followHead(s.chain.CurrentBlock()); err != nil {
			sub.Unsubscribe()
			return errors.Join(err, s.lock.Close())
		}
	}
	s.peers.Search(s.chain, s.chain.CurrentBlock())
	s.run(func() { s.watchHead(ctx, heads, sub) })
	s.run(func() { s.peers.Run(ctx) })
	s.run(func() { s.importer.Run(ctx) })
	s.run(func() { s.syncer.Run(ctx) })
	s.run(func() { s.senders.Run(ctx) })
	s.run(func() { s.watchIndexes(ctx) })
	s.run(func() { s.remind(ctx) })
	if s.cfg.Sealer == nil { // a developer chain has no other validators to tell of
		s.run(func() { blocklog.New(s.chain, s.ValidatorsForHeader, s.address).Run(ctx) })
	}
	if s.observer != nil {
		s.run(func() { s.observer.Run(ctx) })
	}
	s.run(func() { s.transactions.AnnounceOverdue(ctx) })
	s.ethereum.LeaveBroadcast() // gwon's transaction gossip replaces it
	s.run(s.transactions.Broadcast(ctx))
	if s.cfg.Codes != nil {
		s.run(func() { s.cfg.Codes.Run(ctx) })
	}
	s.run(func() { persist.NewSaver(s.chain).Run(ctx) })
	if s.syncer.Ready() && s.chain.CurrentBlock().Number.Sign() == 0 {
		s.ethereum.SetSynced() // a new chain waits for no sync
	}
	if s.cfg.Sealing {
		if err := s.StartSealing(); err != nil {
			// The node does not stop a service whose start failed, and closes the chain next.
			return errors.Join(err, s.Stop())
		}
	}
	return nil
}

// caughtUp is called when the node has all blocks of its peers.
func (s *Service) caughtUp() {
	s.ethereum.SetSynced()
	if s.sealLater.CompareAndSwap(true, false) {
		if err := s.StartSealing(); err != nil {
			log.Error("Sealing not started", "err", err)
			s.sealLater.Store(errors.Is(err, signing.ErrAway)) // the next sync tries again
		}
	}
}

// Stop implements node.Lifecycle. It runs before go-ethereum's service stops.
func (s *Service) Stop() error {
	if err := s.StopSealing(); err != nil {
		return err
	}
	s.cancel()
	s.chain.InterruptInsert(true) // a sync may be inserting many large blocks
	s.wg.Wait()
	return errors.Join(s.recorder.Close(), s.lock.Close())
}

func (s *Service) run(f func()) {
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		f()
	}()
}

// halt stops sealing, because the network decided a block that this node cannot accept. The node continues to serve
// its blocks; nothing is deleted.
func (s *Service) halt(reason string) { s.driver.Halt(reason + s.forks.Cause()) }

// violation halts because two quorums decided differently.
func (s *Service) violation(reason string) { s.driver.Violation(reason + s.forks.Cause()) }

// remind logs the reason of a halt every minute, on validators and followers.
func (s *Service) remind(ctx context.Context) {
	ticker := time.Tick(haltReminder)
	for {
		select {
		case <-ticker:
			if reason := s.driver.Halted(); reason != "" {
				log.Error(wbft.HaltedMessage, "reason", reason)
			}
			s.forks.Report() // whose metric forgets old signs
		case <-ctx.Done():
			return
		}
	}
}

// drop disconnects a peer that broke the rules. A peer that lied is also refused for a while. Missing answers are no
// lie and do not disconnect validators, which may be busy.
func (s *Service) drop(ses *session.Session, reason error) {
	p, validator := ses.Peer, s.peers.Reserves(ses.Peer.ID())
	silent := errors.Is(reason, session.ErrNoAnswer)
	if silent && validator {
		p.Log().Debug("A validator does not answer", "reason", reason)
		return
	}
	s.sessions.Report(p, reason)
	lied := !silent || errors.Is(reason, session.ErrClaim)
	if lied && !validator && !p.Trusted() && !p.StaticDialed() {
		s.refusals.Add(p.ID(), netutil.AddrAddr(p.RemoteAddr()))
	}
	p.Disconnect(p2p.DiscSubprotocolError)
}

// Ethereum returns go-ethereum's service.
func (s *Service) Ethereum() *eth.Ethereum { return s.ethereum }

// Pool returns the transaction pool.
func (s *Service) Pool() *mempool.Pool { return s.pool }

// Driver returns the consensus driver.
func (s *Service) Driver() *wbft.Driver { return s.driver }

// StartSealing makes the node take part in consensus and accept transactions of peers. A node without state does so
// after its first sync.
func (s *Service) StartSealing() error {
	if !s.syncer.Ready() {
		log.Info("Sealing deferred", "until", "first sync")
		s.sealLater.Store(true)
		return nil
	}
	if s.cfg.Sealer != nil {
		return s.cfg.Sealer.Start()
	}
	if err := s.driver.Start(); err != nil {
		return err
	}
	s.messages.DeliverTo(s.driver.Deliver)
	s.ethereum.SetSynced()
	return nil
}

// StopSealing ends the part of the node in consensus. Later messages are ignored; peers stay connected.
func (s *Service) StopSealing() error {
	s.sealLater.Store(false)
	s.messages.DeliverTo(nil)
	if s.cfg.Sealer != nil {
		s.cfg.Sealer.Stop()
	}
	s.driver.Stop()
	return nil
}

// extension adds the service inside go-ethereum's (ethconfig.Extension).
type extension Service

func (x *extension) WrapBackend(inner protocol.Backend) protocol.Backend {
	return &backend{inner, (*Service)(x)}
}

func (x *extension) WrapSnapBackend(inner snap.Backend) snap.Backend {
	if x.cfg.Codes == nil {
		return inner
	}
	return x.cfg.Codes.Wrap(inner)
}

func (x *extension) GovernedTip(head *types.Header) (*big.Int, error) {
	return (*Service)(x).governedTip(head)
}

func (x *extension) NewPool(config legacypool.Config, chain legacypool.BlockChain) txpool.SubPool {
	x.pool = mempool.New(mempool.FromUpstream(config, x.cfg.PayerSlots, x.cfg.DelegatedSlots), chain)
	return x.pool
}

// Replay executes the stored blocks whose state a crash has lost.
func (x *extension) Replay(chain *gethcore.BlockChain) error {
	replay := persist.FindReplay(chain, engineOf(chain.Engine()))
	if replay == nil {
		return nil
	}
	if x.cfg.Replaying != nil {
		defer x.cfg.Replaying(replay)()
	}
	return replay.Run()
}

func (x *extension) Submit(tx *types.Transaction) error { return x.pool.Submit(tx) }

// network implements wbft.Network for the driver.
type network Service

func (n *network) Send(set []common.Address, code uint64, payload []byte, to []common.Address, force bool) {
	n.messages.Send(set, code, payload, to, force)
}

func (n *network) Relay(set []common.Address, code uint64, payload []byte) {
	n.messages.Relay(set, code, payload)
}

func (n *network) Forget(payload []byte) { n.messages.Forget(payload) }

func (n *network) Drop(validator common.Address, reason string) { n.messages.Drop(validator, reason) }

func (n *network) Broadcast(block *types.Block, holders []common.Address) {
	n.blocks.Broadcast(block, holders)
}
