// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wkrc

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/trie"
)

// fakeNode answers like a node that takes valid transactions and puts each into a block of its own. One that sponsors
// takes type 2 too, has test key 2 pay, and answers with the sender's hash.
type fakeNode struct {
	mu         sync.Mutex
	sponsors   bool
	delay      int // receipts that are null before a transaction is mined
	finalAfter int // blocks asked for before the newest is final
	mined      []*Transaction
	estimated  map[string]any
}

// ChainId is named after its method.
func (n *fakeNode) ChainId() *hexutil.Big { return (*hexutil.Big)(testnet) }

func (n *fakeNode) SendRawTransaction(raw hexutil.Bytes) (common.Hash, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	tx, err := Decode(raw)
	if err != nil {
		return common.Hash{}, err
	}
	if _, _, err := tx.Check(testnet); err != nil {
		return common.Hash{}, err
	}
	if !n.sponsors {
		n.mined = append(n.mined, tx)
		return tx.Hash(), nil
	}
	key, err := crypto.ToECDSA(common.Hex2Bytes(strings.Repeat("02", 32)))
	if err != nil {
		return common.Hash{}, err
	}
	if tx, err = AddFeePayer(tx.SenderTx(), testnet, key); err != nil {
		return common.Hash{}, err
	}
	n.mined = append(n.mined, tx)
	return tx.SenderHash(), nil
}

// find returns the place of the transaction for which is holds, counted from 1; 0 for none.
func (n *fakeNode) find(is func(*Transaction) bool) int {
	for i, tx := range n.mined {
		if is(tx) {
			return i + 1
		}
	}
	return 0
}

func (n *fakeNode) receipt(number int) map[string]any {
	if number == 0 {
		return nil
	}
	if n.delay > 0 {
		n.delay--
		return nil
	}
	tx := n.mined[number-1]
	receipt := map[string]any{
		"blockHash": common.Hash{byte(number)}, "blockNumber": hexutil.Uint64(number), "transactionHash": tx.Hash(),
		"transactionIndex": "0x0", "gasUsed": "0x5208", "cumulativeGasUsed": "0x5208", "logs": []any{}, "status": "0x1",
		"logsBloom": types.Bloom{}, "type": hexutil.Uint64(tx.Type()), "effectiveGasPrice": "0x2", "contractAddress": nil,
	}
	if payer := tx.FeePayer(); payer != nil {
		receipt["feePayer"], receipt["senderTransactionHash"] = payer, tx.SenderHash()
	}
	return receipt
}

func (n *fakeNode) GetTransactionReceipt(hash common.Hash) map[string]any {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.receipt(n.find(func(tx *Transaction) bool { return tx.Hash() == hash }))
}

func (n *fakeNode) object(number int) (map[string]any, error) {
	if number == 0 {
		return nil, nil
	}
	encoded, err := json.Marshal(n.mined[number-1])
	if err != nil {
		return nil, err
	}
	var object map[string]any
	if err := json.Unmarshal(encoded, &object); err != nil {
		return nil, err
	}
	object["blockNumber"] = hexutil.Uint64(number)
	return object, nil
}

func (n *fakeNode) GetTransactionByHash(hash common.Hash) (map[string]any, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.object(n.find(func(tx *Transaction) bool { return tx.Hash() == hash }))
}

func (n *fakeNode) GetBlockByNumber(number rpc.BlockNumber, _ bool) (map[string]any, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	head := len(n.mined)
	if number == rpc.FinalizedBlockNumber && n.finalAfter > 0 {
		n.finalAfter--
		head--
	}
	if number >= 0 {
		head = int(number)
	}
	if head > len(n.mined) {
		return nil, nil
	}
	header := &types.Header{Number: big.NewInt(int64(head)), Difficulty: big.NewInt(1), BaseFee: LowestBaseFee(),
		GasLimit: 105_000_000, TxHash: types.EmptyTxsHash, UncleHash: types.EmptyUncleHash}
	transactions := []any{}
	if head > 0 {
		header.TxHash = types.DeriveSha(transactionList(n.mined[head-1:head]), trie.NewStackTrie(nil))
		object, err := n.object(head)
		if err != nil {
			return nil, err
		}
		transactions = append(transactions, object)
	}
	encoded, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	if err := json.Unmarshal(encoded, &object); err != nil {
		return nil, err
	}
	object["hash"], object["transactions"] = common.Hash{byte(head)}, transactions
	return object, nil
}

