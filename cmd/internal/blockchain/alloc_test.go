// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"strings"
	"testing"

	"gwon/cmd/internal/apptest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// What is no allocation is refused with its form, and without the names of Go types.
func TestReadAllocRefused(t *testing.T) {
	for _, text := range []string{
		"[]", `{"0x12":5}`, `{"12":{}}`, "hello", `{"0x00000000000000000000000000000000000000aa":5}`,
	} {
		t.Run(text, func(t *testing.T) {
			_, err := ReadAlloc("alloc", apptest.TempFile(t, text))
			must.That(t, err != nil && strings.Contains(err.Error(), `want {"0xADDRESS"`), "error %v", err)
			for _, foreign := range []string{"types.", "common.", "Go value", "map["} {
				expect.That(t, !strings.Contains(err.Error(), foreign), "%q in %v", foreign, err)
			}
		})
	}
}
