// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filters

import (
	"time"

	"github.com/ethereum/go-ethereum/rpc"
)

// What it costs to compare logs with the criteria of one filter or subscription (BenchmarkMatch), and from which time
// on it is charged. logsWaiting are events that wait to be charged for.
const (
	timeOfLog        = 100 * time.Nanosecond
	timeOfCriterion  = 50 * time.Nanosecond // which becomes the member of a set
	timeOfComparison = 2 * time.Nanosecond  // of one log with one criterion of a short list
	chargedFrom      = time.Millisecond
	logsWaiting      = 16
)

// matchTime returns about how long it takes to compare logs with a number of addresses and topics.
func matchTime(logs, criteria int) time.Duration {
	if logs <= fewLogs {
		return time.Duration(logs) * (timeOfLog + time.Duration(criteria)*timeOfComparison)
	}
	return time.Duration(logs)*timeOfLog + time.Duration(criteria)*timeOfCriterion
}

// charge has clients pay for the comparison of logs with what they wait for, each time that it makes a millisecond.
func (b *BoundedAPI) charge(logs int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for w := range b.watches {
		if w.owed += matchTime(logs, w.criteria); w.owed >= chargedFrom {
			b.door.Used(w.owner, rpc.MatchingLogs, w.owed)
			w.owed = 0
		}
	}
}
