// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/validators"
	"gwon/core"
	"gwon/internal/wellknown"
	"gwon/mempool"
	"gwon/miner"
	"gwon/rpc"
)

// maxTimestamp is the last timestamp of a block, in seconds since 1970. A Date of JavaScript goes no further.
const maxTimestamp = 8_640_000_000_000

// Options describes a developer chain.
type Options struct {
	Key      *ecdsa.PrivateKey   // of the validator
	Period   time.Duration       // between blocks; 0 seals each transaction at once
	Accounts []wellknown.Account // that the node signs for; the first is the faucet
	Version  string              // of the program, for web3_clientVersion
	Fork     *Fork               // network that is continued; nil for a chain of its own
}

// Service is the node service of a developer chain.
type Service interface {
	rpc.Backend
	Ethereum() *eth.Ethereum
	Pool() *mempool.Pool
}

// settings are what test methods have set. They are never modified, but replaced.
type settings struct {
	automine bool
	interval time.Duration // between blocks by the clock of the machine; 0 for none

	step       uint64          // seconds between the timestamps of two blocks; 0 takes the clock
	coinbase   *common.Address // paid by blocks; nil for the validator
	gasLimit   uint64          // of blocks; 0 follows the rule
	allAccount bool            // every account is impersonated

	// The next block only.
	timestamp  uint64 // 0 takes the clock
	baseFee    *big.Int
	prevRandao *common.Hash
}

// Chain is a developer chain. It is safe for concurrent use.
type Chain struct {
	options   Options
	validator common.Address
	secret    *bls.SecretKey
	standIn   []byte // signature of standInDigest

	standInReveal []byte // of blocks that are made without execution
	now           func() time.Time

	engine    *Engine
	chain     *gethcore.BlockChain
	pool      *txpool.TxPool
	db        ethdb.Database
	builder   *miner.Builder
	accounts  *rpc.Submissions
	estimator *eth.BlockChainAPI
	fees      *eth.EthereumAPI
	service   Service
	changes   *changes

	settings atomic.Pointer[settings]
	offset   atomic.Int64 // of the clock, in seconds
	hasty    atomic.Bool  // blocks are made with stand-ins instead of seals
	kicks    chan struct{}
	altered  chan struct{} // settings of the loop

	mu           sync.Mutex // held while the chain, its state or the settings change
	snapshots    []*snapshot
	lastSnapshot uint64
	impersonated map[common.Address]struct{}
	filled       sync.Mutex // held from choosing a nonce to submitting
	instance     common.Hash
	funded       *change // of the state after the forked block; nil without one

	life   sync.Mutex // guards start and stop
	cancel context.CancelFunc
	done   chan struct{}
}

// New returns a developer chain that Attach connects to its node. The process becomes that of a developer chain: it
// takes impersonated signatures and changed states. A process has one.
func New(options Options) (*Chain, error) {
	secret, err := bls.DeriveKey(options.Key)
	if err != nil {
		return nil, fmt.Errorf("derive BLS key: %w", err)
	}
	reveal, err := extra.RandaoReveal(options.Key, new(big.Int), 0)
	if err != nil {
		return nil, err
	}
	c := &Chain{
		options:   options,
		validator: crypto.PubkeyToAddress(options.Key.PublicKey),
		secret:    secret,
		standIn:   secret.Sign(standInDigest[:]),

		standInReveal: reveal,
		now:           time.Now,
		changes:       &changes{byBlock: make(map[uint64]*change)},
		kicks:         make(chan struct{}, 1),
		altered:       make(chan struct{}, 1),
		impersonated:  make(map[common.Address]struct{}),
	}
	c.settings.Store(c.initial())
	options.Fork.install()
	types.NameSigners(impersonated)
	gethcore.ChangeStates(c.changes.root)
	return c, nil
}

// initial returns the settings of a chain that no test method was called on.
func (c *Chain) initial() *settings {
	return &settings{automine: c.options.Period == 0, interval: c.options.Period}
}

// Engine returns the engine of the chain around that of WBFT.
func (c *Chain) Engine(inner *wbft.Engine) *Engine {
	c.engine = &Engine{Engine: inner, c: c}
	return c.engine
}

// Attach connects the chain to its node service and registers its methods on the stack.
func (c *Chain) Attach(stack *node.Node, service Service) error {
	if c.engine == nil {
		return errors.New("the node service was made without the engine of the developer chain")
	}
	c.service, c.chain, c.pool = service, service.Chain(), service.TxPool()
	c.db = service.Ethereum().ChainDb()
	c.chain.NameOneFork()
	// Only the caller of a test method waits for a block.
	c.builder = miner.NewBuilder(c.chain, service.Ethereum().Miner(), 30*time.Second)
	c.accounts = rpc.NewSubmissions(service)
	c.estimator, c.fees = eth.NewBlockChainAPI(service.APIBackend()), eth.NewEthereumAPI(service.APIBackend())
	if err := c.openInstance(); err != nil {
		return err
	}
	known, err := openChanges(c.db)
	if err != nil {
		return err
	}
	c.changes.db, c.changes.byBlock = known.db, known.byBlock
	if head := c.chain.CurrentBlock().Time; head > uint64(c.now().Unix()) {
		c.moveClock(head) // it was moved ahead before the restart
	}
	stack.RegisterAPIs(c.apis())
	if c.options.Fork != nil {
		return c.beginFork()
	}
	return c.refreshPool(c.pooled())
}

