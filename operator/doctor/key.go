// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package doctor

import (
	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/atomicfile"
	"gwon/internal/secretfile"
)

// KeyAddress returns the address of a node key. An encrypted key tells it without its password.
func KeyAddress(path string) (address common.Address, err error) {
	content, err := atomicfile.Read(path)
	if err != nil {
		return address, err
	}
	return secretfile.Address(content)
}
