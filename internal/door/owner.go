// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// Owner names what a request counts for, from the narrowest name on.
type Owner = gethrpc.Owner

const (
	// widerFactor is how much more a network may have than one of the next narrower size in it.
	widerFactor = 4
	// widestPart is how many times as much as one network all may have: a network leaves half to others.
	widestPart = 2
)

// prefixLengths are those of the IPv6 networks that one owner may have: a connection, a household, an organization.
var prefixLengths = [...]int{64, 56, 48}

// OwnerOf returns the owner of requests from a remote address, with or without a port: the networks that one owner
// may have. A loopback or private address is that of a proxy, which speaks for many. There each connection is an owner,
// and so is what is no address.
func OwnerOf(remote string) Owner {
	if owner := ownerOfAddress(AddressOf(remote)); owner != nil {
		return owner
	}
	return Owner{remote}
}

// ownerOfAddress returns the networks that one owner may have, because further connections cost nothing: an IPv4
// address, or 64, 56 and 48 bits of an IPv6 address. It returns nil for loopback, private and invalid addresses.
func ownerOfAddress(addr netip.Addr) Owner {
	addr = addr.Unmap().WithZone("")
	if !addr.IsValid() || addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() {
		return nil
	}
	return networksOf(addr)
}

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
	if len(owner) == 0 {
		return false
	}
	if len(owner) > 1 {
		return true // of IPv6
	}
	addr, err := netip.ParseAddr(owner[0])
	return err == nil && ownerOfAddress(addr) != nil
}

// OwnerOfClient returns the owner of requests of an address that a program has told apart itself, also of a loopback or
// private one. What is no address is a name of its own.
func OwnerOfClient(address string) Owner {
	addr, err := netip.ParseAddr(address)
	if err != nil {
		return Owner{address}
	}
	if addr = addr.Unmap().WithZone(""); ownerOfAddress(addr) == nil {
		return networksOf(addr)[:1]
	}
	return networksOf(addr)
}

// allowanceOf returns how many times as much as the narrowest name of an owner the one with an index may have.
func allowanceOf(index int) int {
	allowance := 1
	for range index {
		allowance *= widerFactor
	}
	return allowance
}

// boundOf returns how much the name with an index may have of what all owners share, where the narrowest may have most
// of all.
func boundOf(index, most, all int) int {
	if index == 0 {
		return most
	}
	return max(most, min(most*allowanceOf(index), all/widestPart))
}

// ParseProxies reads networks in CIDR notation and single addresses, separated by commas.
func ParseProxies(list string) ([]netip.Prefix, error) {
	var proxies []netip.Prefix
	for text := range strings.SplitSeq(list, ",") {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(text)
		if addr, failed := netip.ParseAddr(text); failed == nil {
			prefix, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%.60q is no network: give addresses or CIDR networks like 10.0.0.0/8", text)
		}
		proxies = append(proxies, prefix.Masked())
	}
	return proxies, nil
}

func contains(networks []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(addr) })
}
