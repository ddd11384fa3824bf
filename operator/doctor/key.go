// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package doctor

import (
	"errors"
	"io"
	"os"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/secretfile"
)

// maxKey is the number of bytes of a key file that are read.
const maxKey = 1 << 16

// KeyAddress returns the address of a node key. An encrypted key tells it without its password.
func KeyAddress(path string) (address common.Address, err error) {
	file, err := os.Open(path)
	if err != nil {
		return address, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	content, err := io.ReadAll(io.LimitReader(file, maxKey))
	if err != nil {
		return address, err
	}
	return secretfile.Address(content)
}
