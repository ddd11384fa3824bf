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
	refusedFor = 10 * time.Minute // duration of a refusal
	maxRefused = 1024             // limit of identities, and of addresses
)

// Refusals remembers peers that lied, by identity and by IP address. New identities are free, addresses are not.
// Local addresses are not remembered, because nodes of one operator share them. The lists are separate, so that new
// identities displace no addresses. It is safe for concurrent use.
type Refusals struct {
	now func() time.Time

	mu        sync.Mutex
	nodes     lru.BasicLRU[enode.ID, time.Time] // end of the refusal
	addresses lru.BasicLRU[netip.Prefix, time.Time]
}

// NewRefusals returns an empty list.
func NewRefusals() *Refusals {
	return &Refusals{
		now:       time.Now,
		nodes:     lru.NewBasicLRU[enode.ID, time.Time](maxRefused),
		addresses: lru.NewBasicLRU[netip.Prefix, time.Time](maxRefused),
	}
}

// origin returns the network of one customer: an IPv4 address, or the first 64 bits of an IPv6 address.
func origin(address netip.Addr) (netip.Prefix, bool) {
	address = address.Unmap()
	if !address.IsValid() || netutil.AddrIsLAN(address) {
		return netip.Prefix{}, false
	}
	prefix, err := address.Prefix(min(address.BitLen(), 64))
	return prefix, err == nil
}

// Add refuses a node and all others at its address for a while.
func (r *Refusals) Add(id enode.ID, address netip.Addr) {
	r.mu.Lock()
	defer r.mu.Unlock()
	until := r.now().Add(refusedFor)
	r.nodes.Add(id, until)
	if prefix, ok := origin(address); ok {
		r.addresses.Add(prefix, until)
	}
}

// Holds reports whether a node or its address is refused.
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
