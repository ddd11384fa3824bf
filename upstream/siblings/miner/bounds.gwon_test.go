// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package miner

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Contracts of the tests.
var (
	endless = common.Address{0x10} // loops until its gas is used up
	logger  = common.Address{0x20} // logs as many zeros as its input says
)

var boundsCode = map[common.Address][]byte{
	// JUMPDEST, 32 KiB hashed, PUSH0, JUMP
	endless: {byte(vm.JUMPDEST), byte(vm.PUSH2), 0x80, 0, byte(vm.PUSH0), byte(vm.KECCAK256), byte(vm.POP),
		byte(vm.PUSH0), byte(vm.JUMP)},
	logger: {byte(vm.PUSH0), byte(vm.CALLDATALOAD), byte(vm.PUSH0), byte(vm.LOG0)},
}

// invoke puts a call of a contract by sender i into the pool.
func invoke(t *testing.T, miner *Miner, i int, nonce uint64, to common.Address, gas uint64,
	input uint64) *types.Transaction {
	t.Helper()
	tx := types.MustSignNewTx(senders[i], types.LatestSigner(miner.chainConfig), &types.DynamicFeeTx{
		ChainID: miner.chainConfig.ChainID, Nonce: nonce, GasTipCap: governedTip, GasFeeCap: times(governedTip, 2),
		Gas: gas, To: &to,
		Data: common.BigToHash(times(common.Big1, int64(input))).Bytes(),
	})
	tx.SetTime(time.Unix(int64(i), 0))
	must.Do(t, miner.txpool.Add([]*types.Transaction{tx}, true)[0])
	syncPool(t, miner)
	return tx
}

// build builds a block within bounds, sees that another node executes it to the same result, and notes what was
// excluded.
func build(t *testing.T, miner *Miner, bounds Bounds) (block []common.Hash, excluded map[common.Hash]Reason) {
	t.Helper()
	excluded = make(map[common.Hash]Reason)
	bounds.Excluded = func(_ common.Address, hash common.Hash, _ time.Duration,
		reason Reason) {
		excluded[hash] = reason
	}
	task := nextTask(miner)
	task.Bounds = bounds
	built := must.Get(miner.BuildProposal(context.Background(), task, nil))(t)
	_, err := soloChain(t, miner.engine).ExecuteProposal(context.Background(), built.Block())
	assert.NoError(t, err, "the block is refused by others")
	return hashes(built.Block().Transactions()), excluded
}

// A transaction that takes too long leaves no trace in the block, and the others are in it.
func TestLongTransactionIsLeftOut(t *testing.T) {
	miner, _ := soloMiner(t)
	long := invoke(t, miner, 0, 0, endless, 10_000_000, 0)
	after := submit(t, miner, 0, 1, governedTip, times(governedTip, 2))
	other := submit(t, miner, 1, 0, governedTip, times(governedTip, 2))
	syncPool(t, miner)
	block, excluded := build(t, miner, Bounds{Time: time.Microsecond})
	want := []common.Hash{other.Hash()}
	assert.Truef(t, slices.Equal(block, want), "transactions %v, want %v without %v", block, want, after.Hash())
	assert.Truef(t, len(excluded) == 1 && excluded[long.Hash()] == TooLong, "excluded: %v", excluded)
	block, excluded = build(t, miner, Bounds{})
	assert.Truef(t, len(block) == 3 && len(excluded) == 0, "without a limit: %v, excluded %v", block, excluded)
}

// New accounts waste a bounded part of the time for a block, and those that are not watched go on. They take no turn of
// proven senders, who have their own part. spec: transactions 3.7
func TestFewTransactionsAreExecutedInVain(t *testing.T) {
	for _, c := range []struct {
		name   string
		proven []int // senders
		want   int   // transactions that are executed in vain
	}{
		{"new accounts", nil, wasteOfOthers},
		{"one proven sender, the last", []int{3}, wasteOfOthers + 1},
		{"proven senders", []int{0, 1, 2, 3}, wasteOfProven},
	} {
		t.Run(c.name, func(t *testing.T) {
			miner, _ := soloMiner(t)
			for i := range 4 {
				invoke(t, miner, i, 0, endless, 10_000_000, 0)
			}
			small := submit(t, miner, 4, 0, governedTip, times(governedTip, 2))
			syncPool(t, miner)
			standing := func(sender common.Address) Standing {
				for _, i := range c.proven {
					if sender == senderAddress(i) {
						return Proven
					}
				}
				return Ordinary
			}
			block, excluded := build(t, miner, Bounds{Time: time.Microsecond, Standing: standing})
			assert.Truef(t, slices.Equal(block, []common.Hash{small.Hash()}), "transactions %v", block)
			assert.Equal(t, c.want, len(excluded), "were executed in vain")
		})
	}
}

