// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/rpc"
	"golang.org/x/time/rate"
)

// maxClients bounds the addresses whose rate is remembered.
const maxClients = 1 << 16

// limiters bound the requests of each key and of each address.
type limiters struct {
	mu      sync.Mutex
	keys    map[string]*rate.Limiter
	clients lru.BasicLRU[string, *rate.Limiter]
}

func newLimiters() *limiters {
	return &limiters{keys: make(map[string]*rate.Limiter), clients: lru.NewBasicLRU[string, *rate.Limiter](maxClients)}
}

// refuse counts n requests, and returns the limit that they exceed. A burst is two seconds' worth.
func (l *limiters) refuse(c *Config, label, client string, n int) *Refusal {
	l.mu.Lock()
	defer l.mu.Unlock()
	byKey := l.keys[label]
	if byKey == nil {
		byKey = newLimiter(c.KeyRate)
		l.keys[label] = byKey
	}
	type limit struct {
		rule    string
		limiter *rate.Limiter
		now     float64
	}
	var limits []limit
	for i, network := range networksOf(client) {
		now := c.ClientRate * float64(rpc.AllowanceOf(i))
		byClient, ok := l.clients.Get(network)
		if !ok {
			byClient = newLimiter(now)
			l.clients.Add(network, byClient)
		}
		limits = append(limits, limit{"rate_per_address", byClient, now})
	}
	for _, limit := range append(limits, limit{"rate_per_key", byKey, c.KeyRate}) {
		if limit.limiter.Limit() != rate.Limit(limit.now) { // the configuration was read again
			limit.limiter.SetLimit(rate.Limit(limit.now))
			limit.limiter.SetBurst(burst(limit.now))
		}
		if !limit.limiter.AllowN(time.Now(), n) {
			return &Refusal{
				Rule:  limit.rule,
				Limit: fmt.Sprintf("%v a second", limit.now),
				Text:  "too many requests: try again later",
				code:  codeLimitExceeded,
			}
		}
	}
	return nil
}

// networksOf returns what one client can have of addresses, from the narrowest on: an address in IPv4; 64, 56 and 48
// bits in IPv6. Nothing that is no address has wider names.
func networksOf(address string) []string {
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

// siteOf returns the name by which a client waits for its turn. A site of IPv6 has 256 networks of 64 bits, and each of
// them would be a newcomer.
func siteOf(address string) string {
	names := networksOf(address)
	return names[min(1, len(names)-1)]
}

func burst(perSecond float64) int { return max(maxBatch, int(2*perSecond)) }

func newLimiter(perSecond float64) *rate.Limiter {
	return rate.NewLimiter(rate.Limit(perSecond), burst(perSecond))
}
