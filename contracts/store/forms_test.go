// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package store

import (
	"bytes"
	"encoding/hex"
	"testing"

	"gwon/internal/expect"
)

// Whatever is in a file: its own bytes are one meaning, and the text of a code means that code.
func FuzzForms(f *testing.F) {
	for _, text := range []string{"", "0x", "\"0x60\"", " 60\n", "\"", "0X6"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		forms := Forms(content)
		expect.That(t, len(forms) != 0 && len(forms) <= 2 && bytes.Equal(forms[0], content), "%q means %x", content, forms)
		text := " 0x" + hex.EncodeToString(content) + "\n"
		forms = Forms([]byte(text))
		expect.That(t, len(forms) == 2 && bytes.Equal(forms[1], content), "%q means %x", text, forms)
	})
}
