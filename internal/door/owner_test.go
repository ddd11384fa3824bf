// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"net"
	"testing"

	"gwon/internal/expect"
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
		expect.Slice(t, OwnerOfClient(address), want, "%q", address)
	}
}

// One customer is one client, and those that cannot be told apart are not limited.
func TestKeyOf(t *testing.T) {
	for _, test := range []struct {
		one, other string
		same       bool
	}{
		{"203.0.113.9", "203.0.113.9", true},
		{"203.0.113.9", "203.0.113.10", false},
		{"2001:db8::1", "2001:db8::ffff:1", true},
		{"2001:db8::1", "2001:db8:0:1::1", false},
	} {
		one, other := OwnerOf(test.one)[0], OwnerOf(test.other)[0]
		expect.Equal(t, one == other, test.same, "%s and %s: %v and %v", test.one, test.other, one, other)
	}
	for _, addr := range []string{"127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "fd00::1", "fe80::1"} {
		expect.That(t, !IsLimited(OwnerOf(net.JoinHostPort(addr, "80"))), "%s is limited", addr)
	}
}
