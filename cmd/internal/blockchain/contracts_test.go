// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/settings"
	"gwon/contracts/store"
	"gwon/core"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// madeUp returns contract versions whose code is the bytes of a name, with a byte that is no text.
func madeUp(names ...string) (wanted []core.ContractCode, codes [][]byte) {
	for _, name := range names {
		code := append([]byte{0x60, 0xff}, name...)
		wanted = append(wanted, core.ContractCode{Contract: name, Version: "v1", Hash: crypto.Keccak256Hash(code)})
		codes = append(codes, code)
	}
	return wanted, codes
}

// Code is taken from files in every form that its hash bears out; everything else is named and skipped.
func TestImportCode(t *testing.T) {
	wanted, codes := madeUp("raw", "hex", "prefixed", "quoted", "single", "absent")
	dir := t.TempDir()
	store := must.Get(store.Open(filepath.Join(t.TempDir(), "contracts")))(t)
	apptest.WriteFile(t, filepath.Join(dir, "raw"), codes[0])
	apptest.WriteFile(t, filepath.Join(dir, "hex"), hex.EncodeToString(codes[1])+"\n")
	apptest.WriteFile(t, filepath.Join(dir, "prefixed"),
		[]byte(" \r\n\t0x"+strings.ToUpper(hex.EncodeToString(codes[2]))+" \n"))
	apptest.WriteFile(t, filepath.Join(dir, "quoted"), []byte(`"0x`+hex.EncodeToString(codes[3])+"\"\n"))
	apptest.WriteFile(t, filepath.Join(dir, "cut"), codes[5][:3])
	apptest.WriteFile(t, filepath.Join(dir, "odd"), "0x123")
	apptest.WriteFile(t, filepath.Join(dir, "empty"), "")
	apptest.WriteFile(t, filepath.Join(dir, "large"), make([]byte, maxCodeFile+1))
	must.Do(t, os.Mkdir(filepath.Join(dir, "below"), 0o700))
	apptest.WriteFile(t, filepath.Join(dir, "below", "absent"), codes[5])
	single := apptest.WriteFile(t, filepath.Join(t.TempDir(), "any name"), codes[4])

	var out bytes.Buffer
	fitted, err := importCode(&out, store, wanted, []string{dir, single})
	expect.That(t, err == nil && fitted == 5, "%d files fitted, %v, want 5", fitted, err)
	for i, v := range wanted[:5] {
		code, err := store.Get(v.Hash)
		expect.That(t, err == nil && bytes.Equal(code, codes[i]), "%s: %x, %v", v.Contract, code, err)
		expect.Contains(t, out.String(), "Stored "+v.Contract+" v1 from ",
			"%s is not said to be stored:\n%s", v.Contract, &out)
	}
	expect.Refused(t, expect.Err(store.Get(wanted[5].Hash)), "a subdirectory was read")
	for _, name := range []string{"cut", "odd", "empty", "large", "below"} {
		expect.Contains(t, out.String(), "Skipped "+filepath.Join(dir, name)+": ",
			"%s is not said to be skipped:\n%s", name, &out)
	}
	// What is there already fits too; nothing fitting is no error here.
	fitted, err = importCode(&out, store, wanted, []string{single})
	expect.That(t, err == nil && fitted == 1, "second time: %d files fitted, %v", fitted, err)
	fitted, err = importCode(&out, store, wanted, []string{filepath.Join(dir, "odd")})
	expect.That(t, err == nil && fitted == 0, "no code: %d files fitted, %v", fitted, err)
	expect.Refused(t, expect.Err(importCode(&out, store, wanted, []string{filepath.Join(dir, "nobody")})),
		"a missing file is accepted")
}

// The command fails when nothing fitted, and says what the public networks need (spec chain 9.1, 10).
func TestContractsImportNothing(t *testing.T) {
	data := t.TempDir()
	file := apptest.WriteFile(t, filepath.Join(t.TempDir(), "code"), "0x6080")
	out, err := run(t, "contracts", "import", "--datadir", data, file)
	expect.Says(t, err, "nothing stored", "refusal")
	for _, want := range []string{"Skipped " + file, "Missing for --mainnet: govValidator v1", "Missing for --testnet: ",
		"govMinter v1", "govMinter v2"} {
		expect.That(t, strings.Contains(out, want), "no %q in\n%s", want, out)
	}
	for _, args := range [][]string{
		{"contracts", "import", "--datadir", data},
		{"contracts", "import", "--mainnet", "--testnet", "--datadir", data, file},
		{"contracts", "list", "--datadir", data, "more"},
	} {
		out, err := run(t, args...)
		expect.That(t, err != nil, "%v: accepted: %s", args, out)
	}
	entries, err := os.ReadDir(data)
	expect.That(t, err == nil && len(entries) == 0, "the data directory holds %v, %v", entries, err)
}

