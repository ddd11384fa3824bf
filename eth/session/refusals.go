// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package session

import (
	"net/netip"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/ethereum/go-ethereum/p2p/netutil"
)

const (
	refusedFor = 10 * time.Minute // that a peer which has lied is not let in again
	maxRefused = 1024             // identities, and as many addresses, that are remembered
)

// Refusals remembers who has lied: the identity, which costs nothing to change, and the address, which costs more. Addresses of the
// local network are not remembered: other nodes of the same operator share them. Lists are apart, so that new identities do not push
// out addresses. It is safe for concurrent use.
type Refusals struct {
	now func() time.Time

	mu        sync.Mutex
	nodes     lru.BasicLRU[enode.ID, time.Time] // until when
	addresses lru.BasicLRU[netip.Prefix, time.Time]
}

func NewRefusals() *Refusals {
	return &Refusals{
		now:       time.Now,
		nodes:     lru.NewBasicLRU[enode.ID, time.Time](maxRefused),
		addresses: lru.NewBasicLRU[netip.Prefix, time.Time](maxRefused),
	}
}

// origin returns what a network gives to one customer: an IPv4 address, or 64 bits of an IPv6 address.
func origin(address netip.Addr) (netip.Prefix, bool) {
	address = address.Unmap()
	if !address.IsValid() || netutil.AddrIsLAN(address) {
		return netip.Prefix{}, false
	}
	prefix, err := address.Prefix(min(address.BitLen(), 64))
	return prefix, err == nil
}

// Add refuses a node, and every other one at its address, from now on for a while.
func (r *Refusals) Add(id enode.ID, address netip.Addr) {
	r.mu.Lock()
	defer r.mu.Unlock()
	until := r.now().Add(refusedFor)
	r.nodes.Add(id, until)
	if prefix, ok := origin(address); ok {
		r.addresses.Add(prefix, until)
	}
}

// Holds reports whether a node, or what comes from its address, is refused.
func (r *Refusals) Holds(id enode.ID, address netip.Addr) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	if until, ok := r.nodes.Peek(id); ok && now.Before(until) {
		return true
	}
	prefix, ok := origin(address)
	if !ok {
		return false
	}
	until, ok := r.addresses.Peek(prefix)
	return ok && now.Before(until)
}
