// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/door/calls"
)

// gate lets calls of the offered methods run, and refuses others with the reason.
type gate struct {
	gethrpc.Door
	offered map[string]struct{}
}

const subscribe = "eth_subscribe"

func newGate(server *gethrpc.Server) *gate {
	g := &gate{calls.New(calls.Limits{Unread: calls.MaxUnread}), map[string]struct{}{"eth_unsubscribe": {}}}
	list, kinds := server.Methods()
	for _, method := range list {
		if method.Name != gethrpc.DiscoverMethod {
			g.offered[method.Name] = struct{}{}
		}
	}
	for _, kind := range kinds["eth"] {
		g.offered[subscribe+" "+kind] = struct{}{}
	}
	return g
}

// Call implements rpc.Door.
func (g *gate) Call(ctx context.Context, owner gethrpc.Owner, method string, params json.RawMessage) error {
	called := method
	if method == subscribe {
		method += " " + kindOf(params)
	}
	if _, offered := g.offered[method]; !offered {
		text := fmt.Sprintf("the method %.100s is not offered by gwon-dev light: %s", method, reasonOf(method))
		return &gethrpc.Refusal{Code: gethrpc.CodeNoMethod, Text: text} // the method does not exist
	}
	return g.Door.Call(ctx, owner, called, params) //nolint:wrapcheck // the error is the answer
}

// reasons say why methods are refused, by the beginnings of their names. The longest one that fits counts.
var reasons = map[string]string{
	"txpool_":                         "nothing proves what waits in a pool",
	"eth_pendingTransactions":         "nothing proves what waits in a pool",
	"eth_newPendingTransactionFilter": "nothing proves what waits in a pool",
	"debug_":                          "traces need the whole state before a block: ask a node",
	"trace_":                          "traces need the whole state before a block: ask a node",
	"eth_simulateV1":                  "the roots of simulated blocks need whole tries: ask a node, or use eth_call",
	"eth_subscribe":                   "newHeads and logs are what can be subscribed to",
	"eth_subscribe newPending":        "nothing proves what waits in a pool",
	"eth_subscribe syncing":           "there is no chain here that syncs: ask eth_syncing",
	"eth_subscribe transactionRec":    "ask eth_getTransactionReceipt, or subscribe to logs",
	"eth_sign":                        "there are no keys: sign in the wallet and submit with eth_sendRawTransaction",
	"eth_sendTransaction":             "there are no keys: sign in the wallet and submit with eth_sendRawTransaction",
	"personal_":                       "there are no keys: sign in the wallet",
	"eth_getTransactionBySenderHash":  "a node alone has that index, and nothing proves its answer",
	"istanbul_":                       "nothing proves what a node says about itself: gwon proof verifies finality",
	"admin_":                          "it is a method of operators of a node",
	"miner_":                          "it is a method of operators of a node",
	"net_peerCount":                   "there are no peers",
}

// reasonOf returns why a method is not offered.
func reasonOf(method string) string {
	best := ""
	for begin := range reasons {
		if strings.HasPrefix(method, begin) && len(begin) > len(best) {
			best = begin
		}
	}
	if best == "" {
		return "its answers are not proven: ask a node"
	}
	return reasons[best]
}
