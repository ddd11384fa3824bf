// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/contracts/store"
	"gwon/core"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// genesisOf reads the genesis block of a prepared network as its nodes do.
func genesisOf(t *testing.T, n *Network) (*types.Block, *core.GenesisInfo, map[string]string) {
	t.Helper()
	file := must.Get(os.Open(n.path(genesisFile)))(t)
	defer func() { _ = file.Close() }()
	given := must.Get(core.ReadGenesis(file))(t)
	store := must.Get(store.Open(filepath.Join(n.Nodes[0].Dir, "gwon", "contracts")))(t)
	genesis, info, err := core.BuildGenesis(given, store.Source())
	must.Do(t, err)
	return genesis.ToBlock(), info, given.Config.Anzeon.SystemContracts.GovCouncil.Params
}

// A network with gwon's contracts lacks no code, and funded accounts govern it: one alone, of several two.
func TestOwnContracts(t *testing.T) {
	for validators, quorum := range map[int]int{1: 1, 3: 2} {
		o := options(t.TempDir())
		o.Validators, o.Accounts, o.Contracts = validators, 4, params.G1
		n := prepare(t, o)
		_, info, governance := genesisOf(t, n)
		if len(info.Missing) > 0 || n.Quorum != quorum || governance["quorum"] != map[int]string{1: "1", 2: "2"}[quorum] {
			t.Errorf("missing %v, quorum %d, parameters %v", info.Missing, n.Quorum, governance)
		}
		var members []string
		for i, a := range n.Accounts {
			expect.Equal(t, a.Member, i < validators, "account %d: member", i)
			if a.Member {
				members = append(members, a.Address.Hex())
			}
		}
		expect.That(t, governance["members"] == strings.Join(members, ",") && len(n.Members) == validators,
			"members %s, told as %v", governance["members"], n.Members)
	}
	// With fewer accounts than validators, validators govern themselves.
	o := options(t.TempDir())
	o.Contracts = params.G1
	n := prepare(t, o)
	expect.That(t, !n.Accounts[0].Member && slices.Equal(n.Members,
		[]common.Address{n.Nodes[0].Address, n.Nodes[1].Address, n.Nodes[2].Address}), "members %v", n.Members)
}

// A network that is there keeps its contracts unless others are asked for, which is refused.
func TestContractsOfSecondRun(t *testing.T) {
	for _, first := range []string{"", params.G1} {
		o := options(t.TempDir())
		o.Contracts = first
		n := must.Get(Prepare(o))(t)
		block, _, _ := genesisOf(t, n)
		must.Do(t, n.Close())
		other := params.G1
		if first == params.G1 {
			other = params.V1
		}
		o.Contracts = other
		expect.Says(t, expect.Err(Prepare(o)), "--reset", "%q to %q", first, other)
		o.KeepContracts = true
		n = prepare(t, o)
		if again, _, _ := genesisOf(t, n); again.Hash() != block.Hash() || n.Contracts != first {
			t.Errorf("%q: second run has %q and block %v, want %v", first, n.Contracts, again.Hash(), block.Hash())
		}
	}
}

// Contracts of v1 need code that somebody stored; an unknown version is refused.
func TestReferencesContracts(t *testing.T) {
	o := options(t.TempDir())
	o.Contracts = params.V1
	expect.Says(t, expect.Err(Prepare(o)), "gwon contracts import", "v1 without code")
	o.Contracts = "v9"
	expect.Says(t, expect.Err(Prepare(o)), "v9", "version v9")
}
