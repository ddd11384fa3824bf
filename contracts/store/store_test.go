// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package store

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/internal/expect"
	"gwon/internal/must"
)

func openStore(t *testing.T, dir string) *Store {
	t.Helper()
	return must.Get(Open(dir))(t)
}

// Code is found by its hash, under that name, and nothing else is left in the directory.
func TestStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gwon", "contracts")
	s := openStore(t, dir)
	expect.Error(t, expect.Err(os.Stat(dir)), fs.ErrNotExist, "opening made the directory")
	code := []byte("some code")
	hash := crypto.Keccak256Hash(code)
	_, ok := s.Source()(hash)
	expect.That(t, !ok, "the empty store has code")
	for range 2 {
		got, err := s.Put(code)
		must.That(t, err == nil && got == hash, "stored as %v, %v, want %v", got, err, hash)
	}
	entries, err := os.ReadDir(dir)
	expect.That(t, err == nil && len(entries) == 1 && entries[0].Name() == strings.TrimPrefix(hash.Hex(), "0x"),
		"directory holds %v, %v", entries, err)
	for _, source := range []func(common.Hash) ([]byte, bool){s.Source(), openStore(t, dir).Source()} {
		got, ok := source(hash)
		expect.That(t, ok && bytes.Equal(got, code), "read %q, %v", got, ok)
		_, ok = source(common.Hash{1})
		expect.That(t, !ok, "code with a hash that nothing has")
	}
	for _, size := range []int{0, MaxCode + 1} {
		expect.Refused(t, expect.Err(s.Put(make([]byte, size))), "code of %d bytes is stored", size)
	}
	expect.Error(t, expect.Err(s.Put(make([]byte, MaxCode))), nil, "largest code")
	expect.Error(t, expect.Err(openStore(t, dir).Get(crypto.Keccak256Hash(make([]byte, MaxCode)))), nil, "largest code")
}

// A file that does not hash to its name is never used; the error names it, and storing the code again mends it.
func TestStoreRefusesOtherContent(t *testing.T) {
	code := []byte("some code")
	for name, content := range map[string][]byte{
		"other":     []byte("some Code"),
		"cut":       code[:4],
		"longer":    append(bytes.Clone(code), 0),
		"empty":     {},
		"oversized": make([]byte, MaxCode+100),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := openStore(t, dir)
			hash := must.Get(s.Put(code))(t)
			file := filepath.Join(dir, fileName(hash))
			must.Do(t, os.WriteFile(file, content, 0o600))
			expect.Says(t, expect.Err(Open(dir)), file, "opened")
			_, err := s.Get(hash)
			expect.That(t, err != nil && strings.Contains(err.Error(), file) && !errors.Is(err, fs.ErrNotExist), "read: %v", err)
			got, ok := s.Source()(hash)
			expect.That(t, !ok, "source gives %q", got)
			must.Get(s.Put(code))(t)
			got, err = openStore(t, dir).Get(hash)
			expect.That(t, err == nil && bytes.Equal(got, code), "after storing again: %q, %v", got, err)
		})
	}
}

// Files with other names are not the store's business, whatever is in them.
func TestStoreIgnoresOtherFiles(t *testing.T) {
	dir := t.TempDir()
	hash := crypto.Keccak256Hash([]byte("A"))
	upper := strings.ToUpper(fileName(hash))
	for _, name := range []string{"README", ".new-123", hash.Hex(), upper, fileName(hash)[:62], fileName(hash) + ".bak"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte("anything"), 0o600))
	}
	openStore(t, dir)
	expect.Refused(t, expect.Err(Open(filepath.Join(dir, "README"))), "a file is opened as a directory")
	expect.Refused(t, expect.Err((&Store{filepath.Join(dir, "README")}).Put([]byte("A"))), "code is stored below a file")
}

// Without a data directory there is no code, and none can be stored.
func TestNilStore(t *testing.T) {
	var s *Store
	_, ok := s.Source()(common.Hash{1})
	expect.That(t, !ok, "no store has code")
	expect.Refused(t, expect.Err(s.Put([]byte("A"))), "code is stored nowhere")
}
