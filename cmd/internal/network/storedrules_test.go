// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package network

import (
	"math/big"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb/pebble"

	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/core"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// A configuration of a public network that an earlier gwon has stored is brought to the network's own where no block
// can differ, and refused with the block, the reason and the remedy where one can. A refusal changes nothing.
// spec: chain 1.5, transactions 2.4
func TestStoredRulesAreUpdated(t *testing.T) {
	for name, c := range map[string]struct {
		network string
		edit    func(*params.ChainConfig)
		head    int64
		errors  []string // parts of the error; none for no error
	}{
		"the network's own":     {"testnet", func(*params.ChainConfig) {}, 2000, nil},
		"Boho at 100, below it": {"testnet", earlyBoho, 99, nil},
		"Boho at 100, at it": {"testnet", earlyBoho, 100,
			[]string{"blocks from 100 on", "block 14408500", "up to 100", "gwon removedb"}},
		"unchecked fee payers":          {"testnet", uncheckedPayers, 2000, nil},
		"unchecked fee payers, mainnet": {"mainnet", uncheckedPayers, 2000, nil},
		"both, below Boho": {"testnet", func(c *params.ChainConfig) { earlyBoho(c); uncheckedPayers(c) }, 99,
			nil},
		"both, above Boho": {"testnet", func(c *params.ChainConfig) { earlyBoho(c); uncheckedPayers(c) }, 500,
			[]string{"blocks from 100 on"}},
		"fee payers checked from 7 on": {"testnet",
			func(c *params.ChainConfig) { c.Anzeon.FeePayerCheckBlock = new(uint64(7)) }, 500, []string{"feePayerCheckBlock"}},
		"fee payers checked above head": {"testnet",
			func(c *params.ChainConfig) { c.Anzeon.FeePayerCheckBlock = new(uint64(700)) }, 0, nil},
		"static calls checked from 0 on": {"mainnet",
			func(c *params.ChainConfig) { c.Anzeon.StaticCallCheckBlock = new(uint64(0)) }, 9, []string{"staticCallCheckBlock"}},
	} {
		t.Run(name, func(t *testing.T) {
			network, _ := params.NetworkByName(c.network)
			stored := network.Config()
			c.edit(stored)
			cfg := &settings.Config{}
			cfg.Node.Name, cfg.Node.DataDir = program.Name, t.TempDir()
			writeStoredChain(t, filepath.Join(cfg.Node.DataDir, program.Name, "chaindata"), network.GenesisHash, stored, c.head)

			chain, err := datadir.ReadStoredChain(cfg)
			must.Do(t, err)
			chosen := &Chosen{preset: &network, stored: chain}
			err = chosen.updateRules(cfg)
			want := network.Config()
			if len(c.errors) > 0 {
				want = stored
				for _, part := range c.errors {
					expect.Says(t, err, part, "refusal")
				}
			} else if err != nil {
				t.Fatal(err)
			}
			chain = must.Get(datadir.ReadStoredChain(cfg))(t)
			for what, have := range map[string]*params.ChainConfig{"stored": chain.Config, "in use": chosen.stored.Config} {
				x := must.Get(core.Canonical(have))(t)
				y, err := core.Canonical(want)
				differences := x.Differences(y)
				expect.That(t, err == nil && len(differences) == 0, "%s: %v, error %v", what, differences, err)
			}
		})
	}
}

func earlyBoho(c *params.ChainConfig)       { c.BohoBlock = big.NewInt(100) }
func uncheckedPayers(c *params.ChainConfig) { c.Anzeon.FeePayerCheckBlock = nil }

// writeStoredChain writes what datadir.ReadStoredChain looks at: genesis hash, configuration and the head's number.
func writeStoredChain(t *testing.T, path string, genesis common.Hash, config *params.ChainConfig, head int64) {
	t.Helper()
	store := must.Get(pebble.New(path, 16, 16, "", false))(t)
	db := rawdb.NewDatabase(store)
	rawdb.WriteCanonicalHash(db, genesis, 0)
	rawdb.WriteChainConfig(db, genesis, config)
	header := &types.Header{Number: big.NewInt(head), Difficulty: common.Big1}
	rawdb.WriteHeader(db, header)
	rawdb.WriteHeadBlockHash(db, header.Hash())
	rawdb.WriteHeadHeaderHash(db, header.Hash())
	must.Do(t, db.Close())
}
