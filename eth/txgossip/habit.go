// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txgossip

import (
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
)

// habitual is the number of small transactions in a row that have to come whole and first from a peer, before the peer
// is taken to send all of them to all validators. A peer that chooses the square root of its peers by chance announces
// one of them before.
const habitual = 16

// habit counts the small transactions that came whole and first from a peer since it last announced one first. It is
// safe for concurrent use.
type habit struct{ whole atomic.Int64 }

// push records transactions of a peer that no other peer had sent before.
func (h *habit) push(n int) { h.whole.Add(int64(n)) }

// announce records that the peer announced a small transaction that no other peer had sent before.
func (h *habit) announce() { h.whole.Store(0) }

// counts reports whether an announcement changes anything.
func (h *habit) counts() bool { return h.whole.Load() > 0 }

// sendsAll reports whether the peer sends small transactions to all validators, as far as this node can see.
func (h *habit) sendsAll() bool { return h.whole.Load() >= habitual }

// announcedFirst reports whether an announcement has a small transaction that elsewhere does not report as heard from
// another peer.
func announcedFirst(packet *protocol.NewPooledTransactionHashesPacket71, elsewhere func(common.Hash) bool) bool {
	for i, hash := range packet.Hashes {
		if packet.Sizes[i] <= largestWhole && !elsewhere(hash) {
			return true
		}
	}
	return false
}
