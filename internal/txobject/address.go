// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txobject

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
)

// ParseAddress reads an address from a person. With mixed case its checksum must be right (EIP-55).
func ParseAddress(text string) (common.Address, error) {
	if !strings.HasPrefix(text, "0x") || !common.IsHexAddress(text) {
		return common.Address{}, fmt.Errorf("%.80q is no address: 0x and 40 hexadecimal digits", text)
	}
	address, digits := common.HexToAddress(text), text[2:]
	if digits != strings.ToLower(digits) && digits != strings.ToUpper(digits) && text != address.Hex() {
		return common.Address{}, fmt.Errorf("the checksum of %s is wrong, so a letter or digit of it is: copy the address "+
			"again", text)
	}
	return address, nil
}

// CheckAddresses checks all keys and values of a person's JSON that are addresses, as ParseAddress does. What is no JSON
// passes.
func CheckAddresses(content []byte) error {
	for in := json.NewDecoder(bytes.NewReader(content)); ; {
		token, err := in.Token()
		if err != nil {
			return nil
		}
		if text, _ := token.(string); common.IsHexAddress(text) {
			if _, err := ParseAddress("0x" + strings.TrimPrefix(text, "0x")); err != nil {
				return err
			}
		}
	}
}

// Address is an address in a configuration, read by ParseAddress.
type Address common.Address

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *Address) UnmarshalText(text []byte) error {
	address, err := ParseAddress(string(text))
	*a = Address(address)
	return err
}

// Addresses is a list of addresses in a configuration in TOML.
type Addresses []common.Address

// UnmarshalTOML implements toml.UnmarshalerRec.
func (l *Addresses) UnmarshalTOML(decode func(any) error) error {
	var list []Address
	err := decode(&list)
	*l = nil
	for _, a := range list {
		*l = append(*l, common.Address(a))
	}
	return err
}

// ParseAccount reads the address of an account, which is not the zero address.
func ParseAccount(text string) (common.Address, error) {
	address, err := ParseAddress(text)
	if err == nil && address == (common.Address{}) {
		err = fmt.Errorf("%s is the zero address, which no account has: name another one", text)
	}
	return address, err
}
