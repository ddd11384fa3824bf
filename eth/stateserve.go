// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"fmt"
	"time"

	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/eth/protocols/snap"
	"github.com/ethereum/go-ethereum/p2p"
)

// stateBound returns the largest size in bytes of a message of snap/1, or of snap/2, which a node offers once it has
// its state (spec network 4). A client requests the storage of 512 accounts, 85 codes or 1,024 nodes at a time. A query
// of 10 MB of accounts would take 1.3 s and 3.4 GB.
func stateBound(code uint64) uint32 {
	switch code {
	case snap.GetAccountRangeMsg:
		return 1 << 10
	case snap.GetStorageRangesMsg:
		return 32 << 10
	case snap.GetByteCodesMsg, snap.GetAccessListsMsg: // each is answered up to 1,024 hashes
		return 64 << 10
	case snap.GetTrieNodesMsg:
		return 256 << 10
	default: // a response ends at 2 MiB, and its last code has at most 248 KiB
		return 4 << 20
	}
}

// boundedState limits messages before they are read.
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

// boundState limits the snap messages of peers in go-ethereum's protocols.
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

// afterStart has go-ethereum's protocols run once the service has started. A node whose start fails, for instance
// because a port is taken, never starts it, and waits for its connections.
func (s *Service) afterStart(protocols []p2p.Protocol) {
	for i := range protocols {
		run := protocols[i].Run
		protocols[i].Run = func(p *p2p.Peer, rw p2p.MsgReadWriter) error {
			select {
			case <-s.started:
				return run(p, rw)
			case <-time.After(5 * time.Second):
				return p2p.DiscQuitting
			}
		}
	}
}
