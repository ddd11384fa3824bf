// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Command generate writes the Go bindings of the system contracts from their artifacts, with go-ethereum's abigen
// (version 2). Functions that the four governance contracts share become one type, Governance, because abigen's
// result types would collide. Only functions that Go code calls are bound.
//
// The only argument is the output file. `make bindings` runs the command.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi/abigen"

	"gwon/contracts"
)

// bound lists the contracts with their Go types, each in the version that has all functions of the others. Governance
// contracts come first.
var bound = []struct{ name, version, typ string }{
	{"govValidator", "g1", "GovValidator"},
	{"govMasterMinter", "g1", "GovMasterMinter"},
	{"govMinter", "g2", "GovMinter"},
	{"govCouncil", "g1", "GovCouncil"},
	{"nativeCoinAdapter", "g1", "NativeCoinAdapter"},
}

// used lists the functions that Go code calls, by Go type. After a new entry, `make bindings` adds the function.
var used = map[string][]string{
	commonType: {
		"approveProposal", "canExecuteProposal", "cancelProposal", "changeMember", "currentProposalId", "disapproveProposal",
		"executeProposal", "executeWithFailure", "expireProposal", "getMemberAt", "getMemberCount", "getProposal",
		"maxActiveProposalsPerMember", "memberVersion", "proposalExpiry", "proposeAddMember", "proposeChangeMaxProposals",
		"proposeChangeQuorum", "proposeRemoveMember", "quorum",
	},
	"GovValidator": {
		"configureValidator", "gasTip", "operatorToValidator", "proposeGasTip", "validatorList", "validatorToBlsKey",
		"validatorToOperator",
	},
	"GovMasterMinter": {
		"getAllMinters", "maxMinterAllowance", "proposeConfigureMinter", "proposeRemoveMinter",
		"proposeUpdateMaxMinterAllowance",
	},
	"GovMinter": {
		"claimBurnRefund", "emergencyPaused", "proposeBurn", "proposeMint", "proposePause", "proposeUnpause",
		"reservedMintAmount",
	},
	"GovCouncil": {
		"getAuthorizedAccountCount", "getAuthorizedAccountRange", "getBlacklistCount", "getBlacklistRange", "isBlacklisted",
		"proposeAddAuthorizedAccount", "proposeAddAuthorizedAccountBatch", "proposeAddBlacklist",
		"proposeAddBlacklistBatch", "proposeRemoveAuthorizedAccount", "proposeRemoveAuthorizedAccountBatch",
		"proposeRemoveBlacklist", "proposeRemoveBlacklistBatch",
	},
	"NativeCoinAdapter": {"burn", "mint", "totalSupply", "transfer"},
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
	return os.WriteFile(os.Args[1], []byte(text), 0o644) //nolint:gosec // a public source file
}

// source returns the content of the Go file.
func source() (string, error) {
	functions := make([][]string, len(bound)) // functions of each ABI, as JSON
	count := make(map[string]int)             // number of governance contracts that have a function
	names := make(map[string]string)          // function names by JSON
	for i, b := range bound {
		contract, ok := contracts.Lookup(b.name, b.version)
		if !ok {
			return "", fmt.Errorf("unknown contract %s %s: run make contracts", b.name, b.version)
		}
		var list []json.RawMessage
		if err := json.Unmarshal(contract.ABIText(), &list); err != nil {
			return "", fmt.Errorf("ABI of %s: %w", b.name, err)
		}
		for _, text := range list {
			var entry struct{ Type, Name string }
			if err := json.Unmarshal(text, &entry); err != nil {
				return "", fmt.Errorf("ABI of %s: %w", b.name, err)
			}
			if entry.Type != "function" {
				continue
			}
			functions[i] = append(functions[i], string(text))
			names[string(text)] = entry.Name
			if i < governances {
				count[string(text)]++
			}
		}
	}
	types, abis := []string{commonType}, []string{""}
	var shared []string
	for i, b := range bound {
		var own []string
		for _, function := range functions[i] {
			switch {
			case i >= governances || count[function] < governances:
				own = append(own, function)
			case i == 0:
				shared = append(shared, function)
			}
		}
		text, err := list(b.typ, own, names)
		if err != nil {
			return "", err
		}
		types, abis = append(types, b.typ), append(abis, text)
	}
	var err error
	if abis[0], err = list(commonType, shared, names); err != nil {
		return "", err
	}
	code, err := abigen.BindV2(types, abis, make([]string, len(types)), packageName, nil, nil)
	return copyrightLines + code, err
}

// list returns the used functions of a type as a JSON array without spaces. An unknown name in used is an error.
func list(typ string, functions []string, names map[string]string) (string, error) {
	missing := slices.Clone(used[typ])
	var values []json.RawMessage
	for _, function := range functions {
		if at := slices.Index(missing, names[function]); at >= 0 {
			values = append(values, json.RawMessage(function))
			missing = slices.Delete(missing, at, at+1)
		}
	}
	if len(missing) > 0 {
		return "", fmt.Errorf("%s has no functions %q: correct the list of used ones", typ, missing)
	}
	text, err := json.Marshal(values)
	return string(text), err
}
