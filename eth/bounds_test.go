// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"testing"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/eth/protocols/snap"
	"github.com/ethereum/go-ethereum/p2p"

	"gwon/consensus/wbft/wbfttest"
	"gwon/eth/session/sessiontest"
	"gwon/internal/expect"
)

// A snap message above the size of honest ones ends the connection before it is read. The largest honest one
// passes, and other protocols are not affected (spec network 4).
func TestStateMessagesAreBounded(t *testing.T) {
	n := startNode(t, wbfttest.New(t, 1), t.TempDir(), rawdb.PathScheme, ethconfig.FullSync, nil)
	for _, test := range []struct {
		name     string
		protocol string
		code     uint64
		limit    int
	}{
		{"GetAccountRange", snap.ProtocolName, snap.GetAccountRangeMsg, maxRangeQuery},
		{"GetStorageRanges", snap.ProtocolName, snap.GetStorageRangesMsg, maxStorageQuery},
		{"GetByteCodes", snap.ProtocolName, snap.GetByteCodesMsg, maxCodeQuery},
		{"GetAccessLists", snap.ProtocolName, snap.GetAccessListsMsg, maxCodeQuery},
		{"GetTrieNodes", snap.ProtocolName, snap.GetTrieNodesMsg, maxNodeQuery},
		{"StorageRanges", snap.ProtocolName, snap.StorageRangesMsg, maxStateAnswer},
		{"eth", protocol.ProtocolName, snap.GetAccountRangeMsg, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			protocols := []p2p.Protocol{{Name: test.protocol, Run: func(_ *p2p.Peer, rw p2p.MsgReadWriter) error {
				msg, err := rw.ReadMsg()
				if err != nil {
					return err
				}
				return msg.Discard()
			}}}
			n.boundState(protocols)
			say := func(size int) error {
				near, far := p2p.MsgPipe()
				defer func() { _ = near.Close() }()
				sent := make(chan struct{})
				go func() {
					defer close(sent)
					_ = p2p.Send(far, test.code, make([]byte, size-4)) // and the head of the value
				}()
				base, _ := sessiontest.Peer(t)
				err := protocols[0].Run(base, near)
				_ = near.Close()
				<-sent
				return err
			}
			if test.limit == 0 {
				if err := say(1 << 20); err != nil {
					t.Error(err)
				}
				return
			}
			if err := say(test.limit - 4); err != nil {
				t.Errorf("largest: %v", err)
			}
			expect.Error(t, say(test.limit+8), protocol.ErrTooLarge, "too large: error")
		})
	}
}

// A few messages of transactions above the size limit are ignored; further ones end the connection (spec network
// 2.5).
func TestUnreadTransactions(t *testing.T) {
	n := startNode(t, wbfttest.New(t, 1), t.TempDir(), rawdb.PathScheme, ethconfig.FullSync, nil)
	base, _ := sessiontest.Peer(t)
	n.sessions.Join(base)
	peer := protocol.NewPeer(protocol.ETH68, base, nil, nil, nil, n.chain.Config())
	defer peer.Close()
	b := &backend{service: n.Service}
	for i := range unreadAtOnce {
		if err := b.Handle(peer, &protocol.UnreadPacket{Size: 1 << 20}); err != nil {
			t.Fatalf("message %d: %v", i+1, err)
		}
	}
	expect.Error(t, b.Handle(peer, &protocol.UnreadPacket{Size: 1 << 20}), protocol.ErrTooLarge, "error")
}
