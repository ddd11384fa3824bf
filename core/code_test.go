// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/contracts/store"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

func openStore(t *testing.T) *store.Store {
	t.Helper()
	return must.Get(store.Open(t.TempDir()))(t)
}

// storeCodes puts made-up code of the named versions into a store.
func storeCodes(t *testing.T, s *store.Store, codes CodeSource, versions ...ContractCode) {
	t.Helper()
	for _, v := range versions {
		code, ok := codes(v.Hash)
		must.That(t, ok, "no code for %+v", v)
		must.Get(s.Put(code))(t)
	}
}

// A public network gets its genesis as soon as the store has the code of block 0. The block equals the one described
// without code (spec chain 9).
func TestGenesisFromStore(t *testing.T) {
	codes := useTestCodes(t)
	for _, n := range params.Networks() {
		t.Run(n.Name, func(t *testing.T) {
			_, told, err := DescribeGenesis(NetworkGenesis(n), nil)
			must.Do(t, err)
			s := openStore(t)
			for _, v := range KnownCode() {
				// Boho is in the genesis of mainnet, and 100 blocks later on testnet.
				if v.Contract == "govMinter" && (v.Version == params.V1) == (n.Name == "mainnet") {
					continue
				}
				_, _, err := BuildGenesis(NetworkGenesis(n), s.Source())
				must.That(t, errors.Is(err, ErrMissingCode), "before %+v: %v", v, err)
				storeCodes(t, s, codes, v)
			}
			g, info, err := BuildGenesis(NetworkGenesis(n), s.Source())
			must.Do(t, err)
			if hash := g.ToBlock().Hash(); hash != told.Hash || info.Hash != told.Hash || len(info.Missing) != 0 {
				t.Errorf("hash %v, told were %v and %v; missing %+v", hash, info.Hash, told.Hash, info.Missing)
			}
		})
	}
}

// A chain needs the code of its genesis and of its upgrades (spec chain 9, steps 4 and 6; chain 10).
func TestFindMissingCode(t *testing.T) {
	all := KnownCode()
	expect.That(t, len(all) == 6 && all[2] == (ContractCode{"govMinter", params.V1, contractKinds[2].hashes[params.V1]}) &&
		all[3].Version == params.V2, "known code %+v", all)
	testnet := must.Get(FindMissingCode(params.Testnet(), nil))(t)
	mainnet := must.Get(FindMissingCode(params.Mainnet(), nil))(t)
	v1, _ := CodeHash("govMinter", params.V1)
	v2, _ := CodeHash("govMinter", params.V2)
	minterV1 := MissingCode{"govMinter", params.V1, params.GovMinterAddress, v1, 0}
	minterV2 := MissingCode{"govMinter", params.V2, params.GovMinterAddress, v2, 14_408_500}
	expect.That(t, len(testnet) == 6 && slices.Contains(testnet, minterV1) && slices.Contains(testnet, minterV2),
		"testnet needs %+v", testnet)
	minterV2.Block = 0
	expect.That(t, len(mainnet) == 5 && !slices.Contains(mainnet, minterV1) && slices.Contains(mainnet, minterV2),
		"mainnet needs %+v", mainnet)
	lie := func(common.Hash) ([]byte, bool) { return []byte("not what was asked for"), true }
	_, err := FindMissingCode(params.Testnet(), lie)
	expect.That(t, err != nil && !errors.Is(err, ErrMissingCode), "wrong code: %v", err)
	cfg := params.Testnet()
	cfg.Boho.SystemContracts.GovMinter.Version = "v9"
	expect.Refused(t, expect.Err(FindMissingCode(cfg, nil)), "an unknown version is accepted")
}

// Known code in an allocation is found at any address, other code is not (spec chain 9.1).
func TestCodeInAlloc(t *testing.T) {
	codes := useTestCodes(t)
	council, _ := CodeHash("govCouncil", params.V1)
	validator, _ := CodeHash("govValidator", params.V1)
	code, _ := codes(council)
	other := []byte("something else")
	found := CodeInAlloc(types.GenesisAlloc{{1}: {Code: code}, {2}: {Code: other}, {3}: {}})
	got, ok := found(council)
	expect.That(t, ok && bytes.Equal(got, code), "found %q, %v", got, ok)
	for _, hash := range []common.Hash{validator, crypto.Keccak256Hash(other), types.EmptyCodeHash} {
		got, ok := found(hash)
		expect.That(t, !ok, "found %q", got)
	}
	both := found.Or(nil).Or(codes)
	for _, hash := range []common.Hash{council, validator} {
		_, ok := both(hash)
		expect.That(t, ok, "%v is not in either source", hash)
	}
	_, ok = CodeSource(nil).Or(nil)(council)
	expect.That(t, !ok, "no source has code")
}
