// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/txpool/locals"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/eth/protocols/snap"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var testGovValidator = common.HexToAddress("0x1001")

// plainGenesis is a chain without the section anzeon.
func plainGenesis() *core.Genesis {
	return &core.Genesis{Config: params.TestChainConfig, BaseFee: big.NewInt(params.InitialBaseFee)}
}

// testAnzeonGenesis is an Anzeon chain.
func testAnzeonGenesis() *core.Genesis {
	zero, contract := new(big.Int), &params.SystemContract{Version: "v1"}
	return &core.Genesis{
		Config: &params.ChainConfig{
			ChainID: big.NewInt(8283), HomesteadBlock: zero, EIP150Block: zero, EIP155Block: zero, EIP158Block: zero,
			ByzantiumBlock: zero, ConstantinopleBlock: zero, PetersburgBlock: zero, IstanbulBlock: zero, BerlinBlock: zero,
			LondonBlock: zero, ApplepieBlock: zero, BohoBlock: zero,
			Anzeon: &params.AnzeonConfig{
				WBFT: &params.WBFTConfig{RequestTimeoutSeconds: 2, BlockPeriodSeconds: 1, EpochLength: 10,
					ProposerPolicy: new(uint64)},
				Init: &params.WBFTInit{Validators: make([]common.Address, 1), BLSPublicKeys: []hexutil.Bytes{make([]byte, 48)}},
				SystemContracts: &params.SystemContracts{
					GovValidator:      &params.SystemContract{Address: testGovValidator, Version: "v1"},
					NativeCoinAdapter: contract, GovMinter: contract, GovMasterMinter: contract, GovCouncil: contract,
				},
			},
		},
		Difficulty: big.NewInt(1),
		GasLimit:   105_000_000,
		BaseFee:    big.NewInt(20_000_000_000_000),
		Alloc: types.GenesisAlloc{testGovValidator: {
			Balance: new(big.Int), Code: []byte{0},
		}},
	}
}

func openTestChain(t *testing.T, db ethdb.Database, genesis *core.Genesis) *core.BlockChain {
	t.Helper()
	config := core.DefaultConfig().WithStateScheme(rawdb.HashScheme)
	config.SnapshotLimit = 0
	chain := must.Get(core.NewBlockChain(db, genesis, ethash.NewFaker(), config))(t)
	t.Cleanup(chain.Stop)
	return chain
}

// tips is an extension that governs tips in wei by block number.
type tips struct {
	ethconfig.Extension
	of map[uint64]int64
}

func (x tips) GovernedTip(head *types.Header) (*big.Int, error) {
	tip, ok := x.of[head.Number.Uint64()]
	if !ok {
		return nil, errors.New("no state")
	}
	return big.NewInt(tip), nil
}

// The extension is asked about the head of an Anzeon chain (spec transactions 3.2). Other chains keep upstream's
// suggestion.
func TestGovernedTip(t *testing.T) {
	anzeon := openTestChain(t, rawdb.NewMemoryDatabase(), testAnzeonGenesis())
	plain := openTestChain(t, rawdb.NewMemoryDatabase(), plainGenesis())
	with := func(x ethconfig.Extension) *ethconfig.Config { return &ethconfig.Config{Extension: x} }
	for _, tt := range []struct {
		name   string
		chain  *core.BlockChain
		config *ethconfig.Config
		want   *big.Int
		ok     bool
		err    bool
	}{
		{"governed", anzeon, with(tips{of: map[uint64]int64{0: 27_600, 1: 5}}), big.NewInt(27_600), true, false},
		{"no state", anzeon, with(tips{of: map[uint64]int64{1: 5}}), nil, true, true},
		{"no extension", anzeon, with(nil), nil, false, false},
		{"plain chain", plain, with(tips{of: map[uint64]int64{0: 27_600}}), nil, false, false},
	} {
		s := &Ethereum{blockchain: tt.chain, config: tt.config}
		tip, ok, err := s.governedTip()
		if ok != tt.ok || (err != nil) != tt.err || (tip == nil) != (tt.want == nil) || tip != nil && tip.Cmp(tt.want) != 0 {
			t.Errorf("%s: %v, %v, %v", tt.name, tip, ok, err)
		}
	}
}

