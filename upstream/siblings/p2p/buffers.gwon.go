// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package p2p

import (
	"bytes"

	"github.com/ethereum/go-ethereum/p2p/rlpx"
)

// releaseWritten gives up the large buffers that a written message has left. The caller holds t.wmu.
func (t *rlpxTransport) releaseWritten() {
	t.conn.ReleaseWritten()
	if t.wbuf.Cap() > rlpx.KeptBuffer {
		t.wbuf = bytes.Buffer{}
	}
}
