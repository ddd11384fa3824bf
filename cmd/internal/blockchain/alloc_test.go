// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"strings"
	"testing"

	"gwon/cmd/internal/apptest"
)

// What is no allocation is refused with its form, and without the names of Go types.
func TestReadAllocRefused(t *testing.T) {
	for _, text := range []string{
		"[]", `{"0x12":5}`, `{"12":{}}`, "hello", `{"0x00000000000000000000000000000000000000aa":5}`,
	} {
		t.Run(text, func(t *testing.T) {
			_, err := ReadAlloc("alloc", apptest.TempFile(t, text))
			if err == nil || !strings.Contains(err.Error(), `want {"0xADDRESS"`) {
				t.Fatalf("error %v", err)
			}
			for _, foreign := range []string{"types.", "common.", "Go value", "map["} {
				if strings.Contains(err.Error(), foreign) {
					t.Errorf("%q in %v", foreign, err)
				}
			}
		})
	}
}
