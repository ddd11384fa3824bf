// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package node

import "github.com/ethereum/go-ethereum/rpc"

// boundMessages gives messages over WebSocket the bound of requests over HTTP. Upstream's own bound of 32 MiB times the
// connections of a client is more memory than a node should give to a client.
func boundMessages(server *rpc.Server, config wsConfig) *rpc.Server {
	if limit := config.httpBodyLimit; limit > 0 {
		server.SetWebsocketReadLimit(int64(limit))
	}
	return server
}
