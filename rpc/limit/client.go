// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package limit

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// forwardedHeader is the header in which each proxy adds the address that it was asked from.
const forwardedHeader = "X-Forwarded-For"

// maxHops is how many proxies a request may have passed that are looked at, from the nearest one on.
const maxHops = 16

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

// trusts reports whether an address is a proxy's whose header counts.
func trusts(proxies []netip.Prefix, addr netip.Addr) bool {
	for _, p := range proxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// clientOf returns the address of the client that has sent a request: the nearest hop that is no trusted proxy. Headers
// of anybody else are not looked at. It is invalid when the connection has no IP address.
func clientOf(r *http.Request, proxies []netip.Prefix) netip.Addr {
	at := addressOf(r.RemoteAddr)
	hops := strings.Split(strings.Join(r.Header.Values(forwardedHeader), ","), ",")
	for n := len(hops) - 1; n >= max(0, len(hops)-maxHops) && trusts(proxies, at); n-- {
		addr, err := netip.ParseAddr(strings.TrimSpace(hops[n]))
		if err != nil {
			if addr = addressOf(strings.TrimSpace(hops[n])); !addr.IsValid() {
				break // what lies behind cannot be told apart
			}
		}
		at = addr.Unmap().WithZone("")
	}
	return at
}

// addressOf returns the address in "address:port", invalid for another form.
func addressOf(remote string) netip.Addr {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}
