// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"net/netip"
	"time"
)

const (
	// widerFactor is how much more a network may have than one of the next narrower size in it.
	widerFactor = 4
	// widestPart is how many times as much as one network all may have: a network leaves half to others.
	widestPart = 2
)

// prefixLengths are those of the IPv6 networks that one customer may have: a connection, a household, an organization.
var prefixLengths = [...]int{64, 56, 48}

// CallersOf returns what calls from a remote address are counted under, from the narrowest on: the networks of its
// customer. A loopback or private address is that of a proxy, which speaks for many; there each connection counts
// alone, and so does what is no address.
func CallersOf(remote string) []string {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return []string{remote}
	}
	networks := CustomersOf(at.Addr())
	if len(networks) == 0 {
		return []string{remote}
	}
	callers := make([]string, len(networks))
	for i, network := range networks {
		callers[i] = network.String()
	}
	return callers
}

// Charge charges a client (CallersOf) for time that the node spends on it outside of its calls. A connection that
// counts alone has no units.
func Charge(callers []string, method string, elapsed time.Duration) {
	g := gate.Load()
	if g == nil || len(callers) == 0 {
		return
	}
	if customer, err := netip.ParsePrefix(callers[0]); err == nil {
		(*g).Used(netip.AddrPortFrom(customer.Addr(), 0).String(), method, elapsed)
	}
}

// CustomersOf returns the networks that one customer may have, because further connections cost nothing, from the
// narrowest on: an IPv4 address, or 64, 56 and 48 bits of an IPv6 address. It returns none for loopback, private and
// invalid addresses.
func CustomersOf(addr netip.Addr) []netip.Prefix {
	addr = addr.Unmap().WithZone("")
	if !addr.IsValid() || addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() {
		return nil
	}
	if addr.Is4() {
		return []netip.Prefix{netip.PrefixFrom(addr, addr.BitLen())}
	}
	networks := make([]netip.Prefix, len(prefixLengths))
	for i, bits := range prefixLengths {
		networks[i] = netip.PrefixFrom(addr, bits).Masked()
	}
	return networks
}

// AllowanceOf returns how many times as much as the narrowest of the networks of a customer the one with an index may
// have.
func AllowanceOf(index int) int {
	allowance := 1
	for range index {
		allowance *= widerFactor
	}
	return allowance
}

// BoundOf returns how much the network with an index may have of what all clients share, where one client may have most
// of mostAll.
func BoundOf(index, most, mostAll int) int {
	if index == 0 {
		return most
	}
	return max(most, min(most*AllowanceOf(index), mostAll/widestPart))
}
