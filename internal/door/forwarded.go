// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"net/http"
	"net/netip"
	"strconv"
	"strings"
)

const (
	// ForwardedHeader is the header in which each proxy adds the address that it was asked from. The header Forwarded
	// (RFC 7239) is not read: a proxy that writes the one passes the other on as its client has sent it.
	ForwardedHeader = "X-Forwarded-For"

	// maxHops is how many proxies a request may have passed that are looked at, from the nearest one on.
	maxHops = 16
)

// ClientOf returns the address of the client that has sent a request: the nearest hop that is no trusted proxy. trusts
// reports whether the header of a proxy counts, by its distance in hops. The address has no zone. It is invalid when
// the connection has no IP address.
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

// AddressOf returns the address that a remote address or a node of RFC 7239 names, alone or with a port: an IPv4
// address, or an IPv6 address, which stands in brackets when it has a port. Quotes around it are those of a header. It
// is invalid for another text, such as "unknown" and obfuscated names.
func AddressOf(node string) netip.Addr {
	if len(node) >= 2 && node[0] == '"' && node[len(node)-1] == '"' {
		node = node[1 : len(node)-1]
	}
	name, port, bracketed := node, "", false
	if inner, open := strings.CutPrefix(node, "["); open {
		name, port, bracketed = strings.Cut(inner, "]")
		if !bracketed || port != "" && port[0] != ':' {
			return netip.Addr{}
		}
	} else if at := strings.IndexByte(node, ':'); at == strings.LastIndexByte(node, ':') && at >= 0 {
		name, port = node[:at], node[at:]
	}
	addr, err := netip.ParseAddr(name)
	if err != nil || bracketed && !addr.Is6() || port != "" && !isPort(port[1:]) {
		return netip.Addr{}
	}
	return addr.Unmap().WithZone("")
}

// isPort reports whether a text is a port of RFC 7239, which a proxy may hide behind a name.
func isPort(text string) bool {
	_, err := strconv.ParseUint(text, 10, 16)
	return err == nil || len(text) > 1 && text[0] == '_'
}
