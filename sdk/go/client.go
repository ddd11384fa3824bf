// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wkrc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/trie"
)

// Client is a connection to a node. Reads of transactions and blocks know type 0x16; all else is [ethclient.Client]. It
// is safe for concurrent use.
type Client struct {
	*ethclient.Client

	// PollInterval is the time between two looks for a receipt or a final block; 0 means 250 ms.
	PollInterval time.Duration

	sent         *lru.Cache[common.Hash, common.Hash] // hash on the chain of what this client sent, by sender hash
	noSenderHash atomic.Bool                          // the node has no lookup by sender hash
}

// Dial connects to a node by HTTP, WebSocket or IPC.
func Dial(ctx context.Context, url string) (*Client, error) {
	connection, err := rpc.DialContext(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("connect to node: %w", err)
	}
	return NewClient(connection), nil
}

// NewClient makes a client of a connection.
func NewClient(connection *rpc.Client) *Client {
	return &Client{
		Client: ethclient.NewClient(connection),
		sent:   lru.NewCache[common.Hash, common.Hash](16_384),
	}
}

// call asks the node; ethereum.NotFound stands for the answer null.
func (c *Client) call(ctx context.Context, result any, method string, args ...any) error {
	var raw json.RawMessage
	if err := c.Client.Client().CallContext(ctx, &raw, method, args...); err != nil {
		return err
	}
	if len(raw) == 0 || string(raw) == "null" {
		return ethereum.NotFound
	}
	return json.Unmarshal(raw, result)
}

// ask is call with a new result, nil where there is an error.
func ask[T any](ctx context.Context, c *Client, method string, args ...any) (*T, error) {
	result := new(T)
	if err := c.call(ctx, result, method, args...); err != nil {
		return nil, err
	}
	return result, nil
}

// isMissing reports whether the node has no such method.
func isMissing(err error) bool {
	var coded rpc.Error
	return errors.As(err, &coded) && coded.ErrorCode() == -32601
}

// mined is where a transaction is, with which its object begins.
type mined struct {
	Transaction
	blockNumber *hexutil.Big
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *mined) UnmarshalJSON(input []byte) error {
	var place struct {
		BlockNumber *hexutil.Big `json:"blockNumber"`
	}
	if err := json.Unmarshal(input, &place); err != nil {
		return err
	}
	m.blockNumber = place.BlockNumber
	return m.Transaction.UnmarshalJSON(input)
}

// TransactionByHash is Transaction in the form that package bind asks for: it returns the SenderTx of what it finds,
// whose hash is the one that the sender knows.
func (c *Client) TransactionByHash(ctx context.Context, hash common.Hash) (tx *types.Transaction, pending bool,
	err error) {
	found, pending, err := c.Transaction(ctx, hash)
	if err != nil {
		return nil, false, err
	}
	return found.SenderTx(), pending, nil
}

// Transaction returns the transaction that the chain or the pool has under this hash, or whose sender knows it under
// this hash. pending reports whether it is not in a block yet. The error is ethereum.NotFound when there is none.
func (c *Client) Transaction(ctx context.Context, hash common.Hash) (tx *Transaction, pending bool, err error) {
	var found mined
	if err := c.lookUp(ctx, &found, hash, "eth_getTransactionByHash", "eth_getTransactionBySenderHash"); err != nil {
		return nil, false, err
	}
	return &found.Transaction, found.blockNumber == nil, nil
}

// Receipt returns the receipt of a transaction by its hash, or by the hash that its sender knows. The error is
// ethereum.NotFound while there is none.
func (c *Client) Receipt(ctx context.Context, hash common.Hash) (*Receipt, error) {
	var receipt Receipt
	err := c.lookUp(ctx, &receipt, hash, "eth_getTransactionReceipt", "eth_getTransactionReceiptBySenderHash")
	if err != nil {
		return nil, err
	}
	return &receipt, nil
}

// TransactionReceipt is Receipt in the form that package bind asks for: bind.WaitMined works with sender hashes.
func (c *Client) TransactionReceipt(ctx context.Context, hash common.Hash) (*types.Receipt, error) {
	receipt, err := c.Receipt(ctx, hash)
	if err != nil {
		return nil, err
	}
	return receipt.Receipt, nil
}