func (n *fakeNode) MaxPriorityFeePerGas() *hexutil.Big { return (*hexutil.Big)(InitialTip()) }
func (n *fakeNode) GetTransactionCount(common.Address, string) hexutil.Uint64 {
	return hexutil.Uint64(len(n.mined))
}
func (n *fakeNode) GetCode(common.Address, string) hexutil.Bytes { return hexutil.Bytes{1} }
func (n *fakeNode) EstimateGas(call map[string]any) hexutil.Uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.estimated = call
	return 50_000
}

// bySenderHash is the lookup that gwon has and go-stablenet has not.
type bySenderHash struct{ n *fakeNode }

func (s bySenderHash) GetTransactionReceiptBySenderHash(hash common.Hash) map[string]any {
	s.n.mu.Lock()
	defer s.n.mu.Unlock()
	return s.n.receipt(s.n.find(func(tx *Transaction) bool { return tx.SenderHash() == hash }))
}

func (s bySenderHash) GetTransactionBySenderHash(hash common.Hash) (map[string]any, error) {
	s.n.mu.Lock()
	defer s.n.mu.Unlock()
	return s.n.object(s.n.find(func(tx *Transaction) bool { return tx.SenderHash() == hash }))
}

// serve returns a connection to a node. Without senderHashes it is like go-stablenet.
func serve(t *testing.T, n *fakeNode, senderHashes bool) *rpc.Client {
	t.Helper()
	server := rpc.NewServer()
	t.Cleanup(server.Stop)
	services := []any{n}
	if senderHashes {
		services = append(services, bySenderHash{n})
	}
	for _, service := range services {
		do(t, server.RegisterName("eth", service))
	}
	connection := rpc.DialInProc(server)
	t.Cleanup(connection.Close)
	return connection
}

func connect(t *testing.T, n *fakeNode, senderHashes bool) *Client {
	t.Helper()
	client := NewClient(serve(t, n, senderHashes))
	client.PollInterval = time.Millisecond
	return client
}

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// TestReadsEveryType sends a plain and a sponsored transaction and reads them, alone and in their blocks.
func TestReadsEveryType(t *testing.T) {
	ctx, client := deadline(t), connect(t, new(fakeNode), true)
	sponsored := must(AddFeePayer(transfer(t, testnet, 0), testnet, testKey(t, 2)))(t)
	for i, tx := range []*Transaction{sponsored, Plain(transfer(t, testnet, 1))} {
		do(t, client.Send(ctx, tx))
		for _, hash := range []common.Hash{tx.Hash(), tx.SenderHash()} {
			found, pending, err := client.Transaction(ctx, hash)
			if err != nil || pending || found.Hash() != tx.Hash() {
				t.Errorf("transaction %v by %v: found %v, pending %v, error %v", tx.Hash(), hash, found, pending, err)
			}
			receipt, err := client.Receipt(ctx, hash)
			if err != nil || receipt.TxHash != tx.Hash() {
				t.Errorf("receipt of %v by %v: %+v, error %v", tx.Hash(), hash, receipt, err)
			}
		}
		block, err := client.BlockByNumber(ctx, big.NewInt(int64(i+1)))
		if err != nil || len(block.Transactions) != 1 || block.Transactions[0].Hash() != tx.Hash() {
			t.Errorf("block %d: %+v, error %v", i+1, block, err)
		}
	}
	if _, err := client.BlockByNumber(ctx, big.NewInt(9)); !errors.Is(err, ethereum.NotFound) {
		t.Errorf("block beyond the head: %v", err)
	}
	if _, err := client.Receipt(ctx, common.Hash{1}); !errors.Is(err, ethereum.NotFound) {
		t.Errorf("unknown receipt: %v", err)
	}
}

// TestBlockWithOtherTransactions refuses a block whose transactions are not those of its header.
func TestBlockWithOtherTransactions(t *testing.T) {
	n := new(fakeNode)
	ctx, client := deadline(t), connect(t, n, true)
	do(t, client.Send(ctx, Plain(transfer(t, testnet, 0))))
	object, err := n.GetBlockByNumber(1, true)
	if err != nil {
		t.Fatal(err)
	}
	object["transactions"] = []any{}
	encoded := must(json.Marshal(object))(t)
	var wrong *HashError
	if err := new(Block).UnmarshalJSON(encoded); !errors.As(err, &wrong) {
		t.Errorf("error %v", err)
	}
}

