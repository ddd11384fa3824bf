// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package inspect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// write puts files into a folder of a project.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

const abiText = `"abi":[{"type":"function","name":"buy","inputs":[],"outputs":[],"stateMutability":"payable"}]`

var zeros = strings.Repeat("00", 32)

func TestArtifacts(t *testing.T) {
	dir := write(t, map[string]string{
		"Shop.sol/Shop.json": `{` + abiText + `,"deployedBytecode":{"object":"0x6001020304",` +
			`"immutableReferences":{"1":[{"start":2,"length":2}]}}}`,
		"Linked.sol/Linked.json": `{` + abiText + `,"deployedBytecode":` +
			`{"object":"0x60__$1234567890123456789012345678901234$__05"}}`,
		"contracts/Till.sol/T.json":  `{"contractName":"Till",` + abiText + `,"deployedBytecode":"0x60607f` + zeros + `01"}`,
		"contracts/Till.sol/IT.json": `{"contractName":"ITill",` + abiText + `,"deployedBytecode":"0x"}`,
		"build-info/1.json":          `{` + abiText + `,"deployedBytecode":"0x99"}`,
		"cache.json":                 `[]`,
		"broken.json":                `{`,
	})
	book := NewBook()
	must.Equal(t, must.Get(book.Load(dir))(t), 3, "contracts")
	for _, test := range []struct {
		name, want string
		code       []byte
	}{
		{"immutable", "Shop", []byte{0x60, 0x01, 0xaa, 0xbb, 0x04}},
		{"other code", "", []byte{0x60, 0x02, 0x02, 0x03, 0x04}},
		{"linked library", "Linked", append(append([]byte{0x60}, make([]byte, 20)...), 0x05)},
		{"immutable of Hardhat", "Till", append(append([]byte{0x60, 0x60, 0x7f}, []byte(strings.Repeat("x", 32))...), 0x01)},
		{"no code", "", nil},
		{"build information", "", []byte{0x99}},
	} {
		t.Run(test.name, func(t *testing.T) {
			known := book.ByCode(test.code)
			if got := ""; known != nil {
				got = known.Name
				expect.Equal(t, got, test.want, "got")
			} else if test.want != "" {
				t.Errorf("not known, want %q", test.want)
			}
		})
	}
	names := ""
	for _, i := range book.Artifacts() {
		names += i.Name + " "
	}
	expect.Equal(t, names, "Linked Shop Till ", "artifacts")
}

func TestFoldersWithoutArtifacts(t *testing.T) {
	empty := write(t, map[string]string{"package.json": `{}`})
	for _, folder := range []string{empty, filepath.Join(empty, "missing")} {
		expect.Says(t, expect.Err(NewBook().Load(folder)), folder, "%s", folder)
	}
	n, err := NewBook().Load("")
	expect.That(t, n == 0 && err == nil, "no folder: %d, %v", n, err)
}

// FuzzArtifact reads whatever lies in a folder.
func FuzzArtifact(f *testing.F) {
	f.Add(
		[]byte(
			`{` + abiText + `,"deployedBytecode":{"object":"0x6001__","immutableReferences":{"1":[{"start":-2,"length":9}]}}}`,
		),
	)
	f.Add([]byte(`{` + abiText + `,"deployedBytecode":"0x73"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		known, err := parseArtifact("x.json", text)
		if err == nil && known != nil && !known.code.matches(known.code.code) {
			t.Error("an artifact does not match its own code")
		}
	})
}
