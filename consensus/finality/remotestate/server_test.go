// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/ethereum/go-ethereum/trie/trienode"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/holiman/uint256"

	"gwon/consensus/finality"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/wbfttest"
	"gwon/internal/expect"
	"gwon/internal/must"
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
func newTestChain(t testing.TB) *testChain { return newSlowChain(t, 1) }

// newSlowChain is newTestChain with another time between blocks, in seconds.
func newSlowChain(t testing.TB, period uint64) *testChain {
	t.Helper()
	c := &testChain{
		net: wbfttest.NewWithEpochs(t, 7, epochLength), tries: triedb.NewDatabase(rawdb.NewMemoryDatabase(), nil),
		storage: make(map[common.Address]common.Hash), codes: map[common.Address][]byte{contract: someCode},
	}
	c.config = c.net.Genesis.Config
	c.makeState(t)
	c.makeBlock(t)
	members := [][]int{{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 4, 5}, {1, 0, 5, 4}, {4, 5, 6, 3}, {4, 5, 6, 3}}
	genesis := must.Get(c.net.Genesis.ToBlock().Header().WBFTExtra())(t)
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
			Time: begun + period*uint64(number), Extra: extra.Encode(),
		}
		if number == 5*epochLength+1 {
			h.TxHash = types.DeriveSha(c.txs, trie.NewStackTrie(nil))
			h.ReceiptHash = types.DeriveSha(c.logs, trie.NewStackTrie(nil))
		}
		if number > 0 {
			h.ParentHash = c.headers[number-1].Hash()
			set := must.Get(validators.FromEpochInfo(info(members[(number-1)/epochLength])))(t)
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
		must.Do(t, words.UpdateStorage(contract, slot(i).Bytes(), common.TrimLeftZeroes(slot(i+1).Bytes())))
	}
	c.storage[contract] = c.commit(t, words)
	accounts := c.newTrie(t, trie.StateTrieID(types.EmptyRootHash))
	put := func(address common.Address, a *types.StateAccount) {
		t.Helper()
		must.Do(t, accounts.UpdateAccount(address, a, 0))
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
	tr := must.Get(trie.NewStateTrie(id, c.tries))(t)
	return tr
}

func (c *testChain) commit(t testing.TB, tr *trie.StateTrie) common.Hash {
	t.Helper()
	root, set := tr.Commit(false)
	must.Do(t, c.tries.Update(root, types.EmptyRootHash, 0, trienode.NewWithNodeSet(set), nil))
	must.Do(t, c.tries.Commit(root, false))
	return root
}

