// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package explore

import (
	"context"
	"errors"
	"math/big"
	"os"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/eth/tracers"
	"github.com/ethereum/go-ethereum/ethdb"
	gethnode "github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"
	gethparams "github.com/ethereum/go-ethereum/params"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/door/calls"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/testchain"
)

const (
	testTip     = testchain.Tip
	testBaseFee = testchain.BaseFee
)

func TestMain(m *testing.M) {
	ethconfig.RegisterEngine(func(*gethparams.ChainConfig, ethdb.Database) (consensus.Engine, error) {
		return testchain.NewEngine(), nil
	})
	os.Exit(m.Run())
}

var testKey, testAddress = testchain.Key, testchain.Address

var (
	alice, bob, payer = testAddress(1), testAddress(2), testAddress(3)
	beef              = common.HexToAddress("0xbeef")
	adapter           = common.HexToAddress("0x1000")
)

func testGenesis() *gethcore.Genesis {
	genesis := &gethcore.Genesis{
		Config:     testchain.Config(),
		Difficulty: big.NewInt(1), GasLimit: 105_000_000, BaseFee: big.NewInt(testBaseFee),
		Alloc: types.GenesisAlloc{adapter: {Balance: new(big.Int), Nonce: 1, Code: []byte{0}}},
	}
	for n := byte(1); n <= 3; n++ {
		genesis.Alloc[testAddress(n)] = types.Account{Balance: new(big.Int).Exp(big.NewInt(10), big.NewInt(24), nil)}
	}
	return genesis
}

// forwarder is the code of a contract. Called with no data it sends its value to 0xbeef, with one byte it reverts with
// 0xdeadbeef, with two it creates a contract, with three it runs until the gas ends.
var forwarder = hexutil.MustDecode("0x36" + "80600114" + "602657" + "80600214" + "603457" + "80600314" + "604b57" +
	"6000600060006000" + "34" + "61beef" + "5a" + "f1" + "00" + "00" +
	"5b63deadbeef6000526004601cfd" +
	"5b69600160005360016000f3600052600a60166000f0" + "00" +
	"5b604b56")

// deployment returns the init code of a contract.
func deployment(code []byte) []byte {
	size := byte(len(code))
	return append([]byte{0x60, size, 0x60, 12, 0x60, 0, 0x39, 0x60, size, 0x60, 0, 0xf3}, code...)
}

// call is a transaction. A nil address creates a contract.
func call(nonce uint64, to *common.Address, value int64, data []byte) *types.DynamicFeeTx {
	return &types.DynamicFeeTx{
		ChainID: big.NewInt(8283), Nonce: nonce,
		GasTipCap: big.NewInt(testTip), GasFeeCap: big.NewInt(testTip + 2*testBaseFee),
		Gas: 200_000, To: to, Value: big.NewInt(value), Data: data,
	}
}

func signed(t testing.TB, key byte, inner types.TxData) *types.Transaction {
	t.Helper()
	return must.Get(types.SignNewTx(testKey(key), types.NewLondonSigner(big.NewInt(8283)), inner))(t)
}

// delegated adds the fee payer, test key 3, to a transaction.
func delegated(t testing.TB, tx *types.Transaction) *types.Transaction {
	t.Helper()
	wrapped, err := types.WrapFeeDelegated(tx, payer)
	if err == nil {
		wrapped, err = types.SignTx(wrapped, types.NewFeeDelegateSigner(big.NewInt(8283)), testKey(3))
	}
	must.Do(t, err)
	return wrapped
}

// testChain is an archive node with the profile's methods over HTTP, and what its blocks contain.
type testChain struct {
	service  *eth.Ethereum
	client   *gethrpc.Client
	blocks   []*types.Block
	contract common.Address
	child    common.Address // created by contract
}

// Blocks of the test chain.
const (
	blockDeploy    = 1 // alice creates the contract
	blockForward   = 2 // alice sends 7 through the contract
	blockCreate    = 3 // the contract creates a child
	blockFail      = 4 // alice's call reverts
	blockDelegated = 5 // bob sends 5 to alice, payer pays
	blockMany      = 6 // alice sends 1 to beef, four times
	blockLast      = 20
)

