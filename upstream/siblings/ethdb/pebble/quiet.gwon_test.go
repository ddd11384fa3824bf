// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package pebble

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// compactor is a database as the scheduler sees it: it calls with its lock held where pebble does, takes it where pebble does, and does
// not ask again once it was refused.
type compactor struct {
	t       *testing.T
	s       *scheduler
	allowed atomic.Int32
	calls   atomic.Int32  // of the scheduler
	gone    atomic.Bool   // Unregister has returned
	hold    chan struct{} // the answer to GetWaitingCompaction waits for it, if set
	none    func()        // is called once it has been answered that nothing waits, if set

	mu      sync.Mutex
	pending int // compactions that could run
	waiting bool
	running int
	most    int // that ran at a time
	ran     int
}

func newCompactor(t *testing.T, allowed int32) *compactor {
	db := &compactor{t: t, s: newScheduler()}
	db.allowed.Store(allowed)
	db.s.Register(2, db)
	return db
}

func (db *compactor) called() {
	db.calls.Add(1)
	if db.gone.Load() {
		db.t.Error("called after Unregister has returned")
	}
}

func (db *compactor) GetAllowedWithoutPermission() int {
	db.called()
	return int(db.allowed.Load())
}

func (db *compactor) GetWaitingCompaction() (bool, pebble.WaitingCompaction) {
	db.called()
	if db.hold != nil {
		<-db.hold
	}
	waits := func() bool {
		db.mu.Lock()
		defer db.mu.Unlock()
		db.waiting = db.waiting && db.pending > 0
		return db.waiting
	}()
	if !waits && db.none != nil {
		db.none()
	}
	return waits, pebble.WaitingCompaction{}
}

func (db *compactor) Schedule(handle pebble.CompactionGrantHandle) bool {
	db.called()
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.waiting = db.waiting && db.pending > 0; !db.waiting {
		return false
	}
	db.run(handle)
	return true
}

func (db *compactor) run(handle pebble.CompactionGrantHandle) {
	db.pending--
	db.running++
	db.ran++
	db.most = max(db.most, db.running)
	handle.Started()
}

// want adds compactions that could run, and has those run that may.
func (db *compactor) want(n int) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.pending += n
	db.try()
}

func (db *compactor) try() {
	for !db.waiting && db.pending > 0 {
		ok, handle := db.s.TrySchedule()
		if !ok {
			db.waiting = true
			return
		}
		db.run(handle)
	}
}

// flush changes what is allowed, as the end of a flush does.
func (db *compactor) flush(allowed int32) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.allowed.Store(allowed)
	db.s.UpdateGetAllowedWithoutPermission()
	db.try()
}

// end ends a compaction.
func (db *compactor) end() {
	db.mu.Lock()
	db.running--
	db.mu.Unlock()
	db.s.Done()
	db.want(0)
}

// progress returns how many compactions have begun, and how many of them run.
func (db *compactor) progress() (ran, running int) {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.ran, db.running
}

// expect waits until nothing moves and compares what runs, and whether the timer does.
func (db *compactor) expect(running int, armed bool) {
	db.t.Helper()
	synctest.Wait()
	db.mu.Lock()
	defer db.mu.Unlock()
	db.s.mu.Lock()
	defer db.s.mu.Unlock()
	if db.running != running || db.s.running != running {
		db.t.Errorf("%d compactions run, %d are counted, want %d", db.running, db.s.running, running)
	}
	if db.s.armed != armed {
		db.t.Errorf("the timer runs: %t, want %t", db.s.armed, armed)
	}
}

// As many compactions run as are allowed. When one ends, the next that waits begins at once.
func TestCompactionsWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, start := newCompactor(t, 2), time.Now()
		db.expect(0, false)
		db.want(2)
		db.expect(2, false)
		db.want(3)
		db.expect(2, true)
		db.end()
		db.expect(2, true)
		db.end()
		db.expect(2, true)
		db.end()
		db.expect(2, true) // nothing waits, but there was no reason to ask
		db.end()
		db.expect(1, false)
		db.end()
		db.expect(0, false)
		if db.ran != 5 || db.most != 2 {
			t.Errorf("%d have run, %d at a time, want 5 and 2", db.ran, db.most)
		}
		if !time.Now().Equal(start) {
			t.Error("it took time")
		}
	})
}

// What is allowed may grow without a call: while a compaction waits it is seen after a while, as far as it goes.
func TestGrowthIsSampled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newCompactor(t, 1)
		db.want(4)
		db.expect(1, true)
		time.Sleep(10 * sampling)
		db.expect(1, true)
		db.allowed.Store(3)
		time.Sleep(sampling)
		db.expect(3, true)
		db.allowed.Store(4)
		time.Sleep(sampling)
		db.expect(4, true)
		db.allowed.Store(5)
		time.Sleep(sampling)
		db.expect(4, false)
	})
}

