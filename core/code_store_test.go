// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/params"
)

func openStore(t *testing.T, dir string) *CodeStore {
	t.Helper()
	s, err := OpenCodeStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Code is found by its hash, under that name, and nothing else is left in the directory.
func TestCodeStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gwon", "contracts")
	s := openStore(t, dir)
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opening made the directory: %v", err)
	}
	code := []byte("some code")
	hash := crypto.Keccak256Hash(code)
	if _, ok := s.Source()(hash); ok {
		t.Error("the empty store has code")
	}
	for range 2 {
		if got, err := s.Put(code); err != nil || got != hash {
			t.Fatalf("stored as %v, %v, want %v", got, err, hash)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != strings.TrimPrefix(hash.Hex(), "0x") {
		t.Errorf("directory holds %v, %v", entries, err)
	}
	for _, source := range []CodeSource{s.Source(), openStore(t, dir).Source()} {
		if got, ok := source(hash); !ok || !bytes.Equal(got, code) {
			t.Errorf("read %q, %v", got, ok)
		}
		if _, ok := source(common.Hash{1}); ok {
			t.Error("code with a hash that nothing has")
		}
	}
	for _, size := range []int{0, MaxContractCode + 1} {
		if _, err := s.Put(make([]byte, size)); err == nil {
			t.Errorf("code of %d bytes is stored", size)
		}
	}
	if _, err := s.Put(make([]byte, MaxContractCode)); err != nil {
		t.Errorf("largest code: %v", err)
	}
	if _, err := openStore(t, dir).Get(crypto.Keccak256Hash(make([]byte, MaxContractCode))); err != nil {
		t.Errorf("largest code: %v", err)
	}
}

// A file that does not hash to its name is never used; the error names it, and storing the code again mends it.
func TestCodeStoreRefusesOtherContent(t *testing.T) {
	code := []byte("some code")
	for name, content := range map[string][]byte{
		"other":     []byte("some Code"),
		"cut":       code[:4],
		"longer":    append(bytes.Clone(code), 0),
		"empty":     {},
		"oversized": make([]byte, MaxContractCode+100),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := openStore(t, dir)
			hash, err := s.Put(code)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, fileName(hash))
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := OpenCodeStore(dir); err == nil || !strings.Contains(err.Error(), file) {
				t.Errorf("opened: %v", err)
			}
			if _, err := s.Get(hash); err == nil || !strings.Contains(err.Error(), file) || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("read: %v", err)
			}
			if got, ok := s.Source()(hash); ok {
				t.Errorf("source gives %q", got)
			}
			if _, err := s.Put(code); err != nil {
				t.Fatal(err)
			}
			if got, err := openStore(t, dir).Get(hash); err != nil || !bytes.Equal(got, code) {
				t.Errorf("after storing again: %q, %v", got, err)
			}
		})
	}
}

