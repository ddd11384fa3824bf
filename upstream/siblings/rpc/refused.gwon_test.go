// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An error about an argument has no names of Go types, and for a block parameter lists the accepted values
// (spec rpc 2.4).
func TestExplainArgument(t *testing.T) {
	type call struct {
		To    *common.Address `json:"to"`
		Value *hexutil.Big    `json:"value"`
		Nonce uint64          `json:"nonce"`
	}
	types := []reflect.Type{
		reflect.TypeFor[common.Address](), reflect.TypeFor[BlockNumber](), reflect.TypeFor[*BlockNumberOrHash](),
		reflect.TypeFor[call](),
		reflect.TypeFor[[]float64](), reflect.TypeFor[struct{ FromBlock BlockNumber }](),
	}
	const block = "a block is latest, earliest, pending, safe, finalized or a number like 0x1b4"
	good := []string{`"0x00000000000000000000000000000000000000aa"`, `"0x1"`, `"latest"`, `{}`, `[]`, `{}`}
	for _, test := range []struct {
		index int
		value string
		want  string
	}{
		{0, `"0x12"`, "invalid argument 0: hex string has length 2, want 40 for Address"},
		{0, `5`, "invalid argument 0: "},
		{1, `"newest"`, "invalid argument 1: hex string without 0x prefix: " + block},
		{1, `"0x01"`, "invalid argument 1: hex number with leading zero digits: " + block},
		{2, `"newest"`, block + ", or a block hash"},
		{3, `"text"`, "invalid argument 3: cannot unmarshal string"},
		{3, `{"to":"0x1"}`, "invalid argument 3: "},
		{3, `{"nonce":"x"}`, `as "nonce"`},
		{4, `["a"]`, "invalid argument 4: "},
		{5, `{"fromBlock":"newest"}`, "invalid argument 5: hex string without 0x prefix: numbers are like 0x1b4"},
	} {
		params := append([]string(nil), good...)
		params[test.index] = test.value
		_, err := parsePositionalArguments(json.RawMessage("["+strings.Join(params, ",")+"]"), types)
		require.Errorf(t, err, "argument %d %s was accepted", test.index, test.value)
		got := explainArgument(err, types)
		assert.Truef(t, strings.Contains(got, test.want),
			"argument %d %s: %q, want %q", test.index, test.value, got, test.want)
		for _, leaked := range []string{"Go ", "common.", "rpc.", "hexutil.", "float64", "json:"} {
			assert.Falsef(t, strings.Contains(got, leaked), "argument %d %s: %q names Go types", test.index, test.value, got)
		}
	}
}

// flag is an argument that says what it is.
type flag bool

func (flag) Expected() string { return "true or false" }

// A call without an argument is told what was expected, where the type of the argument says so.
func TestExplainMissing(t *testing.T) {
	types := []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[flag]()}
	for params, want := range map[string]string{
		`[]`:         "missing value for required argument 0",
		`["a"]`:      "missing value for required argument 1: expected true or false",
		`["a",null]`: "missing value for required argument 1: expected true or false",
	} {
		_, err := parsePositionalArguments(json.RawMessage(params), types)
		assert.Truef(t, err != nil && explainArgument(err, types) == want, "%s: error %v, want %q", params, err, want)
	}
}

// Every refused call is counted under its reason.
func TestRefusedCounters(t *testing.T) {
	server := newTestServer()
	t.Cleanup(server.Stop)
	client := DialInProc(server)
	t.Cleanup(client.Close)
	before := refusedByCode[-32601].Snapshot().Count()
	require.Error(t, client.Call(nil, "test_doesNotExist"), "no error")
	assert.EqualValues(t, 1, refusedByCode[-32601].Snapshot().Count()-before, "unknown methods counted")
	before = refusedByCode[-32602].Snapshot().Count()
	require.Error(t, client.Call(nil, "test_echo", 1, 2, 3, 4, 5), "no error")
	assert.EqualValues(t, 1, refusedByCode[-32602].Snapshot().Count()-before, "wrong arguments counted")
	before = refusedOther.Snapshot().Count()
	require.Error(t, client.Call(nil, "test_returnError"), "no error")
	assert.EqualValues(t, 1, refusedOther.Snapshot().Count()-before, "refusals by a method counted")
}
