// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/eth/tracers"
	_ "github.com/ethereum/go-ethereum/eth/tracers/native" // register callTracer
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/bls"
	"gwon/contracts/dev"
	"gwon/core"
	"gwon/eth"
	"gwon/internal/door/calls"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/wellknown"
	"gwon/params"
	"gwon/rpc"
)

const patience = time.Minute

var (
	coin     = params.NativeCoinAdapterAddress
	stranger = common.HexToAddress("0x00000000000000000000000000000000000000aa")
	sponsor  = common.HexToAddress("0x00000000000000000000000000000000000000bb")
)

// testChain is a node with a developer chain in this process.
type testChain struct {
	testing.TB
	*Chain
	client *gethrpc.Client
	list   []wellknown.Account
}

var register sync.Once

// start starts a developer chain. A process has one at a time.
func start(t testing.TB, period time.Duration) *testChain {
	t.Helper()
	key := must.Get(crypto.ToECDSA(crypto.Keccak256([]byte("devchain test validator"))))(t)
	list := must.Get(wellknown.Accounts(wellknown.Mnemonic, 3))(t)
	secret := must.Get(bls.DeriveKey(key))(t)
	config := must.Get(params.DevConfig(params.DevChainID, params.DevnetValidator{
		Address: crypto.PubkeyToAddress(key.PublicKey), BLSPublicKey: secret.PublicKey().Bytes(), Operator: list[0].Address,
	}, 0, params.G1))(t)
	alloc := dev.Predeploys()
	for _, a := range list {
		alloc[a.Address] = types.Account{Balance: ether(1_000_000)}
	}
	genesis, _, err := core.BuildGenesis(core.DevnetGenesis(config, uint64(time.Now().Unix())-1000, alloc), nil)
	must.Do(t, err)
	stack := must.Get(node.New(&node.Config{P2P: p2p.Config{PrivateKey: key, NoDiscovery: true, NoDial: true}}))(t)
	t.Cleanup(func() { expect.Error(t, stack.Close(), nil, "stack.Close") })
	chain := must.Get(New(Options{Key: key, Period: period, Accounts: list, Version: "gwon/test"}))(t)
	register.Do(func() { eth.RegisterEngine(nil) })
	eth.WrapEngine(func(inner *wbft.Engine) eth.EngineWrapper { return chain.Engine(inner) })
	stack.AccountManager().AddBackend(Backend(list))
	cfg := ethconfig.Defaults
	cfg.Genesis, cfg.NetworkId, cfg.SyncMode = genesis, params.DevChainID, ethconfig.FullSync
	cfg.TxPool.Journal, cfg.TxPool.NoLocals, cfg.RPCTxFeeCap = "", true, 0
	cfg.StateScheme, cfg.NoPruning, cfg.Preimages = rawdb.HashScheme, true, true
	cfg.TrieCleanCache, cfg.TrieDirtyCache, cfg.SnapshotCache, cfg.DatabaseCache = 16, 16, 0, 16
	service := must.Get(eth.New(stack, &eth.Config{Eth: &cfg, Sealing: true, Sealer: chain, RPC: rpc.Options{}}))(t)
	must.Do(t, chain.Attach(stack, service))
	stack.RegisterAPIs(tracers.APIs(service.APIBackend()))
	logs := filters.NewFilterSystem(service.APIBackend(), filters.Config{})
	stack.RegisterAPIs([]gethrpc.API{rpc.LogsAPI(logs, calls.New(calls.Limits{}), false)})
	must.Do(t, stack.Start())
	client := stack.Attach()
	t.Cleanup(client.Close)
	return &testChain{t, chain, client, list}
}

func ether(n int64) *big.Int { return new(big.Int).Mul(big.NewInt(n), big.NewInt(1e18)) }

// try calls a method and returns its error.
func (c *testChain) try(result any, method string, args ...any) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return c.client.CallContext(ctx, result, method, args...)
}

// call calls a method that has to work.
func (c *testChain) call(result any, method string, args ...any) {
	c.Helper()
	must.Do(c, c.try(result, method, args...), method, args)
}

// do calls a method whose answer is true.
func (c *testChain) do(method string, args ...any) {
	c.Helper()
	var ok bool
	c.call(&ok, method, args...)
	must.That(c, ok, "%s%v answers false", method, args)
}

func (c *testChain) number() uint64 {
	c.Helper()
	var n hexutil.Uint64
	c.call(&n, "eth_blockNumber")
	return uint64(n)
}

