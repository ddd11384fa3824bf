// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package store

import (
	"bytes"
	"encoding/hex"
)

// Forms returns what the content of a file means as code: itself and, if it is hexadecimal text, the bytes of that. The
// text may have blanks around it, the quotes of a console, and 0x.
func Forms(content []byte) [][]byte {
	forms := [][]byte{content}
	text := bytes.TrimSpace(content)
	if n := len(text); n > 1 && text[0] == '"' && text[n-1] == '"' {
		text = text[1 : n-1]
	}
	if len(text) > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		text = text[2:]
	}
	decoded := make([]byte, hex.DecodedLen(len(text)))
	if _, err := hex.Decode(decoded, text); err == nil {
		forms = append(forms, decoded)
	}
	return forms
}
