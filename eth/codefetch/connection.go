// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package codefetch

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/forkid"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/eth/protocols/snap"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enr"
)

const (
	handshakeTime = 5 * time.Second // for the Status of a peer (spec network 2.1)
	maxAnswer     = 2 << 20         // bytes of code asked for at once (spec network 4)
)

var snapCap = p2p.Cap{Name: snap.ProtocolName, Version: snap.SNAP1}

var (
	errBreach  = errors.New("breach of protocol")
	errNetwork = errors.New("peer of another network")
)

// connection is a peer with one or both protocols, which start in any order.
type connection struct {
	users int           // protocols that run
	ready chan struct{} // closed when the eth handshake is done
}

// protocols returns the protocols of the fetcher, eth/68 and snap/1, with their entries of the node record (spec
// network 1).
func (f *fetcher) protocols() []p2p.Protocol {
	forks := struct{ ID forkid.ID }{f.status.ForkID}
	return []p2p.Protocol{
		{
			Name: protocol.ProtocolName, Version: protocol.ETH68, Length: protocol.Length68, Run: f.runEth,
			Attributes: []enr.Entry{enr.WithEntry(protocol.ProtocolName, &forks)},
		},
		{
			Name: snap.ProtocolName, Version: snap.SNAP1, Length: 8, Run: f.runSnap,
			Attributes: []enr.Entry{enr.WithEntry(snap.ProtocolName, &struct{}{})},
		},
	}
}

// join returns the connection of a peer and adds one protocol to it.
func (f *fetcher) join(p *p2p.Peer) *connection {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.connections[p]
	if c == nil {
		c = &connection{ready: make(chan struct{})}
		f.connections[p] = c
	}
	c.users++
	return c
}

// leave ends a protocol.
func (f *fetcher) leave(p *p2p.Peer, c *connection) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c.users--; c.users == 0 {
		delete(f.connections, p)
	}
}

// runEth runs the protocol eth/68 of a connection.
func (f *fetcher) runEth(p *p2p.Peer, rw p2p.MsgReadWriter) error {
	c := f.join(p)
	defer f.leave(p, c)
	if !slices.Contains(p.Caps(), snapCap) {
		return p2p.DiscUselessPeer // only snap carries code
	}
	if err := f.handshake(rw); err != nil {
		p.Log().Debug("Peer cannot be asked for contract code", "err", err)
		return err
	}
	close(c.ready)
	for {
		if err := serveEth(rw); err != nil {
			return err
		}
	}
}

// handshake exchanges Status messages and refuses peers of other networks (spec network 2.1).
func (f *fetcher) handshake(rw p2p.MsgReadWriter) error {
	errc := make(chan error, 2)
	go func() { errc <- p2p.Send(rw, protocol.StatusMsg, &f.status) }()
	go func() { errc <- f.readStatus(rw) }()
	limit := time.NewTimer(handshakeTime)
	defer limit.Stop()
	for range 2 {
		select {
		case err := <-errc:
			if err != nil {
				return err
			}
		case <-limit.C:
			return p2p.DiscReadTimeout
		}
	}
	return nil
}

func (f *fetcher) readStatus(rw p2p.MsgReader) error {
	msg, err := readMessage(rw)
	if err != nil {
		return err
	}
	defer msg.Discard() //nolint:errcheck // the next read reports a broken connection
	if msg.Code != protocol.StatusMsg {
		return fmt.Errorf("%w: first message has code %#x", errBreach, msg.Code)
	}
	var status protocol.StatusPacket68
	if err := msg.Decode(&status); err != nil {
		return fmt.Errorf("%w: Status: %w", errBreach, err)
	}
	switch ours := &f.status; {
	case status.NetworkID != ours.NetworkID:
		return fmt.Errorf("%w: network id %d instead of %d", errNetwork, status.NetworkID, ours.NetworkID)
	case status.ProtocolVersion != ours.ProtocolVersion:
		return fmt.Errorf("%w: Status of version %d", errBreach, status.ProtocolVersion)
	case status.Genesis != ours.Genesis:
		return fmt.Errorf("%w: genesis block %v instead of %v", errNetwork, status.Genesis, ours.Genesis)
	case status.TD.BitLen() > protocol.MaxTotalDifficultyBits:
		return fmt.Errorf("%w: total difficulty of %d bits", errBreach, status.TD.BitLen())
	}
	if err := f.filter(status.ForkID); err != nil {
		return fmt.Errorf("%w: fork id %x: %w", errNetwork, status.ForkID.Hash, err)
	}
	return nil
}