func (c *testChain) balance(account common.Address) *big.Int {
	c.Helper()
	var n hexutil.Big
	c.call(&n, "eth_getBalance", account, "latest")
	return n.ToInt()
}

func (c *testChain) supply() *big.Int {
	c.Helper()
	var n hexutil.Bytes
	c.call(&n, "eth_call", map[string]any{"to": coin, "data": "0x18160ddd"}, "latest")
	return new(big.Int).SetBytes(n)
}

type block struct {
	Number    hexutil.Uint64 `json:"number"`
	Hash      common.Hash    `json:"hash"`
	Timestamp hexutil.Uint64 `json:"timestamp"`
	BaseFee   *hexutil.Big   `json:"baseFeePerGas"`
	GasLimit  hexutil.Uint64 `json:"gasLimit"`
	Miner     common.Address `json:"miner"`
	MixHash   common.Hash    `json:"mixHash"`
}

func (c *testChain) block(tag any) *block {
	c.Helper()
	var b *block
	c.call(&b, "eth_getBlockByNumber", tag, false)
	return b
}

type receipt struct {
	From     common.Address  `json:"from"`
	FeePayer *common.Address `json:"feePayer"`
	Type     hexutil.Uint64  `json:"type"`
	Status   hexutil.Uint64  `json:"status"`
	Number   hexutil.Uint64  `json:"blockNumber"`
	Logs     []*types.Log    `json:"logs"`
}

// send sends a transaction with a method and waits for its receipt.
func (c *testChain) send(method string, args map[string]any) (common.Hash, *receipt) {
	c.Helper()
	var hash common.Hash
	c.call(&hash, method, args)
	return hash, c.await(hash)
}

func (c *testChain) await(hash common.Hash) *receipt {
	c.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		var r *receipt
		if c.call(&r, "eth_getTransactionReceipt", hash); r != nil {
			return r
		}
	}
	c.Fatalf("no receipt of %v", hash)
	return nil
}

// TestChangesAreSeenAtOnce checks each change of the state against what the methods of eth answer, without a block.
func TestChangesAreSeenAtOnce(t *testing.T) {
	c := start(t, 0)
	before := c.supply()
	c.do("hardhat_setBalance", stranger, "0x64")
	expect.Equal(t, c.balance(stranger).Uint64(), 100, "balance")
	expect.Equal(t, new(big.Int).Sub(c.supply(), before).Uint64(), 100, "the total supply moved by")
	c.do("gwon_setAccountFlags", stranger, map[string]any{"authorized": true})
	c.do("anvil_setCode", stranger, "0x602a60005260206000f3")
	var answer hexutil.Bytes
	c.call(&answer, "eth_call", map[string]any{"to": stranger}, "latest")
	expect.Equal(t, new(big.Int).SetBytes(answer).Uint64(), 42, "the code answers %v", answer)
	state := must.Get(c.state())(t)
	expect.That(t, state.IsAuthorized(stranger), "the code has taken the flags away")
	c.do("evm_setStorageAt", stranger, "0x1", "0x7")
	c.call(&answer, "eth_getStorageAt", stranger, "0x1", "latest")
	expect.That(t, new(big.Int).SetBytes(answer).Uint64() == 7, "storage %v, want 7", answer)
	c.do("hardhat_setNonce", sponsor, 5)
	var nonce hexutil.Uint64
	c.call(&nonce, "eth_getTransactionCount", sponsor, "pending")
	expect.That(t, nonce == 5, "nonce %d, want 5", nonce)
	c.do("gwon_mint", stranger, "1000000000000000000")
	got := c.balance(stranger)
	expect.That(t, got.Cmp(new(big.Int).Add(ether(1), big.NewInt(100))) == 0, "balance %v after minting", got)
	c.do("anvil_dealERC20", stranger, coin, "0x5")
	expect.Equal(t, c.balance(stranger).Uint64(), 5, "balance")
	c.do("gwon_setGasTip", hexutil.EncodeBig(big.NewInt(50_000e9)))
	var tip hexutil.Big
	if c.call(&tip, "eth_maxPriorityFeePerGas"); tip.ToInt().Int64() != 50_000e9 {
		t.Errorf("tip %v", tip.ToInt())
	}
	expect.Equal(t, c.number(), 0, "blocks")
	transfer := map[string]any{"from": c.list[0].Address, "to": stranger, "value": "0x1"}
	_, r := c.send("eth_sendTransaction", transfer)
	expect.That(t, r.Status == 1, "a transaction with the new tip failed")
	got = c.balance(stranger)
	expect.That(t, got.Uint64() == 6, "balance %v in the next block, want 6", got)
}

