// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/eth/protocols/snap"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/p2p"

	"gwon/consensus/wbft/wbfttest"
	"gwon/eth/session/sessiontest"
	"gwon/internal/expect"
	"gwon/internal/must"
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
		{"GetAccountRange", snap.ProtocolName, snap.GetAccountRangeMsg, 1 << 10},
		{"GetStorageRanges", snap.ProtocolName, snap.GetStorageRangesMsg, 32 << 10},
		{"GetByteCodes", snap.ProtocolName, snap.GetByteCodesMsg, 64 << 10},
		{"GetAccessLists", snap.ProtocolName, snap.GetAccessListsMsg, 64 << 10},
		{"GetTrieNodes", snap.ProtocolName, snap.GetTrieNodesMsg, 256 << 10},
		{"StorageRanges", snap.ProtocolName, snap.StorageRangesMsg, 4 << 20},
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
				expect.Error(t, say(1<<20), nil, "say")
				return
			}
			expect.Error(t, say(test.limit-4), nil, "largest")
			expect.Error(t, say(test.limit+8), protocol.ErrTooLarge, "too large: error")
		})
	}
}

// linesOf hands on the lines of a log.
type linesOf chan string

func (l linesOf) Write(line []byte) (int, error) {
	select {
	case l <- string(line):
	default:
	}
	return len(line), nil
}

// A node says why it refuses a peer of another genesis block, and what to do. Of two nodes the one that reads first may
// end the connection before the other has read.
func TestForeignPeer(t *testing.T) {
	lines := make(linesOf, 1000)
	expect.Log(t, log.LogfmtHandler(lines))
	first, second := wbfttest.New(t, 1), wbfttest.New(t, 1)
	second.Genesis.Alloc[common.Address{1}] = types.Account{Balance: common.Big1}
	n := startNode(t, first, t.TempDir(), rawdb.PathScheme, ethconfig.FullSync, nil)
	other := startNode(t, second, t.TempDir(), rawdb.PathScheme, ethconfig.FullSync, nil, n)
	for limit := time.After(time.Minute); ; {
		select {
		case line := <-lines:
			own, _, found := strings.Cut(line, " here: nodes of one network need the same genesis file")
			if found && (strings.HasSuffix(own, n.chain.Genesis().Hash().Hex()) ||
				strings.HasSuffix(own, other.chain.Genesis().Hash().Hex())) {
				return
			}
		case <-limit:
			t.Fatal("no line says it")
		}
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
		must.Do(t, b.Handle(peer, &protocol.UnreadPacket{Size: 1 << 20}), "message", i+1)
	}
	expect.Error(t, b.Handle(peer, &protocol.UnreadPacket{Size: 1 << 20}), protocol.ErrTooLarge, "error")
}
