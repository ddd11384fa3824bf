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

// inboxSize is how many bytes of transactions of one peer wait to be looked at. What is more is dropped: who has
// promised a transaction announces it again, and consensus messages on the same connection must not wait behind it.
//
// What the pool is busy with counts too. Something so large that it never fits is taken when nothing else is held: the
// protocol bounds it by 10 MiB.
const inboxSize = 1 << 20

// leastCost is what a message, and each transaction in it, takes of the box at least: about the memory for one however
// short it is.
const leastCost = 256

// mostJoined is up to how many pushed transactions of several messages are looked at together. A peer has its turn at
// the pool by the message, and those that submit here have theirs in between: with few in each message what peers send
// would wait ever longer.
const mostJoined = 256

var inboxDropped = metrics.NewRegisteredMeter("gwon/transactions/dropped", nil)

// inbox holds the transactions of a peer until the pool has time for them. The connection's own goroutine only puts
// them there.
type inbox struct {
	mu      sync.Mutex
	packets []waitingPacket
	bytes   int // that all these cost, and the one that is being handled
	closed  bool
	wake    chan struct{}
}

// waitingPacket is a message that waits, or several joined ones.
type waitingPacket struct {
	packet protocol.Packet
	bytes  int
	hashes []common.Hash            // of pushed transactions, by their place in the packet
	joined map[common.Hash]struct{} // the same, once more than one message has been joined
}

// join adds pushed transactions with their hashes to others that wait. It reports false when they have to wait by
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
	// Two messages may bring the same transaction. One message may not, and the joined one must not look like that.
	for i, it := 0, more.ContentIterator(); it.Next(); i++ {
		if _, twice := w.joined[hashes[i]]; twice {
			continue
		}
		w.joined[hashes[i]] = struct{}{}
		if err := first.AppendRaw(it.Value()); err != nil {
			break // none of them: the iterator gives whole values
		}
	}
	w.bytes += bytes
	return true
}

// cost returns how many bytes of a box a list of transactions takes.
func cost(list *rlp.RawList[*types.Transaction]) (bytes int) {
	for it := list.ContentIterator(); it.Next(); {
		bytes += max(leastCost, len(it.Value()))
	}
	return max(leastCost, bytes)
}

// put adds a packet that costs so many bytes, or drops it when there is no room. hashes are those of pushed
// transactions, none of which comes twice. What was asked for is never dropped: the fetcher asks a peer for 128 KiB at
// a time, and for no more before it has them.
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

// full reports whether there is no room for any pushed transaction, and counts a message that is dropped for it. What
// it has is not even hashed then.
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

// serve gives the packets to handle one after the other until the box is closed.
func (b *inbox) serve(handle func(protocol.Packet)) {
	for range b.wake {
		for {
			b.mu.Lock()
			if b.closed || len(b.packets) == 0 {
				b.mu.Unlock()
				break
			}
			next := b.packets[0]
			b.packets[0] = waitingPacket{} // the array lives on
			b.packets = b.packets[1:]
			b.mu.Unlock()
			handle(next.packet)
			b.mu.Lock()
			b.bytes -= next.bytes // until now it was held
			b.mu.Unlock()
		}
	}
}

// inboxes are those of all peers, by the name of the connection.
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

// of returns the box of a peer, nil when the connection has ended.
func (i *inboxes) of(peer string) *inbox {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.box[peer]
}

// close ends the box of a peer.
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