// TestBlacklistedAccountSendsNothing checks that the flags of the cheat are those of the chain.
//
// spec: transactions 4.1
func TestBlacklistedAccountSendsNothing(t *testing.T) {
	c := start(t, 0)
	args := map[string]any{"from": c.list[1].Address, "to": stranger, "value": "0x1", "gas": "0x5208"}
	c.do("gwon_setAccountFlags", c.list[1].Address, map[string]any{"blacklisted": true})
	var hash common.Hash
	expect.Says(t, c.try(&hash, "eth_sendTransaction", args), "blacklisted", "error")
	c.do("gwon_setAccountFlags", c.list[1].Address, map[string]any{"blacklisted": false})
	_, r := c.send("eth_sendTransaction", args)
	expect.That(t, r.Status == 1, "refused after the flag is gone")
}

// TestImpersonation checks that senders and fee payers without a key sign, and that receipt, transaction and trace say
// so.
func TestImpersonation(t *testing.T) {
	c := start(t, 0)
	c.do("hardhat_setBalance", stranger, hexutil.EncodeBig(ether(10)))
	c.do("hardhat_setBalance", sponsor, hexutil.EncodeBig(ether(10)))
	args := map[string]any{"from": stranger, "to": coin, "value": "0x0", "data": "0x18160ddd"}
	var hash common.Hash
	must.That(t, c.try(&hash, "eth_sendTransaction", args) != nil, "an account without a key signs")
	c.do("hardhat_impersonateAccount", stranger)
	hash, r := c.send("eth_sendTransaction", args)
	expect.That(t, r.From == stranger && r.Status == 1, "receipt %+v", r)
	var tx struct {
		Hash common.Hash    `json:"hash"`
		From common.Address `json:"from"`
	}
	c.call(&tx, "eth_getTransactionByHash", hash)
	expect.That(t, tx.From == stranger && tx.Hash == hash, "transaction %+v", tx)
	var trace struct {
		From common.Address `json:"from"`
	}
	c.call(&trace, "debug_traceTransaction", hash, map[string]any{"tracer": "callTracer"})
	expect.Equal(t, trace.From, stranger, "trace from")

	before := c.balance(stranger)
	args["feePayer"], args["type"] = sponsor, "0x16"
	must.That(t, c.try(&hash, "eth_sendTransaction", args) != nil, "a fee payer without a key signs")
	c.do("anvil_impersonateAccount", sponsor)
	_, r = c.send("eth_sendTransaction", args)
	expect.That(t, r.FeePayer != nil && *r.FeePayer == sponsor && r.Type == types.FeeDelegateTxType, "receipt %+v", r)
	if got := c.balance(stranger); got.Cmp(before) != 0 {
		t.Errorf("the sender paid %v", new(big.Int).Sub(before, got))
	}
	expect.That(t, c.balance(sponsor).Cmp(ether(10)) < 0, "the fee payer did not pay")

	for field, value := range map[string]any{"memo": "lunch", "type": "0x1", "v": "0x1", "authorizationList": []any{}} {
		other := maps.Clone(args)
		other[field] = value
		expect.Says(t, c.try(&hash, "eth_sendTransaction", other), field, "with %s", field)
	}

	c.do("evm_stopImpersonatingAccount", stranger)
	delete(args, "feePayer")
	delete(args, "type")
	expect.Refused(t, c.try(&hash, "eth_sendTransaction", args), "the account still signs")
	c.do("anvil_autoImpersonateAccount", true)
	_, r = c.send("eth_sendTransaction", args)
	expect.That(t, r.From == stranger, "receipt %+v", r)
	c.do("anvil_autoImpersonateAccount", false)
	_, r = c.send("eth_sendUnsignedTransaction", args)
	expect.That(t, r.From == stranger, "receipt %+v", r)
	// Contracts are impersonated more often than others.
	c.do("hardhat_setCode", stranger, "0x6001")
	_, r = c.send("eth_sendUnsignedTransaction", args)
	expect.That(t, r.From == stranger && r.Status == 1, "receipt of a contract %+v", r)
}

