// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/eth/protocols/snap"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/p2p/netutil"
	"github.com/ethereum/go-ethereum/params"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/validators"
	"gwon/core"
	"gwon/eth/codefetch"
	"gwon/miner"
	"gwon/rpc"
)

const (
	defaultSyncInterval = 10 * time.Second
	buildDeadline       = 800 * time.Millisecond
	haltReminder        = time.Minute
)

// Config tells a Service how to run.
type Config struct {
	Eth           *ethconfig.Config // go-ethereum's own settings; Extension is set by New
	Sealing       bool              // take part in the consensus from the start, if the node key is a validator's or not
	VotesDir      string            // where the durable votes lie; empty for a chain in memory only
	SyncInterval  time.Duration     // between two looks for a better peer; 0 means 10 s
	Checkpoint    common.Hash       // block that the chain must have; zero for none
	UnlockAllowed bool              // keys may be unlocked although HTTP or WebSocket is open
	RPC           rpc.Options
	Codes         *codefetch.Seeker // of code that the chain will need at an upgrade; nil when it has all
	Dev           *DevConfig        // nil outside developer chains
	// Network, if not nil, stands between the driver and the carrier of its messages: for validators that break the rules in tests.
	Network func(wbft.Network) wbft.Network
}

// DevConfig makes a developer chain of one validator.
type DevConfig struct {
	Period time.Duration // between blocks; 0 seals whenever there is a transaction
}

