// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"math/big"
	"os"
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/eth/filters"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/eth/protocols/snap"
	"github.com/ethereum/go-ethereum/eth/tracers"
	_ "github.com/ethereum/go-ethereum/eth/tracers/native"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"
	gethparams "github.com/ethereum/go-ethereum/params"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/validators"
	"gwon/core"
	"gwon/eth/senderindex"
	"gwon/internal/door/calls"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/testchain"
	"gwon/mempool"
)

const (
	testTip     = testchain.Tip
	testBaseFee = testchain.BaseFee
)

// testKey returns the keys 0x01…01 to 0x04…04, the test keys of the vectors.
var testKey, testAddress = testchain.Key, testchain.Address

func TestMain(m *testing.M) {
	ethconfig.RegisterEngine(func(config *gethparams.ChainConfig, _ ethdb.Database) (consensus.Engine, error) {
		if !config.IsAnzeon() {
			return nil, nil
		}
		return testchain.NewEngine(), nil
	})
	os.Exit(m.Run())
}

// testGenesis gives 10^24 wei to the test keys 1 to 4 and sets the governed tip.
func testGenesis() *gethcore.Genesis {
	genesis := &gethcore.Genesis{
		Config:     testchain.Config(),
		Difficulty: big.NewInt(7),
		GasLimit:   105_000_000,
		BaseFee:    big.NewInt(testBaseFee),
		Alloc: types.GenesisAlloc{
			common.HexToAddress("0x1001"): {
				Balance: new(big.Int), Nonce: 1,
				Storage: map[common.Hash]common.Hash{gasTipSlot: common.BigToHash(big.NewInt(testTip))},
			},
		},
	}
	for n := byte(1); n <= 4; n++ {
		genesis.Alloc[testAddress(n)] = types.Account{Balance: new(big.Int).Exp(big.NewInt(10), big.NewInt(24), nil)}
	}
	return genesis
}

// testNode is a running node of an Anzeon chain and the Backend over it.
type testNode struct {
	*eth.Ethereum
	stack    *node.Node
	keys     *keystore.KeyStore
	set      *validators.Set
	sealing  bool
	noUnlock bool
	senders  SenderHashes
}

// testSenders looks sender hashes up where the node does.
type testSenders struct {
	*senderindex.Index
	pool *mempool.Pool
}

func (s testSenders) Mined(hash common.Hash) (common.Hash, bool, error) { return s.Find(hash) }
func (s testSenders) Pooled(hash common.Hash) *types.Transaction        { return s.pool.GetBySenderHash(hash) }

func (n *testNode) Chain() *gethcore.BlockChain                                { return n.BlockChain() }
func (n *testNode) APIBackend() *eth.EthAPIBackend                             { return n.Ethereum.APIBackend }
func (n *testNode) AccountManager() *accounts.Manager                          { return n.stack.AccountManager() }
func (n *testNode) TxPool() *txpool.TxPool                                     { return n.Ethereum.TxPool() }
func (n *testNode) NodeAddress() common.Address                                { return testAddress(9) }
func (n *testNode) ValidatorsAt(uint64) (*validators.Set, error)               { return n.set, nil }
func (n *testNode) ValidatorsForHeader(*types.Header) (*validators.Set, error) { return n.set, nil }
func (n *testNode) Sealing() bool                                              { return n.sealing }
func (n *testNode) StartSealing() error                                        { n.sealing = true; return nil }
func (n *testNode) StopSealing() error                                         { n.sealing = false; return nil }
func (n *testNode) ConsensusStatus() any                                       { return nil }
func (n *testNode) Evidence() *evidence.Store                                  { return nil }
func (n *testNode) UnlockAllowed() bool                                        { return !n.noUnlock }
func (n *testNode) SyncProgress(context.Context) (ethereum.SyncProgress, bool) {
	return ethereum.SyncProgress{}, false
}

func (n *testNode) SenderHashes() SenderHashes { return n.senders }

func (n *testNode) Peer(id enode.ID) *p2p.PeerInfo {
	if id == (enode.ID{1}) {
		return &p2p.PeerInfo{ID: id.String(), Name: "neighbor"}
	}
	return nil
}

// startNode starts a node that listens nowhere. Its key store holds the keys 1 and 2, both locked, pass phrase "pw".
func startNode(t testing.TB, opts Options) (*testNode, *gethrpc.Client) {
	t.Helper()
	return startNodeOf(t, testGenesis(), opts)
}

