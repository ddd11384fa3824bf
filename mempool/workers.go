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

	// leastWaiting is how many of them may wait however long they rest: the more they do the fewer are let in, for an answer that takes as long as
	// connections last is none.
	leastWaiting = 4 * maxWaiting / mostRest

	// turnSignatures is about how many signatures are recovered in one turn of a worker, a few milliseconds of work.
	turnSignatures = 64

	// aheadOfPeers is about how many signatures of submissions may be recovered between two turns of peers: an eighth of all, whatever they
	// carry and however many of them peers send. None of their turns takes more.
	aheadOfPeers = turnSignatures / 8

	// atOnce is how many signatures of a submission are recovered in its own goroutine at most, where nobody waits and the node is not behind: the way to a thread
	// that gives way and back costs half as much as one of them.
	atOnce = aheadOfPeers

	// lateAfter is how long after its time a block is late: the one before it is its period and so much old.
	lateAfter = 1500 * time.Millisecond

	// longestRest is how long those who submit rest at most beyond the common rest for each of a turn, whatever it has taken on a machine with too much to do.
	longestRest = 100 * time.Millisecond

	// freshFor is for how long a late chain counts as behind and not as stopped or as not synced.
	freshFor = time.Minute
)

// workers bounds how many signatures are recovered at a time for transactions from outside: consensus and execution need the
// processors too, and nobody gets a second by asking louder. Those that submit to this node have their share whatever its peers send: alone, a
// submission waits for the end of one turn, and for the rest after it while the chain is behind. Beyond that share peers go first, since other nodes
// have accepted what they send: if submissions went first everywhere, nodes with too much to do would learn of each other's transactions when blocks
// have them, and recover the signatures of a whole block while the others wait for their vote. While nobody waits and blocks are in time, who submits a few
// signatures does the work in its own goroutine, within the same bound.
type workers struct {
	limit int        // how many work at a time
	slow  func() int // how many times as long as they work for those who submit they rest: 0 unless blocks are late or do not take as much as comes
	rest  func(time.Duration)
	alarm func(time.Duration, func()) *time.Timer // time.AfterFunc

	mu               sync.Mutex
	call             *sync.Cond // for threads that wait: somebody waits for them, or it is the end
	threads          int        // that have started and not ended
	working          int
	submitted, peers []waiter  // the oldest first
	ahead            int       // signatures of submissions that had their turn since a peer had one, while a peer waited
	submitFrom       time.Time // when those who submit have their next turn, after the rest beyond the common one
	closed           bool
}

// waiter is who waits for a turn.
type waiter struct {
	work       func()
	signatures int           // that it recovers
	done       chan struct{} // closed when the work is done
}

// newWorkers returns the workers of a pool, which tells how crowded it is.
func newWorkers(chain legacypool.BlockChain, crowding func() int) *workers {
	period := time.Second
	if wbft := chain.Config().Anzeon.WBFT; wbft != nil && wbft.BlockPeriodSeconds > 0 {
		period = time.Duration(wbft.BlockPeriodSeconds) * time.Second
	}
	w := &workers{
		limit: max(1, runtime.GOMAXPROCS(0)/2),
		slow: func() int {
			rests := crowding()
			if rests == 0 && isBehind(chain.CurrentBlock(), period, time.Now()) {
				return 1
			}
			return rests
		},
		rest: time.Sleep, alarm: time.AfterFunc,
	}
	w.call = sync.NewCond(&w.mu)
	return w
}

// isBehind tells that the newest block should have had a child by now, where one comes each period.
func isBehind(head *types.Header, period time.Duration, now time.Time) bool {
	age := now.Sub(time.Unix(int64(head.Time), 0)) - period
	return age > lateAfter && age < freshFor
}

// run has work done, which recovers so many signatures, when it is its turn, and returns then. Of those that submit to this node no more than
// maxWaiting wait; peers are made to wait, which slows down what they send.
func (w *workers) run(work func(), signatures int, submitted bool) error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		work()
		return nil
	}
	if submitted && signatures <= atOnce && len(w.submitted)+len(w.peers) == 0 && w.working < w.limit && w.slow() == 0 {
		w.doAtOnce(work)
		return nil
	}
	who := waiter{work, signatures, make(chan struct{})}
	switch {
	case !submitted:
		w.peers = append(w.peers, who)
	case len(w.submitted) >= leastWaiting && len(w.submitted) >= maxWaiting/max(1, w.slow()/4):
		w.mu.Unlock()
		return full("as many submissions wait as are looked at in good time; send it again in a second")
	default:
		w.submitted = append(w.submitted, who)
	}
	if w.threads < w.limit {
		w.threads++
		go w.thread()
	}
	if w.working == 0 || w.slow() == 0 { // otherwise he who works goes on with this
		w.call.Signal()
	}
	w.mu.Unlock()
	<-who.done
	return nil
}

