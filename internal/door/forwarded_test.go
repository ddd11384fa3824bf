// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// The forms in which proxies name a client: HAProxy, nginx, Caddy, Envoy and Cloudflare write an address alone, load
// balancers of Azure and Amazon with a port, others in quotes. What is no address is none.
func TestAddressOf(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"203.0.113.9", "203.0.113.9"},
		{"203.0.113.9:4711", "203.0.113.9"},
		{"2001:db8::1", "2001:db8::1"},
		{"[2001:db8::1]", "2001:db8::1"},
		{"[2001:db8::1]:4711", "2001:db8::1"},
		{`"[2001:db8::1]:4711"`, "2001:db8::1"},
		{`"203.0.113.9"`, "203.0.113.9"},
		{"fe80::1%eth0", "fe80::1"},
		{"[fe80::1%eth0]:80", "fe80::1"},
		{"::ffff:203.0.113.9", "203.0.113.9"},
		{"[::ffff:203.0.113.9]:80", "203.0.113.9"},
		{"2001:db8::1:4711", "2001:db8::1:4711"}, // a port without brackets is a part of the address

		{"", ""}, {"unknown", ""}, {"_hidden", ""}, {"_hidden:80", ""}, {"example.org:80", ""}, {"unix:", ""}, {"@", ""},
		{"[203.0.113.9]", ""}, {"[203.0.113.9]:80", ""}, {"[2001:db8::1", ""}, {"2001:db8::1]", ""},
		{"[2001:db8::1]80", ""}, {"[2001:db8::1]:", ""}, {"203.0.113.9:", ""}, {"203.0.113.9:65536", ""},
		{"203.0.113.9:_hidden", ""}, {"203.0.113.009", ""}, {`"203.0.113.9`, ""}, {`"`, ""}, {`""`, ""}, {"[]", ""},
		{":", ""}, {"for=203.0.113.9", ""},
	} {
		t.Run(row.text, func(t *testing.T) {
			got := ""
			if addr := AddressOf(row.text); addr.IsValid() {
				got = addr.String()
			}
			expect.Equal(t, got, row.want, "got")
		})
	}
}

// A hop counts where the proxy in front of it is trusted. The client is the last one that is known.
func TestClientOf(t *testing.T) {
	proxies := netip.MustParsePrefix("10.0.0.0/8")
	byNetwork := func(proxy netip.Addr, _ int) bool { return proxies.Contains(proxy) }
	nearest := func(_ netip.Addr, hops int) bool { return hops == 0 }
	for _, row := range []struct {
		name   string
		trusts func(netip.Addr, int) bool
		lines  []string
		want   string
	}{
		{"no header", byNetwork, nil, "10.0.0.1"},
		{"one", byNetwork, []string{"203.0.113.9"}, "203.0.113.9"},
		{"forged", byNetwork, []string{"192.0.2.1,203.0.113.9"}, "203.0.113.9"},
		{"forged line", byNetwork, []string{"192.0.2.1", "203.0.113.9"}, "203.0.113.9"},
		{"two proxies", byNetwork, []string{"203.0.113.9", "10.0.0.2"}, "203.0.113.9"},
		{"blanks", byNetwork, []string{" \t203.0.113.9\t, 10.0.0.2 "}, "203.0.113.9"},
		{"unknown", byNetwork, []string{"203.0.113.9, unknown, 10.0.0.2"}, "10.0.0.2"},
		{"nothing", byNetwork, []string{"203.0.113.9,"}, "10.0.0.1"},
		{"too many", byNetwork, []string{"203.0.113.9" + strings.Repeat(",10.0.0.2", maxHops)}, "10.0.0.2"},
		{"as many as are read", byNetwork, []string{"203.0.113.9" + strings.Repeat(",10.0.0.2", maxHops-1)}, "203.0.113.9"},
		{"nearest hop", nearest, []string{"192.0.2.1, 203.0.113.9, 10.0.0.2"}, "10.0.0.2"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := &http.Request{RemoteAddr: "10.0.0.1:80", Header: http.Header{ForwardedHeader: row.lines}}
			r.Header.Set("Forwarded", "for=198.51.100.1")
			expect.Equal(t, ClientOf(r, row.trusts).String(), row.want, "client")
		})
	}
}

// Whatever a proxy sends, the address of a client is valid: the proxy's own where there is no other.
func FuzzClientOf(f *testing.F) {
	f.Add("203.0.113.9, 10.0.0.1")
	f.Add("[2001:db8::1%eth0]:80,,")
	f.Add(`"[2001:db8::1]:_a"`)
	f.Fuzz(func(t *testing.T, header string) {
		r := &http.Request{RemoteAddr: "10.0.0.1:80", Header: http.Header{ForwardedHeader: {header}}}
		at := ClientOf(r, func(proxy netip.Addr, _ int) bool { return proxy.Is4() })
		must.That(t, at.IsValid() && at.Zone() == "" && !at.Is4In6(), "%q gives %v", header, at)
	})
}
