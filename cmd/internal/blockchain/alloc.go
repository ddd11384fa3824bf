// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/cmd/internal/program"
	"gwon/internal/txobject"
)

// ReadAlloc reads the accounts of a genesis block from the file of a flag. No file means no accounts.
func ReadAlloc(flag, path string) (alloc types.GenesisAlloc, err error) {
	if path == "" {
		return types.GenesisAlloc{}, nil
	}
	content, err := os.ReadFile(program.ExpandHome(path))
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	if err := json.Unmarshal(content, &alloc); err != nil {
		text := strings.TrimPrefix(err.Error(), "json: ")
		for _, before := range []string{" into Go ", " for "} { // a type follows
			text, _, _ = strings.Cut(text, before)
		}
		return nil, fmt.Errorf(
			"--%s %s: want {\"0xADDRESS\": {\"balance\": \"0x...\", \"nonce\", \"code\", \"storage\"}}: %s",
			flag, path, text)
	}
	if err := txobject.CheckAddresses(content); err != nil {
		return nil, fmt.Errorf("--%s %s: %w", flag, path, err)
	}
	return alloc, nil
}
