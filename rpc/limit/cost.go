// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package limit

import (
	"encoding/json"
	"strings"
	"time"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// What a unit pays for. A request costs one, and so does each call, before it runs.
const (
	// unitTime is how long a call runs for a unit, about what it takes to answer eth_blockNumber over HTTP.
	unitTime = 100 * time.Microsecond
	// unitBytes is how much is received or sent for a unit.
	unitBytes = 10_000
	// mostShort is the most time that a call pays for that cannot keep a processor busy. What it takes longer is the
	// machine's work for others.
	mostShort = time.Millisecond
	// submissionChars is the length of the parameters of a submission for a unit: those of one transfer.
	submissionChars = 400
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

// priceOfTime returns the units that a call costs for the time that it has run.
func priceOfTime(method string, elapsed time.Duration) int {
	switch {
	case isSubmission(method):
		return 0
	case !gethrpc.TakesLong(method):
		elapsed = min(elapsed, mostShort)
	}
	return int(elapsed / unitTime)
}
