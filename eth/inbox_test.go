// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"testing"
	"time"

	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"

	"gwon/eth/session/sessiontest"
)

// Who brings transactions does not wait for the pool, and can make the node hold so many bytes of them; what was asked for is always taken. All
// that is taken is handed on in its order, nothing after the end of the connection.
func TestInbox(t *testing.T) {
	var all inboxes
	box := all.open("peer")
	handled, release := make(chan protocol.Packet, 16), make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		box.serve(func(packet protocol.Packet) { handled <- packet; <-release })
	}()
	next := func() protocol.Packet {
		t.Helper()
		select {
		case packet := <-handled:
			return packet
		case <-time.After(sessiontest.Patience):
			t.Fatal("nothing is handed on")
			return nil
		}
	}
	packets := make([]*protocol.TransactionsPacket, 5)
	for i := range packets {
		packets[i] = new(protocol.TransactionsPacket)
	}
	all.of("peer").put(packets[0], inboxSize/2, false)
	if next() != protocol.Packet(packets[0]) { // the pool is busy with it from here on
		t.Error("another packet is handed on")
	}
	box.put(packets[1], inboxSize/2, false)
	box.put(packets[2], 1, false) // too much
	box.put(packets[3], 1, true)
	release <- struct{}{}
	if next() != protocol.Packet(packets[1]) {
		t.Error("the order is another one")
	}
	release <- struct{}{}
	if next() != protocol.Packet(packets[3]) {
		t.Error("what was asked for is dropped, or what is too much is not")
	}
	box.put(packets[4], 1, false)
	all.close("peer")
	release <- struct{}{}
	<-done
	if len(handled) != 0 {
		t.Error("packets are handed on after the end of the connection")
	}
	if all.of("peer") != nil {
		t.Error("the box of a closed connection is kept")
	}
	box.put(packets[4], 1, false)
	all.of("peer").put(packets[4], 1, false)
	all.close("peer")
}
