// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/forkid"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/eth/fetcher"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/ethereum/go-ethereum/p2p"

	"gwon/eth/session"
)

// Messages of transactions that exceed the size limit are ignored. A peer that sends more than a few of them is
// disconnected.
const (
	unreadAtOnce = 4
	unreadEach   = time.Minute
)

var (
	tooLargeMeter            = metrics.NewRegisteredMeter("gwon/eth/refused/size", nil)
	refusedTransactionsMeter = metrics.NewRegisteredMeter("gwon/transactions/refused", nil)
	unreadMeter              = metrics.NewRegisteredMeter("gwon/transactions/unread", nil)
)

// backend wraps the backend of the eth protocol. It registers every peer after the handshake and handles the block
// messages that go-ethereum no longer has.
type backend struct {
	protocol.Backend
	service *Service
}

// RunPeer implements the protocol's Backend.
func (b *backend) RunPeer(p *protocol.Peer, handler protocol.Handler) error {
	s := b.service
	ses := s.sessions.Join(p.Peer)
	defer s.parted(ses)
	begun := time.Now()
	err := b.Backend.RunPeer(p, func(p *protocol.Peer) error {
		s.forks.Configured(ses.Address, ses.Difference()) // what an earlier connection has shown may no longer hold
		s.forks.Met(ses.Address, p.Peer.Fullname(), p.Status68().ForkID, s.forkID())
		early, paired := ses.Shook(p)
		go ses.WriteBlocks(p)
		pending, _ := s.ethereum.TxPool().Pending(txpool.PendingFilter{})
		s.transactions.Greet(ses, p, pending, begun)
		if paired {
			s.paired(ses)
		}
		s.syncer.Joined()
		for _, m := range early {
			s.messages.Accept(ses, m)
		}
		s.transactions.Open(p, func(packet protocol.Packet) {
			if err := b.Backend.Handle(p, packet); err != nil && !fetcher.IsStopped(err) {
				refusedTransactionsMeter.Mark(1)
				s.sessions.Report(ses.Peer, fmt.Errorf("bad transactions: %w", err))
				p.Disconnect(p2p.DiscSubprotocolError)
			}
		})
		defer s.transactions.Close(p)
		err := handler(p)
		s.refusedSize(p.Peer, err)
		return err
	})
	if errors.Is(err, protocol.ErrForkID) {
		s.forks.Refused(ses.Address, p.Peer.Fullname())
	}
	if protocol.IsForeign(err) {
		s.sessions.Report(p.Peer, fmt.Errorf("%w: nodes of one network need the same genesis file "+
			"(compare gwon genesis show) and the same --networkid", err))
	}
	return err
}

// forkID returns the fork id of this node.
func (s *Service) forkID() forkid.ID {
	head := s.chain.CurrentBlock()
	return forkid.NewID(s.chain.Config(), s.chain.Genesis(), head.Number.Uint64(), head.Time)
}

// refusedSize counts and logs a disconnection for the size of a message.
func (s *Service) refusedSize(p *p2p.Peer, err error) {
	if errors.Is(err, protocol.ErrTooLarge) {
		tooLargeMeter.Mark(1)
		s.sessions.Report(p, err)
	}
}

// paired reports a peer that runs both protocols to the driver and to the validator connections.
func (s *Service) paired(ses *session.Session) {
	if s.inCharge(ses.Address) {
		s.peers.Met(ses)
		s.driver.PeerConnected(ses.Address)
	}
}

// parted ends the eth side of a peer's session.
func (s *Service) parted(ses *session.Session) {
	s.sessions.Leave(ses)
	if s.inCharge(ses.Address) {
		s.driver.PeerLost(ses.Address)
	}
}

// inCharge reports whether an address is a validator of the next block.
func (s *Service) inCharge(address common.Address) bool {
	set, err := s.engine.ValidatorsAfter(s.chain, s.chain.CurrentBlock())
	return err == nil && set.Contains(address)
}

// Handle implements the protocol's Backend.
func (b *backend) Handle(p *protocol.Peer, packet protocol.Packet) error {
	s := b.service
	switch packet := packet.(type) {
	case *protocol.NewBlockPacket:
		return s.importer.HandleNewBlock(s.sessions.Of(p.Peer), packet)
	case *protocol.NewBlockHashesPacket:
		return s.importer.HandleNewHashes(s.sessions.Of(p.Peer), *packet)
	case *protocol.UnreadPacket:
		unreadMeter.Mark(1)
		if !s.sessions.Of(p.Peer).Unread.Spend(unreadAtOnce, unreadEach) {
			return fmt.Errorf("%s: %w: more than %d of them, the last of %d bytes",
				packet.Name(), protocol.ErrTooLarge, unreadAtOnce, packet.Size)
		}
		return nil
	case *protocol.TransactionsPacket:
		return s.transactions.Pushed(p, packet)
	case *protocol.PooledTransactionsPacket:
		s.transactions.Delivered(p, packet)
		return nil
	case *protocol.NewPooledTransactionHashesPacket71:
		if packet = s.transactions.Wanted(p, packet); len(packet.Hashes) == 0 {
			return nil
		}
		return b.Backend.Handle(p, packet)
	default:
		return b.Backend.Handle(p, packet)
	}
}
