// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
)

// record is an output object.
type record = map[string]any

// reader reads a JSON object of a case's input. The first value that has not the expected form is kept in the shared
// error; later reads return zero values.
type reader struct {
	fields map[string]any
	path   string
	err    *error
}

func newReader(fields map[string]any) reader { return reader{fields: fields, err: new(error)} }

func (r reader) fail(key, want string) {
	if *r.err == nil {
		*r.err = fmt.Errorf("input %s%s: want %s", r.path, key, want)
	}
}

// has reports whether a field is there and not null.
func (r reader) has(key string) bool { return r.fields[key] != nil }

func (r reader) text(key string) string {
	s, ok := r.fields[key].(string)
	if !ok {
		r.fail(key, "a string")
	}
	return s
}

func (r reader) bytes(key string) []byte { return r.decodeBytes(key, r.fields[key]) }

func (r reader) decodeBytes(key string, value any) []byte {
	s, ok := value.(string)
	digits, prefixed := strings.CutPrefix(s, "0x")
	b, err := hex.DecodeString(digits)
	if !ok || !prefixed || err != nil {
		r.fail(key, "bytes in hex")
	}
	return b
}

func (r reader) fixed(key string, size int) []byte {
	b := r.bytes(key)
	if len(b) != size {
		r.fail(key, fmt.Sprintf("%d bytes", size))
		return make([]byte, size)
	}
	return b
}

func (r reader) address(key string) common.Address {
	return common.Address(r.fixed(key, common.AddressLength))
}
func (r reader) hash(key string) common.Hash { return common.Hash(r.fixed(key, common.HashLength)) }

func (r reader) integer(key string) *big.Int { return r.decodeInteger(key, r.fields[key]) }

func (r reader) decodeInteger(key string, value any) *big.Int {
	s, _ := value.(string)
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		r.fail(key, "a decimal integer")
		return new(big.Int)
	}
	return n
}

// number reads an integer of at most 64 bits.
func (r reader) number(key string) uint64 {
	n := r.integer(key)
	if !n.IsUint64() {
		r.fail(key, "an integer of 64 bits")
	}
	return n.Uint64()
}

// optional reads an integer of 64 bits that may be null.
func (r reader) optional(key string) *uint64 {
	if !r.has(key) {
		return nil
	}
	return new(r.number(key))
}

func (r reader) object(key string) reader { return r.asObject(key, r.fields[key]) }

func (r reader) asObject(key string, value any) reader {
	fields, ok := value.(map[string]any)
	if !ok {
		r.fail(key, "an object")
	}
	return reader{fields, r.path + key + ".", r.err}
}

func (r reader) items(key string) []any {
	list, ok := r.fields[key].([]any)
	if !ok {
		r.fail(key, "a list")
	}
	return list
}

func (r reader) objects(key string) []reader {
	items := r.items(key)
	list := make([]reader, len(items))
	for i, item := range items {
		list[i] = r.asObject(fmt.Sprintf("%s[%d]", key, i), item)
	}
	return list
}

func (r reader) byteList(key string) [][]byte {
	items := r.items(key)
	list := make([][]byte, len(items))
	for i, item := range items {
		list[i] = r.decodeBytes(fmt.Sprintf("%s[%d]", key, i), item)
	}
	return list
}

func (r reader) addresses(key string) []common.Address {
	var list []common.Address
	for _, b := range r.byteList(key) {
		if len(b) != common.AddressLength {
			r.fail(key, "addresses")
		}
		list = append(list, common.BytesToAddress(b))
	}
	return list
}

func (r reader) numbers(key string) []uint64 {
	var list []uint64
	for i, item := range r.items(key) {
		n := r.decodeInteger(fmt.Sprintf("%s[%d]", key, i), item)
		if !n.IsUint64() {
			r.fail(key, "integers of 64 bits")
		}
		list = append(list, n.Uint64())
	}
	return list
}

// header decodes a header. An error is that of the operation: how a header is decoded is under test as well.
func (r reader) header(key string) (*types.Header, error) { return decodeHeader(r.bytes(key)) }

func decodeHeader(encoded []byte) (*types.Header, error) {
	h := new(types.Header)
	if err := rlp.DecodeBytes(encoded, h); err != nil {
		return nil, fmt.Errorf("decode header: %w", err)
	}
	return h, nil
}

func toHex(b []byte) string { return "0x" + hex.EncodeToString(b) }

func decimal[N interface {
	~int | ~uint64 | ~uint32 | ~int64
}](n N) string {
	return fmt.Sprintf("%d", n)
}

// orNull returns nil for a nil pointer, so that it is written as null, and the written form of others.
func orNull[T any](p *T, write func(*T) any) any {
	if p == nil {
		return nil
	}
	return write(p)
}

// listOf writes a list, an empty one as [].
func listOf[T any](items []T, write func(T) any) []any {
	list := make([]any, len(items))
	for i, item := range items {
		list[i] = write(item)
	}
	return list
}

func hexItem(b []byte) any             { return toHex(b) }
func addressItem(a common.Address) any { return toHex(a[:]) }
func encodeHeader(h *types.Header) (any, error) {
	encoded, err := rlp.EncodeToBytes(h)
	return toHex(encoded), err
}

func hashItem(h common.Hash) any { return toHex(h[:]) }
