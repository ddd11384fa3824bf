// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/contracts"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// devnetOf returns the genesis of a network of one validator with contracts of a version.
func devnetOf(t *testing.T, version string, bohoBlock uint64) *gethcore.Genesis {
	t.Helper()
	config := must.Get(params.DevnetConfig(params.DevnetOptions{
		Validators: []params.DevnetValidator{{Address: common.Address{1},
			BLSPublicKey: make([]byte, gethparams.BLSPublicKeyLength)}},
		Contracts: version, BohoBlock: bohoBlock,
	}))(t)
	return DevnetGenesis(config, 1, types.GenesisAlloc{{2}: {Balance: common.Big32}})
}

// A network with gwon's contracts has their code at genesis and after its upgrade, without a supplied source. Storage
// equals that of go-stablenet's contracts with the same parameters. A network of v1 has no code of gwon.
func TestOwnContracts(t *testing.T) {
	reference, lacking, err := BuildGenesis(devnetOf(t, params.V1, 7), nil)
	must.That(t, err == nil && len(lacking.Missing) == 5, "v1: %v, %v", lacking, err)
	file := must.Get(json.Marshal(devnetOf(t, params.G1, 7)))(t)
	given := must.Get(ReadGenesis(bytes.NewReader(file)))(t)
	built, info, err := BuildGenesis(given, nil)
	must.That(t, err == nil && len(info.Missing) == 0, "g1: %v, %v", info, err)
	if hash := built.ToBlock().Hash(); hash != info.Hash || hash == reference.ToBlock().Hash() || hash == lacking.Hash {
		t.Errorf("genesis %v, told as %v", hash, info.Hash)
	}
	for address := range lacking.CodeHashes {
		own, have := built.Alloc[address], crypto.Keccak256Hash(built.Alloc[address].Code)
		_, ok := contracts.Code(have)
		expect.That(t, ok && have == info.CodeHashes[address], "%v has the code %v", address, have)
		expect.That(t, maps.Equal(own.Storage, reference.Alloc[address].Storage) && len(own.Storage) != 0,
			"%v: storage %v, want %v", address, own.Storage, reference.Alloc[address].Storage)
		expect.That(t, len(reference.Alloc[address].Code) == 0, "%v has code in a network of v1", address)
	}
	missing, err := FindMissingCode(given.Config, nil)
	expect.That(t, err == nil && len(missing) == 0, "g1 lacks %v, %v", missing, err)
	upgrades, err := CodeUpgrades(given.Config, 7)
	must.That(t, err == nil && len(upgrades) == 1 && upgrades[0].Version == params.G2, "upgrades %v, %v", upgrades, err)
	_, ok := OwnCode(upgrades[0].CodeHash)
	expect.That(t, ok, "the code of the upgrade is not there")
}

// An upgrade at block 0 is part of genesis: the code of the second version, the storage of the first.
func TestOwnUpgradeAtGenesis(t *testing.T) {
	built, info, err := BuildGenesis(devnetOf(t, params.G1, 0), nil)
	must.Do(t, err)
	second, _ := contracts.Lookup("govMinter", params.G2)
	if minter := built.Alloc[params.GovMinterAddress]; info.CodeHashes[params.GovMinterAddress] != second.Hash ||
		!bytes.Equal(minter.Code, second.Code) || len(minter.Storage) == 0 {
		t.Errorf("GovMinter has the code %v and %d slots", info.CodeHashes[params.GovMinterAddress], len(minter.Storage))
	}
}

// Unknown versions of a contract and parameters of an upgrade are refused.
func TestOwnVersionsAreChecked(t *testing.T) {
	for want, change := range map[string]func(*gethcore.Genesis){
		`govCouncil: version "g2" is not known (known: [v1 g1])`: func(g *gethcore.Genesis) {
			g.Config.Anzeon.SystemContracts.GovCouncil.Version = params.G2
		},
		`govMinter: version "g3" is not known (known: [v1 v2 g1 g2])`: func(g *gethcore.Genesis) {
			g.Config.Boho.SystemContracts.GovMinter.Version = "g3"
		},
		"an upgrade after genesis cannot have parameters": func(g *gethcore.Genesis) {
			minter := g.Config.Boho.SystemContracts.GovMinter
			minter.Version, minter.Params = params.G1, map[string]string{"fiatToken": "0x1000"}
		},
	} {
		t.Run(want, func(t *testing.T) {
			g := devnetOf(t, params.G1, 7)
			change(g)
			_, _, err := BuildGenesis(g, nil)
			expect.That(t, err != nil && strings.Contains(err.Error(), want), "error %v, want %q", err, want)
		})
	}
	_, err := params.DevnetConfig(params.DevnetOptions{Contracts: params.G2, Validators: []params.DevnetValidator{{}}})
	expect.That(t, err != nil, "a network starts with contracts of g2")
}

// The presets use go-stablenet's contracts, whose code is not part of this program.
func TestPresetsHaveTheReferencesContracts(t *testing.T) {
	for _, n := range params.Networks() {
		for _, u := range n.Config().SystemContractUpgrades() {
			for i := range contractKinds {
				if c := contractKinds[i].pick(u.Contracts); c != nil && c.Version != params.V1 && c.Version != params.V2 {
					t.Errorf("%s: %s has version %s", n.Name, contractKinds[i].name, c.Version)
				}
			}
		}
		missing, err := FindMissingCode(n.Config(), nil)
		expect.That(t, err == nil && len(missing) >= 5, "%s: missing %v, %v", n.Name, missing, err)
	}
}
