// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/params"
)

// Admission control decides when the signatures of a new transaction are recovered. It has four parts:
//
//   - Bounded workers: at most half of the processors recover signatures, in threads of low priority.
//   - Weighted fair queuing: submissions and peers have a queue each. While both wait, submissions get one eighth of
//     the signatures. Peers go first beyond that, since another node has admitted their transactions.
//   - Back-pressure: while blocks are late or the pool is congested, one worker pauses after each batch, and
//     submissions are delayed by a multiple of the work before they are answered.
//   - Overload: submissions beyond a bounded queue are refused with error -32005.
//
// docs/adr/0028-bounded-signature-recovery.md and 0029-throttle-submissions.md say why, 0044-admission-control.md what
// a simpler method lost.

const (
	// batchSignatures is the number of signatures after which a batch ends: a few milliseconds of work.
	batchSignatures = 64

	// submissionQuota is the number of signatures of submissions between two batches of peers: one eighth of all.
	// No batch of submissions has more.
	submissionQuota = batchSignatures / 8

	// inlineSignatures is the most signatures of a submission that its own goroutine recovers. A change to a worker's
	// thread and back costs half as much as one signature.
	inlineSignatures = submissionQuota

	// maxQueued and minQueued bound the submissions that wait. The bound falls while they are delayed, so that the
	// last one is answered before its connection times out.
	maxQueued = 1024
	minQueued = 4 * maxQueued / maxDelayFactor

	// maxDelayFactor is the highest delay factor. It is reached with twice the transactions that are enough.
	maxDelayFactor = 16

	// maxDelay bounds the delay of submissions for each one in the batch before, whatever that took.
	maxDelay = 100 * time.Millisecond

	// A block is late when its time has passed by lateAfter. After staleAfter the chain counts as stopped or not
	// synced, and no longer as late.
	lateAfter  = 1500 * time.Millisecond
	staleAfter = time.Minute

	// A pool is congested with more than enoughBlocks times the transactions of the fullest of the last recentCount
	// blocks.
	recentCount  = 8
	enoughBlocks = 2
)

// admissionControl runs jobs that recover signatures. It is safe for concurrent use.
type admissionControl struct {
	delay atomic.Int32 // delay factor of the pool

	limit  int                                            // most jobs at a time
	factor func() int                                     // delay factor of the pool, at least 1 while blocks are late
	pause  func(time.Duration)                            // time.Sleep
	after  func(time.Duration, func()) (stop func() bool) // time.AfterFunc

	mu          sync.Mutex
	wake        *sync.Cond // a worker that waits has something to do, or ends
	workers     int        // goroutines
	busy        int        // jobs that run
	submissions []job      // oldest first
	peers       []job      // oldest first
	served      int        // signatures of submissions since the last batch of peers, while peers waited
	resumeAt    time.Time  // end of the delay of submissions
	closed      bool
}

// job is a call of run that waits.
type job struct {
	work       func()
	signatures int           // that work recovers
	done       chan struct{} // closed after work
}

// newAdmissionControl returns the admission control of a pool on a chain. Workers start when they are needed.
func newAdmissionControl(chain legacypool.BlockChain) *admissionControl {
	period := time.Second
	if wbft := chain.Config().Anzeon.WBFT; wbft != nil && wbft.BlockPeriodSeconds > 0 {
		period = time.Duration(wbft.BlockPeriodSeconds) * time.Second
	}
	c := &admissionControl{
		limit: max(1, runtime.GOMAXPROCS(0)/2),
		pause: time.Sleep,
		after: func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop },
	}
	c.factor = func() int {
		factor := int(c.delay.Load())
		if factor == 0 && isLate(chain.CurrentBlock(), period, time.Now()) {
			return 1
		}
		return factor
	}
	c.wake = sync.NewCond(&c.mu)
	return c
}

