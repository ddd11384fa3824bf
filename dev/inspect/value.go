// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package inspect

import (
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// Argument is a decoded value of a call, log or error.
type Argument struct {
	Name string `json:"name"`
	Type string `json:"type"`
	// Value is text for numbers (decimal), addresses and bytes (hex), and a list for arrays. A tuple is a list of
	// Arguments.
	Value any    `json:"value"`
	Text  string `json:"text,omitempty"` // amounts, for a person
}

// plainValue converts a decoded value to what JSON can carry without loss.
func plainValue(t abi.Type, v any) any {
	switch value := v.(type) {
	case common.Address:
		return value.Hex()
	case *big.Int:
		return value.String()
	case bool, string:
		return value
	case []byte:
		return hexutil.Encode(value)
	case common.Hash: // an indexed value of dynamic size, of which a log has the hash alone
		return value.Hex()
	}
	r := reflect.ValueOf(v)
	switch t.T {
	case abi.SliceTy, abi.ArrayTy:
		list := make([]any, r.Len())
		for i := range list {
			list[i] = plainValue(*t.Elem, r.Index(i).Interface())
		}
		return list
	case abi.TupleTy:
		fields := make([]Argument, 0, len(t.TupleElems))
		for i, elem := range t.TupleElems {
			field := Argument{Name: t.TupleRawNames[i], Type: elem.String()}
			field.Value = plainValue(*elem, r.Field(i).Interface())
			fields = append(fields, field)
		}
		return fields
	case abi.FixedBytesTy, abi.FunctionTy:
		data := make([]byte, r.Len())
		reflect.Copy(reflect.ValueOf(data), r)
		return hexutil.Encode(data)
	}
	return fmt.Sprint(v) // integers of up to 64 bits
}

// arguments pairs the values of a call, log or error with their names and types. coins reports whether amounts of the
// contract are of the coin.
func arguments(specs abi.Arguments, values []any, coins bool) []Argument {
	list := make([]Argument, 0, len(specs))
	for i, spec := range specs {
		if i >= len(values) {
			break
		}
		a := Argument{Name: spec.Name, Type: spec.Type.String(), Value: plainValue(spec.Type, values[i])}
		if a.Name == "" {
			a.Name = strconv.Itoa(i)
		}
		if n, ok := values[i].(*big.Int); ok {
			a.Text = amountText(spec.Name, n, coins)
		}
		list = append(list, a)
	}
	return list
}

// amountText returns a number of wei for a person where the name of an argument says that it is one, and "" otherwise.
func amountText(name string, n *big.Int, coins bool) string {
	lower := strings.ToLower(name)
	switch {
	case !coins:
		return ""
	case strings.Contains(lower, "gastip"), lower == "oldtip", lower == "newtip":
		return Gwei(n)
	case strings.Contains(lower, "amount"), strings.Contains(lower, "value"), strings.Contains(lower, "allowance"):
		if n.Cmp(maxAmount) == 0 {
			return "without limit"
		}
		return Coins(n)
	}
	return ""
}

// maxAmount is the number by which an allowance has no limit.
var maxAmount = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))

// maxText is the number of characters of a value that a person is shown.
const maxText = 200

// text returns the value for a person in one line.
func (a Argument) text() string {
	if a.Text != "" {
		return a.Text
	}
	return shorten(valueText(a.Value))
}

func valueText(v any) string {
	switch value := v.(type) {
	case string:
		if isHex(value) || isNumber(value) {
			return value
		}
		return strconv.Quote(value) // it could be anything, also for a terminal
	case []any:
		parts := make([]string, len(value))
		for i, e := range value {
			parts[i] = valueText(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case []Argument:
		parts := make([]string, len(value))
		for i, e := range value {
			parts[i] = e.Name + ": " + valueText(e.Value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(v)
}

func isNumber(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

func isHex(s string) bool {
	digits, ok := strings.CutPrefix(s, "0x")
	return ok && strings.Trim(digits, "0123456789abcdefABCDEF") == ""
}

// shorten cuts a text that is too long to read.
func shorten(s string) string {
	runes := []rune(s)
	if len(runes) <= maxText {
		return s
	}
	return fmt.Sprintf("%s… (%d characters)", string(runes[:maxText]), len(runes))
}
