// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"encoding/json"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/program"
	"gwon/core"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// A genesis in the future is a start that operators have agreed on, one beyond any such start a slip.
func TestGenesisTime(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	for _, row := range []struct {
		name      string
		timestamp uint64
		want      string // of the error; empty for none
	}{
		{"zero", 0, ""},
		{"now", 1_800_000_000, ""},
		{"in a month", 1_800_000_000 + 30*86400, ""},
		{"in a year", 1_800_000_000 + 365*86400, ""},
		{"in a year and a second", 1_800_000_000 + 365*86400 + 1, "a year ahead of this clock"},
		{"milliseconds", 1_800_000_000_000, "give seconds since 1970"},
		{"the last", math.MaxUint64, "timestamp 18446744073709551615"},
	} {
		t.Run(row.name, func(t *testing.T) {
			err := checkGenesisTime(row.timestamp, now)
			if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
				t.Errorf("error %v, want %q", err, row.want)
			}
		})
	}
}

// A genesis that no chain can follow is refused by gwon init, which writes nothing then.
func TestInitRefuses(t *testing.T) {
	text := must.Get(os.ReadFile(apptest.PrivateGenesis(t)))(t)
	for _, row := range []struct{ name, key, value, want string }{
		{"gas limit", "gasLimit", `"0x1387"`, "the genesis has gasLimit 4999, must be between 5000"},
		{"time", "timestamp", `"0xffffffffffffffff"`, "timestamp 18446744073709551615 is later than"},
	} {
		t.Run(row.name, func(t *testing.T) {
			keys := make(map[string]json.RawMessage)
			must.Do(t, json.Unmarshal(text, &keys))
			keys[row.key] = json.RawMessage(row.value)
			changed, err := json.Marshal(keys)
			must.Do(t, err)
			data, file := filepath.Join(t.TempDir(), "data"), apptest.TempFile(t, changed)
			_, err = run(t, "init", "--datadir", data, file)
			expect.That(t, err != nil && strings.Contains(err.Error(), row.want) && strings.Contains(err.Error(), file),
				"error %v, want %q", err, row.want)
			expect.Refused(t, expect.Err(os.Stat(data)), "a data directory was made")
		})
	}
}

// Commands that need no node key leave its file as it is, whatever form it has: upstream replaces one that it cannot
// read by a new key.
func TestNodeKeyStays(t *testing.T) {
	genesis, digits := apptest.PrivateGenesis(t), strings.Repeat("1f", 32)
	for _, text := range []string{
		digits, "0x" + digits, digits + "  \n", "# mine\n" + digits, `"` + digits + `"`, digits[:9],
	} {
		t.Run(text, func(t *testing.T) {
			data := t.TempDir()
			file := filepath.Join(data, "gwon", "nodekey")
			must.Do(t, os.MkdirAll(filepath.Dir(file), 0o700))
			must.Do(t, os.WriteFile(file, []byte(text), 0o600))
			for _, args := range [][]string{
				{"init", "--datadir", data, genesis}, {"export", "--datadir", data, data + "-blocks"},
				{"db", "inspect", "--datadir", data}, {"db", "compact", "--datadir", data},
				{"import", "--datadir", data, data + "-blocks"},
				{"snapshot", "fetch", "--datadir", data, filepath.Join(data, "none")}, {"dumpgenesis", "--datadir", data},
			} {
				out, err := run(t, args...)
				have := must.Get(os.ReadFile(file))(t)
				must.That(t, string(have) == text, "%v (%v, %s) has made %q of %q", args, err, out, have, text)
			}
		})
	}
}

// A refused file over a chain changes nothing: the chain's own file is taken as before, with its rules.
func TestInitOverAChain(t *testing.T) {
	file, data := apptest.PrivateGenesis(t), filepath.Join(t.TempDir(), "data")
	text := must.Get(os.ReadFile(file))(t)
	changed := strings.Replace(string(text), `"epochLength":`, `"epochLength":9`, 1)
	out, err := run(t, "init", "--json", "--datadir", data, file)
	must.That(t, err == nil && strings.Contains(out, `"result": "Wrote genesis block"`), "%q, %v", out, err)
	before := must.Get(run(t, "--datadir", data, "dumpgenesis"))(t)
	_, err = run(t, "init", "--datadir", data, apptest.TempFile(t, []byte(changed)))
	expect.Says(t, err, "anzeon.wbft.epochLength is ", "refusal")
	expect.Equal(t, must.Get(run(t, "--datadir", data, "dumpgenesis"))(t), before, "the chain has changed")
	expect.Error(t, expect.Err(run(t, "init", "--datadir", data, file)), nil, "the chain's own file is refused")
}

