// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filters

import (
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rpc"
)

// fewLogs is up to how many logs a list is searched one by one, which costs less than making a set of it.
const fewLogs = 8

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
	for _, w := range b.watches {
		if !w.logs {
			continue
		}
		if w.owed += matchTime(logs, w.criteria); w.owed >= chargedFrom {
			b.door.Used(w.owner, rpc.MatchingLogs, w.owed)
			w.owed = 0
		}
	}
}

// wantedOf returns a function that reports whether a list has a value, for a number of logs.
func wantedOf[T comparable](list []T, logs int) func(T) bool {
	if logs <= fewLogs || len(list) <= fewLogs {
		return func(value T) bool { return slices.Contains(list, value) }
	}
	set := make(map[T]struct{}, len(list))
	for _, value := range list {
		set[value] = struct{}{}
	}
	return func(value T) bool {
		_, ok := set[value]
		return ok
	}
}

// criteria returns what a query wants, to be compared with a number of logs.
func criteria(logs int, addresses []common.Address, topics [][]common.Hash) (func(common.Address) bool,
	[]func(common.Hash) bool) {
	byPosition := make([]func(common.Hash) bool, len(topics))
	for i, list := range topics {
		byPosition[i] = wantedOf(list, logs)
	}
	return wantedOf(addresses, logs), byPosition
}
