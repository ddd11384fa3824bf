// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import "testing"

// New ports, and new addresses of the network that a customer has, make no new client; connections of a proxy are many
// clients. spec: rpc 9.7
func TestCallerOf(t *testing.T) {
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
			if same := CallerOf(c.one) == CallerOf(c.other); same != c.same {
				t.Errorf("%q and %q: one client: %v, want %v", CallerOf(c.one), CallerOf(c.other), same, c.same)
			}
		})
	}
}

// A client that spreads its calls over connections has no more than its half of the workers. spec: rpc 9.6
func TestTurnsOfOneClient(t *testing.T) {
	turns := newTurns(4)
	for _, remote := range []string{"203.0.113.7:1", "203.0.113.7:2", "203.0.113.7:3", "203.0.113.7:4"} {
		turns.queue(remote)
	}
	if turns.free != 3 || len(turns.shares) != 1 {
		t.Errorf("%d workers are free for others, want 3; %d shares, want 1", turns.free, len(turns.shares))
	}
}
