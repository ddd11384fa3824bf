// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package adopt_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/gofrs/flock"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/votelog"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/operator/adopt"
	"gwon/operator/adopt/adopttest"
)

// adoptVariable makes the test program a process that takes one directory over into another.
const adoptVariable = "GWON_TEST_ADOPT"

func TestMain(m *testing.M) {
	if old, data, ok := strings.Cut(os.Getenv(adoptVariable), "|"); ok {
		o := options(old, data)
		o.Key = true
		if _, err := adopt.Run(context.Background(), o); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// entries returns how many files are below a directory.
func entries(dir string) (count int) {
	//nolint:errcheck // files come and go while it looks
	_ = filepath.WalkDir(dir, func(_ string, _ fs.DirEntry, err error) error {
		count++
		return nil
	})
	return count
}

// A kill at any moment leaves the old directory as it was, and gwon's absent or whole. The same command ends the work,
// and the key is in one place then. spec: wbft 5.10
func TestKilledAdopt(t *testing.T) {
	genesis, blocks := adopttest.Chain(t, 20)
	old := t.TempDir()
	adopttest.Write(t, old, genesis, blocks, adopttest.Options{
		Engine: rawdb.DBPebble, Scheme: rawdb.PathScheme, Frozen: 5, State: 10,
	})
	theirs := filepath.Join(old, adopt.Instance, "nodekey")
	key := must.Get(os.ReadFile(theirs))(t)
	before := hashOf(t, old)
	killed := 0
	for files := 1; files < 60; files += 3 { // the process is killed when it has made as many
		data := t.TempDir()
		run := func(kill bool) (ended bool) {
			t.Helper()
			command := exec.Command(os.Args[0])
			command.Env = append(os.Environ(), adoptVariable+"="+old+"|"+data)
			must.Do(t, command.Start())
			done := make(chan error, 1)
			go func() { done <- command.Wait() }()
			for {
				select {
				case err := <-done:
					return err == nil
				case <-time.After(time.Millisecond / 4):
					if kill && entries(data) > files {
						_ = command.Process.Kill() // it may have ended
						return <-done == nil
					}
				}
			}
		}
		ours := filepath.Join(data, "gwon", "nodekey")
		if ended := run(true); !ended {
			killed++
			_, whole := os.Stat(filepath.Join(data, "gwon"))
			if _, err := os.Stat(theirs); err != nil && whole != nil {
				t.Fatalf("after %d files the key is in no directory", files)
			}
			if made := entries(data) > 1; made && adopt.IsCutShort(data, "gwon") == (whole == nil) {
				t.Errorf("after %d files: gwon's directory there: %v, and cut short the opposite", files, whole)
			}
			if whole != nil && hashOf(t, old) != before {
				t.Fatalf("after %d files the old directory has changed", files)
			}
			must.That(t, run(false), "after %d files the command does not end its work", files)
		}
		expect.Error(t, expect.Err(os.Stat(theirs)), fs.ErrNotExist, "the old directory has the key")
		if got, err := os.ReadFile(ours); err != nil || !bytes.Equal(got, key) {
			t.Errorf("the new directory has not the key: %v", err)
		}
		must.Do(t, os.WriteFile(theirs, key, 0o600))
		must.Equal(t, hashOf(t, old), before, "the old directory has changed besides the key")
		if entries(filepath.Join(data, "gwon.adopting")) > 1 {
			t.Error("the directory in the making is left")
		}
	}
	expect.That(t, killed != 0, "every process ended before it was killed")
}

// A key that was moved signs above a block that was made a few seconds after the lock was taken. A key of which it is
// not known that its process has ended gets no vote log, and waits longer. spec: wbft 5.10
func TestVotesOfAdoptedKey(t *testing.T) {
	genesis, blocks := adopttest.Chain(t, 20)
	for _, row := range []struct {
		name        string
		key, locked bool
		hasVoteLog  bool
	}{
		{"key and lock", true, true, true},
		{"key without lock", true, false, false},
		{"no key", false, true, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			old, data := t.TempDir(), t.TempDir()
			adopttest.Write(t, old, genesis, blocks, adopttest.Options{
				Engine: rawdb.DBPebble, Scheme: rawdb.HashScheme, Frozen: 5, State: 20,
			})
			instance := filepath.Join(old, adopt.Instance)
			if !row.locked {
				must.Do(t, os.Remove(filepath.Join(instance, "LOCK")))
			}
			key := must.Get(crypto.LoadECDSA(filepath.Join(instance, "nodekey")))(t)
			o := options(old, data)
			o.Key = row.key
			before := time.Now().Unix()
			result := must.Get(adopt.Run(t.Context(), o))(t)
			votes, err := votelog.Look(votelog.OS{}, filepath.Join(result.To, wbft.VoteLogFile))
			if (err == nil) != row.hasVoteLog {
				t.Fatalf("vote log: %v", err)
			}
			if !row.hasVoteLog {
				return
			}
			owner := votes.Owner()
			if owner.Validator != crypto.PubkeyToAddress(key.PublicKey) || owner.Genesis != genesis.ToBlock().Hash() {
				t.Errorf("the vote log is of %+v", owner)
			}
			head := func(time int64) *types.Header { return &types.Header{Number: common.Big1, Time: uint64(time)} }
			least := int64(wbft.AdoptedTolerance / time.Second)
			if wbft.WaitingFor(votes, head(before+least)) == "" {
				t.Error("the key signs above a block that may be older than the end of its last process")
			}
			expect.Equal(t, wbft.WaitingFor(votes, head(time.Now().Unix()+least+1)), "", "the key waits longer")
		})
	}
}

// A crash at any step of a return leaves both chain databases, and the same command ends the work. The key leaves with
// its votes, of which the other program will make more, and comes back with a new take-over only. spec: wbft 5.10
func TestKilledReturn(t *testing.T) {
	genesis, blocks := adopttest.Chain(t, 20)
	for _, row := range []struct {
		name  string
		crash func(place string) error
	}{
		{"between the renames", func(place string) error { return os.Rename(place, place+".adopting") }},
		{"before the key", func(string) error { return nil }},
	} {
		t.Run(row.name, func(t *testing.T) {
			old, data := t.TempDir(), t.TempDir()
			adopttest.Write(t, old, genesis, blocks, adopttest.Options{
				Engine: rawdb.DBLeveldb, Scheme: rawdb.HashScheme, Frozen: 5, State: 20,
			})
			o := options(old, data)
			o.Key = true
			result := must.Get(adopt.Run(t.Context(), o))(t)
			must.Get(adopt.Return(t.Context(), options("", data)))(t)
			place := filepath.Join(result.From, "chaindata")
			must.Do(t, errors.Join(os.WriteFile(filepath.Join(place, "adopted"), []byte(result.To), 0o600), row.crash(place)))
			must.Do(t, adopt.CanReturn(data, o.Name, o.Key))
			chain := must.Get(adopt.Return(t.Context(), o))(t).Chain
			expect.That(t, chain.Head == 20 && chain.Hash == blocks[19].Hash(), "the head is %d %v", chain.Head, chain.Hash)
			adopttest.Check(t, result.From, append(types.Blocks{genesis.ToBlock()}, blocks...))
			key := must.Get(os.ReadFile(filepath.Join(result.From, "nodekey")))(t)
			for _, name := range []string{"nodekey", wbft.VoteLogFile} {
				expect.Error(t, expect.Err(os.Stat(filepath.Join(result.To, name))), fs.ErrNotExist, "%s is left", name)
			}
			expect.Says(t, expect.Err(adopt.Return(t.Context(), o)), "was not taken over", "a second return")
			expect.Says(t, expect.Err(adopt.Run(t.Context(), o)), "is there already",
				"the key goes to a chain that stands still")
			if now, err := os.ReadFile(filepath.Join(result.From, "nodekey")); err != nil || !bytes.Equal(now, key) {
				t.Errorf("the key is gone: %v", err)
			}
		})
	}
}

// A return over a chain that the other program has made longer would have it sign blocks again, and is refused.
func TestReturnOverLongerChain(t *testing.T) {
	genesis, blocks := adopttest.Chain(t, 22)
	kind := adopttest.Options{Engine: rawdb.DBPebble, Scheme: rawdb.HashScheme, Frozen: 5, State: 20}
	old, longer, data := t.TempDir(), t.TempDir(), t.TempDir()
	adopttest.Write(t, old, genesis, blocks[:20], kind)
	adopttest.Write(t, longer, genesis, blocks, kind)
	result := must.Get(adopt.Run(t.Context(), options(old, data)))(t)
	place := filepath.Join(result.From, "chaindata")
	must.Do(t, errors.Join(os.RemoveAll(place), os.Rename(filepath.Join(longer, adopt.Instance, "chaindata"), place)))
	before := hashOf(t, place)
	expect.Says(t, expect.Err(adopt.Return(t.Context(), options("", data))), "gone on", "adopt.Return")
	if hashOf(t, place) != before || entries(place+".adopting") > 1 {
		t.Error("the longer chain has changed, or another one is left beside it")
	}
	must.Do(t, os.RemoveAll(place))
	expect.Error(t, expect.Err(adopt.Return(t.Context(), options("", data))), nil, "return to a directory without a chain")
	must.Do(t, os.RemoveAll(old))
	if _, err := adopt.Return(t.Context(), options("", data)); err == nil || strings.Contains(err.Error(), "is running") {
		t.Errorf("return to no directory: %v", err)
	}
}

// A key that is in both directories, as after a crash, is found in both, and in no other case.
func TestKeyIsTwice(t *testing.T) {
	old, instance := t.TempDir(), t.TempDir()
	write := func(dir, name, content string) {
		t.Helper()
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	check := func(want string) {
		t.Helper()
		expect.Equal(t, adopt.KeyIsTwice(instance), want, "found in")
	}
	write(instance, "nodekey", "1")
	check("")
	write(instance, "adopted", old)
	check("")
	write(old, "nodekey", "2")
	check("")
	write(old, "nodekey", "1\n")
	check(old)
}

// Files behind symbolic links are copied, so that nothing of the new directory changes with what they name.
func TestSymbolicLinks(t *testing.T) {
	genesis, blocks := adopttest.Chain(t, 20)
	old, data, elsewhere := t.TempDir(), t.TempDir(), t.TempDir()
	adopttest.Write(t, old, genesis, blocks, adopttest.Options{
		Engine: rawdb.DBLeveldb, Scheme: rawdb.HashScheme, Frozen: 5, State: 20,
	})
	moved := 0
	move := func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(path, "LOCK") || e.Name() == "nodekey" {
			return err
		}
		target := filepath.Join(elsewhere, strings.ReplaceAll(path, string(filepath.Separator), "_"))
		moved++
		return errors.Join(os.Rename(path, target), os.Symlink(target, path))
	}
	if err := filepath.WalkDir(old, move); err != nil || moved < 10 {
		t.Fatal(moved, err)
	}
	result := must.Get(adopt.Run(t.Context(), options(old, data)))(t)
	must.Do(t, os.RemoveAll(elsewhere))
	openGwon(t, result.To).check(t, append(types.Blocks{genesis.ToBlock()}, blocks...))
	if err := filepath.WalkDir(data, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type()&fs.ModeSymlink != 0 {
			t.Errorf("%s is a symbolic link", path)
		}
		return err
	}); err != nil || result.Accounts != 1 || result.Links != 0 {
		t.Errorf("%+v, %v", result, err)
	}
}

