// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txobject

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"pgregory.net/rapid"

	"gwon/internal/expect"
	"gwon/internal/must"
)

func big8283() *big.Int { return big.NewInt(8283) }

func keysOf[V any](m map[string]V) []string { return slices.Collect(maps.Keys(m)) }

func sorted(names []string) []string { return slices.Sorted(slices.Values(names)) }

func asMap(r *rapid.T, value any) (m map[string]any) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	must.Do(r, err)
	return m
}

// canonical returns a JSON value with all texts in small letters.
func canonical(r *rapid.T, value any) (v any) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal([]byte(strings.ToLower(string(text))), &v)
	}
	must.Do(r, err)
	return v
}

// A refusal says what to give instead, for each use.
func TestRefusals(t *testing.T) {
	for _, row := range []struct {
		use         Use
		object      string
		field, want string
	}{
		{Sponsored, `{"gasPrice":"0x1"}`, "gasPrice", "give maxFeePerGas"},
		{Sponsored, `{"feePayer":"0x1"}`, "feePayer", "chosen by the sponsor"},
		{Sponsored, `{"authorizationList":[]}`, "authorizationList", "cannot be in a transaction of type 2"},
		{Sponsored, `{"v":"0x1"}`, "v", "submit the signed bytes"},
		{Sponsored, `{"gasLimit":"0x1"}`, "gasLimit", "write gas"},
		{Sponsored, `{"To":"0x1"}`, "To", "write to"},
		{Sponsored, `{"type":"0x4"}`, "type", "is 0x4"},
		{Call, `{"type":"0x0","gasPrice":"0x1"}`, "type", "is 0x0"},
		{Sponsored, `{"gas":21000}`, "gas", "is no text"},
		{Node, `{"memo":""}`, "memo", "leave it out"},
		{Node, `{"blockHash":"0x1"}`, "blockHash", "leave it out"},
		{Simulated, `{"maxFeePerBlobGas":"0x1"}`, "maxFeePerBlobGas", "leave it out"},
		{Simulated, `{"authorizationList":{}}`, "authorizationList", "EIP-7702"},
		{Simulated, `{"accessList":[{"address":"0x1"}]}`, "accessList", "storageKeys"},
	} {
		t.Run(row.object, func(t *testing.T) {
			err := Check([]byte(row.object), row.use)
			if row.use != Node && err == nil {
				_, err = Read([]byte(row.object), row.use)
			}
			expect.That(t, err != nil && strings.HasPrefix(err.Error(), row.field+" ") &&
				strings.Contains(err.Error(), row.want), "error %v, want %s ... %s", err, row.field, row.want)
		})
	}
}

// A name of a caller does not fill a log or an answer.
func TestLongNames(t *testing.T) {
	err := Check([]byte(`{"`+strings.Repeat("é", 1000)+`":1}`), Call)
	expect.That(t, err != nil && len(err.Error()) <= 200, "error %v", err)
}

// What the object leaves out is completed, and the tip never exceeds the fee cap.
func TestComplete(t *testing.T) {
	for _, row := range []struct {
		object   string
		cap, tip int64
	}{
		{`{}`, 70, 30}, {`{"maxFeePerGas":"0x5"}`, 5, 5}, {`{"maxPriorityFeePerGas":"0x5"}`, 70, 5},
		{`{"maxFeePerGas":"0x5","maxPriorityFeePerGas":"0x6"}`, 5, 6},
	} {
		o := must.Get(Read([]byte(row.object), Sponsored))(t)
		tx := o.Complete(big8283(), big.NewInt(70), big.NewInt(30))
		expect.That(t, tx.GasFeeCap.Int64() == row.cap && tx.GasTipCap.Int64() == row.tip && tx.Value != nil,
			"%s: cap %v, tip %v", row.object, tx.GasFeeCap, tx.GasTipCap)
	}
}

// The cost is that of the whole gas limit at the fee cap.
func TestCost(t *testing.T) {
	tx := Of(common.Address{1}, types.NewTx(&types.DynamicFeeTx{Gas: 21000, GasFeeCap: big.NewInt(1 << 62)}))
	expect.Equal(t, tx.Cost().String(), new(big.Int).Mul(big.NewInt(21000), big.NewInt(1<<62)).String(), "cost")
}

// An object is for the chain that it names.
func TestChainOfAnObject(t *testing.T) {
	for object, fits := range map[string]bool{`{}`: true, `{"chainId":"0x205b"}`: true, `{"chainId":"0x1"}`: false} {
		o := must.Get(Read([]byte(object), Call))(t)
		err := o.CheckChain(big8283())
		expect.That(t, (err == nil) == fits, "%s: %v", object, err)
	}
}

// A simulation has all that a transaction has. Of a stored one the price is left out, which its node has computed.
func TestSimulatedObjects(t *testing.T) {
	const object = `{"from":"0x00000000000000000000000000000000000000aa","type":"0x4","gasPrice":"0x3","v":"0x0",` +
		`"feePayer":"0x00000000000000000000000000000000000000bb","maxFeePerGas":"0x4","maxPriorityFeePerGas":"0x2",` +
		`"authorizationList":[{"chainId":"0x0","address":"0x00000000000000000000000000000000000000cc","nonce":"0x1",` +
		`"yParity":"0x0","r":"0x1","s":"0x1"}]}`
	o := must.Get(Read([]byte(object), Simulated))(t)
	call := o.Call()
	expect.That(t, *call.FeePayer == common.HexToAddress("0xbb") && len(call.AuthorizationList) == 1 &&
		call.GasPrice == nil && call.FeeCap.ToInt().Int64() == 4 && call.Tip.ToInt().Int64() == 2, "call %+v", call)
}
