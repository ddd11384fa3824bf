// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"bytes"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"pgregory.net/rapid"

	"gwon/internal/must"
)

// The size of call data is that of its arguments, as the encoder of go-ethereum writes them.
func TestSizeOfCallData(t *testing.T) {
	values := map[string]any{
		"address": common.Address{1}, "uint256": big.NewInt(7), "bool": true, "bytes32": [32]byte{1},
		"bytes": []byte("12345"), "string": strings.Repeat("x", 65), "uint8[3]": [3]uint8{1, 2, 3},
		"uint256[]": []*big.Int{big.NewInt(1), big.NewInt(2)},
		"address[]": []common.Address{}, "bytes4[2][]": [][2][4]byte{{}, {}, {}},
	}
	kinds := make([]string, 0, len(values))
	for kind := range values {
		kinds = append(kinds, kind)
	}
	rapid.Check(t, func(r *rapid.T) {
		names := rapid.SliceOfN(rapid.SampledFrom(kinds), 0, 6).Draw(r, "arguments")
		s := new(Selector)
		must.Do(r, s.UnmarshalText([]byte("f("+strings.Join(names, ",")+")")))
		var arguments abi.Arguments
		var given []any
		for _, name := range names {
			kind := must.Get(abi.NewType(name, "", nil))(r)
			arguments, given = append(arguments, abi.Argument{Type: kind}), append(given, values[name])
		}
		packed := must.Get(arguments.Pack(given...))(r)
		data := append(s.ID[:], packed...)
		if got := callSize(s.arguments, data); got != len(data) {
			r.Errorf("%d bytes, want %d", got, len(data))
		}
		if got := callSize(s.arguments, append(data, 0)); got != len(data) {
			r.Errorf("with a byte behind: %d bytes, want %d", got, len(data))
		}
	})
}

// What contains other things with a length of their own has no known size, and lengths that cannot be are no panic.
func TestUnknownSizes(t *testing.T) {
	for function, known := range map[string]bool{
		"stop()": true, "f(bytes)": true, "f((address,uint256[2]),bool)": true, "f(uint256[][])": false,
		"f(uint256[][2])": false, "f((uint256,bytes))": false, "f(bytes[2])": false, "f(string[])": false,
		"f((uint256,uint256[])[2])": false, "f(what)": false,
	} {
		s := new(Selector)
		if err := s.UnmarshalText([]byte(function)); err != nil || (s.arguments != nil) != known {
			t.Errorf("%s: sizes %v, error %v", function, s.arguments, err)
		}
	}
	s := new(Selector)
	must.Do(t, s.UnmarshalText([]byte("f(bytes,uint256[])")))
	rapid.Check(t, func(r *rapid.T) {
		data := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 32, 64, 0xff}), 0, 300).Draw(r, "data")
		if size := callSize(s.arguments, data); size < 4+4*wordSize || size > 4+4*wordSize+2*(len(data)+wordSize) {
			r.Errorf("%d bytes of %d", size, len(data))
		}
	})
	if size := callSize(s.arguments, bytes.Repeat([]byte{0xff}, 9000)); size != 4+4*wordSize {
		t.Errorf("lengths that cannot be: %d bytes", size)
	}
}

// FuzzSizeOfCallData: any call data have a size within what their arguments can take, however lengths overlap.
func FuzzSizeOfCallData(f *testing.F) {
	sizes := []argumentSize{{head: wordSize, item: 1}, {head: 2 * wordSize}, {head: wordSize, item: 3 * wordSize}}
	f.Add(make([]byte, 4+4*wordSize))
	f.Add(append(make([]byte, 4+wordSize-1), 0x40, 0xff))
	f.Add([]byte{1, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		const least = 4 + (1+2+1)*wordSize + 2*wordSize
		size := callSize(sizes, data)
		if most := least + 2*(len(data)+wordSize); size < least || size > most {
			t.Errorf("size %d of %d bytes, want %d to %d", size, len(data), least, most)
		}
	})
}
