// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// stopClock has the machine's clock of the chain show a moment until the next call.
func (c *testChain) stopClock(at time.Time) {
	c.Chain.mu.Lock()
	defer c.Chain.mu.Unlock()
	c.now = func() time.Time { return at }
}

// gain mines by a method and returns by how much the timestamp of the newest block rises.
func (c *testChain) gain(method string, args ...any) uint64 {
	c.Helper()
	before := c.block("latest").Timestamp
	c.do(method, args...)
	return uint64(c.block("latest").Timestamp - before)
}

// TestMineSpacesBlocksAsOtherToolsDo has the figures that anvil and Hardhat's own network gave for the same calls.
func TestMineSpacesBlocksAsOtherToolsDo(t *testing.T) {
	const day, year = 86_400, 31_536_000
	type call struct {
		elapsed          time.Duration // since the call before, by the clock of the machine
		blocks, interval uint64
		gain             uint64
	}
	for _, tt := range []struct {
		method string
		calls  []call
	}{
		{"anvil_mine", []call{
			{0, 1, 60, 60}, {time.Second, 1, 60, 61}, {time.Second, 3, 60, 181},
			{0, 1, day, day}, {8 * time.Second, 3, day, 3*day + 8}, {0, 5, 100 * year, 500 * year}, {0, 2, 0, 2},
		}},
		{"hardhat_mine", []call{
			{0, 1, 60, 1}, {time.Second, 1, 60, 1}, {time.Second, 3, 60, 121},
			{0, 3, day, 2*day + 1}, {0, 6, 100 * year, 500*year + 1}, {0, 2, 0, 2},
		}},
	} {
		t.Run(tt.method, func(t *testing.T) {
			c, at := start(t, 0), time.Now()
			c.stopClock(at)
			c.do("hardhat_mine")
			for _, step := range tt.calls {
				at = at.Add(step.elapsed)
				c.stopClock(at)
				if got := c.gain(tt.method, step.blocks, step.interval); got != step.gain {
					t.Errorf("%d blocks %d s apart gain %d s, want %d", step.blocks, step.interval, got, step.gain)
				}
			}
		})
	}
}

// TestIntervalOfTimestamps checks that long intervals are taken, and that no timestamp goes beyond the last one.
func TestIntervalOfTimestamps(t *testing.T) {
	c := start(t, 0)
	for _, seconds := range []uint64{86_400, 31_536_000, 100_000_000_000} {
		c.do("evm_setBlockTimestampInterval", seconds)
		expect.Equal(t, c.gain("hardhat_mine", 3), 3*seconds, "seconds gained by 3 blocks")
	}
	c.do("evm_removeBlockTimestampInterval")
	head := uint64(c.block("latest").Timestamp)
	number := c.number()
	for _, call := range []struct {
		method string
		args   []any
	}{
		{"hardhat_mine", []any{2, maxTimestamp - head}}, // the first block is a second after the head
		{"anvil_mine", []any{1, maxTimestamp - head + 1}},
		{"anvil_mine", []any{maxMined, uint64(1) << 62}},
		{"evm_setBlockTimestampInterval", []any{maxTimestamp - head + 1}},
		{"evm_setNextBlockTimestamp", []any{uint64(maxTimestamp) + 1}},
		{"evm_increaseTime", []any{uint64(maxTimestamp)}},
		{"evm_setTime", []any{uint64(maxTimestamp) + 1}},
	} {
		var coded gethrpc.Error
		err := c.try(nil, call.method, call.args...)
		expect.That(t, errors.As(err, &coded) && coded.ErrorCode() == -32602, "%s%v: %v", call.method, call.args, err)
	}
	expect.Equal(t, c.number(), number, "%d blocks were mined by calls that are refused", c.number()-number)
	c.do("evm_setNextBlockTimestamp", uint64(maxTimestamp))
	c.do("hardhat_mine")
	expect.Equal(t, c.block("latest").Timestamp, maxTimestamp, "timestamp")
	expect.Refused(t, c.try(nil, "hardhat_mine"), "a block follows the last timestamp")
}

