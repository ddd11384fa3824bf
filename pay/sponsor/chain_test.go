// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/must"
)

const (
	testChain   = 8283
	testBaseFee = 20_000_000_000_000
	testTip     = 27_600_000_000_000

	testGasLimit = 30_000_000
)

// blacklistCall is the selector of isBlacklisted(address), which the sponsor asks for itself.
const blacklistCall = "0xfe575a87"

var testSigner = types.NewAnzeonSigner(big.NewInt(testChain))

// fakeChain answers like a node of the other client: without senderTransactionHash and look-ups by it. It mines when a
// test says so.
type fakeChain struct {
	mu        sync.Mutex
	blocks    [][]*types.Transaction
	pool      []*types.Transaction
	nonces    map[common.Address]uint64
	balances  map[common.Address]*big.Int
	refuse    error  // of submissions
	fails     bool   // calls revert
	unwilling error  // of estimates
	strict    bool   // coins are judged
	gas       uint64 // that calls take, 0 for that of a transfer

	history []map[common.Address]*big.Int // balances after each block
	counts  []map[common.Address]uint64   // nonces after each block
	begun   uint64                        // changes the hashes of all blocks from this number on
	from    hexutil.Uint64
	read    int // blocks read with their transactions

	codes     map[common.Address]hexutil.Bytes
	called    map[string]any                        // the last call that was executed for a caller
	estimate  func(context.Context)                 // is run by estimates
	execute   func(context.Context, map[string]any) // is run by calls but those about the blacklist
	mute      bool                                  // submissions end the connection
	lost      atomic.Bool                           // connections end before an answer
	listed    common.Address                        // is on the blacklist
	submitted int
	after     func()         // is run once by the next strict block, after its transactions
	onCall    func()         // is run once by the next call
	onHead    func()         // is run when the head is asked for
	onReceipt func() string  // returns what receipts have as logs
	onLook    func()         // is run when a receipt is asked for
	status    hexutil.Uint64 // of receipts
	coin      *fakeCoin      // nil where a test has no payments
}

func newFakeChain() *fakeChain {
	return &fakeChain{
		blocks:   make([][]*types.Transaction, 3),
		nonces:   make(map[common.Address]uint64),
		codes:    make(map[common.Address]hexutil.Bytes),
		balances: make(map[common.Address]*big.Int),
		status:   1,
	}
}

// mine makes a block that has all of some transactions, whose senders get the coins for them.
func (c *fakeChain) mine(txs ...*types.Transaction) { c.mineWith(nil, txs...) }

// mineWith makes a block in which accounts with code also create contracts, each of which uses a nonce.
func (c *fakeChain) mineWith(creations map[common.Address]uint64, txs ...*types.Transaction) {
	c.set(func() {
		for _, tx := range txs {
			sender, _ := types.Sender(testSigner, tx)
			c.give(sender, costs(tx, sender))
		}
	})
	if mined := c.mineStrictly(creations, txs...); len(mined) != len(txs) {
		panic(fmt.Sprintf("a block has %d of %d transactions", len(mined), len(txs)))
	}
}

// minePool makes a block of all that was submitted.
func (c *fakeChain) minePool() { c.mine(c.pooled()...) }

func (c *fakeChain) pooled() []*types.Transaction {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]*types.Transaction(nil), c.pool...)
}

func (c *fakeChain) set(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

func (c *fakeChain) ChainId() hexutil.Uint64 { return testChain } //nolint:revive // the name of the method

func (c *fakeChain) BlockNumber() hexutil.Uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.onHead != nil {
		c.onHead()
	}
	return hexutil.Uint64(len(c.blocks) - 1)
}

func (c *fakeChain) MaxPriorityFeePerGas() *hexutil.Big { return (*hexutil.Big)(big.NewInt(testTip)) }

