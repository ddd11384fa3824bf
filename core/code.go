// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/contracts"
	"gwon/params"
)

// OwnCode holds the code of gwon's own contracts. It is part of the program and available on every chain.
var OwnCode CodeSource = contracts.Code

// CodeSource returns the runtime code with the given Keccak-256 hash. Callers do not modify the result.
type CodeSource func(hash common.Hash) ([]byte, bool)

// contractKind is one of the five system contracts. It knows the contract's entry in a configuration, the code hashes
// of go-stablenet's versions (spec chain 9.1) and the initializer of the first version.
type contractKind struct {
	name   string
	pick   func(*gethparams.SystemContracts) *gethparams.SystemContract
	hashes map[string]common.Hash
	init   initializer
}

// initializer returns the initial storage of a contract and the account flags that belong to it. The parameter given
// is the allocation from the user's file.
type initializer func(p parameters, given types.GenesisAlloc) (storage, map[common.Address]uint64, error)

// withoutFlags adapts an initializer that reads only its parameters.
func withoutFlags(init func(parameters) (storage, error)) initializer {
	return func(p parameters, _ types.GenesisAlloc) (storage, map[common.Address]uint64, error) {
		s, err := init(p)
		return s, nil, err
	}
}

// contractKinds lists the five contracts in the order of processing (spec chain 9, step 4).
var contractKinds = []contractKind{
	{
		name: "govValidator",
		pick: func(c *gethparams.SystemContracts) *gethparams.SystemContract { return c.GovValidator },
		hashes: map[string]common.Hash{
			params.V1: common.HexToHash("0xb5ce66a9f8c1a08247521c60191f8b11e31e472d8dc26ea163e66de307303dac"),
		},
		init: withoutFlags(initGovValidator),
	},
	{
		name: "nativeCoinAdapter",
		pick: func(c *gethparams.SystemContracts) *gethparams.SystemContract { return c.NativeCoinAdapter },
		hashes: map[string]common.Hash{
			params.V1: common.HexToHash("0x5f73e2610ace8f357aba8e0b5e21e263c03d1d65f18a1bb909b5a9b52d0c9703"),
		},
		init: func(p parameters, given types.GenesisAlloc) (storage, map[common.Address]uint64, error) {
			s, err := initNativeCoinAdapter(p, given)
			return s, nil, err
		},
	},
	{
		name: "govMinter",
		pick: func(c *gethparams.SystemContracts) *gethparams.SystemContract { return c.GovMinter },
		hashes: map[string]common.Hash{
			params.V1: common.HexToHash("0x3ea99dd77ff9bbc4a88b126e9aa06ddbf144f535a5b432040dbedadd66f3c759"),
			params.V2: common.HexToHash("0xf369fcc4edab330169f427fd2aedbe97432cf1cfa31200da06464034f3edaa05"),
		},
		init: withoutFlags(initGovMinter),
	},
	{
		name: "govMasterMinter",
		pick: func(c *gethparams.SystemContracts) *gethparams.SystemContract { return c.GovMasterMinter },
		hashes: map[string]common.Hash{
			params.V1: common.HexToHash("0x5281507f8f628bbc24856542101a7f1485c88676349b7096b0ae2e734d1c4b54"),
		},
		init: withoutFlags(initGovMasterMinter),
	},
	{
		name: "govCouncil",
		pick: func(c *gethparams.SystemContracts) *gethparams.SystemContract { return c.GovCouncil },
		hashes: map[string]common.Hash{
			params.V1: common.HexToHash("0x5a6e0f04acf2122487c1c512dc925d5f85a30c4bb6e2a60abba5db009ba472ab"),
		},
		init: initGovCouncil,
	},
}

// hasStorage reports whether a contract entry writes storage (spec chain 9, step 4; chain 10). Only a first version
// with parameters does. gwon's own contracts have the same storage layout as go-stablenet's.
func hasStorage(c *gethparams.SystemContract) bool {
	return c.Params != nil && (c.Version == params.V1 || c.Version == params.G1)
}

// codeHash returns the hash of the runtime code of a version.
func (k *contractKind) codeHash(version string) (common.Hash, error) {
	if hash, ok := k.hashes[version]; ok {
		return hash, nil
	}
	if own, ok := contracts.Lookup(k.name, version); ok {
		return own.Hash, nil
	}
	return common.Hash{}, fmt.Errorf("%s: unknown version %q", k.name, version)
}

// CodeHash returns the Keccak-256 hash of the runtime code of a system contract (spec chain 9.1). The parameter
// contract is its key in the chain configuration.
func CodeHash(contract, version string) (common.Hash, bool) {
	for i := range contractKinds {
		if contractKinds[i].name == contract {
			hash, err := contractKinds[i].codeHash(version)
			return hash, err == nil
		}
	}
	return common.Hash{}, false
}

