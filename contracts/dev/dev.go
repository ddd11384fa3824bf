// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package dev holds contracts that a developer chain has from its genesis block on, because tools expect them. No other
// network has them. The code is compiled from src by make contracts.
package dev

import (
	_ "embed" // the artifact
	"encoding/json"
	"fmt"

	"github.com/ethereum/go-ethereum/common/hexutil"
)

//go:embed artifacts/multicall3.json
var multicall3 []byte

// Multicall3 returns the runtime code of the contract that makes many calls in one.
func Multicall3() []byte {
	var artifact struct {
		Code hexutil.Bytes `json:"code"`
	}
	if err := json.Unmarshal(multicall3, &artifact); err != nil {
		panic(fmt.Sprintf("artifact of Multicall3: %v", err)) // part of the program
	}
	return artifact.Code
}
