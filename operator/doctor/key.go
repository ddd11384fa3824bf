// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package doctor

import (
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/internal/secretfile"
)

// maxKey is the number of bytes of a key file that are read.
const maxKey = 1 << 16

// KeyAddress returns the address of a node key. An encrypted key tells it without its password.
func KeyAddress(path string) (address common.Address, err error) {
	key, plainErr := secretfile.LoadKey(path)
	if plainErr == nil {
		return crypto.PubkeyToAddress(key.PublicKey), nil
	}
	file, err := os.Open(path)
	if err != nil {
		return address, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	var encrypted struct {
		Address *common.UnprefixedAddress `json:"address"`
	}
	if json.NewDecoder(io.LimitReader(file, maxKey)).Decode(&encrypted) != nil || encrypted.Address == nil {
		return address, plainErr
	}
	return common.Address(*encrypted.Address), nil
}
