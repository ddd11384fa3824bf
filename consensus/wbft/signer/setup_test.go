// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package signer

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/keylock"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signer/wire"
	"gwon/consensus/wbft/votelog"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/nodekey"
)

// oldNode is the data directory of a node that has signed, with its key.
func oldNode(t *testing.T) (*bed, *Move) {
	t.Helper()
	data := t.TempDir()
	dir := filepath.Join(data, instanceName)
	must.Do(t, os.Mkdir(dir, 0o700))
	b := newBed(t, dir, votelog.OS{})
	must.Get(b.sign(intent(messages.CodePrepare, 20, 0, 1)))(t)
	must.Do(t, b.guard.close())
	key := filepath.Join(dir, "nodekey")
	must.Do(t, os.WriteFile(key, []byte(hex.EncodeToString(crypto.FromECDSA(b.key))), 0o600))
	m := &Move{Dir: filepath.Join(t.TempDir(), "signer"), DataDir: data}
	must.Do(t, m.locate())
	return b, m
}

func gone(t *testing.T, path string) {
	t.Helper()
	expect.Error(t, expect.Err(os.Lstat(path)), fs.ErrNotExist, "%s is still there", path)
}

// Key and vote log are moved, not copied, and the signer knows what the node has signed.
func TestMove(t *testing.T) {
	b, m := oldNode(t)
	expect.Equal(t, must.Get(m.Do())(t), b.owner.Validator, "validator")
	gone(t, m.keyFile)
	gone(t, m.keyFile+nodekey.MovingSuffix)
	gone(t, m.votesFile)
	expect.Error(t, expect.Err(os.Stat(filepath.Join(m.Dir, horizonName))), nil, "nothing bounds the first message")
	cfg, lock, err := Open(m.Dir, "")
	must.Do(t, err)
	defer lock.Close() //nolint:errcheck // the test is over
	expect.Equal(t, cfg.Owner, b.owner, "owner")
	b.guard = must.Get(newGuard(*cfg))(t)
	expect.Error(t, expect.Err(b.sign(intent(messages.CodePrepare, 20, 0, 2))), errRefused, "contradiction of the node")
	must.Do(t, b.guard.close())
}

// A move that a crash has interrupted is completed by the same call: the key is in one place in the end.
func TestMoveAfterCrash(t *testing.T) {
	t.Run("before the directory is whole", func(t *testing.T) {
		_, m := oldNode(t)
		must.Do(t, os.Rename(m.keyFile, m.keyFile+nodekey.MovingSuffix))
		must.Do(t, os.MkdirAll(m.Dir, 0o700))
		must.Do(t, os.WriteFile(filepath.Join(m.Dir, votesName), []byte("half of a fi"), 0o600))
		must.Get(m.Do())(t)
		gone(t, m.keyFile+nodekey.MovingSuffix)
		gone(t, m.votesFile)
	})
	t.Run("before the old files are removed", func(t *testing.T) {
		_, m := oldNode(t)
		key := must.Get(os.ReadFile(m.keyFile))(t)
		votes := must.Get(os.ReadFile(m.votesFile))(t)
		must.Get(m.Do())(t)
		must.Do(t, os.WriteFile(m.keyFile+nodekey.MovingSuffix, key, 0o600))
		must.Do(t, os.WriteFile(m.votesFile, votes, 0o600))
		must.Get(m.Do())(t)
		gone(t, m.keyFile+nodekey.MovingSuffix)
		gone(t, m.votesFile)
	})
}

// A crash between the removal of the vote log and that of the key, and a call when all is moved.
func TestMoveAgain(t *testing.T) {
	b, m := oldNode(t)
	key := must.Get(os.ReadFile(m.keyFile))(t)
	for range 2 {
		validator := must.Get(m.Do())(t)
		expect.Equal(t, validator, b.owner.Validator, "validator")
	}
	must.Do(t, os.Mkdir(m.keyFile+nodekey.MovingSuffix, 0o700)) // the removal of the key fails
	must.Do(t, os.WriteFile(filepath.Join(m.keyFile+nodekey.MovingSuffix, "x"), nil, 0o600))
	must.Do(t, os.WriteFile(m.votesFile, []byte("votes"), 0o600))
	must.That(t, m.clear() != nil, "a directory was removed")
	gone(t, m.votesFile)
	must.Do(t, os.RemoveAll(m.keyFile+nodekey.MovingSuffix))
	must.Do(t, os.WriteFile(m.keyFile+nodekey.MovingSuffix, key, 0o600))
	must.Get(m.Do())(t)
	gone(t, m.keyFile+nodekey.MovingSuffix)
	must.Do(t, os.WriteFile(m.votesFile, []byte("votes of another key"), 0o600))
	expect.Says(t, expect.Err(m.Do()), "vote log without key", "a vote log without key")
	expect.Error(t, expect.Err(os.Lstat(m.votesFile)), nil, "the vote log")
}

