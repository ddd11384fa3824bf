// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package remotetest is a sealed chain that grows by blocks with logs, and nodes of it that can lie. It serves tests of
// what reads a chain by package remotestate: the package has no state, and executes nothing.
package remotetest

import (
	"crypto/ecdsa"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/trie"

	"gwon/consensus/finality"
	"gwon/consensus/finality/remotestate"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/wbfttest"
	"gwon/params"
)

// Chain is a chain of four validators that stay the same. It is safe for concurrent use.
type Chain struct {
	config *gethparams.ChainConfig
	net    *wbfttest.Network
	set    *validators.Set
	info   *types.EpochInfo
	key    *ecdsa.PrivateKey // of all transactions

	mu       sync.Mutex
	blocks   []*types.Block
	receipts []types.Receipts
	nonce    uint64
}

// New returns a chain with an ID at its genesis block.
func New(t testing.TB, chainID int64) *Chain {
	t.Helper()
	c := &Chain{net: wbfttest.New(t, 4)}
	genesis := c.net.Genesis.ToBlock()
	c.config = c.net.Genesis.Config
	c.config.ChainID = big.NewInt(chainID)
	extra, err := genesis.Header().WBFTExtra()
	if err == nil {
		c.info = extra.EpochInfo
		c.set, err = validators.FromEpochInfo(c.info)
	}
	if err == nil {
		c.key, err = crypto.ToECDSA(crypto.Keccak256([]byte("remotetest")))
	}
	if err != nil {
		t.Fatal(err)
	}
	c.blocks, c.receipts = []*types.Block{genesis}, []types.Receipts{nil}
	return c
}

// Genesis returns the genesis block.
func (c *Chain) Genesis() *types.Header { return c.blocks[0].Header() }

// Config returns the rules of the chain.
func (c *Chain) Config() *gethparams.ChainConfig { return c.config }

// Head returns the newest block.
func (c *Chain) Head() *types.Block {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.blocks[len(c.blocks)-1]
}

// Block returns the block of a number, nil for none.
func (c *Chain) Block(number uint64) *types.Block {
	c.mu.Lock()
	defer c.mu.Unlock()
	if number >= uint64(len(c.blocks)) {
		return nil
	}
	return c.blocks[number]
}

// Receipts returns the receipts of a block, with all fields.
func (c *Chain) Receipts(number uint64) types.Receipts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.receipts[number]
}

// Grow seals a block with a transaction for each list of logs, of which address, topics and data count.
func (c *Chain) Grow(t testing.TB, logs ...[]*types.Log) *types.Block {
	t.Helper()
	block, receipts := c.next(t, c.Head(), logs)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.blocks, c.receipts = append(c.blocks, block), append(c.receipts, receipts)
	c.nonce += uint64(len(logs))
	return block
}

func (c *Chain) next(t testing.TB, parent *types.Block, logs [][]*types.Log) (*types.Block, types.Receipts) {
	t.Helper()
	number := parent.NumberU64() + 1
	var txs types.Transactions
	var receipts types.Receipts
	var used uint64
	for i, list := range logs {
		gas := 21000 + gasOf(list)
		used += gas
		tx, err := types.SignNewTx(c.key, types.LatestSignerForChainID(c.config.ChainID), &types.DynamicFeeTx{
			ChainID: c.config.ChainID, Nonce: c.nonce + uint64(i), GasTipCap: common.Big1, GasFeeCap: common.Big2, Gas: 21000,
			To: &common.Address{19: 1},
		})
		if err != nil {
			t.Fatal(err)
		}
		r := &types.Receipt{
			Type: tx.Type(), Status: 1, CumulativeGasUsed: used, GasUsed: gas, Logs: []*types.Log{},
		}
		for _, l := range list {
			r.Logs = append(r.Logs, &types.Log{Address: l.Address, Topics: l.Topics, Data: l.Data})
		}
		r.Bloom = types.CreateBloom(r)
		txs, receipts = append(txs, tx), append(receipts, r)
	}
	extra := &types.WBFTExtra{GasTip: big.NewInt(1)}
	if c.LastEpochBlock(number) == number {
		extra.EpochInfo = c.info
	}
	header := &types.Header{
		Number: new(big.Int).SetUint64(number), ParentHash: parent.Hash(), Difficulty: common.Big1, BaseFee: common.Big1,
		UncleHash: types.EmptyUncleHash, Root: parent.Root(), GasLimit: params.DefaultGasCeil, GasUsed: used,
		Time:   parent.Time() + 1,
		Extra:  extra.Encode(),
		TxHash: types.DeriveSha(txs, trie.NewStackTrie(nil)), ReceiptHash: types.DeriveSha(receipts, trie.NewStackTrie(nil)),
		Bloom: types.MergeBloom(receipts),
	}
	block := types.NewBlockWithHeader(header).WithBody(types.Body{Transactions: txs})
	block = c.net.SealBy(t, c.set, block, 0)
	if err := receipts.DeriveFields(c.config, block.Hash(), number, block.Time(), block.BaseFee(), nil, txs); err != nil {
		t.Fatal(err)
	}
	return block, receipts
}