// Start begins to seal. It does nothing when that runs already.
func (c *Chain) Start() error {
	c.life.Lock()
	defer c.life.Unlock()
	if c.cancel != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel, c.done = cancel, make(chan struct{})
	go c.loop(ctx, c.done)
	return nil
}

// Stop ends the sealing, and waits until nothing of it runs any more.
func (c *Chain) Stop() {
	c.life.Lock()
	defer c.life.Unlock()
	if c.cancel == nil {
		return
	}
	c.cancel()
	<-c.done
	c.cancel = nil
}

// Running reports whether blocks are sealed.
func (c *Chain) Running() bool {
	c.life.Lock()
	defer c.life.Unlock()
	return c.cancel != nil
}

// loop seals transactions as they come, and blocks by the interval, until ctx ends.
func (c *Chain) loop(ctx context.Context, done chan<- struct{}) {
	defer close(done)
	arrived := make(chan gethcore.NewTxsEvent, 64)
	sub := c.pool.SubscribeTransactions(arrived, true)
	defer sub.Unsubscribe()
	period := c.settings.Load().interval
	ticks := time.Tick(period) // nil for no period
	c.kick()
	for {
		select {
		case <-ctx.Done():
			return
		case err := <-sub.Err():
			if err != nil {
				log.Error("Sealing ended", "err", err)
			}
			return
		case <-c.altered:
			if next := c.settings.Load().interval; next != period {
				period, ticks = next, time.Tick(next)
			}
			c.sealPending()
		case <-arrived:
			c.sealPending()
		case <-c.kicks:
			c.sealPending()
		case <-ticks:
			c.mu.Lock()
			_, err := c.seal(c.nextTime(), true)
			c.mu.Unlock()
			if err != nil {
				log.Error("Block not sealed", "err", err)
			}
		}
	}
}

// kick has the loop look at the pool. It does not wait.
func (c *Chain) kick() {
	select {
	case c.kicks <- struct{}{}:
	default:
	}
}

// set replaces the settings. The lock is held.
func (c *Chain) set(f func(*settings)) {
	next := *c.settings.Load()
	f(&next)
	c.settings.Store(&next)
	select {
	case c.altered <- struct{}{}:
	default:
	}
}

// sealPending seals what the pool has, where transactions are sealed as they come.
func (c *Chain) sealPending() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.settings.Load().automine && c.hasWork() {
		block, err := c.seal(c.nextTime(), false)
		if err != nil {
			log.Error("Transactions not sealed", "err", err)
		}
		if block == nil {
			return
		}
		// A client that submits the transaction again is told that its nonce is used.
		if err := c.awaitPool(); err != nil {
			log.Error("Pool behind the chain", "err", err)
			return
		}
	}
}

// hasWork reports whether the pool holds a transaction that may follow the head. The pool follows the chain with a
// delay.
func (c *Chain) hasWork() bool {
	state, err := c.state()
	if err != nil {
		log.Error("Transactions not sealed", "err", err)
		return false
	}
	pending, _ := c.pool.Pending(txpool.PendingFilter{})
	for sender, list := range pending {
		if last := list[len(list)-1].Resolve(); last != nil && last.Nonce() >= state.GetNonce(sender) {
			return true
		}
	}
	return false
}

// clock returns the time of the chain in seconds since 1970.
func (c *Chain) clock() uint64 { return uint64(max(0, c.now().Unix()+c.offset.Load())) }

// moveClock sets the clock of the chain to a timestamp in seconds.
func (c *Chain) moveClock(timestamp uint64) {
	c.offset.Store(int64(timestamp) - c.now().Unix())
}

// nextTime returns the timestamp of the next block in seconds.
func (c *Chain) nextTime() uint64 { return c.nextTimeAfter(c.chain.CurrentBlock().Time) }

// nextTimeAfter returns the timestamp of the next block after one with a timestamp.
func (c *Chain) nextTimeAfter(parent uint64) uint64 {
	s := c.settings.Load()
	switch {
	case s.timestamp != 0:
		return s.timestamp
	case s.step != 0:
		return parent + s.step
	}
	return max(parent+1, c.clock())
}

// coinbase returns the account that blocks pay.
func (c *Chain) coinbase() common.Address {
	if set := c.settings.Load().coinbase; set != nil {
		return *set
	}
	return c.validator
}