// Credentials that a crash has left half are made again, and whole ones are left.
func TestCredentialsAgain(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, nodePemName), []byte("of a crash"), 0o600))
	var before []byte
	for range 2 {
		node := must.Get(WriteCredentials(dir))(t)
		text := must.Get(os.ReadFile(node))(t)
		expect.That(t, before == nil || string(text) == string(before), "another pair")
		before = text
		own := must.Get(wire.ReadCredentials(dir))(t)
		other := must.Get(wire.ReadCredentials(node))(t)
		for _, ends := range [][2]*wire.Credentials{{own, other}, {other, own}} {
			leaf := must.Get(x509.ParseCertificate(ends[1].Config().Certificates[0].Certificate[0]))(t)
			must.Do(t, ends[0].Config().VerifyConnection(tls.ConnectionState{PeerCertificates: []*x509.Certificate{leaf}}))
		}
	}
}

// A key that has come back after the move may have signed there, so its vote log is not thrown away.
func TestMoveOfAKeyThatCameBack(t *testing.T) {
	_, m := oldNode(t)
	key := must.Get(os.ReadFile(m.keyFile))(t)
	must.Get(m.Do())(t)
	must.Do(t, os.WriteFile(m.keyFile, key, 0o600))
	must.Do(t, os.WriteFile(m.votesFile, []byte("votes since"), 0o600))
	if _, err := m.Do(); err == nil || !strings.Contains(err.Error(), "remove that copy") {
		t.Errorf("%v, want what to do with the copy", err)
	}
	expect.Error(t, expect.Err(os.Lstat(m.votesFile)), nil, "the vote log of the node")
}

// What would let a key sign twice, or for an unknown chain, is refused, and nothing is moved.
func TestMoveRefuses(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*testing.T, *bed, *Move)
		want   string
	}{
		"node that runs": {func(t *testing.T, b *bed, _ *Move) {
			lock := must.Get(keylock.Acquire(b.owner.Validator, b.owner.Genesis))(t)
			t.Cleanup(func() { must.Do(t, lock.Close()) })
		}, "stop it"},
		"no vote log": {func(t *testing.T, _ *bed, m *Move) { must.Do(t, os.Remove(m.votesFile)) }, "--new"},
		"new key without chain": {func(t *testing.T, _ *bed, m *Move) {
			must.Do(t, os.Remove(m.votesFile))
			m.New = true
		}, "--testnet"},
		"new key with a vote log": {func(_ *testing.T, _ *bed, m *Move) { m.New = true }, "without --new"},
		"vote log of another chain": {func(_ *testing.T, _ *bed, m *Move) {
			m.Chain = Chain{common.Hash{2}, 8283}
		}, "leave the flags"},
		"key that others can read": {func(t *testing.T, _ *bed, m *Move) {
			must.Do(t, os.Chmod(m.keyFile, 0o644)) //nolint:gosec // it is refused
		}, "chmod 600"},
		"lowest block of no chain": {func(t *testing.T, b *bed, m *Move) {
			must.Do(t, os.Remove(m.votesFile))
			m.Chain, m.Lowest = Chain{b.owner.Genesis, b.owner.ChainID}, 1<<40
		}, "which the chain cannot have passed"},
		"directory of another key": {func(t *testing.T, _ *bed, m *Move) {
			must.Do(t, os.MkdirAll(m.Dir, 0o700))
			must.Do(t, os.WriteFile(filepath.Join(m.Dir, keyName), []byte(strings.Repeat("1", 64)), 0o600))
		}, "another key"},
	} {
		t.Run(name, func(t *testing.T) {
			b, m := oldNode(t)
			row.change(t, b, m)
			_, err := m.Do()
			expect.That(t, err != nil && strings.Contains(err.Error(), row.want), "%v, want %q", err, row.want)
			expect.Error(t, expect.Err(os.Lstat(m.keyFile)), nil, "the key of the node")
		})
	}
}