// TestRevert checks that blocks, changes and transactions after a snapshot go, and that filters and the final block
// survive.
func TestRevert(t *testing.T) {
	c := start(t, 0)
	from := c.list[0].Address
	transfer := map[string]any{"from": from, "to": stranger, "value": "0x5"}
	kept, _ := c.send("eth_sendTransaction", transfer)
	c.do("evm_setBalance", sponsor, "0x1")
	var filter string
	c.call(&filter, "eth_newFilter", map[string]any{"address": coin})
	head := c.block("latest")

	var id string
	c.call(&id, "evm_snapshot")
	gone, _ := c.send("eth_sendTransaction", transfer)
	c.do("evm_setBalance", sponsor, "0x2")
	c.do("hardhat_mine", "0x5")
	c.do("evm_setBalance", sponsor, "0x3")
	c.do("evm_setAutomine", false)
	var pooled common.Hash
	c.call(&pooled, "eth_sendTransaction", transfer)

	c.do("evm_revert", id)
	got := c.block("latest")
	expect.That(t, got.Hash == head.Hash, "head %d, want %d", got.Number, head.Number)
	got = c.block("finalized")
	expect.That(t, got != nil && got.Hash == head.Hash, "final block %+v, want %d", got, head.Number)
	expect.Equal(t, c.balance(stranger).Uint64(), 5, "balance")
	expect.Equal(t, c.balance(sponsor).Uint64(), 1, "changed balance")
	var r *receipt
	c.call(&r, "eth_getTransactionReceipt", gone)
	expect.That(t, r == nil, "the receipt of a transaction after the snapshot is there: %+v", r)
	var tx *types.Transaction
	c.call(&tx, "eth_getTransactionByHash", pooled)
	expect.That(t, tx == nil, "a pooled transaction after the snapshot is there")
	c.await(kept)
	var found bool
	c.call(&found, "evm_revert", id)
	expect.That(t, !found, "a snapshot is used twice")
	// The chain goes on, and the filter of before tells of it.
	_, r = c.send("eth_sendTransaction", transfer)
	expect.That(t, uint64(r.Number) == uint64(head.Number)+1, "block %d, want %d", r.Number, head.Number+1)
	var logs []*types.Log
	c.call(&logs, "eth_getFilterChanges", filter)
	expect.That(t, len(logs) != 0 && logs[len(logs)-1].BlockNumber == uint64(head.Number)+1,
		"%d logs from the filter", len(logs))
	c.call(&logs, "eth_getLogs", map[string]any{"address": coin, "fromBlock": "0x0"})
	expect.Equal(t, len(logs), 2, "logs in the chain")
	c.do("hardhat_reset")
	if got := c.number(); got != 0 || c.balance(stranger).Sign() != 0 {
		t.Errorf("%d blocks after a reset", got)
	}
}

// TestTime checks the methods that move the clock.
func TestTime(t *testing.T) {
	c := start(t, 0)
	begin := uint64(c.block("latest").Timestamp)
	next := begin + 100_000
	c.do("evm_setNextBlockTimestamp", next)
	var answer any
	c.call(&answer, "evm_mine")
	expect.Equal(t, uint64(c.block("latest").Timestamp), next, "timestamp")
	c.call(&answer, "evm_increaseTime", "0x64")
	c.call(&answer, "evm_mine")
	got := uint64(c.block("latest").Timestamp)
	expect.That(t, got >= next+100, "timestamp %d, want %d at least", got, next+100)
	at := uint64(c.block("latest").Timestamp)
	c.do("anvil_setBlockTimestampInterval", 7)
	c.do("anvil_mine", 2)
	expect.Equal(t, uint64(c.block("latest").Timestamp), at+14, "timestamp")
	c.do("anvil_removeBlockTimestampInterval")
	c.do("hardhat_mine", "0x3", "0x3c")
	if got, first := c.block("latest"), c.block(hexutil.EncodeUint64(c.number()-2)); got.Timestamp != first.Timestamp+120 {
		t.Errorf("timestamps %d and %d, want 120 seconds between them", first.Timestamp, got.Timestamp)
	}
	c.call(&answer, "evm_mine", map[string]any{"timestamp": at + 10_000, "blocks": 2})
	got = uint64(c.block("latest").Timestamp)
	expect.That(t, got >= at+10_001, "timestamp %d", got)
	head := uint64(c.block("latest").Timestamp)
	expect.Equal(t, code(c.try(&answer, "evm_setNextBlockTimestamp", head)), -32602,
		"a timestamp that is not above the head's")
}

