// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/must"
	"gwon/params"
)

// indexedBlocks is how many blocks TestIndexFromFiles has; GWON_TEST_INDEXED_BLOCKS sets another number.
const indexedBlocks = 120

// indexed is what an indexer keeps of a block.
type indexed struct {
	Header       *types.Header
	Hash         common.Hash
	Size         hexutil.Uint64
	Transactions []indexedTransaction
}

// indexedTransaction is what an indexer keeps of a transaction and its receipt.
type indexedTransaction struct {
	Hash              common.Hash
	Type              hexutil.Uint64
	From              common.Address
	To, FeePayer      *common.Address
	Nonce, Gas        hexutil.Uint64
	Value             *hexutil.Big
	Input             hexutil.Bytes
	Status, GasUsed   hexutil.Uint64
	EffectiveGasPrice *hexutil.Big
	ContractAddress   *common.Address
	Logs              []indexedLog
}

type indexedLog struct {
	Address common.Address
	Topics  []common.Hash
	Data    hexutil.Bytes
}

// index adds up hashes of indexed blocks.
type index [sha256.Size]byte

func (x *index) add(t *testing.T, b *indexed) {
	t.Helper()
	encoded := must.Get(json.Marshal(b))(t)
	*x = sha256.Sum256(append(x[:], encoded...))
}

// What an indexer builds from era1 files is what it builds over RPC, by a hash over all blocks: payments, creations
// with a log, and payments whose fee another account pays. So it is with a node that has its blocks from the files.
func TestIndexFromFiles(t *testing.T) {
	t.Parallel()
	blocks := indexedBlocks
	if text := os.Getenv("GWON_TEST_INDEXED_BLOCKS"); text != "" {
		var err error
		if blocks, err = strconv.Atoi(text); err != nil {
			t.Fatalf("GWON_TEST_INDEXED_BLOCKS: %v", err)
		}
	}
	c := agedCluster(t, 1, time.Duration(blocks)*time.Second+time.Hour)
	limit := patience + time.Duration(blocks)*50*time.Millisecond
	c.give(t, c.prehistory(t, blocks, c.mixture(t)), 0)
	files := filepath.Join(workDir(t), "era1")
	out, stderr, err := gwonFor(t, limit, t.TempDir(), "--datadir", c.node(0).Dir, "export-history", files)
	if err != nil {
		t.Fatalf("%v: %s%s", err, out, stderr)
	}
	fromFiles, count, kinds := c.indexFiles(t, files)
	if count != blocks+1 || kinds[types.FeeDelegateTxType] == 0 || kinds[types.DynamicFeeTxType] == 0 {
		t.Fatalf("%d blocks in the files, transactions by type %v", count, kinds)
	}
	other := c.addFollowers(t, 1)
	for _, step := range []struct{ args, want string }{
		{"import --verify-only", fmt.Sprintf("Verified %d blocks, 0 to %d ", count, blocks)},
		{"import-history", ""},
	} {
		args := append([]string{"--datadir", c.node(other).Dir}, strings.Fields(step.args)...)
		out, stderr, err := gwonFor(t, limit, t.TempDir(), append(args, files)...)
		if err != nil || !strings.Contains(out, step.want) {
			t.Fatalf("%s: %v, want %q: %s%s", step.args, err, step.want, out, stderr)
		}
	}
	c.start(t, 0, "--validator.signfrom", strconv.Itoa(blocks+1))
	c.follow(t, other, nil)
	for _, i := range []int{0, other} {
		if overRPC := c.indexOverRPC(t, i, blocks, limit); overRPC != fromFiles {
			t.Errorf("%s: index %x over RPC, %x of the files", c.node(i).Name, overRPC, fromFiles)
		}
	}
	t.Logf("%d blocks, transactions by type %v", count, kinds)
}

// mixture makes a payment, a delegated payment or a creation with a log for each block.
func (c *cluster) mixture(t *testing.T) func(*types.Header) []*types.Transaction {
	id, tip := new(big.Int).SetUint64(chainID), new(big.Int).SetUint64(params.DefaultGasTip)
	sender, payer := c.network.Accounts[0], c.network.Accounts[1].Key()
	nonce := uint64(0)
	return func(parent *types.Header) []*types.Transaction {
		inner := types.DynamicFeeTx{
			ChainID: id, Nonce: nonce, GasTipCap: tip, GasFeeCap: new(big.Int).Add(tip, new(big.Int).Lsh(parent.BaseFee, 1)),
			Gas: gethparams.TxGas, To: &common.Address{0xfe}, Value: common.Big1,
		}
		nonce++
		tx := new(types.Transaction)
		switch nonce % 3 {
		case 0:
			must.Do(t, tx.UnmarshalBinary(delegate(t, sender.Key(), payer, inner)))
			return []*types.Transaction{tx}
		case 1: // log1(0, 32, 7), and no code
			inner.To, inner.Value, inner.Gas = nil, new(big.Int), 100_000
			inner.Data = common.FromHex("0x600760205fa15f5ff3")
		}
		tx = must.Get(types.SignNewTx(sender.Key(), types.LatestSignerForChainID(id), &inner))(t)
		return []*types.Transaction{tx}
	}
}

