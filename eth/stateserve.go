// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"fmt"

	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/eth/protocols/snap"
	"github.com/ethereum/go-ethereum/p2p"
)

// Bounds of messages of snap/1 in bytes (spec network 4). A client asks for the storage of 512 accounts, 85 codes or
// 1,024 nodes at a time; the storage of ten megabytes of accounts takes 1.3 s and 3.4 GB. An answer is closed at 2 MiB,
// and its last code has at most 248 KiB.
const (
	maxStorageQuery = 32 << 10
	maxCodeQuery    = 64 << 10
	maxNodeQuery    = 256 << 10
	maxRangeQuery   = 1 << 10
	maxStateAnswer  = 4 << 20
)

// stateBound returns the size in bytes that a message of snap/1 has at most.
func stateBound(code uint64) uint32 {
	switch code {
	case snap.GetAccountRangeMsg:
		return maxRangeQuery
	case snap.GetStorageRangesMsg:
		return maxStorageQuery
	case snap.GetByteCodesMsg:
		return maxCodeQuery
	case snap.GetTrieNodesMsg:
		return maxNodeQuery
	default:
		return maxStateAnswer
	}
}

// boundedState is a connection whose messages are bounded before anything reads them.
type boundedState struct{ p2p.MsgReadWriter }

// ReadMsg implements p2p.MsgReader.
func (b boundedState) ReadMsg() (p2p.Msg, error) {
	msg, err := b.MsgReadWriter.ReadMsg()
	if err != nil {
		return msg, err
	}
	if limit := stateBound(msg.Code); msg.Size > limit {
		_ = msg.Discard()
		return p2p.Msg{}, fmt.Errorf("snap message %#x: %w: %d bytes, at most %d are allowed",
			msg.Code, protocol.ErrTooLarge, msg.Size, limit)
	}
	return msg, nil
}

// boundState bounds what peers send over snap/1, in the protocols that go-ethereum has registered.
func (s *Service) boundState(protocols []p2p.Protocol) {
	for i := range protocols {
		if protocols[i].Name != snap.ProtocolName {
			continue
		}
		run := protocols[i].Run
		protocols[i].Run = func(p *p2p.Peer, rw p2p.MsgReadWriter) error {
			err := run(p, boundedState{rw})
			s.refusedSize(p, err)
			return err
		}
	}
}
