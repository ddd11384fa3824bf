// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/limit"
)

// limiters bound the requests of each key and of each address.
type limiters struct{ keys, clients *limit.Rates[string] }

func newLimiters() *limiters {
	return &limiters{
		keys:    limit.NewRates[string](defaultKeyRate, burst(defaultKeyRate), time.Now),
		clients: limit.NewRates[string](defaultClientRate, burst(defaultClientRate), time.Now),
	}
}

// refuse counts n requests, and returns the limit that they exceed. A burst is two seconds' worth.
func (l *limiters) refuse(c *Config, label, client string, n int) *Refusal {
	for _, bound := range []struct {
		rule  string
		rates *limit.Rates[string]
		owner []string
		now   float64
	}{
		{"rate_per_address", l.clients, ownerOf(client), c.ClientRate},
		{"rate_per_key", l.keys, []string{label}, c.KeyRate},
	} {
		bound.rates.Set(bound.now, burst(bound.now)) // the configuration may have been read again
		if !bound.rates.Allow(bound.owner, n) {
			return &Refusal{
				Rule:  bound.rule,
				Limit: fmt.Sprintf("%v a second", bound.now),
				Text:  "too many requests: try again later",
				code:  codeLimitExceeded,
			}
		}
	}
	return nil
}

// ownerOf returns what requests from an address are counted under, from the narrowest on: an address in IPv4; 64, 56
// and 48 bits in IPv6. Nothing that is no address has wider names.
func ownerOf(address string) []string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return []string{address}
	}
	ip = ip.Unmap().WithZone("")
	customers := rpc.CustomersOf(ip)
	if len(customers) == 0 { // of this machine or a private network
		bits := ip.BitLen()
		if ip.Is6() {
			bits = 64
		}
		customers = []netip.Prefix{netip.PrefixFrom(ip, bits).Masked()}
	}
	names := make([]string, len(customers))
	for i, network := range customers {
		names[i] = network.String()
	}
	return names
}

func burst(perSecond float64) int { return max(maxBatch, int(2*perSecond)) }
