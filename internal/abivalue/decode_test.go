// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package abivalue

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/must"
)

// The words that are read are bounded, whatever offsets and sizes say. Rules for a person read some words twice, and
// show text that is no UTF-8 and the names in tuples.
func TestRules(t *testing.T) {
	word := func(n byte) []byte { return common.LeftPadBytes([]byte{n}, 32) }
	// Both offsets of a list of two lists lead to the same list of one number.
	twice := bytes.Join([][]byte{word(32), word(2), word(64), word(64), word(1), word(7)}, nil)
	text := bytes.Join([][]byte{word(32), word(1), common.RightPadBytes([]byte{0xff}, 32)}, nil)
	pair := []abi.ArgumentMarshaling{{Name: "a", Type: "uint8"}, {Name: "b", Type: "bool"}}
	for _, test := range []struct {
		name, kind string
		parts      []abi.ArgumentMarshaling
		rules      Rules
		data       []byte
		want       any
		err        error
	}{
		{"twice", "uint8[][]", nil, Rules{}, twice, nil, ErrLayout},
		{"twice for a person", "uint8[][]", nil, Rules{Words: 8}, twice, []any{[]any{"7"}, []any{"7"}}, nil},
		{"too often for a person", "uint8[][]", nil, Rules{Words: 7}, twice, nil, ErrLayout},
		{"size of a type", "uint8[1000000000]", nil, Rules{Words: 64}, word(1), nil, ErrLayout},
		{"no UTF-8", "string", nil, Rules{}, text, nil, errText},
		{"no UTF-8 for a person", "string", nil, Rules{Named: true}, text, "\uFFFD", nil},
		{"tuple", "tuple", pair, Rules{}, append(word(5), word(1)...), []any{"5", true}, nil},
		{"tuple for a person", "tuple", pair, Rules{Named: true}, append(word(5), word(1)...), []Argument{
			{Name: "a", Type: "uint8", Value: "5"}, {Name: "b", Type: "bool", Value: true},
		}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			kind := must.Get(abi.NewType(test.kind, "", test.parts))(t)
			list, err := test.rules.Decode(abi.Arguments{{Name: "x", Type: kind}}, test.data)
			if !errors.Is(err, test.err) || err == nil && !reflect.DeepEqual(list[0].Value, test.want) {
				t.Errorf("%v, %v, want %v, %v", list, err, test.want, test.err)
			}
		})
	}
}
