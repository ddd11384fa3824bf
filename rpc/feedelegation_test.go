// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"encoding/json"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/vectors"
)

// signingVector is one call of testdata/signing_rpc.json.
type signingVector struct {
	Name   string          `json:"name"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func loadSigning(t *testing.T) map[string]signingVector {
	t.Helper()
	var file struct{ Vectors []signingVector }
	vectors.Load(t, "signing_rpc.json", &file)
	recorded := make(map[string]signingVector)
	for _, v := range file.Vectors {
		recorded[v.Name] = v
	}
	return recorded
}

// corrected lists the vectors that record a defect of go-stablenet, with the right result: that of another vector, or
// an error (spec transactions 5.3, 5.4 and 6 no. 3, 11, 12).
var (
	answeredLike = map[string]string{
		"fee-payer-unlocked (REFERENCE WEAKNESS: never works with keystore accounts)": "ok",

		"sign-transaction-with-fee-payer-and-v-r-s (eth)": "sign-transaction-with-fee-payer-and-v-r-s (personal)",
	}
	refused = map[string]string{
		"input-without-sender-signature (accepted)": "-32000 the sender must sign first, its signature is missing or " +
			"wrong: invalid transaction v, r, s values",
		"input-with-chain-id-zero (accepted, unusable result)": "-32000 invalid chain id for signer: this chain has ID " +
			"8283, " +
			"the transaction is signed for 0: sign it for chain ID 8283",
		"sign-transaction-with-fee-payer-without-v (REFERENCE WEAKNESS: ordinary type-2 transaction signed " +
			"BY THE FEE PAYER)": "-32000 " + typeMismatch(types.DynamicFeeTxType).Error(),
		"sign-transaction-with-fee-payer-without-v (personal, same weakness)": "-32000 " +
			typeMismatch(types.DynamicFeeTxType).Error(),
		"fill-transaction-with-fee-payer-without-v":                "-32000 " + errFillPayer.Error(),
		"send-transaction-with-fee-payer-and-v-r-s, sender locked": "-32000 " + errPayerNotHere.Error(),
	}
)

const accessListVector = "input-with-access-list (REFERENCE WEAKNESS: list is dropped, sender signature becomes " +
	"invalid)"

func TestSigningVectors(t *testing.T) {
	n, client := startNode(t, Options{Personal: true})
	recorded := loadSigning(t)
	locked := recorded["fee-payer-locked"]
	check := func(t *testing.T, v signingVector) {
		got := ask(t, client, v.Method, string(v.Params))
		if want, ok := refused[v.Name]; ok {
			expect.Equal(t, got, want, "got")
			return
		}
		if other, ok := answeredLike[v.Name]; ok {
			v.Result, v.Error = recorded[other].Result, recorded[other].Error
		}
		if v.Error != nil {
			want := toJSON(t, v.Error.Code) + " " + v.Error.Message
			if got != want && !strings.HasPrefix(got, want+": ") { // what to do about it may follow
				t.Errorf("%s, want %s", got, want)
			}
			return
		}
		var have, want any
		must.Do(t, json.Unmarshal(v.Result, &want))
		must.Do(t, json.Unmarshal([]byte(got), &have), got)
		expect.Deep(t, have, want, "%s\nwant %s", got, v.Result)
	}
	t.Run(locked.Name, func(t *testing.T) { check(t, locked) })
	must.Do(t, n.keys.Unlock(accounts.Account{Address: testAddress(2)}, "pw"))
	for name, v := range recorded {
		if name != locked.Name && name != accessListVector {
			t.Run(name, func(t *testing.T) { check(t, v) })
		}
	}
	for _, list := range []map[string]string{answeredLike, refused} {
		for name := range list {
			_, ok := recorded[name]
			expect.That(t, ok, "no vector %q", name)
		}
	}
}

// The access list is kept through both calls, and with it the sender. spec: transactions 5.3, defect 2
func TestAccessListIsKept(t *testing.T) {
	n, client := startNode(t, Options{Personal: true})
	must.Do(t, n.keys.Unlock(accounts.Account{Address: testAddress(2)}, "pw"))
	vector := loadSigning(t)[accessListVector]
	var params []any
	must.Do(t, json.Unmarshal(vector.Params, &params))
	var senderTx types.Transaction
	must.Do(t, senderTx.UnmarshalBinary(hexutil.MustDecode(params[1].(string))))
	answers := make(map[string]bool)
	for method, args := range map[string][]any{
		"personal_signRawFeeDelegateTransaction": params, "eth_signRawFeeDelegateTransaction": params[:2],
	} {
		t.Run(method, func(t *testing.T) {
			var answer struct {
				Raw hexutil.Bytes
				Tx  json.RawMessage
			}
			must.Do(t, client.Call(&answer, method, args...), method)
			answers[answer.Raw.String()] = true
			var tx types.Transaction
			must.Do(t, tx.UnmarshalBinary(answer.Raw))
			if !reflect.DeepEqual(tx.AccessList(), senderTx.AccessList()) || len(tx.AccessList()) != 2 {
				t.Errorf("%s: access list %v, want %v", method, tx.AccessList(), senderTx.AccessList())
			}
			signer := types.NewAnzeonSigner(big.NewInt(8283))
			if sender, err := types.Sender(signer, &tx); err != nil || sender != testAddress(1) {
				t.Errorf("%s: sender %v (%v), want %v", method, sender, err, testAddress(1))
			}
			expect.Error(t, types.VerifyFeePayer(signer, &tx), nil, "%s", method)
			var object types.Transaction
			if err := json.Unmarshal(answer.Tx, &object); err != nil || object.Hash() != tx.Hash() {
				t.Errorf("%s: object %v is not the raw transaction %v (%v)", method, object.Hash(), tx.Hash(), err)
			}
		})
	}
	expect.Equal(t, len(answers), 1, "the two calls answer differently: %v", answers)
}

// delegatedArgs are arguments that carry the sender's signature, changed by the caller.
func delegatedArgs(t *testing.T, change map[string]any) string {
	t.Helper()
	tx := payment(t, 1, 0, testTip, 3*testTip)
	v, r, s := tx.RawSignatureValues()
	args := map[string]any{
		"from": testAddress(1), "feePayer": testAddress(2), "nonce": "0x0", "gas": "0x5208", "to": tx.To(), "value": "0x1",
		"maxFeePerGas": (*hexutil.Big)(tx.GasFeeCap()), "maxPriorityFeePerGas": (*hexutil.Big)(tx.GasTipCap()),
		"v": (*hexutil.Big)(v), "r": (*hexutil.Big)(r), "s": (*hexutil.Big)(s),
	}
	for key, value := range change {
		if args[key] = value; value == nil {
			delete(args, key)
		}
	}
	return toJSON(t, args)
}

// A fee payer signs only the sender's transaction, never a payment by itself. spec: transactions 5.4, 6 no. 3
func TestFeePayerArguments(t *testing.T) {
	n, client := startNode(t, Options{Personal: true})
	for _, key := range []byte{1, 2} {
		must.Do(t, n.keys.Unlock(accounts.Account{Address: testAddress(key)}, "pw"))
	}
	const notFrom = "-32000 v, r, s sign these arguments for "
	for _, test := range []struct {
		name   string
		change map[string]any
		want   string
	}{
		{"as signed", nil, `{"raw":"0x16`},
		{"no v", map[string]any{"v": nil}, "-32000 " + typeMismatch(types.DynamicFeeTxType).Error()},
		{"no r", map[string]any{"r": nil}, "-32000 " + typeMismatch(types.DynamicFeeTxType).Error()},
		{"no s", map[string]any{"s": nil}, "-32000 " + typeMismatch(types.DynamicFeeTxType).Error()},
		{"other value", map[string]any{"value": "0x2"}, notFrom},
		{"other from", map[string]any{"from": testAddress(2)}, notFrom},
		{"no from", map[string]any{"from": nil}, notFrom},
		{"zero signature", map[string]any{"r": "0x0", "s": "0x0"}, "-32000 the sender must sign first"},
		{"parity 27", map[string]any{"v": "0x1b"}, "-32000 the sender must sign first"},
		{"gas price", map[string]any{"gasPrice": "0x1", "maxFeePerGas": nil, "maxPriorityFeePerGas": nil},
			"-32000 fee delegate tx type mismatch: got 0x0, want 0x16: "},
		{"gas price and access list", map[string]any{"gasPrice": "0x1", "accessList": []any{}, "maxFeePerGas": nil,
			"maxPriorityFeePerGas": nil},
			"-32000 fee delegate tx type mismatch: got 0x1, want 0x16: "},
		{"authorizations", map[string]any{"authorizationList": []any{}},
			"-32000 fee delegate tx type mismatch: got 0x4, want 0x16: "},
		{"no gas", map[string]any{"gas": nil}, "-32000 gas not specified"},
		{"no nonce", map[string]any{"nonce": nil}, "-32000 nonce not specified"},
		{"no tip", map[string]any{"maxPriorityFeePerGas": nil},
			"-32000 missing gasPrice or maxFeePerGas/maxPriorityFeePerGas"},
		{"other chain", map[string]any{"chainId": "0x1"}, "-32000 chainId does not match node's"},
		{"stranger pays", map[string]any{"feePayer": testAddress(4)}, "-32000 unknown account"},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := delegatedArgs(t, test.change)
			for method, params := range map[string]string{
				"eth_signTransaction": "[" + args + "]", "personal_signTransaction": "[" + args + `,"pw"]`,
			} {
				got := ask(t, client, method, params)
				expect.That(t, strings.HasPrefix(got, test.want), "%s, %s: %s, want %s", test.name, method, got, test.want)
			}
		})
	}
	for _, test := range []struct {
		change map[string]any
		want   string
	}{{nil, "-32000 " + errPayerNotHere.Error()},
		{map[string]any{"v": nil}, "-32000 fee delegate tx type mismatch: got 0x2, want 0x16: "}} {
		args := delegatedArgs(t, test.change)
		for _, method := range []string{"eth_sendTransaction", "eth_resend"} {
			got := ask(t, client, method, "["+args+"]")
			expect.That(t, strings.HasPrefix(got, test.want), "%s: %s, want %s", method, got, test.want)
		}
	}
	plain := delegatedArgs(t, map[string]any{"feePayer": nil, "v": nil, "r": nil, "s": nil})
	got := ask(t, client, "eth_signTransaction", "["+plain+"]")
	expect.That(t, strings.HasPrefix(got, `{"raw":"0x02`), "without a fee payer: %s", got)
}

