// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"encoding/json"
	"strings"
	"time"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// isSubmission reports whether a method gives transactions to the pool. These wait for the pool's admission control, so
// the time that they take says nothing about the work.
func isSubmission(method string) bool { return strings.HasPrefix(method, "eth_sendRawTransaction") }

// price returns the units that a call costs before it runs.
func price(method string, params json.RawMessage) int {
	if isSubmission(method) {
		return 1 + len(params)/submissionChars
	}
	return 1
}

// priceOfTime returns the units that a call costs for the time that it has run. What a call that cannot keep a
// processor busy takes longer than mostShort is the machine's work for others.
func priceOfTime(method string, elapsed time.Duration) int {
	switch {
	case isSubmission(method):
		return 0
	case !gethrpc.TakesLong(method):
		elapsed = min(elapsed, mostShort)
	}
	return int(elapsed / unitTime)
}
