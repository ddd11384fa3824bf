// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package atomicfile

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

func check(t *testing.T, path, want string, mode os.FileMode) {
	t.Helper()
	content, err := os.ReadFile(path)
	expect.That(t, err == nil && string(content) == want, "%s holds %q, %v; want %q", path, content, err, want)
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != mode {
		t.Errorf("%s has mode %v, want %v", path, info.Mode(), mode)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	expect.That(t, err == nil && len(entries) == 1, "the directory has %d entries, %v", len(entries), err)
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, c := range []struct {
		content string
		mode    os.FileMode
	}{{"first", 0o600}, {"second, longer", 0o644}, {"", 0o600}} {
		must.Do(t, Write(path, []byte(c.content), c.mode))
		check(t, path, c.content, c.mode)
	}
}

// A write that cannot be finished leaves the old file, and nothing beside it.
func TestWriteInVain(t *testing.T) {
	dir := t.TempDir()
	expect.Error(t, Write(filepath.Join(dir, "none", "file"), nil, 0o600), fs.ErrNotExist, "without its directory")
	path := filepath.Join(dir, "directory")
	must.Do(t, os.MkdirAll(filepath.Join(path, "inside"), 0o700))
	expect.Refused(t, Write(path, []byte("content"), 0o600), "a directory was replaced by a file")
	entries, err := os.ReadDir(dir)
	expect.That(t, err == nil && len(entries) == 1, "left behind: %v, %v", entries, err)
}

// A reader sees one of the contents as a whole, however many write.
func TestWritersAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	contents := [][]byte{bytes.Repeat([]byte("a"), 1<<16), bytes.Repeat([]byte("b"), 1<<15)}
	must.Do(t, Write(path, contents[0], 0o600))
	var wg sync.WaitGroup
	for _, content := range contents {
		wg.Go(func() {
			for range 20 {
				expect.Error(t, Write(path, content, 0o600), nil, "Write")
			}
		})
	}
	for range 100 {
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, contents[0]) && !bytes.Equal(got, contents[1]) {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
	}
	wg.Wait()
	entries, err := os.ReadDir(filepath.Dir(path))
	expect.That(t, err == nil && len(entries) == 1, "left behind: %v, %v", entries, err)
}

// Only Replace takes the place of what is there.
func TestRename(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	for path, text := range map[string]string{from: "new", to: "old"} {
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	}
	expect.Says(t, Rename(from, to), "to is there already", "onto a file")
	must.Do(t, Replace(from, to))
	check(t, to, "new", 0o600)
	expect.Error(t, Replace(from, to), fs.ErrNotExist, "without a file")
	must.Do(t, Rename(to, from))
	check(t, from, "new", 0o600)
}

// What a crash leaves behind can be told by its name.
func TestPartialOf(t *testing.T) {
	dir := t.TempDir()
	file := must.Get(os.CreateTemp(dir, ".settings.json"+partialMark+"*"))(t)
	must.Do(t, file.Close())
	for name, want := range map[string]string{
		filepath.Base(file.Name()): "settings.json", "settings.json": "", ".settings.json": "", "settings.json.new-1": "",
		"": "",
	} {
		expect.Equal(t, PartialOf(name), want, "%q", name)
	}
}
