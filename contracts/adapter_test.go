// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package contracts_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// says is the text of a revert of the adapter.
func says(text string) string { return "NativeCoinAdapter: " + text }

// Amounts above the balance or an allowance, the zero address and missing roles are refused (spec system-contracts
// 2.2).
func TestAdapter(t *testing.T) {
	w := funded(t, "g1", 1, 1)
	zero, over := common.Address{}, coins(1001)
	for function, want := range map[string]any{
		"name": "WKRC", "symbol": "WKRC", "decimals": 18, "currency": "KRW", "version": "1", "masterMinter": masterMinter,
	} {
		w.equal(want, adapter, function)
	}
	w.equal(coins(1000), adapter, "balanceOf", m1)

	w.must(m1, adapter, "transfer", m2, coins(1))
	w.equal(coins(1001), adapter, "balanceOf", m2)
	w.refuses(says("transfer amount exceeds balance"), m1, adapter, "transfer", m2, over)
	w.refuses(says("transfer from the zero address"), m1, adapter, "transferFrom", zero, m2, new(big.Int))
	w.refuses(says("transfer amount exceeds allowance"), m3, adapter, "transferFrom", m1, m2, common.Big1)

	out := w.must(m1, adapter, "approve", m3, coins(5))
	expect.Slice(t, w.events(out), []string{"Approval"}, "events")
	out = w.must(m3, adapter, "transferFrom", m1, m2, coins(2))
	expect.Slice(t, w.events(out), []string{"Transfer"}, "events")
	w.equal(coins(3), adapter, "allowance", m1, m3)
	w.must(m1, adapter, "increaseAllowance", m3, coins(1))
	w.must(m1, adapter, "decreaseAllowance", m3, coins(2))
	w.equal(coins(2), adapter, "allowance", m1, m3)
	w.refuses(says("decreased allowance below zero"), m1, adapter, "decreaseAllowance", m3, coins(3))
	w.refuses("arithmetic underflow or overflow", m1, adapter, "increaseAllowance", m3, math.MaxBig256)
	w.refuses(says("approve to the zero address"), m1, adapter, "approve", zero, coins(1))
	w.refuses(says("approve from the zero address"), zero, adapter, "approve", m1, coins(1))
	// The largest allowance is used up too.
	w.must(m1, adapter, "approve", m3, math.MaxBig256)
	w.must(m3, adapter, "transferFrom", m1, m2, common.Big1)
	w.equal(new(big.Int).Sub(math.MaxBig256, common.Big1), adapter, "allowance", m1, m3)

	w.refuses(says("caller is not the masterMinter"), m1, adapter, "configureMinter", m1, coins(1))
	w.refuses(says("caller is not the masterMinter"), m1, adapter, "removeMinter", m1)
	w.refuses(says("caller is not the masterMinter"), m1, adapter, "updateMasterMinter", m1)
	w.refuses(says("new masterMinter is the zero address"), masterMinter, adapter, "updateMasterMinter", zero)
	w.must(masterMinter, adapter, "updateMasterMinter", m1)
	w.must(m1, adapter, "configureMinter", m1, coins(10))
	w.equal(true, adapter, "isMinter", m1)

	supply := w.number256(adapter, "totalSupply")
	w.refuses(says("caller is not a minter"), m2, adapter, "mint", m2, coins(1))
	w.refuses(says("caller is not a minter"), m2, adapter, "burn", coins(1))
	w.refuses(says("mint to the zero address"), m1, adapter, "mint", zero, coins(1))
	w.refuses(says("mint amount not greater than 0"), m1, adapter, "mint", m2, new(big.Int))
	w.refuses(says("mint amount exceeds minterAllowance"), m1, adapter, "mint", m2, coins(11))
	out = w.must(m1, adapter, "mint", m2, coins(4))
	expect.Slice(t, w.events(out), []string{"Transfer", "Mint"}, "events")
	w.equal(coins(6), adapter, "minterAllowance", m1)
	w.equal(supply.Add(supply, coins(4)), adapter, "totalSupply")
	w.refuses(says("burn amount not greater than 0"), m1, adapter, "burn", new(big.Int))
	w.refuses(says("burn amount exceeds balance"), m1, adapter, "burn", over)
	out = w.must(m1, adapter, "burn", coins(3))
	expect.Slice(t, w.events(out), []string{"Transfer", "Burn"}, "events")
	w.equal(supply.Sub(supply, coins(3)), adapter, "totalSupply")
	w.equal(coins(6), adapter, "minterAllowance", m1) // burning gives nothing back
	w.must(m1, adapter, "removeMinter", m1)
	w.equal(0, adapter, "minterAllowance", m1)
}