// isLate reports whether the child of the newest block is late, on a chain that seals one block each period.
func isLate(head *types.Header, period time.Duration, now time.Time) bool {
	age := now.Sub(time.Unix(int64(head.Time), 0)) - period
	return age > lateAfter && age < staleAfter
}

// run runs work, which recovers a number of signatures, when its batch comes, and returns after it. A submission is
// refused if too many wait. Peers wait without a bound here: their inbox is bounded.
func (c *admissionControl) run(work func(), signatures int, submission bool) error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		work()
		return nil
	}
	if submission && signatures <= inlineSignatures && c.waiting() == 0 && c.busy < c.limit && c.factor() == 0 {
		c.runInline(work)
		return nil
	}
	j := job{work, signatures, make(chan struct{})}
	err := c.enqueue(j, submission)
	c.mu.Unlock()
	if err != nil {
		return err
	}
	<-j.done
	return nil
}

// runInline runs work in the goroutine of the caller. It unlocks mu.
func (c *admissionControl) runInline(work func()) {
	c.busy++
	c.mu.Unlock()
	work()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy--
	if c.waiting() > 0 {
		c.wake.Signal() // a worker that found all places taken
	}
}

// waiting returns the number of jobs that wait. The lock is held, as in the following methods.
func (c *admissionControl) waiting() int { return len(c.submissions) + len(c.peers) }

// enqueue adds a job to its queue and wakes a worker, or refuses a submission.
func (c *admissionControl) enqueue(j job, submission bool) error {
	n := len(c.submissions)
	switch {
	case !submission:
		c.peers = append(c.peers, j)
	case n >= minQueued && n >= maxQueued/max(1, c.factor()/4):
		return full("as many submissions wait as are looked at in good time; send it again in a second")
	default:
		c.submissions = append(c.submissions, j)
	}
	if c.workers < c.limit {
		c.workers++
		go c.work()
	}
	if c.busy == 0 || c.factor() == 0 { // otherwise the worker at work takes the job after its pause
		c.wake.Signal()
	}
	return nil
}

// work is the loop of a worker: it runs batches until the control is closed and no job waits. It takes the next batch
// itself, because a change of threads costs microseconds. The thread has low priority: consensus and execution go first
// on a busy machine. While submissions are delayed, one worker runs, and pauses as long as its batch took.
func (c *admissionControl) work() {
	runtime.LockOSThread() // never unlocked, so that the thread ends with the worker
	if err := lowerPriority(); err != nil {
		log.Debug("Priority of a pool worker not lowered", "err", err)
	}
	batch := make([]job, 0, submissionQuota)
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.waiting() > 0 || !c.closed {
		if c.waiting() == 0 {
			c.wake.Wait()
			continue
		}
		factor := c.factor()
		if c.busy >= c.limit || factor > 0 && c.busy > 0 {
			c.wake.Wait()
			continue
		}
		if factor == 0 {
			c.resumeAt = time.Time{}
		}
		queue, delay := c.nextQueue(time.Now())
		if queue == nil {
			c.waitFor(delay)
			continue
		}
		batch = c.takeBatch(batch[:0], queue, factor > 0)
		c.busy++
		c.mu.Unlock()
		took := runBatch(batch)
		if factor > 0 {
			c.pause(took)
		}
		c.mu.Lock()
		if queue == &c.submissions && factor > 1 {
			c.resumeAt = time.Now().Add(min(time.Duration(factor-1)*took, time.Duration(len(batch))*maxDelay))
		}
		c.busy--
		c.wake.Signal() // a worker that found all places taken
	}
	c.workers--
	c.wake.Signal() // the next worker that ends
}

// runBatch runs jobs, releases what they refer to, and returns the time that they took.
func runBatch(batch []job) time.Duration {
	start := time.Now()
	for i, j := range batch {
		batch[i] = job{}
		j.work()
		close(j.done)
	}
	return time.Since(start)
}

