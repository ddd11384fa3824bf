// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package explore

import (
	"context"
	"encoding/json"
	"fmt"
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

// Gate puts a check before another gate: of the namespace debug only the bounded traces exist for the network.
func Gate(next gethrpc.Gate) gethrpc.Gate { return &gate{next} }

type gate struct{ gethrpc.Gate }

// Call implements rpc.Gate.
func (g *gate) Call(ctx context.Context, remote, method string, params json.RawMessage) error {
	if strings.HasPrefix(method, "debug_") && !open[method] {
		return &unknownMethod{method}
	}
	return g.Gate.Call(ctx, remote, method, params)
}

// unknownMethod is the error of a method that does not exist (spec rpc 2.5).
type unknownMethod struct{ method string }

func (e *unknownMethod) Error() string {
	return fmt.Sprintf("the method %.80s does not exist/is not available", e.method)
}

// ErrorCode implements rpc.Error.
func (e *unknownMethod) ErrorCode() int { return -32601 }
