// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import "net/netip"

// CallerOf returns what calls from a remote address are counted under: the network that one customer has, an IPv4 address
// or 64 bits of an IPv6 address, because further connections cost nothing. A loopback or private address is that of a
// proxy, which speaks for many; there each connection counts alone, and so does what is no address.
func CallerOf(remote string) string {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	addr := at.Addr().Unmap()
	if addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() {
		return remote
	}
	prefix, err := addr.Prefix(min(addr.BitLen(), 64))
	if err != nil { // of an address with a zone, which is no global one
		return remote
	}
	return prefix.String()
}
