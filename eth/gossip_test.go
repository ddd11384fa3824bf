// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"testing"

	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"

	"gwon/consensus/wbft/wbfttest"
)

// An own block goes whole to the square root of the peers that do not have it and is announced to the rest, once; its total
// difficulty is the true one (spec network 1, 2.6).
func TestSpread(t *testing.T) {
	net := wbfttest.New(t, 1)
	chain, _ := net.Chain(t)
	block := net.Extend(t, chain, 3)[2]
	for _, test := range []struct{ unaware, whole int }{{0, 0}, {1, 1}, {3, 1}, {4, 2}, {10, 3}} {
		g := &gossip{chain, newSessions()}
		join := func() *session {
			p, _ := testPeer(t)
			ses := g.sessions.join(p)
			return ses
		}
		aware, early := join(), join()
		aware.shook(new(protocol.Peer))
		aware.blocks.Add(block.Hash(), struct{}{})
		var peers []*session
		for range test.unaware {
			ses := join()
			ses.shook(new(protocol.Peer))
			peers = append(peers, ses)
		}
		g.spread(block)
		g.spread(block)
		whole, hashes := 0, 0
		for _, ses := range peers {
			whole += len(ses.newBlock)
			hashes += len(ses.newHash)
			if told(ses) != 1 {
				t.Errorf("%d peers: one is told %d times", test.unaware, told(ses))
			}
			if len(ses.newBlock) > 0 {
				if b := <-ses.newBlock; b.td.Cmp(totalDifficulty(chain, 3)) != 0 || b.block.Hash() != block.Hash() {
					t.Errorf("sent block %v with total difficulty %v", b.block.Hash(), b.td)
				}
			}
		}
		if whole != test.whole || hashes != test.unaware-test.whole {
			t.Errorf("%d peers: %d whole blocks and %d announcements, want %d and %d", test.unaware, whole, hashes, test.whole, test.unaware-test.whole)
		}
		if told(aware)+told(early) != 0 {
			t.Error("told a peer that has the block, or one that has not shaken hands")
		}
	}
}
