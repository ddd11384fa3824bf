// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package abivalue

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
)

var (
	// ErrLayout reports data that an encoder does not make, and that would decode to far more than it has bytes.
	ErrLayout = errors.New("the data ends early, or uses bytes more than once")
	// errText reports a text that JSON cannot carry.
	errText = errors.New("a string is not UTF-8")
)

// FunctionSize is the bytes of an address and a selector.
const FunctionSize = 24

// Argument is a decoded value of a call, log or error.
type Argument struct {
	Name string `json:"name"`
	Type string `json:"type"`
	// Value is text for numbers (decimal), addresses and bytes (hex), and a list for arrays and tuples.
	Value any `json:"value"`
	// Hashed says that Value is the Keccak-256 in the place of an indexed value that does not fit a topic.
	Hashed bool   `json:"hashed,omitempty"`
	Text   string `json:"text,omitempty"` // amounts, for a person
}

// Rules say how values are read.
type Rules struct {
	Words int  // that are read at most; those of the data where it has more, so that 0 reads no word twice
	Named bool // a tuple is a list of Arguments, and text need not be UTF-8
}

// Decode returns the values that data has one behind the other.
func (r Rules) Decode(specs abi.Arguments, data []byte) ([]Argument, error) {
	list, _, err := r.decode(specs, data)
	return list, err
}

// Size returns how many bytes of data its values take, each in whole words.
func (r Rules) Size(specs abi.Arguments, data []byte) (int, error) {
	_, words, err := r.decode(specs, data)
	return words * common.HashLength, err
}

func (r Rules) decode(specs abi.Arguments, data []byte) (list []Argument, words int, err error) {
	kinds := make([]*abi.Type, len(specs))
	list = make([]Argument, len(specs))
	for i := range specs {
		kinds[i] = &specs[i].Type
		list[i] = Argument{Name: specs[i].Name, Type: specs[i].Type.String()}
	}
	most := max(r.Words, len(data)/common.HashLength)
	w := values{data, most, r.Named}
	decoded, err := w.sequence(kinds, 0)
	if err != nil {
		return nil, 0, err
	}
	for i, value := range decoded {
		list[i].Value = value
	}
	return list, most - w.budget, nil
}

// Log returns the values of a log in the order of its event. Indexed values that do not fit a topic are hashes.
func (r Rules) Log(specs abi.Arguments, l *types.Log) ([]Argument, error) {
	plain, topics := specs.NonIndexed(), l.Topics[min(1, len(l.Topics)):]
	switch indexed := len(specs) - len(plain); {
	case len(topics) < indexed:
		return nil, errors.New("it has fewer topics than the event has indexed parameters")
	case len(topics) > indexed:
		return nil, errors.New("it has more topics than the event has indexed parameters")
	}
	decoded, err := r.Decode(plain, l.Data)
	if err != nil {
		return nil, err
	}
	list := make([]Argument, len(specs))
	for i := range specs {
		if !specs[i].Indexed {
			list[i], decoded = decoded[0], decoded[1:]
			continue
		}
		list[i] = Argument{Name: specs[i].Name, Type: specs[i].Type.String(), Value: topics[0].Hex()}
		if list[i].Hashed = !IsWord(&specs[i].Type); !list[i].Hashed {
			if list[i].Value, err = wordOf(&specs[i].Type, topics[0][:]); err != nil {
				return nil, fmt.Errorf("topic of parameter %d: %w", i+1, err)
			}
		}
		topics = topics[1:]
	}
	return list, nil
}

// IsWord reports whether a type stands in a topic as itself, not as its hash.
func IsWord(t *abi.Type) bool {
	switch t.T {
	case abi.IntTy, abi.UintTy, abi.BoolTy, abi.AddressTy, abi.FixedBytesTy, abi.FunctionTy:
		return true
	}
	return false
}

// Fits reports whether an integer is one of a type.
func Fits(n *big.Int, t *abi.Type) bool {
	if t.T == abi.UintTy {
		return n.Sign() >= 0 && n.BitLen() <= t.Size
	}
	if n.Sign() < 0 {
		n = new(big.Int).Not(n) // -1 - n has the bits that count
	}
	return n.BitLen() < t.Size
}

// values reads encoded values as they stand in JSON. Offsets are what the author of the data chooses: lists that all
// lead to the same bytes would decode to a number of values without bound.
type values struct {
	data   []byte
	budget int // words that are not used yet
	named  bool
}

func (w *values) use(words int) error {
	if words < 0 || words > w.budget {
		return ErrLayout
	}
	w.budget -= words
	return nil
}