// The log index follows after eight blocks, after more while they are almost empty or busy, counted from an offset of
// the process. On other chains it follows each head.
func TestDueForIndex(t *testing.T) {
	anzeon := openTestChain(t, rawdb.NewMemoryDatabase(), testAnzeonGenesis())
	plain := openTestChain(t, rawdb.NewMemoryDatabase(), plainGenesis())
	phase, last := indexPhase, indexed.Load()
	t.Cleanup(func() { indexPhase = phase; indexed.Store(last) })
	indexPhase = 64 - 3
	for _, tt := range []struct {
		chain  *core.BlockChain
		last   uint64
		number int64
		gas    uint64
		due    bool
	}{
		{anzeon, 11, 18, 7, false}, {anzeon, 11, 19, 7, true}, {anzeon, 18, 19, 7, true}, {anzeon, 19, 20, 7, false},
		{anzeon, 11, 25, 100, true}, {anzeon, 11, 19, 101, false}, {anzeon, 11, 35, 101, true}, {anzeon, 34, 36, 101, true},
		{anzeon, 11, 35, 0, false}, {anzeon, 11, 66, 0, false}, {anzeon, 11, 67, 0, true}, {anzeon, 11, 5000, 0, true},
		{anzeon, 5000, 11, 0, true},
		{anzeon, 11, 19, 6, false}, {anzeon, 11, 66, 6, false}, {anzeon, 11, 67, 6, true},
		{plain, 9, 9, 1600, true},
	} {
		indexed.Store(tt.last)
		head := &types.Header{Number: big.NewInt(tt.number), GasUsed: tt.gas, GasLimit: 1600}
		due := (&Ethereum{blockchain: tt.chain}).dueForIndex(head)
		assert.Truef(t, (due == head) == tt.due && (due == nil || due == head),
			"block %d after %d: %v", tt.number, tt.last, due)
		if want := uint64(tt.number); due != nil && tt.chain == anzeon && indexed.Load() != want {
			t.Errorf("the index is said to be at %d, want %d", indexed.Load(), want)
		}
	}
}

// replayer is an extension that executes blocks again.
type replayer struct {
	ethconfig.Extension
	blocks types.Blocks
}

func (r replayer) Replay(chain *core.BlockChain) error {
	_, err := chain.InsertChain(r.blocks)
	return err
}

// Blocks that a crash left without state are executed at the start and the head is final, unless they belong to an
// unfinished snap sync or the chain is not an Anzeon chain.
func TestReplayAtStart(t *testing.T) {
	plain := testAnzeonGenesis()
	plain.Config.Anzeon, plain.Config.ApplepieBlock, plain.Config.BohoBlock = nil, nil, nil
	pivot := func(n uint64) func(ethdb.Database) {
		return func(db ethdb.Database) { rawdb.WriteLastPivotNumber(db, n) }
	}
	for _, tt := range []struct {
		name    string
		genesis *core.Genesis
		prepare func(ethdb.Database)
		head    uint64
		final   bool
	}{
		{"anzeon", testAnzeonGenesis(), func(ethdb.Database) {}, 3, true},
		{"snap sync finished", testAnzeonGenesis(), pivot(0), 3, true},
		{"snap sync unfinished", testAnzeonGenesis(), pivot(2), 0, false},
		{"plain chain", plain, func(ethdb.Database) {}, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, blocks, _ := core.GenerateChainWithGenesis(tt.genesis, ethash.NewFaker(), 3, nil)
			db := rawdb.NewMemoryDatabase()
			must.Get(openTestChain(t, db, tt.genesis).InsertChain(blocks))(t)
			tt.prepare(db)
			// The first chain is not stopped: its state is never written, as after a kill.
			config := &ethconfig.Config{Extension: replayer{blocks: blocks}}
			s := &Ethereum{config: config, blockchain: openTestChain(t, db, tt.genesis), chainDb: db}
			head := s.blockchain.CurrentBlock().Number.Uint64()
			require.Truef(t, head == 0, "head %d after the crash: nothing was lost, the test shows nothing", head)
			s.afterChain()
			assert.Equal(t, tt.head, s.blockchain.CurrentBlock().Number.Uint64(), "head")
			final := s.blockchain.CurrentFinalBlock()
			assert.Truef(t, (final != nil && final.Number.Uint64() == tt.head) == tt.final, "final block %v", final)
		})
	}
}

// wrapper is an extension that remembers what it wrapped.
type wrapper struct {
	eth.Backend
	ethconfig.Extension
	snap    snap.Backend
	refusal error
}

func (w *wrapper) WrapBackend(inner eth.Backend) eth.Backend {
	w.Backend = inner
	return w
}

func (w *wrapper) WrapSnapBackend(inner snap.Backend) snap.Backend {
	w.snap = inner
	return struct{ snap.Backend }{inner}
}

func (w *wrapper) Submit(*types.Transaction) error { return w.refusal }

// A refusal of the pool is an error to the submitter, and the transaction is not journaled: the node submits nothing
// again after it has answered (spec rpc 8.3).
func TestSubmitKept(t *testing.T) {
	key := must.Get(crypto.GenerateKey())(t)
	genesis := testAnzeonGenesis()
	chain := must.Get(core.NewBlockChain(rawdb.NewMemoryDatabase(), genesis, ethash.NewFaker(), nil))(t)
	defer chain.Stop()
	pool := must.Get(txpool.New(1, chain, []txpool.SubPool{txpool.NoBlobs{}}))(t)
	defer func() { _ = pool.Close() }()
	tx := types.MustSignNewTx(key, types.LatestSigner(genesis.Config), &types.LegacyTx{Gas: 21000, GasPrice: common.Big1})
	refusals := []error{txpool.ErrUnderpriced, legacypool.ErrTxPoolOverflow, txpool.ErrInflightTxLimitReached, nil}
	for _, refusal := range refusals {
		journal := filepath.Join(t.TempDir(), "transactions.rlp")
		tracker := locals.New(journal, time.Hour, genesis.Config, pool)
		must.Do(t, tracker.Start())
		config := &ethconfig.Config{Extension: &wrapper{refusal: refusal}}
		s := &Ethereum{config: config, blockchain: chain, txPool: pool, localTxTracker: tracker}
		err := (&EthAPIBackend{eth: s}).SendTx(context.Background(), tx)
		assert.Truef(t, errors.Is(err, refusal), "the pool says %v, the sender is told %v", refusal, err)
		must.Do(t, tracker.Stop())
		if info, err := os.Stat(journal); err != nil || (info.Size() > 0) != (refusal == nil) {
			t.Errorf("the pool says %v, the journal has %d bytes, %v", refusal, info.Size(), err)
		}
	}
}

