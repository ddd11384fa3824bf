// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"encoding/binary"

	"github.com/ethereum/go-ethereum/accounts/abi"
)

const wordSize = 32

// argumentSize tells how many bytes of call data an argument of a function takes.
type argumentSize struct {
	head int // bytes in the part of fixed size
	item int // bytes of an item of a list, 1 for string and bytes, 0 for what has no length of its own
}

// sizesOf returns the sizes of the arguments of a function. It is nil where lists or tuples contain what has a length
// of its own.
func sizesOf(function abi.SelectorMarshaling) []argumentSize {
	sizes := make([]argumentSize, 0, len(function.Inputs))
	for _, input := range function.Inputs {
		kind, err := abi.NewType(input.Type, "", input.Components)
		if err != nil {
			return nil
		}
		size := argumentSize{head: wordSize}
		switch kind.T {
		case abi.StringTy, abi.BytesTy:
			size.item = 1
		case abi.SliceTy:
			size.item = wordsOf(kind.Elem) * wordSize
		default:
			size.head = wordsOf(&kind) * wordSize
		}
		if size.head == 0 || kind.T == abi.SliceTy && size.item == 0 {
			return nil
		}
		sizes = append(sizes, size)
	}
	return sizes
}

// wordsOf returns the words of a type of fixed size, 0 for other types.
func wordsOf(kind *abi.Type) int {
	switch kind.T {
	case abi.StringTy, abi.BytesTy, abi.SliceTy:
		return 0
	case abi.ArrayTy:
		return kind.Size * wordsOf(kind.Elem)
	case abi.TupleTy:
		sum := 0
		for _, elem := range kind.TupleElems {
			n := wordsOf(elem)
			if n == 0 {
				return 0
			}
			sum += n
		}
		return sum
	default:
		return 1
	}
}

// callSize returns how many bytes of call data the arguments in it take. Lengths that the data cannot have count as 0.
func callSize(arguments []argumentSize, data []byte) int {
	sum, at := len(Selector{}.ID), len(Selector{}.ID)
	body := data[min(len(data), at):]
	head := 0
	for _, a := range arguments {
		if sum += a.head; a.item > 0 {
			length, ok := lengthAt(body, head)
			if !ok || length > len(body)/a.item {
				length = 0
			}
			sum += wordSize + (length*a.item+wordSize-1)/wordSize*wordSize
		}
		head += a.head
	}
	return sum
}

// lengthAt returns the length of the argument that begins where the word at an offset says.
func lengthAt(body []byte, offset int) (int, bool) {
	start, ok := wordAt(body, offset)
	if !ok {
		return 0, false
	}
	return wordAt(body, start)
}

// wordAt returns a word that is an offset or a length within the data.
func wordAt(body []byte, offset int) (int, bool) {
	if offset > len(body)-wordSize {
		return 0, false
	}
	word := body[offset : offset+wordSize]
	for _, b := range word[:wordSize-4] {
		if b != 0 {
			return 0, false
		}
	}
	n := int(binary.BigEndian.Uint32(word[wordSize-4:]))
	return n, n <= len(body)
}
