// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package describe

import (
	"encoding"
	"encoding/json"
	"maps"
	"math/big"
	"reflect"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/p2p/enode"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// schema is a JSON schema (draft 7).
type schema map[string]any

// component is the schema of a component.
func component(name string) schema { return schema{"$ref": "#/components/schemas/" + name} }

const blockTags = "latest, earliest, pending, safe and finalized"

// scalars are the components whose form no Go struct shows.
var scalars = map[string]schema{
	"Quantity": {"type": "string", "pattern": "^0x(0|[1-9a-f][0-9a-f]*)$",
		"description": "a number in hexadecimal, without leading zeros"},
	"Bytes":   {"type": "string", "pattern": "^0x([0-9a-fA-F]{2})*$", "description": "bytes in hexadecimal"},
	"Hash":    {"type": "string", "pattern": "^0x[0-9a-fA-F]{64}$", "description": "32 bytes"},
	"Address": {"type": "string", "pattern": "^0x[0-9a-fA-F]{40}$", "description": "20 bytes"},
	"BlockNumber": {
		"type": "string", "pattern": "^(latest|earliest|pending|safe|finalized|0x(0|[1-9a-f][0-9a-f]*))$",
		"description": "a number in hexadecimal or one of the tags " + blockTags +
			"; latest, safe and finalized are the same block",
	},
	"BlockReference": {
		"oneOf": []schema{
			component("BlockNumber"), component("Hash"),
			{"type": "object", "required": []string{"blockNumber"},
				"properties": schema{"blockNumber": component("BlockNumber")}},
			{"type": "object", "required": []string{"blockHash"},
				"properties": schema{"blockHash": component("Hash"), "requireCanonical": schema{"type": "boolean"}}},
		},
		"description": "a number, a tag or a hash, or an object with blockNumber or blockHash",
	},
	"Count": {"oneOf": []schema{{"type": "integer"}, {"type": "string"}},
		"description": "a number, or one in a string"},
	"Identifier": {"type": "string", "pattern": "^0x[0-9a-f]+$", "description": "a filter or a subscription"},
	"OpenRPC":    {"type": "object", "description": "a document of https://spec.open-rpc.org"},
}

// named are the components of Go types whose JSON reflection cannot see.
var named = map[reflect.Type]string{
	reflect.TypeFor[common.Hash]():                "Hash",
	reflect.TypeFor[common.Address]():             "Address",
	reflect.TypeFor[common.AddressEIP55]():        "Address",
	reflect.TypeFor[hexutil.Bytes]():              "Bytes",
	reflect.TypeFor[hexutil.Uint64]():             "Quantity",
	reflect.TypeFor[hexutil.Uint]():               "Quantity",
	reflect.TypeFor[hexutil.Big]():                "Quantity",
	reflect.TypeFor[hexutil.U256]():               "Quantity",
	reflect.TypeFor[gethrpc.BlockNumber]():        "BlockNumber",
	reflect.TypeFor[gethrpc.BlockNumberOrHash]():  "BlockReference",
	reflect.TypeFor[gethrpc.ID]():                 "Identifier",
	reflect.TypeFor[math.HexOrDecimal64]():        "Count",
	reflect.TypeFor[types.Transaction]():          "TransactionBody",
	reflect.TypeFor[types.SetCodeAuthorization](): "Authorization",
	reflect.TypeFor[types.Header]():               "SealedHeader",
	reflect.TypeFor[types.Log]():                  "Log",
	reflect.TypeFor[filters.FilterCriteria]():     "LogQuery",
}

// opaque are Go types with an encoding of their own that need no description of their parts.
var opaque = map[reflect.Type]schema{
	reflect.TypeFor[json.RawMessage](): {},
	reflect.TypeFor[big.Int]():         {"type": "integer"},
	reflect.TypeFor[enode.ID]():        {"type": "string"},
	reflect.TypeFor[time.Time]():       {"type": "string"},
}

// schemas makes JSON schemas of Go types. Structs become components.
type schemas struct {
	components map[string]schema
	input      bool // parameters: every field of a struct may be left out, and its key begins with a small letter
}

func newSchemas() *schemas {
	s := &schemas{components: maps.Clone(scalars)}
	for name, form := range forms {
		s.structure(name, form)
	}
	return s
}

// parameter returns the schema of the Go type of a parameter.
func (s *schemas) parameter(t reflect.Type) schema {
	s.input = true
	defer func() { s.input = false }()
	return s.of(t)
}

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// marshals reports whether a type or a pointer to it has an encoding of its own.
func marshals(t reflect.Type, marshaler reflect.Type) bool {
	return t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler)
}

