// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package validator

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/program"
	"gwon/consensus/wbft"
	"gwon/consensus/wbft/keylock"
	"gwon/consensus/wbft/votelog"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// backedUp makes a validator that has signed for blocks 41 and 42, and its backup.
func backedUp(t *testing.T) (file string, owner votelog.Owner, from string) {
	t.Helper()
	from, owner, commit := voterDir(t, "backup test "+t.TempDir())
	log := must.Get(votelog.Open(filepath.Join(from, program.Name, wbft.VoteLogFile), owner))(t)
	must.Do(t, log.Write([]votelog.Record{commit(41), commit(42)}, nil))
	t.Cleanup(func() { expect.Error(t, log.Close(), nil, "log.Close") })
	apptest.WriteFile(t, filepath.Join(from, keyStoreDir, "UTC--one"), "{}")
	settings := apptest.WriteFile(t, filepath.Join(t.TempDir(), "network.toml"), "[Node.P2P]\nNoDiscovery = true\n")
	file = filepath.Join(t.TempDir(), "backup.json")
	out := must.Get(run(t, "backup", "--datadir", from, "--config", settings, file))(t)
	for _, want := range []string{owner.Validator.Hex(), "vote log", "1 keys of the key store", "configuration",
		"not encrypted"} {
		expect.Contains(t, out, want, "%q is not in", want)
	}
	return file, owner, from
}

// A restored validator has its key, what it signed before the backup, and a wait for what it may have signed since. The
// backup is made while the node has its log open.
// spec: wbft 9.1
func TestRestoreWaits(t *testing.T) {
	file, owner, from := backedUp(t)
	info, err := os.Stat(file)
	expect.That(t, err == nil && info.Mode().Perm() == 0o600, "backup: %v, %v", info, err)
	expect.Says(t, expect.Err(run(t, "backup", "--datadir", from, file)), "exists already",
		"a second backup of the same name")
	to := t.TempDir()
	before := uint64(time.Now().Unix())
	out, err := run(t, "restore", "--datadir", to, file)
	must.That(t, err == nil && strings.Contains(out, "waits from now on"), "%v: %s", err, out)
	for _, name := range []string{filepath.Join(program.Name, keys.PlainFile), filepath.Join(keyStoreDir, "UTC--one")} {
		want := must.Get(os.ReadFile(filepath.Join(from, name)))(t)
		got, err := os.ReadFile(filepath.Join(to, name))
		expect.That(t, err == nil && string(got) == string(want), "%s: %q, error %v", name, got, err)
	}
	expect.Error(t, expect.Err(os.Stat(filepath.Join(to, configFile))), nil, "os.Stat")
	votes := must.Get(votelog.Look(votelog.OS{}, filepath.Join(to, program.Name, wbft.VoteLogFile)))(t)
	s := votes.Data[0]
	expect.That(t, s.Validator == owner.Validator && len(s.Messages) == 2 && s.Lost && s.Since >= before,
		"restored log of %v: %d messages, lost %v, since %d", s.Validator, len(s.Messages), s.Lost, s.Since)
	expect.That(t, wbft.WaitingFor(votes, nil) != "", "the restored validator would sign at once")
}

// A restore that could let the key sign twice, or replace something, is refused and changes nothing.
// spec: wbft 9.1
func TestRestoreRefused(t *testing.T) {
	file, owner, _ := backedUp(t)
	text := must.Get(os.ReadFile(file))(t)
	changed := func(t *testing.T, change func(*backup)) string {
		var b backup
		must.Do(t, json.Unmarshal(text, &b))
		change(&b)
		out := must.Get(json.Marshal(b))(t)
		return string(out)
	}
	other, otherOwner, _ := voterDir(t, "another validator")
	otherKey := must.Get(os.ReadFile(filepath.Join(other, program.Name, keys.PlainFile)))(t)
	for _, test := range []struct {
		name    string
		content func(*testing.T) string               // of the backup; nil for the sound one
		prepare func(t *testing.T, dir string) func() // of the data directory; returns what ends it
		want    string
	}{
		{"key in use", nil, func(t *testing.T, _ string) func() {
			key := must.Get(keylock.Acquire(owner.Validator, owner.Genesis))(t)
			return func() { expect.Error(t, key.Close(), nil, "key.Close") }
		}, "in use by another process"},
		{"key of another validator", nil, func(t *testing.T, dir string) func() {
			apptest.WriteFile(t, filepath.Join(dir, program.Name, keys.PlainFile), string(otherKey))
			return func() {}
		}, "never overwritten"},
		{"encrypted key", nil, func(t *testing.T, dir string) func() {
			apptest.WriteFile(t, filepath.Join(dir, program.Name, keys.EncryptedFile), "{}")
			return func() {}
		}, "never overwritten"},
		{"votes of another validator", nil, func(t *testing.T, dir string) func() {
			path := filepath.Join(dir, program.Name, wbft.VoteLogFile)
			apptest.WriteFile(t, path+".lock", "")
			log, err := votelog.Open(path, otherOwner)
			must.Do(t, errors.Join(err, log.Close()))
			return func() {}
		}, "not the log of this validator"},
		{"other configuration", nil, func(t *testing.T, dir string) func() {
			apptest.WriteFile(t, filepath.Join(dir, configFile), "[Node]\n")
			return func() {}
		}, "move it away"},
		{"cut short", func(*testing.T) string { return string(text[:len(text)/2]) }, nil, "no whole backup"},
		{"empty", func(*testing.T) string { return "" }, nil, "no whole backup"},
		{"newer format", func(t *testing.T) string {
			return changed(t, func(b *backup) { b.Format = "gwon validator backup 2" })
		}, nil, "format"},
		{"key of another in the file", func(t *testing.T) string {
			return changed(t, func(b *backup) { b.NodeKey = string(otherKey) })
		}, nil, "is damaged"},
		{"path in the key store", func(t *testing.T) string {
			return changed(t, func(b *backup) { b.KeyStore = map[string]string{"../config.toml": "x"} })
		}, nil, "is damaged"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, given := t.TempDir(), file
			if test.prepare != nil {
				defer test.prepare(t, dir)()
			}
			if test.content != nil {
				given = apptest.WriteFile(t, filepath.Join(t.TempDir(), "backup.json"), test.content(t))
			}
			before := tree(t, dir)
			out, err := run(t, "restore", "--datadir", dir, given)
			expect.That(t, err != nil && strings.Contains(err.Error(), test.want), "%v, want %q: %s", err, test.want, out)
			expect.Equal(t, tree(t, dir), before, "the directory")
		})
	}
}