// Mainnet has govMinter v2 from genesis on, testnet has v1 before (spec chain 11).
func TestPrintMissing(t *testing.T) {
	for _, n := range params.Networks() {
		var out bytes.Buffer
		must.Do(t, printMissing(&out, n, nil))
		v1, v2 := strings.Contains(out.String(), "govMinter v1"), strings.Contains(out.String(), "govMinter v2")
		expect.That(t, v1 == (n.ID == params.TestnetChainID) && v2, "%s: %s", n.Name, &out)
	}
}

// The list has every known version, and says what is here and who needs it (spec chain 9.1).
func TestContractsList(t *testing.T) {
	data := t.TempDir()
	out := must.Get(run(t, "contracts", "list", "--json", "--datadir", data))(t)
	var list []contractStatus
	must.Do(t, json.Unmarshal([]byte(out), &list))
	known, own := core.KnownCode(), core.OwnVersions()
	must.That(t, len(list) == len(known)+len(own) && len(own) == 6,
		"%d lines, want %d and %d", len(list), len(known), len(own))
	for i, s := range list[len(known):] { // gwon's own code is always here, and no public network needs it
		expect.That(t, s.Contract == own[i].Contract && s.Version == own[i].Version && s.Hash == own[i].Hash && s.Present &&
			s.Own && len(s.Networks) == 0, "%+v, want %+v", s, own[i])
	}
	for i, s := range list[:len(known)] {
		networks := []string{"mainnet", "testnet"}
		if s.Contract == "govMinter" && s.Version == params.V1 {
			networks = networks[1:]
		}
		expect.That(t, s.Contract == known[i].Contract && s.Version == known[i].Version && s.Hash == known[i].Hash &&
			!s.Present && !s.Own && slices.Equal(s.Networks, networks), "%+v, want %+v, needed by %v", s, known[i], networks)
	}
	text := must.Get(run(t, "contracts", "list", "--datadir", data))(t)
	got := strings.Count(text, "missing")
	expect.That(t, got == len(known) && !strings.Contains(text, "present") && strings.Count(text, "in gwon") == len(own),
		"printed\n%s", text)
	here, err := contractStatuses(func(hash common.Hash) ([]byte, bool) { return nil, hash == known[0].Hash })
	expect.That(t, err == nil && here[0].Present && !here[1].Present, "with one code: %+v, %v", here, err)
}

// Known code of a genesis file goes into the store; the data directory it goes to is that of the node.
func TestKeepCode(t *testing.T) {
	wanted, codes := madeUp("one", "two")
	cfg := settings.Default()
	cfg.Node.DataDir = t.TempDir()
	store := must.Get(cfg.CodeStore())(t)
	found := func(hash common.Hash) ([]byte, bool) { return codes[1], hash == wanted[1].Hash }
	must.Do(t, keepCode(store, wanted, found))
	_, ok := store.Source()(wanted[0].Hash)
	expect.That(t, !ok, "code that the file does not have is stored")
	name := filepath.Join(cfg.Node.DataDir, "gwon", "contracts", strings.TrimPrefix(wanted[1].Hash.Hex(), "0x"))
	content, err := os.ReadFile(name)
	expect.That(t, err == nil && bytes.Equal(content, codes[1]), "file %s: %x, %v", name, content, err)
}

// A genesis file with gwon's own contracts: shown by name and version, and made with their code wherever it is made.
func TestOwnContractsInGenesisFile(t *testing.T) {
	config := must.Get(params.DevnetConfig(params.DevnetOptions{
		Validators: []params.DevnetValidator{{Address: common.Address{0: 0xaa},
			BLSPublicKey: bytes.Repeat([]byte{1}, gethparams.BLSPublicKeyLength)}},
		Contracts: params.G1, BohoBlock: 5,
	}))(t)
	text, err := json.Marshal(core.DevnetGenesis(config, 1_700_000_000, types.GenesisAlloc{{1}: {Balance: common.Big32}}))
	must.Do(t, err)
	file := apptest.WriteFile(t, filepath.Join(t.TempDir(), "genesis.json"), text)
	out := must.Get(run(t, "genesis", "show", "--json", file))(t)
	var shown struct {
		Hash      common.Hash
		Contracts []shownCode
		Codeless  *common.Hash `json:"hashWithoutCode"`
	}
	must.Do(t, json.Unmarshal([]byte(out), &shown))
	expect.That(t, len(shown.Contracts) == 5 && shown.Codeless == nil, "shown %+v", shown)
	for _, c := range shown.Contracts {
		hash, ok := core.CodeHash(c.Contract, params.G1)
		expect.That(t, ok && c.Version == params.G1 && c.CodeHash == hash, "shown %+v", c)
	}
	data := t.TempDir()
	for range 2 { // the second time it is there
		must.Get(run(t, "init", "--datadir", data, file))(t)
	}
	wrong := apptest.WriteFile(t, filepath.Join(t.TempDir(), "genesis.json"),
		bytes.Replace(text, []byte(`"version":"g1"`), []byte(`"version":"g7"`), 1))
	expect.Says(t, expect.Err(run(t, "init", "--datadir", t.TempDir(), wrong)), "known: [v1", "unknown version")
}