// TestBlocksWithoutSealsAreValid mines a run whose first blocks have stand-ins for seals. Every reader takes them:
// blocks, receipts, logs and states, the engine and a way back.
func TestBlocksWithoutSealsAreValid(t *testing.T) {
	c := start(t, 0)
	var snapshot hexutil.Uint64
	c.call(&snapshot, "evm_snapshot")
	c.do("evm_setAutomine", false)
	var sent common.Hash
	c.call(&sent, "eth_sendTransaction", map[string]any{"from": c.list[0].Address, "to": stranger, "value": "0x7"})
	const blocks = 3 * sealedLast
	c.do("evm_setNextBlockBaseFeePerGas", hexutil.EncodeBig(big.NewInt(30_000e9)))
	c.do("hardhat_setBalance", sponsor, "0x5") // the run begins with a changed state
	c.do("hardhat_mine", blocks, 10)
	must.Equal(t, c.number(), blocks, "block")
	r := c.await(sent)
	expect.That(t, r.Number == 1 && r.Status == 1, "receipt %+v", r)
	var logs []types.Log
	c.call(&logs, "eth_getLogs", map[string]any{"fromBlock": "0x0", "toBlock": "latest", "address": coin})
	expect.That(t, len(logs) == 1 && logs[0].BlockNumber == 1, "logs %+v, want the transfer in block 1", logs)
	for number := uint64(1); number <= blocks; number++ {
		header := c.chain.GetHeaderByNumber(number)
		b := c.block(hexutil.EncodeUint64(number))
		expect.That(t, b.Hash == header.Hash() && uint64(b.Timestamp) == header.Time, "block %d: %+v", number, b)
		var balance hexutil.Big
		c.call(&balance, "eth_getBalance", stranger, hexutil.EncodeUint64(number))
		if balance.ToInt().Uint64() != 7 {
			t.Errorf("balance %v in block %d", balance.ToInt(), number)
		}
		expect.Error(t, c.engine.VerifyHeader(c.chain, header), nil, "block %d", number)
		decoded := must.Get(header.WBFTExtra())(t)
		parent := c.chain.GetHeaderByNumber(number - 1)
		set := must.Get(c.engine.ValidatorsAfter(c.chain, parent))(t)
		isSealed := c.engine.VerifySeals(set, header) == nil
		expect.Equal(t, isSealed, number > blocks-sealedLast, "block %d has seals", number)
		if decoded.CommittedSeal.Signature[0] ^= 1; isSealed {
			continue
		}
		header.Extra = decoded.Encode()
		expect.Refused(t, c.engine.VerifyHeader(c.chain, header), "block %d is taken with damaged stand-ins", number)
	}
	c.do("evm_revert", snapshot)
	if got := c.number(); got != 0 || c.balance(stranger).Sign() != 0 {
		t.Errorf("block %d with a balance of %v after the way back", got, c.balance(stranger))
	}
	if c.do("hardhat_mine"); c.number() != 1 {
		t.Errorf("block %d follows the way back", c.number())
	}
}