// A key whose vote log is lost signs from a block that the operator names.
func TestMoveWithoutVotes(t *testing.T) {
	b, m := oldNode(t)
	must.Do(t, os.Remove(m.votesFile))
	m.Chain, m.Lowest = Chain{b.owner.Genesis, b.owner.ChainID}, 30
	lowered, elsewhere, gone := *m, *m, *m
	lowered.Lowest, elsewhere.Chain.ID, gone.DataDir = 20, 9, filepath.Join(m.DataDir, "none")
	must.Get(lowered.Do())(t)
	must.Get(m.Do())(t) // the correction counts
	must.Get(lowered.Do())(t)
	expect.Says(t, expect.Err(elsewhere.Do()), "has a key already, of chain", "another chain")
	expect.Says(t, expect.Err(gone.Do()), "nothing can be moved", "a data directory that is not there")
	cfg, lock, err := Open(m.Dir, "")
	must.Do(t, err)
	defer lock.Close() //nolint:errcheck // the test is over
	expect.Says(t, expect.Err(m.Do()), "in use by another process", "while the signer runs")
	b.guard, err = newGuard(*cfg)
	must.Do(t, err)
	expect.Error(t, expect.Err(b.sign(intent(messages.CodePrepare, 29, 0, 2))), errRefused, "below the lowest block")
	must.Get(b.sign(intent(messages.CodePrepare, 30, 0, 2)))(t)
	must.Do(t, b.guard.close())
}

// A signer without its vote log does not start: it would have forgotten what it has signed.
func TestOpenWithoutVotes(t *testing.T) {
	_, m := oldNode(t)
	must.Get(m.Do())(t)
	must.Do(t, os.Remove(filepath.Join(m.Dir, votesName)))
	_, _, err := Open(m.Dir, "")
	expect.That(t, errors.Is(err, fs.ErrNotExist), "%v", err)
}

// What is at the path of the vote log and is no file of its own is refused, and left as it is: behind a link to a mount
// that is gone are the votes, and a new log would forget them.
func TestOpenWithVotesElsewhere(t *testing.T) {
	for name, put := range map[string]func(path, elsewhere string) error{
		"a link":            func(path, elsewhere string) error { return os.Symlink(elsewhere, path) },
		"a link to nothing": func(path, elsewhere string) error { return os.Symlink(elsewhere+".gone", path) },
		"a pipe":            func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
		"a directory":       func(path, _ string) error { return os.Mkdir(path, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			_, m := oldNode(t)
			must.Get(m.Do())(t)
			path, elsewhere := filepath.Join(m.Dir, votesName), filepath.Join(t.TempDir(), votesName)
			must.Do(t, os.Rename(path, elsewhere))
			must.Do(t, put(path, elsewhere))
			before := must.Get(os.Lstat(path))(t)
			_, _, err := Open(m.Dir, "")
			expect.That(t, err != nil && strings.Contains(err.Error(), path), "%v", err)
			after, err := os.Lstat(path)
			expect.That(t, err == nil && after.Mode() == before.Mode(), "%v became %v, %v", before.Mode(), after, err)
		})
	}
}

// contents returns what the files below the directories hold.
func contents(t *testing.T, dirs ...string) map[string]bool {
	t.Helper()
	held := make(map[string]bool)
	for _, dir := range dirs {
		must.Do(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				held[string(must.Get(os.ReadFile(path))(t))] = true
			}
			return err
		}))
	}
	return held
}

