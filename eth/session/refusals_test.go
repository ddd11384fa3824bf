// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package session

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/p2p/enode"

	"gwon/internal/expect"
)

// A peer that lied is refused for a while, by identity and address; shared local addresses are exempt.
func TestRefusals(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	r := NewRefusals()
	r.now = func() time.Time { return now }
	liar, other := enode.ID{1}, enode.ID{2}
	public, public6 := netip.MustParseAddr("20.89.158.23"), netip.MustParseAddr("2a01:4f8:1:2::1")
	local := netip.MustParseAddr("127.0.0.1")
	r.Add(liar, public)
	r.Add(liar, public6)
	r.Add(liar, local)
	for _, c := range []struct {
		name    string
		id      enode.ID
		address netip.Addr
		want    bool
	}{
		{"the liar elsewhere", liar, netip.MustParseAddr("20.89.158.24"), true},
		{"the liar from no known address", liar, netip.Addr{}, true},
		{"another identity at its address", other, public, true},
		{"the same written as IPv6", other, netip.MustParseAddr("::ffff:20.89.158.23"), true},
		{"the same customer's IPv6 network", other, netip.MustParseAddr("2a01:4f8:1:2:ffff::2"), true},
		{"another customer's IPv6 network", other, netip.MustParseAddr("2a01:4f8:1:3::1"), false},
		{"another address", other, netip.MustParseAddr("20.89.158.24"), false},
		{"a local address", other, local, false},
		{"no known address", other, netip.Addr{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect.Equal(t, r.Holds(c.id, c.address), c.want, "%s: refused", c.name)
		})
	}
	now = now.Add(refusedFor)
	expect.That(t, !r.Holds(liar, public) && !r.Holds(other, public), "refused for ever")
}

// The lists are limited, and identities, which are free to create, displace no addresses.
func TestRefusalsAreBounded(t *testing.T) {
	r := NewRefusals()
	public := netip.MustParseAddr("20.89.158.23")
	r.Add(enode.ID{1}, public)
	for i := range uint32(2 * maxRefused) {
		var id enode.ID
		binary.BigEndian.PutUint32(id[4:], i)
		r.Add(id, netip.Addr{})
	}
	expect.Equal(t, r.nodes.Len(), maxRefused, "identities are remembered")
	expect.That(t, r.Holds(enode.ID{9}, public), "the address was pushed out")
}
