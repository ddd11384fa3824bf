// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package describe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"

	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/rpc"
)

// Version is the version of OpenRPC that documents have.
const Version = "1.3.2"

// Profiles of methods.
const (
	profilePublic   = "public"   // every endpoint that has the namespace
	profileOperator = "operator" // the operator's endpoint, IPC, and nodes without a profile that open the namespace
	profilePersonal = "personal" // with --personal, and with gwon-dev node
	profileDev      = "dev"      // with gwon-dev node; gwon_fund also at the page of gwon-dev devnet
)

// Document is an OpenRPC document.
type Document struct {
	OpenRPC    string     `json:"openrpc"`
	Info       Info       `json:"info"`
	Methods    []Method   `json:"methods"`
	Components Components `json:"components"`
}

// Info names what a document describes.
type Info struct {
	Title       string  `json:"title"`
	Version     string  `json:"version"`
	Description string  `json:"description"`
	License     License `json:"license"`
}

// License is that of the program.
type License struct {
	Name string `json:"name"`
}

// Components are what methods refer to.
type Components struct {
	Schemas map[string]schema `json:"schemas"`
}

// Method describes a method. The keys with x- are gwon's own.
type Method struct {
	Name           string         `json:"name"`
	Tags           []Tag          `json:"tags"`
	Summary        string         `json:"summary"`
	ParamStructure string         `json:"paramStructure"`
	Params         []Content      `json:"params"`
	Result         Content        `json:"result"`
	Errors         []Error        `json:"errors,omitempty"`
	Examples       []ExamplePairs `json:"examples,omitempty"`
	Profile        string         `json:"x-profile"`
	Differs        string         `json:"x-differs-from-ethereum,omitempty"`
}

// Tag is the namespace of a method.
type Tag struct {
	Name string `json:"name"`
}

// Content is a parameter or a result.
type Content struct {
	Name     string `json:"name"`
	Summary  string `json:"summary,omitempty"`
	Required bool   `json:"required,omitempty"`
	Schema   schema `json:"schema"`
}

// Error is an error with which a method can answer.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// ExamplePairs are the parameters and the result of a call.
type ExamplePairs struct {
	Name   string         `json:"name"`
	Params []ExampleValue `json:"params"`
	Result ExampleValue   `json:"result"`
}

// ExampleValue is a value in an example.
type ExampleValue struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

// Node is what a document is made from.
type Node struct {
	Release       string              // of the program
	Methods       []gethrpc.Method    // of a node with every namespace, and those of Dev
	Kinds         map[string][]string // of subscriptions by namespace
	Dev           []Row               // of gwon-dev node alone
	Conversations fs.FS               // files *.io as in tests/rpc
}

// New describes the methods of a node. It fails if the table and the methods differ, or a public method lacks a
// meaning of a parameter, a schema or an example.
func New(node Node) (*Document, error) {
	x, err := readExamples(node.Conversations)
	if err != nil {
		return nil, err
	}
	b := &builder{node: node, schemas: newSchemas(), examples: x}
	registered := make(map[string]gethrpc.Method, len(node.Methods))
	for _, m := range node.Methods {
		registered[m.Name] = m
		if m.Result != nil {
			b.schemas.of(m.Result) // makes the components that rows may name
		}
	}
	doc := &Document{
		OpenRPC: Version,
		Info: Info{
			Title: "gwon JSON-RPC", Version: node.Release, License: License{"LGPL-3.0-or-later"},
			Description: "Methods of a node of the WKRC network. Parameters are positional. Trailing optional ones may be " +
				"left out.",
		},
	}
	described := make(map[string]bool)
	for _, row := range slices.Concat(Rows(), node.Dev) {
		m, ok := registered[row.Method]
		if !ok {
			b.fail(row.Method, "the table has it, and no service does: delete the row")
			continue
		}
		described[row.Method] = true
		doc.Methods = append(doc.Methods, b.method(row, m))
	}
	for _, namespace := range slices.Sorted(maps.Keys(node.Kinds)) {
		for _, row := range subscriptions {
			doc.Methods = append(doc.Methods, b.subscription(namespace, row))
		}
	}
	for _, m := range node.Methods {
		if !described[m.Name] && rpc.Serves(context.Background(), m) {
			b.fail(m.Name, "a service has it, and the table does not: add a row in tools/reference/describe")
		}
	}
	doc.Components.Schemas = b.schemas.reachable(doc.Methods)
	return doc, errors.Join(b.failures...)
}

// builder makes the parts of a document.
type builder struct {
	node     Node
	schemas  *schemas
	examples *examples
	failures []error
}

func (b *builder) fail(method, text string) {
	b.failures = append(b.failures, fmt.Errorf("%s: %s", method, text))
}

