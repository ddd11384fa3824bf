// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/node"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/wbfttest"
	"gwon/core"
	"gwon/dev/devnet"
	"gwon/internal/must"
	"gwon/params"
)

// ageGenesis moves the time of a network's genesis block back. The block must not have been written anywhere yet.
func ageGenesis(network *devnet.Network, age time.Duration) error {
	if age == 0 {
		return nil
	}
	file := filepath.Join(network.Dir, "genesis.json")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	stamp := fmt.Sprintf(`"timestamp": "%#x"`, time.Now().Add(-age).Unix())
	text = regexp.MustCompile(`"timestamp": "0x[0-9a-f]+"`).ReplaceAllLiteral(text, []byte(stamp))
	return os.WriteFile(file, text, 0o644)
}

// prehistory makes count blocks of the cluster's chain without its processes, with the transactions that fill makes
// for the child of a header. The validators' keys seal them here, a second of chain time after each other. It returns
// a file for gwon import. The cluster's genesis block must be older than count seconds.
func (c *cluster) prehistory(t testing.TB, count int, fill func(*types.Header) []*types.Transaction) (file string) {
	t.Helper()
	net := c.sealers(t)
	file = filepath.Join(workDir(t), fmt.Sprintf("%d-blocks.rlp", count))
	out := must.Get(os.Create(file))(t)
	must.Do(t, errors.Join(net.History(t, count, fill).Export(out), out.Close()))
	return file
}

// sealers returns the nodes of the cluster as a network whose blocks a test makes and seals itself.
func (c *cluster) sealers(t testing.TB) *wbfttest.Network {
	t.Helper()
	net := &wbfttest.Network{Keys: make(map[common.Address]*ecdsa.PrivateKey)}
	genesis, err := os.Open(filepath.Join(c.network.Dir, "genesis.json"))
	must.Do(t, err)
	defer func() { _ = genesis.Close() }()
	net.Genesis, _, err = core.BuildGenesis(must.Get(core.ReadGenesis(genesis))(t), nil)
	must.Do(t, err)
	for _, node := range c.network.Nodes {
		key := must.Get(crypto.LoadECDSA(filepath.Join(node.Dir, "gwon", "nodekey")))(t)
		net.Keys[node.Address] = key
	}
	return net
}

// payments returns a function that makes n payments of the funded accounts, block by block another one's, to a
// thousand accounts.
func (c *cluster) payments(t testing.TB, n int) func(*types.Header) []*types.Transaction {
	id := new(big.Int).SetUint64(chainID)
	signer := types.LatestSignerForChainID(id)
	tip := new(big.Int).SetUint64(params.DefaultGasTip)
	nonces, paid := make([]uint64, len(c.network.Accounts)), uint64(0)
	return func(parent *types.Header) []*types.Transaction {
		from := parent.Number.Uint64() % uint64(len(nonces))
		key := c.network.Accounts[from].Key()
		feeCap := new(big.Int).Mul(parent.BaseFee, big.NewInt(2)) // a full block raises it for the next one
		feeCap.Add(feeCap, tip)
		list := make([]*types.Transaction, n)
		for i := range list {
			to := common.BigToAddress(new(big.Int).SetUint64(1<<32 + paid%1000))
			tx := must.Get(types.SignNewTx(key, signer, &types.DynamicFeeTx{
				ChainID: id, Nonce: nonces[from], GasTipCap: tip, GasFeeCap: feeCap, Gas: gethparams.TxGas, To: &to,
				Value: big.NewInt(1),
			}))(t)
			list[i] = tx
			nonces[from]++
			paid++
		}
		return list
	}
}

// give imports a file of blocks into the data directories of nodes that do not run.
func (c *cluster) give(t testing.TB, file string, nodes ...int) {
	t.Helper()
	for _, i := range nodes {
		if _, stderr, err := gwonFor(t, 10*patience, t.TempDir(), "--datadir", c.node(i).Dir, "import", file); err != nil {
			t.Fatalf("import into %s: %v: %s", c.node(i).Name, err, stderr)
		}
	}
}

// startAgedCluster returns a running network of n validators whose chain already has count blocks with txs payments
// each, the first of them in the ancient store.
func startAgedCluster(t testing.TB, n, count, txs int, frozen uint64) *cluster {
	t.Helper()
	c := agedCluster(t, n, time.Duration(count)*time.Second+time.Hour)
	c.startAged(t, count, frozen, c.payments(t, txs))
	return c
}

// startAged starts all nodes of a cluster with a chain of count blocks, as prehistory makes it.
func (c *cluster) startAged(t testing.TB, count int, frozen uint64, fill func(*types.Header) []*types.Transaction) {
	t.Helper()
	file := c.prehistory(t, count, fill)
	for i := range c.network.Nodes {
		c.give(t, file, i)
		if frozen > 0 {
			freeze(t, c.node(i).Dir, frozen)
		}
	}
	// All start together: a dial before its target listens is repeated only after half a minute.
	for i := range c.network.Nodes {
		c.start(t, i, "--validator.signfrom", strconv.Itoa(count+1)) // the blocks have its seals, and no log has them
	}
	c.awaitHead(t, uint64(count+1), c.running()...)
}

// freeze moves the first blocks of a node that does not run to its ancient store, where they would be anyway after
// 90,000 more.
func freeze(t testing.TB, data string, count uint64) {
	t.Helper()
	stack := must.Get(node.New(&node.Config{DataDir: data, Name: "gwon"}))(t)
	db := must.Get(stack.OpenDatabaseWithOptions("chaindata", node.DatabaseOptions{Cache: 16, Handles: 16}))(t)
	var blocks []*types.Block
	var receipts []rlp.RawValue
	for n := range count {
		hash := rawdb.ReadCanonicalHash(db, n)
		blocks = append(blocks, rawdb.ReadBlock(db, hash, n))
		receipts = append(receipts, rawdb.ReadReceiptsRLP(db, hash, n))
	}
	must.Get(rawdb.WriteAncientBlocks(db, blocks, receipts))(t)
	must.Do(t, db.SyncAncient())
	for _, block := range blocks[1:] {
		rawdb.DeleteBlockWithoutNumber(db, block.Hash(), block.NumberU64())
		rawdb.DeleteCanonicalHash(db, block.NumberU64())
	}
	must.Do(t, errors.Join(db.Close(), stack.Close()))
}
