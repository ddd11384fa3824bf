// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"crypto/ecdsa"
	"encoding/binary"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/trie"

	"gwon/consensus/wbft/wbfttest"
	"gwon/eth/session/sessiontest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// testNode is a whole node service on loopback.
type testNode struct {
	*Service
	stack *node.Node
	dir   string
}

// startNode opens the node service of a network in a directory, imports blocks and connects it to peers.
func startNode(t *testing.T, net *wbfttest.Network, dir, scheme string, mode ethconfig.SyncMode, blocks types.Blocks,
	peers ...*testNode) *testNode {
	t.Helper()
	n := makeNode(t, net, dir, scheme, mode)
	must.Get(n.chain.InsertChain(blocks))(t)
	must.Do(t, n.stack.Start())
	for _, p := range peers {
		n.stack.Server().AddPeer(p.stack.Server().Self())
	}
	return n
}

// makeNode makes a node that is not started.
func makeNode(t *testing.T, net *wbfttest.Network, dir, scheme string, mode ethconfig.SyncMode) *testNode {
	t.Helper()
	key := must.Get(crypto.GenerateKey())(t)
	stack := must.Get(node.New(&node.Config{Name: "gwon", DataDir: dir, P2P: p2p.Config{
		PrivateKey: key, ListenAddr: "127.0.0.1:0", NoDiscovery: true, MaxPeers: 10,
	}}))(t)
	t.Cleanup(func() { _ = stack.Close() }) // some tests stop the node before
	RegisterEngine(nil)
	cfg := ethconfig.Defaults
	cfg.Genesis, cfg.NetworkId, cfg.SyncMode, cfg.StateScheme = net.Genesis, net.Genesis.Config.ChainID.Uint64(),
		mode, scheme
	cfg.TrieCleanCache, cfg.TrieDirtyCache, cfg.SnapshotCache, cfg.DatabaseCache = 16, 16, 16, 16
	service := must.Get(New(stack, &Config{Eth: &cfg, SyncInterval: 200 * time.Millisecond}))(t)
	return &testNode{service, stack, dir}
}

// peopled is a network with many accounts: some with flags, a contract with storage, and a funded account.
func peopled(t *testing.T) (net *wbfttest.Network, payer *ecdsa.PrivateKey, accounts []common.Address) {
	t.Helper()
	net = wbfttest.New(t, 1)
	payer = must.Get(crypto.ToECDSA(crypto.Keccak256([]byte("payer of the snap sync test"))))(t)
	coins := new(big.Int).Exp(big.NewInt(10), big.NewInt(24), nil)
	net.Genesis.Alloc[crypto.PubkeyToAddress(payer.PublicKey)] = types.Account{Balance: coins}
	for i := range 1000 {
		a := common.BytesToAddress(crypto.Keccak256(binary.BigEndian.AppendUint32(nil, uint32(i))))
		account := types.Account{Balance: big.NewInt(int64(i) + 1)}
		switch i % 10 {
		case 3:
			account.Extra = types.AccountBlacklisted
		case 6:
			account.Extra = types.AccountAuthorized
		case 9:
			account.Code = append([]byte{0x00}, a[:]...)
			account.Storage = map[common.Hash]common.Hash{{1}: common.BigToHash(big.NewInt(int64(i))), {2}: {0xff}}
		}
		net.Genesis.Alloc[a] = account
		accounts = append(accounts, a)
	}
	return net, payer, accounts
}

// payments returns what fills blocks with one transfer each.
func payments(t *testing.T, net *wbfttest.Network, payer *ecdsa.PrivateKey) func(*types.Header) []*types.Transaction {
	signer, nonce := types.LatestSigner(net.Genesis.Config), uint64(0)
	return func(*types.Header) []*types.Transaction {
		tip := big.NewInt(27_600_000_000_000)
		tx := must.Get(types.SignNewTx(payer, signer, &types.DynamicFeeTx{
			ChainID: net.Genesis.Config.ChainID, Nonce: nonce, Gas: 21000, To: &common.Address{0xee}, Value: big.NewInt(1),
			GasTipCap: tip, GasFeeCap: new(big.Int).Mul(tip, big.NewInt(100)),
		}))(t)
		nonce++
		return []*types.Transaction{tx}
	}
}

// checkState compares accounts and the receipts of a block.
func checkState(t *testing.T, chain, want *gethcore.BlockChain, accounts []common.Address) {
	t.Helper()
	checkAccounts(t, chain, want, accounts)
	block := want.GetBlockByNumber(10)
	got, expected := chain.GetReceiptsByHash(block.Hash()), want.GetReceiptsByHash(block.Hash())
	must.That(t, len(got) == 1 && types.DeriveSha(got, trie.NewStackTrie(nil)) == block.ReceiptHash(),
		"receipts of block 10: %d, want those of root %v", len(got), block.ReceiptHash())
	expect.That(t, got[0].EffectiveGasPrice.Cmp(expected[0].EffectiveGasPrice) == 0,
		"effective gas price %v, want %v", got[0].EffectiveGasPrice, expected[0].EffectiveGasPrice)
}

