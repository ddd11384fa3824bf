// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package session

import (
	"bytes"
	"fmt"
	"math/big"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/p2p/enode"

	"gwon/consensus/wbft/messages"
	"gwon/internal/bucket"
)

// Reports of one peer, and of all peers, since identities are free.
const (
	reportEach    = time.Minute
	reportsAtOnce = 64
	reportsEach   = 10 * time.Second
)

// consensusMessage is one message of istanbul/100.
type consensusMessage struct {
	code    uint64
	payload []byte
	hash    common.Hash // of the payload
}

// Session is one connection with the sub-protocols eth and istanbul, which start in any order.
type Session struct {
	Peer    *p2p.Peer
	Address common.Address // address of the peer's node key

	Pushed  bucket.Bucket // whole blocks pushed by the peer
	Stale   bucket.Bucket // pushed blocks that are far behind
	Unread  bucket.Bucket // messages of transactions above the size limit
	large   bucket.Bucket // large consensus messages of a validator
	unread  bucket.Bucket // large consensus messages of another node
	useless bucket.Bucket // consensus messages that are repeated or refused

	Unanswered atomic.Int32 // announced blocks that the peer was asked for since it last brought one

	blocks   *lru.Cache[common.Hash, struct{}] // known to the peer
	messages *lru.Cache[common.Hash, struct{}] // known to the peer

	mu       sync.Mutex
	users    int            // running protocols
	eth      *protocol.Peer // set after the handshake
	talks    bool           // istanbul runs
	differs  string         // in what the peer's chain configuration differs
	early    []consensusMessage
	held     int // bytes of early messages
	head     common.Hash
	td       *big.Int // claimed total difficulty of head
	closed   chan struct{}
	newBlock chan blockToSend
	newHash  chan *types.Header
	outbox   chan consensusMessage
	unsent   atomic.Int64 // bytes in outbox
}

type blockToSend struct {
	block *types.Block
	td    *big.Int
}

// Sessions holds the connections of the node. It is safe for concurrent use.
type Sessions struct {
	mu      sync.RWMutex
	byPeer  map[*p2p.Peer]*Session
	reports *lru.Cache[enode.ID, time.Time] // time of the last logged disconnection of a node
	told    bucket.Bucket                   // reports
	Changed func()                          // called after a session has begun or ended; may be nil
}

// NewSessions returns an empty set of connections.
func NewSessions() *Sessions {
	return &Sessions{byPeer: make(map[*p2p.Peer]*Session), reports: lru.NewCache[enode.ID, time.Time](maxRefused)}
}

// Report logs the reason of a disconnection, at most once a minute for each peer, and bounded for all of them. A
// difference of the chain configurations comes first, because each node is wrong by the rules of the other one.
func (s *Sessions) Report(p *p2p.Peer, reason error) {
	id, now := p.ID(), time.Now()
	if last, ok := s.reports.Get(id); ok && now.Sub(last) < reportEach || !s.told.Spend(reportsAtOnce, reportsEach) {
		return
	}
	s.reports.Add(id, now)
	if ses := s.Of(p); ses != nil && ses.Difference() != "" {
		reason = fmt.Errorf("the chain configurations differ, %s: %w", ses.Difference(), reason)
	}
	p.Log().Warn("Peer dropped", "reason", reason, "address", p.RemoteAddr())
}

// AddressOf returns the address of the node key of an identity. The address is the end of the identity; both are a
// hash of the public key.
func AddressOf(id enode.ID) common.Address { return common.BytesToAddress(id[:]) }

// Join returns the session of a connection and adds one sub-protocol to it.
func (s *Sessions) Join(p *p2p.Peer) *Session {
	defer s.notify()
	s.mu.Lock()
	defer s.mu.Unlock()
	ses := s.byPeer[p]
	if ses == nil {
		ses = &Session{
			Peer:     p,
			Address:  AddressOf(p.ID()),
			blocks:   lru.NewCache[common.Hash, struct{}](remembered),
			messages: lru.NewCache[common.Hash, struct{}](remembered),
			td:       new(big.Int),
			closed:   make(chan struct{}),
			newBlock: make(chan blockToSend, queuedBlocks),
			newHash:  make(chan *types.Header, queuedHashes),
			outbox:   make(chan consensusMessage, queuedMessages),
		}
		s.byPeer[p] = ses
	}
	ses.users++
	return ses
}

// Leave ends a sub-protocol and closes the session, because the connection ends with any of its protocols.
func (s *Sessions) Leave(ses *Session) {
	defer s.notify()
	s.mu.Lock()
	defer s.mu.Unlock()
	ses.mu.Lock()
	defer ses.mu.Unlock()
	if !ses.Gone() {
		close(ses.closed)
	}
	if ses.users--; ses.users == 0 {
		delete(s.byPeer, ses.Peer)
	}
}

func (s *Sessions) notify() {
	if s.Changed != nil {
		s.Changed()
	}
}

// Present returns the addresses of connected nodes, with true after the eth handshake.
func (s *Sessions) Present() map[common.Address]bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	addresses := make(map[common.Address]bool, len(s.byPeer))
	for _, ses := range s.byPeer {
		addresses[ses.Address] = addresses[ses.Address] || ses.Up() != nil
	}
	return addresses
}