// startNodeOf does so on another chain.
func startNodeOf(t testing.TB, genesis *gethcore.Genesis, opts Options) (*testNode, *gethrpc.Client) {
	t.Helper()
	stack := must.Get(node.New(&node.Config{P2P: p2p.Config{NoDiscovery: true, NoDial: true}}))(t)
	t.Cleanup(func() { expect.Error(t, stack.Close(), nil, "stack.Close") })
	keys := keystore.NewKeyStore(t.TempDir(), 2, 1)
	for _, key := range []byte{1, 2} {
		must.Get(keys.ImportECDSA(testKey(key), "pw"))(t)
	}
	stack.AccountManager().AddBackend(keys)

	config := ethconfig.Defaults
	config.Genesis = genesis
	config.NetworkId = 8283
	config.SyncMode = ethconfig.FullSync
	config.TxPool.Journal = ""
	config.RPCTxFeeCap = 0
	config.DatabaseCache, config.TrieCleanCache, config.TrieDirtyCache, config.SnapshotCache = 16, 16, 16, 0
	extension := new(testExtension)
	config.Extension = extension
	service := must.Get(eth.New(stack, &config))(t)
	n := &testNode{Ethereum: service, stack: stack, keys: keys}
	index := must.Get(senderindex.New(service.ChainDb(), service.BlockChain(), 0))(t)
	n.senders = testSenders{index, extension.Pool}
	n.set = validators.NewSet([]validators.Validator{{Address: testAddress(9), Diligence: 1}})
	stack.RegisterAPIs(APIs(n, opts))
	stack.RegisterAPIs(tracers.APIs(n.APIBackend()))
	stack.RegisterAPIs([]gethrpc.API{LogsAPI(filters.NewFilterSystem(n.APIBackend(), filters.Config{RangeLimit: 10}),
		calls.New(calls.Limits{}), opts.Public)})
	must.Do(t, stack.Start())
	client := stack.Attach()
	t.Cleanup(client.Close)
	return n, client
}

// testExtension gives go-ethereum's service the pool of an Anzeon chain.
type testExtension struct {
	*mempool.Pool
	chain legacypool.BlockChain
}

func (x *testExtension) NewPool(config legacypool.Config, chain legacypool.BlockChain) txpool.SubPool {
	x.Pool, x.chain = mempool.New(mempool.FromUpstream(config, 0, 1), chain), chain
	return x.Pool
}

// Replay has nothing to do: the chain of a test has lost no state.
func (x *testExtension) Replay(*gethcore.BlockChain) error { return nil }

func (x *testExtension) GovernedTip(head *types.Header) (*big.Int, error) {
	state, err := x.chain.StateAt(head.Root, head.Number, head.Time)
	if err != nil {
		return nil, err
	}
	return core.GasTip(state, x.chain.Config().Anzeon.SystemContracts.GovValidator.Address), nil
}

func (x *testExtension) WrapBackend(inner protocol.Backend) protocol.Backend { return inner }
func (x *testExtension) WrapSnapBackend(inner snap.Backend) snap.Backend     { return inner }

// extend adds a block per list of transactions to the chain of the node.
func (n *testNode) extend(t *testing.T, lists ...[]*types.Transaction) []*types.Block {
	t.Helper()
	_, made, _ := gethcore.GenerateChainWithGenesis(testGenesis(), testchain.NewEngine(), len(lists),
		func(i int, b *gethcore.BlockGen) {
			for _, tx := range lists[i] {
				b.AddTx(tx)
			}
		})
	must.Get(n.BlockChain().InsertChain(made))(t)
	return made
}

// payment is a transfer of 1 wei by a test key with the tip and fee cap given.
func payment(t testing.TB, key byte, nonce uint64, tip, feeCap int64) *types.Transaction {
	t.Helper()
	to := common.HexToAddress("0xdeadbeef")
	tx := must.Get(types.SignNewTx(testKey(key), types.NewLondonSigner(big.NewInt(8283)), &types.DynamicFeeTx{
		ChainID: big.NewInt(8283), Nonce: nonce, GasTipCap: big.NewInt(tip), GasFeeCap: big.NewInt(feeCap), Gas: 21000,
		To: &to, Value: big.NewInt(1),
	}))(t)
	return tx
}

func encode(t testing.TB, tx *types.Transaction) hexutil.Bytes {
	t.Helper()
	return must.Get(tx.MarshalBinary())(t)
}

// writeSideBlock stores a block without making it canonical.
func writeSideBlock(n *testNode, block *types.Block) { rawdb.WriteBlock(n.ChainDb(), block) }
