// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"slices"
	"testing"
)

// the addresses that one client of IPv6 can take in turn share a rate, and so do the networks of a site.
func TestOwnerOfClient(t *testing.T) {
	for address, want := range map[string][]string{
		"1.2.3.4": {"1.2.3.4"}, "::ffff:1.2.3.4": {"1.2.3.4"}, "unix": {"unix"}, "": {""},
		"2001:db8::1":        {"2001:db8::/64", "2001:db8::/56", "2001:db8::/48"},
		"2001:db8::2:0:0:1":  {"2001:db8::/64", "2001:db8::/56", "2001:db8::/48"},
		"2001:db8:0:1::1":    {"2001:db8:0:1::/64", "2001:db8::/56", "2001:db8::/48"},
		"2001:db8:0:100::1":  {"2001:db8:0:100::/64", "2001:db8:0:100::/56", "2001:db8::/48"},
		"2001:db8:1::1%eth0": {"2001:db8:1::/64", "2001:db8:1::/56", "2001:db8:1::/48"},
		"fe80::1%eth0":       {"fe80::/64"},
		"127.0.0.1":          {"127.0.0.1"},
		"fd00:0:0:1::1":      {"fd00:0:0:1::/64"},
	} {
		if have := OwnerOfClient(address); !slices.Equal(have, want) {
			t.Errorf("%q: %q, want %q", address, have, want)
		}
	}
}