// doAtOnce has work done that need not wait, in the caller's goroutine. The lock is held, and given up.
func (w *workers) doAtOnce(work func()) {
	w.working++
	w.mu.Unlock()
	work()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.working--
	if len(w.submitted)+len(w.peers) > 0 {
		w.call.Signal() // a thread that had to wait for this
	}
}

// thread works for those who wait, one after the other, until the workers are closed and nobody waits. To its thread the system prefers
// others: whatever else this machine has to do, for the consensus above all, goes first when the processors do not suffice for all. It takes the
// next one's work by itself, for each change between threads costs some microseconds. While the node is behind one works at a time, for several who
// submit in a turn, and rests as long as it has worked. Those who submit may have to rest for longer; peers have their turns meanwhile, for what they send was taken by another
// node, and its sender told so. If that had to wait, each node would only know the part of the crowd that stands before its own door, and each
// validator build its block of that part.
func (w *workers) thread() {
	runtime.LockOSThread() // and not unlocked: the system's thread ends with this
	if err := giveWay(); err != nil {
		log.Debug("Signatures are recovered with the priority of everything else", "err", err)
	}
	turn := make([]waiter, 0, aheadOfPeers)
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		if len(w.submitted)+len(w.peers) == 0 {
			if w.closed {
				w.threads--
				w.call.Signal() // a thread that had to wait for this one when all were called to end
				return
			}
			w.call.Wait()
			continue
		}
		rests := w.slow()
		if w.working >= w.limit || rests > 0 && w.working > 0 {
			w.call.Wait()
			continue
		}
		if rests == 0 {
			w.submitFrom = time.Time{}
		}
		queue, wait := w.next(time.Now())
		if queue == nil {
			w.await(wait)
			continue
		}
		turn = w.take(turn[:0], queue, rests > 0)
		w.working++
		w.mu.Unlock()
		start := time.Now()
		for i, who := range turn {
			turn[i] = waiter{} // what it holds goes with it
			who.work()
			close(who.done)
		}
		took := time.Since(start)
		if rests > 0 {
			w.rest(took)
		}
		w.mu.Lock()
		if queue == &w.submitted && rests > 1 {
			w.submitFrom = time.Now().Add(min(time.Duration(rests-1)*took, time.Duration(len(turn))*longestRest))
		}
		w.working--
		w.call.Signal() // another one that waited for this because the node was behind
	}
}

// take moves the first of a queue into a turn, or several who submit, up to the signatures that they may have ahead of peers: whoever rests after each of them
// spends more on resting than on work.
func (w *workers) take(turn []waiter, queue *[]waiter, several bool) []waiter {
	signatures := 0
	for _, who := range *queue {
		signatures += who.signatures
		if len(turn) > 0 && (!several || queue != &w.submitted || len(turn) == cap(turn) || signatures > aheadOfPeers) {
			break
		}
		if len(turn) > 0 && len(w.peers) > 0 {
			w.ahead += who.signatures // next has counted the first
		}
		turn = append(turn, who)
	}
	clear((*queue)[:len(turn)])
	*queue = (*queue)[len(turn):]
	return turn
}

// await waits until somebody calls, a peer that need not rest perhaps, or so much time has passed.
func (w *workers) await(most time.Duration) {
	timer := w.alarm(most, func() {
		w.mu.Lock() // not before it waits
		defer w.mu.Unlock()
		w.call.Broadcast()
	})
	defer timer.Stop()
	w.call.Wait()
}

// close ends the threads when nobody waits for them. What comes later is done by those who ask for it.
func (w *workers) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.call.Broadcast()
}

// next returns the queue whose first is next: that of the peers, after those who submit have had their share. It returns none, and for how long, when
// only those wait who have to rest. Somebody waits.
func (w *workers) next(now time.Time) (queue *[]waiter, wait time.Duration) {
	rest := w.submitFrom.Sub(now)
	switch {
	case len(w.peers) == 0 && rest > 0 && !w.closed:
		return nil, rest
	case len(w.peers) == 0:
		return &w.submitted, 0
	case len(w.submitted) == 0 || rest > 0:
	case w.ahead < aheadOfPeers:
		w.ahead += w.submitted[0].signatures
		return &w.submitted, 0
	}
	w.ahead = 0
	return &w.peers, 0
}
