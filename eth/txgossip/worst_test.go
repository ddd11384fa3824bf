// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txgossip

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/internal/must"
)

// pushedTransactions is a message of as many of the shortest transactions as are taken, that differ, or of as many
// bytes.
func pushedTransactions(t testing.TB, count, size int) *protocol.TransactionsPacket {
	t.Helper()
	packet := new(protocol.TransactionsPacket)
	for i := range count {
		none := uint64(0)
		raw, err := rlp.EncodeToBytes([]any{uint64(i), none, none, []byte{}, none, make([]byte, size), none, none, none})
		must.Do(t, err)
		must.Do(t, packet.AppendRaw(raw))
	}
	return packet
}

// BenchmarkWorst measures what the worst messages cost in the box for transactions. docs/reference/limits.md has the
// figures.
func BenchmarkWorst(b *testing.B) {
	for name, packet := range map[string]*protocol.TransactionsPacket{
		"Transactions/box/short": pushedTransactions(b, 5000, 0),
		"Transactions/box/long":  pushedTransactions(b, 60, 4096),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fresh, hashes, err := unheard(packet, func(common.Hash) bool { return false }, func(common.Hash) {})
				must.Do(b, err)
				(&inbox{wake: make(chan struct{}, 1)}).put(fresh, cost(&fresh.RawList), hashes, false)
			}
		})
	}
}
