// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package codefetch

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/eth/protocols/snap"

	"gwon/contracts/store"
	"gwon/core"
)

const (
	seekInterval = 15 * time.Second // time between two searches for a peer
	seekAgain    = 2 * time.Minute  // time until a peer is asked again; longer than the response time of the protocol
)

// Seeker requests missing code of later upgrades from the snap peers of a running node until the store has all of it.
// Each peer is asked once in two minutes. It is safe for concurrent use.
type Seeker struct {
	*shortage

	mu    sync.Mutex
	peers map[*snap.Peer]*sought
}

// sought is the state of one peer.
type sought struct {
	asked time.Time     // time of the last request
	id    uint64        // ID of the open request
	open  []common.Hash // hashes of the open request; nil without one
}

// NewSeeker returns a Seeker for missing code that writes to the store.
func NewSeeker(missing []core.MissingCode, store *store.Store) *Seeker {
	return &Seeker{shortage: newShortage(missing, store), peers: make(map[*snap.Peer]*sought)}
}

// Run sends requests until no code is missing or ctx ends.
func (s *Seeker) Run(ctx context.Context) {
	ticker := time.Tick(seekInterval)
	warn := time.Tick(10 * time.Minute)
	for {
		select {
		case <-s.done:
			s.log.Info("Contract code completed")
			return
		case err := <-s.failed:
			s.log.Error("Contract code not stored", "err", err)
		case <-warn:
			s.log.Warn("The chain will stop at an upgrade whose code is missing: no peer has given it; supply it with gwon "+
				"contracts import",
				"missing", s.names())
		case <-ticker:
			s.askAll(time.Now())
		case <-ctx.Done():
			return
		}
	}
}

// askAll sends a request to every peer that is due.
func (s *Seeker) askAll(now time.Time) {
	s.mu.Lock()
	var due []*snap.Peer
	for p, state := range s.peers {
		if state.asked.IsZero() || now.Sub(state.asked) >= seekAgain {
			due = append(due, p)
		}
	}
	s.mu.Unlock()
	for _, p := range due {
		s.ask(p, now)
	}
}

func (s *Seeker) ask(p *snap.Peer, now time.Time) {
	hashes := s.wanted()
	if len(hashes) == 0 {
		return
	}
	s.mu.Lock()
	state := s.peers[p]
	if state == nil {
		s.mu.Unlock()
		return
	}
	state.asked, state.id, state.open = now, rand.Uint64(), hashes //nolint:gosec // peers cannot guess IDs
	id := state.id
	s.mu.Unlock()
	if err := p.RequestByteCodes(id, hashes, maxAnswer); err != nil {
		p.Log().Debug("Cannot ask for contract code", "err", err)
		s.close(p, id)
	}
}

// close ends the open request with this ID and returns its hashes; nil without one.
func (s *Seeker) close(p *snap.Peer, id uint64) []common.Hash {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.peers[p]
	if state == nil || state.open == nil || state.id != id {
		return nil
	}
	open := state.open
	state.open = nil
	return open
}

// Wrap adds the Seeker to a node's backend of the snap protocol.
func (s *Seeker) Wrap(inner snap.Backend) snap.Backend { return &seekingBackend{inner, s} }

// seekingBackend registers every snap peer and handles responses to the Seeker's requests.
type seekingBackend struct {
	snap.Backend
	seeker *Seeker
}

// RunPeer implements snap.Backend.
func (b *seekingBackend) RunPeer(p *snap.Peer, handler snap.Handler) error {
	return b.Backend.RunPeer(p, func(p *snap.Peer) error {
		s := b.seeker
		s.mu.Lock()
		s.peers[p] = new(sought)
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.peers, p)
		}()
		return handler(p)
	})
}

// Handle implements snap.Backend. A response with unrequested code ends the connection.
func (b *seekingBackend) Handle(p *snap.Peer, packet snap.Packet) error {
	codes, ok := packet.(*snap.ByteCodesPacket)
	if !ok {
		return b.Backend.Handle(p, packet)
	}
	asked := b.seeker.close(p, codes.ID)
	if asked == nil {
		return b.Backend.Handle(p, packet)
	}
	_, err := b.seeker.take(p.Peer, asked, codes.Codes)
	if err != nil {
		p.Log().Warn("Peer sent other contract code than it was asked for", "err", err)
	}
	return err
}