// A chain that was made with code, and taken over to where the code is not, keeps its block, and takes a transition
// (spec chain 1.5).
func TestInitOverAChainWithCode(t *testing.T) {
	file, data := apptest.PrivateGenesis(t), t.TempDir()
	must.Get(run(t, "init", "--datadir", data, file))(t)
	given := must.Get(readGenesisFile(file))(t)
	_, info, err := core.DescribeGenesis(given, nil)
	must.That(t, err == nil && len(info.Missing) != 0, "%d contracts are without code, error %v", len(info.Missing), err)
	open := func() ethdb.Database {
		return must.Get(datadir.OpenKeyValues(filepath.Join(data, program.Name, "chaindata"), false))(t)
	}
	db := open()
	rawdb.WriteHeader(db, info.Header)
	rawdb.WriteCanonicalHash(db, info.Hash, 0)
	rawdb.WriteHeadHeaderHash(db, info.Hash)
	rawdb.WriteChainConfig(db, info.Hash, given.Config)
	must.Do(t, db.Close())
	given.Config.Transitions = []gethparams.Transition{
		{Block: big.NewInt(5), WBFTConfig: &params.WBFTConfig{EpochLength: 20}},
	}
	text := must.Get(json.Marshal(given))(t)
	must.Get(run(t, "init", "--datadir", data, apptest.TempFile(t, text)))(t)
	db = open()
	config := rawdb.ReadChainConfig(db, rawdb.ReadCanonicalHash(db, 0))
	if err := db.Close(); err != nil || len(config.Transitions) != 1 {
		t.Errorf("the stored configuration has %d transitions, error %v", len(config.Transitions), err)
	}
}

// A genesis file may not change the rules of blocks that exist, those from the genesis block on included
// (spec chain 1.5).
func TestInitKeepsRules(t *testing.T) {
	config := func(change func(*params.ChainConfig)) *params.ChainConfig {
		c := must.Get(params.DevConfig(params.DevChainID, params.DevnetValidator{
			Address: common.Address{1}, BLSPublicKey: make([]byte, gethparams.BLSPublicKeyLength),
		}, 1, params.V1))(t)
		change(c)
		return c
	}
	check := func(block uint64) func(*params.ChainConfig) {
		return func(c *params.ChainConfig) { c.Anzeon.FeePayerCheckBlock = &block }
	}
	never := func(c *params.ChainConfig) { c.Anzeon.FeePayerCheckBlock = nil }
	for _, c := range []struct {
		name     string
		head     int64
		old, new func(*params.ChainConfig)
		text     string // of the error; empty for none
	}{
		{"nothing changes", 10, check(0), check(0), ""},
		{"no blocks yet", 0, check(0), check(5), ""},
		{"from the genesis block on", 10, check(0), check(5), "anzeon.feePayerCheckBlock is 0 in the chain and 5 in this " +
			"file"},
		{"never before", 10, never, check(5), "feePayerCheckBlock is absent in the chain and 5 in this file"},
		{"above the head", 10, never, check(11), ""},
		{"chain ID", 0, never, func(c *params.ChainConfig) { c.ChainID = big.NewInt(7) },
			"chainId is 1337 in the chain and 7"},
		{"period", 0, never, func(c *params.ChainConfig) { c.Anzeon.WBFT.BlockPeriodSeconds = 5 },
			"anzeon.wbft.blockPeriodSeconds is 1 in the chain and 5"},
		{"epoch", 10, never, func(c *params.ChainConfig) { c.Anzeon.WBFT.EpochLength = 20 }, "epochLength"},
	} {
		db := rawdb.NewMemoryDatabase()
		genesis := &types.Header{Number: new(big.Int), Difficulty: common.Big1}
		head := &types.Header{Number: big.NewInt(c.head), Difficulty: common.Big1}
		for _, h := range []*types.Header{head, genesis} {
			rawdb.WriteHeader(db, h)
			rawdb.WriteCanonicalHash(db, h.Hash(), h.Number.Uint64())
		}
		rawdb.WriteHeadHeaderHash(db, head.Hash())
		rawdb.WriteChainConfig(db, genesis.Hash(), config(c.old))
		wanted, err := core.Canonical(config(c.new))
		must.Do(t, err)
		_, err = checkRules(db, wanted)
		expect.Ends(t, err, c.text, "%s", c.name)
	}
}

// What dumpgenesis prints of a chain is a genesis file: init makes the same chain of it (STABLE-0004, STABLE-0007).
func TestInitTakesDumpedGenesis(t *testing.T) {
	first, second := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	must.Get(run(t, "init", "--datadir", first, apptest.PrivateGenesis(t)))(t)
	dump := func(dir string) string {
		t.Helper()
		return must.Get(run(t, "dumpgenesis", "--datadir", dir))(t)
	}
	text := dump(first)
	must.Get(run(t, "init", "--datadir", second, apptest.TempFile(t, text)))(t)
	expect.Equal(t, dump(second), text, "the dump of the second chain")
}
