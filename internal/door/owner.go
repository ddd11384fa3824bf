// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"net/http"
	"net/netip"
	"strings"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// Owner names what a request counts for, from the narrowest name on.
type Owner = gethrpc.Owner

const (
	// widerBits says how much more a network may have than one of the next narrower size in it: four times as much.
	widerBits = 2
	// widestPart is how many times as much as one network all may have: a network leaves half to others.
	widestPart = 2

	// ForwardedHeader is the header in which each proxy adds the address that it was asked from. The header Forwarded
	// (RFC 7239) is not read: a proxy that writes the one passes the other on as its client has sent it.
	ForwardedHeader = "X-Forwarded-For"

	// maxHops is how many proxies a request may have passed that are looked at, from the nearest one on.
	maxHops = 16
)

// prefixLengths are those of the IPv6 networks that one owner may have: a connection, a household, an organization.
var prefixLengths = [...]int{64, 56, 48}

// OwnerOf returns the owner of requests from a remote address, with or without a port: its networks. A loopback or
// private address is that of a proxy, which speaks for many: each connection is an owner, and so is what is no address.
func OwnerOf(remote string) Owner {
	if addr := AddressOf(remote); isOfOne(addr) {
		return networksOf(addr)
	}
	return Owner{remote}
}

// isOfOne reports whether one owner has an address: it is no loopback, private or invalid one.
func isOfOne(addr netip.Addr) bool {
	return addr.IsValid() && !addr.IsLoopback() && !addr.IsPrivate() && !addr.IsLinkLocalUnicast()
}

// networksOf returns the networks that one owner may have, because further connections cost nothing: an IPv4
// address, or 64, 56 and 48 bits of an IPv6 address.
func networksOf(addr netip.Addr) Owner {
	if addr.Is4() {
		return Owner{addr.String()}
	}
	owner := make(Owner, len(prefixLengths))
	for i, bits := range prefixLengths {
		owner[i] = netip.PrefixFrom(addr, bits).Masked().String()
	}
	return owner
}

// IsLimited reports whether an owner is one client. Others, such as a connection of a loopback address, stand for an
// unknown number of clients, the operator among them.
func IsLimited(owner Owner) bool {
	if len(owner) != 1 {
		return len(owner) > 0 // of IPv6
	}
	addr, err := netip.ParseAddr(owner[0])
	return err == nil && isOfOne(addr)
}

// OwnerOfClient returns the owner of requests of an address that a program has told apart itself, also of a loopback or
// private one. What is no address is a name of its own.
func OwnerOfClient(address string) Owner {
	if addr := AddressOf(address); addr.IsValid() && !isOfOne(addr) {
		return networksOf(addr)[:1]
	}
	return OwnerOf(address)
}

// AddressOf returns the address that a text names, without its zone, alone or with a port, which an IPv6 address in
// brackets may have. Quotes around it are those of a header. It is invalid for another text.
func AddressOf(text string) netip.Addr {
	if len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"' {
		text = text[1 : len(text)-1]
	}
	at, err := netip.ParseAddrPort(text)
	if err != nil {
		at, err = netip.ParseAddrPort(text + ":0") // an address in brackets alone
	}
	addr := at.Addr()
	if err != nil {
		if addr, err = netip.ParseAddr(text); err != nil {
			return netip.Addr{}
		}
	}
	return addr.Unmap().WithZone("")
}

// ClientOf returns the address of the client of a request: the nearest hop that is no trusted proxy. trusts reports
// whether the header of a proxy counts, by its distance in hops. It is invalid for a connection without an IP address.
func ClientOf(r *http.Request, trusts func(proxy netip.Addr, hops int) bool) netip.Addr {
	at := AddressOf(r.RemoteAddr)
	entries := strings.Split(strings.Join(r.Header.Values(ForwardedHeader), ","), ",")
	for hops := range min(len(entries), maxHops) {
		if !trusts(at, hops) {
			break
		}
		addr := AddressOf(strings.Trim(entries[len(entries)-1-hops], " \t"))
		if !addr.IsValid() {
			break // what lies behind cannot be told apart
		}
		at = addr
	}
	return at
}

// allowanceOf returns how many times as much as the narrowest name of an owner the one with an index may have.
func allowanceOf(index int) int { return 1 << (widerBits * index) }

// boundOf returns how much the name with an index may have of what all share. The narrowest may have most.
func boundOf(index, most, all int) int {
	if index == 0 {
		return most
	}
	return max(most, min(most*allowanceOf(index), all/widestPart))
}
