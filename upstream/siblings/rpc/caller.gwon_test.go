// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"
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

// A client that spreads its calls over connections, or over the addresses of an IPv6 network that one customer may
// have, has no more than its half of the workers. spec: rpc 9.6
func TestTurnsOfOneClient(t *testing.T) {
	for _, c := range []struct {
		name    string
		remotes []string
		shares  int
	}{
		{"ports", []string{"203.0.113.7:1", "203.0.113.7:2", "203.0.113.7:3", "203.0.113.7:4"}, 1},
		{"networks of 56 bits", []string{"[2001:db8::1]:1", "[2001:db8:0:1::1]:1", "[2001:db8:0:2::1]:1"}, 5},
		{"networks of 48 bits", []string{"[2001:db8::1]:1", "[2001:db8:0:100::1]:1", "[2001:db8:0:200::1]:1"}, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			turns := newTurns(4)
			for _, remote := range c.remotes {
				turns.queue(remote, false, nil)
			}
			if turns.free != 3 || len(turns.shares) != c.shares {
				t.Errorf("%d workers are free for others, want 3; %d shares, want %d", turns.free, len(turns.shares), c.shares)
			}
		})
	}
}

// What an IPv6 network has used counts for its other addresses, a wider one by less. spec: rpc 9.6
func TestUseOfNetworks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns, done := newTurns(1), make(chan string, 1)
		use(turns, t.Context(), "[2001:db8:0:1::1]:1", 16*littleUse, done)
		<-done
		for _, c := range []struct {
			remote string
			want   time.Duration
		}{
			{"[2001:db8:0:1::2]:1", 16 * littleUse},
			{"[2001:db8:0:2::1]:1", 4 * littleUse},
			{"[2001:db8:0:100::1]:1", littleUse},
			{"[2001:db8:1::1]:1", 0},
		} {
			w := turns.queue(c.remote, false, nil)
			if used := w.client.usedAt(time.Now()); used != c.want {
				t.Errorf("%s has used %v, want %v", c.remote, used, c.want)
			}
		}
	})
}
