// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/txobject"
)

// Every field that is decoded here is one that the reader of objects lets through. A new one of upstream's is noticed.
func TestFieldsOfArguments(t *testing.T) {
	var walk func(reflect.Type)
	walk = func(s reflect.Type) {
		for i := range s.NumField() {
			field := s.Field(i)
			if field.Anonymous {
				walk(field.Type)
			}
			if field.Anonymous || !field.IsExported() {
				continue
			}
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			object := toJSON(t, map[string]any{name: "0x0"})
			expect.Error(t, txobject.Check([]byte(object), txobject.Node), nil, "%s", name)
		}
	}
	walk(reflect.TypeFor[Arguments]())
}

// unlockedNode is a node that signs with the accounts of keys 1 and 2.
func unlockedNode(t *testing.T) func(method string, params ...any) string {
	t.Helper()
	n, client := startNode(t, Options{Personal: true})
	for _, key := range []byte{1, 2} {
		must.Do(t, n.keys.Unlock(accounts.Account{Address: testAddress(key)}, "pw"))
	}
	return func(method string, params ...any) string {
		t.Helper()
		return ask(t, client, method, toJSON(t, params))
	}
}

// What a method cannot carry is refused by name, in every method that makes or signs a transaction.
// spec: transactions 5.4
func TestFieldsWithoutEffect(t *testing.T) {
	call := unlockedNode(t)
	raw := encode(t, payment(t, 1, 0, 1, 1)).String()
	for field, value := range map[string]any{
		"memo": "lunch", "GAS": "0x5208", "gasLimit": "0x5208", "v": "0x1", "r": "0x1", "s": "0x1", "yParity": "0x1",
		"fv": "0x1", "fr": "0x1", "fs": "0x1", "maxFeePerBlobGas": "0x1", "commitments": []any{}, "proofs": []any{},
		"type": "0x4",
	} {
		t.Run(field, func(t *testing.T) {
			args := map[string]any{
				"from": testAddress(1), "to": common.Address{1}, "nonce": "0x0", "gas": "0x5208",
				"maxFeePerGas": "0x4f94ae6af800", "maxPriorityFeePerGas": "0x1", "value": "0x1", field: value,
			}
			for method, params := range map[string][]any{
				"eth_fillTransaction": {args}, "eth_signTransaction": {args}, "eth_sendTransaction": {args},
				"eth_resend": {args, "0x1", "0x5208"}, "personal_signTransaction": {args, "pw"},
				"personal_sendTransaction": {args, "pw"},
			} {
				got := call(method, params...)
				expect.That(t, strings.HasPrefix(got, "-32") && strings.Contains(got, field), "%s: %s", method, got)
			}
			if strings.HasPrefix(field, "y") {
				return // what is filled in has it, and the raw transaction says the same again
			}
			args = map[string]any{"feePayer": testAddress(2), field: value}
			for method, params := range map[string][]any{
				"eth_signRawFeeDelegateTransaction":      {args, raw},
				"personal_signRawFeeDelegateTransaction": {args, raw, "pw"},
			} {
				got := call(method, params...)
				expect.That(t, strings.HasPrefix(got, "-32") && strings.Contains(got, field), "%s: %s", method, got)
			}
		})
	}
}

// The type that is asked for is the one that is made, or the answer says which one it would be.
func TestTypeOfArguments(t *testing.T) {
	call := unlockedNode(t)
	price := map[string]any{"gasPrice": "0x4f94ae6af800"}
	list := map[string]any{"accessList": []any{}}
	for _, test := range []struct {
		name   string
		kind   string
		fields map[string]any
		want   string // type of the result, or the beginning of an error
	}{
		{"legacy", "0x0", nil, "0x0"}, {"legacy with a price", "0x0", price, "0x0"},
		{"access list", "0x1", list, "0x1"}, {"access list left out", "0x1", price, "0x1"},
		{"dynamic", "0x2", list, "0x2"}, {"dynamic with a price", "0x2", price, "-32000 type is 0x2"},
		{"legacy with an access list", "0x0", list, "-32000 type is 0x0"},
		{"legacy with a fee cap", "0x0", map[string]any{"maxFeePerGas": "0x4f94ae6af800"}, "-32000 type is 0x0"},
		{"delegated without a fee payer", "0x16", nil, "-32000 type is 0x16"},
		{"unknown", "0x99", nil, "-32000 type is 0x99"},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := map[string]any{"from": testAddress(1), "to": common.Address{1}, "type": test.kind}
			maps.Copy(args, test.fields)
			got := call("eth_fillTransaction", args)
			var filled struct{ Tx struct{ Type string } }
			if !strings.HasPrefix(got, "-") {
				must.Do(t, json.Unmarshal([]byte(got), &filled))
				got = filled.Tx.Type
			}
			expect.That(t, strings.HasPrefix(got, test.want), "%s, want %s", got, test.want)
		})
	}
}

