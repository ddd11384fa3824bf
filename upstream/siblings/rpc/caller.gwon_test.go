// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"math"
	"net/netip"
	"slices"
	"testing"
)

// New ports, and new addresses of the network that a customer has, make no new client; connections of a proxy are many
// clients. spec: rpc 9.7
func TestCallersOf(t *testing.T) {
	for _, c := range []struct {
		name, one, other string
		same             bool
	}{
		{"ports of an IPv4 address", "203.0.113.7:1000", "203.0.113.7:1001", true},
		{"IPv4 address in IPv6 form", "203.0.113.7:1000", "[::ffff:203.0.113.7]:1", true},
		{"two IPv4 addresses", "203.0.113.7:1000", "203.0.113.8:1000", false},
		{"IPv6 addresses of one network", "[2001:db8:1:2::1]:1000", "[2001:db8:1:2:ffff::9]:7", true},
		{"IPv6 addresses of two networks", "[2001:db8:1:2::1]:1000", "[2001:db8:1:3::1]:1000", false},
		{"ports of loopback", "127.0.0.1:1000", "127.0.0.1:1001", false},
		{"ports of IPv6 loopback", "[::1]:1000", "[::1]:1001", false},
		{"ports of a private address", "10.1.2.3:1000", "10.1.2.3:1001", false},
		{"ports of a unique local address", "[fd00::1]:1000", "[fd00::1]:1001", false},
		{"ports of an address with a zone", "[fe80::1%eth0]:1000", "[fe80::1%eth0]:1001", false},
		{"no addresses", "pipe", "other", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			one, other := CallersOf(c.one), CallersOf(c.other)
			if same := one[0] == other[0]; same != c.same {
				t.Errorf("%q and %q: one client: %v, want %v", one, other, same, c.same)
			}
		})
	}
}

// An IPv6 address counts under each network that one customer may have, an IPv4 address under itself. spec: rpc 9.7
func TestCustomersOf(t *testing.T) {
	for _, c := range []struct {
		addr string
		want []string
	}{
		{"203.0.113.7", []string{"203.0.113.7/32"}},
		{"::ffff:203.0.113.7", []string{"203.0.113.7/32"}},
		{"2001:db8:1:2233::4", []string{"2001:db8:1:2233::/64", "2001:db8:1:2200::/56", "2001:db8:1::/48"}},
		{"10.0.0.1", nil},
		{"::ffff:127.0.0.1", nil},
		{"::1", nil},
		{"fe80::1%eth0", nil},
	} {
		t.Run(c.addr, func(t *testing.T) {
			var got []string
			for _, network := range CustomersOf(netip.MustParseAddr(c.addr)) {
				got = append(got, network.String())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("networks %v, want %v", got, c.want)
			}
		})
	}
}

// A wider network has four times as much, half of all at most, and never less than one client.
func TestBoundOf(t *testing.T) {
	for _, row := range []struct{ index, most, all, want int }{
		{0, 512, 8192, 512}, {1, 512, 8192, 2048}, {2, 512, 8192, 4096}, {2, 16, 8192, 256}, {0, 3, 4, 3}, {1, 3, 4, 3},
		{2, 1, 1, 1}, {2, 100, math.MaxInt, 1600},
	} {
		if got := BoundOf(row.index, row.most, row.all); got != row.want {
			t.Errorf("network %d of %d and %d: %d, want %d", row.index, row.most, row.all, got, row.want)
		}
	}
}
