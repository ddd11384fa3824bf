// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package contracts

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
)

//go:embed artifacts/*.json
var artifacts embed.FS

// Contract is one version of a system contract.
type Contract struct {
	Name    string      // key in a chain configuration, for example "govMinter"
	Version string      // version in a chain configuration, for example "g1"
	Code    []byte      // runtime code; read only
	Hash    common.Hash // Keccak-256 of the code
	abi     json.RawMessage
}

// ABI returns the functions, events and errors of the contract.
func (c Contract) ABI() abi.ABI {
	parsed, err := abi.JSON(bytes.NewReader(c.abi))
	if err != nil {
		panic(fmt.Sprintf("artifact of %s %s: %v", c.Name, c.Version, err)) // the artifacts are part of the program
	}
	return parsed
}

// ABIText returns the ABI as JSON. Callers do not modify it.
func (c Contract) ABIText() json.RawMessage { return c.abi }

// All returns every contract, sorted by name and version.
func All() []Contract { return all() }

var all = sync.OnceValue(func() []Contract {
	entries, err := artifacts.ReadDir("artifacts")
	if err != nil {
		panic(fmt.Sprintf("artifacts: %v", err))
	}
	var list []Contract
	for _, e := range entries { // os.ReadDir sorts the entries
		c, err := read(e.Name())
		if err != nil {
			panic(fmt.Sprintf("artifact %s: %v", e.Name(), err))
		}
		list = append(list, c)
	}
	return list
})

// read decodes an artifact. The file is named after the contract and its version.
func read(file string) (Contract, error) {
	data, err := artifacts.ReadFile(path.Join("artifacts", file))
	if err != nil {
		return Contract{}, err
	}
	var content struct {
		ABI  json.RawMessage `json:"abi"`
		Code hexutil.Bytes   `json:"code"`
	}
	if err := json.Unmarshal(data, &content); err != nil {
		return Contract{}, err
	}
	name, version, ok := strings.Cut(strings.TrimSuffix(file, ".json"), "-")
	if !ok || len(content.Code) == 0 {
		return Contract{}, fmt.Errorf("the file name has no version, or the artifact has no code: run make contracts")
	}
	return Contract{name, version, content.Code, crypto.Keccak256Hash(content.Code), content.ABI}, nil
}

// Lookup returns a contract by name and version, and reports whether it exists.
func Lookup(name, version string) (Contract, bool) {
	for _, c := range all() {
		if c.Name == name && c.Version == version {
			return c, true
		}
	}
	return Contract{}, false
}

// Code returns the runtime code with the given Keccak-256 hash, and reports whether it exists. Callers do not modify
// the code.
func Code(hash common.Hash) ([]byte, bool) {
	for _, c := range all() {
		if c.Hash == hash {
			return c.Code, true
		}
	}
	return nil, false
}