// code returns the code of a JSON-RPC error.
func code(err error) int {
	var e gethrpc.Error
	if errors.As(err, &e) {
		return e.ErrorCode()
	}
	return 0
}

// A contract that accepts the governed price alone is executed by every method as in a block: by calls, simulations,
// estimates and access lists, whatever an ordinary account offers (spec transactions 2.1, 2.5).
func TestCallsPayTheGovernedPrice(t *testing.T) {
	c := start(t, 0)
	price := new(big.Int).Add(big.NewInt(20_000e9), big.NewInt(27_600e9))
	code := append([]byte{0x3a, 0x65}, price.FillBytes(make([]byte, 6))...) // GASPRICE == price, or revert
	c.do("anvil_setCode", stranger, hexutil.Bytes(append(code, 0x14, 0x60, 0x0f, 0x57, 0x5f, 0x5f, 0xfd, 0x5b, 0x00)))
	c.do("hardhat_setBalance", sponsor, hexutil.EncodeBig(ether(1000)))
	c.do("anvil_impersonateAccount", sponsor)
	gwei := func(n int64) string { return hexutil.EncodeBig(big.NewInt(n * 1e9)) }
	for name, fees := range map[string]map[string]any{
		"type 0":    {"gasPrice": gwei(100_000)},
		"type 2":    {"maxFeePerGas": gwei(80_000), "maxPriorityFeePerGas": gwei(30_000)},
		"fee payer": {"maxFeePerGas": gwei(80_000), "maxPriorityFeePerGas": gwei(30_000), "feePayer": sponsor},
	} {
		t.Run(name, func(t *testing.T) {
			args := map[string]any{"from": c.list[1].Address, "to": stranger, "gas": "0x15f90"}
			maps.Copy(args, fees)
			var list struct {
				Error string `json:"error"`
			}
			for _, tag := range []string{"latest", "pending"} {
				c.call(new(hexutil.Bytes), "eth_call", args, tag)
				c.call(new(hexutil.Uint64), "eth_estimateGas", args, tag)
				c.call(&list, "eth_createAccessList", args, tag)
				expect.That(t, list.Error == "", "eth_createAccessList at %s: %s", tag, list.Error)
			}
			var blocks []struct {
				Calls []struct {
					Status hexutil.Uint64  `json:"status"`
					Error  json.RawMessage `json:"error"`
				} `json:"calls"`
			}
			c.call(&blocks, "eth_simulateV1", map[string]any{
				"validation": true, "blockStateCalls": []any{map[string]any{"calls": []any{args}}},
			}, "latest")
			expect.Equal(t, blocks[0].Calls[0].Status, 1, "eth_simulateV1")
			_, mined := c.send("eth_sendTransaction", args)
			expect.That(t, mined.Status == 1, "the transaction reverts in its block")
		})
	}
}

// The coin logs each transfer, so traceTransfers adds none.
func TestTracedTransfersAreLoggedOnce(t *testing.T) {
	c := start(t, 0)
	logs := func(trace bool) (count int) {
		var blocks []struct {
			Calls []struct {
				Logs []*types.Log `json:"logs"`
			} `json:"calls"`
		}
		c.call(&blocks, "eth_simulateV1", map[string]any{"traceTransfers": trace, "blockStateCalls": []any{map[string]any{
			"calls": []any{map[string]any{"from": c.list[1].Address, "to": stranger, "value": "0x5"}},
		}}}, "latest")
		return len(blocks[0].Calls[0].Logs)
	}
	with, without := logs(true), logs(false)
	expect.That(t, with == 1 && without == 1, "%d logs with traceTransfers, %d without, want 1", with, without)
}