// gasOf returns the gas that a contract needs at least for logs: two pushes and LOG for each.
func gasOf(logs []*types.Log) (gas uint64) {
	for _, l := range logs {
		topics, data := uint64(len(l.Topics)), uint64(len(l.Data))
		gas += 4 + gethparams.LogGas + gethparams.LogTopicGas*topics + gethparams.LogDataGas*data
	}
	return gas
}

// WorstBlock is a block that the gas limit allows, as the logs of its transactions.
type WorstBlock struct {
	Name string
	Logs [][]*types.Log
	Slow bool // to read
}

// WorstBlocks returns the blocks whose receipts are the hardest to read, of logs by one contract with a first topic.
func WorstBlocks(contract common.Address, topic common.Hash) []WorstBlock {
	repeated := func(l *types.Log, gas uint64) []*types.Log {
		return slices.Repeat([]*types.Log{l}, int(gas/gasOf([]*types.Log{l}))) //nolint:gosec // below params.DefaultGasCeil
	}
	full := []*types.Log{}
	for i := range 1300 {
		l := &types.Log{Address: contract}
		for j := range 4 {
			l.Topics = append(l.Topics, crypto.Keccak256Hash([]byte{byte(i), byte(i >> 8), byte(j)})) //nolint:gosec // parts
		}
		full = append(full, l)
	}
	empty := &types.Log{Address: contract, Topics: []common.Hash{}}
	large := repeated(&types.Log{Address: contract, Topics: []common.Hash{topic}, Data: make([]byte, 50_000)}, 23_300_000)
	return []WorstBlock{
		{"one transaction with a full bloom filter", [][]*types.Log{append(full, repeated(empty, 20_000_000)...)}, false},
		{"two transactions with 10 MiB of matching logs", [][]*types.Log{large, large}, false},
		{"the largest log", [][]*types.Log{repeated(&types.Log{
			Address: contract, Topics: []common.Hash{topic}, Data: make([]byte, 13_000_000),
		}, params.DefaultGasCeil)}, false},
		{"empty logs of all gas", [][]*types.Log{append(repeated(empty, params.DefaultGasCeil-50_000),
			&types.Log{Address: contract, Topics: []common.Hash{topic}})}, true},
	}
}

// Header implements finality.Chain.
func (c *Chain) Header(number uint64) *types.Header {
	if b := c.Block(number); b != nil {
		return b.Header()
	}
	return nil
}

// LastEpochBlock implements finality.Chain.
func (c *Chain) LastEpochBlock(number uint64) uint64 { return c.config.LastEpochBlock(number) }

// Open opens a reader of nodes that trusts the genesis block.
func (c *Chain) Open(t testing.TB, options remotestate.Options, nodes ...*Node) *remotestate.Reader {
	t.Helper()
	for _, n := range nodes {
		options.URLs = append(options.URLs, n.URL)
	}
	options.Config, options.Genesis = c.config, c.Genesis().Hash()
	if options.Now == nil {
		options.Now = func() time.Time { return time.Unix(int64(c.Head().Time()), 0) } //nolint:gosec // of this package
	}
	reader, err := remotestate.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return reader
}

// Node is a node of a chain over HTTP.
type Node struct {
	URL   string
	chain *Chain
	t     testing.TB

	mu    sync.Mutex
	lie   func(method string, answer any) any
	fails string // method that is not answered
	asked map[string]int

	encoded sync.Map // JSON of receipts, by the number of the block
}

// Serve starts a node. Lie changes its answers, which are JSON in the types of package json; nil for an honest node.
func (c *Chain) Serve(t testing.TB, lie func(method string, answer any) any) *Node {
	t.Helper()
	n := &Node{chain: c, t: t, lie: lie, asked: make(map[string]int)}
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	n.URL = server.URL
	return n
}

