// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txgossip

import (
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/ethereum/go-ethereum/rlp"
)

// inboxSize limits the transactions of one peer that wait for the pool, in bytes. Further ones are dropped and
// announced again by the sender, because consensus messages on the same connection must not wait.
//
// Transactions that the pool is processing count too. A larger message is accepted into an empty inbox; the protocol
// limits it to 10 MiB.
const inboxSize = 1 << 20

// leastCost is the smallest cost in bytes of a message and of each transaction in it, about the memory of a short
// one.
const leastCost = 256

// mostJoined is the largest number of pushed transactions that messages are joined to. The pool alternates between
// messages of peers and submissions, so messages with few transactions each would delay transactions of peers.
const mostJoined = 256

var inboxDropped = metrics.NewRegisteredMeter("gwon/transactions/dropped", nil)

// inbox holds the transactions of a peer until the pool can take them. The goroutine of the connection only adds
// them.
type inbox struct {
	mu      sync.Mutex
	packets []waitingPacket
	bytes   int // cost of all waiting packets and of the one being handled
	closed  bool
	wake    chan struct{}
	habit   habit
}

// waitingPacket is a waiting message, or several joined ones.
type waitingPacket struct {
	packet protocol.Packet
	bytes  int
	hashes []common.Hash            // hashes of pushed transactions, by position in the packet
	joined map[common.Hash]struct{} // the same hashes, once messages have been joined
}

// join adds pushed transactions with their hashes to waiting ones. It reports false when they must wait by
// themselves.
func (w *waitingPacket) join(packet protocol.Packet, bytes int, hashes []common.Hash) bool {
	first, ok := w.packet.(*protocol.TransactionsPacket)
	more, also := packet.(*protocol.TransactionsPacket)
	if !ok || !also || first.Len()+more.Len() > mostJoined {
		return false
	}
	if w.joined == nil {
		w.joined = make(map[common.Hash]struct{})
		for _, hash := range w.hashes {
			w.joined[hash] = struct{}{}
		}
		w.hashes = nil
	}
	// Two messages may contain the same transaction. One message may not, so the joined one drops duplicates.
	for i, it := 0, more.ContentIterator(); it.Next(); i++ {
		if _, twice := w.joined[hashes[i]]; twice {
			continue
		}
		w.joined[hashes[i]] = struct{}{}
		if err := first.AppendRaw(it.Value()); err != nil {
			break // the iterator returns whole values
		}
	}
	w.bytes += bytes
	return true
}

// cost returns the cost in bytes of a list of transactions.
func cost(list *rlp.RawList[*types.Transaction]) (bytes int) {
	for it := list.ContentIterator(); it.Next(); {
		bytes += max(leastCost, len(it.Value()))
	}
	return max(leastCost, bytes)
}

// put adds a packet with its cost in bytes, or drops it without room. The hashes belong to pushed transactions and
// are distinct. Requested packets are never dropped: the fetcher requests 128 KiB from a peer at a time.
func (b *inbox) put(packet protocol.Packet, bytes int, hashes []common.Hash, asked bool) {
	if b == nil {
		return // the connection has ended
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	if !asked && b.bytes > 0 && b.bytes+bytes > inboxSize {
		inboxDropped.Mark(1)
		return
	}
	b.bytes += bytes
	if last := len(b.packets) - 1; last < 0 || !b.packets[last].join(packet, bytes, hashes) {
		b.packets = append(b.packets, waitingPacket{packet: packet, bytes: bytes, hashes: hashes})
	}
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// full reports whether there is no room for pushed transactions, and counts the dropped message. Its content is not
// hashed then.
func (b *inbox) full() bool {
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	full := b.closed || b.bytes > inboxSize-leastCost
	if full {
		inboxDropped.Mark(1)
	}
	return full
}

// serve passes the packets to handle, one after the other, until the box is closed.
func (b *inbox) serve(handle func(protocol.Packet)) {
	for range b.wake {
		for {
			b.mu.Lock()
			if b.closed || len(b.packets) == 0 {
				b.mu.Unlock()
				break
			}
			next := b.packets[0]
			b.packets[0] = waitingPacket{} // releases the packet, because the array stays
			b.packets = b.packets[1:]
			b.mu.Unlock()
			handle(next.packet)
			b.mu.Lock()
			b.bytes -= next.bytes // its cost counted until now
			b.mu.Unlock()
		}
	}
}

// inboxes holds the boxes of all peers, by the name of the connection.
type inboxes struct {
	mu  sync.Mutex
	box map[string]*inbox
}

func (i *inboxes) open(peer string) *inbox {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.box == nil {
		i.box = make(map[string]*inbox)
	}
	box := &inbox{wake: make(chan struct{}, 1)}
	i.box[peer] = box
	return box
}

// of returns the box of a peer; nil after the connection has ended.
func (i *inboxes) of(peer string) *inbox {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.box[peer]
}

// close removes the box of a peer.
func (i *inboxes) close(peer string) {
	i.mu.Lock()
	box := i.box[peer]
	delete(i.box, peer)
	i.mu.Unlock()
	if box == nil {
		return
	}
	box.mu.Lock()
	defer box.mu.Unlock()
	box.closed, box.packets = true, nil
	close(box.wake)
}
