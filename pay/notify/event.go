// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
)

const (
	maxEvents     = 16      // of one webhook
	maxContracts  = 1000    // of one webhook, and of one query of a node
	maxParameters = 32      // of an event
	maxIndexed    = 3       // the signature takes the first of four topics
	maxDepth      = 8       // of arrays and tuples within each other
	maxElements   = 1024    // that a type fixes, such as 6 for uint8[2][3]
	maxABI        = 4 << 20 // bytes of a file
	maxData       = 1 << 16 // bytes of a log that are decoded
	functionSize  = 24      // bytes of an address and a selector
)

// EventFilter names an event, and the values of indexed parameters that are wanted.
type EventFilter struct {
	// Signature is an event as Solidity writes it: "Paid(address indexed merchant, uint256 amount)".
	Signature string
	// ABI is the path of a JSON file, an ABI or an artifact that has one, and Name the event in it. They stand in the
	// place of Signature. Name may have the types, "Paid(address,uint256)", where events share one.
	ABI  string
	Name string
	// Where has the wanted values of indexed parameters by name; each parameter that is named must have one of them.
	Where map[string][]string

	event  *event
	topics [][]common.Hash // wanted after the signature; nil for any
}

// parameter is a parameter of an event as an ABI states it.
type parameter struct {
	Name       string      `json:"name"`
	Type       string      `json:"type"`
	Indexed    bool        `json:"indexed"`
	Components []parameter `json:"components"`

	of abi.Type
}

// event is an event whose logs can be decoded.
type event struct {
	signature  string // with types alone
	topic      common.Hash
	parameters []parameter
}

// check completes an event filter. A relative path starts at directory.
func (f *EventFilter) check(directory string) error {
	var err error
	switch {
	case f.Signature != "" && f.ABI == "" && f.Name == "":
		f.event, err = parseSignature(f.Signature)
	case f.Signature == "" && f.ABI != "" && f.Name != "":
		f.event, err = loadEvent(beside(directory, f.ABI), f.Name)
	default:
		err = errors.New("give signature, or abi and name")
	}
	if err != nil {
		return err
	}
	indexed := make(map[string]*parameter)
	order := make(map[string]int)
	for i := range f.event.parameters {
		if p := &f.event.parameters[i]; p.Indexed {
			order[p.Name] = len(order)
			indexed[p.Name] = p
		}
	}
	f.topics = make([][]common.Hash, maxIndexed)
	for name, values := range f.Where {
		p := indexed[name]
		if p == nil || name == "" {
			return fmt.Errorf("where: %s has no indexed parameter %.80q", f.event.signature, name)
		}
		if len(values) == 0 || len(values) > maxTopics {
			return fmt.Errorf("where: %s has %d values, 1 to %d are possible", name, len(values), maxTopics)
		}
		for _, text := range values {
			topic, err := topicOf(&p.of, text)
			if err != nil {
				return fmt.Errorf("where: %s: %.80q %w", name, text, err)
			}
			f.topics[order[name]] = append(f.topics[order[name]], topic)
		}
	}
	return nil
}

