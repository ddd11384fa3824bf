// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import "runtime"

// queueUp lets the other requests that are ready go before one over HTTP. The goroutine of its connection runs its
// call, and would otherwise go on with the next request while other connections wait. docs/adr/0130 has figures.
func queueUp(conn jsonWriter) {
	codec, ok := conn.(*jsonCodec)
	if !ok {
		return
	}
	if _, http := codec.conn.(*httpServerConn); http {
		runtime.Gosched()
	}
}
