// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package inspect

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"gwon/internal/abivalue"
)

// Argument is a decoded value of a call, log or error.
type Argument = abivalue.Argument

// rules bound what the data of a stranger can decode to.
var rules = abivalue.Rules{Words: 1 << 16, Named: true}

// arguments gives decoded values names and texts for a person. coins reports whether amounts of the contract are of the
// coin.
func arguments(list []Argument, coins bool) []Argument {
	for i, a := range list {
		value, _ := a.Value.(string)
		if n, ok := new(big.Int).SetString(value, 10); ok && coins && strings.Contains(a.Type, "int") {
			list[i].Text = amountText(a.Name, n)
		}
		if a.Name == "" {
			list[i].Name = strconv.Itoa(i)
		}
	}
	return list
}

// amountText returns a number of wei for a person where the name of an argument says that it is one, and "" otherwise.
func amountText(name string, n *big.Int) string {
	lower := strings.ToLower(name)
	switch {
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

// textOf returns the value for a person in one line.
func textOf(a Argument) string {
	if a.Text != "" {
		return a.Text
	}
	return shorten(valueText(a.Value))
}

// argumentText returns arguments with their names for a person.
func argumentText(args []Argument) string {
	return joined(args, func(a Argument) string { return a.Name + " " + textOf(a) })
}

// joined returns the texts of a list, with commas between them.
func joined[T any](list []T, text func(T) string) string {
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = text(e)
	}
	return strings.Join(parts, ", ")
}

func valueText(v any) string {
	switch value := v.(type) {
	case string:
		if isHex(value) || isNumber(value) {
			return value
		}
		return strconv.Quote(value) // it could be anything, also for a terminal
	case []any:
		return "[" + joined(value, valueText) + "]"
	case []Argument:
		return "{" + joined(value, func(a Argument) string { return a.Name + ": " + valueText(a.Value) }) + "}"
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
