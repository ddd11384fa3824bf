// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/types"
)

const (
	// maxWaiting is how many submissions may wait for a worker at a time.
	maxWaiting = 1024

	// lateAfter is how long after its time a block is late: the one before it is its period and so much old.
	lateAfter = 1500 * time.Millisecond

	// freshFor is for how long a late chain counts as behind and not as stopped or as not synced.
	freshFor = time.Minute
)

// workers bounds how many signatures are recovered at a time for transactions from outside: consensus and execution need the
// processors too, and nobody gets a second by asking louder.
type workers struct {
	tokens  chan struct{}
	yield   chan struct{} // held by the one that works while the node is behind
	waiting atomic.Int64
	behind  func() bool
	rest    func(time.Duration)
}

func newWorkers(chain legacypool.BlockChain) *workers {
	period := time.Second
	if wbft := chain.Config().Anzeon.WBFT; wbft != nil && wbft.BlockPeriodSeconds > 0 {
		period = time.Duration(wbft.BlockPeriodSeconds) * time.Second
	}
	return &workers{
		tokens: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
		yield:  make(chan struct{}, 1),
		behind: func() bool { return isBehind(chain.CurrentBlock(), period, time.Now()) },
		rest:   time.Sleep,
	}
}

// isBehind tells that the newest block should have had a child by now, where one comes each period.
func isBehind(head *types.Header, period time.Duration, now time.Time) bool {
	age := now.Sub(time.Unix(int64(head.Time), 0)) - period
	return age > lateAfter && age < freshFor
}

// run calls work on the caller's goroutine when it is its turn. Of those that submit to this node no more than maxWaiting wait; peers are
// made to wait, which slows down what they send. While the node is behind one works at a time, and rests as long as it has worked.
func (w *workers) run(work func(), submitted bool) error {
	select {
	case w.tokens <- struct{}{}:
	default:
		if submitted && w.waiting.Add(1) > maxWaiting {
			w.waiting.Add(-1)
			return full("%d submissions wait to be looked at; send it again in a second", maxWaiting)
		} else if submitted {
			defer w.waiting.Add(-1)
		}
		w.tokens <- struct{}{}
	}
	defer func() { <-w.tokens }()
	if !w.behind() {
		work()
		return nil
	}
	w.yield <- struct{}{}
	defer func() { <-w.yield }()
	start := time.Now()
	work()
	w.rest(time.Since(start))
	return nil
}