// Lie has the node lie in another way, or not at all.
func (n *Node) Lie(lie func(method string, answer any) any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lie = lie
}

// Fail has the node answer a method with an error from now on, "" for none.
func (n *Node) Fail(method string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fails = method
}

// Asked returns how often the node was asked a method.
func (n *Node) Asked(method string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked[method]
}

type question struct {
	ID     json.RawMessage   `json:"id"`
	Method string            `json:"method"`
	Params []json.RawMessage `json:"params"`
}

// ServeHTTP implements http.Handler.
func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var raw json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&raw); err != nil {
		return // the reader has left
	}
	w.Header().Set("Content-Type", "application/json")
	var batch []question
	var answer any
	if err := json.Unmarshal(raw, &batch); err == nil {
		list := make([]any, len(batch))
		for i, q := range batch {
			list[i] = n.answer(q)
		}
		answer = list
	} else {
		var q question
		if err := json.Unmarshal(raw, &q); err != nil {
			n.t.Error(err)
		}
		answer = n.answer(q)
	}
	_ = json.NewEncoder(w).Encode(answer) // fails only when the reader has left
}

func (n *Node) answer(q question) map[string]any {
	n.mu.Lock()
	lie, fails := n.lie, n.fails == q.Method
	n.asked[q.Method]++
	n.mu.Unlock()
	answer := map[string]any{"jsonrpc": "2.0", "id": q.ID}
	if fails {
		answer["error"] = map[string]any{"code": -32000, "message": "the node is busy"}
		return answer
	}
	result, known := n.result(q)
	if !known {
		answer["error"] = map[string]any{"code": -32601, "message": "the method " + q.Method + " does not exist"}
		return answer
	}
	if lie != nil {
		result = lie(q.Method, n.plain(result))
	}
	answer["result"] = result
	return answer
}

// plain returns a value as JSON has it, so that a lie can alter fields by their names.
func (n *Node) plain(value any) (result any) {
	encoded, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(encoded, &result)
	}
	if err != nil {
		n.t.Error(err)
	}
	return result
}

func (n *Node) result(q question) (answer any, known bool) {
	read := func(i int, into any) {
		if i >= len(q.Params) || json.Unmarshal(q.Params[i], into) != nil {
			n.t.Errorf("%s: parameter %d of %s", q.Method, i, q.Params)
		}
	}
	var number, trusted hexutil.Uint64
	switch q.Method {
	case "eth_chainId":
		return (*hexutil.Big)(n.chain.config.ChainID), true
	case "eth_blockNumber":
		return hexutil.Uint64(n.chain.Head().NumberU64()), true
	case "istanbul_getFinalityProof":
		read(0, &number)
		read(1, &trusted)
		proof, err := finality.Build(n.chain, uint64(trusted), uint64(number))
		if err != nil {
			n.t.Error(err)
		}
		return proof, true
	case "eth_getBlockByNumber":
		var full bool
		if number = hexutil.Uint64(n.chain.Head().NumberU64()); string(q.Params[0]) != `"latest"` {
			read(0, &number)
		}
		read(1, &full)
		return n.object(n.chain.Block(uint64(number)), full), true
	case "eth_getBlockReceipts":
		read(0, &number)
		return n.receipts(uint64(number)), true
	}
	return nil, false
}

// object is the object of a block as a node of gwon shows it.
func (n *Node) object(b *types.Block, full bool) any {
	if b == nil {
		return nil
	}
	return eth.RPCMarshalBlock(b, true, full, n.chain.config)
}

func (n *Node) receipts(number uint64) any {
	if known, found := n.encoded.Load(number); found {
		return known
	}
	list := []any{}
	signer := types.LatestSigner(n.chain.config)
	for i, r := range n.chain.Receipts(number) {
		list = append(list, eth.MarshalReceipt(r, r.BlockHash, number, signer, n.chain.Block(number).Transactions()[i], i))
	}
	encoded, err := json.Marshal(list)
	if err != nil {
		n.t.Error(err)
	}
	n.encoded.Store(number, json.RawMessage(encoded))
	return json.RawMessage(encoded)
}

// Alter returns a lie: fields of each object of a list in the answers of a method. The answer of other methods stays.
func Alter(method string, fields map[string]any) func(string, any) any {
	return func(asked string, answer any) any {
		list, isList := answer.([]any)
		if asked != method || !isList {
			return answer
		}
		for _, object := range list {
			for name, value := range fields {
				object.(map[string]any)[name] = value
			}
		}
		return list
	}
}
