// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package dev holds the contracts that developer tools expect in the genesis block of a developer chain. Other
// networks do not have them. `make contracts` compiles the code from src.
package dev

import (
	_ "embed" // the artifact
	"encoding/json"
	"fmt"

	"github.com/ethereum/go-ethereum/common/hexutil"
)

//go:embed artifacts/multicall3.json
var multicall3 []byte

// Multicall3 returns the runtime code of the contract that combines many calls in one.
func Multicall3() []byte {
	var artifact struct {
		Code hexutil.Bytes `json:"code"`
	}
	if err := json.Unmarshal(multicall3, &artifact); err != nil {
		panic(fmt.Sprintf("artifact of Multicall3: %v", err)) // part of the program
	}
	return artifact.Code
}
