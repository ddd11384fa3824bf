// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import "net/netip"

// CallerOf returns what calls from a remote address are counted under: the network of its customer. A loopback or
// private address is that of a proxy, which speaks for many; there each connection counts alone, and so does what is no
// address.
func CallerOf(remote string) string {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	network, ok := CustomerOf(at.Addr().Unmap())
	if !ok {
		return remote
	}
	return network.String()
}

// CustomerOf returns the network that one customer has, because further connections cost nothing: an IPv4 address or
// 64 bits of an IPv6 address. It reports false for loopback, private and invalid addresses.
func CustomerOf(addr netip.Addr) (netip.Prefix, bool) {
	if !addr.IsValid() || addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() {
		return netip.Prefix{}, false
	}
	network, err := addr.Prefix(min(addr.BitLen(), 64))
	return network, err == nil
}