// A call that would become a transaction of another type is refused before it is signed.
func TestEstimatesOfOtherTypes(t *testing.T) {
	n := &fakeNode{}
	backend := connect(t, n, true).Sponsored(PayWith(testKey(t, 2)))
	for name, call := range map[string]ethereum.CallMsg{
		"authorizations": {AuthorizationList: []types.SetCodeAuthorization{{}}}, "blobs": {BlobHashes: []common.Hash{{1}}},
		"blob fee": {BlobGasFeeCap: big.NewInt(1)},
	} {
		var wrong *TypeError
		if _, err := backend.EstimateGas(t.Context(), call); !errors.As(err, &wrong) || n.estimated != nil {
			t.Errorf("%s: error %v, estimated %v", name, err, n.estimated)
		}
	}
}

// TestBindingsAreSponsored transacts through package bind as abigen's bindings do, and waits by the sender's hash,
// with a payer's key and a sponsor's endpoint, at gwon and at a node without lookups by sender hash.
func TestBindingsAreSponsored(t *testing.T) {
	for _, tt := range []struct {
		name         string
		senderHashes bool
		url          bool
	}{
		{"key, gwon", true, false},
		{"key, go-stablenet", false, false},
		{"URL, gwon", true, true},
		{"URL, go-stablenet", false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := &fakeNode{delay: 1, sponsors: tt.url}
			ctx, client := deadline(t), connect(t, n, tt.senderHashes)
			sponsor := PayWith(testKey(t, 2))
			if tt.url {
				sponsor = &URL{serve(t, n, true)}
			}
			backend := client.Sponsored(sponsor)
			parsed, err := abi.JSON(strings.NewReader(`[{"type":"function","name":"poke","inputs":[],"outputs":[]}]`))
			if err != nil {
				t.Fatal(err)
			}
			contract := bind.NewBoundContract(common.Address{7}, parsed, backend, backend, backend)
			opts := must(bind.NewKeyedTransactorWithChainID(testKey(t, 1), testnet))(t)
			tx := must(contract.Transact(opts, "poke"))(t)
			if _, priced := n.estimated["maxFeePerGas"]; priced {
				t.Errorf("gas was estimated with fees that the sender does not pay: %v", n.estimated)
			}
			receipt := must(bind.WaitMined(ctx, backend, tx))(t)
			mined := n.mined[0]
			if receipt.TxHash != mined.Hash() || mined.SenderHash() != tx.Hash() || mined.Type() != FeeDelegatedTxType {
				t.Errorf("receipt of %v, mined %v of sender's %v, sent %v", receipt.TxHash, mined.Hash(), mined.SenderHash(),
					tx.Hash())
			}
			final, err := backend.WaitFinal(ctx, tx.Hash())
			if err != nil || final.FeePayer == nil || *final.FeePayer != crypto.PubkeyToAddress(testKey(t, 2).PublicKey) ||
				final.Fee().Int64() != 42000 {
				t.Errorf("final receipt %+v, error %v", final, err)
			}
			legacy := types.NewTx(&types.LegacyTx{GasPrice: big.NewInt(1)})
			var kind *TypeError
			if err := backend.SendTransaction(ctx, legacy); !errors.As(err, &kind) {
				t.Errorf("legacy transaction: %v", err)
			}
		})
	}
}

// TestWaitFinalWaits returns neither before the receipt nor before the block is final, and ends with its context.
func TestWaitFinalWaits(t *testing.T) {
	n := &fakeNode{delay: 3, finalAfter: 2}
	ctx, client := deadline(t), connect(t, n, true)
	tx := Plain(transfer(t, testnet, 0))
	do(t, client.Send(ctx, tx))
	receipt, err := client.WaitFinal(ctx, tx.Hash())
	if err != nil || receipt.BlockNumber.Int64() != 1 || n.delay != 0 || n.finalAfter != 0 {
		t.Errorf("receipt %+v, error %v, %d receipts and %d blocks not asked for", receipt, err, n.delay, n.finalAfter)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := client.WaitFinal(ended, common.Hash{1}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