// Of returns the session of a connection with a running sub-protocol.
func (s *Sessions) Of(p *p2p.Peer) *Session {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.byPeer[p]
}

// Ready returns the sessions after their eth handshake.
func (s *Sessions) Ready() []*Session {
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := make([]*Session, 0, len(s.byPeer))
	for _, ses := range s.byPeer {
		if ses.Up() != nil {
			list = append(list, ses)
		}
	}
	return list
}

// find returns the session of a node after its eth handshake, or nil.
func (s *Sessions) find(id enode.ID) *Session {
	for _, ses := range s.Ready() {
		if ses.Peer.ID() == id {
			return ses
		}
	}
	return nil
}

// Closed returns a channel that is closed when the connection ends.
func (ses *Session) Closed() <-chan struct{} { return ses.closed }

// Knows reports whether the peer is known to have a block.
func (ses *Session) Knows(hash common.Hash) bool { return ses.blocks.Contains(hash) }

// Has records that the peer has a block.
func (ses *Session) Has(hash common.Hash) { ses.blocks.Add(hash, struct{}{}) }

// Unsent returns the number of whole blocks and announcements in the send queues.
func (ses *Session) Unsent() (blocks, announcements int) { return len(ses.newBlock), len(ses.newHash) }

// Up returns the eth peer from the handshake until the session closes; otherwise nil.
func (ses *Session) Up() *protocol.Peer {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	if ses.Gone() {
		return nil
	}
	return ses.eth
}

// Gone reports whether the connection has ended.
func (ses *Session) Gone() bool {
	select {
	case <-ses.closed:
		return true
	default:
		return false
	}
}

// listen records that istanbul runs. It reports whether eth is up too.
func (ses *Session) listen() (paired bool) {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	ses.talks = true
	return ses.eth != nil
}

// Shook records the end of the eth handshake. It returns the early consensus messages, and reports whether istanbul
// runs.
func (ses *Session) Shook(p *protocol.Peer) (early []consensusMessage, paired bool) {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	ses.eth = p
	if status := p.Status68(); status != nil {
		ses.head, ses.td = status.Head, new(big.Int).Set(status.TD)
	}
	early, ses.early, ses.held = ses.early, nil, 0
	return early, ses.talks
}

// keepEarly stores a consensus message until the handshake ends; it reports false after that. Only messages of
// validators are kept. Other peers may be many, and their messages can be sent later.
func (ses *Session) keepEarly(m consensusMessage, member bool) bool {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	if ses.eth != nil {
		return false
	}
	if member && len(ses.early) < earlyMessages && ses.held+len(m.payload) <= messages.ShareBytes {
		ses.early = append(ses.early, m)
		ses.held += len(m.payload)
	}
	return true
}

// SendBlock queues a whole block for a peer that lacks it. A full queue drops the block.
func (ses *Session) SendBlock(block *types.Block, td *big.Int) {
	ses.blocks.Add(block.Hash(), struct{}{})
	select {
	case ses.newBlock <- blockToSend{block, td}:
	default:
	}
}

// SendHash queues an announcement. A full queue drops it.
func (ses *Session) SendHash(header *types.Header) {
	ses.blocks.Add(header.Hash(), struct{}{})
	select {
	case ses.newHash <- header:
	default:
	}
}

// sendMessage queues a consensus message. A full queue drops the message and forgets it, so that a repetition is sent.
// A relay has half of the queue, because others choose what is relayed.
func (ses *Session) sendMessage(m consensusMessage, relay bool) {
	bytes, count := int64(queuedBytes), queuedMessages
	if relay {
		bytes, count = bytes/2, count/2
	}
	ses.messages.Add(m.hash, struct{}{})
	size := int64(len(m.payload))
	if ses.unsent.Add(size) <= bytes && len(ses.outbox) < count {
		select {
		case ses.outbox <- m:
			return
		default:
		}
	}
	ses.unsent.Add(-size)
	ses.messages.Remove(m.hash)
}

// WriteBlocks sends the queued blocks and announcements until the session closes.
func (ses *Session) WriteBlocks(p *protocol.Peer) {
	for {
		var err error
		select {
		case b := <-ses.newBlock:
			err = p.SendNewBlock(b.block, b.td)
		case h := <-ses.newHash:
			err = p.SendNewBlockHashes([]common.Hash{h.Hash()}, []uint64{h.Number.Uint64()})
		case <-ses.closed:
			return
		}
		if err != nil {
			p.Log().Debug("Cannot send a block", "err", err)
			return
		}
	}
}

// writeMessages sends the queued consensus messages until the session closes.
func (ses *Session) writeMessages(rw p2p.MsgWriter) {
	for {
		select {
		case m := <-ses.outbox:
			ses.unsent.Add(-int64(len(m.payload)))
			err := rw.WriteMsg(p2p.Msg{Code: m.code, Size: uint32(len(m.payload)), Payload: bytes.NewReader(m.payload)})
			if err != nil {
				ses.Peer.Log().Debug("Cannot send a consensus message", "err", err)
				return
			}
		case <-ses.closed:
			return
		}
	}
}
