// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
)

// runCommand runs a subcommand in a data directory and returns what it printed.
func runCommand(t *testing.T, args ...string) (string, error) {
	t.Helper()
	app := newApp()
	out := new(bytes.Buffer)
	app.Writer = out
	app.Before, app.After = nil, nil
	err := app.Run(append([]string{program.Name}, args...))
	return out.String(), err
}

func writeFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Accounts are made, imported, listed and given another password, all without a terminal.
func TestAccountCommands(t *testing.T) {
	dir := t.TempDir()
	if _, err := runCommand(t, "account", "new", "--datadir", dir, "--lightkdf", "--password", writeFile(t, "first\r\n")); err != nil {
		t.Fatal(err)
	}
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	address := crypto.PubkeyToAddress(key.PublicKey)
	keyFile := writeFile(t, hex.EncodeToString(crypto.FromECDSA(key)))
	password := writeFile(t, "second\n")
	if _, err := runCommand(t, "account", "import", "--datadir", dir, "--lightkdf", "--password", password, keyFile); err != nil {
		t.Fatal(err)
	}
	if _, err := runCommand(t, "account", "import", "--datadir", dir, "--lightkdf", "--password", password, keyFile); err == nil {
		t.Error("the same key was imported twice")
	}
	list, err := runCommand(t, "account", "list", "--datadir", dir)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(list, "Account #") != 2 || !strings.Contains(list, hex.EncodeToString(address[:])) {
		t.Errorf("list:\n%s", list)
	}
	both := writeFile(t, "second\nthird\n")
	if _, err := runCommand(t, "account", "update", "--datadir", dir, "--lightkdf", "--password", both, address.Hex()); err != nil {
		t.Fatal(err)
	}
	ks := settings.NewKeyStore(filepath.Join(dir, "keystore"), true)
	account, err := findAccount(ks, address.Hex())
	if err != nil {
		t.Fatal(err)
	}
	if err := ks.Unlock(account, "third"); err != nil {
		t.Errorf("the new password does not open the account: %v", err)
	}
	if err := ks.Unlock(account, "second"); err == nil {
		t.Error("the old password still opens the account")
	}
	_, err = runCommand(t, "account", "update", "--datadir", dir, "--lightkdf", "--password", both, address.Hex())
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
		if _, err := findAccount(ks, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
}

// removedb deletes databases and neither keys nor the record of signed votes, and of an ancient directory elsewhere only what
// go-ethereum has made there. A relative one lies below the instance directory, as for the node.
func TestRemoveDB(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	keep := []string{"gwon/nodekey", "gwon/votes.log", "keystore/key", "gwon/old/photos/1", "old/chain/not-ours"}
	drop := []string{"gwon/chaindata/CURRENT", "gwon/triedb/journal", "gwon/old/chain/bodies", "gwon/old/state/history"}
	for _, name := range append(keep, drop...) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := runCommand(t, "removedb", "--datadir", dir, "--datadir.ancient", "old", "--yes"); err != nil {
		t.Fatal(err)
	}
	for _, name := range keep {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
	for _, name := range drop {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	if _, err := runCommand(t, "removedb", "--datadir", dir, "--yes"); err == nil || !strings.Contains(err.Error(), "no database") {
		t.Errorf("nothing left: error %v", err)
	}
}
