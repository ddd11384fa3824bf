// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rlpx

import "bytes"

// KeptBuffer is the size in bytes up to which a connection keeps a buffer between messages. Pushed transactions are
// smaller (spec network 2.4).
const KeptBuffer = 256 << 10

// Take returns data, the result of the last Read, as memory of the caller. A large message is handed over with the
// buffer that it was decompressed into. The connection keeps no buffer above KeptBuffer bytes for later messages. Take
// must not run concurrently with Read.
func (c *Conn) Take(data []byte) []byte {
	if c.snappyReadBuffer != nil && cap(c.snappyReadBuffer) > KeptBuffer {
		c.snappyReadBuffer = []byte{}
	} else {
		data = bytes.Clone(data)
	}
	c.session.rbuf.shrink()
	return data
}

// ReleaseWritten gives up the buffers above KeptBuffer bytes that Write has left. It must not run concurrently with
// Write.
func (c *Conn) ReleaseWritten() {
	if cap(c.snappyWriteBuffer) > KeptBuffer {
		c.snappyWriteBuffer = []byte{}
	}
	if c.session != nil && cap(c.session.wbuf.data) > KeptBuffer {
		c.session.wbuf = writeBuffer{}
	}
}

// shrink moves what was received beyond the last message into a buffer of its size if the present one is large.
func (b *readBuffer) shrink() {
	if cap(b.data) <= KeptBuffer {
		return
	}
	b.data = append([]byte(nil), b.data[len(b.data):b.end]...)
	b.end, b.data = len(b.data), b.data[:0]
}
