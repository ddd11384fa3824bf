// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package signer

import (
	"bytes"
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
	"gwon/consensus/wbft/votelog"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// oldNode is the data directory of a node that has signed, with its key.
func oldNode(t *testing.T) (*bed, *Move) {
	t.Helper()
	dir := t.TempDir()
	b := newBed(t, dir, votelog.OS{})
	must.Get(b.sign(intent(messages.CodePrepare, 20, 0, 1)))(t)
	must.Do(t, b.guard.close())
	key := filepath.Join(dir, "nodekey")
	must.Do(t, os.WriteFile(key, []byte(hex.EncodeToString(crypto.FromECDSA(b.key))), 0o600))
	return b, &Move{Dir: filepath.Join(t.TempDir(), "signer"), KeyFile: key, Votes: b.path}
}

func gone(t *testing.T, path string) {
	t.Helper()
	expect.Error(t, expect.Err(os.Lstat(path)), fs.ErrNotExist, "%s is still there", path)
}

// Key and vote log are moved, not copied, and the signer knows what the node has signed.
func TestMove(t *testing.T) {
	b, m := oldNode(t)
	expect.Equal(t, must.Get(m.Do())(t), b.owner.Validator, "validator")
	gone(t, m.KeyFile)
	gone(t, m.KeyFile+MovingSuffix)
	gone(t, m.Votes)
	expect.Error(t, expect.Err(os.Stat(filepath.Join(m.Dir, horizonName))), nil, "nothing bounds the first message")
	cfg, lock, err := Open(m.Dir, "")
	must.Do(t, err)
	defer lock.Close() //nolint:errcheck // the test is over
	expect.Equal(t, cfg.Owner, b.owner, "owner")
	b.guard, err = newGuard(*cfg)
	must.Do(t, err)
	expect.Error(t, expect.Err(b.sign(intent(messages.CodePrepare, 20, 0, 2))), errRefused, "contradiction of the node")
	must.Do(t, b.guard.close())
}

// A move that a crash has interrupted is completed by the same call: the key is in one place in the end.
func TestMoveAfterCrash(t *testing.T) {
	t.Run("before the directory is whole", func(t *testing.T) {
		_, m := oldNode(t)
		must.Do(t, os.Rename(m.KeyFile, m.KeyFile+MovingSuffix))
		must.Do(t, os.MkdirAll(m.Dir, 0o700))
		must.Do(t, os.WriteFile(filepath.Join(m.Dir, votesName), []byte("half of a fi"), 0o600))
		must.Get(m.Do())(t)
		gone(t, m.KeyFile+MovingSuffix)
		gone(t, m.Votes)
	})
	t.Run("before the old files are removed", func(t *testing.T) {
		_, m := oldNode(t)
		key := must.Get(os.ReadFile(m.KeyFile))(t)
		votes := must.Get(os.ReadFile(m.Votes))(t)
		must.Get(m.Do())(t)
		must.Do(t, os.WriteFile(m.KeyFile+MovingSuffix, key, 0o600))
		must.Do(t, os.WriteFile(m.Votes, votes, 0o600))
		must.Get(m.Do())(t)
		gone(t, m.KeyFile+MovingSuffix)
		gone(t, m.Votes)
	})
}

// A crash between the removal of the vote log and that of the key, and a call when all is moved.
func TestMoveAgain(t *testing.T) {
	b, m := oldNode(t)
	key := must.Get(os.ReadFile(m.KeyFile))(t)
	for range 2 {
		validator, err := m.Do()
		must.Do(t, err)
		expect.Equal(t, validator, b.owner.Validator, "validator")
	}
	must.Do(t, os.Mkdir(m.KeyFile+MovingSuffix, 0o700)) // the removal of the key fails
	must.Do(t, os.WriteFile(filepath.Join(m.KeyFile+MovingSuffix, "x"), nil, 0o600))
	must.Do(t, os.WriteFile(m.Votes, []byte("votes"), 0o600))
	must.That(t, m.clear() != nil, "a directory was removed")
	gone(t, m.Votes)
	must.Do(t, os.RemoveAll(m.KeyFile+MovingSuffix))
	must.Do(t, os.WriteFile(m.KeyFile+MovingSuffix, key, 0o600))
	must.Get(m.Do())(t)
	gone(t, m.KeyFile+MovingSuffix)
	must.Do(t, os.WriteFile(m.Votes, []byte("votes of another key"), 0o600))
	expect.Error(t, expect.Err(m.Do()), fs.ErrNotExist, "a vote log without key")
	expect.Error(t, expect.Err(os.Lstat(m.Votes)), nil, "the vote log")
}

// Credentials that a crash has left half are made again, and whole ones are left.
func TestCredentialsAgain(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, nodePemName), []byte("of a crash"), 0o600))
	var before []byte
	for range 2 {
		node := must.Get(WriteCredentials(dir))(t)
		text := must.Get(os.ReadFile(node))(t)
		if before != nil && string(text) != string(before) {
			t.Error("another pair")
		}
		before = text
		own := must.Get(ReadCredentials(dir))(t)
		other := must.Get(ReadCredentials(node))(t)
		expect.That(t, bytes.Equal(own.peer, other.own.Certificate[0]) && bytes.Equal(other.peer, own.own.Certificate[0]),
			"the ends do not match")
	}
}

// A key that has come back after the move may have signed there, so its vote log is not thrown away.
func TestMoveOfAKeyThatCameBack(t *testing.T) {
	_, m := oldNode(t)
	key := must.Get(os.ReadFile(m.KeyFile))(t)
	must.Get(m.Do())(t)
	must.Do(t, os.WriteFile(m.KeyFile, key, 0o600))
	must.Do(t, os.WriteFile(m.Votes, []byte("votes since"), 0o600))
	if _, err := m.Do(); err == nil || !strings.Contains(err.Error(), "remove that copy") {
		t.Errorf("%v, want what to do with the copy", err)
	}
	expect.Error(t, expect.Err(os.Lstat(m.Votes)), nil, "the vote log of the node")
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
		"no vote log": {func(t *testing.T, _ *bed, m *Move) { must.Do(t, os.Remove(m.Votes)) }, "--new"},
		"new key without chain": {func(t *testing.T, _ *bed, m *Move) {
			must.Do(t, os.Remove(m.Votes))
			m.New = true
		}, "--testnet"},
		"new key with a vote log": {func(_ *testing.T, _ *bed, m *Move) { m.New = true }, "without --new"},
		"vote log of another chain": {func(_ *testing.T, _ *bed, m *Move) {
			m.Chain = Chain{common.Hash{2}, 8283}
		}, "leave the flags"},
		"key that others can read": {func(t *testing.T, _ *bed, m *Move) {
			must.Do(t, os.Chmod(m.KeyFile, 0o644)) //nolint:gosec // it is refused
		}, "chmod 600"},
		"lowest block of no chain": {func(t *testing.T, b *bed, m *Move) {
			must.Do(t, os.Remove(m.Votes))
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
			expect.Error(t, expect.Err(os.Lstat(m.KeyFile)), nil, "the key of the node")
		})
	}
}

// A key whose vote log is lost signs from a block that the operator names.
func TestMoveWithoutVotes(t *testing.T) {
	b, m := oldNode(t)
	must.Do(t, os.Remove(m.Votes))
	m.Chain, m.Lowest = Chain{b.owner.Genesis, b.owner.ChainID}, 30
	must.Get(m.Do())(t)
	cfg, lock, err := Open(m.Dir, "")
	must.Do(t, err)
	defer lock.Close() //nolint:errcheck // the test is over
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