// tree returns names and contents of the files below dir that matter: keys, votes, configuration.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var text strings.Builder
	must.Do(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(path, ".lock") {
			return err
		}
		content, err := os.ReadFile(path)
		text.WriteString(path + " " + string(content) + "\n")
		return err
	}))
	return text.String()
}

// A restore that was cut short before the key was written is repeated with the same result.
func TestRestoreRepeated(t *testing.T) {
	file, _, _ := backedUp(t)
	dir := t.TempDir()
	must.Get(run(t, "restore", "--datadir", dir, file))(t)
	key := filepath.Join(dir, program.Name, keys.PlainFile)
	must.Do(t, os.Remove(key))
	out, err := run(t, "restore", "--datadir", dir, file)
	expect.That(t, err == nil && strings.Contains(out, "still waits"), "%v: %s", err, out)
	expect.Error(t, expect.Err(os.Stat(key)), nil, "os.Stat")
}

// The refusal of a key that is there names whose key it is and the way on, which works for the key of a follower.
func TestRestoreOverKey(t *testing.T) {
	file, owner, _ := backedUp(t)
	restored, follower := t.TempDir(), t.TempDir()
	out, err := run(t, "restore", "--datadir", restored, file)
	must.That(t, err == nil, "%v: %s", err, out)
	out, err = run(t, "validator", "new", "--datadir", follower)
	must.That(t, err == nil, "%v: %s", err, out)
	key := filepath.Join(follower, program.Name, keys.PlainFile)
	for name, row := range map[string]struct {
		dir  string
		want []string
	}{
		"follower": {follower, []string{"the key of 0x", "never overwritten", "empty directory, before the first start",
			"mv " + key + " " + key + ".follower"}},
		"restored": {restored, []string{"the key of " + owner.Validator.Hex() + ", the same as in the backup"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run(t, "restore", "--datadir", row.dir, file)
			for _, want := range row.want {
				expect.Says(t, err, want, "refusal")
			}
		})
	}
	must.Do(t, os.Rename(key, key+".follower"))
	out, err = run(t, "restore", "--datadir", follower, file)
	expect.That(t, err == nil, "%v: %s", err, out)
}

// An encrypted key stays encrypted in the backup and needs no password there.
func TestBackupOfEncryptedKey(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	password := apptest.WriteFile(t, filepath.Join(from, "password"), "fine weather\n")
	must.Get(run(t, "validator", "new", "--encrypt", "--lightkdf", "--datadir", from, "--nodekey.password", password))(t)
	file := filepath.Join(t.TempDir(), "backup.json")
	if out, err := run(t, "backup", "--datadir", from, file); err != nil ||
		!strings.Contains(out, "The node key is encrypted") {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := run(t, "restore", "--datadir", to, file); err != nil ||
		!strings.Contains(out, "no votes in the backup") {
		t.Fatalf("%v: %s", err, out)
	}
	want := must.Get(run(t, "validator", "show", "--datadir", from, "--nodekey.password", password))(t)
	got, err := run(t, "validator", "show", "--datadir", to, "--nodekey.password", password)
	expect.That(t, err == nil && strings.ReplaceAll(got, to, from) == want,
		"restored %s (error %v), want %s", got, err, want)
}