// ContractCode is a version of the code of a system contract.
type ContractCode struct {
	Contract string      // key in the chain configuration
	Version  string      // "v1", "v2", "g1" or "g2"
	Hash     common.Hash // Keccak-256 of the runtime code
}

// OwnVersions returns the versions whose code is part of this program, sorted by contract and version.
func OwnVersions() []ContractCode {
	var list []ContractCode
	for _, c := range contracts.All() {
		list = append(list, ContractCode{c.Name, c.Version, c.Hash})
	}
	return list
}

// KnownCode returns every version of the five contracts whose code is not part of this program (spec chain 9.1). The
// versions are sorted by the order of processing, then by version.
func KnownCode() []ContractCode {
	var list []ContractCode
	for i := range contractKinds {
		kind := &contractKinds[i]
		for _, version := range slices.Sorted(maps.Keys(kind.hashes)) {
			list = append(list, ContractCode{kind.name, version, kind.hashes[version]})
		}
	}
	return list
}

// CodeInAlloc returns the code of an allocation as a CodeSource. The source holds all versions of the five contracts
// that the allocation contains, at any address, and no other code.
func CodeInAlloc(alloc types.GenesisAlloc) CodeSource {
	wanted := make(map[common.Hash]bool)
	for _, c := range KnownCode() {
		wanted[c.Hash] = true
	}
	found := make(map[common.Hash][]byte)
	for _, account := range alloc {
		if hash := crypto.Keccak256Hash(account.Code); wanted[hash] {
			found[hash] = account.Code
		}
	}
	return func(hash common.Hash) ([]byte, bool) {
		code, ok := found[hash]
		return code, ok
	}
}

// Or returns a source that asks next for code that src lacks. Both may be nil.
func (src CodeSource) Or(next CodeSource) CodeSource {
	return func(hash common.Hash) ([]byte, bool) {
		for _, s := range []CodeSource{src, next} {
			if s == nil {
				continue
			}
			if code, ok := s(hash); ok {
				return code, true
			}
		}
		return nil, false
	}
}

// MissingCode is contract code that a chain needs and no source supplies.
type MissingCode struct {
	Contract string         // key in the chain configuration
	Version  string         // "v1" or "v2"; code of other versions is part of the program
	Address  common.Address // address that gets the code
	Hash     common.Hash    // Keccak-256 of the runtime code
	Block    uint64         // block that installs the code; 0 is genesis
}

// FindMissingCode returns the code that codes lacks. A chain needs the code of its genesis block and of its upgrades
// (spec chain 9, 10). The source may be nil. An error means that the configuration or the source is invalid.
func FindMissingCode(cfg *gethparams.ChainConfig, codes CodeSource) ([]MissingCode, error) {
	if !cfg.IsAnzeon() {
		return nil, nil
	}
	var need []MissingCode
	for _, u := range cfg.SystemContractUpgrades() {
		for i := range contractKinds {
			kind := &contractKinds[i]
			c := kind.pick(u.Contracts)
			if c == nil {
				continue
			}
			hash, err := kind.codeHash(c.Version)
			if err != nil {
				return nil, err
			}
			if u.Block == 0 { // genesis keeps the last code of each address
				need = slices.DeleteFunc(need, func(m MissingCode) bool { return m.Address == c.Address })
			}
			need = append(need, MissingCode{kind.name, c.Version, c.Address, hash, u.Block})
		}
	}
	var missing []MissingCode
	for _, m := range need {
		code, err := codes.find(m.Hash)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Contract, err)
		}
		if code == nil {
			missing = append(missing, m)
		}
	}
	return missing, nil
}

// ErrMissingCode is wrapped by errors about code without which the block would differ.
var ErrMissingCode = errors.New("contract code is missing")

// missingCodeError names the missing code of a genesis block and the place to get it.
func missingCodeError(chain string, missing []MissingCode) error {
	var list []string
	for _, m := range missing {
		list = append(list, fmt.Sprintf("%s %s at %v with hash %v", m.Contract, m.Version, m.Address, m.Hash))
	}
	return fmt.Errorf("%w: %s needs %s: blocks without it have other hashes; "+
		"obtain the runtime code from a running node of the network (eth_getCode at these addresses) and supply it",
		ErrMissingCode, chain, strings.Join(list, ", "))
}

// find returns code by hash from this program or from src, which may be nil. It fails when src returns code with
// another hash.
func (src CodeSource) find(hash common.Hash) ([]byte, error) {
	if code, ok := OwnCode(hash); ok {
		return code, nil
	}
	if src == nil {
		return nil, nil
	}
	code, ok := src(hash)
	if !ok {
		return nil, nil
	}
	if got := crypto.Keccak256Hash(code); got != hash {
		return nil, fmt.Errorf("the code supplied for hash %v has hash %v: replace it", hash, got)
	}
	return code, nil
}
