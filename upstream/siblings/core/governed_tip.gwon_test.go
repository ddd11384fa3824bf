// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every way to a receipt shows the price that was charged (spec transactions 3.5).
func TestChargedPriceInReceipts(t *testing.T) {
	for _, authorized := range []bool{false, true} {
		var (
			from  = crypto.PubkeyToAddress(proposalKey.PublicKey)
			gspec = proposalGenesis()
			base  = big.NewInt(20_000_000_000_000)
			tip   = big.NewInt(3_000_000_000_000)
			own   = big.NewInt(7)
			want  = new(big.Int).Add(base, tip)
		)
		account := gspec.Alloc[from]
		if authorized {
			account.Extra, want = types.AccountAuthorized, new(big.Int).Add(base, own)
		}
		gspec.Alloc[from] = account
		_, blocks, _ := GenerateChainWithGenesis(gspec, newStageEngine(), 1, func(_ int, b *BlockGen) {
			b.SetExtra(tipExtra(tip))
			b.AddTx(types.MustSignNewTx(proposalKey, types.LatestSigner(gspec.Config), &types.DynamicFeeTx{
				ChainID: gspec.Config.ChainID, To: &common.Address{0xee}, Gas: 21000, GasTipCap: own,
				GasFeeCap: new(big.Int).Mul(base, common.Big2),
			}))
		})
		chain := must.Get(NewBlockChain(rawdb.NewMemoryDatabase(), gspec, newStageEngine(), DefaultConfig()))(t)
		defer chain.Stop()
		events := make(chan ChainEvent, 1)
		defer chain.SubscribeChainEvent(events).Unsubscribe()
		must.Get(chain.InsertChain(blocks))(t)
		single := must.Get(chain.GetCanonicalReceipt(blocks[0].Transactions()[0], blocks[0].Hash(), 1, 0))(t)
		collected, _ := chain.collectReceiptsAndLogs(blocks[0], false)
		for way, receipt := range map[string]*types.Receipt{
			"event": (<-events).Receipts[0], "single": single, "collected": collected[0],
			"block": chain.GetReceiptsByHash(blocks[0].Hash())[0],
		} {
			assert.Truef(t, receipt.EffectiveGasPrice != nil && receipt.EffectiveGasPrice.Cmp(want) == 0,
				"authorized %v, %s: price %v, want %v", authorized, way, receipt.EffectiveGasPrice, want)
		}
	}
}

// delegatedTx returns a fee-delegated transaction; the signature of the payer is of the given key.
func delegatedTx(t *testing.T, payer common.Address, gas uint64) *types.Transaction {
	t.Helper()
	config := anzeonConfig()
	inner := types.MustSignNewTx(proposalKey, types.LatestSigner(config), &types.DynamicFeeTx{
		ChainID: config.ChainID, To: &common.Address{0xee}, Gas: gas, GasTipCap: common.Big1,
		GasFeeCap: big.NewInt(90_000_000_000_000),
	})
	return must.Get(types.WrapFeeDelegated(inner, payer))(t)
}

// Rules that no vector covers: the fork of fee delegation, and the optional check of the fee payer's signature.
func TestFeePayerRules(t *testing.T) {
	payerKey := must.Get(crypto.HexToECDSA("0202020202020202020202020202020202020202020202020202020202020202"))(t)
	payer := crypto.PubkeyToAddress(payerKey.PublicKey)
	from := crypto.PubkeyToAddress(proposalKey.PublicKey)
	signed, err := types.SignTx(delegatedTx(t, payer, 21000), types.NewFeeDelegateSigner(anzeonConfig().ChainID), payerKey)
	must.Do(t, err)
	forged := delegatedTx(t, payer, 21000)
	block := func(n uint64) *uint64 { return &n }
	for _, c := range []struct {
		name     string
		applepie int64
		check    *uint64
		tx       *types.Transaction
		err      error
	}{
		{"signed", 0, nil, signed, nil},
		{"forged, not checked", 0, nil, forged, nil},
		{"forged, checked later", 0, block(6), forged, nil},
		{"forged, checked from this block on", 0, block(5), forged, types.ErrInvalidFeePayer},
		{"signed and checked", 0, block(0), signed, nil},
		{"before Applepie", 6, nil, signed, ErrTxTypeNotSupported},
		{"own payer before Applepie", 6, nil, delegatedTx(t, from, 21000), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := anzeonConfig()
			config.ApplepieBlock = big.NewInt(c.applepie)
			config.Anzeon.FeePayerCheckBlock = c.check
			header := &types.Header{
				Number: big.NewInt(5), Difficulty: common.Big1, GasLimit: 1_000_000, BaseFee: big.NewInt(20_000_000_000_000),
				Extra: tipExtra(common.Big1),
			}
			statedb, err := state.New(types.EmptyRootHash, state.NewDatabaseForTesting())
			must.Do(t, err)
			rich := new(uint256.Int).Lsh(uint256.NewInt(1), 100)
			statedb.SetBalance(payer, rich, tracing.BalanceChangeUnspecified)
			statedb.SetBalance(from, rich, tracing.BalanceChangeUnspecified)
			evm := vm.NewEVM(NewEVMBlockContext(header, nil, &common.Address{0xc0}), statedb, config, vm.Config{})
			defer evm.Release()
			_, _, err = ApplyTransaction(context.Background(), evm, NewGasPool(header.GasLimit), statedb, header, c.tx)
			assert.ErrorIs(t, err, c.err)
		})
	}
}