// A transaction that was filled in goes back for its signature as it is.
func TestFilledTransactionIsSigned(t *testing.T) {
	call := unlockedNode(t)
	for _, given := range []map[string]any{
		{"value": "0x1"}, {"type": "0x0"}, {"type": "0x1"}, {"type": "0x2", "accessList": []any{}},
	} {
		given["from"], given["to"] = testAddress(1), common.Address{1}
		var filled struct{ Tx map[string]any }
		must.Do(t, json.Unmarshal([]byte(call("eth_fillTransaction", given)), &filled))
		filled.Tx["from"] = testAddress(1)
		for method, params := range map[string][]any{
			"eth_signTransaction": {filled.Tx}, "personal_signTransaction": {filled.Tx, "pw"},
		} {
			got := call(method, params...)
			expect.That(t, strings.HasPrefix(got, `{"raw":"0x`), "%s of %v: %s", method, filled.Tx, got)
		}
	}
}

// A fee payer signs the sender's transaction, and no other that the arguments describe. spec: transactions 5.1
func TestArgumentsSayTheSame(t *testing.T) {
	call := unlockedNode(t)
	tx := payment(t, 1, 0, 1, 1)
	var object map[string]any
	must.Do(t, json.Unmarshal([]byte(toJSON(t, tx)), &object))
	object["from"], object["feePayer"], object["data"] = testAddress(1), testAddress(2), object["input"]
	sign := func(args map[string]any) string {
		return call("eth_signRawFeeDelegateTransaction", args, encode(t, tx))
	}
	got := sign(object)
	must.That(t, strings.HasPrefix(got, `{"raw":"0x16`), "%v", got)
	for field, value := range map[string]any{
		"from": testAddress(2), "to": common.Address{7}, "value": "0x7", "data": "0x07", "input": "0x07", "gas": "0x7",
		"nonce": "0x7", "gasPrice": "0x1", "maxFeePerGas": "0x7", "maxPriorityFeePerGas": "0x7", "chainId": "0x7",
		"accessList": types.AccessList{{Address: common.Address{7}, StorageKeys: []common.Hash{}}}, "v": "0x7", "r": "0x7",
		"s": "0x7", "type": "0x0", "authorizationList": []any{}, "blobVersionedHashes": []common.Hash{{1}}, "blobs": []any{},
	} {
		t.Run(field, func(t *testing.T) {
			other := maps.Clone(object)
			other[field] = value
			got := sign(other)
			expect.That(t, strings.HasPrefix(got, "-32000 ") && strings.Contains(got, field), "%s", got)
		})
	}
}

// FuzzArguments: any object is refused, or has no field but those of a transaction, and a type.
func FuzzArguments(f *testing.F) {
	f.Add([]byte(`{"from": "0x0000000000000000000000000000000000000001", "type": "0x16", "v": "0x0", "yParity": "0x1"}`))
	f.Add([]byte(`{"gasPrice": "0x1", "accessList": null, "authorizationList": [{}], "FEEPAYER": null}`))
	f.Add([]byte(`{"feePayer": "0x0000000000000000000000000000000000000001", "v": "0x0", "r": "0x1", "s": "0x1"}`))
	price := func() (*hexutil.Big, error) { return new(hexutil.Big), nil }
	sent := types.NewTx(&types.DynamicFeeTx{})
	f.Fuzz(func(t *testing.T, object []byte) {
		var a Arguments
		if json.Unmarshal(object, &a) != nil || string(object) == "null" {
			return
		}
		expect.Error(t, txobject.Check(object, txobject.Node), nil, "taken")
		made, err := a.effective(price)
		if err == nil && a.Type != nil && uint64(made.kind()) != uint64(*a.Type) && made.kind() != types.FeeDelegateTxType {
			t.Errorf("type %#x is made of %s", made.kind(), object)
		}
		_ = a.checkSame(common.Address{}, sent) // it must not panic
	})
}