// loadEvent reads an event of a file with an ABI.
func loadEvent(path, name string) (*event, error) {
	content, err := readBounded(path, maxABI)
	if err != nil {
		return nil, fmt.Errorf("abi: %w", err)
	}
	if trimmed := bytes.TrimSpace(content); len(trimmed) > 0 && trimmed[0] == '{' {
		var artifact struct{ ABI json.RawMessage }
		if err := json.Unmarshal(content, &artifact); err != nil {
			return nil, fmt.Errorf("abi %s: %w", path, err)
		}
		content = artifact.ABI
	}
	var entries []struct {
		Type, Name string
		Anonymous  bool
		Inputs     []parameter
	}
	if err := json.Unmarshal(content, &entries); err != nil {
		return nil, fmt.Errorf("abi %s is no list of entries: give the JSON that the compiler writes: %w", path, err)
	}
	var found []*event
	for _, e := range entries {
		if e.Type != "event" || e.Name != name && !strings.HasPrefix(name, e.Name+"(") {
			continue
		}
		if e.Anonymous {
			return nil, fmt.Errorf("abi %s: event %s is anonymous: its logs do not name it", path, e.Name)
		}
		made, err := newEvent(e.Name, e.Inputs)
		if err != nil {
			return nil, fmt.Errorf("abi %s: event %s: %w", path, e.Name, err)
		}
		if e.Name == name || made.signature == name {
			found = append(found, made)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("abi %s has no event %.80q", path, name)
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("abi %s has %d events %s: give one with its types, such as %s", path, len(found), name,
		found[0].signature)
}

// newEvent checks the parameters of an event, and makes it.
func newEvent(name string, parameters []parameter) (*event, error) {
	if len(parameters) > maxParameters {
		return nil, fmt.Errorf("%d parameters, at most %d are decoded", len(parameters), maxParameters)
	}
	e := &event{parameters: parameters}
	var kinds []string
	indexed := 0
	seen := make(map[string]bool)
	for i := range parameters {
		p := &parameters[i]
		if p.Name != "" && seen[p.Name] {
			return nil, fmt.Errorf("two parameters are named %q", p.Name)
		}
		seen[p.Name] = true
		if p.Indexed {
			indexed++
		}
		marshaled, err := p.marshaling(0)
		if err != nil {
			return nil, err
		}
		if p.of, err = abi.NewType(marshaled.Type, "", marshaled.Components); err != nil {
			return nil, fmt.Errorf("parameter %d, %q: %w", i+1, p.Name, err)
		}
		if _, err := elements(&p.of, 0); err != nil {
			return nil, fmt.Errorf("parameter %d, %q: %w", i+1, p.Name, err)
		}
		kinds = append(kinds, p.of.String())
	}
	if indexed > maxIndexed {
		return nil, fmt.Errorf("%d indexed parameters, at most %d are possible", indexed, maxIndexed)
	}
	e.signature = name + "(" + strings.Join(kinds, ",") + ")"
	e.topic = crypto.Keccak256Hash([]byte(e.signature))
	return e, nil
}

// marshaling returns a parameter for package abi. Components are named by their places: values of tuples are delivered
// in order, and a name that is no identifier of Go would be refused.
func (p *parameter) marshaling(depth int) (abi.ArgumentMarshaling, error) {
	if depth > maxDepth {
		return abi.ArgumentMarshaling{}, fmt.Errorf("tuples are nested more than %d deep", maxDepth)
	}
	kind, dimensions, _ := strings.Cut(p.Type, "[")
	if kind == "uint" || kind == "int" {
		kind += "256"
	}
	if strings.HasPrefix(kind, "fixed") || strings.HasPrefix(kind, "ufixed") {
		return abi.ArgumentMarshaling{}, fmt.Errorf("type %.80s: fixed-point numbers are not decoded", p.Type)
	}
	if dimensions != "" {
		dimensions = "[" + dimensions
	}
	if strings.Count(dimensions, "[") > maxDepth {
		return abi.ArgumentMarshaling{}, fmt.Errorf("type %.80s has more than %d dimensions", p.Type, maxDepth)
	}
	made := abi.ArgumentMarshaling{Type: kind + dimensions}
	for i := range p.Components {
		component, err := p.Components[i].marshaling(depth + 1)
		if err != nil {
			return made, err
		}
		component.Name = fmt.Sprintf("item%d", i)
		made.Components = append(made.Components, component)
	}
	return made, nil
}

// elements returns how many values a type fixes, and refuses those that are too deep, too large or empty.
func elements(t *abi.Type, depth int) (int, error) {
	if depth > maxDepth {
		return 0, fmt.Errorf("arrays and tuples are nested more than %d deep", maxDepth)
	}
	count := 1
	switch t.T {
	case abi.SliceTy, abi.ArrayTy:
		inner, err := elements(t.Elem, depth+1)
		if err != nil {
			return 0, err
		}
		if t.T == abi.ArrayTy {
			if t.Size < 1 || t.Size > maxElements {
				return 0, fmt.Errorf("an array of %d elements, 1 to %d are decoded", t.Size, maxElements)
			}
			inner *= t.Size
		}
		count = inner
	case abi.IntTy, abi.UintTy:
		if t.Size < 8 || t.Size > 256 || t.Size%8 != 0 {
			return 0, fmt.Errorf("there is no type %v", t)
		}
	case abi.TupleTy:
		count = 0
		for _, part := range t.TupleElems {
			inner, err := elements(part, depth+1)
			if err != nil {
				return 0, err
			}
			count += inner
		}
	}
	if count < 1 || count > maxElements {
		return 0, fmt.Errorf("a type of %d values, 1 to %d are decoded", count, maxElements)
	}
	return count, nil
}

// isWord reports whether a type stands in a topic as itself, not as its hash.
func isWord(t *abi.Type) bool {
	switch t.T {
	case abi.IntTy, abi.UintTy, abi.BoolTy, abi.AddressTy, abi.FixedBytesTy, abi.FunctionTy:
		return true
	}
	return false
}

// topicOf returns the topic of a wanted value. The error continues a sentence that begins with the text.
func topicOf(t *abi.Type, text string) (common.Hash, error) {
	switch t.T {
	case abi.AddressTy:
		if !common.IsHexAddress(text) || !strings.HasPrefix(text, "0x") {
			return common.Hash{}, errors.New("is no address, 0x and 40 hexadecimal digits")
		}
		return common.BytesToHash(common.HexToAddress(text).Bytes()), nil
	case abi.BoolTy:
		switch text {
		case "true":
			return common.Hash{31: 1}, nil
		case "false":
			return common.Hash{}, nil
		}
		return common.Hash{}, errors.New(`is neither "true" nor "false"`)
	case abi.IntTy, abi.UintTy:
		n, ok := math.ParseBig256(text)
		if text == "" || !ok || !fits(n, t) {
			return common.Hash{}, fmt.Errorf("is no %v, in decimal or 0x digits", t)
		}
		return common.BytesToHash(math.U256Bytes(n)), nil
	case abi.FixedBytesTy, abi.FunctionTy:
		size := t.Size
		if t.T == abi.FunctionTy {
			size = functionSize
		}
		content, err := hexutil.Decode(text)
		if err != nil || len(content) != size {
			return common.Hash{}, fmt.Errorf("is no %v, 0x and %d hexadecimal digits", t, 2*size)
		}
		return common.Hash(common.RightPadBytes(content, common.HashLength)), nil
	case abi.StringTy:
		return crypto.Keccak256Hash([]byte(text)), nil
	case abi.BytesTy:
		content, err := hexutil.Decode(text)
		if err != nil {
			return common.Hash{}, errors.New("is not 0x and hexadecimal digits")
		}
		return crypto.Keccak256Hash(content), nil
	}
	content, err := hexutil.Decode(text)
	if err != nil || len(content) != common.HashLength {
		return common.Hash{}, fmt.Errorf("is not the hash that stands for a %v, 0x and 64 hexadecimal digits", t)
	}
	return common.BytesToHash(content), nil
}

// fits reports whether an integer is one of a type.
func fits(n *big.Int, t *abi.Type) bool {
	if t.T == abi.UintTy {
		return n.Sign() >= 0 && n.BitLen() <= t.Size
	}
	if n.Sign() < 0 {
		n = new(big.Int).Not(n) // -1 - n has the bits that count
	}
	return n.BitLen() < t.Size
}

// matches reports whether a log is one of those that a filter asks for.
func (f *EventFilter) matches(l *types.Log) bool {
	if len(l.Topics) == 0 || l.Topics[0] != f.event.topic {
		return false
	}
	for i, wanted := range f.topics {
		if wanted == nil {
			continue
		}
		found := false
		for _, topic := range wanted {
			found = found || len(l.Topics) > i+1 && l.Topics[i+1] == topic
		}
		if !found {
			return false
		}
	}
	return true
}

// Argument is a value of an event.
type Argument struct {
	Name string `json:"name"`
	Type string `json:"type"`
	// Value has integers as decimal text, bytes and addresses as hexadecimal text, arrays and tuples as lists.
	Value any `json:"value"`
	// Hashed says that Value is the Keccak-256 in the place of an indexed value that does not fit a topic.
	Hashed bool `json:"hashed,omitempty"`
}

// decode returns the arguments of a log of the event.
func (e *event) decode(l *types.Log) ([]Argument, error) {
	if len(l.Data) > maxData {
		return nil, fmt.Errorf("the data has %d bytes, at most %d are decoded", len(l.Data), maxData)
	}
	var kinds []*abi.Type
	topics := l.Topics[1:]
	for i := range e.parameters {
		p := &e.parameters[i]
		if p.Indexed {
			if len(topics) == 0 {
				return nil, errors.New("it has fewer topics than the event has indexed parameters")
			}
			topics = topics[1:]
			continue
		}
		kinds = append(kinds, &p.of)
	}
	if len(topics) > 0 {
		return nil, errors.New("it has more topics than the event has indexed parameters")
	}
	values, err := valuesOf(kinds, l.Data)
	if err != nil {
		return nil, err
	}
	topics = l.Topics[1:]
	list := make([]Argument, len(e.parameters))
	for i := range e.parameters {
		p := &e.parameters[i]
		list[i] = Argument{Name: p.Name, Type: p.of.String()}
		switch {
		case !p.Indexed:
			list[i].Value, values = values[0], values[1:]
			continue
		case !isWord(&p.of):
			list[i].Value, list[i].Hashed = topics[0].Hex(), true
		default:
			if list[i].Value, err = wordOf(&p.of, topics[0][:]); err != nil {
				return nil, fmt.Errorf("topic of parameter %d: %w", i+1, err)
			}
		}
		topics = topics[1:]
	}
	return list, nil
}