// What cannot be taken over is refused in one sentence, and nothing is made.
func TestRefusedAdopt(t *testing.T) {
	genesis, blocks := adopttest.Chain(t, 20)
	kind := adopttest.Options{Engine: rawdb.DBLeveldb, Scheme: rawdb.HashScheme, Frozen: 5, State: 10}
	for _, row := range []struct {
		name, want string
		arrange    func(t *testing.T, old, data string, o *adopt.Options)
	}{
		{"no directory", "there is no chain of go-stablenet", func(t *testing.T, _, _ string, o *adopt.Options) {
			o.Old = t.TempDir()
		}},
		{"no ancient store", "the ancient store of go-stablenet", func(_ *testing.T, old, _ string, o *adopt.Options) {
			o.Ancient = filepath.Join(old, "none")
		}},
		{"no key", "has no file nodekey", func(t *testing.T, old, _ string, o *adopt.Options) {
			must.Do(t, os.Remove(filepath.Join(old, adopt.Instance, "nodekey")))
			o.Key = true
		}},
		{"running node", "a node is running", func(t *testing.T, old, _ string, _ *adopt.Options) {
			lock := flock.New(filepath.Join(old, adopt.Instance, "LOCK"))
			if ok, err := lock.TryLock(); err != nil || !ok {
				t.Fatal(ok, err)
			}
			t.Cleanup(func() { _ = lock.Unlock() }) // the test is over
		}},
		{"running node without its lock", "a node is running", func(t *testing.T, old, _ string, _ *adopt.Options) {
			instance := filepath.Join(old, adopt.Instance)
			must.Do(t, os.Remove(filepath.Join(instance, "LOCK")))
			lock := flock.New(filepath.Join(instance, "chaindata", "LOCK")) // as leveldb does
			if ok, err := lock.TryLock(); err != nil || !ok {
				t.Fatal(ok, err)
			}
			t.Cleanup(func() { _ = lock.Unlock() }) // the test is over
		}},
		{"damaged table", "headers.cidx", func(t *testing.T, old, _ string, _ *adopt.Options) {
			index := filepath.Join(old, adopt.Instance, "chaindata", "ancient", "chain", "headers.cidx")
			content, err := os.ReadFile(index)
			if err == nil {
				content[len(content)-2] ^= 8
				err = os.WriteFile(index, content, 0o600)
			}
			must.Do(t, err)
		}},
		{"gwon is there", "is there already", func(t *testing.T, _, data string, _ *adopt.Options) {
			must.Do(t, os.Mkdir(filepath.Join(data, "gwon"), 0o700))
		}},
		{"full disk", "have to be copied", func(_ *testing.T, _, _ string, o *adopt.Options) {
			o.Free = func(string) (uint64, error) { return 1000, nil }
		}},
		{"own chain", "has not written", func(t *testing.T, old, _ string, o *adopt.Options) {
			o.DataDir = t.TempDir()
			result := must.Get(adopt.Run(t.Context(), *o))(t)
			o.Old, o.DataDir = result.To, t.TempDir()
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			old, data := t.TempDir(), t.TempDir()
			adopttest.Write(t, old, genesis, blocks, kind)
			o := options(old, data)
			row.arrange(t, old, data, &o)
			before := hashOf(t, o.Old)
			expect.Says(t, expect.Err(adopt.Run(t.Context(), o)), row.want, "adopt.Run")
			expect.Equal(t, hashOf(t, o.Old), before, "the old directory has changed")
			_, err := os.Stat(filepath.Join(o.DataDir, "gwon", "chaindata"))
			if err == nil || adopt.IsCutShort(o.DataDir, "gwon") {
				t.Errorf("gwon has a chain, or a part of one: %v", err)
			}
		})
	}
}