func (b *builder) method(row Row, m gethrpc.Method) Method {
	public := rpc.InPublicProfile(m)
	d := Method{
		Name: row.Method, Tags: []Tag{{namespace(row.Method)}}, Summary: row.Summary, ParamStructure: "by-position",
		Params: []Content{}, Result: Content{Name: "result"}, Differs: row.Differs, Profile: profileOperator,
	}
	switch {
	case public:
		d.Profile = profilePublic
	case namespace(row.Method) == "personal":
		d.Profile = profilePersonal
	case slices.ContainsFunc(b.node.Dev, func(dev Row) bool { return dev.Method == row.Method }):
		d.Profile = profileDev
	}
	names := row.names()
	if len(names) != len(m.Params) {
		b.fail(row.Method, fmt.Sprintf("the table has %d parameters, and the method %d", len(names), len(m.Params)))
		return d
	}
	for i, name := range names {
		if public && meanings()[name] == "" {
			b.fail(row.Method, fmt.Sprintf("parameter %s has no meaning in the table", name))
		}
		d.Params = append(d.Params, Content{
			Name: name, Summary: meanings()[name], Required: required(m.Params[i:]), Schema: b.schemas.parameter(m.Params[i]),
		})
	}
	d.Result.Schema = b.result(row, m)
	if public && len(d.Result.Schema) == 0 {
		b.fail(row.Method, "the result has no schema: name one in the row")
	}
	b.illustrate(&d, public)
	return d
}

// required reports whether a parameter has to be given: a pointer may be left out unless something behind it may not.
func required(rest []reflect.Type) bool {
	return slices.ContainsFunc(rest, func(t reflect.Type) bool { return t.Kind() != reflect.Pointer })
}

func (b *builder) result(row Row, m gethrpc.Method) schema {
	if row.Result == "" {
		if m.Result == nil {
			return schema{"type": "null"}
		}
		return b.schemas.of(m.Result)
	}
	value, ok := b.schemas.expression(row.Result)
	if !ok {
		b.fail(row.Method, fmt.Sprintf("result %s names no schema", row.Result))
	}
	return value
}

// illustrate adds errors and an example from the conversations.
func (b *builder) illustrate(d *Method, needed bool) {
	for _, refusal := range b.examples.refusals[d.Name] {
		if needed {
			d.Errors = append(d.Errors, Error(refusal))
		}
	}
	example, ok := b.examples.calls[d.Name]
	if !ok {
		if needed {
			b.fail(d.Name, "no conversation has an example: add tests/rpc/methods/"+d.Name+".io")
		}
		return
	}
	pair := ExamplePairs{Name: d.Name, Params: []ExampleValue{}, Result: ExampleValue{"result", example.Result}}
	for i, value := range example.Params {
		if i < len(d.Params) {
			pair.Params = append(pair.Params, ExampleValue{d.Params[i].Name, value})
		}
	}
	d.Examples = []ExamplePairs{pair}
}

// subscription describes one of the two methods about subscriptions of a namespace.
func (b *builder) subscription(namespace string, row Row) Method {
	public := namespace == "eth"
	d := Method{
		Name: namespace + "_" + row.Method, Tags: []Tag{{namespace}}, Summary: row.Summary, ParamStructure: "by-position",
		Result: Content{Name: "result"}, Profile: profileOperator,
	}
	if public {
		d.Profile = profilePublic
	}
	for i, name := range row.names() {
		content := Content{Name: name, Summary: meanings()[name], Required: i == 0, Schema: schema{}}
		switch name {
		case "kind":
			content.Schema = schema{"enum": b.node.Kinds[namespace]}
		case "subscription":
			content.Schema = component("Identifier")
		}
		d.Params = append(d.Params, content)
	}
	d.Result.Schema = b.result(row, gethrpc.Method{})
	b.illustrate(&d, public)
	return d
}

// reachable returns the components that methods refer to, also through others.
func (s *schemas) reachable(methods []Method) map[string]schema {
	found := make(map[string]schema)
	var visit func(value any)
	visit = func(value any) {
		switch value := value.(type) {
		case schema:
			if ref, ok := value["$ref"].(string); ok {
				name := ref[strings.LastIndex(ref, "/")+1:]
				if _, ok := found[name]; !ok {
					found[name] = s.components[name]
					visit(s.components[name])
				}
			}
			for _, inner := range value {
				visit(inner)
			}
		case []schema:
			for _, inner := range value {
				visit(inner)
			}
		}
	}
	for _, m := range methods {
		visit(m.Result.Schema)
		for _, p := range m.Params {
			visit(p.Schema)
		}
	}
	return found
}
