// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"pgregory.net/rapid"

	"gwon/internal/must"
)

// TestSizeOfCallData: the size of call data is that of its arguments, as the encoder of go-ethereum writes them.
func TestSizeOfCallData(t *testing.T) {
	values := map[string]any{
		"address": common.Address{1}, "uint256": big.NewInt(7), "bool": true, "bytes32": [32]byte{1},
		"bytes": []byte("12345"), "string": strings.Repeat("x", 65) + "\xff", "uint8[3]": [3]uint8{1, 2, 3},
		"uint256[]": []*big.Int{big.NewInt(1), big.NewInt(2)},
		"address[]": []common.Address{}, "bytes4[2][]": [][2][4]byte{{}, {}, {}}, "string[]": []string{"a", ""},
		"bytes[][2]": [2][][]byte{{{1}, {2, 3}}, {}},
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
		for behind := range 3 * common.HashLength {
			if got, _ := callSize(s.arguments, append(data, make([]byte, behind)...)); got != len(data) {
				r.Errorf("with %d bytes behind: %d bytes, want %d", behind, got, len(data))
			}
		}
	})
}

// FuzzSizeOfCallData: any call data have a size within their own, however lengths overlap.
func FuzzSizeOfCallData(f *testing.F) {
	s := new(Selector)
	must.Do(f, s.UnmarshalText([]byte("f(bytes,(uint256,bool),(bool,string[])[][])")))
	f.Add(make([]byte, 4+4*common.HashLength))
	f.Add(append(make([]byte, 4+common.HashLength-1), 0x40, 0xff))
	f.Add([]byte{1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < len(s.ID) {
			return // has no selector
		}
		if size, reason := callSize(s.arguments, data); size < len(s.ID) || size > len(data)+common.HashLength || reason == "" {
			t.Errorf("size %d of %d bytes: %s", size, len(data), reason)
		}
	})
}
