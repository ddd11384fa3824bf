// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txgossip

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/eth/session"
	"gwon/eth/session/sessiontest"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// A peer is taken to send its transactions to all validators after 16 in a row came whole, until it announces one.
// spec: network 2.5
func TestHabitOfPeer(t *testing.T) {
	base, _ := sessiontest.Peer(t)
	peer := protocol.NewPeer(protocol.ETH68, base, nil, nil, nil, params.Testnet())
	defer peer.Close()
	g := New(Config{Pool: noPool{}, Sessions: new(session.Sessions)})
	box := g.inboxes.open(peer.ID())
	defer g.Close(peer)
	nonce := uint64(0)
	push := func(n int) {
		t.Helper()
		for range n {
			packet := new(protocol.TransactionsPacket)
			raw := must.Get(rlp.EncodeToBytes(payment(t, 1, nonce, 0)))(t)
			must.Do(t, packet.AppendRaw(raw))
			must.Do(t, g.Pushed(peer, packet))
			nonce++
		}
	}
	announce := func(size uint32) {
		g.Wanted(peer, &protocol.NewPooledTransactionHashesPacket71{
			Types: []byte{types.DynamicFeeTxType}, Sizes: []uint32{size}, Hashes: []common.Hash{{byte(nonce)}},
		})
	}
	for _, step := range []struct {
		name string
		do   func()
		want bool
	}{
		{"15 pushed", func() { push(habitual - 1) }, false},
		{"one announced", func() { announce(largestWhole) }, false},
		{"15 pushed again", func() { push(habitual - 1) }, false},
		{"the 16th", func() { push(1) }, true},
		{"a large one announced", func() { announce(largestWhole + 1) }, true},
		{"a small one announced", func() { announce(100) }, false},
	} {
		step.do()
		expect.Equal(t, box.habit.sendsAll(), step.want, "%s", step.name)
	}
}

// What another peer has sent before is no sign of a choice.
func TestAnnouncedFirst(t *testing.T) {
	packet := &protocol.NewPooledTransactionHashesPacket71{
		Types: []byte{2, 2}, Sizes: []uint32{100, largestWhole + 1}, Hashes: []common.Hash{{1}, {2}},
	}
	for _, c := range []struct {
		heard common.Hash
		want  bool
	}{{common.Hash{1}, false}, {common.Hash{2}, true}, {common.Hash{}, true}} {
		expect.Equal(t, announcedFirst(packet, func(hash common.Hash) bool { return hash == c.heard }), c.want,
			"heard %v from others", c.heard)
	}
}