func (c *fakeChain) EstimateGas(ctx context.Context, call map[string]any, _ *string) (hexutil.Uint64, error) {
	var estimate func(context.Context)
	c.set(func() {
		c.called, estimate = call, c.estimate
	})
	if estimate != nil {
		estimate(ctx)
	}
	if c.fails {
		return 0, errors.New("execution reverted")
	}
	if c.unwilling != nil {
		return 0, c.unwilling
	}
	if c.coin != nil {
		return coinGas, nil
	}
	return hexutil.Uint64(max(c.gas, 21000)), nil
}

func (c *fakeChain) GetBalance(address common.Address, at rpc.BlockNumber) *hexutil.Big {
	c.mu.Lock()
	defer c.mu.Unlock()
	balances := c.balances
	if at >= 0 && int(at) < len(c.history) {
		balances = c.history[at]
	}
	if b := balances[address]; b != nil {
		return (*hexutil.Big)(b)
	}
	return new(hexutil.Big)
}

// keptStates is how many states the chain answers about. A node without an archive has few, too.
const keptStates = 2

func (c *fakeChain) GetTransactionCount(address common.Address, at rpc.BlockNumber) (hexutil.Uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if head := len(c.blocks) - 1; at >= 0 {
		if int(at) > head || int(at) <= head-keptStates {
			return 0, errors.New("missing trie node")
		}
		if int(at) < len(c.counts) {
			return hexutil.Uint64(c.counts[at][address]), nil
		}
	}
	n := c.nonces[address]
	for _, tx := range c.pool {
		if sender, _ := types.Sender(testSigner, tx); at == rpc.PendingBlockNumber && sender == address {
			n = max(n, tx.Nonce()+1)
		}
	}
	return hexutil.Uint64(n), nil
}

func (c *fakeChain) CreateAccessList(call map[string]any, _ *string) map[string]any {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.called = call
	return map[string]any{"accessList": []any{}, "gasUsed": "0x5208"}
}

func (c *fakeChain) GetCode(address common.Address, _ rpc.BlockNumber) hexutil.Bytes {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append(hexutil.Bytes{}, c.codes[address]...)
}

