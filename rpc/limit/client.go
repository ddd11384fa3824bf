// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package limit

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"gwon/internal/limit"
)

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

// clientOf returns the address of the client that has sent a request. Headers of others than proxies are not looked at.
func clientOf(r *http.Request, proxies []netip.Prefix) netip.Addr {
	return limit.ClientOf(r, func(addr netip.Addr, _ int) bool {
		return slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(addr) })
	})
}