func startChain(t *testing.T, bounds Bounds) *testChain {
	t.Helper()
	genesis := testGenesis()
	c := &testChain{contract: crypto.CreateAddress(alice, 0)}
	c.child = crypto.CreateAddress(c.contract, 1)
	one := func(key byte, inner *types.DynamicFeeTx) []*types.Transaction {
		return []*types.Transaction{signed(t, key, inner)}
	}
	bodies := map[int][]*types.Transaction{
		blockDeploy:    one(1, call(0, nil, 0, deployment(forwarder))),
		blockForward:   one(1, call(1, &c.contract, 7, nil)),
		blockCreate:    one(1, call(2, &c.contract, 0, []byte{0, 0})),
		blockFail:      one(1, call(3, &c.contract, 0, []byte{0})),
		blockDelegated: {delegated(t, signed(t, 2, call(0, &alice, 5, nil)))},
	}
	for nonce := uint64(4); nonce < 8; nonce++ {
		bodies[blockMany] = append(bodies[blockMany], signed(t, 1, call(nonce, &beef, 1, nil)))
	}
	_, c.blocks, _ = gethcore.GenerateChainWithGenesis(genesis, testchain.NewEngine(), blockLast,
		func(i int, b *gethcore.BlockGen) {
			for _, tx := range bodies[i+1] {
				b.AddTx(tx)
			}
		})
	c.start(t, genesis, bounds, archive)
	return c
}

// states is how a node keeps the states of old blocks.
type states struct {
	scheme  string
	archive bool
}

var archive = states{rawdb.HashScheme, true}

// open makes a node with the blocks of the chain.
func (c *testChain) open(t *testing.T, genesis *gethcore.Genesis, states states) *gethnode.Node {
	t.Helper()
	stack, err := gethnode.New(&gethnode.Config{P2P: p2p.Config{NoDiscovery: true, NoDial: true}, HTTPHost: "127.0.0.1",
		HTTPModules: append([]string{"eth"}, Modules()...)})
	must.Do(t, err)
	config := ethconfig.Defaults
	config.Genesis, config.NetworkId, config.SyncMode = genesis, 8283, ethconfig.FullSync
	config.StateScheme, config.NoPruning, config.StateHistory = states.scheme, states.archive, 0
	config.TxPool.Journal = ""
	config.DatabaseCache, config.TrieCleanCache, config.TrieDirtyCache, config.SnapshotCache = 16, 16, 16, 0
	if c.service, err = eth.New(stack, &config); err != nil {
		t.Fatal(errors.Join(err, stack.Close()))
	}
	if _, err := c.service.BlockChain().InsertChain(c.blocks); err != nil {
		t.Fatal(errors.Join(err, stack.Close()))
	}
	return stack
}

// start runs a node with the blocks of the chain and the methods of the profile.
func (c *testChain) start(t *testing.T, genesis *gethcore.Genesis, bounds Bounds, states states) {
	t.Helper()
	stack := c.open(t, genesis, states)
	t.Cleanup(func() { expect.Error(t, stack.Close(), nil, "stack.Close") })
	stack.RegisterAPIs(tracers.APIs(c.service.APIBackend))
	logs := filters.NewFilterSystem(c.service.APIBackend, filters.Config{})
	stack.RegisterAPIs(APIs(c.service.APIBackend, logs, bounds))
	gethrpc.SetDoor(Door(calls.New(calls.Limits{})))
	t.Cleanup(func() { gethrpc.SetDoor(nil) })
	must.Do(t, stack.Start())
	c.client = must.Get(gethrpc.Dial(stack.HTTPEndpoint()))(t)
	t.Cleanup(c.client.Close)
	c.awaitIndex(t)
}

// awaitIndex waits until transactions are found by hash.
func (c *testChain) awaitIndex(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !c.service.APIBackend.TxIndexDone(); time.Sleep(10 * time.Millisecond) {
		must.That(t, !time.Now().After(end), "transactions are not indexed in 30 s")
	}
}

// tx returns a transaction by block and index.
func (c *testChain) tx(block, index int) common.Hash {
	return c.blocks[block-1].Transactions()[index].Hash()
}

// must calls a method over HTTP.
func (c *testChain) must(t *testing.T, result any, method string, args ...any) {
	t.Helper()
	must.Do(t, c.client.CallContext(context.Background(), result, method, args...), method, args)
}

// wide are bounds that no test of results reaches.
func wide() Bounds {
	b := DefaultBounds()
	b.Time = time.Minute
	return b
}