// The fee payer is checked before nonce and balance, and its errors are the network's texts (spec transactions 2.2
// row 1a).
func TestFeePayerIsCheckedFirst(t *testing.T) {
	payer := common.Address{7}
	named := delegatedTx(t, payer, 21000)
	v, r, signature := named.RawSignatureValues()
	absent := types.NewTx(&types.FeeDelegateTx{SenderTx: types.DynamicFeeTx{
		ChainID: named.ChainId(), To: named.To(), Gas: named.Gas(), GasTipCap: named.GasTipCap(),
		GasFeeCap: named.GasFeeCap(), Value: named.Value(), V: v, R: r, S: signature,
	}})
	for name, c := range map[string]struct {
		tx    *types.Transaction
		check bool
		text  string
	}{
		"forged":             {delegatedTx(t, payer, 21000), true, "fee delegation: invalid feePayer"},
		"absent":             {absent, true, "fee delegation: feePayer not set"},
		"forged, not looked": {delegatedTx(t, payer, 21000), false, "nonce too low"},
	} {
		t.Run(name, func(t *testing.T) {
			config := anzeonConfig()
			if config.Anzeon.FeePayerCheckBlock = nil; c.check {
				config.Anzeon.FeePayerCheckBlock = new(uint64)
			}
			header := &types.Header{
				Number: big.NewInt(5), Difficulty: common.Big1, GasLimit: 1_000_000, BaseFee: big.NewInt(20_000_000_000_000),
				Extra: tipExtra(common.Big1),
			}
			statedb, err := state.New(types.EmptyRootHash, state.NewDatabaseForTesting())
			must.Do(t, err)
			statedb.SetNonce(crypto.PubkeyToAddress(proposalKey.PublicKey), 9, tracing.NonceChangeUnspecified)
			evm := vm.NewEVM(NewEVMBlockContext(header, nil, &common.Address{0xc0}), statedb, config, vm.Config{})
			defer evm.Release()
			_, _, err = ApplyTransaction(context.Background(), evm, NewGasPool(header.GasLimit), statedb, header, c.tx)
			assert.Truef(t, err != nil && strings.Contains(err.Error(), c.text) && (!c.check || err.Error() == c.text),
				"error %v, want %q", err, c.text)
		})
	}
}

// A call pays what a transaction would: the governed tip, its own tip from an authorized sender, and nothing if it
// offers nothing (spec transactions 2.1).
func TestCallsPayTheGovernedTip(t *testing.T) {
	header := &types.Header{
		Number: common.Big1, Difficulty: common.Big1, GasLimit: 1_000_000, BaseFee: big.NewInt(10),
		Extra: tipExtra(big.NewInt(1000)),
	}
	statedb := must.Get(state.New(types.EmptyRootHash, state.NewDatabaseForTesting()))(t)
	authorized := common.Address{3}
	statedb.SetAuthorized(authorized, true)
	for _, from := range []common.Address{{1}, authorized} {
		statedb.SetBalance(from, uint256.NewInt(1_000_000_000), tracing.BalanceChangeUnspecified)
	}
	var msg *Message
	for _, c := range []struct {
		name             string
		from             common.Address
		price, most, tip uint64
		want             uint64
	}{
		{"ordinary", common.Address{1}, 12, 2000, 2, 1010},
		{"cap below the sum", common.Address{1}, 12, 1005, 2, 1005},
		{"authorized", authorized, 12, 2000, 2, 12},
		{"nothing offered", common.Address{1}, 0, 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			msg = &Message{
				From: c.from, To: &common.Address{2}, GasLimit: 50_000, Value: new(uint256.Int),
				GasPrice: uint256.NewInt(c.price), GasFeeCap: uint256.NewInt(c.most), GasTipCap: uint256.NewInt(c.tip),
			}
			msg.SkipNonceCheck()
			evm := vm.NewEVM(NewEVMBlockContext(header, nil, &common.Address{0xc0}), statedb, anzeonConfig(),
				vm.Config{NoBaseFee: true})
			defer evm.Release()
			must.Get(ApplyMessage(evm, msg, nil))(t)
			assert.Truef(t, evm.GasPrice.Eq(uint256.NewInt(c.want)), "price %v, want %d", evm.GasPrice, c.want)
		})
	}
	evm := vm.NewEVM(NewEVMBlockContext(header, nil, &common.Address{0xc0}), statedb, anzeonConfig(),
		vm.Config{NoBaseFee: true})
	defer evm.Release()
	statedb.SetBlacklisted(common.Address{2}, true)
	_, err := ApplyMessage(evm, msg.SkipNonceCheck(), nil)
	assert.ErrorIs(t, err, vm.ErrBlacklisted, "call of a blacklisted account")
}