// Service is the node service of an Anzeon chain. It implements node.Lifecycle and rpc.Backend.
type Service struct {
	cfg      Config
	stack    *node.Node
	ethereum *eth.Ethereum
	chain    *gethcore.BlockChain
	engine   *wbft.Engine
	address  common.Address

	sessions *sessions
	refusals *refusals
	messages *messenger
	gossip   *gossip
	safety   *safety
	peers    *validatorPeers
	importer *importer
	syncer   *syncer
	driver   *wbft.Driver

	sealLater atomic.Bool // sealing waits for the first sync

	tip    *big.Int // the minimum tip the pool was told; owned by Start, then by watchHead
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

var (
	registerEngine sync.Once
	upgradeCode    atomic.Pointer[core.CodeSource]
)

// RegisterEngine makes go-ethereum create the WBFT engine for every chain configuration with an anzeon section. codes, which
// may be nil, gives the code of system-contract upgrades (spec chain 10) to the engines created from now on. The command
// calls it before it opens a chain.
func RegisterEngine(codes core.CodeSource) {
	upgradeCode.Store(&codes)
	registerEngine.Do(func() {
		ethconfig.RegisterEngine(func(config *params.ChainConfig, db ethdb.Database) (consensus.Engine, error) {
			if config.Anzeon == nil {
				return nil, nil
			}
			return wbft.New(config, *upgradeCode.Load())
		})
	})
}

// New builds go-ethereum's service and this one around it, and registers both on the stack.
func New(stack *node.Node, cfg *Config) (*Service, error) {
	s := &Service{cfg: *cfg, stack: stack, sessions: newSessions(), refusals: newRefusals()}
	if s.cfg.SyncInterval <= 0 {
		s.cfg.SyncInterval = defaultSyncInterval
	}
	key := stack.Config().NodeKey()
	s.address = crypto.PubkeyToAddress(key.PublicKey)
	s.messages = newMessenger(s.address, s.sessions, s.paired)

	s.cfg.Eth.Extension = (*extension)(s)
	ethereum, err := eth.New(stack, s.cfg.Eth)
	if err != nil {
		return nil, err
	}
	if err := s.attach(ethereum, key); err != nil {
		return nil, err
	}
	stack.RegisterProtocols([]p2p.Protocol{s.messages.protocol(s.nodeInfo)})
	stack.RegisterAPIs(rpc.APIs(s, s.cfg.RPC))
	stack.RegisterLifecycle(s)
	return s, nil
}

// attach wires the parts of the service to go-ethereum's.
func (s *Service) attach(ethereum *eth.Ethereum, key *ecdsa.PrivateKey) error {
	engine, ok := ethereum.Engine().(*wbft.Engine)
	if !ok {
		return errors.New("the chain in this data directory has no \"anzeon\" section: gwon runs WBFT chains only")
	}
	if err := engine.Authorize(key); err != nil {
		return err
	}
	s.ethereum, s.engine, s.chain = ethereum, engine, ethereum.BlockChain()
	s.gossip = &gossip{s.chain, s.sessions}
	s.safety = newSafety(s.chain, engine, s.halt, s.violation)
	s.peers = s.validatorPeers()
	s.syncer = &syncer{
		chain: s.chain, engine: engine, sessions: s.sessions, gossip: s.gossip, states: snapStates{ethereum},
		checkpoint: newCheckpoint(s.cfg.Checkpoint, s.chain), interval: s.cfg.SyncInterval, timeout: requestTimeout, hedge: hedgeAfter,
		waive: waiveAfter, safety: s.safety, synced: s.caughtUp, dropPeer: s.drop, wake: make(chan struct{}, 1),
	}
	s.syncer.scout = newScout(s.chain, engine, s.sessions, s.drop, s.syncer.nudge)
	s.importer = newImporter(s.chain, engine, s.gossip, s.safety, s.drop, s.syncer)
	s.importer.pooled = ethereum.TxPool().Get

	config := wbft.DriverConfig{
		Engine:   engine,
		Chain:    s.chain,
		Network:  (*network)(s),
		Pooled:   ethereum.TxPool().Get,
		Builder:  miner.NewBuilder(s.chain, ethereum.TxPool(), ethereum.Miner(), buildDeadline),
		VotesDir: s.cfg.VotesDir,
	}
	if s.cfg.Dev != nil {
		config.OnDemand, config.DevPeriod = s.cfg.Dev.Period == 0, s.cfg.Dev.Period
	}
	if s.cfg.Network != nil {
		config.Network = s.cfg.Network(config.Network)
	}
	driver, err := wbft.NewDriver(config)
	if err != nil {
		return err
	}
	s.driver, s.syncer.pause = driver, driver.Pause
	return nil
}

// validatorPeers makes what keeps validators connected and gives it its places at the p2p server.
func (s *Service) validatorPeers() *validatorPeers {
	server, path := s.stack.Server(), ""
	if dir := s.stack.InstanceDir(); dir != "" {
		path = filepath.Join(dir, validatorNodesFile)
	}
	v := newValidatorPeers(s.address, s.chain.Config().ChainID, dialer{server}, s.sessions, path, server.StaticNodes, server.TrustedNodes)
	s.sessions.changed = v.nudge
	server.Reserve(v.reserves)
	server.Refuse(s.refusals.holds)
	return v
}

// Start implements node.Lifecycle.
func (s *Service) Start() error {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	heads := make(chan gethcore.ChainHeadEvent, 16)
	sub := s.chain.SubscribeChainHeadEvent(heads) // before the first look at the head: none is missed in between
	if !s.syncer.states.Pending() {
		if err := s.followHead(s.chain.CurrentBlock()); err != nil {
			sub.Unsubscribe()
			return err
		}
	}
	s.peers.search(s.chain, s.chain.CurrentBlock())
	s.run(func() { s.watchHead(ctx, heads, sub) })
	s.run(func() { s.peers.run(ctx) })
	s.run(func() { s.importer.run(ctx) })
	s.run(func() { s.syncer.run(ctx) })
	s.run(func() { s.remind(ctx) })
	if s.cfg.Codes != nil {
		s.run(func() { s.cfg.Codes.Run(ctx) })
	}
	s.run(func() { persist(ctx, s.chain.TrieDB().FlushSoon) })
	if s.syncer.ready() && s.chain.CurrentBlock().Number.Sign() == 0 {
		s.ethereum.SetSynced() // a fresh chain has nothing to wait for
	}
	if s.cfg.Sealing {
		return s.StartSealing()
	}
	return nil
}

// caughtUp is called whenever the node has all that its peers have.
func (s *Service) caughtUp() {
	s.ethereum.SetSynced()
	if s.sealLater.CompareAndSwap(true, false) {
		if err := s.StartSealing(); err != nil {
			log.Error("Cannot start sealing", "err", err)
		}
	}
}

// Stop implements node.Lifecycle. It runs before go-ethereum's service stops.
func (s *Service) Stop() error {
	if err := s.StopSealing(); err != nil {
		return err
	}
	s.cancel()
	s.chain.InterruptInsert(true) // a sync may be in the middle of many large blocks
	s.wg.Wait()
	return nil
}

func (s *Service) run(f func()) {
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		f()
	}()
}

