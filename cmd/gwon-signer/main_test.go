// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/cmd/internal/apptest"
	"gwon/consensus/wbft/signer/wire"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/nodekey"
)

// The program that has the keys links nothing that listens to a network of peers, serves HTTP or executes blocks.
func TestLinkedPackages(t *testing.T) {
	text := must.Get(exec.Command("go", "list", "-deps", ".").Output())(t)
	packages := strings.Fields(string(text))
	for _, shared := range []string{"gwon/consensus/wbft/votelog", "gwon/consensus/wbft/signing"} {
		expect.That(t, slices.Contains(packages, shared), "the program has not %s of the node", shared)
	}
	for _, name := range packages {
		for _, foreign := range []string{
			"net/http", "gwon/eth", "gwon/rpc", "gwon/cmd/internal", "gwon/consensus/wbft/core", "gwon/operator", "gwon/params",
			"github.com/ethereum/go-ethereum/p2p", "github.com/ethereum/go-ethereum/eth", "github.com/ethereum/go-ethereum/rpc",
			"github.com/ethereum/go-ethereum/node", "github.com/ethereum/go-ethereum/core/vm",
		} {
			expect.That(t, name != foreign && !strings.HasPrefix(name, foreign+"/"), "gwon-signer links %s", name)
		}
	}
}

// The flags of a chain name one chain.
func TestChainFlags(t *testing.T) {
	for args, want := range map[string]string{
		"--mainnet --testnet":            "exclude each other",
		"--genesis 0x12 --chainid 5":     "wants the hash",
		"--chainid 5":                    "wants the hash",
		"--testnet --datadir /nowhere/x": "/nowhere/x/gwon/nodekey: no such file",
	} {
		t.Run(args, func(t *testing.T) {
			dir := t.TempDir()
			app := newApp()
			err := app.Run(append([]string{name, "init", "--dir", dir, "--datadir", dir}, strings.Fields(args)...))
			expect.Says(t, err, want, "refusal")
		})
	}
}

// A move of an encrypted key that a crash has interrupted is completed, and credentials can be made afterwards.
func TestInitAgain(t *testing.T) {
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "signer")
	key := must.Get(crypto.GenerateKey())(t)
	text, err := keystore.EncryptKey(&keystore.Key{Address: crypto.PubkeyToAddress(key.PublicKey), PrivateKey: key},
		"secret", keystore.LightScryptN, keystore.LightScryptP)
	password := filepath.Join(data, "password")
	moving := filepath.Join(data, "gwon", nodekey.Encrypted+nodekey.MovingSuffix)
	must.Do(t, errors.Join(err, os.Mkdir(filepath.Dir(moving), 0o700), os.WriteFile(moving, text, 0o600),
		os.WriteFile(password, []byte("secret\n"), 0o600)))
	for _, more := range [][]string{nil, {"--tls"}, {"--tls"}} {
		args := append([]string{name, "init", "--dir", dir, "--datadir", data, "--testnet", "--new", "--password", password},
			more...)
		must.Do(t, newApp().Run(args), fmt.Sprint(more))
		expect.Error(t, expect.Err(os.Lstat(moving)), fs.ErrNotExist, "%s is still there", moving)
	}
	expect.Error(t, expect.Err(wire.ReadCredentials(dir)), nil, "signer.ReadCredentials")
}

// The version names the toolchain, as that of the other programs does.
func TestVersion(t *testing.T) {
	if version := newApp().Version; !strings.Contains(version, runtime.Version()) {
		t.Errorf("%q does not name %s", version, runtime.Version())
	}
}

// The manual page, which is written by hand, names each command and flag.
func TestManualPage(t *testing.T) {
	page := must.Get(os.ReadFile("../../contrib/package/gwon-signer.8"))(t)
	for _, command := range newApp().Commands {
		_, synopsis, found := strings.Cut(string(page), ".Cm "+command.Name+"\n")
		if !found {
			t.Errorf("%s is missing", command.Name)
			continue
		}
		synopsis, _, _ = strings.Cut(synopsis, ".Nm\n")
		synopsis, _, _ = strings.Cut(synopsis, ".Sh ")
		for _, f := range command.Flags {
			flag := f.Names()[0]
			expect.That(t, slices.Contains(strings.Fields(synopsis), "-"+flag), "%s --%s is missing", command.Name, flag)
		}
	}
}

// The program completes and says its version as the others do, and names the command that a misspelled one is like.
func TestCommonCommands(t *testing.T) {
	for args, want := range map[string]string{
		"version": "Version: ", "version --json": `"goVersion": `, "completion bash": "complete ",
		"statsu": "did you mean status?", "status --dri x": "did you mean --dir?",
	} {
		t.Run(args, func(t *testing.T) {
			var out strings.Builder
			app := newApp()
			app.Writer, app.ErrWriter = &out, &out
			err := app.Run(append([]string{name}, strings.Fields(args)...))
			expect.Contains(t, fmt.Sprint(out.String(), err), want, "value")
		})
	}
}

func TestPages(t *testing.T) { apptest.CheckPages(t, newApp()) }
