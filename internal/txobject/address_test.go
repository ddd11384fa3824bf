// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txobject

import (
	"fmt"
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

// An address with a wrong checksum is found wherever it stands in JSON, as a key or a value, with 0x or without.
func TestCheckAddresses(t *testing.T) {
	const right, wrong = "765A018C5ABa3987461951ec7662dc8724683688", "765A018C5ABa3987461951ec7662dc8724683689"
	for _, form := range []string{`{"%s": {"balance": "0x1"}}`, `[{"operator": "0x%s"}]`, `{"a": {"b": ["0x%s"]}}`, `["%s", {`} {
		expect.Error(t, CheckAddresses([]byte(fmt.Sprintf(form, right))), nil, "%s", form)
		expect.Error(t, CheckAddresses([]byte(strings.ToLower(fmt.Sprintf(form, wrong)))), nil, "%s", form)
		expect.Says(t, CheckAddresses([]byte(fmt.Sprintf(form, wrong))), "the checksum of 0x"+wrong, "%s", form)
	}
}