// indexFiles builds the index of era1 files with the reader of go-ethereum.
func (c *cluster) indexFiles(t *testing.T, dir string) (x index, count int, kinds map[uint8]int) {
	t.Helper()
	names := must.Get(filepath.Glob(filepath.Join(dir, "*.era1")))(t)
	slices.Sort(names)
	kinds = make(map[uint8]int)
	config := c.sealers(t).Genesis.Config
	signer := types.LatestSigner(config)
	for _, name := range names {
		file := must.Get(os.Open(name))(t)
		reader, _, _, err := utils.OpenEra1(file)
		must.Do(t, err)
		for {
			block, receipts, err := reader.Next()
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if err := receipts.DeriveFields(config, block.Hash(), block.NumberU64(), block.Time(), block.BaseFee(), nil,
				block.Transactions()); err != nil {
				t.Fatal(err)
			}
			receipts.ApplyGovernedTip(config, block.Header(), block.Transactions())
			b := &indexed{Header: block.Header(), Hash: block.Hash(), Size: hexutil.Uint64(block.Size())}
			for i, tx := range block.Transactions() {
				kinds[tx.Type()]++
				from := must.Get(types.Sender(signer, tx))(t)
				it := indexedTransaction{
					Hash: tx.Hash(), Type: hexutil.Uint64(tx.Type()), From: from, To: tx.To(), FeePayer: tx.FeePayer(),
					Nonce: hexutil.Uint64(tx.Nonce()), Gas: hexutil.Uint64(tx.Gas()), Value: (*hexutil.Big)(tx.Value()),
					Input: tx.Data(),
				}
				it.include(receipts[i])
				b.Transactions = append(b.Transactions, it)
			}
			x.add(t, b)
			count++
		}
		must.Do(t, reader.Close())
	}
	return x, count, kinds
}

// include takes what a receipt says.
func (it *indexedTransaction) include(r *types.Receipt) {
	it.Status, it.GasUsed = hexutil.Uint64(r.Status), hexutil.Uint64(r.GasUsed)
	it.EffectiveGasPrice = (*hexutil.Big)(r.EffectiveGasPrice)
	if r.ContractAddress != (common.Address{}) {
		it.ContractAddress = &r.ContractAddress
	}
	for _, l := range r.Logs {
		it.Logs = append(it.Logs, indexedLog{l.Address, l.Topics, l.Data})
	}
}

// indexOverRPC builds the index of blocks 0 to last by what a node answers.
func (c *cluster) indexOverRPC(t *testing.T, i, last int, limit time.Duration) (x index) {
	t.Helper()
	c.awaitHead(t, uint64(last), i)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	client := must.Get(gethrpc.DialContext(ctx, c.node(i).HTTP()))(t)
	defer client.Close()
	const batch = 50
	for first := 0; first <= last; first += batch {
		count := min(batch, last+1-first)
		answers, receipts := make([]json.RawMessage, count), make([]types.Receipts, count)
		var calls []gethrpc.BatchElem
		for i := range count {
			number := hexutil.Uint64(first + i)
			calls = append(calls,
				gethrpc.BatchElem{Method: "eth_getBlockByNumber", Args: []any{number, true}, Result: &answers[i]},
				gethrpc.BatchElem{Method: "eth_getBlockReceipts", Args: []any{number}, Result: &receipts[i]})
		}
		must.Do(t, client.BatchCallContext(ctx, calls))
		for _, call := range calls {
			if call.Error != nil {
				t.Fatalf("%s of block %v: %v", call.Method, call.Args[0], call.Error)
			}
		}
		for i := range count {
			b := new(indexed)
			must.Do(t, errors.Join(json.Unmarshal(answers[i], b), json.Unmarshal(answers[i], &b.Header)))
			if hash := b.Header.Hash(); hash != b.Hash || len(b.Transactions) != len(receipts[i]) {
				t.Fatalf("block %d: the header has hash %v, %d receipts: %s", first+i, hash, len(receipts[i]), answers[i])
			}
			for j := range b.Transactions {
				b.Transactions[j].include(receipts[i][j])
			}
			if len(b.Transactions) == 0 {
				b.Transactions = nil
			}
			x.add(t, b)
		}
	}
	return x
}
