// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Command generate writes the Go bindings of the system contracts from their artifacts, with go-ethereum's abigen (version 2). What the
// four governances have in common becomes one type, Governance: abigen's result types would collide otherwise.
//
// It writes to the file that its only argument names; make bindings calls it.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/ethereum/go-ethereum/accounts/abi/abigen"

	"gwon/contracts"
)

// bound are the contracts in the version that has everything of the others, and the Go types for them. Governances come first.
var bound = []struct{ name, version, typ string }{
	{"govValidator", "g1", "GovValidator"},
	{"govMasterMinter", "g1", "GovMasterMinter"},
	{"govMinter", "g2", "GovMinter"},
	{"govCouncil", "g1", "GovCouncil"},
	{"nativeCoinAdapter", "g1", "NativeCoinAdapter"},
}

const (
	governances    = 4
	commonType     = "Governance"
	packageName    = "bindings"
	copyrightLines = "// Copyright 2026 The gwon Authors\n// SPDX-License-Identifier: LGPL-3.0-or-later\n\n"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 {
		return errors.New("name the file to write")
	}
	text, err := source()
	if err != nil {
		return err
	}
	return os.WriteFile(os.Args[1], []byte(text), 0o644)
}

// source returns the Go file.
func source() (string, error) {
	entries := make([][]string, len(bound)) // of each ABI, as JSON
	count := make(map[string]int)           // governances that have an entry
	for i, b := range bound {
		contract, ok := contracts.Lookup(b.name, b.version)
		if !ok {
			return "", fmt.Errorf("there is no %s %s", b.name, b.version)
		}
		var list []json.RawMessage
		if err := json.Unmarshal(contract.ABIText(), &list); err != nil {
			return "", fmt.Errorf("ABI of %s: %w", b.name, err)
		}
		for _, entry := range list {
			entries[i] = append(entries[i], string(entry))
			if i < governances {
				count[string(entry)]++
			}
		}
	}
	types, abis := []string{commonType}, []string{""}
	var shared []string
	for i, b := range bound {
		var own []string
		for _, entry := range entries[i] {
			switch {
			case i >= governances || count[entry] < governances:
				own = append(own, entry)
			case i == 0:
				shared = append(shared, entry)
			}
		}
		types, abis = append(types, b.typ), append(abis, list(own))
	}
	abis[0] = list(shared)
	code, err := abigen.BindV2(types, abis, make([]string, len(types)), packageName, nil, nil)
	return copyrightLines + code, err
}

// list joins JSON values to a JSON array without spaces.
func list(entries []string) string {
	values := make([]json.RawMessage, len(entries))
	for i, entry := range entries {
		values[i] = json.RawMessage(entry)
	}
	text, err := json.Marshal(values)
	if err != nil {
		panic(err) // they were decoded from JSON
	}
	return string(text)
}
