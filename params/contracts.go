// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package params

import (
	"math/big"
	"strconv"
	"strings"
)

// setup holds the parameters in which the contracts of this package's networks differ.
type setup struct {
	members    []string // governance members of all four contracts
	validators []string // parallel to members
	blsKeys    []string // parallel to members
	quorum     uint64
	expiry     uint64 // seconds
	gasTip     uint64 // wei
	allowance  string // decimal, in wei; of the minter, and the maximum for each minter
	version    string // version of the contracts
}

// governance returns the parameters that the four governance contracts share (spec system-contracts 1.8).
func (s *setup) governance() map[string]string {
	return map[string]string{
		"members":       strings.Join(s.members, ","),
		"quorum":        strconv.FormatUint(s.quorum, 10),
		"expiry":        strconv.FormatUint(s.expiry, 10),
		"memberVersion": "1",
		"maxProposals":  strconv.FormatUint(DefaultMaxProposals, 10),
	}
}

// contracts returns the section systemContracts (spec chain 11).
func (s *setup) contracts() *SystemContracts {
	validator := s.governance()
	validator["validators"] = strings.Join(s.validators, ",")
	validator["blsPublicKeys"] = strings.Join(s.blsKeys, ",")
	validator["gasTip"] = strconv.FormatUint(s.gasTip, 10)

	masterMinter := s.governance()
	masterMinter["fiatToken"] = NativeCoinAdapterAddress.Hex()
	masterMinter["minters"] = GovMinterAddress.Hex()
	masterMinter["maxMinterAllowance"] = s.allowance

	minter := s.governance()
	minter["fiatToken"] = NativeCoinAdapterAddress.Hex()

	return &SystemContracts{
		NativeCoinAdapter: &SystemContract{Address: NativeCoinAdapterAddress, Version: s.version, Params: map[string]string{
			"masterMinter":  GovMasterMinterAddress.Hex(),
			"minters":       GovMinterAddress.Hex(),
			"minterAllowed": s.allowance,
			"name":          "WKRC",
			"symbol":        "WKRC",
			"decimals":      "18",
			"currency":      "KRW",
		}},
		GovValidator:    &SystemContract{Address: GovValidatorAddress, Version: s.version, Params: validator},
		GovMasterMinter: &SystemContract{Address: GovMasterMinterAddress, Version: s.version, Params: masterMinter},
		GovMinter:       &SystemContract{Address: GovMinterAddress, Version: s.version, Params: minter},
		GovCouncil:      &SystemContract{Address: GovCouncilAddress, Version: s.version, Params: s.governance()},
	}
}

// bohoContracts returns the section "boho" of a network. GovMinter gets the code of the second version of its kind
// (spec chain 10).
func bohoContracts(version string) *AnzeonConfig {
	next := V2
	if version == G1 {
		next = G2
	}
	return &AnzeonConfig{SystemContracts: &SystemContracts{
		GovMinter: &SystemContract{Address: GovMinterAddress, Version: next},
	}}
}

// londonFromGenesis returns a configuration with all block forks of the public networks at block 0, Boho at bohoBlock
// and no time fork (spec chain 11).
func londonFromGenesis(chainID, bohoBlock uint64, version string) *ChainConfig {
	return &ChainConfig{
		ChainID:             new(big.Int).SetUint64(chainID),
		HomesteadBlock:      new(big.Int),
		EIP150Block:         new(big.Int),
		EIP155Block:         new(big.Int),
		EIP158Block:         new(big.Int),
		ByzantiumBlock:      new(big.Int),
		ConstantinopleBlock: new(big.Int),
		PetersburgBlock:     new(big.Int),
		IstanbulBlock:       new(big.Int),
		MuirGlacierBlock:    new(big.Int),
		BerlinBlock:         new(big.Int),
		LondonBlock:         new(big.Int),
		ApplepieBlock:       new(big.Int),
		BohoBlock:           new(big.Int).SetUint64(bohoBlock),
		Boho:                bohoContracts(version),
	}
}
