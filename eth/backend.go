// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
)

// backend wraps the backend of the eth protocol: it learns of every peer whose handshake is done, and takes the block
// messages that go-ethereum no longer knows.
type backend struct {
	protocol.Backend
	service *Service
}

// RunPeer implements the protocol's Backend.
func (b *backend) RunPeer(p *protocol.Peer, handler protocol.Handler) error {
	s := b.service
	ses := s.sessions.join(p.Peer)
	defer s.sessions.leave(ses)
	return b.Backend.RunPeer(p, func(p *protocol.Peer) error {
		early, paired := ses.shook(p)
		go ses.writeBlocks(p)
		if paired {
			s.paired(ses)
		}
		s.syncer.Claimed()
		for _, m := range early {
			s.messages.accept(ses, m)
		}
		return handler(p)
	})
}

// paired makes a peer that both protocols run with known to the driver and to what keeps validators connected.
func (s *Service) paired(ses *session) {
	set, err := s.engine.ValidatorsAfter(s.chain, s.chain.CurrentBlock())
	if err != nil || !set.Contains(ses.address) {
		return
	}
	s.peers.met(ses)
	s.driver.PeerConnected(ses.address)
}

// Handle implements the protocol's Backend.
func (b *backend) Handle(p *protocol.Peer, packet protocol.Packet) error {
	s := b.service
	switch packet := packet.(type) {
	case *protocol.NewBlockPacket:
		return s.importer.handleNewBlock(s.sessions.of(p.Peer), packet)
	case *protocol.NewBlockHashesPacket:
		return s.importer.handleNewHashes(s.sessions.of(p.Peer), *packet)
	default:
		return b.Backend.Handle(p, packet)
	}
}
