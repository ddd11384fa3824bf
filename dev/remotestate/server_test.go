// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/holiman/uint256"

	"gwon/consensus/finality"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/wbfttest"
)

const (
	epochLength = 4
	begun       = 1_800_000_000 // of the chain, in seconds
)

// testChain is a sealed chain with a state, a transaction and a receipt in its last block.
type testChain struct {
	config  *gethparams.ChainConfig
	net     *wbfttest.Network
	headers []*types.Header
	tries   *triedb.Database
	root    common.Hash
	storage map[common.Address]common.Hash // roots
	codes   map[common.Address][]byte
	txs     types.Transactions
	logs    types.Receipts
}

var (
	contract = common.HexToAddress("0xc0de")
	flagged  = common.HexToAddress("0xf1a6")
	someCode = []byte{0x60, 0x01, 0x60, 0x02}
)

func account(i int) common.Address { return common.BigToAddress(big.NewInt(0xacc0000 + int64(i))) }

func slot(i int) common.Hash { return common.BigToHash(big.NewInt(int64(i))) }

// newTestChain seals one more block after five epochs. The validators change twice.
func newTestChain(t testing.TB) *testChain {
	t.Helper()
	c := &testChain{
		net: wbfttest.NewWithEpochs(t, 7, epochLength), tries: triedb.NewDatabase(rawdb.NewMemoryDatabase(), nil),
		storage: make(map[common.Address]common.Hash), codes: map[common.Address][]byte{contract: someCode},
	}
	c.config = c.net.Genesis.Config
	c.makeState(t)
	c.makeBlock(t)
	members := [][]int{{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 4, 5}, {1, 0, 5, 4}, {4, 5, 6, 3}, {4, 5, 6, 3}}
	genesis, err := c.net.Genesis.ToBlock().Header().WBFTExtra()
	if err != nil {
		t.Fatal(err)
	}
	info := func(list []int) *types.EpochInfo {
		e := &types.EpochInfo{Candidates: genesis.EpochInfo.Candidates}
		for _, i := range list {
			e.Validators = append(e.Validators, uint32(i))
			e.BLSPublicKeys = append(e.BLSPublicKeys, genesis.EpochInfo.BLSPublicKeys[i])
		}
		return e
	}
	for number := range 5*epochLength + 2 {
		extra := &types.WBFTExtra{GasTip: big.NewInt(1)}
		if number%epochLength == 0 {
			extra.EpochInfo = info(members[number/epochLength])
		}
		h := &types.Header{
			Number: big.NewInt(int64(number)), Difficulty: common.Big1, BaseFee: common.Big1, UncleHash: types.EmptyUncleHash,
			Root: c.root, TxHash: types.EmptyTxsHash, ReceiptHash: types.EmptyReceiptsHash, GasLimit: 1e8,
			Time: begun + uint64(number), Extra: extra.Encode(),
		}
		if number == 5*epochLength+1 {
			h.TxHash = types.DeriveSha(c.txs, trie.NewStackTrie(nil))
			h.ReceiptHash = types.DeriveSha(c.logs, trie.NewStackTrie(nil))
		}
		if number > 0 {
			h.ParentHash = c.headers[number-1].Hash()
			set, err := validators.FromEpochInfo(info(members[(number-1)/epochLength]))
			if err != nil {
				t.Fatal(err)
			}
			h = c.net.SealBy(t, set, types.NewBlockWithHeader(h), 0).Header()
		}
		c.headers = append(c.headers, h)
	}
	return c
}

func (c *testChain) last() *types.Header { return c.headers[len(c.headers)-1] }

func (c *testChain) makeState(t testing.TB) {
	t.Helper()
	words := c.newTrie(t, trie.StorageTrieID(types.EmptyRootHash, crypto.Keccak256Hash(contract[:]), types.EmptyRootHash))
	for i := range 300 {
		if err := words.UpdateStorage(contract, slot(i).Bytes(), common.TrimLeftZeroes(slot(i + 1).Bytes())); err != nil {
			t.Fatal(err)
		}
	}
	c.storage[contract] = c.commit(t, words)
	accounts := c.newTrie(t, trie.StateTrieID(types.EmptyRootHash))
	put := func(address common.Address, a *types.StateAccount) {
		t.Helper()
		if err := accounts.UpdateAccount(address, a, 0); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 500 {
		a := types.NewEmptyStateAccount()
		a.Balance, a.Nonce = uint256.NewInt(uint64(i)+1), uint64(i)
		put(account(i), a)
	}
	a := types.NewEmptyStateAccount()
	a.Extra, a.Balance = types.AccountBlacklisted, uint256.NewInt(5)
	put(flagged, a)
	a = types.NewEmptyStateAccount()
	a.CodeHash, a.Root, a.Nonce = crypto.Keccak256(someCode), c.storage[contract], 1
	put(contract, a)
	c.root = c.commit(t, accounts)
}

func (c *testChain) newTrie(t testing.TB, id *trie.ID) *trie.StateTrie {
	t.Helper()
	tr, err := trie.NewStateTrie(id, c.tries)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func (c *testChain) commit(t testing.TB, tr *trie.StateTrie) common.Hash {
	t.Helper()
	root, set := tr.Commit(false)
	if err := c.tries.Update(root, types.EmptyRootHash, 0, mergedNodes(set), nil); err != nil {
		t.Fatal(err)
	}
	if err := c.tries.Commit(root, false); err != nil {
		t.Fatal(err)
	}
	return root
}

// makeBlock makes the content of the last block: a transfer, and a fee-delegated one with a log.
func (c *testChain) makeBlock(t testing.TB) {
	t.Helper()
	sender, payer := wbfttest.Key(1), wbfttest.Key(2)
	id := c.config.ChainID
	inner := types.DynamicFeeTx{ChainID: id, GasTipCap: common.Big1, GasFeeCap: common.Big2, Gas: 21000, To: &contract}
	plain, err := types.SignNewTx(sender, types.LatestSignerForChainID(id), &inner)
	if err != nil {
		t.Fatal(err)
	}
	inner.V, inner.R, inner.S = plain.RawSignatureValues()
	address := crypto.PubkeyToAddress(payer.PublicKey)
	delegated, err := types.SignNewTx(payer, types.NewFeeDelegateSigner(id),
		&types.FeeDelegateTx{SenderTx: inner, FeePayer: &address})
	if err != nil {
		t.Fatal(err)
	}
	c.txs = types.Transactions{plain, delegated}
	log := &types.Log{Address: contract, Topics: []common.Hash{{1}}, Data: []byte{2}}
	c.logs = types.Receipts{
		{Type: plain.Type(), Status: 1, CumulativeGasUsed: 21000, GasUsed: 21000},
		{Type: delegated.Type(), Status: 1, CumulativeGasUsed: 51000, GasUsed: 30000, Logs: []*types.Log{log}},
	}
	for _, r := range c.logs {
		r.Bloom = types.CreateBloom(r)
	}
}
