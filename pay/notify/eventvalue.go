// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// render returns a value of package abi as it stands in JSON.
func render(t *abi.Type, value any) (any, error) {
	switch t.T {
	case abi.IntTy, abi.UintTy:
		return fmt.Sprint(value), nil
	case abi.BoolTy:
		return value, nil
	case abi.StringTy:
		if text, ok := value.(string); ok && isText(text) {
			return text, nil
		}
		return nil, errText
	case abi.AddressTy:
		return fmt.Sprint(value), nil
	case abi.BytesTy, abi.FixedBytesTy, abi.FunctionTy:
		return hexOf(reflect.ValueOf(value)), nil
	case abi.SliceTy, abi.ArrayTy:
		v := reflect.ValueOf(value)
		list := make([]any, v.Len())
		for i := range list {
			var err error
			if list[i], err = render(t.Elem, v.Index(i).Interface()); err != nil {
				return nil, err
			}
		}
		return list, nil
	case abi.TupleTy:
		v := reflect.ValueOf(value)
		list := make([]any, len(t.TupleElems))
		for i, part := range t.TupleElems {
			var err error
			if list[i], err = render(part, v.Field(i).Interface()); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	return nil, fmt.Errorf("values of type %v are not decoded", t)
}

// hexOf returns a slice or an array of bytes in hexadecimal.
func hexOf(v reflect.Value) string {
	content := make([]byte, v.Len())
	reflect.Copy(reflect.ValueOf(content), v)
	return hexutil.Encode(content)
}

// errLayout reports data that an encoder does not make, and that would decode to far more than it has bytes.
var errLayout = errors.New("the data ends early, or uses bytes more than once")

// checkLayout reports whether data has the values of types, each word used at most once. Offsets are what a log's
// author chooses: lists that all lead to the same bytes would decode to a number of values without bound.
func checkLayout(kinds []*abi.Type, data []byte) error {
	w := layout{data, len(data) / common.HashLength}
	return w.sequence(kinds, 0)
}

// layout walks over encoded values.
type layout struct {
	data   []byte
	budget int // words that are not used yet
}

func (w *layout) use(words int) error {
	if words < 0 || words > w.budget {
		return errLayout
	}
	w.budget -= words
	return nil
}

// length reads a word that is an offset or a length, at most that of the data.
func (w *layout) length(at int) (int, error) {
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

// sequence checks values of types one behind the other from base on, as in a tuple.
func (w *layout) sequence(kinds []*abi.Type, base int) error {
	at := base
	for _, t := range kinds {
		if err := w.value(t, at, base); err != nil {
			return err
		}
		at += headSize(t)
	}
	return nil
}

// value checks a value whose head is at a place. Offsets start at base.
func (w *layout) value(t *abi.Type, at, base int) error {
	if isDynamic(t) {
		if err := w.use(1); err != nil {
			return err
		}
		offset, err := w.length(at)
		if err != nil {
			return err
		}
		at = base + offset
	}
	switch t.T {
	case abi.StringTy, abi.BytesTy:
		size, err := w.length(at)
		if err != nil || at+common.HashLength+size > len(w.data) {
			return errLayout
		}
		return w.use(1 + (size+common.HashLength-1)/common.HashLength)
	case abi.SliceTy:
		count, err := w.length(at)
		if err != nil || count > w.budget {
			return errLayout
		}
		if err := w.use(1); err != nil {
			return err
		}
		return w.repeated(t.Elem, count, at+common.HashLength)
	case abi.ArrayTy:
		return w.repeated(t.Elem, t.Size, at)
	case abi.TupleTy:
		return w.sequence(t.TupleElems, at)
	}
	if at < 0 || at+common.HashLength > len(w.data) {
		return errLayout
	}
	return w.use(1)
}

func (w *layout) repeated(t *abi.Type, count, base int) error {
	size := headSize(t)
	for i := range count {
		if err := w.value(t, base+i*size, base); err != nil {
			return err
		}
	}
	return nil
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
