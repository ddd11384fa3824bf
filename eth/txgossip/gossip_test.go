// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txgossip

import (
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/event"

	"gwon/eth/session/sessiontest"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// noPool knows no transaction.
type noPool struct{}

func (noPool) Has(common.Hash) bool                 { return false }
func (noPool) Known(common.Hash) bool               { return false }
func (noPool) Overdue(time.Time, int) []common.Hash { return nil }

func (noPool) SubscribeTransactions(chan<- gethcore.NewTxsEvent, bool) event.Subscription {
	return event.NewSubscription(func(quit <-chan struct{}) error { <-quit; return nil })
}

// Nothing is hashed of what a full box has no room for.
// spec: network 2.5
func TestFullInboxHashesNothing(t *testing.T) {
	base, _ := sessiontest.Peer(t)
	peer := protocol.NewPeer(protocol.ETH68, base, nil, nil, nil, params.Testnet())
	defer peer.Close()
	g := New(Config{Pool: noPool{}})
	box := g.inboxes.open(peer.ID())
	defer g.Close(peer)
	for _, test := range []struct {
		name string
		held int
		want bool // the packet is looked at: what is too short in it is an error then
	}{
		{"room", inboxSize - leastCost, true},
		{"full", inboxSize - leastCost + 1, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			box.bytes = test.held
			packet := new(protocol.TransactionsPacket)
			must.Do(t, packet.AppendRaw([]byte{0xc0}))
			err := g.Pushed(peer, packet)
			expect.That(t, (err != nil) == test.want, "error %v", err)
		})
	}
}

// A new peer is told of what has come since its connection began, and not of what it has.
func TestMissed(t *testing.T) {
	since := time.Unix(1000, 0)
	lazy := func(id byte, after time.Duration) *txpool.LazyTransaction {
		return &txpool.LazyTransaction{Hash: common.Hash{id}, Time: since.Add(after)}
	}
	pending := map[common.Address][]*txpool.LazyTransaction{{1}: {lazy(1, -1), lazy(2, 0), lazy(3, time.Second)},
		{2}: {lazy(4, time.Second)}}
	have := missed(pending, since, func(hash common.Hash) bool { return hash[0] == 3 })
	slices.SortFunc(have, common.Hash.Cmp)
	expect.Slice(t, have, []common.Hash{{2}, {4}}, "told of")
}