// lookUp asks for a hash, and for the sender's hash where the node can.
func (c *Client) lookUp(ctx context.Context, result any, hash common.Hash, byHash, bySender string) error {
	if sent, ok := c.sent.Get(hash); ok {
		return c.call(ctx, result, byHash, sent)
	}
	err := c.call(ctx, result, byHash, hash)
	if !errors.Is(err, ethereum.NotFound) || c.noSenderHash.Load() {
		return err
	}
	err = c.call(ctx, result, bySender, hash)
	if isMissing(err) {
		c.noSenderHash.Store(true)
		return ethereum.NotFound
	}
	return err
}

// Send submits a transaction of any type. The hash that the node answers must be the transaction's.
func (c *Client) Send(ctx context.Context, tx *Transaction) error {
	raw, err := tx.MarshalBinary()
	if err != nil {
		return fmt.Errorf("encode transaction: %w", err)
	}
	var answer common.Hash
	if err := c.Client.Client().CallContext(ctx, &answer, "eth_sendRawTransaction", hexutil.Encode(raw)); err != nil {
		return err
	}
	hash, senderHash := tx.Hash(), tx.SenderHash()
	if answer != hash && answer != senderHash {
		return &HashError{"submitted transaction", answer, hash}
	}
	if hash != senderHash {
		c.sent.Add(senderHash, hash)
	}
	return nil
}

// Block is a block with its transactions.
type Block struct {
	// Hash is the hash of the block as the node says. Header.Hash of stock go-ethereum computes another one: on this
	// network the hash leaves out the seals in the header.
	Hash         common.Hash
	Header       *types.Header
	Transactions []*Transaction
}

// UnmarshalJSON implements json.Unmarshaler. It checks the transactions against the root in the header.
func (b *Block) UnmarshalJSON(input []byte) error {
	var body struct {
		Hash         *common.Hash   `json:"hash"`
		Transactions []*Transaction `json:"transactions"`
	}
	header := new(types.Header)
	if err := json.Unmarshal(input, header); err != nil {
		return &EncodingError{"decode JSON of a header", err}
	}
	if err := json.Unmarshal(input, &body); err != nil {
		return fmt.Errorf("decode JSON of block %v: %w", header.Number, err)
	}
	if body.Hash == nil {
		return &EncodingError{Reason: "JSON of a block lacks hash"}
	}
	for i, tx := range body.Transactions {
		if tx == nil {
			return &EncodingError{Reason: fmt.Sprintf("transaction %d of block %v is null", i, header.Number)}
		}
	}
	if root := types.DeriveSha(transactionList(body.Transactions), trie.NewStackTrie(nil)); root != header.TxHash {
		return &HashError{"list of transactions", root, header.TxHash}
	}
	*b = Block{*body.Hash, header, body.Transactions}
	return nil
}

// BlockByNumber returns a block, the newest one for nil. The error is ethereum.NotFound when there is none.
func (c *Client) BlockByNumber(ctx context.Context, number *big.Int) (*Block, error) {
	return ask[Block](ctx, c, "eth_getBlockByNumber", blockArgument(number), true)
}

// BlockByHash returns a block by its hash. The error is ethereum.NotFound when there is none.
func (c *Client) BlockByHash(ctx context.Context, hash common.Hash) (*Block, error) {
	return ask[Block](ctx, c, "eth_getBlockByHash", hash, true)
}

// TransactionInBlock returns the transaction at an index of a block. The error is ethereum.NotFound when there is none.
func (c *Client) TransactionInBlock(ctx context.Context, block common.Hash, index uint) (*Transaction, error) {
	return ask[Transaction](ctx, c, "eth_getTransactionByBlockHashAndIndex", block, hexutil.Uint(index))
}

// blockArgument returns a block number as nodes take it. nil is the newest block, and negative numbers are those of
// package rpc.
func blockArgument(number *big.Int) string {
	if number == nil {
		return "latest"
	}
	if number.Sign() < 0 && number.IsInt64() {
		return rpc.BlockNumber(number.Int64()).String()
	}
	return hexutil.EncodeBig(number)
}

// transactionList is what the root of a block's transactions is computed from.
type transactionList []*Transaction

// Len implements types.DerivableList.
func (l transactionList) Len() int { return len(l) }

// EncodeIndex implements types.DerivableList.
func (l transactionList) EncodeIndex(i int, w *bytes.Buffer) {
	raw, err := l[i].MarshalBinary()
	if err != nil {
		return // the root does not match then
	}
	w.Write(raw)
}
