// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

var (
	// errLayout reports data that an encoder does not make, and that would decode to far more than it has bytes.
	errLayout = errors.New("the data ends early, or uses bytes more than once")
	// errText reports a text that JSON cannot carry.
	errText = errors.New("a string is not UTF-8")
)

// values reads encoded values as they stand in JSON, each word at most once. Offsets are what a log's author chooses:
// lists that all lead to the same bytes would decode to a number of values without bound.
type values struct {
	data   []byte
	budget int // words that are not used yet
}

// valuesOf returns the values of types that data has one behind the other.
func valuesOf(kinds []*abi.Type, data []byte) ([]any, error) {
	w := values{data, len(data) / common.HashLength}
	return w.sequence(kinds, 0)
}

func (w *values) use(words int) error {
	if words < 0 || words > w.budget {
		return errLayout
	}
	w.budget -= words
	return nil
}

// length reads a word that is an offset or a length, at most that of the data.
func (w *values) length(at int) (int, error) {
	if at < 0 || at+common.HashLength > len(w.data) {
		return 0, errLayout
	}
	word := w.data[at : at+common.HashLength]
	n := binary.BigEndian.Uint64(word[24:])
	if common.BytesToHash(word[:24]) != (common.Hash{}) || n > uint64(len(w.data)) {
		return 0, errLayout
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
			return nil, errLayout
		}
		content := w.data[at : at+size]
		switch err := w.use(1 + (size+common.HashLength-1)/common.HashLength); {
		case err != nil:
			return nil, err
		case t.T == abi.BytesTy:
			return hexutil.Encode(content), nil
		case !utf8.Valid(content):
			return nil, errText
		}
		return string(content), nil
	case abi.SliceTy:
		count, err := w.length(at)
		if err != nil || count > w.budget {
			return nil, errLayout
		}
		if err := w.use(1); err != nil {
			return nil, err
		}
		return w.sequence(slices.Repeat([]*abi.Type{t.Elem}, count), at+common.HashLength)
	case abi.ArrayTy:
		return w.sequence(slices.Repeat([]*abi.Type{t.Elem}, t.Size), at)
	case abi.TupleTy:
		return w.sequence(t.TupleElems, at)
	}
	if at < 0 || at+common.HashLength > len(w.data) {
		return nil, errLayout
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
		return hexutil.Encode(word[:functionSize]), nil
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
	if !fits(n, t) {
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
