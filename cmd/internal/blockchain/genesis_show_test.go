// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"encoding/json"
	"math/big"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/cmd/internal/apptest"
	"gwon/core"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

func shownJSON(t *testing.T, args ...string) *shownGenesis {
	t.Helper()
	out := must.Get(run(t, append([]string{"genesis", "show", "--json"}, args...)...))(t)
	shown := new(shownGenesis)
	must.Do(t, json.Unmarshal([]byte(out), shown))
	return shown
}

// The genesis of both public networks is told from code hashes alone, and is the known one (spec chain 11).
func TestShowPublicGenesis(t *testing.T) {
	for _, n := range params.Networks() {
		t.Run(n.Name, func(t *testing.T) {
			shown := shownJSON(t, "--"+n.Name)
			expect.That(t, shown.ChainID.Uint64() == n.ID && shown.Hash == n.GenesisHash && shown.StateRoot == n.StateRoot &&
				shown.Codeless == nil,
				"chain %v, hash %v, state root %v, without code %v", shown.ChainID, shown.Hash, shown.StateRoot, shown.Codeless)
			expect.That(t, shown.Header.Hash() == n.GenesisHash && shown.Header.Root == n.StateRoot, "header %+v", shown.Header)
			expect.That(t, len(shown.Contracts) == 5 && len(shown.Alloc) == 5+len(n.Alloc()),
				"%d contracts, %d accounts", len(shown.Contracts), len(shown.Alloc))
			for _, c := range shown.Contracts {
				hash, ok := core.CodeHash(c.Contract, c.Version)
				expect.That(t, ok && hash == c.CodeHash, "contract %+v, want code %v", c, hash)
			}
			// The accounts as shown have that state root.
			alloc, codes := make(types.GenesisAlloc), make(map[common.Address]common.Hash)
			for _, a := range shown.Alloc {
				balance, ok := new(big.Int).SetString(a.Balance, 10)
				must.That(t, ok, "account %+v", a)
				alloc[a.Address] = types.Account{Balance: balance, Nonce: a.Nonce, Extra: uint64(a.Extra), Storage: a.Storage}
				if a.CodeHash != types.EmptyCodeHash {
					codes[a.Address] = a.CodeHash
				}
			}
			expect.Equal(t, must.Get(core.GenesisRoot(alloc, codes))(t), n.StateRoot, "accounts have root")
			text := must.Get(run(t, "genesis", "show", "--"+n.Name))(t)
			for _, want := range []string{n.GenesisHash.Hex(), n.StateRoot.Hex(), "govCouncil", "20000000000000"} {
				expect.That(t, strings.Contains(text, want), "no %s in\n%s", want, text)
			}
		})
	}
}

// What is shown of a private network's file is what gwon init writes when no code is here. The same file again is the
// same chain.
func TestShowPrivateGenesis(t *testing.T) {
	file, data := apptest.PrivateGenesis(t), t.TempDir()
	shown := shownJSON(t, file)
	must.That(t, shown.Codeless != nil && *shown.Codeless != shown.Hash,
		"hash %v, without code %v", shown.Hash, shown.Codeless)
	for range 2 {
		must.Get(run(t, "init", "--datadir", data, file))(t)
	}
	dump := must.Get(run(t, "dumpgenesis", "--datadir", data))(t)
	written := new(gethcore.Genesis)
	must.Do(t, json.Unmarshal([]byte(dump), written))
	expect.Equal(t, written.ToBlock().Hash(), *shown.Codeless, "hash that init wrote")
}

func TestShowGenesisErrors(t *testing.T) {
	file := apptest.PrivateGenesis(t)
	other := apptest.WriteFile(t, filepath.Join(t.TempDir(), "other.json"),
		`{"config":{"chainId":1},"alloc":{},"difficulty":"0x1","gasLimit":"0x1"}`)
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "takes one of"},
		{[]string{"--mainnet", file}, "takes one of"},
		{[]string{"--mainnet", "--testnet"}, "exclude each other"},
		{[]string{file, file}, "takes one of"},
		{[]string{file + ".nobody"}, "open genesis file"},
		{[]string{other}, `no section "anzeon"`},
	} {
		expect.Says(t, expect.Err(run(t, append([]string{"genesis", "show"}, test.args...)...)), test.want, "%v", test.args)
	}
}
