// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"bytes"
	"crypto/sha256"
	"math/big"
	"strconv"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/params"
)

// A deployed contract of the tests copies its input into the memory and calls, until its gas is used up, the precompile
// 10 with it, which takes 192 bytes and 50000 gas, or the precompile 9, with all gas that there is, or asks the account
// manager for ever other accounts.
var worstCode = map[string]string{
	"point evaluations": "365f5f375b5f5f60c05f600a61c350fa50600456",
	"one long hash":     "365f5f375b5f5f60d55f60095afa50600456",
	"account queries":   "365f5f375b6004516001016004525f5f60245f62b000035ffa50600456",
}

// worstInput is the input that goes with it: an opening that decodes and does not verify, 96 million rounds, and
// isBlacklisted.
func worstInput(name string) []byte {
	switch name {
	case "point evaluations":
		generator := common.FromHex("97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905" +
			"a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb")
		version := sha256.Sum256(generator)
		version[0] = 1
		return bytes.Join([][]byte{version[:], common.LeftPadBytes([]byte{7}, 32), common.LeftPadBytes([]byte{9}, 32),
			generator, generator}, nil)
	case "one long hash":
		return append([]byte{0x05, 0xb8, 0xd8, 0x00}, make([]byte, 209)...)
	}
	return append([]byte{0xfe, 0x57, 0x5a, 0x87}, make([]byte, 32)...)
}

// worst is a cluster with those contracts.
type worst struct {
	*cluster
	contracts   map[string]common.Address
	nonces      []uint64 // of the accounts
	tip, feeCap *big.Int
}

func newWorst(t testing.TB, c *cluster) *worst {
	w := &worst{cluster: c, contracts: make(map[string]common.Address), nonces: make([]uint64, len(c.network.Accounts))}
	w.tip, w.feeCap = c.fees(t, 0)
	w.feeCap.Mul(w.feeCap, big.NewInt(4)) // the base fee rises meanwhile
	last := len(c.network.Accounts) - 1
	for name, text := range worstCode {
		code := common.FromHex(text)
		// PUSH1 size, DUP1, PUSH1 9, PUSH0, CODECOPY, PUSH0, RETURN
		init := append([]byte{0x60, byte(len(code)), 0x80, 0x60, 9, 0x5f, 0x39, 0x5f, 0xf3}, code...)
		r := w.receipt(t, 0, w.send(t, last, nil, 1_000_000, init))
		if r.Status != types.ReceiptStatusSuccessful {
			t.Fatalf("contract with %s was not deployed", name)
		}
		w.contracts[name] = r.ContractAddress
	}
	return w
}

// send has an account call a contract, or make one.
func (w *worst) send(t testing.TB, account int, to *common.Address, gas uint64, data []byte) common.Hash {
	t.Helper()
	tx, err := types.SignNewTx(w.network.Accounts[account].Key(), types.LatestSignerForChainID(big.NewInt(chainID)),
		&types.DynamicFeeTx{
			ChainID: big.NewInt(chainID), Nonce: w.nonces[account], GasTipCap: w.tip, GasFeeCap: w.feeCap, Gas: gas,
			To: to, Data: data,
		})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var hash common.Hash
	w.must(t, 0, &hash, "eth_sendRawTransaction", hexutil.Bytes(raw))
	w.nonces[account]++
	return hash
}

// Transactions of 100 M gas that take seconds each do not hold up the chain: no block takes more than a change of
// rounds, whoever proposes, and what others send is included. They stay in the pool.
func TestExpensiveTransactionsDoNotHoldUpTheChain(t *testing.T) {
	c := startCluster(t, 4)
	c.awaitHead(t, 1, c.running()...)
	w := newWorst(t, c)
	first, err := c.head(0)
	if err != nil {
		t.Fatal(err)
	}
	var long []common.Hash
	for name := range worstCode {
		contract := w.contracts[name]
		long = append(long, w.send(t, len(long), &contract, 100_000_000, worstInput(name)))
	}
	const watched = 3 * 4 // each validator proposes with what it learns
	for n := first + 1; n <= first+watched; n++ {
		c.receipt(t, 0, w.send(t, 3, &common.Address{1}, 21000, nil))
		c.awaitHead(t, n, c.running()...)
	}
	for n := first + 1; n <= first+watched; n++ {
		if round := c.roundOf(t, 0, n); round > 2 {
			t.Errorf("block %d was decided in round %d", n, round)
		}
	}
	for _, hash := range long {
		var tx *struct{ BlockNumber *hexutil.Big }
		if c.must(t, 0, &tx, "eth_getTransactionByHash", hash); tx == nil {
			t.Errorf("transaction %v is lost", hash)
		}
	}
	head, err := c.head(0)
	if err != nil {
		t.Fatal(err)
	}
	c.sameChain(t, head)
}

