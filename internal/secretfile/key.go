// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package secretfile

import (
	"bytes"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// byteOrderMark is what some editors write before a text.
var byteOrderMark = []byte{0xef, 0xbb, 0xbf}

// ParseKey returns the private key that a text of 64 hex digits names, with or without 0x and space around it.
func ParseKey(text []byte) (*ecdsa.PrivateKey, error) {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, byteOrderMark))
	if bytes.HasPrefix(text, []byte("{")) {
		return nil, errors.New("this is an encrypted key file: put a copy of it into the directory keystore and name its " +
			"account, or give a file with 64 hex digits")
	}
	if len(text) >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		text = text[2:]
	}
	if len(text) != 64 {
		return nil, fmt.Errorf("a private key has 64 hex digits, not %d characters", len(text))
	}
	key, err := crypto.HexToECDSA(string(text))
	if err != nil {
		return nil, fmt.Errorf("no private key: %w", err)
	}
	return key, nil
}

// Address returns the address of a key file's content. An encrypted key names it, so that no password is needed.
func Address(content []byte) (common.Address, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(content), []byte("{")) {
		key, err := ParseKey(content)
		if err != nil {
			return common.Address{}, err
		}
		return crypto.PubkeyToAddress(key.PublicKey), nil
	}
	var named struct {
		Address string `json:"address"`
	}
	if err := json.Unmarshal(content, &named); err != nil {
		return common.Address{}, err
	}
	if !common.IsHexAddress(named.Address) {
		return common.Address{}, errors.New("an encrypted key without address")
	}
	return common.HexToAddress(named.Address), nil
}

// LoadKey reads a private key from a file by the rules of Read.
func LoadKey(path string) (*ecdsa.PrivateKey, error) {
	text, err := Read(path)
	if err != nil {
		return nil, err
	}
	key, err := ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}