// watchHead follows the head of the chain until ctx ends.
func (s *Service) watchHead(ctx context.Context, heads <-chan gethcore.ChainHeadEvent, sub event.Subscription) {
	defer sub.Unsubscribe()
	for {
		select {
		case head := <-heads: // not the present head, which may be newer and not on disk yet
			for len(heads) > 0 {
				head = <-heads
			}
			if err := s.followHead(head.Header); err != nil {
				log.Error("Cannot follow the head of the chain", "err", err)
			}
		case <-ctx.Done():
			return
		case <-sub.Err():
			return
		}
	}
}

// followHead marks a head as final, which every sealed block is, and gives the pool the tip and the peer table the validators
// that govern the next block.
func (s *Service) followHead(head *types.Header) error {
	s.chain.MarkFinal(head)
	set, err := s.engine.ValidatorsAfter(s.chain, head)
	if err != nil {
		return fmt.Errorf("validators after block %d: %w", head.Number, err)
	}
	s.peers.follow(head, set)
	s.messages.follow(set)
	tip, err := s.governedTip(head)
	if err != nil {
		return err
	}
	if s.tip == nil || tip.Cmp(s.tip) != 0 {
		s.ethereum.TxPool().SetGasTip(tip)
		s.tip = tip
	}
	return nil
}

// governedTip reads the tip in wei that the child of head must carry (spec transactions 3.2).
func (s *Service) governedTip(head *types.Header) (*big.Int, error) {
	state, err := s.chain.StateAt(head.Root, head.Number, head.Time)
	if err != nil {
		return nil, fmt.Errorf("state of block %d: %w", head.Number, err)
	}
	return core.GasTip(state, s.chain.Config().Anzeon.SystemContracts.GovValidator.Address), nil
}

// halt stops sealing because the network decided something this node cannot accept. The node keeps serving what it has;
// nothing is deleted.
func (s *Service) halt(reason string) { s.driver.Halt(reason) }

// violation halts because two quorums have decided differently.
func (s *Service) violation(reason string) { s.driver.Violation(reason) }

// remind repeats why the node has stopped, sealing or not, for as long as it runs.
func (s *Service) remind(ctx context.Context) {
	ticker := time.NewTicker(haltReminder)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if reason := s.driver.Halted(); reason != "" {
				log.Error(wbft.HaltedMessage, "reason", reason)
			}
		case <-ctx.Done():
			return
		}
	}
}

// drop ends the connection to a peer that broke the rules, and refuses one that has lied for a while. Silence alone is no lie, and
// does not cut a validator off from the others: it may have its hands full.
func (s *Service) drop(ses *session, reason error) {
	silent := errors.Is(reason, errNoAnswer)
	if silent && s.peers.reserves(ses.peer.ID()) {
		ses.peer.Log().Debug("A validator does not answer", "reason", reason)
		return
	}
	ses.peer.Log().Warn("Peer dropped", "reason", reason)
	if lied := !silent || errors.Is(reason, errClaim); lied && !ses.peer.Trusted() && !ses.peer.StaticDialed() {
		s.refusals.add(ses.peer.ID(), netutil.AddrAddr(ses.peer.RemoteAddr()))
	}
	ses.peer.Disconnect(p2p.DiscSubprotocolError)
}

// nodeInfo is what admin_nodeInfo shows under istanbul (spec rpc 4.5).
func (s *Service) nodeInfo() any {
	head := s.chain.CurrentBlock()
	return struct {
		Network    uint64              `json:"network"`
		Difficulty *big.Int            `json:"difficulty"` // total difficulty of the head
		Genesis    common.Hash         `json:"genesis"`
		Config     *params.ChainConfig `json:"config"`
		Head       common.Hash         `json:"head"`
	}{s.cfg.Eth.NetworkId, totalDifficulty(s.chain, head.Number.Uint64()), s.chain.Genesis().Hash(), s.chain.Config(), head.Hash()}
}

// Ethereum returns go-ethereum's service.
func (s *Service) Ethereum() *eth.Ethereum { return s.ethereum }

