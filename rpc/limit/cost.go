// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package limit

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Costs of calls in units. A unit is about what it takes to answer eth_blockNumber over HTTP.
const (
	callCost  = 5
	wideCost  = 20 // answers of a whole block or of a state walk
	traceCost = 100
	// blocksPerUnit is how many blocks of a range cost one unit.
	blocksPerUnit = 100
	// tracedPerUnit is how many blocks of a range of traces cost one unit.
	tracedPerUnit = 10
	// unknownRange is how many blocks a range counts whose ends are not both numbers.
	unknownRange = 1000
)

// costs are those of the methods that cost more than one unit, without their ranges.
var costs = map[string]int{
	"eth_call": callCost, "eth_estimateGas": 2 * callCost, "eth_createAccessList": 2 * callCost,
	"eth_fillTransaction": 2 * callCost,
	"eth_simulateV1":      2 * wideCost, "eth_getProof": callCost, "eth_getStorageValues": callCost,
	"eth_feeHistory": callCost,
	"eth_getLogs":    callCost, "eth_newFilter": callCost, "eth_getFilterLogs": wideCost, "eth_getBlockReceipts": wideCost,
	"eth_getReceiptsByHash": wideCost, "eth_getBlockByNumber": 2, "eth_getBlockByHash": 2, "eth_sendRawTransaction": 2,
	"eth_sendRawTransactions": wideCost, "eth_subscribe": callCost,
	"txpool_content": traceCost, "txpool_contentFrom": wideCost, "txpool_inspect": traceCost,
	"istanbul_status": wideCost, "istanbul_getFinalityProof": wideCost,
	"ots_getApiLevel": 1, "ots_hasCode": callCost, "ots_getBlockDetails": wideCost, "ots_getBlockDetailsByHash": wideCost,
	"ots_getBlockTransactions": wideCost, "ots_getTransactionBySenderAndNonce": wideCost,
}

// tracing are the namespaces whose methods execute transactions.
var tracing = []string{"debug_", "trace_", "ots_"}

// Cost returns the units that a call costs, at least one.
func Cost(method string, params json.RawMessage) int {
	cost := costs[method]
	if cost == 0 {
		cost = 1
		for _, namespace := range tracing {
			if strings.HasPrefix(method, namespace) {
				cost = traceCost
			}
		}
	}
	switch method {
	case "eth_getLogs":
		cost += int(min(logRange(params)/blocksPerUnit, math.MaxInt32))
	case "trace_filter":
		cost += int(min(logRange(params)/tracedPerUnit, math.MaxInt32))
	}
	return cost
}

// logRange returns how many blocks a query of logs or traces covers.
func logRange(params json.RawMessage) uint64 {
	var args []struct {
		BlockHash          json.RawMessage
		FromBlock, ToBlock json.RawMessage
	}
	if json.Unmarshal(params, &args) != nil || len(args) == 0 || args[0].BlockHash != nil {
		return 1
	}
	from, fromKnown := quantity(args[0].FromBlock)
	to, toKnown := quantity(args[0].ToBlock)
	switch {
	case bytes.Equal(args[0].FromBlock, args[0].ToBlock):
		return 1
	case !fromKnown || !toKnown:
		return unknownRange
	case from > to:
		return 1
	}
	return to - from
}

func quantity(encoded json.RawMessage) (uint64, bool) {
	digits, found := strings.CutPrefix(strings.Trim(string(encoded), `"`), "0x")
	n, err := strconv.ParseUint(digits, 16, 64)
	return n, found && err == nil
}
