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

// ownerOf returns what requests from an address are counted under: what one client can have of addresses, and the wider
// networks of that.
func ownerOf(address string) []string {
	owner := []string{subscriber(address)}
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return owner
	}
	for i, network := range rpc.CustomersOf(ip) {
		if i > 0 {
			owner = append(owner, network.String())
		}
	}
	return owner
}

// subscriber returns what one client can have of addresses: a network of 64 bits in IPv6, one address in IPv4.
func subscriber(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil || ip.Unmap().Is4() {
		return address
	}
	return netip.PrefixFrom(ip.WithZone(""), 64).Masked().String()
}

func burst(perSecond float64) int { return max(maxBatch, int(2*perSecond)) }
