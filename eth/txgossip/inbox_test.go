// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txgossip

import (
	"runtime"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/eth/session/sessiontest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// served is an inbox whose packets a test takes one by one.
type served struct {
	*inbox
	t       *testing.T
	handled chan protocol.Packet
	release chan struct{}
	ended   chan struct{}
}

func serveInbox(t *testing.T, all *inboxes, peer string) *served {
	s := &served{all.open(peer), t, make(chan protocol.Packet, 16), make(chan struct{}), make(chan struct{})}
	go func() {
		defer close(s.ended)
		s.serve(func(packet protocol.Packet) { s.handled <- packet; <-s.release })
	}()
	return s
}

// next returns the packet with which the pool is busy from here on.
func (s *served) next() protocol.Packet {
	s.t.Helper()
	select {
	case packet := <-s.handled:
		return packet
	case <-time.After(sessiontest.Patience):
		s.t.Fatal("nothing is handed on")
		return nil
	}
}

// awaitEmpty returns when the box holds nothing any more.
func (s *served) awaitEmpty() {
	s.t.Helper()
	for deadline := time.Now().Add(sessiontest.Patience); ; runtime.Gosched() {
		s.mu.Lock()
		held := s.bytes
		s.mu.Unlock()
		if held == 0 {
			return
		}
		must.That(s.t, !time.Now().After(deadline), "%d bytes are held", held)
	}
}

// emptyPackets are answers, which stay by themselves.
func emptyPackets(n int) (packets []*protocol.PooledTransactionsPacket) {
	for range n {
		packets = append(packets, new(protocol.PooledTransactionsPacket))
	}
	return packets
}

// A peer that sends transactions does not wait for the pool, and can make the node hold a bounded size of them; what
// was asked for is always taken. All that is taken is handed on in its order, nothing after the end of the connection.
func TestInbox(t *testing.T) {
	var all inboxes
	packets := emptyPackets(5)
	box := serveInbox(t, &all, "peer")
	all.of("peer").put(packets[0], inboxSize/2, nil, false)
	expect.Equal(t, box.next(), protocol.Packet(packets[0]), "another packet is handed on")
	box.put(packets[1], inboxSize/2, nil, false)
	box.put(packets[2], 1, nil, false) // too much
	box.put(packets[3], 1, nil, true)
	box.release <- struct{}{}
	expect.Equal(t, box.next(), protocol.Packet(packets[1]), "the order is another one")
	box.release <- struct{}{}
	expect.Equal(t, box.next(), protocol.Packet(packets[3]), "what was asked for is dropped, or what is too much is not")
	box.put(packets[4], 1, nil, false)
	all.close("peer")
	box.release <- struct{}{}
	<-box.ended
	expect.Equal(t, len(box.handled), 0, "packets are handed on after the end of the connection")
	expect.That(t, all.of("peer") == nil, "the box of a closed connection is kept")
	box.put(packets[4], 1, nil, false)
	all.of("peer").put(packets[4], 1, nil, false)
	all.close("peer")
}

// A message larger than the box is taken when nothing is held, not beside one that the pool is busy with; and the box
// does not keep what the pool is done with.
func TestInboxCountsWhatIsHandled(t *testing.T) {
	var all inboxes
	packets := emptyPackets(5)
	box := serveInbox(t, &all, "peer")
	defer all.close("peer")
	box.put(packets[0], leastCost, nil, false)
	box.next()
	box.put(packets[1], inboxSize, nil, false) // one of them is too much
	box.put(packets[2], 2*inboxSize, nil, false)
	box.put(packets[3], inboxSize-leastCost, nil, false) // exactly the rest
	box.mu.Lock()
	array := box.packets
	box.mu.Unlock()
	must.That(t, len(array) == 1 && array[0].packet == protocol.Packet(packets[3]),
		"%d messages wait beside the one that is handled", len(array))
	box.release <- struct{}{}
	expect.Equal(t, box.next(), protocol.Packet(packets[3]), "another packet is handed on")
	box.mu.Lock()
	expect.That(t, array[0].packet == nil, "the box keeps a packet that was handed on")
	expect.Equal(t, box.bytes, inboxSize-leastCost, "bytes are held")
	box.mu.Unlock()
	box.release <- struct{}{}
	box.awaitEmpty()
	box.put(packets[4], 10*inboxSize, nil, false)
	expect.Equal(t, box.next(), protocol.Packet(packets[4]), "another packet is handed on")
	box.release <- struct{}{}
}

// Pushed transactions that wait are handed on together, up to a bound, in their order; answers stay by themselves,
// and what is being handled is left alone.
func TestInboxJoins(t *testing.T) {
	var all inboxes
	box := serveInbox(t, &all, "peer")
	defer all.close("peer")
	next := 0
	push := func(n int) {
		packet := new(protocol.TransactionsPacket)
		var hashes []common.Hash
		for range n {
			must.Do(t, packet.AppendRaw([]byte{0x82, byte(next >> 8), byte(next)}))
			hashes = append(hashes, common.Hash{byte(next >> 8), byte(next)})
			next++
		}
		box.put(packet, n*leastCost, hashes, false)
	}
	push(1) // at once
	first := box.next()
	push(2)
	push(3)
	box.put(new(protocol.PooledTransactionsPacket), leastCost, nil, true)
	push(mostJoined - 1)
	push(1)
	push(1)
	box.mu.Lock()
	expect.Equal(t, box.bytes, (1+2+3+1+mostJoined+1)*leastCost, "bytes are held")
	box.mu.Unlock()
	var have []int
	value := 0
	for packet := first; ; packet = box.next() {
		if pushed, ok := packet.(*protocol.TransactionsPacket); ok {
			for it := pushed.ContentIterator(); it.Next(); value++ {
				must.Equal(t, int(it.Value()[1])<<8|int(it.Value()[2]), value, "place of a transaction")
			}
			have = append(have, pushed.Len())
		} else {
			have = append(have, 0)
		}
		if len(have) == 5 {
			break
		}
		box.release <- struct{}{}
	}
	want := []int{1, 5, 0, mostJoined, 1}
	expect.Slice(t, have, want, "are handed on together")
	box.release <- struct{}{}
	box.awaitEmpty()
}

// A transaction that comes in two messages is handed on once, for one message with two of it would cost the peer its
// connection.
func TestInboxJoinsOnce(t *testing.T) {
	var all inboxes
	box := serveInbox(t, &all, "peer")
	defer all.close("peer")
	push := func(values ...byte) {
		packet := new(protocol.TransactionsPacket)
		var hashes []common.Hash
		for _, value := range values {
			must.Do(t, packet.AppendRaw([]byte{value}))
			hashes = append(hashes, common.Hash{value})
		}
		box.put(packet, len(values)*leastCost, hashes, false)
	}
	push(1)
	box.next()
	push(2, 3)
	push(3, 4)
	push(4, 5, 2)
	box.release <- struct{}{}
	var have []byte
	for it := box.next().(*protocol.TransactionsPacket).ContentIterator(); it.Next(); {
		have = append(have, it.Value()...)
	}
	expect.Slice(t, have, []byte{2, 3, 4, 5}, "are handed on")
	box.release <- struct{}{}
	box.awaitEmpty()
}

// Messages and transactions cost memory however short they are.
func TestInboxCost(t *testing.T) {
	for _, tt := range []struct {
		sizes []int
		want  int
	}{
		{nil, 256}, {[]int{10}, 256}, {[]int{256}, 256}, {[]int{257}, 257}, {[]int{10, 10, 10}, 3 * 256}, {[]int{300, 20},
			556},
	} {
		packet := new(protocol.TransactionsPacket)
		for _, size := range tt.sizes {
			content := size
			for rlp.StringSize(string(make([]byte, content))) > uint64(size) {
				content--
			}
			raw, err := rlp.EncodeToBytes(make([]byte, content))
			must.That(t, err == nil && len(raw) == size, "%d bytes instead of %d, %v", len(raw), size, err)
			must.Do(t, packet.AppendRaw(raw))
		}
		expect.Equal(t, cost(&packet.RawList), tt.want, "transactions of %v bytes cost", tt.sizes)
	}
}