// Files with other names are not the store's business, whatever is in them.
func TestCodeStoreIgnoresOtherFiles(t *testing.T) {
	dir := t.TempDir()
	hash := crypto.Keccak256Hash([]byte("A"))
	upper := strings.ToUpper(fileName(hash))
	for _, name := range []string{"README", ".new-123", hash.Hex(), upper, fileName(hash)[:62], fileName(hash) + ".bak"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("anything"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	openStore(t, dir)
	if _, err := OpenCodeStore(filepath.Join(dir, "README")); err == nil {
		t.Error("a file is opened as a directory")
	}
	if _, err := (&CodeStore{filepath.Join(dir, "README")}).Put([]byte("A")); err == nil {
		t.Error("code is stored below a file")
	}
}

// Without a data directory there is no code, and none can be stored.
func TestNilCodeStore(t *testing.T) {
	var s *CodeStore
	if _, ok := s.Source()(common.Hash{1}); ok {
		t.Error("no store has code")
	}
	if _, err := s.Put([]byte("A")); err == nil {
		t.Error("code is stored nowhere")
	}
}

// storeCodes puts made-up code of the named versions into a store.
func storeCodes(t *testing.T, s *CodeStore, codes CodeSource, versions ...ContractCode) {
	t.Helper()
	for _, v := range versions {
		code, ok := codes(v.Hash)
		if !ok {
			t.Fatalf("no code for %+v", v)
		}
		if _, err := s.Put(code); err != nil {
			t.Fatal(err)
		}
	}
}

// A public network starts from a store: its genesis as soon as the code at block 0 is there, and the same block as the one
// told without code (spec chain 9).
func TestGenesisFromStore(t *testing.T) {
	codes := useTestCodes(t)
	for _, n := range params.Networks() {
		t.Run(n.Name, func(t *testing.T) {
			_, told, err := DescribeGenesis(NetworkGenesis(n), nil)
			if err != nil {
				t.Fatal(err)
			}
			s := openStore(t, t.TempDir())
			for _, v := range KnownCode() {
				// Boho is in the genesis of mainnet, and 100 blocks later on testnet.
				if v.Contract == "govMinter" && (v.Version == params.V1) == (n.Name == "mainnet") {
					continue
				}
				if _, _, err := BuildGenesis(NetworkGenesis(n), s.Source()); !errors.Is(err, ErrMissingCode) {
					t.Fatalf("before %+v: %v", v, err)
				}
				storeCodes(t, s, codes, v)
			}
			g, info, err := BuildGenesis(NetworkGenesis(n), s.Source())
			if err != nil {
				t.Fatal(err)
			}
			if hash := g.ToBlock().Hash(); hash != told.Hash || info.Hash != told.Hash || len(info.Missing) != 0 {
				t.Errorf("hash %v, told were %v and %v; missing %+v", hash, info.Hash, told.Hash, info.Missing)
			}
		})
	}
}

// What a chain needs is the code of its genesis and of its upgrades (spec chain 9, steps 4 and 6; chain 10).
func TestFindMissingCode(t *testing.T) {
	all := KnownCode()
	if len(all) != 6 || all[2] != (ContractCode{"govMinter", params.V1, contractKinds[2].hashes[params.V1]}) || all[3].Version != params.V2 {
		t.Errorf("known code %+v", all)
	}
	testnet, err := FindMissingCode(params.Testnet(), nil)
	if err != nil {
		t.Fatal(err)
	}
	mainnet, err := FindMissingCode(params.Mainnet(), nil)
	if err != nil {
		t.Fatal(err)
	}
	v1, _ := CodeHash("govMinter", params.V1)
	v2, _ := CodeHash("govMinter", params.V2)
	minterV1 := MissingCode{"govMinter", params.V1, params.GovMinterAddress, v1, 0}
	minterV2 := MissingCode{"govMinter", params.V2, params.GovMinterAddress, v2, 14_408_500}
	if len(testnet) != 6 || !slices.Contains(testnet, minterV1) || !slices.Contains(testnet, minterV2) {
		t.Errorf("testnet needs %+v", testnet)
	}
	minterV2.Block = 0
	if len(mainnet) != 5 || slices.Contains(mainnet, minterV1) || !slices.Contains(mainnet, minterV2) {
		t.Errorf("mainnet needs %+v", mainnet)
	}
	lie := func(common.Hash) ([]byte, bool) { return []byte("not what was asked for"), true }
	if _, err := FindMissingCode(params.Testnet(), lie); err == nil || errors.Is(err, ErrMissingCode) {
		t.Errorf("wrong code: %v", err)
	}
	cfg := params.Testnet()
	cfg.Boho.SystemContracts.GovMinter.Version = "v9"
	if _, err := FindMissingCode(cfg, nil); err == nil {
		t.Error("an unknown version is accepted")
	}
}

// Known code in an allocation is found at any address, other code is not (spec chain 9.1).
func TestCodeInAlloc(t *testing.T) {
	codes := useTestCodes(t)
	council, _ := CodeHash("govCouncil", params.V1)
	validator, _ := CodeHash("govValidator", params.V1)
	code, _ := codes(council)
	other := []byte("something else")
	found := CodeInAlloc(types.GenesisAlloc{{1}: {Code: code}, {2}: {Code: other}, {3}: {}})
	if got, ok := found(council); !ok || !bytes.Equal(got, code) {
		t.Errorf("found %q, %v", got, ok)
	}
	for _, hash := range []common.Hash{validator, crypto.Keccak256Hash(other), types.EmptyCodeHash} {
		if got, ok := found(hash); ok {
			t.Errorf("found %q", got)
		}
	}
	both := found.Or(nil).Or(codes)
	for _, hash := range []common.Hash{council, validator} {
		if _, ok := both(hash); !ok {
			t.Errorf("%v is not in either source", hash)
		}
	}
	if _, ok := CodeSource(nil).Or(nil)(council); ok {
		t.Error("no source has code")
	}
}
