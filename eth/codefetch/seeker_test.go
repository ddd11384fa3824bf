// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package codefetch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/eth/protocols/snap"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// snapNode is a node's backend of the snap protocol that keeps what reaches it.
type snapNode struct{ handled []snap.Packet }

func (n *snapNode) Chain() *gethcore.BlockChain { return nil }
func (n *snapNode) PeerInfo(enode.ID) any       { return nil }

func (n *snapNode) RunPeer(p *snap.Peer, handler snap.Handler) error { return handler(p) }

func (n *snapNode) Handle(_ *snap.Peer, packet snap.Packet) error {
	n.handled = append(n.handled, packet)
	return nil
}

// snapPeer is a peer of a node with a Seeker, played by the test.
type snapPeer struct {
	rw    *p2p.MsgPipeRW
	ended chan error
	peer  chan *snap.Peer // receives the node's view of it; capacity 1
}

// meet runs upstream's snap protocol over a backend.
func meet(t *testing.T, backend snap.Backend, id byte) *snapPeer {
	ours, theirs := p2p.MsgPipe()
	p := &snapPeer{theirs, make(chan error, 1), make(chan *snap.Peer, 1)}
	peer := snap.NewPeer(snap.SNAP1, p2p.NewPeer(enode.ID{id}, "peer", []p2p.Cap{snapCap}), ours)
	go func() {
		err := backend.RunPeer(peer, func(q *snap.Peer) error {
			p.peer <- q
			for {
				if err := snap.HandleMessage(backend, q); err != nil {
					return err
				}
			}
		})
		_ = ours.Close()
		peer.Close()
		p.ended <- err
	}()
	t.Cleanup(func() { _ = theirs.Close() })
	return p
}

func (p *snapPeer) request(t *testing.T) *snap.GetByteCodesPacket {
	t.Helper()
	return (&remote{snap: p.rw}).request(t)
}

func (p *snapPeer) answer(t *testing.T, id uint64, codes ...[]byte) {
	t.Helper()
	(&remote{snap: p.rw}).answer(t, id, codes...)
}

// A running node asks its snap peers repeatedly until no code is missing, and then stops.
func TestSeeker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		missing, codes := madeUp(2)
		store := openStore(t)
		s := NewSeeker(missing, store)
		backend := s.Wrap(new(snapNode))
		ended := make(chan struct{})
		go func() { s.Run(t.Context()); close(ended) }()

		first := meet(t, backend, 1)
		req := first.request(t)
		expect.That(t, len(req.Hashes) == 2 && req.Bytes == maxAnswer, "request for %v in %d bytes", req.Hashes, req.Bytes)
		start := time.Now()
		first.answer(t, req.ID) // nothing yet
		second := meet(t, backend, 2)
		second.answer(t, second.request(t).ID, codes[0])
		again := first.request(t)
		waited := time.Since(start)
		expect.That(t, waited >= seekAgain && waited <= seekAgain+seekInterval, "asked again after %v", waited)
		expect.That(t, len(again.Hashes) == 1 && again.Hashes[0] == missing[1].Hash,
			"asked for %v again, want the one that is missing", again.Hashes)
		first.answer(t, again.ID, codes[1])
		<-ended //nolint:errcheck // the connection is closed
		expect.Equal(t, stored(t, store, codes), 2, "codes stored")
	})
}

// A peer that does not answer is asked again too, and its late answer to the request before is not taken.
func TestSeekerWithoutAnswer(t *testing.T) {
	missing, codes := madeUp(1)
	store := openStore(t)
	s, node := NewSeeker(missing, store), new(snapNode)
	p := meet(t, s.Wrap(node), 1)
	<-p.peer
	start := time.Now()
	go s.askAll(start)
	late := p.request(t).ID
	s.askAll(start.Add(seekAgain - 1)) // asks no peer, or it would wait for a reader
	go s.askAll(start.Add(seekAgain))
	id := p.request(t).ID
	p.answer(t, late, codes[0])
	p.answer(t, id) // is read after the one before has been dealt with
	_ = p.rw.Close()
	<-p.ended //nolint:errcheck // the connection is closed
	n := stored(t, store, codes)
	expect.That(t, n == 0 && len(node.handled) == 1, "%d codes stored, %d answers for the node", n, len(node.handled))
}

// Other code than was asked for costs the peer its connection; what is not an answer to the Seeker is the node's.
func TestSeekerAndNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		missing, codes := madeUp(1)
		store := openStore(t)
		s, node := NewSeeker(missing, store), new(snapNode)
		backend := s.Wrap(node)
		ctx, cancel := context.WithCancel(t.Context())
		go s.Run(ctx)
		defer cancel()

		liar := meet(t, backend, 1)
		liar.answer(t, liar.request(t).ID, []byte("something else"))
		expect.Error(t, <-liar.ended, errBreach, "liar")
		p := meet(t, backend, 2)
		req, q := p.request(t), <-p.peer
		// The node's own request for code is open at the same time.
		asked := make(chan error, 1)
		go func() { asked <- q.RequestByteCodes(req.ID+1, []common.Hash{missing[0].Hash}, 1000) }()
		must.Equal(t, p.request(t).ID, req.ID+1, "request")
		must.Do(t, <-asked)
		p.answer(t, req.ID+1, codes[0])
		synctest.Wait()
		expect.That(t, len(node.handled) == 1 && stored(t, store, codes) == 0, "the node got %d answers", len(node.handled))
		p.answer(t, req.ID, codes[0])
		synctest.Wait()
		expect.That(t, len(node.handled) == 1 && stored(t, store, codes) == 1,
			"the node got %d answers, want its own", len(node.handled))
		_ = p.rw.Close()
		<-p.ended //nolint:errcheck // the connection is closed
		s.mu.Lock()
		defer s.mu.Unlock()
		expect.Equal(t, len(s.peers), 0, "peers are remembered")
	})
}
