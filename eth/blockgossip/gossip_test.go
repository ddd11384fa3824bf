// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package blockgossip

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/wbfttest"
	"gwon/eth/session"
	"gwon/eth/session/sessiontest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// An own block goes whole to the square root of the peers that do not have it and is announced to the rest, once
// (spec network 2.6).
func TestBroadcast(t *testing.T) {
	net := wbfttest.New(t, 1)
	chain, _ := net.Chain(t)
	block := net.Extend(t, chain, 3)[2]
	for _, test := range []struct{ unaware, whole int }{{0, 0}, {1, 1}, {3, 1}, {4, 2}, {10, 3}} {
		g := New(chain, session.NewSessions())
		join := func() *session.Session {
			p, _ := sessiontest.Peer(t)
			ses := g.sessions.Join(p)
			return ses
		}
		aware, early, holder := join(), join(), join()
		holder.Shook(new(protocol.Peer))
		aware.Shook(new(protocol.Peer))
		aware.Has(block.Hash())
		var peers []*session.Session
		for range test.unaware {
			ses := join()
			ses.Shook(new(protocol.Peer))
			peers = append(peers, ses)
		}
		holders := []common.Address{holder.Address}
		g.Broadcast(block, holders)
		g.Broadcast(block, holders)
		blocks, announcements := holder.Unsent()
		expect.That(t, blocks == 0 && announcements == 1,
			"who has executed the block gets %d whole ones and %d announcements, want none and one", blocks, announcements)
		whole, hashes := 0, 0
		for _, ses := range peers {
			blocks, announcements := ses.Unsent()
			whole += blocks
			hashes += announcements
			expect.That(t, told(ses) == 1, "%d peers: one is told %d times", test.unaware, told(ses))
		}
		if whole != test.whole || hashes != test.unaware-test.whole {
			t.Errorf("%d peers: %d whole blocks and %d announcements, want %d and %d", test.unaware, whole, hashes, test.whole,
				test.unaware-test.whole)
		}
		expect.Equal(t, told(aware)+told(early), 0, "told a peer that has the block, or one that has not shaken hands")
	}
}

// The total difficulty of a block that is sent is the true one (spec network 1, 2.2).
func TestTotalDifficultyIsSent(t *testing.T) {
	net := wbfttest.New(t, 1)
	chain, _ := net.Chain(t)
	block := net.Extend(t, chain, 3)[2]
	g := New(chain, session.NewSessions())
	near, far := p2p.MsgPipe()
	base, _ := sessiontest.Peer(t)
	peer := protocol.NewPeer(protocol.ETH68, base, near, nil, nil, chain.Config())
	ses := g.sessions.Join(base)
	t.Cleanup(func() {
		g.sessions.Leave(ses)
		expect.Error(t, near.Close(), nil, "Close")
		peer.Close()
	})
	ses.Shook(peer)
	g.Broadcast(block, nil)
	go ses.WriteBlocks(peer)
	msg := must.Get(far.ReadMsg())(t)
	var packet protocol.NewBlockPacket
	must.Do(t, msg.Decode(&packet))
	sent := new(types.Block)
	must.Do(t, rlp.DecodeBytes(packet.Block, sent))
	if want := session.TotalDifficulty(chain, 3); packet.TD.Cmp(want) != 0 || sent.Hash() != block.Hash() {
		t.Errorf("sent block %v with total difficulty %v, want %v with %v", sent.Hash(), packet.TD, block.Hash(), want)
	}
}