// seal builds, seals and commits the next block, and returns it. A block without transactions is committed if empty is
// set; otherwise it is dropped, and the result is nil. The lock is held.
func (c *Chain) seal(timestamp uint64, empty bool) (*types.Block, error) {
	parent := c.chain.CurrentBlock()
	if timestamp <= parent.Time {
		return nil, fmt.Errorf("timestamp %d of the next block is not above that of block %d, %d",
			timestamp, parent.Number, parent.Time)
	}
	if timestamp > maxTimestamp {
		return nil, fmt.Errorf("timestamp %d of the next block is above %d: set the clock back with evm_setTime, end "+
			"an interval with evm_removeBlockTimestampInterval, or go back with evm_revert", timestamp, maxTimestamp)
	}
	executed, err := c.builder.Build(context.Background(), parent, c.coinbase(), timestamp)
	if err != nil {
		return nil, fmt.Errorf("build block %d: %w", parent.Number.Uint64()+1, err)
	}
	if !empty && len(executed.Block().Transactions()) == 0 {
		return nil, nil
	}
	block, err := c.sign(parent, executed.Block())
	if err != nil {
		return nil, err
	}
	commit := c.chain.CommitExecuted
	if c.hasty.Load() {
		commit = c.chain.CommitQuietly
	}
	if err := commit(block, executed); err != nil {
		return nil, fmt.Errorf("commit block %d: %w", block.NumberU64(), err)
	}
	if !c.hasty.Load() {
		if err := c.awaitIndex(); err != nil { // of the first block
			return nil, err
		}
		log.Info("Block committed", "number", block.NumberU64(), "hash", block.Hash(),
			"txs", len(block.Transactions()), "gas", block.GasUsed())
	}
	s := c.settings.Load()
	if s.timestamp != 0 {
		c.moveClock(timestamp)
	}
	if s.timestamp != 0 || s.baseFee != nil || s.prevRandao != nil {
		c.set(func(s *settings) { s.timestamp, s.baseFee, s.prevRandao = 0, nil, nil })
	}
	return block, nil
}

// onlyValidator returns the index of the validator in the set of a block, in which it has to be alone.
func (c *Chain) onlyValidator(set *validators.Set, number uint64) (int, error) {
	index, ok := set.Index(c.validator)
	if !ok || set.Quorum() > 1 {
		return 0, fmt.Errorf("block %d needs the seals of %d validators, and a developer chain has one: undo "+
			"what the members decided with evm_revert, or use gwon-dev devnet", number, set.Quorum())
	}
	return index, nil
}

// sign puts the seals of the only validator into the header of a block.
func (c *Chain) sign(parent *types.Header, block *types.Block) (*types.Block, error) {
	set, err := c.engine.sealers(c.chain, parent)
	if err != nil {
		return nil, fmt.Errorf("validators after block %d: %w", parent.Number, err)
	}
	index, err := c.onlyValidator(set, block.NumberU64())
	if err != nil {
		return nil, err
	}
	header := block.Header()
	if c.hasty.Load() {
		stand := c.standInFor(index)
		sealed, err := header.WithWBFTSeals(0, stand, stand)
		if err != nil {
			return nil, fmt.Errorf("seal block %d: %w", block.NumberU64(), err)
		}
		return block.WithSeal(sealed), nil
	}
	seal := func(kind byte) *types.WBFTSeal {
		digest := extra.SealDigest(header, 0, kind)
		return &types.WBFTSeal{Sealers: validators.EncodeSealers([]int{index}), Signature: c.secret.Sign(digest[:])}
	}
	// A signature takes 0.4 ms, and the two are half of the time from a transaction to its receipt.
	prepared := make(chan *types.WBFTSeal, 1)
	go func() { prepared <- seal(extra.Prepare) }()
	committed := seal(extra.Commit)
	sealed, err := header.WithWBFTSeals(0, <-prepared, committed)
	if err != nil {
		return nil, fmt.Errorf("seal block %d: %w", block.NumberU64(), err)
	}
	return block.WithSeal(sealed), nil
}

// refreshPool makes the pool look at the state again, with these transactions in it. The lock is held.
func (c *Chain) refreshPool(txs []*types.Transaction) error {
	state, err := c.state()
	if err != nil {
		return err
	}
	if err := c.awaitPool(); err != nil {
		return err
	}
	c.pool.Clear()
	c.pool.SetGasTip(core.GasTip(state, c.chain.Config().Anzeon.SystemContracts.GovValidator.Address))
	for i, err := range c.pool.Add(txs, true) {
		if err != nil {
			log.Warn("Transaction dropped: the changed state does not allow it", "hash", txs[i].Hash(), "err", err)
		}
	}
	return nil
}

// awaitPool waits until the pool follows the newest block. The lock is held, so that no other block comes meanwhile.
func (c *Chain) awaitPool() error {
	const most = 1000
	for range most {
		if c.service.Pool().Head().Hash() == c.chain.CurrentBlock().Hash() {
			return nil
		}
		if err := c.pool.Sync(); err != nil {
			return fmt.Errorf("pool: %w", err)
		}
	}
	return fmt.Errorf("the pool does not follow the chain to block %d", c.chain.CurrentBlock().Number)
}
