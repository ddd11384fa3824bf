// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/internal/atomicfile"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// nodeKeyAtStart returns the address of the key that a node with these flags starts with, zero if it would make one.
func nodeKeyAtStart(t *testing.T, args ...string) (address common.Address, err error) {
	t.Helper()
	app := newApp()
	app.Before, app.After = nil, nil
	app.Action = func(ctx *cli.Context) error {
		s := &nodeStart{ctx: ctx, Options: Options{Adopt: adoptNothing}, running: new(Running)}
		if err := s.readConfig(nil); err != nil {
			return err
		}
		if err := s.openNodeKey(nil); err != nil {
			return err
		}
		if key := s.cfg.Node.P2P.PrivateKey; key != nil {
			address = crypto.PubkeyToAddress(key.PublicKey)
		}
		return nil
	}
	return address, app.Run(append([]string{program.Name}, args...))
}

// An encrypted key opens with its password only, for commands and for a node, and is never overwritten.
func TestEncryptedNodeKey(t *testing.T) {
	dir := t.TempDir()
	password := apptest.WriteFile(t, filepath.Join(dir, "password"), "fine weather\r\nsecond line")
	file := filepath.Join(dir, "gwon", keys.EncryptedFile)
	create := []string{
		"validator", "new", "--encrypt", "--lightkdf", "--json", "--datadir", dir, "--nodekey.password", password,
	}
	printed := must.Get(run(t, create...))(t)
	var made keys.Identity
	must.Do(t, json.Unmarshal([]byte(printed), &made))
	expect.Equal(t, made.KeyFile, file, "key file")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key file: %v, %v", info, err)
	}
	expect.Refused(t, expect.Err(os.Stat(filepath.Join(dir, "gwon", keys.PlainFile))),
		"the key is also there without encryption")
	shown, err := run(t, "validator", "show", "--json", "--datadir", dir, "--nodekey.password", password)
	expect.That(t, err == nil && shown == printed, "shown %s, made %s, error %v", shown, printed, err)
	started, err := nodeKeyAtStart(t, "--datadir", dir, "--nodekey.password", password)
	expect.That(t, err == nil && started == made.Address,
		"a node starts as %v, the key is of %v (error %v)", started, made.Address, err)
	started, err = nodeKeyAtStart(t, "--datadir", t.TempDir(), "--nodekey", file, "--nodekey.password", password)
	expect.That(t, err == nil && started == made.Address, "with --nodekey a node starts as %v (error %v)", started, err)
	before := must.Get(os.ReadFile(file))(t)
	for _, plain := range [][]string{create, {"validator", "new", "--datadir", dir}} {
		expect.Says(t, expect.Err(run(t, plain...)), "never overwritten", "gwon %s", strings.Join(plain, " "))
	}
	after, err := os.ReadFile(file)
	expect.That(t, err == nil && bytes.Equal(before, after), "the key changed (error %v)", err)
}

