// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

//go:build nodes

package tests

import (
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/dev/devnet"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// gwei is n gwei in wei.
func gwei(n int64) *big.Int { return new(big.Int).Mul(big.NewInt(n), big.NewInt(gethparams.GWei)) }

// sign makes a transfer of an account, with what change makes of it.
func (a *acceptance) sign(t *testing.T, key *ecdsa.PrivateKey, change func(tx *types.DynamicFeeTx)) hexutil.Bytes {
	t.Helper()
	inner := &types.DynamicFeeTx{
		ChainID: a.id, GasTipCap: a.tip, GasFeeCap: a.feeCap, Gas: gethparams.TxGas, To: &common.Address{0xfe},
		Value: new(big.Int),
	}
	change(inner)
	tx := must.Get(types.SignNewTx(key, types.LatestSignerForChainID(a.id), inner))(t)
	return must.Get(tx.MarshalBinary())(t)
}

// altered is a delegated transfer of a sender without coins, with one of its signatures changed: that of the sender
// before or after the fee payer signs it, or that of the fee payer.
func (a *acceptance) altered(t *testing.T, before, after, payer func(r, s *big.Int)) hexutil.Bytes {
	t.Helper()
	key, _ := emptyAccount(t)
	paying := a.account(t, a.fee(4))
	inner := types.DynamicFeeTx{
		ChainID: a.id, GasTipCap: a.tip, GasFeeCap: a.feeCap, Gas: gethparams.TxGas, To: &common.Address{0xfe},
		Value: new(big.Int),
	}
	signed := must.Get(types.SignNewTx(key, types.LatestSignerForChainID(a.id), &inner))(t)
	inner.V, inner.R, inner.S = signed.RawSignatureValues()
	before(inner.R, inner.S)
	address := crypto.PubkeyToAddress(paying.PublicKey)
	tx := must.Get(types.SignNewTx(paying, types.NewFeeDelegateSigner(a.id),
		&types.FeeDelegateTx{SenderTx: inner, FeePayer: &address}))(t)
	after(inner.R, inner.S)
	v, r, s := tx.FeePayerSignature()
	payer(r, s)
	raw, err := types.NewTx(&types.FeeDelegateTx{SenderTx: inner, FeePayer: &address, FV: v, FR: r, FS: s}).MarshalBinary()
	must.Do(t, err)
	return raw
}

// extra is what the cases read of the extra data of a block.
type extra struct {
	GasTip    string
	EpochInfo *struct{ Candidates []any }
}

func (c *cluster) extra(t *testing.T, number any) (x extra) {
	t.Helper()
	c.must(t, 0, &x, "istanbul_getWbftExtraInfo", number)
	return x
}

// Cases of the regression page of the network's owner that a node without other nodes can show, by their names there:
// transactions, calls, fee delegation (D), transfers that are not allowed (E), prices and pool (G).
// spec: transactions 4.1, 4.4, 5, rpc 8.2
func TestRegressionCases(t *testing.T) {
	t.Parallel()
	a := startAcceptance(t)
	raw := func(change func(tx *types.DynamicFeeTx)) hexutil.Bytes {
		return a.sign(t, a.account(t, a.fee(100)), change)
	}
	same := func(_, _ *big.Int) {}
	zero := func(r, _ *big.Int) { r.SetInt64(0) }
	other := func(_, s *big.Int) { s.Xor(s, big.NewInt(1<<8)) }
	t.Run("A-2-04", func(t *testing.T) {
		key := a.account(t, a.fee(4))
		var sent []common.Hash
		a.must(t, 0, new(any), "evm_setAutomine", false)
		for _, nonce := range []uint64{2, 0, 1} {
			sent = append(sent, a.take(t, fmt.Sprint("nonce ", nonce), a.transfer(t, key, nonce), ""))
		}
		a.must(t, 0, new(any), "evm_setAutomine", true)
		number := a.receipt(t, 0, sent[0]).BlockNumber.Uint64()
		want := []common.Hash{sent[1], sent[2], sent[0]}
		expect.Slice(t, a.block(t, 0, number).Transactions, want, "mined in the order")
	})
	least := new(big.Int).Add(new(big.Int).SetUint64(params.MinBaseFee), a.tip)
	gasLimit := uint64(a.block(t, 0, "latest").GasLimit)
	for _, c := range []struct {
		name string
		raw  hexutil.Bytes
		text string
	}{
		{"A-2-05a", raw(func(tx *types.DynamicFeeTx) { tx.GasTipCap = new(big.Int).Sub(a.tip, common.Big1) }),
			"transaction underpriced: gas tip cap"},
		{"A-2-05b", raw(func(tx *types.DynamicFeeTx) { tx.GasFeeCap = new(big.Int).Sub(least, common.Big1) }),
			"transaction underpriced: gas fee cap"},
		{"A-2-05b at the least", raw(func(tx *types.DynamicFeeTx) { tx.GasFeeCap = least }), ""},
		{"A-2-06", raw(func(tx *types.DynamicFeeTx) { tx.Value = a.fee(100) }),
			"insufficient funds for gas * price + value"},
		{"A-2-07", raw(func(tx *types.DynamicFeeTx) { tx.Gas = gasLimit + 1 }), "exceeds block gas limit"},
		{"D-03", a.altered(t, zero, same, same), "invalid sender"},
		{"D-03 after the fee payer", a.altered(t, same, other, same), "invalid feePayer"},
		{"D-04", a.altered(t, same, same, zero), "invalid feePayer"},
		{"D-04 of another account", a.altered(t, same, same, other), "invalid feePayer"},
		{"D-05", a.delegated(t, a.account(t, new(big.Int)), a.account(t, new(big.Int).Sub(a.fee(1), common.Big1)), 0,
			new(big.Int), 1, nil), "insufficient feePayer's funds for gas * price"},
	} {
		t.Run(c.name, func(t *testing.T) { a.take(t, c.name, c.raw, c.text) })
	}
	t.Run("A-3-05", func(t *testing.T) { a.reverts(t, "BAD_INPUT") })
	t.Run("E-05", func(t *testing.T) { a.refusesCoins(t, common.Address{}, "transfer to zero address not allowed") })
	t.Run("E-06", func(t *testing.T) {
		const text = "value transfer to precompiled contract disallowed"
		for _, n := range []int64{1, 9, 0x0a, 0x100, 0xb00001, 0xb00002, 0xb00003} {
			a.refusesCoins(t, common.BigToAddress(big.NewInt(n)), text)
		}
		for n := int64(0x0b); n <= 0x11; n++ { // precompiles of Ethereum, and none here
			to := common.BigToAddress(big.NewInt(n))
			hash := a.take(t, to.Hex(), raw(func(tx *types.DynamicFeeTx) { tx.To, tx.Value = &to, common.Big1 }), "")
			expect.Equal(t, a.receipt(t, 0, hash).Status, types.ReceiptStatusSuccessful, "coins for %v: status", to)
		}
	})
	t.Run("G-2-01, G-2-02", func(t *testing.T) {
		var price, tip hexutil.Big
		a.must(t, 0, &price, "eth_gasPrice")
		a.must(t, 0, &tip, "eth_maxPriorityFeePerGas")
		sum := new(big.Int).Add(a.block(t, 0, "latest").BaseFee.ToInt(), tip.ToInt())
		if a.extra(t, "latest").GasTip != tip.ToInt().String() || price.ToInt().Cmp(sum) != 0 {
			t.Errorf("price %v, tip %v, in the header %s", price.ToInt(), tip.ToInt(), a.extra(t, "latest").GasTip)
		}
	})
	t.Run("G-2-03", func(t *testing.T) {
		var history struct{ BaseFeePerGas []*hexutil.Big }
		a.must(t, 0, &history, "eth_feeHistory", "0x10", "latest", []float64{})
		for i, fee := range history.BaseFeePerGas {
			if fee.ToInt().Cmp(new(big.Int).SetUint64(params.MinBaseFee)) < 0 {
				t.Errorf("base fee %d is %v", i, fee.ToInt())
			}
		}
		expect.That(t, len(history.BaseFeePerGas) >= 17, "%d base fees", len(history.BaseFeePerGas))
	})
	t.Run("G-4-02", func(t *testing.T) {
		key := a.account(t, a.fee(20))
		a.must(t, 0, new(any), "evm_setAutomine", false)
		for _, nonce := range []uint64{0, 1, 10} {
			a.take(t, fmt.Sprint("nonce ", nonce), a.transfer(t, key, nonce), "")
		}
		var status struct{ Pending, Queued hexutil.Uint }
		if a.must(t, 0, &status, "txpool_status"); status.Pending != 2 || status.Queued != 1 {
			t.Errorf("%d pending and %d queued, want 2 and 1", status.Pending, status.Queued)
		}
	})
}

// reverts has code revert with a reason, and checks how a call of it is answered.
func (a *acceptance) reverts(t *testing.T, reason string) {
	t.Helper()
	text := must.Get(abi.NewType("string", "", nil))(t)
	packed := must.Get(abi.Arguments{{Type: text}}.Pack(reason))(t)
	data := append(crypto.Keccak256([]byte("Error(string)"))[:4], packed...)
	// codecopy(0, 12, size); revert(0, size); the data
	code := append([]byte{0x60, byte(len(data)), 0x60, 12, 0x5f, 0x39, 0x60, byte(len(data)), 0x5f, 0xfd, 0, 0}, data...)
	call := must.Get(json.Marshal([]any{map[string]any{"data": hexutil.Bytes(code)}, "latest"}))(t)
	r := post(t, a.node(0).HTTP(), "eth_call", string(call))
	expect.That(t, r.Error != nil && r.Error.Code == 3 && r.Error.Message == "execution reverted: "+reason &&
		string(r.Error.Data) == `"`+hexutil.Encode(data)+`"`,
		"answer %s, error %+v, want the data %x", r.Result, r.Error, data)
}

// refusesCoins checks that coins for an address fail in a block, with a text that calls and traces show.
func (a *acceptance) refusesCoins(t *testing.T, to common.Address, text string) {
	t.Helper()
	key := a.account(t, a.fee(100))
	from := crypto.PubkeyToAddress(key.PublicKey)
	call := map[string]any{"from": from, "to": to, "value": "0x1"}
	for _, method := range []string{"eth_call", "eth_estimateGas"} {
		expect.Says(t, a.call(0, new(any), method, call), text, "%s to %v", method, to)
	}
	hash := a.take(t, to.Hex(), a.sign(t, key, func(tx *types.DynamicFeeTx) {
		tx.To, tx.Value, tx.Gas = &to, common.Big1, 100_000
	}), "")
	before := a.balance(t, 0, to, "latest")
	expect.Equal(t, a.receipt(t, 0, hash).Status, types.ReceiptStatusFailed, "coins for %v: status", to)
	after := a.balance(t, 0, to, "latest")
	expect.That(t, after.Cmp(before) == 0, "%v has %v, had %v", to, after, before)
	var trace struct{ Error string }
	a.must(t, 0, &trace, "debug_traceTransaction", hash, map[string]any{"tracer": "callTracer"})
	expect.Equal(t, trace.Error, text, "trace of coins for %v", to)
}

// Cases of the regression page that need votes and seals of several validators (B-03, G-3), and those that came with
// the pool of go-stablenet 1.0.1: an old tip does not outlive a vote (RT-C-08), and a queued transaction that pays the
// new tip does, which is a difference (RT-C-09, ADR 0139).
// spec: wbft 3.4, rpc 6.5, 6.7, transactions 6 no. 8
func TestRegressionCasesOfNetworks(t *testing.T) {
	t.Parallel()
	const epochLength = 5
	g := startGoverned(t, 2, withEpochs(epochLength))
	g.awaitHead(t, 2*epochLength+1, 0)
	t.Run("B-03", func(t *testing.T) {
		for number := uint64(epochLength - 1); number <= 2*epochLength+1; number++ {
			info := g.extra(t, hexutil.Uint64(number)).EpochInfo
			if (info != nil) != (number%epochLength == 0) || info != nil && len(info.Candidates) != 2 {
				t.Errorf("block %d has epoch information %+v", number, info)
			}
		}
	})
	t.Run("G-3-03", func(t *testing.T) {
		var signers struct {
			Author     common.Address
			Committers []common.Address
		}
		g.must(t, 0, &signers, "istanbul_getCommitSignersFromBlock", "0x3")
		set := g.validatorsAt(t, 3)
		expect.That(t, len(signers.Committers) == 2 && signers.Author == g.block(t, 0, uint64(3)).Miner, "%+v", signers)
		for _, address := range append(signers.Committers, signers.Author) {
			expect.That(t, slices.Contains(set, address), "%v has signed, and is no validator", address)
		}
	})
	t.Run("G-3-05", func(t *testing.T) {
		const first, last = 2, 2 * epochLength
		var status struct {
			SealerActivity struct {
				Total, Prepared, Committed, PrevPrepared, PrevCommitted map[common.Address]int
			}
			Author     map[common.Address]int
			BlockRange struct{ TotalBlocks int }
			RoundStats struct{ RoundDistribution map[string]int }
		}
		g.must(t, 0, &status, "istanbul_status", hexutil.Uint64(first), hexutil.Uint64(last))
		authors, rounds, activity := 0, 0, &status.SealerActivity
		for _, n := range status.Author {
			authors += n
		}
		for _, n := range status.RoundStats.RoundDistribution {
			rounds += n
		}
		if total := status.BlockRange.TotalBlocks; total != last-first+1 || authors != total || rounds != total {
			t.Errorf("%d blocks, %d authors, %d rounds", total, authors, rounds)
		}
		for a, total := range activity.Total {
			sum := activity.Prepared[a] + activity.Committed[a] + activity.PrevPrepared[a] + activity.PrevCommitted[a]
			expect.That(t, sum == total && total != 0, "%v has %d seals, their sum is %d", a, total, sum)
		}
	})

	t.Run("testnet cases", func(t *testing.T) { g.testnetCases(t) })

	// The account's own offer has a tip of its own, which stands in the pool and not in the price.
	offer := func(key *ecdsa.PrivateKey, nonce uint64, tip, feeCap int64) hexutil.Bytes {
		return transfer(t, key, nonce, common.Address{0xfe}, new(big.Int), gwei(tip), gwei(feeCap))
	}
	send := func(raw hexutil.Bytes) (hash common.Hash) {
		t.Helper()
		g.must(t, 0, &hash, "eth_sendRawTransaction", raw)
		return hash
	}
	tipTo := func(n, id int64) {
		t.Helper()
		at := g.decide(t, params.GovValidatorAddress, govValidator.PackProposeGasTip(gwei(n)), id)
		g.awaitHead(t, at+2, 0, 1)
	}
	price := func(hash common.Hash, want int64) {
		t.Helper()
		r := g.receipt(t, 0, hash)
		expect.That(t, r.EffectiveGasPrice.Cmp(gwei(want)) == 0, "price %v, want %d gwei", r.EffectiveGasPrice, want)
	}
	tipTo(1000, 1)
	t.Run("RT-C-08", func(t *testing.T) { price(send(offer(g.network.Accounts[3].Key(), 0, 3000, 43_000)), 21_000) })
	t.Run("RT-C-09", func(t *testing.T) {
		rich, poor := g.network.Accounts[2], g.network.Accounts[3]
		kept := send(offer(rich.Key(), 1, 50_000, 100_000))
		dropped := send(offer(poor.Key(), 2, 2000, 100_000)) // nonce 1 is missing
		tipTo(30_000, 2)
		g.await(t, "the end of the offer below the new tip", func() (bool, string) {
			var tx any
			err := g.call(0, &tx, "eth_getTransactionByHash", dropped)
			return err == nil && tx == nil, fmt.Sprint(tx, err)
		})
		price(send(offer(rich.Key(), 0, 30_000, 100_000)), 50_000)
		price(kept, 50_000)
	})
}

// testnetCases plays the five cases by which the network's test bench accepts a node that it is attached to: client and
// chain, rising numbers, the form of a block, a block by number and hash, and a payment to the wei.
func (g *governed) testnetCases(t *testing.T) {
	t.Helper()
	var client, id string
	g.must(t, 0, &client, "web3_clientVersion")
	g.must(t, 0, &id, "eth_chainId")
	expect.That(t, strings.Contains(strings.ToLower(client), "gstable") && id == hexutil.EncodeUint64(chainID),
		"case 01: client %s, chain %s", client, id)
	head := must.Get(g.head(0))(t)
	g.awaitHead(t, head+1, 0) // case 02
	latest := get[map[string]any](t, g, 0, "eth_getBlockByNumber", "latest", false)
	for key, pattern := range map[string]string{"number": "<quantity>", "hash": "<hash>", "parentHash": "<hash>"} {
		text, _ := latest[key].(string)
		expect.That(t, patterns[pattern].MatchString(text), "case 03: %s is %v", key, latest[key])
	}
	_, list := latest["transactions"].([]any)
	expect.That(t, list, "case 03: transactions are %v", latest["transactions"])
	var byNumber, byHash map[string]any
	g.must(t, 0, &byNumber, "eth_getBlockByNumber", hexutil.Uint64(head-4), true)
	g.must(t, 0, &byHash, "eth_getBlockByHash", byNumber["hash"], true)
	expect.That(t, matches(byNumber, byHash), "case 04: by number %v, by hash %v", byNumber, byHash)
	_, to := emptyAccount(t)
	from := g.network.Accounts[0]
	_, feeCap := g.fees(t, 0)
	before := g.balance(t, 0, from.Address, "latest")
	r := g.pay(t, from, to, gwei(1), nil)
	paid := new(big.Int).Sub(before, g.balance(t, 0, from.Address, hexutil.Uint64(r.BlockNumber.Uint64())))
	want := new(big.Int).Mul(r.EffectiveGasPrice, new(big.Int).SetUint64(r.GasUsed))
	if want.Add(want, gwei(1)); paid.Cmp(want) != 0 || r.EffectiveGasPrice.Cmp(gwei(47_600)) != 0 ||
		feeCap.Cmp(gwei(67_600)) != 0 || g.balance(t, 0, to, "latest").Cmp(gwei(1)) != 0 {
		t.Errorf("case 05: paid %v, want %v, price %v, fee cap %v", paid, want, r.EffectiveGasPrice, feeCap)
	}
}

// withEpochs has a genesis file name the length of an epoch.
func withEpochs(length int) func(network *devnet.Network, genesis map[string]any) {
	return func(_ *devnet.Network, genesis map[string]any) {
		inside(genesis, "config", "anzeon", "wbft")["epochLength"] = length
	}
}
