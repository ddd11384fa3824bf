// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rlpx

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"testing"

	"github.com/golang/snappy"

	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorder keeps what is written to a connection instead of sending it.
type recorder struct {
	net.Conn
	sent bytes.Buffer
}

func (r *recorder) Write(b []byte) (int, error) { return r.sent.Write(b) }

// replay answers reads with what a recorder has kept, in pieces, and counts them.
type replay struct {
	net.Conn
	bytes io.Reader
	read  int
}

func (r *replay) Read(b []byte) (int, error) {
	n, err := r.bytes.Read(b[:min(len(b), 1+len(b)/2)])
	r.read += n
	return n, err
}

// recorded returns the connection that receives what send writes to the other end.
func recorded(t *testing.T, compressed bool, send func(*Conn)) (*Conn, *replay) {
	t.Helper()
	sender, receiver := connections(t)
	sender.SetSnappy(compressed)
	receiver.SetSnappy(compressed)
	out := &recorder{Conn: sender.conn}
	sender.conn = out
	send(sender)
	in := &replay{Conn: receiver.conn, bytes: bytes.NewReader(out.sent.Bytes())}
	receiver.conn = in
	return receiver, in
}

// mixture returns n bytes of which some compress.
func mixture(random *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32()) >> (i / 512 % 8)
	}
	return b
}

// ReadAdmitted and Read return the same messages, whatever their size and their code.
func TestReadAdmittedReadsTheSame(t *testing.T) {
	for _, compressed := range []bool{false, true} {
		random := rand.New(rand.NewPCG(1, 2))
		var messages [][]byte
		var codes []uint64
		for _, size := range []int{0, 1, 14, 15, 16, 17, 31, 32, 100, 127, 128, 5000, KeptBuffer, 1 << 20, 3} {
			messages = append(messages, mixture(random, size))
			codes = append(codes, random.Uint64()>>random.IntN(64))
		}
		send := func(c *Conn) {
			for i, m := range messages {
				must.Get(c.Write(codes[i], m))(t)
			}
		}
		plain, _ := recorded(t, compressed, send)
		admitted, _ := recorded(t, compressed, send)
		for i, m := range messages {
			asked := 0
			code, data, size, err := admitted.ReadAdmitted(func(n int) error {
				asked++
				assert.Truef(t, n >= len(m), "message %d: asked for %d of %d bytes", i, n, len(m))
				return nil
			})
			require.Truef(t, err == nil && code == codes[i] && bytes.Equal(data, m) && asked == 1,
				"message %d of %d bytes: code %d, want %d, error %v, asked %d times", i, len(m), code, codes[i], err, asked)
			if _, _, want, err := plain.Read(); err != nil || size != want {
				t.Errorf("message %d: %d bytes on the wire, want %d, error %v", i, size, want, err)
			}
		}
		if _, _, _, err := admitted.ReadAdmitted(func(int) error { return nil }); !errors.Is(err, io.EOF) {
			t.Errorf("after the last message: %v", err)
		}
	}
}

// A message that is not admitted costs no memory, and no more is read of it than what says its size: 16 bytes of its
// content, and what came with them.
func TestRefusedMessageTakesNoMemory(t *testing.T) {
	errRefused := errors.New("refused")
	for name, message := range map[string][]byte{
		"incompressible": mixture(rand.New(rand.NewPCG(3, 4)), 8<<20), "zeros": make([]byte, 16<<20-1),
	} {
		receiver, wire := recorded(t, true, func(c *Conn) {
			must.Get(c.Write(7, message))(t)
		})
		asked := 0
		_, _, _, err := receiver.ReadAdmitted(func(n int) error { asked = n; return errRefused })
		assert.Truef(t, errors.Is(err, errRefused) && asked >= len(message) && asked <= len(message)+len(message)/5+100,
			"%s: asked for %d bytes of %d, error %v", name, asked, len(message), err)
		kept := cap(receiver.session.rbuf.data) + cap(receiver.snappyReadBuffer)
		assert.Truef(t, kept <= 4096 && wire.read <= 4096, "%s: %d bytes of memory, %d read", name, kept, wire.read)
	}
}

// A frame that is larger than its header says, and a message that is larger than it says, are no messages.
func TestFramesThatLieAboutTheirSize(t *testing.T) {
	admit := func(limit int) func(int) error {
		return func(n int) error {
			assert.Truef(t, n <= limit, "asked for %d bytes", n)
			return nil
		}
	}
	t.Run("content beyond the header", func(t *testing.T) {
		receiver, _ := recorded(t, true, func(c *Conn) {
			// The header of a small frame, with its true code of authentication, then the content of a large one.
			s := c.session
			header := make([]byte, frameHeader)
			putUint24(40, header)
			copy(header[3:], zeroHeader)
			s.enc.XORKeyStream(header, header)
			lie := append(header, s.egressMAC.computeHeader(header)...)
			content := append([]byte{1}, make([]byte, 1<<20-1)...) // code 1, size 0
			s.enc.XORKeyStream(content, content)
			lie = append(append(lie, content...), s.egressMAC.computeFrame(content)...)
			must.Get(c.conn.Write(lie))(t)
		})
		_, _, _, err := receiver.ReadAdmitted(admit(100))
		assert.ErrorIs(t, err, errFrameMAC)
		kept := cap(receiver.session.rbuf.data)
		assert.Truef(t, kept <= 4096, "%d bytes of memory", kept)
	})
	t.Run("header that is not authentic", func(t *testing.T) {
		receiver, _ := recorded(t, true, func(c *Conn) {
			must.Get(c.conn.Write(make([]byte, 64)))(t)
		})
		_, _, _, err := receiver.ReadAdmitted(admit(0))
		assert.ErrorIs(t, err, errHeaderMAC)
	})
	for name, c := range map[string]struct {
		claimed uint64
		want    error
	}{
		"message beyond its size":           {100, snappy.ErrCorrupt},
		"message of an impossible size":     {1 << 24, errPlainMessageTooLarge},
		"message of a size beyond a number": {1 << 40, snappy.ErrCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			receiver, _ := recorded(t, true, func(conn *Conn) {
				block := snappy.Encode(nil, make([]byte, 1<<20))
				_, n := binary.Uvarint(block)
				lie := append(binary.AppendUvarint(nil, c.claimed), block[n:]...)
				must.Do(t, conn.session.writeFrame(conn.conn, 1, lie))
			})
			_, _, _, err := receiver.ReadAdmitted(admit(64 << 10))
			assert.ErrorIs(t, err, c.want)
			kept := cap(receiver.snappyReadBuffer)
			assert.Truef(t, kept <= 4096, "%d bytes of memory", kept)
		})
	}
}
