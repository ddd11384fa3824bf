// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// contents returns every file below a directory but for locks and recordings, with its mode.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	must.Do(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		left := strings.EqualFold(entry.Name(), "LOCK") || entry.Name() == lockFile || filepath.Ext(entry.Name()) == ".rec"
		if err != nil || entry.IsDir() || left {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[name] = fmt.Sprintf("%v %s", info.Mode(), content)
		return err
	}))
	return files
}

// stopped lays a network out and releases it.
func stopped(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	n := must.Get(Prepare(options(dir)))(t)
	for name, content := range map[string]string{
		"chaindata/000001.log": strings.Repeat("block", 1000), "LOCK": "", "votes.log": "votes",
		"recorder/000000000001.rec": "recording",
	} {
		file := filepath.Join(n.Nodes[1].Dir, "gwon", name)
		must.Do(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must.Do(t, os.WriteFile(file, []byte(content), 0o600))
	}
	must.Do(t, n.Close())
	return dir
}

// exported returns an archive of a network.
func exported(t *testing.T, dir string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "network.tar.gz")
	must.Get(Export(dir, file))(t)
	return file
}

// TestArchive checks that a network comes out of an archive as it was, in an empty directory and in place of its own
// later blocks, and that the same settings continue it.
func TestArchive(t *testing.T) {
	from := stopped(t)
	want := contents(t, from)
	file := exported(t, from)
	for name, to := range map[string]string{"empty": filepath.Join(t.TempDir(), "new"), "same": from} {
		t.Run(name, func(t *testing.T) {
			if name == "same" {
				later := filepath.Join(from, "node2", "gwon", "chaindata", "000002.log")
				must.Do(t, os.WriteFile(later, []byte("later"), 0o600))
			}
			archived := must.Get(Import(file, to, true))(t)
			expect.That(t, archived.Validators == 3 && archived.Accounts == 2 && archived.ChainID == 8283 &&
				archived.Files == len(want), "got %+v", archived)
			got := contents(t, to)
			expect.That(t, maps.Equal(got, want), "files %v, want %v", got, want)
			genesis := contents(t, to)[genesisFile]
			prepare(t, options(to))
			expect.Equal(t, contents(t, to)[genesisFile], genesis, "the network was begun again")
		})
	}
}

// TestExportRefuses checks that a network which runs is not exported, and that no file is replaced.
func TestExportRefuses(t *testing.T) {
	dir := stopped(t)
	taken := exported(t, dir)
	lock := flock.New(filepath.Join(dir, "node2", "gwon", "LOCK"))
	refuse := func(dir, file, want string) {
		t.Helper()
		expect.Says(t, expect.Err(Export(dir, file)), want, "error")
	}
	refuse(dir, taken, "exists already")
	refuse(t.TempDir(), taken, "there is no network in")
	refuse(filepath.Join(dir, "nothing"), taken, "there is no network in")
	ok, err := lock.TryLock()
	must.That(t, ok && err == nil, "%v %v", ok, err)
	file := filepath.Join(t.TempDir(), "new.tar.gz")
	refuse(dir, file, "node2 of the network in")
	must.Do(t, lock.Unlock())
	prepare(t, options(dir))
	refuse(dir, file, "another gwon-dev devnet runs")
	left := contents(t, filepath.Dir(file))
	expect.That(t, len(left) == 0, "left behind: %v", left)
}

// repack copies an archive, with each entry as edit leaves it and further ones at its end.
func repack(t *testing.T, file string, edit func(*tar.Header, []byte) []byte, further ...*tar.Header) []byte {
	t.Helper()
	in := must.Get(os.Open(file))(t)
	defer func() { _ = in.Close() }()
	unpacked := must.Get(gzip.NewReader(in))(t)
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	from, to := tar.NewReader(unpacked), tar.NewWriter(packed)
	for {
		header, err := from.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must.Do(t, err)
		content := must.Get(io.ReadAll(from))(t)
		if edit != nil {
			content = edit(header, content)
		}
		if content == nil {
			continue
		}
		header.Size = int64(len(content))
		must.Do(t, to.WriteHeader(header))
		must.Get(to.Write(content))(t)
	}
	for _, header := range further {
		must.Do(t, to.WriteHeader(header))
	}
	must.Do(t, errors.Join(to.Close(), packed.Close()))
	return out.Bytes()
}

// TestImportRefuses checks that a wrong archive changes nothing, and says in one sentence why it is refused.
func TestImportRefuses(t *testing.T) {
	from := stopped(t)
	file := exported(t, from)
	whole := must.Get(os.ReadFile(file))(t)
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-6] ^= 1
	edited := func(name, from, to string) []byte {
		return repack(t, file, func(h *tar.Header, content []byte) []byte {
			if h.Name != name {
				return content
			}
			if from == "" {
				return nil
			}
			return bytes.Replace(content, []byte(from), []byte(to), 1)
		})
	}
	entry := func(name string, kind byte) []byte {
		return repack(t, file, nil, &tar.Header{Name: name, Typeflag: kind, Linkname: "x", Mode: 0o644})
	}
	const damaged = "is damaged, or no archive"
	for name, row := range map[string]struct {
		archive []byte
		dir     string
		reset   bool
		want    string
	}{
		"empty":           {nil, from, true, damaged},
		"text":            {[]byte("a text"), from, true, damaged},
		"cut":             {whole[:len(whole)/2], from, true, damaged},
		"without its end": {whole[:len(whole)-4], from, true, damaged},
		"flipped":         {flipped, from, true, damaged},
		"followed":        {append(bytes.Clone(whole), "more"...), from, true, damaged},
		"outside":         {entry("../node1/x", tar.TypeReg), from, true, "has no file"},
		"absolute":        {entry("/node1/x", tar.TypeReg), from, true, "has no file"},
		"deep outside":    {entry("node1/../../x", tar.TypeReg), from, true, "has no file"},
		"foreign":         {entry("readme", tar.TypeReg), from, true, "has no file"},
		"lock":            {entry(lockFile, tar.TypeReg), from, true, "has no file"},
		"link":            {entry("node1/x", tar.TypeSymlink), from, true, "has no file"},
		"twice":           {entry(genesisFile, tar.TypeReg), from, true, "two files"},
		"another kind":    {edited(archiveHeadFile, archiveName, "a tar"), from, true, damaged},
		"later version":   {edited(archiveHeadFile, `"version":1`, `"version":2`), from, true, "of version 2"},
		"other genesis":   {edited(genesisFile, "timestamp", "timeStamp"), from, true, "not the one that it names"},
		"no genesis":      {edited(genesisFile, "", ""), from, true, damaged},
		"no settings":     {edited(markerFile, "", ""), from, true, damaged},
		"no key":          {edited("node3/gwon/nodekey", "", ""), from, true, damaged},
		"another network": {whole, stopped(t), true, "another genesis block"},
		"its own blocks":  {whole, from, false, "--reset"},
	} {
		t.Run(name, func(t *testing.T) {
			before := contents(t, row.dir)
			archive := filepath.Join(t.TempDir(), "archive")
			must.Do(t, os.WriteFile(archive, row.archive, 0o600))
			_, err := Import(archive, row.dir, row.reset)
			expect.That(t, err != nil && strings.Contains(err.Error(), row.want) && !strings.Contains(err.Error(), "\n"),
				"error %v, want %q in one line", err, row.want)
			after := contents(t, row.dir)
			expect.That(t, maps.Equal(after, before), "the directory was changed: %v, before %v", after, before)
		})
	}
}