// of returns the schema of a Go type.
func (s *schemas) of(t reflect.Type) schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if name, ok := named[t]; ok {
		return component(name)
	}
	if form, ok := opaque[t]; ok {
		return form
	}
	if name := renamed[t.String()]; forms[name] != nil {
		return component(name)
	}
	switch {
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return schema{"type": "array", "items": s.of(t.Elem())}
	case marshals(t, textMarshaler):
		return schema{"type": "string"}
	case marshals(t, jsonMarshaler):
		return schema{}
	}
	switch t.Kind() {
	case reflect.Bool:
		return schema{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return schema{"type": "number"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return schema{"type": "integer"}
	case reflect.String, reflect.Slice:
		return schema{"type": "string"}
	case reflect.Array:
		return schema{"type": "array", "items": s.of(t.Elem())}
	case reflect.Map:
		return schema{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Struct:
		if t.Name() == "" {
			return s.object(t)
		}
		name := componentName(t)
		s.structure(name, t)
		return component(name)
	}
	return schema{}
}

// renamed are the components of structs by the Go type, where its name says too little or is of a hand-written form.
var renamed = map[string]string{
	"ethapi.RPCTransaction":   "Transaction",
	"ethapi.TransactionArgs":  "CallObject",
	"ethapi.accessListResult": "AccessListResult",
	"ethapi.config":           "ForkConfig",
	"ethapi.configResponse":   "ForkConfigs",
	"ethapi.simBlockResult":   "SimulatedBlock",
	"ethapi.simOpts":          "Simulation",
	"finality.Proof":          "FinalityProof",
	"rpc.Arguments":           "TransactionObject",
	"rpc.sealStatus":          "SealStatistics",
}

// componentName returns the name of a struct's component.
func componentName(t reflect.Type) string {
	if name := renamed[t.String()]; name != "" {
		return name
	}
	name := t.Name()
	return strings.ToUpper(name[:1]) + name[1:]
}

// structure makes the component of a struct, unless it exists.
func (s *schemas) structure(name string, t reflect.Type) {
	if _, ok := s.components[name]; ok {
		return
	}
	s.components[name] = schema{} // for structs that contain themselves
	s.components[name] = s.object(t)
}

// object returns the schema of a struct by its fields.
func (s *schemas) object(t reflect.Type) schema {
	properties := make(schema)
	var required []string
	s.fields(t, properties, &required)
	form := schema{"type": "object", "properties": properties}
	if len(required) > 0 {
		form["required"] = required
	}
	return form
}

func (s *schemas) fields(t reflect.Type, properties schema, required *[]string) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" && field.Type.Kind() == reflect.Struct {
			s.fields(field.Type, properties, required)
			continue
		}
		if !field.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = field.Name
			if s.input {
				name = strings.ToLower(name[:1]) + name[1:]
			}
		}
		value := s.of(field.Type)
		optional := strings.Contains(options, "omitempty")
		kind := field.Type.Kind()
		nilable := kind == reflect.Pointer || kind == reflect.Slice || kind == reflect.Map
		if nilable && !optional && !s.input {
			value = nullable(value)
		}
		properties[name] = value
		if !optional && !s.input {
			*required = append(*required, name)
		}
	}
}

func nullable(value schema) schema {
	if len(value) == 0 {
		return value
	}
	return schema{"oneOf": []schema{value, {"type": "null"}}}
}

// expression returns the schema of a result as a row writes it: alternatives separated by "|" of a component or a
// type of JSON, with [] behind it for a list, and ? for one that may be null.
func (s *schemas) expression(text string) (schema, bool) {
	if alternatives := strings.Split(text, "|"); len(alternatives) > 1 {
		var all []schema
		for _, alternative := range alternatives {
			one, ok := s.expression(alternative)
			if !ok {
				return nil, false
			}
			all = append(all, one)
		}
		return schema{"anyOf": all}, true
	}
	if inner, ok := strings.CutSuffix(text, "?"); ok {
		value, ok := s.expression(inner)
		return nullable(value), ok
	}
	if inner, ok := strings.CutSuffix(text, "[]"); ok {
		value, ok := s.expression(inner)
		return schema{"type": "array", "items": value}, ok
	}
	switch text {
	case "any":
		return schema{}, true
	case "false":
		return schema{"const": false}, true
	case "null", "boolean", "string", "integer":
		return schema{"type": text}, true
	}
	_, ok := s.components[text]
	return component(text), ok
}

// text returns a schema in words, as rpc.md has it.
func text(value schema) string {
	if ref, ok := value["$ref"].(string); ok {
		return ref[strings.LastIndex(ref, "/")+1:]
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf"} {
		if all, ok := value[key].([]schema); ok {
			words := make([]string, len(all))
			for i, one := range all {
				words[i] = text(one)
			}
			return strings.Join(words, " or ")
		}
	}
	if fixed, ok := value["const"]; ok {
		return strings.Trim(string(must(json.Marshal(fixed))), `"`)
	}
	switch value["type"] {
	case "array":
		return "list of " + text(value["items"].(schema))
	case "object":
		if values, ok := value["additionalProperties"].(schema); ok {
			return "object of " + text(values)
		}
		return "object"
	case nil:
		return "any"
	}
	return value["type"].(string)
}

// must returns a value that cannot fail to be made.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