// Blacklisted accounts are refused in every position of functions that move coins or rights (spec system-contracts
// 2.2).
func TestAdapterBlacklist(t *testing.T) {
	refusal := says("account is blacklisted")
	w := funded(t, "g1", 1, 1)
	w.must(masterMinter, adapter, "configureMinter", m1, coins(10))
	w.must(masterMinter, adapter, "configureMinter", m5, coins(10))
	w.state.SetBlacklisted(m2, true)
	one := coins(1)
	for _, c := range []struct {
		function string
		args     []any
	}{
		{"transfer", []any{m2, one}}, {"transferFrom", []any{m2, m3, one}}, {"transferFrom", []any{m3, m2, one}},
		{"approve", []any{m2, one}}, {"increaseAllowance", []any{m2, one}}, {"decreaseAllowance", []any{m2, one}},
		{"mint", []any{m2, one}},
	} {
		w.refuses(refusal, m1, adapter, c.function, c.args...)
	}
	none := [32]byte{}
	for _, f := range []string{"permit(address,address,uint256,uint256,bytes)"} {
		w.refuses(refusal, m1, adapter, f, m2, m3, one, one, []byte{})
		w.refuses(refusal, m1, adapter, f, m3, m2, one, one, []byte{})
	}
	for _, f := range []string{"transferWithAuthorization", "receiveWithAuthorization"} {
		f += "(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)"
		w.refuses(refusal, m1, adapter, f, m2, m1, one, one, one, none, uint8(27), none, none)
		w.refuses(refusal, m1, adapter, f, m1, m2, one, one, one, none, uint8(27), none, none)
	}
	// The caller: a contract can be called through, so the adapter looks at its own caller.
	for _, c := range []struct {
		function string
		args     []any
	}{{"transfer", []any{m3, one}}, {"approve", []any{m3, one}}, {"burn", []any{one}}, {"mint", []any{m3, one}}} {
		w.state.SetBlacklisted(m5, true)
		expect.That(t, !w.send(m5, adapter, c.function, c.args...).ok(), "%s for a blacklisted caller", c.function)
	}
}

// typedData returns an EIP-712 message of the coin.
func typedData(w *world, primary string, message apitypes.TypedDataMessage, fields ...string) []byte {
	w.Helper()
	field := func(name, typ string) apitypes.Type { return apitypes.Type{Name: name, Type: typ} }
	var types []apitypes.Type
	for i := 0; i < len(fields); i += 2 {
		types = append(types, field(fields[i], fields[i+1]))
	}
	data := apitypes.TypedData{
		Types: apitypes.Types{
			"EIP712Domain": {field("name", "string"), field("version", "string"), field("chainId", "uint256"),
				field("verifyingContract", "address")},
			primary: types,
		},
		PrimaryType: primary,
		Domain: apitypes.TypedDataDomain{
			Name: "WKRC", Version: "1", ChainId: (*math.HexOrDecimal256)(w.config.ChainID), VerifyingContract: adapter.Hex(),
		},
		Message: message,
	}
	hash, _, err := apitypes.TypedDataAndHash(data)
	must.Do(w, err)
	domain := must.Get(data.HashStruct("EIP712Domain", data.Domain.Map()))(w)
	have := w.get(adapter, "DOMAIN_SEPARATOR").([32]byte)
	must.That(w, slices.Equal(have[:], domain), "domain separator %x, want %x", have, domain)
	w.equal([32]byte(data.TypeHash(primary)), adapter, typeHashGetters[primary])
	return hash
}

var typeHashGetters = map[string]string{
	"Permit":                    "PERMIT_TYPEHASH",
	"TransferWithAuthorization": "TRANSFER_WITH_AUTHORIZATION_TYPEHASH",
	"ReceiveWithAuthorization":  "RECEIVE_WITH_AUTHORIZATION_TYPEHASH",
	"CancelAuthorization":       "CANCEL_AUTHORIZATION_TYPEHASH",
}

