// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package pathdb

import (
	"errors"
	"math/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// savedTest is a database with few layers in memory, and its saved states.
type savedTest struct {
	*tester
	t     *testing.T
	saved *SavedLayers
	dir   string
	safe  int // states that are safe from a crash
}

func newSavedTest(t *testing.T, layers int) *savedTest {
	maxDiffLayers = 4
	t.Cleanup(func() { maxDiffLayers = 128 })
	large := 64 << 20
	s := &savedTest{
		tester: newTester(t, &testerConfig{layers: layers, writeBuffer: &large}),
		t:      t, dir: filepath.Join(t.TempDir(), "layers"),
	}
	t.Cleanup(func() { s.release() })
	s.db.config.NoAsyncFlush = false
	s.open()
	return s
}

func (s *savedTest) open() {
	s.t.Helper()
	var err error
	s.saved, err = s.db.OpenSavedLayers(s.dir)
	must.Do(s.t, err)
}

func (s *savedTest) save(flush bool) int64 {
	s.t.Helper()
	written := must.Get(s.saved.Save(s.lastHash(), flush))(s.t)
	s.safe = len(s.roots)
	return written
}

// crash loses what is in memory, and opens the database again.
func (s *savedTest) crash() {
	s.t.Helper()
	must.Do(s.t, s.db.Close())
	s.db = New(s.db.diskdb, s.db.config, false)
	s.open()
	s.roots, s.nodes, s.states = s.roots[:s.safe], s.nodes[:s.safe], s.states[:s.safe]
	s.accounts = copyAccounts(s.snapAccounts[s.lastHash()])
	s.storages = copyStorages(s.snapStorages[s.lastHash()])
}

func (s *savedTest) verify() {
	s.t.Helper()
	assert.NoErrorf(s.t, s.verifyState(s.lastHash()), "state %d, the newest saved one", s.safe)
	if err := errors.Join(s.db.waitWrites(), s.verifyHistory()); err != nil {
		s.t.Error("history:", err)
	}
}

// A state that was saved survives a crash, whatever was merged, flushed, saved and lost before.
func TestSavedStatesSurviveCrashes(t *testing.T) {
	for seed := range int64(6) {
		random := rand.New(rand.NewSource(seed))
		s := newSavedTest(t, 1+random.Intn(12))
		s.save(false)
		for range 12 {
			for range random.Intn(4) {
				s.extend(1 + random.Intn(6))
				if random.Intn(3) > 0 {
					s.save(random.Intn(4) == 0)
				}
			}
			s.crash()
			s.verify()
			require.Falsef(t, t.Failed(), "seed %d", seed)
		}
	}
}

// Each state is written once. Files go when the database has their states on disk.
func TestSavedStatesAreWrittenOnce(t *testing.T) {
	s := newSavedTest(t, 3)
	first := s.save(false)
	require.Truef(t, first != 0 && s.save(false) == 0, "saved %d bytes, then some again", first)
	s.extend(1)
	second := s.save(false)
	s.extend(1)
	third := s.save(false)
	if files, _ := os.ReadDir(s.dir); len(files) != 3 || second == 0 || third == 0 {
		t.Fatalf("%d files, the last of %d and %d bytes: want 3", len(files), second, third)
	}
	s.extend(8)
	assert.True(t, s.save(true) != 0, "a flush leaves nothing of the newest states in files")
	onDisk := rawdb.ReadPersistentStateID(s.db.diskdb)
	files, err := os.ReadDir(s.dir)
	assert.Truef(t, err == nil && len(files) == 1 && onDisk == uint64(len(s.roots)-maxDiffLayers+1),
		"after a flush %d files, want 1; states to %d of %d on disk (%v)", len(files), onDisk, len(s.roots), err)
}

// States that left memory before they could be saved go to disk at once.
func TestSavesStatesThatLeftMemory(t *testing.T) {
	s := newSavedTest(t, 3)
	s.save(false)
	s.extend(20)
	s.save(false)
	onDisk := rawdb.ReadPersistentStateID(s.db.diskdb)
	assert.Truef(t, onDisk >= uint64(len(s.roots)-maxDiffLayers), "states to %d of %d are on disk", onDisk, len(s.roots))
	s.crash()
	s.verify()
}

// The buffer goes to disk when there are many files.
func TestSavedFilesAreBounded(t *testing.T) {
	s := newSavedTest(t, 2)
	for range 2 * maxSavedFiles {
		s.extend(1)
		s.save(false)
		if files, err := os.ReadDir(s.dir); err != nil || len(files) > maxSavedFiles {
			t.Fatalf("%d files, at most %d (%v)", len(files), maxSavedFiles, err)
		}
	}
	s.crash()
	s.verify()
}

// A damaged or foreign file is not used, and an unfinished one is removed.
func TestDamagedSavedStates(t *testing.T) {
	for _, row := range []struct {
		name   string
		damage func(content []byte) []byte
	}{
		{"truncated", func(b []byte) []byte { return b[:len(b)-1] }},
		{"empty", func([]byte) []byte { return nil }},
		{"bit", func(b []byte) []byte { b[len(b)/2] ^= 1; return b }},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newSavedTest(t, 10)
			s.save(true)
			onDisk := int(rawdb.ReadPersistentStateID(s.db.diskdb))
			path := filepath.Join(s.dir, s.saved.files[0].name)
			content := must.Get(os.ReadFile(path))(t)
			must.Do(t, os.WriteFile(path, row.damage(content), 0o600))
			for _, other := range []string{path + savedNew, filepath.Join(s.dir, "notes.txt")} {
				must.Do(t, os.WriteFile(other, content, 0o600))
			}
			lost := s.lastHash()
			s.safe = onDisk
			s.crash()
			assert.True(t, s.db.tree.get(lost) == nil, "a state of the damaged file is used")
			s.verify()
			_, err := os.Stat(path + savedNew)
			assert.Truef(t, os.IsNotExist(err), "the unfinished file remains: %v", err)
			_, err = os.Stat(filepath.Join(s.dir, "notes.txt"))
			assert.NoError(t, err, "a file of somebody else")
		})
	}
}
