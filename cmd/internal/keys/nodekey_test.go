// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package keys

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"gwon/cmd/internal/apptest"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/operator/doctor"
)

// A node key is taken in the form in which gwon prints keys, by the node and by what looks at its file.
func TestFormsOfNodeKey(t *testing.T) {
	digits := strings.Repeat("ab", 32)
	want := must.Get(crypto.HexToECDSA(digits))(t)
	for name, text := range map[string]string{
		"digits": digits, "line end": digits + "\r\n", "0x": "0x" + digits, "byte order mark": "\uFEFF" + digits,
	} {
		t.Run(name, func(t *testing.T) {
			file := apptest.WriteFile(t, filepath.Join(t.TempDir(), "nodekey"), text)
			key, err := ReadNodeKey(nil, file)
			expect.That(t, err == nil && key.Equal(want), "error %v", err)
			expect.Equal(t, must.Get(doctor.KeyAddress(file))(t), crypto.PubkeyToAddress(want.PublicKey), "address")
		})
	}
}
