// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package loadtest

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"sync"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// maxShown is how many texts of errors, and hashes of lost transactions, a report has.
const maxShown = 32

// figures stand for the numbers and hashes in an error, which are different each time.
var figures = regexp.MustCompile(`0x[0-9a-fA-F]+|[0-9]+`)

// errorCounts counts errors by their code and their words.
type errorCounts struct {
	mu     sync.Mutex
	counts map[string]int
}

func (e *errorCounts) add(err error) {
	text := figures.ReplaceAllString(err.Error(), "…")
	if coded, ok := errors.AsType[gethrpc.Error](err); ok {
		text = fmt.Sprintf("%d %s", coded.ErrorCode(), text)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.counts == nil {
		e.counts = make(map[string]int)
	}
	if _, known := e.counts[text]; !known && len(e.counts) == maxShown {
		text = "others"
	}
	e.counts[text]++
}

// byText returns the counts until now, not nil.
func (e *errorCounts) byText() map[string]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	counts := maps.Clone(e.counts)
	if counts == nil {
		counts = make(map[string]int)
	}
	return counts
}