// checkAccounts compares everything the test network has put into accounts.
func checkAccounts(t *testing.T, chain, want *gethcore.BlockChain, accounts []common.Address) {
	t.Helper()
	head := want.CurrentBlock()
	must.That(t, chain.CurrentBlock().Hash() == head.Hash(),
		"head is %d, want %d", chain.CurrentBlock().Number, head.Number)
	have := must.Get(chain.StateAt(head.Root, head.Number, head.Time))(t)
	reference := must.Get(want.StateAt(head.Root, head.Number, head.Time))(t)
	for _, a := range accounts {
		must.That(t, have.GetBalance(a).Cmp(reference.GetBalance(a)) == 0 && !have.GetBalance(a).IsZero(),
			"account %v: balance %v, want %v", a, have.GetBalance(a), reference.GetBalance(a))
		if have.GetExtra(a) != reference.GetExtra(a) || have.GetCodeHash(a) != reference.GetCodeHash(a) ||
			have.GetState(a, common.Hash{1}) != reference.GetState(a, common.Hash{1}) {
			t.Fatalf("account %v differs: extra %#x, want %#x", a, have.GetExtra(a), reference.GetExtra(a))
		}
		must.That(t, crypto.Keccak256Hash(have.GetCode(a)) == have.GetCodeHash(a),
			"account %v has no code for its code hash", a)
	}
	must.Do(t, have.Error())
}

// A node without state fetches that of a pivot from a peer, with account flags, code and storage, and executes the
// blocks after it (spec network 4, chain 4).
func TestSnapSync(t *testing.T) {
	for _, scheme := range []string{rawdb.PathScheme, rawdb.HashScheme} {
		if testing.Short() && scheme == rawdb.HashScheme {
			continue
		}
		t.Run(scheme, func(t *testing.T) {
			net, payer, accounts := peopled(t)
			origin, _ := net.Chain(t)
			blocks := net.ExtendWith(t, origin, 300, payments(t, net, payer))
			server := startNode(t, net, t.TempDir(), scheme, ethconfig.FullSync, blocks)
			node := startNode(t, net, t.TempDir(), scheme, ethconfig.SnapSync, nil, server)
			sessiontest.AwaitHead(t, node.chain, 300)
			checkState(t, node.chain, origin, accounts)
			expect.That(t, node.syncer.HasState(), "the node still waits for a state")
			// The blocks below the pivot were not executed: their states are not here.
			expect.That(t, !node.chain.HasState(node.chain.GetHeaderByNumber(100).Root),
				"the state of block 100 is here: it was executed")
			sessiontest.CheckChain(t, node.chain, node.engine, origin)
			final := node.chain.CurrentFinalBlock()
			expect.That(t, final != nil && final.Number.Uint64() == 300, "final block %v, want 300", final)
		})
	}
}

// An interrupted snap sync continues with another peer. Stored blocks are kept, and no block is executed without a
// state.
func TestSnapSyncResumes(t *testing.T) {
	net, payer, accounts := peopled(t)
	origin, _ := net.Chain(t)
	blocks := net.ExtendWith(t, origin, 300, payments(t, net, payer))
	dir := t.TempDir()

	// The first run stores blocks from a peer that has no state to give, and stops in the middle.
	node := startNode(t, net, dir, rawdb.PathScheme, ethconfig.SnapSync, nil)
	withReceipts := &sessiontest.Source{Blocks: blocks, Chain: origin}
	withReceipts.Connect(t, node.sessions, node.chain)
	node.syncer.Claimed()
	deadline := time.Now().Add(sessiontest.Patience)
	for node.chain.CurrentSnapBlock().Number.Uint64() < 100 {
		must.That(t, !time.Now().After(deadline), "no blocks are stored")
		time.Sleep(5 * time.Millisecond) // storing blocks sends no event
	}
	must.That(t, node.chain.CurrentBlock().Number.Sign() == 0, "a block became the head without its state")
	must.Do(t, node.stack.Close())

	server := startNode(t, net, t.TempDir(), rawdb.PathScheme, ethconfig.FullSync, blocks)
	// The mode is not repeated: the data directory shows that a state is missing.
	again := startNode(t, net, dir, rawdb.PathScheme, ethconfig.FullSync, nil)
	stored := again.chain.CurrentSnapBlock().Number.Uint64()
	expect.That(t, stored >= 100, "only %d blocks are stored after the restart", stored)
	again.stack.Server().AddPeer(server.stack.Server().Self())
	sessiontest.AwaitHead(t, again.chain, 300)
	checkState(t, again.chain, origin, accounts)
}