func (c *fakeChain) Call(ctx context.Context, call map[string]any, _ rpc.BlockNumber) (hexutil.Bytes, error) {
	var onCall func()
	var execute func(context.Context, map[string]any)
	data, _ := call["data"].(string)
	c.set(func() {
		onCall, c.onCall = c.onCall, nil
		if !strings.HasPrefix(data, blacklistCall) {
			execute = c.execute
		}
	})
	if onCall != nil {
		onCall()
	}
	if execute != nil {
		execute(ctx, call)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if strings.HasPrefix(data, blacklistCall) {
		answer := make([]byte, 32)
		if c.listed != (common.Address{}) && common.HexToAddress(data[len(data)-40:]) == c.listed {
			answer[31] = 1
		}
		return answer, nil
	}
	c.called = call
	if c.coin != nil {
		return c.coin.call(call)
	}
	if c.fails {
		return nil, errors.New("execution reverted: not today")
	}
	return hexutil.Bytes{}, nil
}

func (c *fakeChain) SendRawTransaction(raw hexutil.Bytes) (common.Hash, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.submitted++
	if c.mute {
		c.lost.Store(true)
	}
	if c.refuse != nil {
		return common.Hash{}, c.refuse
	}
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(raw); err != nil {
		return common.Hash{}, err
	}
	err := c.refusal(tx)
	if err == nil && c.strict {
		err = c.refuseCoins(tx)
	}
	if err != nil {
		return common.Hash{}, err
	}
	c.pool = append(slices.DeleteFunc(c.pool, func(old *types.Transaction) bool { return sameNonce(old, tx) }), tx)
	return tx.Hash(), nil
}

func sameNonce(a, b *types.Transaction) bool {
	one, _ := types.Sender(testSigner, a)
	other, _ := types.Sender(testSigner, b)
	return one == other && a.Nonce() == b.Nonce()
}

// refusal applies the rules of a pool: a used nonce, a replacement that pays no more, and one transaction without a gap
// for accounts with code.
func (c *fakeChain) refusal(tx *types.Transaction) error {
	sender, err := types.Sender(testSigner, tx)
	if err != nil {
		return err
	}
	pooled := 0
	for _, known := range c.pool {
		switch other, _ := types.Sender(testSigner, known); {
		case known.Hash() == tx.Hash():
			return errors.New("already known")
		case sameNonce(known, tx) && known.GasFeeCap().Cmp(tx.GasFeeCap()) >= 0:
			return errors.New("replacement transaction underpriced")
		case other == sender && known.Nonce() != tx.Nonce():
			pooled++
		}
	}
	switch state := c.nonces[sender]; {
	case tx.Nonce() < state:
		return fmt.Errorf("nonce too low: next nonce %d, tx nonce %d", state, tx.Nonce())
	case len(c.codes[sender]) > 0 && pooled > 0:
		return errors.New("in-flight transaction limit reached for delegated accounts")
	case len(c.codes[sender]) > 0 && tx.Nonce() != state:
		return errors.New("gapped-nonce tx from delegated accounts")
	}
	return nil
}

func (c *fakeChain) object(tx *types.Transaction, block int) map[string]any {
	text, err := tx.MarshalJSON()
	if err != nil {
		panic(err)
	}
	object := make(map[string]any)
	if err := json.Unmarshal(text, &object); err != nil {
		panic(err)
	}
	object["from"], _ = types.Sender(testSigner, tx)
	object["blockNumber"] = hexutil.Uint64(block)
	return object
}

func (c *fakeChain) GetHeaderByNumber(number rpc.BlockNumber) map[string]any {
	c.mu.Lock()
	defer c.mu.Unlock()
	if number == rpc.LatestBlockNumber {
		number = rpc.BlockNumber(len(c.blocks) - 1)
	}
	return c.header(hexutil.Uint64(number))
}

func (c *fakeChain) hash(number hexutil.Uint64) common.Hash {
	hash := 1<<60 + uint64(number)
	if number >= c.from {
		hash += c.begun << 32
	}
	return common.BigToHash(new(big.Int).SetUint64(hash))
}

func (c *fakeChain) header(number hexutil.Uint64) map[string]any {
	if int(number) >= len(c.blocks) {
		return nil
	}
	return map[string]any{
		"number": number, "hash": c.hash(number), "parentHash": c.hash(number - 1),
		"timestamp": hexutil.Uint64(time.Now().Unix()),
		"gasLimit":  hexutil.Uint64(testGasLimit), "baseFeePerGas": (*hexutil.Big)(big.NewInt(testBaseFee)),
	}
}

func (c *fakeChain) GetBlockByNumber(number hexutil.Uint64, full bool) map[string]any {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.header(number)
	if b == nil {
		return nil
	}
	objects, hashes := []map[string]any{}, []common.Hash{}
	for _, tx := range c.blocks[number] {
		objects, hashes = append(objects, c.object(tx, int(number))), append(hashes, tx.Hash())
	}
	b["transactions"] = hashes
	if full {
		b["transactions"] = objects
		c.read++
	}
	return b
}

func (c *fakeChain) GetTransactionByBlockNumberAndIndex(number, index hexutil.Uint64) map[string]any {
	c.mu.Lock()
	defer c.mu.Unlock()
	if int(number) >= len(c.blocks) || int(index) >= len(c.blocks[number]) {
		return nil
	}
	return c.object(c.blocks[number][index], int(number))
}

func receiptOf(tx *types.Transaction, block int) map[string]any {
	return map[string]any{
		"transactionHash": tx.Hash(), "gasUsed": hexutil.Uint64(21000), "blockNumber": hexutil.Uint64(block),
		"effectiveGasPrice": (*hexutil.Big)(big.NewInt(testBaseFee + testTip)), "status": hexutil.Uint64(1),
	}
}

// testFee is what each transaction of a fakeChain costs, in wei.
var testFee = new(big.Int).Mul(big.NewInt(21000), big.NewInt(testBaseFee+testTip))

func (c *fakeChain) find(hash common.Hash) (*types.Transaction, int) {
	for i, b := range c.blocks {
		for _, tx := range b {
			if tx.Hash() == hash {
				return tx, i
			}
		}
	}
	return nil, 0
}

func (c *fakeChain) GetTransactionReceipt(hash common.Hash) map[string]any {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.onLook != nil {
		c.onLook()
	}
	if tx, block := c.find(hash); tx != nil {
		receipt := receiptOf(tx, block)
		receipt["status"] = c.status
		if c.coin != nil {
			c.coin.addLogs(tx, receipt)
		}
		if c.onReceipt != nil {
			receipt["logs"] = c.onReceipt()
		}
		return receipt
	}
	return nil
}

func (c *fakeChain) GetTransactionByHash(hash common.Hash) map[string]any {
	c.mu.Lock()
	defer c.mu.Unlock()
	if tx, block := c.find(hash); tx != nil {
		return c.object(tx, block)
	}
	for _, tx := range c.pool {
		if tx.Hash() == hash {
			return c.object(tx, 0)
		}
	}
	return nil
}

// bench is a sponsor in front of a fake chain.
type bench struct {
	t       *testing.T
	chain   *fakeChain
	dir     string
	text    string // of the configuration
	config  *Config
	sponsor *Sponsor
	url     string
	stop    func()
	payer   common.Address
}

// startBench starts a sponsor with these policies.
func startBench(t *testing.T, policies string) *bench {
	t.Helper()
	b := newBench(t, policies)
	b.start()
	return b
}

// newBench makes a chain, and a configuration with these policies.
func newBench(t *testing.T, policies string) *bench {
	t.Helper()
	payerKey := must.Get(crypto.GenerateKey())(t)
	b := &bench{t: t, chain: newFakeChain(), dir: t.TempDir(), payer: crypto.PubkeyToAddress(payerKey.PublicKey)}
	b.chain.balances[b.payer] = new(big.Int).Mul(big.NewInt(1000), big.NewInt(1e18))
	keyFile := filepath.Join(b.dir, "payer.key")
	must.Do(t, os.WriteFile(keyFile, []byte(hex.EncodeToString(crypto.FromECDSA(payerKey))), 0o600))
	server := rpc.NewServer()
	t.Cleanup(server.Stop)
	must.Do(t, server.RegisterName("eth", b.chain))
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorded := httptest.NewRecorder()
		server.ServeHTTP(recorded, r)
		if b.chain.lost.Load() {
			panic(http.ErrAbortHandler)
		}
		maps.Copy(w.Header(), recorded.Header())
		w.WriteHeader(recorded.Code)
		_, err := w.Write(recorded.Body.Bytes())
		if err != nil {
			t.Log(err)
		}
	}))
	t.Cleanup(node.Close)
	b.text = fmt.Sprintf(
		"node = %q\ndata = \"books\"\n%s\n[[payer]]\naddress = %q\nkey_file = \"payer.key\"\n",
		node.URL,
		withHash(policies),
		b.payer.Hex(),
	)
	return b
}

func (b *bench) write(text string) *Config {
	b.t.Helper()
	path := filepath.Join(b.dir, "sponsor.toml")
	must.Do(b.t, os.WriteFile(path, []byte(text), 0o600))
	c := must.Get(LoadConfig(path))(b.t)
	return c
}

func (b *bench) start() {
	b.t.Helper()
	b.config = b.write(b.text)
	var err error
	if b.sponsor, err = New(b.t.Context(), b.config); err != nil {
		b.t.Fatal(err)
	}
	s := b.sponsor
	server := httptest.NewServer(s.Server().Handler)
	b.url = server.URL
	stop := sync.OnceFunc(func() {
		server.Close()
		if err := s.Close(); err != nil {
			b.t.Error(err)
		}
	})
	b.t.Cleanup(stop)
	b.stop = stop
}

// await polls a condition with a deadline.
func (b *bench) await(what string, f func() bool) {
	b.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !f(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.t.Fatalf("no %s in time", what)
		}
	}
}