// What cannot be moved is found before anything is given back. Nothing of an earlier return is replaced.
func TestRefusedReturn(t *testing.T) {
	genesis, blocks := adopttest.Chain(t, 20)
	old, data := t.TempDir(), t.TempDir()
	adopttest.Write(t, old, genesis, blocks, adopttest.Options{
		Engine: rawdb.DBLeveldb, Scheme: rawdb.HashScheme, Frozen: 5, State: 20,
	})
	o := options(old, data)
	o.Key = true
	result := must.Get(adopt.Run(t.Context(), o))(t)
	other, chain := filepath.Join(result.From, "nodekey"), filepath.Join(result.From, "chaindata.before")
	votes := filepath.Join(result.To, wbft.VoteLogFile+".before")
	write := func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("1f", 32)), 0o600) }
	for _, row := range []struct {
		name, want string
		spoil      func() error
	}{
		{"earlier chain", chain, func() error { return write(chain) }},
		{"earlier votes", votes, func() error { return errors.Join(os.Remove(chain), write(votes)) }},
		{"another key there", "nodekey", func() error { return errors.Join(os.Remove(votes), write(other)) }},
		{"no key on either side", "nodekey", func() error {
			return errors.Join(os.Remove(other), os.Remove(filepath.Join(result.To, "nodekey")))
		}},
	} {
		must.Do(t, row.spoil())
		before := [2][32]byte{hashOf(t, old), hashOf(t, data)}
		expect.Says(t, adopt.CanReturn(data, o.Name, true), row.want, "%s: CanReturn", row.name)
		expect.Says(t, expect.Err(adopt.Return(t.Context(), o)), row.want, "%s: Return", row.name)
		expect.Equal(t, [2][32]byte{hashOf(t, old), hashOf(t, data)}, before, "%s: the directories have changed", row.name)
	}
}

// A directory is not taken over into itself, or from within.
func TestAdoptIntoItself(t *testing.T) {
	genesis, blocks := adopttest.Chain(t, 20)
	old := t.TempDir()
	adopttest.Write(t, old, genesis, blocks, adopttest.Options{
		Engine: rawdb.DBLeveldb, Scheme: rawdb.HashScheme, Frozen: 5, State: 20,
	})
	link := filepath.Join(t.TempDir(), "link")
	must.Do(t, os.Symlink(filepath.Join(old, adopt.Instance), link))
	before := hashOf(t, old)
	for _, data := range []string{link, filepath.Join(link, "chaindata"), filepath.Join(old, adopt.Instance, "new")} {
		if _, err := adopt.Run(t.Context(), options(old, data)); err == nil ||
			!strings.Contains(err.Error(), "name a place outside of it") {
			t.Errorf("into %s: %v", data, err)
		}
	}
	expect.That(t, hashOf(t, old) == before, "the directory has changed")
}
