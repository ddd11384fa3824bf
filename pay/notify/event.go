// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/internal/abivalue"
	"gwon/internal/atomicfile"
	"gwon/internal/txobject"
)

const (
	maxEvents     = 16      // of one webhook
	maxContracts  = 1000    // of one webhook, and of one query of a node
	maxParameters = 32      // of an event
	maxIndexed    = 3       // the signature takes the first of four topics
	maxDepth      = 8       // of arrays and tuples within each other
	maxElements   = 1024    // that a type fixes, such as 6 for uint8[2][3]
	maxData       = 1 << 16 // bytes of a log that are decoded
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
}

// event is an event whose logs can be decoded.
type event struct {
	signature  string // with types alone
	topic      common.Hash
	parameters abi.Arguments
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
	indexed := make(map[string]*abi.Argument)
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
			topic, err := topicOf(&p.Type, text)
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
	content, err := atomicfile.Read(path)
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
	e := new(event)
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
		kind, err := abi.NewType(marshaled.Type, "", marshaled.Components)
		if err == nil {
			_, err = elements(&kind, 0)
		}
		if err != nil {
			return nil, fmt.Errorf("parameter %d, %q: %w", i+1, p.Name, err)
		}
		e.parameters = append(e.parameters, abi.Argument{Name: p.Name, Type: kind, Indexed: p.Indexed})
		kinds = append(kinds, kind.String())
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

// topicOf returns the topic of a wanted value. The error continues a sentence that begins with the text.
func topicOf(t *abi.Type, text string) (common.Hash, error) {
	switch t.T {
	case abi.AddressTy:
		address, err := txobject.ParseAddress(text)
		if err != nil {
			return common.Hash{}, fmt.Errorf("is no right address: %w", err)
		}
		return common.BytesToHash(address[:]), nil
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
		if text == "" || !ok || !abivalue.Fits(n, t) {
			return common.Hash{}, fmt.Errorf("is no %v, in decimal or 0x digits", t)
		}
		return common.BytesToHash(math.U256Bytes(n)), nil
	case abi.FixedBytesTy, abi.FunctionTy:
		size := t.Size
		if t.T == abi.FunctionTy {
			size = abivalue.FunctionSize
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
type Argument = abivalue.Argument

// decode returns the arguments of a log of the event.
func (e *event) decode(l *types.Log) ([]Argument, error) {
	if len(l.Data) > maxData {
		return nil, fmt.Errorf("the data has %d bytes, at most %d are decoded", len(l.Data), maxData)
	}
	return abivalue.Rules{}.Log(e.parameters, l)
}
