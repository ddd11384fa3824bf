// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"encoding/json"
	"strings"
	"testing"

	"gwon/internal/expect"
)

// FuzzParameters: any parameter is taken, or refused by what was expected.
func FuzzParameters(f *testing.F) {
	for _, text := range []string{
		`12`, `"12"`, `"0xc"`, `1e3`, `9007199254740993`, `-1`, `"0x"`, `1e400`, `null`, `{"timestamp": 1, "blocks": "0x2"}`,
		`{"blacklisted": true}`, `true`, `[]`, `"0x0000000000000000000000000000000000000001"`, `"\u0031"`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return
		}
		for _, parameter := range []json.Unmarshaler{
			new(Quantity), new(Amount), new(Word), new(Address), new(Hash), new(Data), new(Switch), new(mineOptions),
		} {
			err := parameter.UnmarshalJSON(raw)
			expect.That(t, err == nil || strings.HasPrefix(err.Error(), "expected "), "%T: %v", parameter, err)
		}
	})
}