// length reads a word that is an offset or a length, at most that of the data.
func (w *values) length(at int) (int, error) {
	if at < 0 || at+common.HashLength > len(w.data) {
		return 0, ErrLayout
	}
	word := w.data[at : at+common.HashLength]
	n := binary.BigEndian.Uint64(word[24:])
	if common.BytesToHash(word[:24]) != (common.Hash{}) || n > uint64(len(w.data)) {
		return 0, ErrLayout
	}
	return int(n), nil //nolint:gosec // at most the length of data
}

// sequence reads values of types one behind the other from base on, as in a tuple.
func (w *values) sequence(kinds []*abi.Type, base int) ([]any, error) {
	list, at := make([]any, len(kinds)), base
	for i, t := range kinds {
		var err error
		if list[i], err = w.value(t, at, base); err != nil {
			return nil, err
		}
		at += headSize(t)
	}
	return list, nil
}

// value reads a value whose head is at a place. Offsets start at base.
func (w *values) value(t *abi.Type, at, base int) (any, error) {
	if isDynamic(t) {
		offset, err := w.length(at)
		if err = cmp.Or(err, w.use(1)); err != nil {
			return nil, err
		}
		at = base + offset
	}
	switch t.T {
	case abi.StringTy, abi.BytesTy:
		size, err := w.length(at)
		at += common.HashLength
		if err != nil || at+size > len(w.data) {
			return nil, ErrLayout
		}
		content := w.data[at : at+size]
		switch err := w.use(1 + (size+common.HashLength-1)/common.HashLength); {
		case err != nil:
			return nil, err
		case t.T == abi.BytesTy:
			return hexutil.Encode(content), nil
		case !utf8.Valid(content) && !w.named:
			return nil, errText
		}
		return strings.ToValidUTF8(string(content), "\uFFFD"), nil
	case abi.SliceTy:
		count, err := w.length(at)
		if err != nil || count > w.budget {
			return nil, ErrLayout
		}
		if err := w.use(1); err != nil {
			return nil, err
		}
		return w.sequence(slices.Repeat([]*abi.Type{t.Elem}, count), at+common.HashLength)
	case abi.ArrayTy:
		if t.Size > w.budget {
			return nil, ErrLayout
		}
		return w.sequence(slices.Repeat([]*abi.Type{t.Elem}, t.Size), at)
	case abi.TupleTy:
		list, err := w.sequence(t.TupleElems, at)
		if err != nil || !w.named {
			return list, err
		}
		fields := make([]Argument, len(list))
		for i, elem := range t.TupleElems {
			fields[i] = Argument{Name: t.TupleRawNames[i], Type: elem.String(), Value: list[i]}
		}
		return fields, nil
	}
	if at < 0 || at+common.HashLength > len(w.data) {
		return nil, ErrLayout
	}
	if err := w.use(1); err != nil {
		return nil, err
	}
	return wordOf(t, w.data[at:at+common.HashLength])
}

// wordOf returns a value of one word as it stands in JSON.
func wordOf(t *abi.Type, word []byte) (any, error) {
	n := new(big.Int).SetBytes(word)
	switch t.T {
	case abi.AddressTy:
		return common.BytesToAddress(word).Hex(), nil
	case abi.FixedBytesTy:
		return hexutil.Encode(word[:t.Size]), nil
	case abi.FunctionTy:
		return hexutil.Encode(word[:FunctionSize]), nil
	case abi.BoolTy:
		if n.BitLen() > 1 {
			return nil, fmt.Errorf("%v is no %v", n, t)
		}
		return n.Sign() > 0, nil
	case abi.IntTy:
		if n.Bit(255) > 0 {
			n.Sub(n, new(big.Int).Lsh(common.Big1, 256))
		}
	case abi.UintTy:
	default:
		return nil, fmt.Errorf("values of type %v are not decoded", t)
	}
	if !Fits(n, t) {
		return nil, fmt.Errorf("%v is no %v", n, t)
	}
	return n.String(), nil
}

// isDynamic reports whether a value stands behind the heads, which have its offset.
func isDynamic(t *abi.Type) bool {
	switch t.T {
	case abi.StringTy, abi.BytesTy, abi.SliceTy:
		return true
	case abi.ArrayTy:
		return isDynamic(t.Elem)
	case abi.TupleTy:
		for _, part := range t.TupleElems {
			if isDynamic(part) {
				return true
			}
		}
	}
	return false
}

// headSize returns the bytes of a value, or of its offset, among the heads.
func headSize(t *abi.Type) int {
	if isDynamic(t) {
		return common.HashLength
	}
	switch t.T {
	case abi.ArrayTy:
		return t.Size * headSize(t.Elem)
	case abi.TupleTy:
		size := 0
		for _, part := range t.TupleElems {
			size += headSize(part)
		}
		return size
	}
	return common.HashLength
}