// A node snap syncs past a block whose receipts exceed what eth/68 carries: 129 logs of 100,000 bytes. It has the block
// without them, says so when it is asked, and has the receipts of the next one (spec network 2.3, 4).
func TestSnapSyncPastReceiptsThatNobodyCanServe(t *testing.T) {
	t.Parallel()
	const past, heavy = 200, 7
	c := agedCluster(t, 1, past*time.Second+time.Hour)
	// PUSH1 129, JUMPDEST, PUSH3 100000, PUSH0, LOG0, PUSH1 1, SWAP1, SUB, DUP1, PUSH1 2, JUMPI, STOP
	logs := common.FromHex("60815b620186a05fa0600190038060025700")
	var hashes []common.Hash
	file := c.prehistoryOf(t, past, func(parent *types.Header) []*types.Transaction {
		number := parent.Number.Uint64() + 1
		if number != heavy && number != heavy+1 {
			return nil
		}
		tip := new(big.Int).SetUint64(params.DefaultGasTip)
		inner := &types.DynamicFeeTx{
			ChainID: big.NewInt(chainID), Nonce: number - heavy, GasTipCap: tip, Gas: 21000, To: &common.Address{1},
			GasFeeCap: new(big.Int).Add(tip, new(big.Int).Mul(parent.BaseFee, big.NewInt(2))),
		}
		if number == heavy {
			inner.Gas, inner.To, inner.Data = 104_000_000, nil, logs
		}
		tx := types.MustSignNewTx(c.network.Accounts[0].Key(), types.LatestSignerForChainID(inner.ChainID), inner)
		hashes = append(hashes, tx.Hash())
		return []*types.Transaction{tx}
	})
	c.give(t, file, 0)
	c.start(t, 0, "--validator.signfrom", strconv.Itoa(past+1))
	c.awaitHead(t, past+1, 0)
	if n := len(c.receipt(t, 0, hashes[0]).Logs); n < 129 {
		t.Fatalf("the block has %d logs", n)
	}
	follower := c.addFollowers(t, 1)
	c.follow(t, follower, []int{0}, "--syncmode", "snap")
	c.atHead(t, follower, 0)
	if r := c.receipt(t, follower, hashes[1]); r.BlockNumber.Uint64() != heavy+1 {
		t.Errorf("the next block's receipt is of block %d", r.BlockNumber)
	}
	if b := c.block(t, follower, uint64(heavy)); len(b.Transactions) != 1 || b.Hash != c.block(t, 0,
		uint64(heavy)).Hash {
		t.Errorf("block %d on the follower has transactions %v", heavy, b.Transactions)
	}
	var r *types.Receipt
	if err := c.call(follower, &r, "eth_getTransactionReceipt", hashes[0]); err == nil {
		t.Errorf("the receipt that is not there reads as %v", r)
	}
	head, err := c.head(0)
	if err != nil {
		t.Fatal(err)
	}
	c.sameChain(t, head)
}

// BenchmarkWorstBlocks has four validators offered as many evaluations that fail as blocks have gas for, in
// transactions that are not looked at one by one, and measures the intervals of 30 blocks.
func BenchmarkWorstBlocks(b *testing.B) {
	c, err := newCluster(workDir(b), 4)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := c.close(); err != nil {
			b.Error(err)
		}
	})
	for i := range c.network.Nodes {
		c.start(b, i)
	}
	c.awaitHead(b, 1, c.running()...)
	w := newWorst(b, c)
	contract, input := w.contracts["point evaluations"], worstInput("point evaluations")
	for b.Loop() {
		first, err := c.head(0)
		if err != nil {
			b.Fatal(err)
		}
		var longest time.Duration
		var rounds, gas uint64
		seen, number := time.Now(), first
		for number < first+30 {
			for account := range w.nonces {
				for range 10 {
					w.send(b, account, &contract, 490_000, input)
				}
			}
			head, err := c.head(0)
			if err != nil {
				b.Fatal(err)
			}
			if head > number {
				longest, seen, number = max(longest, time.Since(seen)/time.Duration(head-number)), time.Now(), head
			}
		}
		for n := first + 1; n <= number; n++ {
			rounds += c.roundOf(b, 0, n)
			var used struct{ GasUsed hexutil.Uint64 }
			c.must(b, 0, &used, "eth_getBlockByNumber", hexutil.Uint64(n), false)
			gas += uint64(used.GasUsed)
		}
		var pool struct{ Pending hexutil.Uint64 }
		c.must(b, 0, &pool, "txpool_status")
		b.ReportMetric(float64(pool.Pending), "pending")
		b.ReportMetric(longest.Seconds(), "s/longest")
		b.ReportMetric(float64(rounds), "rounds")
		b.ReportMetric(float64(gas)/1e6/float64(number-first), "Mgas/block")
		b.ReportMetric(0, "ns/op")
	}
}