// TestRepeatedBlocksAreWhatExecutionMakes mines runs and executes each block of them again: fields that follow from the
// state, the parent and the rules are the same, and every number is there.
func TestRepeatedBlocksAreWhatExecutionMakes(t *testing.T) {
	c := start(t, 0)
	other := common.Address{0xc0}
	for _, run := range []struct {
		name string
		prep func()
		args []any
	}{
		{"by the clock", func() {}, []any{64}},
		{"with a step", func() {}, []any{64, 60}},
		{"behind a changed state", func() { c.do("hardhat_setBalance", sponsor, "0x5") }, []any{64}},
		{"with another coinbase", func() { c.do("hardhat_setCoinbase", other) }, []any{64}},
		{"with a high base fee", func() {
			c.do("hardhat_setNextBlockBaseFeePerGas", hexutil.EncodeBig(big.NewInt(90_000e9)))
		}, []any{64}},
		{"with another gas limit", func() { c.do("evm_setBlockGasLimit", "0x1000000") }, []any{64}},
		{"with a transaction", func() {
			c.do("evm_setAutomine", false)
			call := map[string]any{"from": c.list[0].Address, "to": stranger, "value": "0x7"}
			c.call(new(common.Hash), "eth_sendTransaction", call)
		}, []any{64}},
	} {
		t.Run(run.name, func(t *testing.T) {
			run.prep()
			from := c.number() + 1
			c.do("hardhat_mine", run.args...)
			must.Equal(t, c.number(), from+63, "block")
			repeated := 0
			for number := from; number <= c.number(); number++ {
				header := c.chain.GetHeaderByNumber(number)
				b := c.block(hexutil.EncodeUint64(number))
				must.That(t, b.Hash == header.Hash() && uint64(b.Number) == number, "block %d: %+v", number, b)
				repeated += c.checkRepeated(t, header)
			}
			expect.That(t, repeated >= 30, "%d blocks were made without execution", repeated)
		})
	}
}

