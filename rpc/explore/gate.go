// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package explore

import (
	"context"
	"encoding/json"
	"strings"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// Modules returns the namespaces that the profile opens beside the public ones.
func Modules() []string { return []string{"debug", "trace", "ots", "erigon"} }

// open are the methods of debug that the network may call.
var open = map[string]bool{
	"debug_traceBlockByNumber": true, "debug_traceBlockByHash": true, "debug_traceTransaction": true,
	"debug_traceCall": true,
}

// Door puts a check before a door: of the namespace debug only the bounded traces exist for the network.
func Door(next gethrpc.Door) gethrpc.Door { return &bounded{next} }

type bounded struct{ gethrpc.Door }

// Call implements rpc.Door.
func (d *bounded) Call(ctx context.Context, owner gethrpc.Owner, method string, params json.RawMessage) error {
	if strings.HasPrefix(method, "debug_") && !open[method] {
		return refuse(gethrpc.CodeNoMethod, "", "the method %.80s does not exist/is not available", method) // spec rpc 2.5
	}
	return d.Door.Call(ctx, owner, method, params)
}