// sign returns r, s and v (27 or 28).
func sign(w *world, key byte, hash []byte) []byte {
	w.Helper()
	signature := must.Get(crypto.Sign(hash, testKey(w, key)))(w)
	signature[64] += 27
	return signature
}

func parts(signature []byte) (v uint8, r, s [32]byte) {
	return signature[64], [32]byte(signature[:32]), [32]byte(signature[32:64])
}

const (
	permitBytes   = "permit(address,address,uint256,uint256,bytes)"
	permitParts   = "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)"
	authorization = "WithAuthorization(address,address,uint256,uint256,uint256,bytes32,"
	cancelBytes   = "cancelAuthorization(address,bytes32,bytes)"
	cancelParts   = "cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)"
)

// A signed permit sets the allowance once, within its time, in both forms (EIP-2612).
func TestPermit(t *testing.T) {
	w := funded(t, "g1", 1, 1)
	owner := crypto.PubkeyToAddress(testKey(t, 9).PublicKey)
	permit := func(nonce int64, deadline *big.Int) []byte {
		return sign(w, 9, typedData(w, "Permit", apitypes.TypedDataMessage{
			"owner": owner.Hex(), "spender": m2.Hex(), "value": "5", "nonce": fmt.Sprint(nonce), "deadline": deadline.String(),
		}, "owner", "address", "spender", "address", "value", "uint256", "nonce", "uint256", "deadline", "uint256"))
	}
	five, past := big.NewInt(5), w.seconds(-1)
	w.refuses(says("permit is expired"), m1, adapter, permitBytes, owner, m2, five, past, permit(0, past))
	now := w.seconds(0)
	w.must(m1, adapter, permitBytes, owner, m2, five, now, permit(0, now)) // the deadline itself is in time
	w.equal(5, adapter, "allowance", owner, m2)
	w.equal(1, adapter, "nonces", owner)
	soon := w.seconds(100)
	w.refuses(says("invalid signature (EIP2612)"), m1, adapter, permitBytes, owner, m2, five, soon, permit(0, soon))
	v, r, s := parts(permit(1, math.MaxBig256))
	w.must(m1, adapter, permitParts, owner, m2, five, math.MaxBig256, v, r, s)
	w.equal(2, adapter, "nonces", owner)

	// The error names the fault of a signature (spec system-contracts 2.2).
	good := permit(2, soon)
	bad := func(change func([]byte) []byte) []byte { return change(slices.Clone(good)) }
	order := crypto.S256().Params().N
	for want, signature := range map[string][]byte{
		"ECRecover: invalid signature length":    good[:64],
		"ECRecover: invalid signature 'v' value": bad(func(b []byte) []byte { b[64] = 29; return b }),
		"ECRecover: invalid signature 's' value": bad(func(b []byte) []byte {
			s := new(big.Int).SetBytes(b[32:64])
			new(big.Int).Sub(order, s).FillBytes(b[32:64])
			return b
		}),
		"ECRecover: invalid signature": bad(func(b []byte) []byte { clear(b[:32]); return b }),
	} {
		w.refuses(want, m1, adapter, permitBytes, owner, m2, five, soon, signature)
	}
	w.must(m1, adapter, permitBytes, owner, m2, five, soon, good)

	// Accounts with code are asked, those with a delegation too: the signature of their key means nothing then.
	w.setCode(owner, refuseCoins)
	w.refuses(says("invalid signature (EIP2612)"), m1, adapter, permitBytes, owner, m2, five, soon, permit(3, soon))
	magic := []byte{byte(vm.PUSH1) + 3, 0x16, 0x26, 0xba, 0x7e, byte(vm.PUSH1), 224, byte(vm.SHL), byte(vm.PUSH1), 0,
		byte(vm.MSTORE),
		byte(vm.PUSH1), 32, byte(vm.PUSH1), 0, byte(vm.RETURN)}
	w.setCode(owner, magic)
	w.must(m1, adapter, permitBytes, owner, m2, five, soon, []byte("whatever"))
	w.equal(4, adapter, "nonces", owner)
}