// TestPendingBlock checks that the pending block follows each change at once: tools estimate gas there.
func TestPendingBlock(t *testing.T) {
	c := start(t, 0)
	type header struct {
		Timestamp hexutil.Uint64 `json:"timestamp"`
		BaseFee   *hexutil.Big   `json:"baseFeePerGas"`
	}
	pending := func() (*big.Int, *header) {
		var n hexutil.Big
		c.call(&n, "eth_getBalance", stranger, "pending")
		var h *header
		c.call(&h, "eth_getBlockByNumber", "pending", false)
		return n.ToInt(), h
	}
	if balance, _ := pending(); balance.Sign() != 0 {
		t.Fatalf("balance %v", balance)
	}
	c.do("evm_setBalance", stranger, "0x64")
	next := uint64(c.block("latest").Timestamp) + 1_000_000
	c.do("evm_setNextBlockTimestamp", next)
	c.do("evm_setNextBlockBaseFeePerGas", hexutil.EncodeUint64(5e13))
	balance, b := pending()
	if balance.Uint64() != 100 || uint64(b.Timestamp) != next || b.BaseFee.ToInt().Uint64() != 5e13 {
		t.Errorf("balance %v, timestamp %d, base fee %v", balance, b.Timestamp, b.BaseFee.ToInt())
	}
}

// TestFeesFollowTheNextBlock: whatever base fee the next block or the newest one has, a transaction without fees is
// mined, and so is one at eth_gasPrice.
func TestFeesFollowTheNextBlock(t *testing.T) {
	c := start(t, 0)
	for _, base := range []uint64{0, 1, 20_000e9, 500_000e9} {
		set := func() { c.do("hardhat_setNextBlockBaseFeePerGas", hexutil.EncodeUint64(base)) }
		for _, fields := range []map[string]any{
			{}, {"type": "0x0"}, {"maxPriorityFeePerGas": hexutil.EncodeUint64(30_000e9)}, {"feePayer": c.list[1].Address},
		} {
			call := map[string]any{"from": c.list[0].Address, "to": stranger}
			maps.Copy(call, fields)
			set()
			var history struct{ BaseFeePerGas []hexutil.Big }
			c.call(&history, "eth_feeHistory", "0x1", "latest", []int{})
			if n := len(history.BaseFeePerGas); n != 2 || history.BaseFeePerGas[1].ToInt().Uint64() != base {
				t.Errorf("base fee %d: eth_feeHistory has %v", base, history.BaseFeePerGas)
			}
			c.send("eth_sendTransaction", call) // in that block
			must.Equal(t, c.block("latest").BaseFee.ToInt().Uint64(), base, "base fee")
			c.send("eth_sendTransaction", call) // in the one after it
		}
		set()
		var price hexutil.Big
		c.call(&price, "eth_gasPrice")
		c.send("eth_sendTransaction", map[string]any{"from": c.list[0].Address, "to": stranger, "gasPrice": &price})
	}
}

// TestNextBlock checks what methods set for the next block, and what for all.
func TestNextBlock(t *testing.T) {
	c := start(t, 0)
	c.do("hardhat_setNextBlockBaseFeePerGas", hexutil.EncodeUint64(5e13))
	c.do("evm_setBlockGasLimit", 30_000_000)
	c.do("hardhat_setCoinbase", stranger)
	c.do("hardhat_setPrevRandao", "0x1234")
	var answer any
	c.call(&answer, "evm_mine")
	b := c.block("latest")
	randao := common.HexToHash("0x1234")
	expect.That(t, b.BaseFee.ToInt().Uint64() == 5e13 && b.GasLimit == 30_000_000 && b.Miner == stranger &&
		b.MixHash == randao, "block %+v", b)
	c.send("eth_sendTransaction", map[string]any{"from": c.list[0].Address, "to": sponsor})
	b = c.block("latest")
	expect.That(t, b.BaseFee.ToInt().Uint64() != 5e13 && b.GasLimit == 30_000_000 && b.Miner == stranger &&
		b.MixHash != randao, "block %+v", b)
	expect.That(t, c.balance(stranger).Sign() != 0, "the coinbase was not paid")
}

// TestMineManyBlocks checks that epochs go on in blocks that are mined at once, also where they pay another account.
//
// spec: wbft 3.5
func TestMineManyBlocks(t *testing.T) {
	c := start(t, 0)
	c.do("hardhat_setCoinbase", stranger)
	c.do("hardhat_mine", "0x64")
	expect.Equal(t, c.number(), 100, "blocks")
	header := c.chain.GetHeaderByNumber(100)
	decoded := must.Get(header.WBFTExtra())(t)
	expect.That(t, decoded.EpochInfo != nil, "block 100 ends no epoch")
	var answer any
	expect.Equal(t, code(c.try(&answer, "hardhat_mine", maxMined+1)), -32602, "too many blocks")
}

