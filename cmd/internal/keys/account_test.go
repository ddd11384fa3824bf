// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package keys

import (
	"encoding/hex"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/settings"
)

// Accounts are made, imported, listed and given another password, all without a terminal.
func TestAccountCommands(t *testing.T) {
	dir := t.TempDir()
	if _, err := run(t, "account", "new", "--datadir", dir, "--lightkdf", "--password",
		apptest.TempFile(t, "first\r\n")); err != nil {
		t.Fatal(err)
	}
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	address := crypto.PubkeyToAddress(key.PublicKey)
	keyFile := apptest.TempFile(t, hex.EncodeToString(crypto.FromECDSA(key)))
	password := apptest.TempFile(t, "second\n")
	if _, err := run(t, "account", "import", "--datadir", dir, "--lightkdf", "--password", password, keyFile); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, "account", "import", "--datadir", dir, "--lightkdf", "--password", password, keyFile); err == nil {
		t.Error("the same key was imported twice")
	}
	list, err := run(t, "account", "list", "--datadir", dir)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(list, "Account #") != 2 || !strings.Contains(list, hex.EncodeToString(address[:])) {
		t.Errorf("list:\n%s", list)
	}
	both := apptest.TempFile(t, "second\nthird\n")
	if _, err := run(t, "account", "update", "--datadir", dir, "--lightkdf", "--password", both,
		address.Hex()); err != nil {
		t.Fatal(err)
	}
	ks := settings.NewKeyStore(filepath.Join(dir, "keystore"), true)
	account, err := FindAccount(ks, address.Hex())
	if err != nil {
		t.Fatal(err)
	}
	if err := ks.Unlock(account, "third"); err != nil {
		t.Errorf("the new password does not open the account: %v", err)
	}
	if err := ks.Unlock(account, "second"); err == nil {
		t.Error("the old password still opens the account")
	}
	_, err = run(t, "account", "update", "--datadir", dir, "--lightkdf", "--password", both, address.Hex())
	if !errors.Is(err, keystore.ErrDecrypt) {
		t.Errorf("a wrong password: error %v", err)
	}
}

func TestFindAccountErrors(t *testing.T) {
	ks := settings.NewKeyStore(t.TempDir(), true)
	for name, want := range map[string]string{
		"0":  "there is no account 0",
		"-1": "there is no account -1",
		"me": "neither an address nor",
		"0x00000000000000000000000000000000000000aa": "no key for given address",
	} {
		if _, err := FindAccount(ks, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
}