// Whatever keys are at the node and in the directory, under whatever name, each is in a file after the move.
func TestMoveLosesNoKey(t *testing.T) {
	places := []string{
		nodekey.Plain, nodekey.Encrypted, nodekey.Plain + nodekey.MovingSuffix,
		nodekey.Encrypted + nodekey.MovingSuffix, keyName,
	}
	for set := range 1 << len(places) {
		for _, mode := range []fs.FileMode{0o600, 0o644} { // of the key in the directory
			if set>>4 == 0 && mode != 0o600 {
				continue
			}
			b, m := oldNode(t)
			must.Do(t, os.Remove(m.keyFile))
			must.Do(t, os.MkdirAll(m.Dir, 0o700))
			var before []string
			for i, name := range places {
				if set>>i&1 == 0 {
					continue
				}
				path := filepath.Join(m.DataDir, instanceName, name)
				key := hex.EncodeToString(crypto.Keccak256([]byte(name)))
				if name == keyName {
					path = filepath.Join(m.Dir, name)
				}
				if len(before) == 0 {
					key = hex.EncodeToString(crypto.FromECDSA(b.key))
				}
				must.Do(t, os.WriteFile(path, []byte(key), 0o600))
				if name == keyName {
					must.Do(t, os.Chmod(path, mode))
				}
				before = append(before, key)
			}
			var errs []error
			for range 2 {
				_, err := m.Do()
				errs = append(errs, err)
			}
			after := contents(t, m.DataDir, m.Dir)
			for _, key := range before {
				expect.That(t, after[key], "keys %05b, mode %v: one of them is in no file, errors %v", set, mode, errs)
			}
			if len(before) == 1 && set>>4 == 0 && errs[0] != nil {
				t.Errorf("keys %05b: %v", set, errs[0])
			}
		}
	}
}

// Votes of another key in the directory are not replaced.
func TestMoveKeepsVotesOfOthers(t *testing.T) {
	_, m := oldNode(t)
	must.Do(t, os.MkdirAll(m.Dir, 0o700))
	path := filepath.Join(m.Dir, votesName)
	log, err := votelog.Open(path, votelog.Owner{Validator: common.Address{9}, Genesis: common.Hash{1}, ChainID: 8283})
	must.Do(t, errors.Join(err, log.Close()))
	before := must.Get(os.ReadFile(path))(t)
	expect.Says(t, expect.Err(m.Do()), "name a new directory", "Do")
	expect.That(t, bytes.Equal(before, must.Get(os.ReadFile(path))(t)), "the votes have changed")
}

// A directory that is the node's or lies in it is refused, whatever its path looks like, and nothing is moved.
func TestMoveIntoTheDataDirectory(t *testing.T) {
	for name, paths := range map[string]func(data, links string) (dir, dataDir string){
		"the instance":       func(data, _ string) (string, string) { return filepath.Join(data, instanceName), data },
		"the data directory": func(data, _ string) (string, string) { return data, data },
		"new, inside":        func(data, _ string) (string, string) { return filepath.Join(data, "new", "signer"), data },
		"slash":              func(data, _ string) (string, string) { return data + "//" + instanceName + "/", data + "/" },
		"dots":               func(data, _ string) (string, string) { return data + "/none/../gwon/.", data + "/gwon/.." },
		"relative":           func(_, _ string) (string, string) { return "./gwon", "." },
		"relative, new":      func(_, _ string) (string, string) { return "signer", "." },
		"link to the dir":    func(data, links string) (string, string) { return links + "/instance", data },
		"link to the data":   func(data, links string) (string, string) { return data, links + "/data" },
		"link, then dots":    func(data, links string) (string, string) { return links + "/instance/../signer", data },
		"both links":         func(_, links string) (string, string) { return links + "/data/new", links + "/data" },
	} {
		t.Run(name, func(t *testing.T) {
			_, m := oldNode(t)
			data, links := m.DataDir, t.TempDir()
			must.Do(t, os.Symlink(data, filepath.Join(links, "data")))
			must.Do(t, os.Symlink(filepath.Join(data, instanceName), filepath.Join(links, "instance")))
			before := contents(t, data)
			t.Chdir(data)
			m.Dir, m.DataDir = paths(data, links)
			expect.Says(t, expect.Err(m.Do()), "name a place outside of it", "Do")
			after := contents(t, data)
			for content := range before {
				expect.That(t, after[content], "%q is in no file", content)
			}
			expect.Error(t, expect.Err(os.Lstat(m.keyFile)), nil, "the key")
		})
	}
}

// A file that is no socket is never removed for one, as a key that was named by mistake.
func TestSocketReplacesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	must.Do(t, os.WriteFile(path, []byte("key"), 0o600))
	expect.Says(t, expect.Err(ListenSocket(path)), "is no socket", "ListenSocket")
	content, err := os.ReadFile(path)
	expect.That(t, err == nil && string(content) == "key", "%q, error %v", content, err)
}
