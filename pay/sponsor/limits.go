// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common/lru"
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
	client = subscriber(client)
	byClient, ok := l.clients.Get(client)
	if !ok {
		byClient = newLimiter(c.ClientRate)
		l.clients.Add(client, byClient)
	}
	for _, limit := range []struct {
		rule    string
		limiter *rate.Limiter
		now     float64
	}{{"rate_per_address", byClient, c.ClientRate}, {"rate_per_key", byKey, c.KeyRate}} {
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

// subscriber returns what one client can have of addresses: a network of 64 bits in IPv6, one address in IPv4.
func subscriber(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil || ip.Unmap().Is4() {
		return address
	}
	return netip.PrefixFrom(ip.WithZone(""), 64).Masked().String()
}

func burst(perSecond float64) int { return max(maxBatch, int(2*perSecond)) }

func newLimiter(perSecond float64) *rate.Limiter {
	return rate.NewLimiter(rate.Limit(perSecond), burst(perSecond))
}