// runSnap runs the protocol snap/1 of a connection. It requests missing code from the peer, and later again what the
// peer lacked. Peers are asked concurrently, because a slow peer must not delay others and the data is small. A peer
// without the code stays while there is room.
func (f *fetcher) runSnap(p *p2p.Peer, rw p2p.MsgReadWriter) error {
	c := f.join(p)
	defer f.leave(p, c)
	var (
		answers = make(chan *codesPacket)
		ended   = make(chan struct{})
		readErr = make(chan error, 1)
	)
	defer close(ended)
	go func() { readErr <- readSnap(rw, answers, ended) }()
	limit := time.NewTimer(2 * handshakeTime)
	defer limit.Stop()
	select {
	case <-c.ready:
	case err := <-readErr:
		return err
	case <-answers:
		return fmt.Errorf("%w: codes before the handshake", errBreach)
	case <-limit.C:
		return p2p.DiscUselessPeer // a peer without eth (spec network 4)
	}
	for id := rand.Uint64(); ; id++ { //nolint:gosec // seeded at random; peers cannot guess IDs
		asked := f.ask(p)
		if len(asked) == 0 {
			return p2p.DiscRequested
		}
		err := p2p.Send(rw, snap.GetByteCodesMsg, &snap.GetByteCodesPacket{ID: id, Hashes: asked, Bytes: maxAnswer})
		if err != nil {
			return err
		}
		limit.Reset(10 * time.Second)
		var answer *codesPacket
		select {
		case answer = <-answers:
		case err := <-readErr:
			return err
		case <-limit.C:
			return p2p.DiscReadTimeout
		}
		useful, err := f.accept(p, id, asked, answer)
		if err != nil {
			p.Log().Warn("Peer sent other contract code than it was asked for", "err", err)
			return err
		}
		if useful {
			continue
		}
		if f.crowded() {
			return p2p.DiscUselessPeer
		}
		limit.Reset(askAgain)
		select {
		case <-limit.C:
		case <-f.done:
		case answer := <-answers:
			return fmt.Errorf("%w: codes for request %d, which is not open", errBreach, answer.ID)
		case err := <-readErr:
			return err
		}
	}
}

// accept handles the response to request id for these hashes, and reports whether it contained code. An error is the
// peer's fault.
func (f *fetcher) accept(p *p2p.Peer, id uint64, asked []common.Hash, answer *codesPacket) (useful bool, err error) {
	if answer.ID != id {
		return false, fmt.Errorf("%w: codes for request %d, which is not open", errBreach, answer.ID)
	}
	if n := answer.Codes.Len(); n > len(asked) {
		return false, fmt.Errorf("%w: %d codes for %d hashes", errBreach, n, len(asked))
	}
	codes, err := answer.Codes.Items()
	if err != nil {
		return false, fmt.Errorf("%w: codes: %w", errBreach, err)
	}
	return f.take(p, asked, codes)
}

// ask returns the missing hashes, and counts the peer as asked if there are any.
func (f *fetcher) ask(p *p2p.Peer) []common.Hash {
	hashes := f.wanted()
	if len(hashes) > 0 {
		f.mu.Lock()
		f.asked[p.ID()] = struct{}{}
		f.mu.Unlock()
	}
	return hashes
}
