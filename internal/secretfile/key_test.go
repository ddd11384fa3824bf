// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package secretfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// A key that others can read is refused, whatever command it is named for.
func TestLoadKeyOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	must.Do(t, errors.Join(os.WriteFile(path, []byte(strings.Repeat("1", 64)), 0o600), os.Chmod(path, 0o644)))
	expect.Says(t, expect.Err(LoadKey(path)), "can be read by others (mode 0644)", "LoadKey")
}

// A key is read as gwon prints it, with 0x, and as other tools write it. What is no key is named.
func TestLoadKey(t *testing.T) {
	const digits = "73b1aeebc2d073625645c3724942876c3b0714f74e3ae5e74c2f7a3e7f83b322"
	want := must.Get(crypto.HexToECDSA(digits))(t)
	for _, row := range []struct{ name, text, fault string }{
		{"plain", digits, ""}, {"line end", digits + "\n", ""}, {"0x", "0x" + digits + "\n", ""},
		{"upper case", "0X" + strings.ToUpper(digits) + "\r\n", ""},
		{"byte order mark", "\uFEFF0x" + digits + "\r\n", ""},
		{"key store", `{"address":"00"}`, "encrypted key file"},
		{"short", digits[1:], "64 hex digits, not 63"}, {"empty", "", "not 0 characters"},
		{"twice", digits + digits, "not 128"}, {"letters", strings.Repeat("z", 64), "no private key"},
		{"zero", strings.Repeat("0", 64), "no private key"},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "key")
			must.Do(t, os.WriteFile(path, []byte(row.text), 0o600))
			key, err := LoadKey(path)
			switch {
			case row.fault == "" && (err != nil || !key.Equal(want)):
				t.Errorf("error %v", err)
			case row.fault != "" && (err == nil || !strings.Contains(err.Error(), row.fault) ||
				!strings.Contains(err.Error(), path) || strings.Contains(err.Error(), digits[:20])):
				t.Errorf("error %v, want one with %q and the file, without the key", err, row.fault)
			}
		})
	}
}