// TestPool checks that transactions wait without automine, and can be dropped.
func TestPool(t *testing.T) {
	c := start(t, 0)
	c.do("evm_setAutomine", false)
	var first, second common.Hash
	args := map[string]any{"from": c.list[0].Address, "to": stranger, "value": "0x1"}
	c.call(&first, "eth_sendTransaction", args)
	c.call(&second, "eth_sendTransaction", args)
	expect.Equal(t, c.number(), 0, "blocks without automine")
	c.do("hardhat_dropTransaction", second)
	var answer any
	c.call(&answer, "evm_mine")
	c.await(first)
	var r *receipt
	c.call(&r, "eth_getTransactionReceipt", second)
	expect.That(t, r == nil, "a dropped transaction is in a block")
	var on bool
	c.call(&on, "hardhat_getAutomine")
	expect.That(t, !on, "automine is on")
	c.call(&first, "eth_sendTransaction", args)
	c.do("evm_setAutomine", true)
	c.await(first)
	c.call(&answer, "evm_setAutomine", false)
	c.call(&first, "eth_sendTransaction", args)
	c.do("evm_setIntervalMining", 1)
	c.await(first)
}

// TestDump checks that accounts come back from a dump, and the total supply with them.
func TestDump(t *testing.T) {
	c := start(t, 0)
	c.do("evm_setBalance", stranger, "0x64")
	c.do("evm_setCode", stranger, "0x6001")
	c.do("evm_setStorageAt", stranger, "0x1", "0x7")
	c.do("gwon_setAccountFlags", stranger, map[string]any{"authorized": true})
	var dump hexutil.Bytes
	c.call(&dump, "anvil_dumpState")
	supply := c.supply()
	c.do("hardhat_reset")
	c.do("anvil_loadState", dump)
	state := must.Get(c.state())(t)
	got, runtime := c.balance(stranger), state.GetCode(stranger)
	expect.That(t, got.Uint64() == 100 && state.IsAuthorized(stranger) && len(runtime) == 2 &&
		state.GetState(stranger, common.Hash{31: 1}) == (common.Hash{31: 7}), "balance %v, code %x", got, runtime)
	got = c.supply()
	expect.That(t, got.Cmp(supply) == 0, "total supply %v, want %v", got, supply)
	var answer any
	expect.Equal(t, code(c.try(&answer, "anvil_loadState", "0x1234")), -32602, "a dump of another program")
}

// TestReplay checks that every block of a chain with all kinds of changes passes the verification of the engine, and
// leads to the same state.
func TestReplay(t *testing.T) {
	c := start(t, 0)
	var answer any
	c.do("evm_setBalance", stranger, hexutil.EncodeBig(ether(10)))
	c.do("evm_impersonateAccount", stranger)
	c.send("eth_sendTransaction", map[string]any{"from": stranger, "to": sponsor, "value": "0x5"})
	c.do("evm_setNonce", sponsor, 9)
	c.do("evm_setCode", sponsor, "0x6001")
	c.call(&answer, "evm_mine")
	c.do("gwon_setGasTip", hexutil.EncodeUint64(30_000e9))
	c.do("evm_setBlockGasLimit", 30_000_000)
	c.do("evm_setNextBlockBaseFeePerGas", hexutil.EncodeUint64(5e13))
	c.do("evm_setPrevRandao", "0x7")
	c.do("evm_setCoinbase", sponsor)
	c.send("eth_sendTransaction", map[string]any{
		"from": c.list[0].Address, "to": stranger, "value": "0x5", "maxFeePerGas": hexutil.EncodeUint64(9e13),
	})
	c.call(&answer, "evm_increaseTime", 1000)
	c.do("hardhat_mine", 25)
	c.do("evm_setBalance", stranger, "0x7")
	head := c.block("latest")
	var blocks []*types.Block
	writes := make(map[uint64][]write)
	for n := range uint64(head.Number) + 1 {
		block := c.chain.GetBlockByNumber(n)
		blocks = append(blocks, block)
		if known := c.changes.at(n, block.Hash()); known != nil {
			writes[n] = known.Writes
		}
	}
	for n := uint64(1); n <= uint64(head.Number); n++ {
		var traces []any
		c.call(&traces, "debug_traceBlockByNumber", hexutil.EncodeUint64(n), map[string]any{"tracer": "callTracer"})
	}
	c.do("hardhat_reset")
	for n, block := range blocks {
		if n > 0 {
			_, err := c.chain.InsertChain(types.Blocks{block})
			must.That(t, err == nil, "block %d: %v", n, err)
		}
		if w := writes[uint64(n)]; len(w) > 0 {
			must.Do(t, c.change(w...), "change after block", n)
		}
	}
	expect.Equal(t, c.block("latest").Hash, head.Hash, "head")
	expect.Equal(t, c.balance(stranger).Uint64(), 7, "balance")
}

