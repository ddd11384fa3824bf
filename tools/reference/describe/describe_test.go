// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package describe

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/docs/reference"
	"gwon/internal/expect"
)

// A method has one row, which says what it does, and each meaning is that of a parameter.
func TestTable(t *testing.T) {
	seen := make(map[string]bool)
	used := make(map[string]bool)
	for _, row := range slices.Concat(Rows(), subscriptions) {
		if seen[row.Method] {
			t.Errorf("%s has two rows", row.Method)
		}
		seen[row.Method] = true
		if !strings.HasSuffix(row.Summary, ".") || row.Differs != "" && !strings.HasSuffix(row.Differs, ".") {
			t.Errorf("%s: %q and %q are no sentences", row.Method, row.Summary, row.Differs)
		}
		for _, name := range row.names() {
			used[name] = true
		}
	}
	for name := range meanings() {
		expect.That(t, used[name], "no method has a parameter %s", name)
	}
}

// node returns a node whose only described method is eth_blockNumber, with the types given.
func node(params []reflect.Type, result reflect.Type) Node {
	return Node{
		Methods: []gethrpc.Method{{Name: "eth_blockNumber", Params: params, Result: result, Receiver: t0{}}},
		Conversations: fstest.MapFS{"eth_blockNumber.io": {
			Data: []byte(">> {\"method\":\"eth_blockNumber\",\"params\":[]}\n<< {\"result\":\"0x1\"}\n"),
		}},
	}
}

type t0 struct{}

// What the table and the services say differently is an error that names the method.
func TestTableAndServicesDiffer(t *testing.T) {
	quantity := reflect.TypeFor[hexutil.Uint64]()
	for _, test := range []struct {
		name   string
		node   Node
		method string
		want   string // empty for no error about the method
	}{
		{"as the table", node(nil, quantity), "eth_blockNumber", ""},
		{"a parameter more", node([]reflect.Type{quantity}, quantity), "eth_blockNumber",
			"eth_blockNumber: the table has 0 parameters, and the method 1"},
		{"no schema", node(nil, reflect.TypeFor[any]()), "eth_blockNumber",
			"eth_blockNumber: the result has no schema: name one in the row"},
		{"a row without method", node(nil, quantity), "eth_chainId",
			"eth_chainId: the table has it, and no service does: delete the row"},
		{"no example", func() Node {
			n := node(nil, quantity)
			n.Conversations = fstest.MapFS{}
			return n
		}(), "eth_blockNumber", "eth_blockNumber: no conversation has an example: add tests/rpc/methods/eth_blockNumber.io"},
		{"a method without row", func() Node {
			n := node(nil, quantity)
			n.Methods = append(n.Methods, gethrpc.Method{Name: "eth_new", Receiver: t0{}})
			return n
		}(), "eth_new", "eth_new: a service has it, and the table does not: add a row in tools/reference/describe"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := New(test.node)
			var got string
			if err != nil {
				for line := range strings.Lines(err.Error()) {
					if strings.HasPrefix(line, test.method+":") {
						got = strings.TrimSpace(line)
					}
				}
			}
			expect.That(t, got == test.want, "%q, want %q", got, test.want)
		})
	}
}

// Types of Go have the schemas of their JSON.
func TestSchemas(t *testing.T) {
	type inner struct {
		Hash  common.Hash `json:"hash"`
		Count *uint64     `json:"count,omitempty"`
		Plain bool
	}
	for _, test := range []struct {
		name  string
		input bool
		value reflect.Type
		want  string
	}{
		{"a hash", false, reflect.TypeFor[*common.Hash](), `{"$ref":"#/components/schemas/Hash"}`},
		{"bytes", false, reflect.TypeFor[hexutil.Bytes](), `{"$ref":"#/components/schemas/Bytes"}`},
		{"a list", false, reflect.TypeFor[[]bool](), `{"items":{"type":"boolean"},"type":"array"}`},
		{"a map", false, reflect.TypeFor[map[string]int](), `{"additionalProperties":{"type":"integer"},"type":"object"}`},
		{"a struct", false, reflect.TypeFor[inner](),
			`{"properties":{"Plain":{"type":"boolean"},"count":{"type":"integer"},` +
				`"hash":{"$ref":"#/components/schemas/Hash"}},"required":["hash","Plain"],"type":"object"}`},
		{"a struct as a parameter", true, reflect.TypeFor[inner](), `{"properties":{"count":{"type":"integer"},` +
			`"hash":{"$ref":"#/components/schemas/Hash"},"plain":{"type":"boolean"}},"type":"object"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSchemas()
			made := s.of
			if test.input {
				made = s.parameter
			}
			value := made(test.value)
			if test.value == reflect.TypeFor[inner]() {
				value = s.components["Inner"]
			}
			if got := string(must(json.Marshal(value))); got != test.want {
				t.Errorf("%s\nwant %s", got, test.want)
			}
		})
	}
}

// The stored document has the form of OpenRPC: names occur once, required parameters come first, references lead
// somewhere, and public methods have examples.
func TestStoredDocument(t *testing.T) {
	var doc struct {
		OpenRPC    string
		Methods    []Method
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(reference.OpenRPC, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.OpenRPC != Version || len(doc.Methods) < 200 {
		t.Fatalf("version %s, %d methods", doc.OpenRPC, len(doc.Methods))
	}
	names := make(map[string]bool)
	for _, m := range doc.Methods {
		if names[m.Name] {
			t.Errorf("%s occurs twice", m.Name)
		}
		names[m.Name] = true
		optional := false
		for _, p := range m.Params {
			if p.Required && optional {
				t.Errorf("%s: %s is required and comes after an optional parameter", m.Name, p.Name)
			}
			optional = !p.Required
		}
		if m.Profile == profilePublic && len(m.Examples) == 0 {
			t.Errorf("%s has no example", m.Name)
		}
	}
	for _, part := range strings.Split(string(reference.OpenRPC), `"$ref": "#/components/schemas/`)[1:] {
		if name, _, _ := strings.Cut(part, `"`); doc.Components.Schemas[name] == nil {
			t.Errorf("no component %s", name)
		}
	}
	if strings.Contains(string(reference.OpenRPC), "${") {
		t.Error("a word of a conversation has no sample: add it in tools/reference/describe/examples.go")
	}
}
