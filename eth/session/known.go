// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package session

import (
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/lru"

	"gwon/consensus/wbft/validators"
)

// knownShare is how many consensus messages are remembered for each of those who delivered them (spec wbft 4.4).
const knownShare = 1024

// stranger stands for all peers that are no validators.
var stranger common.Address

// knownMessages remembers which consensus messages were handed to the driver. Every validator has a share of its own, by who delivered
// the message, this node has one, and all other peers have one together: whoever floods pushes out what he himself has brought.
// It is safe for concurrent use.
type knownMessages struct {
	self common.Address

	mu     sync.Mutex
	shares map[common.Address]*lru.BasicLRU[common.Hash, struct{}]
}

func newKnown(self common.Address) *knownMessages {
	return &knownMessages{self: self, shares: make(map[common.Address]*lru.BasicLRU[common.Hash, struct{}])}
}

// add remembers a message; it reports false when somebody has brought it before. What a stranger has brought does not keep out a
// validator's copy, which the driver looks at sooner.
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
		s := lru.NewBasicLRU[common.Hash, struct{}](knownShare)
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

// keep lets the shares of those go that are no validators any more.
func (k *knownMessages) keep(set *validators.Set) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for by := range k.shares {
		if by != k.self && by != stranger && !set.Contains(by) {
			delete(k.shares, by)
		}
	}
}