// TestDeviationsAreNamed checks that a block which deviates from a rule without naming that is refused.
func TestDeviationsAreNamed(t *testing.T) {
	c := start(t, 0)
	c.do("evm_setNextBlockBaseFeePerGas", hexutil.EncodeUint64(5e13))
	c.do("evm_setBalance", stranger, "0x1")
	var answer any
	c.call(&answer, "evm_mine")
	header := c.chain.CurrentBlock()
	must.Do(t, c.engine.VerifyHeader(c.chain, header))
	decoded := must.Get(header.WBFTExtra())(t)
	d, before, err := readVanity(decoded.Vanity)
	must.That(t, err == nil && d == otherState|otherBaseFee, "deviations %b, error %v", d, err)
	for name, vanity := range map[string][]byte{
		"none":          []byte("gwon"),
		"no base fee":   markVanity(otherState, before),
		"no state":      markVanity(otherBaseFee, common.Hash{}),
		"another state": markVanity(d, common.Hash{1}),
		"cut":           markVanity(d, before)[:20],
	} {
		t.Run(name, func(t *testing.T) {
			changed := types.CopyHeader(header)
			x := *decoded
			x.Vanity = vanity
			changed.Extra = x.Encode()
			// The seals are made again: what is judged is the header, not its seals.
			sealed := must.Get(c.sign(c.chain.GetHeaderByNumber(0), types.NewBlockWithHeader(changed)))(t)
			expect.Refused(t, c.engine.VerifyHeader(c.chain, sealed.Header()), "the header is taken")
		})
	}
}

// TestWrongParameters checks that wrong parameters have the code of JSON-RPC and an answer that says what was expected.
func TestWrongParameters(t *testing.T) {
	c := start(t, 0)
	fork := map[string]any{"forking": map[string]any{"jsonRpcUrl": "http://x"}}
	for name, row := range map[string]struct {
		method string
		args   []any
		want   string
	}{
		"number":     {"evm_setBalance", []any{stranger, "abc"}, "expected an amount"},
		"negative":   {"evm_increaseTime", []any{-1}, "expected a number"},
		"address":    {"evm_setCode", []any{"0x12", "0x"}, "expected an address of 0x and 40 hexadecimal digits"},
		"code":       {"evm_setCode", []any{stranger, "0x1"}, "expected bytes"},
		"switch":     {"evm_setAutomine", []any{"on"}, "expected true or false"},
		"hash":       {"evm_dropTransaction", []any{"0x12"}, "expected a hash"},
		"missing":    {"evm_setNonce", []any{stranger}, "missing value for required argument 1: expected a number"},
		"nothing":    {"gwon_fund", nil, "expected an address"},
		"too many":   {"evm_snapshot", []any{1}, "too many arguments"},
		"no nonce":   {"evm_setNonce", []any{stranger, "0xffffffffffffffff"}, "expected a nonce"},
		"flags":      {"gwon_setAccountFlags", []any{stranger, map[string]any{}}, "one of them"},
		"token":      {"anvil_dealERC20", []any{stranger, stranger, 1}, "expected the coin"},
		"forking":    {"hardhat_reset", []any{fork}, "no forking"},
		"gas limit":  {"evm_setBlockGasLimit", []any{1}, "expected a gas limit"},
		"long word":  {"evm_setStorageAt", []any{stranger, "0x" + strings.Repeat("1", 65), "0x1"}, "32 bytes"},
		"mine":       {"evm_mine", []any{map[string]any{"block": 1}}, "expected a timestamp"},
		"no sender":  {"eth_sendUnsignedTransaction", []any{map[string]any{"to": stranger}}, "sender"},
		"all supply": {"evm_setBalance", []any{stranger, "0x" + strings.Repeat("f", 64)}, "total supply"},
	} {
		t.Run(name, func(t *testing.T) {
			var answer any
			err := c.try(&answer, row.method, row.args...)
			if code(err) != -32602 || !strings.Contains(err.Error(), row.want) {
				t.Errorf("code %d, error %v, want %q", code(err), err, row.want)
			}
		})
	}
}
