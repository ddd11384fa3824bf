// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rlpx

import (
	"bytes"
	"crypto/rand"
	"net"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// connections returns both ends of a connection that compresses.
func connections(t *testing.T) (*Conn, *Conn) {
	t.Helper()
	key := must.Get(crypto.GenerateKey())(t)
	ours, theirs := net.Pipe()
	t.Cleanup(func() { _, _ = ours.Close(), theirs.Close() })
	dialer, listener := NewConn(ours, &key.PublicKey), NewConn(theirs, nil)
	done := make(chan error, 1)
	go func() {
		_, err := listener.Handshake(key)
		done <- err
	}()
	must.Get(dialer.Handshake(key))(t)
	must.Do(t, <-done)
	dialer.SetSnappy(true)
	listener.SetSnappy(true)
	return dialer, listener
}

// A large message leaves no large buffer at either end, and the messages around it arrive unchanged, whichever way the
// bytes are cut into reads.
func TestLargeMessagesLeaveNoBuffers(t *testing.T) {
	sender, receiver := connections(t)
	var messages [][]byte
	for _, size := range []int{0, 100, KeptBuffer, 5 << 20, 10, KeptBuffer + 1, 200, 10 << 20, 300, 300} {
		message := make([]byte, size)
		if _, err := rand.Read(message[:size/2]); err != nil { // half of it is compressed
			t.Fatal(err)
		}
		messages = append(messages, message)
	}
	sent := make(chan error, 1)
	go func() {
		for i, message := range messages {
			if _, err := sender.Write(uint64(i), message); err != nil {
				sent <- err
				return
			}
			sender.ReleaseWritten()
		}
		sent <- nil
	}()
	var taken [][]byte
	for i := range messages {
		code, data, _, err := receiver.Read()
		require.Truef(t, err == nil && code == uint64(i), "message %d: code %d, error %v", i, code, err)
		taken = append(taken, receiver.Take(data))
		kept := cap(receiver.snappyReadBuffer)
		assert.Truef(t, kept <= KeptBuffer, "message %d of %d bytes leaves %d bytes for decompression", i, len(data), kept)
		if kept := cap(receiver.session.rbuf.data); kept > 2*KeptBuffer {
			t.Errorf("message %d of %d bytes leaves %d bytes for frames", i, len(data), kept)
		}
	}
	must.Do(t, <-sent)
	for i, message := range messages {
		assert.Truef(t, bytes.Equal(taken[i], message), "message %d of %d bytes changed after it was taken", i, len(message))
	}
	compressed, frame := cap(sender.snappyWriteBuffer), cap(sender.session.wbuf.data)
	assert.Truef(t, compressed <= KeptBuffer && frame <= KeptBuffer,
		"buffers of %d and %d bytes are left at the sender", compressed, frame)
}