// Driver returns the consensus driver.
func (s *Service) Driver() *wbft.Driver { return s.driver }

// The methods below implement rpc.Backend.

func (s *Service) Chain() *gethcore.BlockChain       { return s.chain }
func (s *Service) APIBackend() *eth.EthAPIBackend    { return s.ethereum.APIBackend }
func (s *Service) AccountManager() *accounts.Manager { return s.ethereum.AccountManager() }
func (s *Service) TxPool() *txpool.TxPool            { return s.ethereum.TxPool() }
func (s *Service) NodeAddress() common.Address       { return s.address }
func (s *Service) Sealing() bool                     { return s.driver.Running() && s.driver.Halted() == "" }
func (s *Service) UnlockAllowed() bool {
	return s.cfg.UnlockAllowed || !s.stack.Config().ExtRPCEnabled()
}

// SyncProgress tells how far a running sync is.
func (s *Service) SyncProgress(ctx context.Context) (ethereum.SyncProgress, bool) {
	start, current, highest, running := s.syncer.progress()
	if !running {
		return ethereum.SyncProgress{}, false
	}
	progress := s.APIBackend().SyncProgress(ctx) // the state that a snap sync has fetched, and the indices
	progress.StartingBlock, progress.CurrentBlock, progress.HighestBlock = start, current, highest
	return progress, true
}

// ValidatorsAt returns the set in charge of sealing a block up to the child of the head (spec wbft 3.1).
func (s *Service) ValidatorsAt(number uint64) (*validators.Set, error) {
	if number == 0 {
		return s.engine.ValidatorsFor(s.chain, s.chain.Genesis().Header())
	}
	parent := s.chain.GetHeaderByNumber(number - 1)
	if parent == nil {
		return nil, fmt.Errorf("block %d is beyond the head of the chain", number)
	}
	return s.engine.ValidatorsAfter(s.chain, parent)
}

// ValidatorsForHeader returns the set in charge of sealing the block with this header.
func (s *Service) ValidatorsForHeader(header *types.Header) (*validators.Set, error) {
	return s.engine.ValidatorsFor(s.chain, header)
}

// StartSealing makes the node take part in the consensus; peers' transactions are welcome from then on. A node that has nothing to
// build on yet does so once it has.
func (s *Service) StartSealing() error {
	if !s.syncer.ready() {
		log.Info("Sealing begins when the node has caught up with its peers")
		s.sealLater.Store(true)
		return nil
	}
	if err := s.driver.Start(); err != nil {
		return err
	}
	deliver := s.driver.Deliver
	s.messages.deliver.Store(&deliver)
	s.ethereum.SetSynced()
	return nil
}

// StopSealing ends the part in the consensus. Messages that arrive then are ignored; peers stay connected.
func (s *Service) StopSealing() error {
	s.sealLater.Store(false)
	s.messages.deliver.Store(nil)
	s.driver.Stop()
	return nil
}

// Peer describes a connected peer; nil when there is none of that identity.
func (s *Service) Peer(id enode.ID) *p2p.PeerInfo {
	for _, info := range s.stack.Server().PeersInfo() {
		if info.ID == id.String() {
			return info
		}
	}
	return nil
}

// ConsensusStatus describes the node's part in the consensus.
func (s *Service) ConsensusStatus() any {
	status := struct {
		Address common.Address `json:"address"`
		Sealing bool           `json:"sealing"`
		Halted  string         `json:"halted,omitempty"`
		Muted   string         `json:"muted,omitempty"`
		Core    any            `json:"core,omitempty"`
	}{s.address, s.Sealing(), s.driver.Halted(), s.driver.Muted(), nil}
	if status.Sealing {
		status.Core = s.driver.Status()
	}
	return status
}

// extension is what the service adds inside go-ethereum's (seen as ethconfig.Extension).
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

// network is the service as the driver sees it (wbft.Network).
type network Service

func (n *network) Send(set []common.Address, code uint64, payload []byte, to []common.Address, force bool) {
	n.messages.Send(set, code, payload, to, force)
}

func (n *network) Relay(set []common.Address, code uint64, payload []byte) {
	n.messages.Relay(set, code, payload)
}

func (n *network) Forget(payload []byte) { n.messages.Forget(payload) }

func (n *network) Announce(block *types.Block) { n.gossip.spread(block) }
