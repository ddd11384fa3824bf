// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package keys

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/settings"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// Accounts are made, imported, listed and given another password, all without a terminal.
func TestAccountCommands(t *testing.T) {
	dir := t.TempDir()
	must.Get(run(t, "account", "new", "--datadir", dir, "--lightkdf", "--password", apptest.TempFile(t, "first\r\n")))(t)
	key, err := crypto.GenerateKey()
	must.Do(t, err)
	address := crypto.PubkeyToAddress(key.PublicKey)
	keyFile := apptest.TempFile(t, hex.EncodeToString(crypto.FromECDSA(key)))
	password := apptest.TempFile(t, "second\n")
	must.Get(run(t, "account", "import", "--datadir", dir, "--lightkdf", "--password", password, keyFile))(t)
	_, err = run(t, "account", "import", "--datadir", dir, "--lightkdf", "--password", password, keyFile)
	expect.That(t, err != nil, "the same key was imported twice")
	list := must.Get(run(t, "account", "list", "--datadir", dir))(t)
	expect.That(t, strings.Count(list, "Account #") == 2 && strings.Contains(list, hex.EncodeToString(address[:])),
		"list:\n%s", list)
	both := apptest.TempFile(t, "second\nthird\n")
	must.Get(run(t, "account", "update", "--datadir", dir, "--lightkdf", "--password", both, address.Hex()))(t)
	ks := settings.NewKeyStore(filepath.Join(dir, "keystore"), true)
	account := must.Get(FindAccount(ks, address.Hex()))(t)
	expect.Error(t, ks.Unlock(account, "third"), nil, "the new password does not open the account")
	expect.Refused(t, ks.Unlock(account, "second"), "the old password still opens the account")
	_, err = run(t, "account", "update", "--datadir", dir, "--lightkdf", "--password", both, address.Hex())
	expect.Error(t, err, keystore.ErrDecrypt, "a wrong password")
}

// An empty file is no password for a new key. A key that has the empty password gets another one by it.
func TestEmptyPasswordFile(t *testing.T) {
	dir, empty := t.TempDir(), apptest.TempFile(t, "\n")
	const want = "line 1 of the password file"
	expect.Says(t, expect.Err(run(t, "account", "new", "--datadir", dir, "--lightkdf", "--password", empty)), want, "new")
	keyFile := apptest.TempFile(t, strings.Repeat("1", 64))
	_, err := run(t, "account", "import", "--datadir", dir, "--lightkdf", "--password", empty, keyFile)
	expect.That(t, err != nil && strings.Contains(err.Error(), want), "import: error %v", err)
	ks := settings.NewKeyStore(filepath.Join(dir, "keystore"), true)
	account := must.Get(ks.NewAccount(""))(t)
	update := func(passwords string) error {
		_, err := run(t, "account", "update", "--datadir", dir, "--lightkdf", "--password",
			apptest.TempFile(t, passwords), account.Address.Hex())
		return err
	}
	expect.Says(t, update("\n\n"), "line 2 of the password file", "update")
	expect.Error(t, update("\nsecond\n"), nil, "update from the empty password")
}

// A key store that is given and is not there is no empty one.
func TestAccountListNamesMissingKeyStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "nosuch")
	_, err := run(t, "account", "list", "--keystore", dir)
	expect.That(t, errors.Is(err, fs.ErrNotExist) && strings.Contains(err.Error(), dir), "error %v", err)
}

// A list of accounts makes no directory.
func TestAccountListLeavesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	expect.Equal(t, must.Get(run(t, "account", "list", "--datadir", dir))(t), "", "value")
	expect.Error(t, expect.Err(os.Stat(dir)), fs.ErrNotExist, "the data directory is there")
}

func TestFindAccountErrors(t *testing.T) {
	ks := settings.NewKeyStore(t.TempDir(), true)
	for name, want := range map[string]string{
		"0":  "there is no account 0",
		"-1": "there is no account -1",
		"me": "neither an address nor",
		"0x00000000000000000000000000000000000000aa": "no key for given address",
	} {
		expect.Says(t, expect.Err(FindAccount(ks, name)), want, "%s", name)
	}
}

// A key that is there already stays under its password. The error names the account and what changes it.
func TestAccountImportTwice(t *testing.T) {
	dir, password := t.TempDir(), apptest.TempFile(t, "first")
	keyFile := apptest.TempFile(t, strings.Repeat("1", 64))
	arguments := []string{"account", "import", "--datadir", dir, "--lightkdf", "--password", password, keyFile}
	must.Get(run(t, arguments...))(t)
	_, err := run(t, arguments...)
	expect.That(t, err != nil && strings.Contains(err.Error(), "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A") &&
		strings.Contains(err.Error(), "account update"), "error %v", err)
}

// A key file that is damaged is named, because its account has vanished from the store.
func TestDamagedKeyFileIsNamed(t *testing.T) {
	dir := t.TempDir()
	account := must.Get(settings.NewKeyStore(dir, true).NewAccount(""))(t)
	whole := must.Get(os.ReadFile(account.URL.Path))(t)
	before := log.Root()
	defer log.SetDefault(before)
	for _, row := range []struct {
		name    string
		content []byte
		named   bool
	}{
		{"whole", whole, false},
		{"half", whole[:len(whole)/2], true},
		{"empty", nil, true},
		{"junk at the end", append(slices.Clone(whole), "abc"...), true},
		{"no address", []byte("{}"), true},
	} {
		t.Run(row.name, func(t *testing.T) {
			apptest.WriteFile(t, account.URL.Path, row.content)
			var text bytes.Buffer
			log.SetDefault(log.NewLogger(log.NewTerminalHandler(&text, false)))
			settings.NewKeyStore(dir, true)
			named := strings.Contains(text.String(), account.URL.Path)
			expect.That(t, named == row.named, "named: %v, want %v: %s", named, row.named, &text)
		})
	}
}

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return apptest.Run(t, settings.NewApp([]*cli.Command{AccountCommand}), args...)
}
