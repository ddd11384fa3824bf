// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/program"
	"gwon/core"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// A damaged file of the database ends a start with one sentence that names the file and the cure.
func TestDamagedDatabase(t *testing.T) {
	for _, row := range []struct {
		name, files string
		damage      func(content []byte) []byte
	}{
		{"manifest",
			"MANIFEST-*", func(content []byte) []byte { return append([]byte("damaged damaged damaged"), content...) }},
		{"table", "*.sst", func(content []byte) []byte {
			for i := range content {
				content[i] ^= 0x55
			}
			return content
		}},
		{"short table", "*.sst", func(content []byte) []byte { return content[:len(content)/2] }},
	} {
		t.Run(row.name, func(t *testing.T) {
			data := t.TempDir()
			must.Get(run(t, "init", "--datadir", data, apptest.PrivateGenesis(t)))(t)
			if _, err := run(t, "db", "compact", "--datadir", data); err != nil { // a table from the journal
				t.Fatal(err)
			}
			files, err := filepath.Glob(filepath.Join(data, program.Name, "chaindata", row.files))
			must.That(t, err == nil && len(files) != 0, "files %v, error %v", files, err)
			for _, file := range files {
				content := must.Get(os.ReadFile(file))(t)
				must.Do(t, os.WriteFile(file, row.damage(content), 0o600))
			}
			command := exec.Command(os.Args[0], "--datadir", data, "--nodiscover", "--port", "0", "--ipcdisable", "--verbosity",
				"1")
			command.Env = append(os.Environ(), apptest.RunMain+"=1")
			output, err := command.CombinedOutput()
			text := strings.TrimSpace(string(output))
			must.That(t, err != nil && strings.Count(text, "\n") == 0 &&
				strings.HasPrefix(text, "gwon: the chain database is damaged: "), "error %v, output %q", err, text)
			name := strings.TrimSuffix(filepath.Base(files[len(files)-1]), ".sst")
			for _, part := range []string{name, "gwon removedb"} {
				expect.That(t, strings.Contains(text, part), "%q lacks %q", text, part)
			}
		})
	}
}

// A damaged file is an error that names it, before a node starts or a genesis is written.
func TestDamagedCode(t *testing.T) {
	data := t.TempDir()
	dir := filepath.Join(data, program.Name, "contracts")
	must.Do(t, os.MkdirAll(dir, 0o700))
	hash, _ := core.CodeHash("govCouncil", params.V1)
	damaged := apptest.WriteFile(t, filepath.Join(dir, strings.TrimPrefix(hash.Hex(), "0x")), "damaged")
	for _, args := range [][]string{
		{"--datadir", data, "--testnet"},
		{"contracts", "list", "--datadir", data},
		{"init", "--datadir", data, apptest.PrivateGenesis(t)},
	} {
		expect.Says(t, expect.Err(run(t, args...)), damaged, "%v", args)
	}
}
