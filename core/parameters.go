// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/log"
)

// parameters holds the settings of one contract in a chain configuration (spec chain 1.2). gwon refuses malformed
// text that go-stablenet reads as zero.
type parameters map[string]string

// warnUnknown logs the names that no rule reads, since a misspelled name leaves the default in force. Unknown names
// are not refused: go-stablenet ignores them, and a chain that it started from such a file has the same genesis
// block.
func (p parameters) warnUnknown(contract string, shared []string, own ...string) {
	names := slices.Concat(own, shared)
	var unknown []string
	for name := range p {
		if !slices.Contains(names, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return
	}
	slices.Sort(unknown)
	log.Warn("Unknown contract parameters ignored",
		"contract", contract, "unknown", unknown, "known", names,
		"hint", "correct or remove them; the genesis block stays the same")
}

// text returns a parameter that must be present and not empty.
func (p parameters) text(name string) (string, error) {
	if p[name] == "" {
		return "", fmt.Errorf("parameter %q is missing or empty: set it", name)
	}
	return p[name], nil
}

// items splits a comma-separated list and drops blanks around items and empty items.
func (p parameters) items(name string) (items []string, given bool) {
	value, given := p[name]
	for item := range strings.SplitSeq(value, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items, given
}

// addresses returns a list of addresses. The zero address is an error. The result given is false when the parameter
// is absent.
func (p parameters) addresses(name string) (list []common.Address, given bool, err error) {
	items, given := p.items(name)
	for _, item := range items {
		a, err := parseAddress(item)
		if err != nil {
			return nil, given, fmt.Errorf("parameter %q: %w", name, err)
		}
		if a == (common.Address{}) {
			return nil, given, fmt.Errorf("parameter %q names the zero address", name)
		}
		list = append(list, a)
	}
	return list, given, nil
}

// address returns one address. The zero address is an error. The result given is false when the parameter is absent.
func (p parameters) address(name string) (a common.Address, given bool, err error) {
	value, given := p[name]
	if !given {
		return a, false, nil
	}
	if a, err = parseAddress(value); err != nil {
		return a, true, fmt.Errorf("parameter %q: %w", name, err)
	}
	if a == (common.Address{}) {
		return a, true, fmt.Errorf("parameter %q is the zero address", name)
	}
	return a, true, nil
}

// uint64 returns a decimal number. The result given is false when the parameter is absent.
func (p parameters) uint64(name string) (v uint64, given bool, err error) {
	value, given := p[name]
	if !given {
		return 0, false, nil
	}
	if v, err = strconv.ParseUint(value, 10, 64); err != nil {
		return 0, true, fmt.Errorf("parameter %q: %q is not a decimal number below 2^64", name, value)
	}
	return v, true, nil
}

// amount returns a decimal number below 2^256. The result given is false when the parameter is absent.
func (p parameters) amount(name string) (v *big.Int, given bool, err error) {
	value, given := p[name]
	if !given {
		return nil, false, nil
	}
	if v, err = parseAmount(value); err != nil {
		return nil, true, fmt.Errorf("parameter %q: %w", name, err)
	}
	return v, true, nil
}

// amounts returns a list of decimal numbers below 2^256.
func (p parameters) amounts(name string) (list []*big.Int, given bool, err error) {
	items, given := p.items(name)
	for _, item := range items {
		v, err := parseAmount(item)
		if err != nil {
			return nil, given, fmt.Errorf("parameter %q: %w", name, err)
		}
		list = append(list, v)
	}
	return list, given, nil
}

// parseAmount reads a number below 2^256, which has 78 digits at most.
func parseAmount(s string) (*big.Int, error) {
	digits := strings.TrimLeft(s, "0")
	if s == "" || len(digits) > 78 || strings.Trim(s, "0123456789") != "" {
		return nil, fmt.Errorf("%q is not a decimal number below 2^256", s)
	}
	v, ok := new(big.Int).SetString("0"+digits, 10)
	if !ok || v.BitLen() > 256 {
		return nil, fmt.Errorf("%q is not a decimal number below 2^256", s)
	}
	return v, nil
}

// parseAddress reads at most 20 bytes in hex, with or without 0x. Shorter input is right-aligned.
func parseAddress(s string) (common.Address, error) {
	b, err := parseHex(s)
	if err != nil || len(b) == 0 || len(b) > common.AddressLength {
		return common.Address{}, fmt.Errorf("%q is not an address of up to 20 bytes in hex", s)
	}
	return common.BytesToAddress(b), nil
}

func parseHex(s string) ([]byte, error) {
	if strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X") {
		s = s[2:]
	}
	if len(s)%2 == 1 {
		s = "0" + s
	}
	return hex.DecodeString(s)
}