// nextQueue returns the queue whose first job is next. It returns nil and a delay if only delayed submissions wait. At
// least one job waits.
func (c *admissionControl) nextQueue(now time.Time) (queue *[]job, delay time.Duration) {
	delay = c.resumeAt.Sub(now)
	switch {
	case len(c.peers) == 0 && delay > 0 && !c.closed:
		return nil, delay
	case len(c.peers) == 0:
		return &c.submissions, 0
	case len(c.submissions) == 0 || delay > 0:
	case c.served < submissionQuota:
		c.served += c.submissions[0].signatures
		return &c.submissions, 0
	}
	c.served = 0
	return &c.peers, 0
}

// takeBatch moves the first job of a queue to a batch. With several set, more submissions join it up to their quota:
// one pause for all of them costs less than one for each.
func (c *admissionControl) takeBatch(batch []job, queue *[]job, several bool) []job {
	signatures := 0
	for _, j := range *queue {
		signatures += j.signatures
		joins := several && queue == &c.submissions && len(batch) < cap(batch) && signatures <= submissionQuota
		if len(batch) > 0 && !joins {
			break
		}
		if len(batch) > 0 && len(c.peers) > 0 {
			c.served += j.signatures // nextQueue has counted the first
		}
		batch = append(batch, j)
	}
	clear((*queue)[:len(batch)])
	*queue = (*queue)[len(batch):]
	return batch
}

// waitFor waits until the control is woken, or until a duration has passed.
func (c *admissionControl) waitFor(most time.Duration) {
	stop := c.after(most, func() {
		c.mu.Lock() // not before wake.Wait has unlocked it
		defer c.mu.Unlock()
		c.wake.Broadcast()
	})
	defer stop()
	c.wake.Wait()
}

// close ends the workers when no job waits. Later jobs run in the goroutine of the caller.
func (c *admissionControl) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.wake.Broadcast()
}

// recentBlocks is a ring of the transaction counts of the last blocks.
type recentBlocks struct {
	counts [recentCount]int
	next   int
}

// add adds the count of a new block.
func (r *recentBlocks) add(count int) {
	r.counts[r.next] = count
	r.next = (r.next + 1) % recentCount
}

// fullest returns the highest of the counts.
func (r *recentBlocks) fullest() int { return slices.Max(r.counts[:]) }

// enough returns the number of executable transactions that fill some seconds of blocks. It is at least one block of
// transfers, because the blocks of an idle chain say nothing. The lock is held.
func (p *Pool) enough() uint64 {
	return max(uint64(enoughBlocks*p.recent.fullest()), p.head.Load().GasLimit/params.TxGas)
}

// delayFactor returns 0 for a pool that is not congested. Otherwise submissions are delayed by this multiple of the
// work on them: by 1, doubled with every 20 % of excess, up to maxDelayFactor. The lock is held.
func (p *Pool) delayFactor() int32 {
	if p.head.Load() == nil || p.tables.held.executableTxs <= p.enough()+p.unmineable {
		return 0
	}
	ratio := float64(p.tables.held.executableTxs-p.unmineable) / float64(p.enough())
	return int32(min(ratio*ratio*ratio*ratio, maxDelayFactor))
}

// countUnmineable counts the executable transactions that congest no block, while the pool is congested: those that
// pay less than the tip at the present base fee, those that ask for most of a block's gas, and later ones of the same
// senders. The lock is held. spec: transactions 3.1
func (p *Pool) countUnmineable() {
	p.unmineable = 0
	if p.delayFactor() == 0 {
		return
	}
	minimum, mostGas := &p.policy.tip, p.head.Load().GasLimit/4*3
	for _, a := range p.tables.accounts {
		for i, e := range a.txs[:a.executable] {
			if paid := p.policy.paid(&e.feeCap, &e.tip, a.authorized); paid.Lt(minimum) || e.tx.Gas() > mostGas {
				p.unmineable += uint64(a.executable - i)
				break
			}
		}
	}
}