// The end of a flush says that more may be allowed: what waits begins at once.
func TestFlushLetsCompactionsBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, start := newCompactor(t, 1), time.Now()
		db.want(2)
		db.flush(1)
		db.expect(1, true)
		db.flush(2)
		db.expect(2, true)
		db.flush(3)
		db.expect(2, false)
		if !time.Now().Equal(start) {
			t.Error("it took time")
		}
	})
}

// A database in which nothing waits is left alone, however long: before anything was refused, and afterwards.
func TestNothingIsAskedOfAQuietDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newCompactor(t, 2)
		rests := func(running int) {
			t.Helper()
			db.expect(running, false)
			calls := db.calls.Load()
			db.allowed.Add(1)
			time.Sleep(time.Hour)
			db.expect(running, false)
			if more := db.calls.Load() - calls; more != 0 {
				t.Errorf("%d calls", more)
			}
			db.allowed.Add(-1)
		}
		rests(0)
		db.want(2)
		rests(2)
		db.want(1)
		db.end() // lets the third one run
		db.end()
		rests(1)
		db.end()
		rests(0)
	})
}

// A compaction that is refused while another one is offered its place does not wait for the timer.
func TestRefusedForAnOffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, start := newCompactor(t, 1), time.Now()
		db.want(1)
		db.none = func() {
			db.none = nil
			db.want(1)
		}
		db.end()
		if db.none != nil {
			t.Fatal("nothing was offered")
		}
		db.expect(1, true)
		if !time.Now().Equal(start) {
			t.Error("it took time")
		}
	})
}

// If that place is gone by then, it begins once there is one.
func TestRefusedForAnOfferThatShrank(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newCompactor(t, 1)
		db.want(1)
		db.none = func() {
			db.none = nil
			db.want(1)
			db.allowed.Store(0)
		}
		db.end()
		db.expect(0, true)
		db.allowed.Store(1)
		time.Sleep(sampling)
		db.expect(1, true)
	})
}

// An offer that was made for what does not wait any more takes no place.
func TestOfferNotAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newCompactor(t, 1)
		db.want(2)
		fickle := &fickle{compactor: db}
		db.s.db = fickle
		db.end()
		db.expect(0, true)
		fickle.accepts.Store(true)
		time.Sleep(sampling)
		db.expect(1, true)
		db.end()
		db.expect(0, false)
	})
}

// fickle is a database that does not take what it has waited for.
type fickle struct {
	*compactor
	accepts atomic.Bool
}

func (db *fickle) Schedule(handle pebble.CompactionGrantHandle) bool {
	return db.accepts.Load() && db.compactor.Schedule(handle)
}

// Unregister ends what waits, and the database is called no more.
func TestUnregister(t *testing.T) {
	for name, running := range map[string]int{"idle": 0, "busy": 1, "one waits": 2} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db, start := newCompactor(t, 1), time.Now()
				db.want(running)
				db.s.Unregister()
				db.gone.Store(true)
				if !time.Now().Equal(start) {
					t.Error("it took time")
				}
				db.expect(min(running, 1), false)
				db.want(1)
				db.flush(5)
				time.Sleep(time.Hour)
				db.expect(min(running, 1), false)
				if running > 0 {
					db.end()
				}
				db.expect(0, false)
			})
		})
	}
}

// Unregister waits for an offer that has begun, of a compaction that ends or of the timer.
func TestUnregisterWaitsForAnOffer(t *testing.T) {
	for name, begin := range map[string]func(*compactor){
		"end":   func(db *compactor) { go db.end() },
		"timer": func(db *compactor) { db.allowed.Store(2); time.Sleep(sampling) },
		"flush": func(db *compactor) { db.flush(2) },
		"both":  func(db *compactor) { db.allowed.Store(2); time.Sleep(sampling); go db.end() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db := newCompactor(t, 1)
				db.want(3)
				db.hold = make(chan struct{})
				begin(db)
				synctest.Wait()
				done := make(chan struct{})
				go func() {
					db.s.Unregister()
					db.gone.Store(true)
					close(done)
				}()
				synctest.Wait()
				select {
				case <-done:
					t.Error("does not wait")
				default:
				}
				close(db.hold)
				<-done
				synctest.Wait()
				ran, running := db.progress()
				db.expect(running, false)
				if ran != 2 {
					t.Errorf("%d have run, want the first and the one that was offered", ran)
				}
			})
		})
	}
}