// Calls with several faults show the order of checks. spec: transactions 5.3
func TestFeePayerCheckOrder(t *testing.T) {
	_, client := startNode(t, Options{Personal: true})
	stranger := common.HexToAddress("0x77")
	legacy := encode(t, types.MustSignNewTx(testKey(1), types.HomesteadSigner{}, &types.LegacyTx{Gas: 21000})).String()
	for _, test := range []struct {
		payer         any
		raw           string
		eth, personal string
	}{
		{nil, "0x1234", errMissingFeePayer.Error(), errMissingFeePayer.Error()},
		{stranger, "0x12", "typed transaction too short: give all bytes of the signed transaction, in hexadecimal after 0x",
			"unknown account"},
		{stranger, legacy, errSenderType.Error(), "unknown account"},
		{stranger, encode(t, payment(t, 1, 0, 1, 1)).String(), "unknown account", "unknown account"},
		{testAddress(2), legacy, errSenderType.Error(), errSenderType.Error()},
		{testAddress(2), encode(t, payment(t, 1, 0, 1, 1)).String(), "authentication needed: password or unlock",
			"could not decrypt key with given password"},
	} {
		args := map[string]any{"from": testAddress(1)}
		if test.payer != nil {
			args["feePayer"] = test.payer
		}
		params := []any{args, test.raw}
		if got := ask(t, client, "eth_signRawFeeDelegateTransaction", toJSON(t, params)); got != "-32000 "+test.eth {
			t.Errorf("eth: payer %v: %s, want %s", test.payer, got, test.eth)
		}
		params = append(params, "wrong")
		got := ask(t, client, "personal_signRawFeeDelegateTransaction", toJSON(t, params))
		expect.That(t, got == "-32000 "+test.personal, "personal: payer %v: %s, want %s", test.payer, got, test.personal)
	}
}