func TestProtocolBackend(t *testing.T) {
	h := newTestHandler(ethconfig.FullSync)
	defer h.close()
	s := &Ethereum{config: new(ethconfig.Config), handler: h.handler}
	backend, ok := s.protocolBackend().(*ethHandler)
	assert.True(t, ok && backend == (*ethHandler)(s.handler), "without an extension the backend is not upstream's")
	if backend, ok := s.snapBackend().(*snapHandler); !ok || backend != (*snapHandler)(s.handler) {
		t.Error("without an extension the backend of snap is not upstream's")
	}
	w := new(wrapper)
	s.config.Extension = w
	assert.True(t, s.protocolBackend() == eth.Backend(w) && w.Backend == eth.Backend((*ethHandler)(s.handler)),
		"the extension's backend is not used, or does not wrap upstream's")
	if _, plain := s.snapBackend().(*snapHandler); plain || w.snap != snap.Backend((*snapHandler)(s.handler)) {
		t.Error("the extension's backend of snap is not used, or does not wrap upstream's")
	}
}

// With an extension no peer gets the credit for transactions, which costs time at each block (spec network 5).
func TestNoCreditForDeliveries(t *testing.T) {
	for _, extension := range []ethconfig.Extension{nil, new(wrapper)} {
		h := newTestHandler(ethconfig.FullSync)
		defer h.close()
		s := &Ethereum{config: &ethconfig.Config{Extension: extension}, handler: h.handler}
		s.protocolBackend()
		tx := types.MustSignNewTx(testKey, types.HomesteadSigner{}, &types.LegacyTx{Gas: 21000, GasPrice: common.Big1})
		must.Do(t, h.handler.txFetcher.Enqueue("peer", eth.ETH69, []*types.Transaction{tx}, false))
		if peers := h.handler.txTracker.GetAllPeerStats(); (len(peers) > 0) != (extension == nil) {
			t.Errorf("extension %v: peers with credit: %v", extension != nil, peers)
		}
	}
}

// journaled is an extension that tells where a journaled transaction arrives.
type journaled struct {
	wrapper
	arrived chan string
	pools   int // made by NewPool
}

func (x *journaled) NewPool(legacypool.Config, legacypool.BlockChain) txpool.SubPool {
	x.pools++
	return addedPool{arrived: x.arrived}
}
func (*journaled) Replay(*core.BlockChain) error { return nil }
func (x *journaled) Submit(*types.Transaction) error {
	x.arrived <- "extension"
	return nil
}

// addedPool tells about transactions that reach it without the extension.
type addedPool struct {
	txpool.NoBlobs
	arrived chan string
}

func (p addedPool) Filter(*types.Transaction) bool { return true }
func (p addedPool) Add(txs []*types.Transaction, _ bool) []error {
	p.arrived <- "pool"
	return make([]error, len(txs))
}

// The journal of local transactions of an Anzeon chain is read by the extension, beside the start of the services (spec
// wbft 5.10).
func TestJournalGoesToExtension(t *testing.T) {
	ethconfig.RegisterEngine(func(config *params.ChainConfig, _ ethdb.Database) (consensus.Engine, error) {
		if config.IsAnzeon() {
			return ethash.NewFaker(), nil
		}
		return nil, nil
	})
	tx := types.MustSignNewTx(testKey, types.LatestSigner(testAnzeonGenesis().Config), &types.LegacyTx{
		Gas: 21000, GasPrice: common.Big1, To: new(common.Address),
	})
	journal := must.Get(rlp.EncodeToBytes(tx))(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "transactions.rlp")
	must.Do(t, os.WriteFile(path, journal, 0o600))
	stack := must.Get(node.New(&node.Config{DataDir: dir, P2P: p2p.Config{NoDial: true, NoDiscovery: true}}))(t)
	defer func() { _ = stack.Close() }()
	config, extension := ethconfig.Defaults, &journaled{arrived: make(chan string, 8)}
	config.Genesis, config.SyncMode, config.Extension = testAnzeonGenesis(), ethconfig.FullSync, extension
	config.TxPool.Journal = path
	must.Get(New(stack, &config))(t)
	require.Truef(t, extension.pools == 1, "the extension has made %d pools", extension.pools)
	must.Do(t, stack.Start())
	assert.Equal(t, "extension", <-extension.arrived, "pool of the journaled transaction")
}