// Unregister waits for the goroutine of the timer, even if that has not done anything yet.
func TestUnregisterWaitsForTheTimer(t *testing.T) {
	for range 100 { // who gets the lock first is not determined
		synctest.Test(t, func(t *testing.T) {
			db := newCompactor(t, 1)
			db.want(2)
			db.s.mu.Lock()
			time.Sleep(sampling)
			db.s.mu.Unlock()
			db.s.Unregister()
			db.gone.Store(true)
			db.s.mu.Lock()
			defer db.s.mu.Unlock()
			if db.s.armed {
				t.Fatal("the timer's goroutine is left")
			}
		})
	}
}

// Whatever happens at the same time, all that is wanted runs, never more at a time than is ever allowed, and then nothing is left.
func TestAllCompactionsRun(t *testing.T) {
	for seed := range uint64(100) {
		synctest.Test(t, func(t *testing.T) {
			const most, callers, each = 3, 4, 20
			db := newCompactor(t, 1)
			var callersDone sync.WaitGroup
			for i := range uint64(callers) {
				random := rand.New(rand.NewPCG(seed, i))
				callersDone.Go(func() {
					for range each {
						db.want(1)
						switch allowed := 1 + random.Int32N(most); random.IntN(3) {
						case 0:
							db.flush(allowed)
						case 1:
							db.allowed.Store(allowed)
						}
						time.Sleep(time.Duration(random.Int64N(int64(sampling))))
						db.mu.Lock()
						ends := db.running > 0
						if ends {
							db.running--
						}
						db.mu.Unlock()
						if ends {
							db.s.Done()
							db.want(0)
						}
					}
				})
			}
			callersDone.Wait()
			for {
				ran, running := db.progress()
				if ran == callers*each && running == 0 {
					break
				}
				if running > 0 {
					db.end()
				}
				time.Sleep(sampling)
				synctest.Wait()
				if now, begun := db.progress(); running == 0 && now == ran && begun == 0 {
					t.Fatalf("seed %d: %d of %d have run, and no more begin", seed, ran, callers*each)
				}
			}
			db.expect(0, false)
			if db.most > most {
				t.Errorf("seed %d: %d run at a time", seed, db.most)
			}
			db.s.Unregister()
		})
	}
}

// A database in use flushes and compacts as ever, keeps what it was given, runs none of the timers left out here, and closes.
func TestQuietDatabase(t *testing.T) {
	const (
		keys   = 4096
		rounds = 6
		length = 2048 // of a value, so that a round fills four memory tables
	)
	dir := t.TempDir()
	open := func() *Database {
		t.Helper()
		db, err := New(dir, minCache, minHandles, "", false)
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	value := func(key, round int) []byte {
		random := rand.NewChaCha8([32]byte{byte(key), byte(key >> 8), byte(round)})
		v := make([]byte, length)
		random.Read(v)
		return v
	}
	name := func(key int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(key)*0x9e3779b97f4a7c15) }
	check := func(db *Database) {
		t.Helper()
		for key := range keys {
			if v, err := db.Get(name(key)); err != nil || !bytes.Equal(v, value(key, rounds-1)) {
				t.Fatalf("key %d: %d bytes and error %v, want what was written last", key, len(v), err)
			}
		}
	}
	others := ownTimers() // of databases that other tests have left open
	db := open()
	for round := range rounds {
		for key := range keys {
			if err := db.Put(name(key), value(key, round)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := db.Compact(nil, nil); err != nil { // several by hand, beside those that run
		t.Fatal(err)
	}
	check(db)
	if m := db.db.Metrics(); m.Flush.Count < rounds || m.Compact.Count < rounds {
		t.Errorf("%d flushes and %d compactions: too few to say anything", m.Flush.Count, m.Compact.Count)
	}
	if n := ownTimers(); n > others {
		t.Errorf("%d of pebble's own timers run", n-others)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(goroutines(), "(*scheduler)") {
		t.Error("the scheduler outlives its database")
	}
	db = open()
	check(db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// ownTimers returns how many goroutines run that pebble's own scheduler and its measures of writes keep.
func ownTimers() int {
	running := goroutines()
	return strings.Count(running, "periodicGranter") + strings.Count(running, "diskHealthChecking")
}

// goroutines returns the stacks of all of them.
func goroutines() string {
	for size := 1 << 20; ; size *= 2 {
		if buf := make([]byte, size); runtime.Stack(buf, true) < size {
			return string(bytes.TrimRight(buf, "\x00"))
		}
	}
}
