// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package session

import (
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/lru"

	"gwon/consensus/wbft/validators"
)

// stranger stands for all peers other than validators.
var stranger common.Address

// knownMessages remembers the consensus messages that the driver received. Every validator has its own share by
// deliverer, this node has one, and all other peers share one. A flood therefore displaces only messages of the same
// deliverer. It is safe for concurrent use.
type knownMessages struct {
	self common.Address

	mu     sync.Mutex
	shares map[common.Address]*lru.BasicLRU[common.Hash, struct{}]
}

func newKnown(self common.Address) *knownMessages {
	return &knownMessages{self: self, shares: make(map[common.Address]*lru.BasicLRU[common.Hash, struct{}])}
}

// add remembers a message. It reports false if the message is known. A validator's copy is not known by a stranger's,
// because the driver reads it sooner.
func (k *knownMessages) add(by common.Address, hash common.Hash) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for holder, share := range k.shares {
		if (holder != stranger || by == stranger) && share.Contains(hash) {
			return false
		}
	}
	share := k.shares[by]
	if share == nil {
		s := lru.NewBasicLRU[common.Hash, struct{}](remembered)
		share = &s
		k.shares[by] = share
	}
	share.Add(hash, struct{}{})
	return true
}

// forget makes a message unknown.
func (k *knownMessages) forget(hash common.Hash) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, share := range k.shares {
		share.Remove(hash)
	}
}

// keep removes the shares of former validators.
func (k *knownMessages) keep(set *validators.Set) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for by := range k.shares {
		if by != k.self && by != stranger && !set.Contains(by) {
			delete(k.shares, by)
		}
	}
}