// checkRepeated compares a block that was made without execution with what its execution gives. It returns 0 for one
// that was executed when it was made.
func (c *testChain) checkRepeated(t *testing.T, header *types.Header) int {
	t.Helper()
	decoded := must.Get(header.WBFTExtra())(t)
	if !bytes.Equal(decoded.RandaoReveal, c.standInReveal) {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hasty.Store(true)
	defer c.hasty.Store(false)
	parent := c.chain.GetHeader(header.ParentHash, header.Number.Uint64()-1)
	executed := must.Get(c.builder.Build(t.Context(), parent, header.Coinbase, header.Time))(t)
	want := must.Get(executed.Block().Header().WBFTExtra())(t)
	want.RandaoReveal = decoded.RandaoReveal
	want.PreparedSeal, want.CommittedSeal = decoded.PreparedSeal, decoded.CommittedSeal
	made := types.CopyHeader(executed.Block().Header())
	made.MixDigest, made.Extra = header.MixDigest, want.Encode()
	expect.That(t, made.Hash() == header.Hash() && bytes.Equal(made.Extra, header.Extra),
		"block %d is\n%+v, its execution makes\n%+v", header.Number, header, made)
	return 1
}

// TestUnmarkedStandInsAreRefused checks that stand-ins are no seals of a block that does not name them.
func TestUnmarkedStandInsAreRefused(t *testing.T) {
	c := start(t, 0)
	c.do("hardhat_mine")
	header := c.chain.CurrentBlock()
	stand := c.standInFor(0)
	header = must.Get(header.WithWBFTSeals(0, stand, stand))(t)
	expect.Refused(t, c.engine.VerifyHeader(c.chain, header), "a block is taken with stand-ins that it does not name")
}

// lateCode reverts before the timestamp in its first word of storage.
const lateCode = "0x4260005411600957005b60006000fd"

// TestEstimatesSeeTheTimeThatWasSet checks that gas is estimated in the pending block, where no other one is given.
func TestEstimatesSeeTheTimeThatWasSet(t *testing.T) {
	c := start(t, 0)
	late := uint64(c.block("latest").Timestamp) + 1_000_000
	c.do("hardhat_setCode", stranger, lateCode)
	c.do("hardhat_setStorageAt", stranger, "0x0", hexutil.EncodeUint64(late))
	args := func() map[string]any { return map[string]any{"from": c.list[0].Address, "to": stranger} }
	calls := []string{"eth_estimateGas", "eth_fillTransaction", "eth_sendTransaction", "eth_sendUnsignedTransaction"}
	for _, method := range calls {
		expect.Says(t, c.try(nil, method, args()), "reverted", "%s before the time", method)
	}
	c.do("evm_setNextBlockTimestamp", late)
	for _, method := range calls[:2] {
		c.call(nil, method, args())
	}
	expect.Refused(t, c.try(nil, "eth_estimateGas", args(), "latest"), "the newest block has the time of the next one")
	_, r := c.send("eth_sendTransaction", args())
	expect.That(t, r.Status == 1, "receipt %+v", r)
	c.do("hardhat_setStorageAt", stranger, "0x0", hexutil.EncodeUint64(late+1_000_000))
	var ahead int64
	c.call(&ahead, "evm_increaseTime", 1_000_000)
	_, r = c.send("eth_sendUnsignedTransaction", args())
	expect.That(t, r.Status == 1, "receipt %+v", r)
}

// TestInstanceOfAChain checks that a reset makes the chain another one, that nothing else does, and that a chain that
// is continued is the same.
func TestInstanceOfAChain(t *testing.T) {
	c := start(t, 0)
	instance := func() common.Hash {
		var described struct {
			Instance common.Hash `json:"instanceId"`
		}
		c.call(&described, "hardhat_metadata")
		return described.Instance
	}
	first := instance()
	var snapshot hexutil.Uint64
	c.call(&snapshot, "evm_snapshot")
	c.do("hardhat_mine", 3)
	c.do("evm_revert", snapshot)
	expect.Equal(t, instance(), first, "a way back has made another chain")
	seen := map[common.Hash]bool{first: true}
	for _, method := range []string{"hardhat_reset", "anvil_reset"} {
		c.do(method)
		expect.That(t, !seen[instance()], "%s has left the chain the same", method)
		seen[instance()] = true
	}
	continued := &Chain{db: c.db}
	if err := continued.openInstance(); err != nil || continued.instance != instance() {
		t.Errorf("continued as %v, was %v: %v", continued.instance, instance(), err)
	}
}

// TestEndedRunIsAnnounced ends a run of blocks early. What was mined is the chain, and the pool follows it.
func TestEndedRunIsAnnounced(t *testing.T) {
	c := start(t, 0)
	ctx, cancel := context.WithCancel(t.Context())
	heads := make(chan gethcore.ChainEvent, maxMined)
	sub := c.chain.SubscribeChainEvent(heads)
	defer sub.Unsubscribe()
	announced := make(chan gethcore.ChainHeadEvent, 1000)
	end := c.chain.SubscribeChainHeadEvent(announced)
	defer end.Unsubscribe()
	go func() {
		<-heads
		cancel()
	}()
	err := c.locked(func() error { return c.mine(ctx, maxMined, spacing{}) })
	if !errors.Is(err, context.Canceled) || c.number() == 0 {
		t.Fatalf("error %v after block %d", err, c.number())
	}
	select {
	case head := <-announced:
		if head.Header.Number.Uint64() != c.number() {
			t.Errorf("block %d is announced, the newest is %d", head.Header.Number, c.number())
		}
	default:
		t.Error("the newest block is not announced")
	}
	_, r := c.send("eth_sendTransaction", map[string]any{"from": c.list[0].Address, "to": stranger})
	expect.That(t, r.Status == 1, "receipt %+v", r)
}

// BenchmarkTransfer submits transfers one after the other, each after the receipt of the one before. ms/fast is the
// time of the fastest tenth, which other work of the machine disturbs least.
func BenchmarkTransfer(b *testing.B) {
	c := start(b, 0)
	args := map[string]any{"from": c.list[0].Address, "to": stranger, "value": "0x1"}
	var times []time.Duration
	for b.Loop() {
		begun := time.Now()
		_, r := c.send("eth_sendTransaction", args)
		must.That(b, r.Status == 1, "receipt %+v", r)
		times = append(times, time.Since(begun))
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/10].Seconds()*1000, "ms/fast")
}