// A node key that cannot be read ends the start with a remedy. It is never replaced by a new one.
func TestUnreadableNodeKey(t *testing.T) {
	source := t.TempDir()
	password := apptest.WriteFile(t, filepath.Join(source, "password"), "fine weather\n")
	must.Get(run(t, "validator", "new", "--encrypt", "--lightkdf", "--datadir", source, "--nodekey.password",
		password))(t)
	content := must.Get(os.ReadFile(filepath.Join(source, "gwon", keys.EncryptedFile)))(t)
	encrypted, plain := string(content), strings.Repeat("1", 64)
	for _, test := range []struct {
		name     string
		files    map[string]string // of <datadir>/gwon
		password string            // content of the file; "-" for a missing file, "" for no flag
		want     string
	}{
		{"wrong password", map[string]string{keys.EncryptedFile: encrypted}, "rain", "does not open"},
		{"empty password", map[string]string{keys.EncryptedFile: encrypted}, "\nfine weather", "is empty"},
		{"missing password file", map[string]string{keys.EncryptedFile: encrypted}, "-", "read password of the node key"},
		{"no terminal", map[string]string{keys.EncryptedFile: encrypted}, "", "give --nodekey.password"},
		{"two keys", map[string]string{keys.EncryptedFile: encrypted, keys.PlainFile: plain}, "fine weather",
			"more than one node key"},
		{"being moved", map[string]string{keys.PlainFile + ".moving": plain}, "", "repeat that command"},
		{"encrypted, being moved", map[string]string{keys.EncryptedFile + ".moving": encrypted}, "", "repeat that command"},
		{"made beside a move", map[string]string{keys.PlainFile + ".moving": plain, keys.PlainFile: plain}, "",
			"repeat gwon-signer init"},
		{"cut short", map[string]string{keys.PlainFile: plain[:40]}, "", "is damaged"},
		{"empty", map[string]string{keys.PlainFile: ""}, "", "is damaged"},
		{"encrypted key cut short", map[string]string{keys.EncryptedFile: encrypted[:100]}, "fine weather", "is damaged"},
		{"another file", map[string]string{keys.PlainFile: strings.Repeat("1", atomicfile.MaxFile+1)}, "", "another file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			args := []string{"--datadir", dir}
			for name, content := range test.files {
				apptest.WriteFile(t, filepath.Join(dir, "gwon", name), content)
			}
			switch file := filepath.Join(dir, "password"); test.password {
			case "":
			case "-":
				args = append(args, "--nodekey.password", file)
			default:
				args = append(args, "--nodekey.password", apptest.WriteFile(t, file, test.password))
			}
			if address, err := nodeKeyAtStart(t, args...); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("node with key of %v, error %v, want one with %q", address, err, test.want)
			}
			for name, content := range test.files {
				now, err := os.ReadFile(filepath.Join(dir, "gwon", name))
				expect.That(t, err == nil && string(now) == content, "%s changed (error %v)", name, err)
			}
		})
	}
}

// A validator that would start with a new key is warned before it is made; a follower is not.
func TestNewKeyOfValidator(t *testing.T) {
	key := must.Get(crypto.GenerateKey())(t)
	kept := t.TempDir()
	apptest.WriteFile(t, filepath.Join(kept, "gwon", keys.PlainFile), hex.EncodeToString(crypto.FromECDSA(key)))
	for name, row := range map[string]struct {
		args   []string
		warned bool
	}{
		"validator":          {[]string{"--datadir", t.TempDir(), "--mine"}, true},
		"follower":           {[]string{"--datadir", t.TempDir()}, false},
		"validator with key": {[]string{"--datadir", kept, "--mine"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var text bytes.Buffer
			expect.Log(t, log.NewTerminalHandler(&text, false))
			_, err := nodeKeyAtStart(t, row.args...)
			expect.That(t, err == nil && strings.Contains(text.String(), "The node key is new") == row.warned,
				"error %v, log %q", err, &text)
		})
	}
}

// Commands that need no key make none beside an encrypted one, and ask for no password.
func TestInitWithEncryptedNodeKey(t *testing.T) {
	dir := t.TempDir()
	apptest.WriteFile(t, filepath.Join(dir, "gwon", keys.EncryptedFile), `{"crypto":{}}`)
	key := must.Get(crypto.GenerateKey())(t)
	cfg := settings.Default()
	cfg.Node.DataDir = dir
	must.Do(t, cfg.SpareNodeKey())
	expect.That(t, cfg.Node.NodeKey() != nil, "no key for the node")
	expect.Refused(t, expect.Err(os.Stat(filepath.Join(dir, "gwon", keys.PlainFile))),
		"a second key is in the data directory")
	cfg.Node.P2P.PrivateKey = key
	err := cfg.SpareNodeKey()
	expect.That(t, err == nil && cfg.Node.P2P.PrivateKey == key, "the key of a flag is replaced (error %v)", err)
}

// A file at the path of the IPC endpoint, as a key or a vote log, ends the start. Upstream would remove it.
func TestEndpointReplacesNoFile(t *testing.T) {
	for _, name := range []string{keys.PlainFile, "votes.log"} {
		dir := t.TempDir()
		file := apptest.WriteFile(t, filepath.Join(dir, "gwon", name), strings.Repeat("1", 64))
		expect.Says(t, expect.Err(nodeKeyAtStart(t, "--datadir", dir, "--ipcpath", file)), "name another path", "%s", name)
	}
}