// makeBlock makes the content of the last block: a transfer, and a fee-delegated one with a log.
func (c *testChain) makeBlock(t testing.TB) {
	t.Helper()
	var keys [2]*ecdsa.PrivateKey
	for i := range keys {
		var err error
		keys[i], err = crypto.ToECDSA(crypto.Keccak256([]byte{byte(i)}))
		must.Do(t, err)
	}
	sender, payer := keys[0], keys[1]
	id := c.config.ChainID
	inner := types.DynamicFeeTx{ChainID: id, GasTipCap: common.Big1, GasFeeCap: common.Big2, Gas: 21000, To: &contract}
	plain := must.Get(types.SignNewTx(sender, types.LatestSignerForChainID(id), &inner))(t)
	inner.V, inner.R, inner.S = plain.RawSignatureValues()
	address := crypto.PubkeyToAddress(payer.PublicKey)
	delegated := must.Get(types.SignNewTx(payer, types.NewFeeDelegateSigner(id),
		&types.FeeDelegateTx{SenderTx: inner, FeePayer: &address}))(t)
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

// server answers as a node of the chain does. Methods that are not listed are unknown, as in go-stablenet.
type server struct {
	t       testing.TB
	chain   *testChain
	url     string
	proofs  bool // it has istanbul_getFinalityProof
	headers bool // it has eth_getHeaderByNumber
	pruned  bool // it has no state
	refuses error

	accessed types.AccessList // what eth_createAccessList names

	mu    sync.Mutex
	asked map[string]int
	lie   func(method string, answer any) any // nil for an honest node
	hang  func(method string)                 // waits before a method is answered; nil for none
}

func newServer(t testing.TB, chain *testChain) *server {
	t.Helper()
	s := &server{t: t, chain: chain, asked: make(map[string]int)}
	endpoint := httptest.NewServer(s)
	t.Cleanup(endpoint.Close)
	s.url = endpoint.URL
	return s
}

type question struct {
	ID     json.RawMessage   `json:"id"`
	Method string            `json:"method"`
	Params []json.RawMessage `json:"params"`
}

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var raw json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&raw); err != nil {
		s.t.Error(err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	var batch []question
	if strings.HasPrefix(strings.TrimSpace(string(raw)), "[") {
		expect.Error(s.t, json.Unmarshal(raw, &batch), nil, "Unmarshal")
		answers := make([]any, len(batch))
		for i, q := range batch {
			answers[i] = s.answer(q)
		}
		s.write(w, answers)
		return
	}
	var q question
	expect.Error(s.t, json.Unmarshal(raw, &q), nil, "Unmarshal")
	s.write(w, s.answer(q))
}

func (s *server) write(w http.ResponseWriter, answer any) {
	if err := json.NewEncoder(w).Encode(answer); err != nil && !strings.Contains(err.Error(), "write tcp") {
		s.t.Error(err)
	}
}

func (s *server) answer(q question) map[string]any {
	if s.hang != nil {
		s.hang(q.Method)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[q.Method]++
	result, err := s.result(q)
	if err != nil {
		code := -32000
		if strings.Contains(err.Error(), "does not exist") {
			code = -32601
		}
		return map[string]any{"jsonrpc": "2.0", "id": q.ID, "error": map[string]any{"code": code, "message": err.Error()}}
	}
	if s.lie != nil {
		result = s.lie(q.Method, plain(s.t, result))
	}
	return map[string]any{"jsonrpc": "2.0", "id": q.ID, "result": result}
}

// plain returns a value as JSON has it, so that fields can be altered by their names.
func plain(t testing.TB, value any) (result any) {
	t.Helper()
	encoded, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(encoded, &result)
	}
	expect.That(t, err == nil, "%v", err)
	return result
}

func (s *server) result(q question) (any, error) {
	var number hexutil.Uint64
	read := func(i int, into any) {
		expect.That(s.t, i < len(q.Params) && json.Unmarshal(q.Params[i], into) == nil,
			"%s: parameter %d of %s", q.Method, i, q.Params)
	}
	unknown := fmt.Errorf("the method %s does not exist/is not available", q.Method)
	switch q.Method {
	case "eth_chainId":
		return (*hexutil.Big)(s.chain.config.ChainID), nil
	case "eth_blockNumber":
		return hexutil.Uint64(s.chain.last().Number.Uint64()), nil
	case "istanbul_getFinalityProof":
		if !s.proofs {
			return nil, unknown
		}
		var trusted hexutil.Uint64
		read(0, &number)
		read(1, &trusted)
		return finality.Build(s.chain, uint64(trusted), uint64(number))
	case "eth_getHeaderByNumber":
		if !s.headers {
			return nil, unknown
		}
		read(0, &number)
		return s.chain.Header(uint64(number)), nil
	case "eth_getBlockByNumber":
		var full bool
		read(0, &number)
		read(1, &full)
		return s.block(s.chain.Header(uint64(number)), full), nil
	case "eth_getBlockByHash":
		var hash common.Hash
		var full bool
		read(0, &hash)
		read(1, &full)
		for _, h := range s.chain.headers {
			if h.Hash() == hash {
				return s.block(h, full), nil
			}
		}
		return nil, nil
	case "eth_getTransactionByHash":
		var hash common.Hash
		read(0, &hash)
		for i, tx := range s.chain.txs {
			if tx.Hash() == hash {
				return s.block(s.chain.last(), true)["transactions"].([]any)[i], nil
			}
		}
		return nil, nil
	case "eth_sendRawTransaction":
		var raw hexutil.Bytes
		read(0, &raw)
		tx := new(types.Transaction)
		if err := tx.UnmarshalBinary(raw); err != nil {
			return nil, err
		}
		if s.refuses != nil {
			return nil, s.refuses
		}
		return tx.Hash(), nil
	case "eth_getBlockReceipts":
		read(0, &number)
		list := []any{}
		if uint64(number) == s.chain.last().Number.Uint64() {
			for i, r := range s.chain.receipts(s.t) {
				signer := types.LatestSigner(s.chain.config)
				list = append(list, eth.MarshalReceipt(r, r.BlockHash, uint64(number), signer, s.chain.txs[i], i))
			}
		}
		return list, nil
	case "eth_createAccessList":
		return map[string]any{"accessList": s.accessed, "gasUsed": "0x0"}, nil
	case "eth_getCode":
		var address common.Address
		read(0, &address)
		return hexutil.Bytes(s.chain.codes[address]), nil
	case "eth_getProof":
		if s.pruned {
			return nil, fmt.Errorf("missing trie node %v (path ) state %v is not available", s.chain.root, s.chain.root)
		}
		var address common.Address
		var keys []common.Hash
		read(0, &address)
		read(1, &keys)
		return s.chain.proof(s.t, address, keys), nil
	}
	return nil, unknown
}

// block is the object of a block as a node of gwon shows it.
func (s *server) block(h *types.Header, full bool) map[string]any {
	if h == nil {
		return nil
	}
	block := types.NewBlockWithHeader(h)
	if h == s.chain.last() {
		block = s.chain.block()
	}
	return plain(s.t, eth.RPCMarshalBlock(block, true, full, s.chain.config)).(map[string]any)
}

// block is the last block of the chain, the only one with transactions.
func (c *testChain) block() *types.Block {
	return types.NewBlockWithHeader(c.last()).WithBody(types.Body{Transactions: c.txs})
}

// receipts are those of the last block, with all fields.
func (c *testChain) receipts(t testing.TB) types.Receipts {
	t.Helper()
	list := make(types.Receipts, len(c.logs))
	for i, r := range c.logs {
		filled := *r
		filled.Logs = []*types.Log{}
		for _, l := range r.Logs {
			log := *l
			filled.Logs = append(filled.Logs, &log)
		}
		list[i] = &filled
	}
	err := list.DeriveFields(c.config, c.last().Hash(), c.last().Number.Uint64(), c.last().Time, c.last().BaseFee, nil,
		c.txs)
	expect.That(t, err == nil, "%v", err)
	return list
}

// Header implements finality.Chain.
func (c *testChain) Header(number uint64) *types.Header {
	if number >= uint64(len(c.headers)) {
		return nil
	}
	return c.headers[number]
}

// LastEpochBlock implements finality.Chain.
func (c *testChain) LastEpochBlock(number uint64) uint64 { return number - number%epochLength }

// path is the proof of a key as nodes list it.
type path []hexutil.Bytes

// Put implements ethdb.KeyValueWriter.
func (p *path) Put(_, value []byte) error {
	*p = append(*p, common.CopyBytes(value))
	return nil
}

// Delete implements ethdb.KeyValueWriter.
func (p *path) Delete([]byte) error { return nil }

func (c *testChain) proof(t testing.TB, address common.Address, keys []common.Hash) map[string]any {
	t.Helper()
	accounts := c.newTrie(t, trie.StateTrieID(c.root))
	var way path
	expect.Error(t, accounts.Prove(crypto.Keccak256(address[:]), &way), nil, "Prove")
	a, err := accounts.GetAccount(address)
	expect.Error(t, err, nil, "GetAccount")
	if a == nil {
		a = types.NewEmptyStateAccount()
	}
	words := []any{}
	for _, key := range keys {
		var value common.Hash
		below := path{}
		if a.Root != types.EmptyRootHash {
			tr := c.newTrie(t, trie.StorageTrieID(c.root, crypto.Keccak256Hash(address[:]), a.Root))
			content, err := tr.GetStorage(address, key[:])
			if err == nil {
				err = tr.Prove(crypto.Keccak256(key[:]), &below)
			}
			expect.That(t, err == nil, "%v", err)
			value.SetBytes(content)
		}
		words = append(words, map[string]any{"key": key, "value": (*hexutil.Big)(value.Big()), "proof": below})
	}
	return map[string]any{
		"address": address, "accountProof": way, "balance": (*hexutil.Big)(a.Balance.ToBig()),
		"codeHash": common.BytesToHash(a.CodeHash), "nonce": hexutil.Uint64(a.Nonce), "storageHash": a.Root,
		"storageProof": words, "extra": hexutil.Uint64(a.Extra),
	}
}

// open opens a reader of servers that trusts genesis.
func (c *testChain) open(t testing.TB, options Options, servers ...*server) *Reader {
	t.Helper()
	for _, s := range servers {
		options.URLs = append(options.URLs, s.url)
	}
	options.Config, options.Genesis = c.config, c.headers[0].Hash()
	if options.Now == nil {
		options.Now = func() time.Time { return time.Unix(begun+60, 0) }
	}
	r := must.Get(Open(t.Context(), options))(t)
	t.Cleanup(func() { expect.Error(t, r.Close(), nil, "Close") })
	return r
}

// memory is a database of nodes by their hashes that asks a state for those that it lacks.
type memory struct {
	*memorydb.Database
	state *State
	t     testing.TB
}

// Get implements ethdb.KeyValueReader.
func (m *memory) Get(key []byte) ([]byte, error) {
	if value, err := m.Database.Get(key); err == nil {
		return value, nil
	}
	return m.state.Node(m.t.Context(), common.BytesToHash(key))
}
