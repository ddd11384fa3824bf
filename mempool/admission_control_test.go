// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"errors"
	"fmt"
	"math/big"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// TestQueueIsBounded refuses submissions beyond the queue. After a delay the jobs that wait run at the same time.
func TestQueueIsBounded(t *testing.T) {
	w := testControl(t)
	w.limit = 2
	var factor atomic.Int32
	w.factor = func() int { return int(factor.Load()) }
	release, running := make(chan struct{}), make(chan struct{}, maxQueued+10)
	work := func() { running <- struct{}{}; <-release }
	results := make(chan error, maxQueued+10)
	start := func(submission bool) { go func() { results <- w.run(work, 1, submission) }() }
	start(true)
	start(true)
	<-running
	<-running
	for range maxQueued {
		start(true)
	}
	awaitWaiting(t, w, maxQueued, 0)
	err := w.run(work, 1, true)
	expect.That(t, errors.Is(err, txpool.ErrOutOfCapacity), "error %v with %d waiting", err, maxQueued)
	expect.Equal(t, len(running), 0, "jobs run beyond the limit")
	close(release)
	for range maxQueued + 2 {
		must.Do(t, <-results)
	}
	release, running = make(chan struct{}), make(chan struct{}, 2)
	factor.Store(3)
	paused := make(chan time.Duration, 1)
	w.pause = func(d time.Duration) {
		expect.Equal(t, w.busy, 1, "jobs run")
		for range 2 {
			start(false)
		}
		awaitWaiting(t, w, 0, 2)
		factor.Store(0)
		paused <- d
	}
	expect.Error(t, w.run(func() { time.Sleep(time.Millisecond) }, 1, true), nil, "run")
	d := <-paused
	expect.That(t, d >= time.Millisecond, "a pause of %v", d)
	<-running
	<-running // at the same time: neither has ended
	close(release)
	for range 2 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

// TestDelayFactor delays submissions with more than a full block of transfers, and than twice a recent block.
func TestDelayFactor(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.enrich(t, 1)
	chain.head.GasLimit = 4 * 21_000
	chain.extend(pool)
	next := uint64(0)
	more := func(n int) {
		t.Helper()
		for range n {
			mustAdd(t, pool, ordinary(t, 1, bid(next, 276, 100)))
			next++
		}
	}
	want := func(factor int, when string) {
		t.Helper()
		expect.Equal(t, pool.control.factor(), factor, "%s: delay factor", when)
	}
	// include makes a block with the first n transactions.
	first := uint64(0)
	include := func(n int) {
		t.Helper()
		var txs []*types.Transaction
		for range n {
			txs = append(txs, ordinary(t, 1, bid(first, 276, 100)))
			first++
		}
		chain.state.SetNonce(anzeonTestAddr(t, 1), first, tracing.NonceChangeUnspecified)
		chain.moveTo(types.CopyHeader(chain.head))
		chain.head.Number.Add(chain.head.Number, common.Big1)
		pool.follow(chain.head, chain.state.Copy(), path{txs, nil, true})
	}
	chain.head.Time = uint64(time.Now().Add(time.Hour).Unix()) // not late during the test
	more(4)
	want(0, "a full block")
	more(1)
	want(2, "a quarter more than that")
	include(3)
	want(0, "two left")
	more(4)
	want(0, "two blocks like the last one")
	more(1)
	want(1, "more than two such blocks")
	for range recentCount - 1 {
		include(0)
	}
	want(1, "the full block is still a recent one")
	more(2)
	want(5, "three such blocks")
	more(3)
	want(maxDelayFactor, "four such blocks")
	more(100)
	want(maxDelayFactor, "many such blocks")
	include(107)
	want(0, "five left")
	checkPool(t, pool)
}

// TestUnmineableCongestNone counts transactions that pay too little at the present base fee as no congestion.
// spec: transactions 3.1
func TestUnmineableCongestNone(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.enrich(t, 1)
	chain.enrich(t, 2)
	chain.head.GasLimit, chain.head.BaseFee = 4*21_000, big.NewInt(60e12)
	chain.extend(pool)
	for n := range uint64(3) {
		mustAdd(t, pool, ordinary(t, 1, bid(n, 276, 100)))
	}
	mustAdd(t, pool, ordinary(t, 1, bid(3, 276, 48))) // a cap of 48,000 gwei
	for n := uint64(4); n < 10; n++ {
		mustAdd(t, pool, ordinary(t, 1, bid(n, 276, 100))) // later ones of the sender
	}
	step := func(congested bool, when string) {
		t.Helper()
		pool.follow(chain.head, chain.state.Copy(), path{nil, nil, true})
		expect.That(t, (pool.control.delay.Load() > 0) == congested,
			"%s: congested %v with %d unmineable", when, !congested, pool.unmineable)
	}
	step(false, "three and seven that no block takes")
	mustAdd(t, pool, ordinary(t, 2, bid(0, 276, 100)), ordinary(t, 2, bid(1, 276, 100)))
	expect.That(t, pool.control.delay.Load() != 0, "five that a block takes do not congest the pool")
	step(true, "five, and seven")
	pool.tables.dropWhere(func(e *entry) bool { return e.from == anzeonTestAddr(t, 2) })
	step(false, "three, and seven")
	chain.head.BaseFee = big.NewInt(20e12)
	chain.extend(pool)
	step(true, "ten, at a lower base fee")
	pool.SetGasTip(big.NewInt(29e12))
	step(false, "at a higher tip")
	checkPool(t, pool)
}

// TestLargeGasCongestsNone counts transactions that ask for most gas of a block as no congestion.
func TestLargeGasCongestsNone(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.enrich(t, 1)
	chain.enrich(t, 2)
	chain.head.GasLimit = 4 * 21_000
	chain.extend(pool)
	ask := func(nonce, gas uint64) *types.Transaction {
		return ordinary(t, 1, func(tx *types.DynamicFeeTx) { bid(nonce, 276, 100)(tx); tx.Gas = gas })
	}
	for n := range uint64(6) {
		mustAdd(t, pool, ask(n, 3*21_000+1))
	}
	pool.follow(chain.head, chain.state.Copy(), path{nil, nil, true})
	expect.Equal(t, pool.control.delay.Load(), 0, "six that ask for most of a block congest the pool")
	for n := range uint64(5) {
		mustAdd(t, pool, ordinary(t, 2, bid(n, 276, 100)))
	}
	expect.That(t, pool.control.delay.Load() != 0, "five that a block takes do not congest the pool")
	checkPool(t, pool)
}

// TestRecentBlocksAfterManyBlocks averages the transactions of several blocks since the last head.
func TestRecentBlocksAfterManyBlocks(t *testing.T) {
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	chain.enrich(t, 1)
	chain.extend(pool)
	var txs []*types.Transaction
	for n := range uint64(40) {
		txs = append(txs, ordinary(t, 1, bid(n, 276, 100)))
	}
	chain.head.GasLimit = 4 * 21_000
	before := pool.head.Load().Number.Uint64()
	next := types.CopyHeader(chain.head)
	next.Number = new(big.Int).SetUint64(before + 10)
	pool.follow(next, chain.state.Copy(), path{txs, nil, true})
	expect.Equal(t, pool.enough(), enoughBlocks*4, "transactions that are enough after ten blocks with 40")
	pool.follow(chain.head, chain.state.Copy(), path{txs, nil, true})
	expect.Equal(t, pool.enough(), enoughBlocks*4, "transactions that are enough when the head is an earlier one")
}

// TestDelaysSubmissionsOnly delays submissions beyond the pause of the worker, and runs batches of peers meanwhile.
func TestDelaysSubmissionsOnly(t *testing.T) {
	w := testControl(t)
	w.limit = 1
	w.factor = func() int { return 16 }
	var (
		order  strings.Builder // the one worker alone writes it, as took
		took   time.Duration
		all    sync.WaitGroup
		mu     sync.Mutex
		pauses []time.Duration // guarded by mu: the last one follows the answer
	)
	enter := func(name string, submission bool, work func()) {
		all.Go(func() {
			expect.Error(t, w.run(func() { order.WriteString(name); work() }, 1, submission), nil, "run")
		})
	}
	w.pause = func(d time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		pauses = append(pauses, d)
	}
	var delays []time.Duration // guarded by the lock of the control
	w.after = func(d time.Duration, ring func()) func() bool {
		switch delays = append(delays, d); len(delays) {
		case 1: // never rings: the job of a peer does not wait for it
			enter("p", false, func() {})
		case 2:
			w.resumeAt = time.Time{} // the delay has passed
			go ring()
		}
		return func() bool { return true }
	}
	enter("s", true, func() {
		enter("S", true, func() {})
		awaitWaiting(t, w, 1, 0)
		start := time.Now()
		time.Sleep(50 * time.Millisecond)
		took = time.Since(start)
	})
	all.Wait()
	mu.Lock()
	defer mu.Unlock()
	expect.Equal(t, order.String(), "spS", "order")
	expect.That(t, len(pauses) >= 2 && pauses[0] >= took && pauses[0] <= 8*took, "pauses %v after %v", pauses, took)
	w.mu.Lock()
	defer w.mu.Unlock()
	expect.That(t, len(delays) == 2 && delays[0] > 0 && delays[0] <= maxDelay, "submissions are delayed by %v", delays)
}

// TestRunsInline runs a small submission in the goroutine of the caller while no job waits and blocks keep up. Workers
// and inline jobs share the bound.
func TestRunsInline(t *testing.T) {
	w := testControl(t)
	w.limit = 2
	var factor atomic.Int32
	w.factor = func() int { return int(factor.Load()) }
	w.pause = func(time.Duration) {}
	own := func(what string, signatures int, submission, want bool) {
		t.Helper()
		var buf [1 << 12]byte
		var stack string
		must.Do(t, w.run(func() { stack = string(buf[:runtime.Stack(buf[:], false)]) }, signatures, submission))
		expect.Equal(t, !strings.Contains(stack, ".(*admissionControl).work("), want, "%s: in the caller's goroutine", what)
		// A worker answers before its batch ends. Until then the next job would not run inline.
		awaitControl(t, w, func() (bool, string) { return w.busy == 0, "still at work" })
	}
	own("one", 1, true, true)
	own("some", inlineSignatures, true, true)
	expect.Equal(t, w.workers, 0, "a worker has started without a job")
	own("many", inlineSignatures+1, true, false)
	own("a peer", 1, false, false)
	factor.Store(1)
	own("while blocks are late", 1, true, false)
	factor.Store(0)

	w = testControl(t)
	w.limit = 1
	looks := 0 // guarded by the lock of the control
	w.factor = func() int { looks++; return 0 }
	own("many", inlineSignatures+1, true, false) // starts the worker
	release := occupyOne(t, w, true)
	w.mu.Lock()
	before := looks
	w.mu.Unlock()
	answer := make(chan error)
	go func() { answer <- w.run(func() {}, 1, true) }()
	awaitControl(t, w, func() (bool, string) {
		state := fmt.Sprintf("%d waits; caller and worker have looked %d times", len(w.submissions), looks-before)
		return looks == before+2 && len(w.submissions) == 1, state
	})
	release() // wakes the worker that has found no place
	select {
	case err := <-answer:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatal("a job is forgotten")
	}
}

// TestOldestJobFirst lets no job overtake those that wait for a worker. Queues release the jobs that have left.
func TestOldestJobFirst(t *testing.T) {
	w := testControl(t)
	w.limit, w.workers = 1, 1
	w.factor = func() int { return 0 }
	var all sync.WaitGroup
	var order strings.Builder // the one worker alone writes it
	enter := func(name string, submission bool) {
		all.Go(func() {
			expect.Error(t, w.run(func() { order.WriteString(name) }, 1, submission), nil, "run")
		})
	}
	enter("p", false)
	awaitControl(t, w, func() (bool, string) { return len(w.peers) == 1, "no peer waits" })
	enter("s", true)
	awaitControl(t, w, func() (bool, string) { return len(w.submissions) == 1, "the submission does not wait" })
	w.mu.Lock()
	queues := [][]job{w.submissions, w.peers}
	w.mu.Unlock()
	go w.work()
	all.Wait()
	if got := order.String(); got != "sp" { // submissions have their quota first
		t.Errorf("order %s", got)
	}
	for _, queue := range queues {
		expect.That(t, queue[0].work == nil && queue[0].done == nil, "the queue refers to a job that has left")
	}
}

// TestJobsAreBounded runs at most the limit of jobs at a time, in workers and inline.
func TestJobsAreBounded(t *testing.T) {
	w := testControl(t)
	w.limit = 2
	var (
		working, together atomic.Int32
		all               sync.WaitGroup
	)
	for i := range 400 {
		all.Go(func() {
			if err := w.run(func() {
				now := working.Add(1)
				for most := together.Load(); now > most && !together.CompareAndSwap(most, now); most = together.Load() {
				}
				runtime.Gosched()
				working.Add(-1)
			}, 1+i%3*inlineSignatures, i%2 == 0); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	expect.Equal(t, together.Load(), 2, "jobs at a time")
}

// TestSubmissionsShareBatch runs several submissions in one batch with one pause while blocks are late.
func TestSubmissionsShareBatch(t *testing.T) {
	w := testControl(t)
	w.limit = 1
	w.factor = func() int { return 1 }
	var order strings.Builder // the one worker alone writes it
	w.pause = func(time.Duration) { order.WriteByte('|') }
	var all sync.WaitGroup
	enter := func(name string, signatures int, submission bool) {
		before := len(w.submissions) + len(w.peers)
		all.Go(func() {
			expect.Error(t, w.run(func() { order.WriteString(name) }, signatures, submission), nil, "run")
		})
		awaitControl(t, w, func() (bool, string) { return len(w.submissions)+len(w.peers) > before, name + " does not wait" })
	}
	release := occupy(t, w)
	for range 12 {
		enter("s", 1, true)
	}
	enter("S", submissionQuota, true)
	enter("p", 1, false)
	enter("p", 1, false)
	enter("L", 3*submissionQuota, true)
	enter("s", 1, true)
	enter("s", 1, true)
	release()
	all.Wait()
	awaitControl(t, w, func() (bool, string) { return w.busy == 0, "still at work" })
	w.mu.Lock()
	defer w.mu.Unlock()
	expect.Equal(t, w.served, 0, "signatures served before peers, of which none waits")
	delay := time.Until(w.resumeAt)
	expect.That(t, delay <= 0, "submissions are delayed by %v beyond the pause", delay)
	expect.Equal(t, order.String(), "|ssssssss|p|ssss|S|p|L|ss|", "batches")
}

// TestOneWorkerWhileLate runs one job at a time while blocks are late.
func TestOneWorkerWhileLate(t *testing.T) {
	w := testControl(t)
	w.limit = 4
	w.factor = func() int { return 1 }
	w.pause = func(time.Duration) { runtime.Gosched() }
	var (
		working, together atomic.Int32
		all               sync.WaitGroup
	)
	for i := range 200 {
		all.Go(func() {
			if err := w.run(func() {
				together.Store(max(together.Load(), working.Add(1)))
				for range 100 {
					runtime.Gosched()
				}
				working.Add(-1)
			}, 1, i%2 == 0); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	expect.Equal(t, together.Load(), 1, "jobs at a time")
}

// testControl returns an admission control that ends with the test.
func testControl(t *testing.T) *admissionControl {
	w := newAdmissionControl(newAnzeonTestChain(t))
	t.Cleanup(w.close)
	return w
}

// TestCloseEndsWorkers finishes the jobs that wait, and ends all workers.
func TestCloseEndsWorkers(t *testing.T) {
	for _, limit := range []int{1, 2, 6} {
		w := newAdmissionControl(newAnzeonTestChain(t))
		w.limit = limit
		release := occupy(t, w)
		var factor atomic.Int32
		w.mu.Lock()
		w.factor = func() int { return int(factor.Load()) }
		w.pause = func(time.Duration) {}
		w.mu.Unlock()
		factor.Store(1)
		var waiting sync.WaitGroup
		for range 3 {
			waiting.Go(func() {
				expect.Error(t, w.run(func() {}, 1, true), nil, "run")
			})
		}
		awaitWaiting(t, w, 3, 0)
		w.close()
		release()
		waiting.Wait()
		awaitControl(t, w, func() (bool, string) {
			return w.workers == 0, fmt.Sprintf("%d of %d workers are left", w.workers, limit)
		})
		ran := false
		if err := w.run(func() { ran = true }, 1, false); err != nil || !ran {
			t.Errorf("after close: %v, job run: %v", err, ran)
		}
	}
}

// occupy keeps all workers busy until the returned function is called or the test ends.
func occupy(t *testing.T, w *admissionControl) (release func()) {
	var all []func()
	for range w.limit {
		all = append(all, occupyOne(t, w, false))
	}
	return func() {
		for _, one := range all {
			one()
		}
	}
}

// occupyOne keeps one worker busy until the returned function is called or the test ends.
func occupyOne(t *testing.T, w *admissionControl, submission bool) (release func()) {
	hold, held := make(chan struct{}), make(chan struct{})
	go func() {
		expect.Error(t, w.run(func() { held <- struct{}{}; <-hold }, 1, submission), nil, "run")
	}()
	<-held
	release = sync.OnceFunc(func() { close(hold) })
	t.Cleanup(release)
	return release
}

// awaitWaiting returns when the given numbers of submissions and peers wait.
func awaitWaiting(t *testing.T, w *admissionControl, submissions, peers int) {
	t.Helper()
	awaitControl(t, w, func() (bool, string) {
		s, p := len(w.submissions), len(w.peers)
		state := fmt.Sprintf("%d submissions and %d peers wait, want %d and %d", s, p, submissions, peers)
		return s == submissions && p == peers, state
	})
}

// awaitControl returns when the control reaches a state. The function look is called with its lock.
func awaitControl(t *testing.T, w *admissionControl, look func() (reached bool, state string)) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		w.mu.Lock()
		reached, state := look()
		w.mu.Unlock()
		if reached {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(state)
		}
	}
}

// TestIsLate counts blocks as late when the next one is, not on a stopped chain.
func TestIsLate(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	for _, period := range []time.Duration{time.Second, 5 * time.Second} {
		for _, tt := range []struct {
			late time.Duration
			want bool
		}{
			{-time.Second, false}, {0, false}, {time.Second, false}, {2 * time.Second, true}, {59 * time.Second, true},
			{2 * time.Minute, false},
		} {
			late, want := tt.late, tt.want
			head := &types.Header{Time: uint64(now.Add(-period - late).Unix())}
			expect.Equal(t, isLate(head, period, now), want, "period %v, next block %v late: reported", period, late)
		}
	}
}

// TestSubmissionWaitsOneBatch lets a submission wait for the end of one batch while peers send many authorizations.
func TestSubmissionWaitsOneBatch(t *testing.T) {
	const peers = 6
	chain, pool := small(t, func(c *Config) { *c = Defaults })
	for key := byte(1); key <= peers; key++ {
		chain.enrich(t, key)
	}
	chain.extend(pool)
	pool.control.limit = 1
	var (
		first       sync.Once
		working     = make(chan struct{})
		release     = make(chan struct{})
		meets       int // authorizations that are recovered while the submission waits
		authorityOf = pool.recoverAuthority
	)
	pool.recoverAuthority = func(auth *types.SetCodeAuthorization) (common.Address, error) {
		first.Do(func() { close(working); <-release })
		pool.control.mu.Lock()
		meets += len(pool.control.submissions)
		pool.control.mu.Unlock()
		return authorityOf(auth)
	}
	var flood sync.WaitGroup
	for key := byte(1); key <= peers; key++ {
		tx := carry(t, key, 0, manyAuthorizations(t, 300)...)
		flood.Go(func() {
			expect.Error(t, submit(pool, tx), nil, "peer %d", key)
		})
	}
	<-working
	awaitWaiting(t, pool.control, 0, peers-1)
	answer := make(chan error)
	go func() { answer <- pool.Submit(ordinary(t, 9, bid(0, 276, 100))) }()
	awaitWaiting(t, pool.control, 1, peers-1)
	close(release)
	if err := <-answer; err != nil {
		t.Error(err)
	}
	flood.Wait()
	expect.That(t, meets != 0 && meets <= batchSignatures,
		"the submission waits for %d authorizations, want one batch of %d at most", meets, batchSignatures)
}

// TestFairQueuing gives submissions their quota of signatures between two batches of peers, and no more.
func TestFairQueuing(t *testing.T) {
	w := testControl(t)
	w.limit = 1
	release := occupy(t, w)
	var (
		order strings.Builder // the one worker alone writes it
		all   sync.WaitGroup
		peers int
		mine  int
	)
	signatures := 1 // of each
	enter := func(submission bool, n int) {
		for range n {
			name := "p"
			if submission {
				name = "s"
				mine++
			} else {
				peers++
			}
			all.Go(func() {
				expect.Error(t, w.run(func() { order.WriteString(name) }, signatures, submission), nil, "run")
			})
			awaitWaiting(t, w, mine, peers)
		}
	}
	enter(true, 2)
	enter(false, 3)
	enter(true, 3*submissionQuota)
	enter(false, 1)
	release()
	all.Wait()
	share := strings.Repeat("s", submissionQuota)
	want := share + "p" + share + "p" + share + "p" + "ss" + "p"
	expect.Equal(t, order.String(), want, "order")
	order.Reset()
	peers, mine = 0, 0
	release = occupy(t, w)
	w.mu.Lock()
	w.served = submissionQuota // the quota is used
	w.mu.Unlock()
	enter(true, 3)
	enter(false, 1)
	release()
	all.Wait()
	want = "psss"
	expect.Equal(t, order.String(), want, "order")
	// The quota counts signatures, as of delegated transactions.
	order.Reset()
	peers, mine, signatures = 0, 0, 2
	release = occupy(t, w)
	enter(true, submissionQuota)
	enter(false, 2)
	release()
	all.Wait()
	share = strings.Repeat("s", submissionQuota/2)
	want = share + "p" + share + "p"
	expect.Equal(t, order.String(), want, "order")
}
