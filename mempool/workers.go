// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"runtime"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
)

const (
	// maxWaiting is how many submissions may wait for a worker at a time.
	maxWaiting = 1024

	// turnSignatures is about how many signatures are recovered in one turn of a worker, a few milliseconds of work.
	turnSignatures = 64

	// aheadOfPeers is how many submissions may have their turn before peers that have waited for longer, after each turn of a peer: a quarter
	// of all signatures, however many of them peers send.
	aheadOfPeers = turnSignatures / 3

	// lateAfter is how long after its time a block is late: the one before it is its period and so much old.
	lateAfter = 1500 * time.Millisecond

	// freshFor is for how long a late chain counts as behind and not as stopped or as not synced.
	freshFor = time.Minute
)

// workers bounds how many signatures are recovered at a time for transactions from outside: consensus and execution need the
// processors too, and nobody gets a second by asking louder. Those that submit to this node do not stand behind its peers: alone, a
// submission waits for the end of one turn, whatever peers send.
type workers struct {
	limit  int // how many work at a time
	behind func() bool
	rest   func(time.Duration)
	jobs   chan func()   // for the threads
	quit   chan struct{} // closed with the pool

	mu               sync.Mutex
	threads          int // that were started
	working          int
	submitted, peers []waiter // the oldest first
	ahead            int      // submissions that had their turn since a peer had one, while a peer waited
}

// waiter is who waits for a turn.
type waiter struct {
	since time.Time
	turn  chan struct{} // closed when it has come
}

func newWorkers(chain legacypool.BlockChain) *workers {
	period := time.Second
	if wbft := chain.Config().Anzeon.WBFT; wbft != nil && wbft.BlockPeriodSeconds > 0 {
		period = time.Duration(wbft.BlockPeriodSeconds) * time.Second
	}
	return &workers{
		limit:  max(1, runtime.GOMAXPROCS(0)/2),
		behind: func() bool { return isBehind(chain.CurrentBlock(), period, time.Now()) },
		rest:   time.Sleep,
		jobs:   make(chan func()),
		quit:   make(chan struct{}),
	}
}

// isBehind tells that the newest block should have had a child by now, where one comes each period.
func isBehind(head *types.Header, period time.Duration, now time.Time) bool {
	age := now.Sub(time.Unix(int64(head.Time), 0)) - period
	return age > lateAfter && age < freshFor
}

// run has work done when it is its turn, and returns then. Of those that submit to this node no more than maxWaiting wait; peers are made to
// wait, which slows down what they send. While the node is behind one works at a time, and rests as long as it has worked.
func (w *workers) run(work func(), submitted bool) error {
	if err := w.begin(submitted); err != nil {
		return err
	}
	defer w.end()
	start, behind := time.Now(), w.behind()
	w.do(work)
	if behind {
		w.rest(time.Since(start))
	}
	return nil
}

// do calls work on a thread to which the system prefers others: whatever else this machine has to do, for the consensus above all, goes first when
// the processors do not suffice for all.
func (w *workers) do(work func()) {
	w.mu.Lock()
	if w.threads < w.limit { // as many as work at a time: each job finds one that is free
		w.threads++
		go w.thread()
	}
	w.mu.Unlock()
	done := make(chan struct{})
	job := func() {
		defer close(done)
		work()
	}
	select {
	case w.jobs <- job:
		<-done
	case <-w.quit:
		job()
	}
}

// thread does jobs until the workers are closed. The thread ends with it.
func (w *workers) thread() {
	runtime.LockOSThread()
	if err := giveWay(); err != nil {
		log.Debug("Signatures are recovered with the priority of everything else", "err", err)
	}
	for {
		select {
		case job := <-w.jobs:
			job()
		case <-w.quit:
			return
		}
	}
}

// close ends the threads. What comes later is done by those who ask for it.
func (w *workers) close() { close(w.quit) }

// begin returns when the caller may work.
func (w *workers) begin(submitted bool) error {
	turn := make(chan struct{})
	w.mu.Lock()
	switch {
	case !submitted:
		w.peers = append(w.peers, waiter{time.Now(), turn})
	case len(w.submitted) == maxWaiting:
		w.mu.Unlock()
		return full("%d submissions wait to be looked at; send it again in a second", maxWaiting)
	default:
		w.submitted = append(w.submitted, waiter{time.Now(), turn})
	}
	w.dispatch()
	w.mu.Unlock()
	<-turn
	return nil
}

// end lets the next one work.
func (w *workers) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.working--
	w.dispatch()
}

// dispatch lets as many work as may. It is called again: while somebody waits, somebody works. The lock is held.
func (w *workers) dispatch() {
	limit := w.limit
	if w.behind() {
		limit = 1
	}
	for ; w.working < limit && len(w.submitted)+len(w.peers) > 0; w.working++ {
		queue := w.next()
		close((*queue)[0].turn)
		*queue = (*queue)[1:]
	}
}

// next returns the queue whose first is next: who has waited for longest, but submissions before peers up to their share. So what is submitted here goes
// on whatever peers send, and when there is too much of both it does not go ahead of what other nodes have taken.
func (w *workers) next() *[]waiter {
	switch {
	case len(w.peers) == 0:
		return &w.submitted
	case len(w.submitted) == 0:
	case w.ahead < aheadOfPeers:
		w.ahead++
		return &w.submitted
	case w.submitted[0].since.Before(w.peers[0].since):
		return &w.submitted
	}
	w.ahead = 0
	return &w.peers
}