// Whatever the transactions do, coins only leave by the base fee, which the engine gives back at the end of the block
// (spec transactions 3.6), and an invalid transaction changes nothing once the caller has taken it back.
func TestCoinsAreConserved(t *testing.T) {
	var (
		random = rand.New(rand.NewPCG(3, 4))
		config = anzeonConfig()
		signer = types.LatestSigner(config)
		base   = big.NewInt(20_000_000_000_000)
		header = &types.Header{
			Number: common.Big1, Difficulty: common.Big1, GasLimit: 1 << 40, BaseFee: base,
			Coinbase: common.Address{0xc0},
		}
		accounts = []common.Address{header.Coinbase, {19: 1}, {0xee}, {0xef}, {}}
		keys     []*ecdsa.PrivateKey
		included int
	)
	header.Extra = tipExtra(big.NewInt(27_600_000_000_000))
	statedb := must.Get(state.New(types.EmptyRootHash, state.NewDatabaseForTesting()))(t)
	for i := range 4 {
		key := must.Get(crypto.ToECDSA(bytes.Repeat([]byte{byte(i + 1)}, 32)))(t)
		addr := crypto.PubkeyToAddress(key.PublicKey)
		keys, accounts = append(keys, key), append(accounts, addr)
		funds := new(uint256.Int).Lsh(uint256.NewInt(10e18), uint(4*i)) // the first is soon out of funds
		statedb.SetBalance(addr, funds, tracing.BalanceChangeUnspecified)
		statedb.SetAuthorized(addr, i == 1)
	}
	statedb.SetBlacklisted(common.Address{0xef}, true)
	// A contract that passes half of what it gets on to the coinbase, whatever comes of that.
	pass := append([]byte{0x5f, 0x5f, 0x5f, 0x5f, 0x60, 0x02, 0x34, 0x04, 0x41, 0x5a, 0xf1}, 0x00)
	statedb.SetCode(accounts[2], pass, tracing.CodeChangeUnspecified)
	statedb.Finalise(params.Rules{IsEIP158: true})

	evm := vm.NewEVM(NewEVMBlockContext(header, nil, &header.Coinbase), statedb, config, vm.Config{})
	defer evm.Release()
	total := func() *big.Int {
		sum := new(big.Int)
		for _, addr := range accounts {
			sum.Add(sum, statedb.GetBalance(addr).ToBig())
		}
		return sum
	}
	pool := NewGasPool(header.GasLimit)
	for range 600 {
		key := keys[random.IntN(len(keys))]
		from, to := crypto.PubkeyToAddress(key.PublicKey), accounts[random.IntN(len(accounts))]
		tx := types.MustSignNewTx(key, signer, &types.DynamicFeeTx{
			ChainID: config.ChainID, Nonce: statedb.GetNonce(from), To: &to, Gas: 21000 + random.Uint64N(30000),
			Value:     new(big.Int).Mul(big.NewInt(random.Int64N(1e9)), big.NewInt(random.Int64N(1e9))),
			GasTipCap: new(big.Int).Mul(base, big.NewInt(random.Int64N(3))),
			GasFeeCap: new(big.Int).Mul(base, big.NewInt(1+random.Int64N(4))),
		})
		if random.IntN(2) == 0 {
			tx = must.Get(types.WrapFeeDelegated(tx, accounts[random.IntN(len(accounts))]))(t)
		}
		before, nonce, snapshot := total(), statedb.GetNonce(from), statedb.Snapshot()
		statedb.SetTxContext(tx.Hash(), included, uint32(included+1))
		receipt, _, err := ApplyTransaction(context.Background(), evm, pool, statedb, header, tx)
		if err != nil {
			statedb.RevertToSnapshot(snapshot)
			require.Truef(t, total().Cmp(before) == 0 && statedb.GetNonce(from) == nonce,
				"an invalid transaction (%v) has changed the state", err)
			continue
		}
		included++
		burnt := new(big.Int).Mul(base, new(big.Int).SetUint64(receipt.GasUsed))
		after := new(big.Int).Add(total(), burnt)
		require.Truef(t, after.Cmp(before) == 0,
			"%v from %v: %v coins before, %v after with the base fee of %d gas", tx.Type(), from, before, after, receipt.GasUsed)
		require.True(t, statedb.GetNonce(from) == nonce+1, "the nonce of the sender has not risen by one")
	}
	assert.Truef(t, included >= 100 && included <= 590,
		"%d of 600 transactions included: the test has lost its point", included)
}