// The limit is on wasted time and not on failures: transactions that are cheap to execute in vain delay no others.
// Wasted time is reported apart from the time of the transactions in the block.
func TestWasteIsTime(t *testing.T) {
	miner, _ := soloMiner(t)
	for i := range 4 {
		invoke(t, miner, i, 0, logger, 3_000_000, 200_000) // more receipts than a block may have
	}
	good := invoke(t, miner, 4, 0, logger, 3_000_000, 1)
	task := nextTask(miner)
	excluded := 0
	task.Bounds = Bounds{Time: time.Hour, ReceiptBytes: 150_000,
		Excluded: func(common.Address, common.Hash, time.Duration, Reason) { excluded++ }}
	built := must.Get(miner.BuildProposal(context.Background(), task, nil))(t)
	if block := hashes(built.Block().Transactions()); excluded != 4 || !slices.Equal(block, []common.Hash{good.Hash()}) {
		t.Errorf("%d were executed in vain, want 4; transactions %v, want %v", excluded, block, good.Hash())
	}
	assert.True(t, built.Wasted > 0, "no wasted time is told")
}

// The standing of a sender counts for what is watched of its transactions, and what follows.
func TestStandingOfSenders(t *testing.T) {
	miner, _ := soloMiner(t)
	first := invoke(t, miner, 0, 0, logger, WatchedGas, 1)
	late := invoke(t, miner, 0, 1, logger, WatchedGas+1, 1)
	out := invoke(t, miner, 1, 0, logger, WatchedGas+1, 1)
	ordinary := invoke(t, miner, 2, 0, logger, WatchedGas+1, 1)
	small := invoke(t, miner, 3, 0, logger, WatchedGas, 1)
	standing := func(sender common.Address) Standing {
		return map[common.Address]Standing{senderAddress(0): Last, senderAddress(1): LeftOut,
			senderAddress(3): LeftOut}[sender]
	}
	block, _ := build(t, miner, Bounds{Standing: standing})
	assert.Truef(t, len(block) == 4 && !slices.Contains(block, out.Hash()) && block[3] == late.Hash(),
		"transactions %v: want %v, %v and %v, and then %v", block, first.Hash(), ordinary.Hash(), small.Hash(), late.Hash())
}

// Receipts are bounded before a transaction is in the block (spec network 2.2: they have to fit into a message).
func TestReceiptsAreBounded(t *testing.T) {
	const limit = 200_000
	miner, _ := soloMiner(t)
	alone := invoke(t, miner, 0, 0, logger, 3_000_000, limit)
	first := invoke(t, miner, 1, 0, logger, 2_000_000, limit/2)
	second := invoke(t, miner, 2, 0, logger, 2_000_000, limit/2)
	small := submit(t, miner, 3, 0, governedTip, times(governedTip, 2))
	syncPool(t, miner)
	block, excluded := build(t, miner, Bounds{ReceiptBytes: limit})
	want := []common.Hash{first.Hash(), small.Hash()}
	assert.Truef(t, slices.Equal(block, want) || slices.Equal(block,
		[]common.Hash{small.Hash(), first.Hash()}), "transactions %v, want %v without %v", block, want, second.Hash())
	assert.Truef(t, len(excluded) == 1 && excluded[alone.Hash()] == TooManyReceipts, "excluded: %v", excluded)
	block, _ = build(t, miner, Bounds{})
	assert.Truef(t, len(block) == 4, "without a limit: %v", block)
}

// receiptBytes is never less than what the receipts take in eth/68.
func TestReceiptBytesAreAnUpperBound(t *testing.T) {
	for _, topics := range []int{0, 4} {
		for _, data := range []int{0, 1, 56, 70_000} {
			var logs []*types.Log
			for range 3 {
				logs = append(logs, &types.Log{Topics: slices.Repeat([]common.Hash{{0xff}}, topics),
					Data: slices.Repeat([]byte{0xff}, data)})
			}
			receipt := &types.Receipt{Type: types.FeeDelegateTxType, Status: 1, CumulativeGasUsed: 1 << 63, Logs: logs}
			encoded := must.Get(receipt.MarshalBinary())(t)
			if bound := receiptBytes(logs); bound < uint64(len(encoded))+4 {
				t.Errorf("%d topics, %d bytes: %d, the receipt has %d", topics, data, bound, len(encoded))
			}
		}
	}
}

// A block ends where its bytes do.
func TestBytesAreBounded(t *testing.T) {
	miner, _ := soloMiner(t)
	for i := range senders {
		submit(t, miner, i, 0, governedTip, times(governedTip, 2))
	}
	syncPool(t, miner)
	block, _ := build(t, miner, Bounds{})
	require.Equal(t, len(senders), len(block), "transactions without a limit")
	task := nextTask(miner)
	built := must.Get(miner.BuildProposal(context.Background(), task, nil))(t)
	limit := built.Block().Size() - 200 // a transaction and a half
	task.Bytes = limit
	built = must.Get(miner.BuildProposal(context.Background(), task, nil))(t)
	if n := len(built.Block().Transactions()); n == 0 || built.Block().Size() > limit {
		t.Errorf("%d transactions in %d bytes, the limit is %d", n, built.Block().Size(), limit)
	}
}
