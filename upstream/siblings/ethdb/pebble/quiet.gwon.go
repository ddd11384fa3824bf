// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package pebble

import (
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// sampling is how often what a database allows is looked at while a compaction waits: it may grow without a call. Pebble's own scheduler
// takes as long, but looks all the time.
const sampling = 100 * time.Millisecond

// quiet lets pebble rest when it has no work. The file system without pebble's own measures no writes: that would wake up every two seconds for each
// file that is written, to report slow ones to a listener that is not set here.
func quiet(opt *pebble.Options) {
	opt.Experimental.CompactionScheduler = newScheduler()
	opt.FS = vfs.Default
}

// scheduler lets as many compactions of one database run at a time as it allows (GetAllowedWithoutPermission), as
// pebble.ConcurrencyLimitScheduler does, and has a timer only while one waits. It is the handle of all that it grants, too.
//
// The database calls it with its own locks held, except for Done and Unregister, so mu comes after those: only GetAllowedWithoutPermission,
// which takes none, is called under mu.
type scheduler struct {
	db pebble.DBForCompaction // set once, before anything else is called

	mu       sync.Mutex
	running  int         // compactions, with one that is being offered
	waiting  bool        // one was refused, and the database has not said since that none waits
	granting bool        // somebody asks the database, without mu: one at a time
	armed    bool        // the timer runs, or sample does: so it is whenever one waits, until Unregister
	timer    *time.Timer // of sample
	closed   bool
	idle     sync.Cond // grant has ended, and sample with it if that has called it
}

func newScheduler() *scheduler {
	s := new(scheduler)
	s.idle.L = &s.mu
	return s
}

// Register implements pebble.CompactionScheduler.
func (s *scheduler) Register(_ int, db pebble.DBForCompaction) { s.db = db }

// Unregister implements pebble.CompactionScheduler. Once it has returned, the database is not called any more, and nothing is left that could.
func (s *scheduler) Unregister() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.arm()
	for s.granting || s.armed {
		s.idle.Wait()
	}
}

// TrySchedule implements pebble.CompactionScheduler. A database that is refused does not ask again, it waits to be asked.
func (s *scheduler) TrySchedule() (bool, pebble.CompactionGrantHandle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false, nil
	}
	if s.running < s.db.GetAllowedWithoutPermission() {
		s.running++
		return true, s
	}
	s.waiting = true
	s.arm()
	return false, nil
}

// UpdateGetAllowedWithoutPermission implements pebble.CompactionScheduler. The caller holds the locks that the database would be asked under, so the
// timer's goroutine asks.
func (s *scheduler) UpdateGetAllowedWithoutPermission() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting && !s.closed && s.running < s.db.GetAllowedWithoutPermission() && s.timer.Stop() {
		s.timer.Reset(0)
	}
}

// Started implements pebble.CompactionGrantHandle.
func (s *scheduler) Started() {}

// MeasureCPU implements pebble.CompactionGrantHandle.
func (s *scheduler) MeasureCPU(pebble.CompactionGoroutineKind) {}

// CumulativeStats implements pebble.CompactionGrantHandle.
func (s *scheduler) CumulativeStats(pebble.CompactionGrantHandleStats) {}

// Done implements pebble.CompactionGrantHandle: a compaction has ended, another one may begin.
func (s *scheduler) Done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	s.grant()
	s.arm()
}

// sample looks at what the database allows now. It has a goroutine of its own.
func (s *scheduler) sample() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grant()
	s.armed = false
	s.arm()
}

// arm has the timer run while a compaction waits, and no longer. The caller holds mu.
func (s *scheduler) arm() {
	switch needed := s.waiting && !s.closed; {
	case needed && !s.armed:
		s.armed = true
		s.timer = time.AfterFunc(sampling, s.sample)
	case !needed && s.armed && s.timer.Stop():
		s.armed = false
	}
}

// grant offers the database what it may run until it has no use for more. The caller holds mu, which is released while the database answers.
func (s *scheduler) grant() {
	for s.granting {
		s.idle.Wait()
	}
	s.granting = true
	for !s.closed && s.running < s.db.GetAllowedWithoutPermission() {
		s.running++ // before it is offered, so that nothing else takes its place
		s.waiting = false
		waits, accepted := s.offer()
		refused := s.waiting // in the meantime, perhaps for the place that was kept
		s.waiting = refused || waits
		if accepted {
			continue // with the next one, if it may run
		}
		s.running--
		if waits || !refused {
			break
		}
	}
	s.granting = false
	s.idle.Broadcast()
}

// offer asks the database whether a compaction waits, and if so lets it run. The caller holds mu, which is released meanwhile.
func (s *scheduler) offer() (waits, accepted bool) {
	s.mu.Unlock()
	defer s.mu.Lock()
	if waits, _ = s.db.GetWaitingCompaction(); waits {
		accepted = s.db.Schedule(s)
	}
	return waits, accepted
}
