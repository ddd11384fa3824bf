// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txobject

import (
	"strings"
	"testing"

	"gwon/internal/expect"
)

// An address with a wrong checksum, or none at all, is refused (EIP-55).
func TestAddresses(t *testing.T) {
	const good = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" // of the EIP
	for _, text := range []string{good, strings.ToLower(good), "0x" + strings.ToUpper(good[2:])} {
		a, err := ParseAccount(text)
		expect.That(t, err == nil && a.Hex() == good, "%s: %v, %v", text, a, err)
	}
	for _, text := range []string{
		"", "0x", good[2:], good[:41], good + "0", strings.Replace(good, "aAeb", "AAeb", 1),
		strings.Replace(good, "6053", "6054", 1),
		"0x0000000000000000000000000000000000000000", "alice.eth",
	} {
		t.Run(text, func(t *testing.T) {
			a, err := ParseAccount(text)
			expect.That(t, err != nil, "%q is taken for %v", text, a)
		})
	}
}