// Signed transfers (EIP-3009) work once, within their time, in both forms. Receiving is up to the payee, and a
// cancellation is final.
func TestAuthorizations(t *testing.T) {
	w := funded(t, "g1", 1, 1)
	from := crypto.PubkeyToAddress(testKey(t, 9).PublicKey)
	w.fund(from, coins(10))
	signed := func(kind string, validAfter, validBefore *big.Int, nonce [32]byte) []byte {
		return sign(w, 9, typedData(w, kind+"WithAuthorization", apitypes.TypedDataMessage{
			"from": from.Hex(), "to": m2.Hex(), "value": coins(1).String(), "validAfter": validAfter.String(),
			"validBefore": validBefore.String(), "nonce": nonce[:],
		}, "from", "address", "to", "address", "value", "uint256", "validAfter", "uint256", "validBefore", "uint256",
			"nonce", "bytes32"))
	}
	for kind, caller := range map[string]common.Address{"Transfer": m1, "Receive": m2} {
		name := map[string]string{"Transfer": "transfer", "Receive": "receive"}[kind]
		byBytes, byParts := name+authorization+"bytes)", name+authorization+"uint8,bytes32,bytes32)"
		nonce := func(n byte) [32]byte { return [32]byte{byte(len(kind)), n} }
		had := w.balance(m2)
		use := func(n byte, validAfter, validBefore *big.Int) outcome {
			return w.send(caller, adapter, byBytes, from, m2, coins(1), validAfter, validBefore, nonce(n),
				signed(kind, validAfter, validBefore, nonce(n)))
		}
		w.failed(says("authorization is not yet valid"), use(1, w.seconds(0), w.seconds(1)), "at its beginning")
		w.failed(says("authorization is expired"), use(1, w.seconds(-1), w.seconds(0)), "at its end")
		out := w.succeeds(use(1, w.seconds(-1), w.seconds(1)), kind)
		expect.Slice(t, w.events(out), []string{"AuthorizationUsed", "Transfer"}, "events")
		w.equal(true, adapter, "authorizationState", from, nonce(1))
		w.equal(false, adapter, "authorizationState", from, nonce(2))
		before, after := w.seconds(-1), w.seconds(100)
		w.failed(says("authorization is used or canceled"), use(1, before, after), "again")
		v, r, s := parts(signed(kind, before, after, nonce(2)))
		w.must(caller, adapter, byParts, from, m2, coins(1), before, after, nonce(2), v, r, s)
		expect.Equal(t, new(big.Int).Sub(w.balance(m2), had).String(), coins(2).String(), "the payee gained")
		other := signed(kind, before, after, nonce(3))
		w.refuses(says("invalid signature (EIP3009)"), caller, adapter, byBytes, from, m2, coins(2), before, after,
			nonce(3), other)
		if kind == "Receive" {
			w.refuses(says("caller must be the payee"), m1, adapter, byBytes, from, m2, coins(1), before, after,
				nonce(3), other)
			v, r, s := parts(other)
			w.refuses(says("caller must be the payee"), m1, adapter, byParts, from, m2, coins(1), before, after, nonce(3),
				v, r, s)
		}
	}
	cancel := func(n byte) []byte {
		nonce := [32]byte{0xcc, n}
		return sign(w, 9, typedData(w, "CancelAuthorization",
			apitypes.TypedDataMessage{"authorizer": from.Hex(), "nonce": nonce[:]},
			"authorizer", "address", "nonce", "bytes32"))
	}
	w.refuses(says("invalid signature (EIP3009)"), m1, adapter, cancelBytes, from, [32]byte{0xcc, 1}, cancel(2))
	w.state.SetBlacklisted(from, true) // matters to coins, not to a cancellation
	out := w.must(m1, adapter, cancelBytes, from, [32]byte{0xcc, 1}, cancel(1))
	expect.Slice(t, w.events(out), []string{"AuthorizationCanceled"}, "events")
	v, r, s := parts(cancel(2))
	w.must(m1, adapter, cancelParts, from, [32]byte{0xcc, 2}, v, r, s)
	w.refuses(says("authorization is used or canceled"), m1, adapter, cancelBytes, from, [32]byte{0xcc, 1}, cancel(1))
}
