// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package progress

import (
	"fmt"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/log"
)

// Meter is how far a long task is. Its zero value is ready for use, and nil counts nothing. It may be used by
// several goroutines.
type Meter struct {
	mu    sync.Mutex
	state State
	from  uint64 // Done at the begin of the measurement
	begun time.Time
}

// State is how far a stage of a task is. The zero value is a task without a stage.
type State struct {
	Stage string        `json:"stage"`           // empty before the first one
	Done  uint64        `json:"done"`            // in units of the stage
	Total uint64        `json:"total"`           // in the same units; 0 where it is unknown
	Bytes uint64        `json:"bytes"`           // of the stage, before compression
	Items uint64        `json:"items,omitempty"` // of the stage, where these are counted besides
	Unit  string        `json:"unit,omitempty"`  // what Items counts, as "blocks"
	Took  time.Duration `json:"took"`            // since the stage has begun
	Left  time.Duration `json:"left"`            // at the rate until now; 0 while unknown
}

// Begin starts a stage of a number of units, 0 where their number is unknown. The name is a log message.
func (m *Meter) Begin(stage string, total uint64) { m.BeginItems(stage, total, "") }

// BeginItems is Begin for a stage that counts items of a unit besides, as "blocks".
func (m *Meter) BeginItems(stage string, total uint64, unit string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state, m.from, m.begun = State{Stage: stage, Total: total, Unit: unit}, 0, time.Now()
}

// Skip sets the units that need no work. The rate does not count them.
func (m *Meter) Skip(done uint64) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.from, m.state.Done, m.begun = done, done, time.Now()
}

// Extend sets the units of the stage, where they have become more.
func (m *Meter) Extend(total uint64) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state.Total = total
}

// Add counts bytes.
func (m *Meter) Add(bytes int) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state.Bytes += uint64(bytes)
}

// AddItems counts items.
func (m *Meter) AddItems(items int) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state.Items += uint64(items)
}

// At sets the units that are done.
func (m *Meter) At(done uint64) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state.Done = done
}

// End ends the last stage: nothing is shown any more.
func (m *Meter) End() { m.Begin("", 0) }

// State returns how far the task is.
func (m *Meter) State() State {
	if m == nil {
		return State{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.state
	if s.Stage == "" {
		return s
	}
	s.Took = time.Since(m.begun)
	if done := s.Done - m.from; s.Done > m.from && s.Total > s.Done {
		s.Left = time.Duration(float64(s.Took) / float64(done) * float64(s.Total-s.Done))
	}
	return s
}

// Log writes a line.
func (s State) Log() {
	var facts []any
	if s.Total > 0 {
		facts = append(facts, "done", s.percent())
	}
	if s.Unit != "" {
		facts = append(facts, s.Unit, s.Items)
	} else if s.Bytes > 0 {
		facts = append(facts, "bytes", common.StorageSize(s.Bytes))
	}
	if rate := s.rate(); rate != "" {
		facts = append(facts, "perSecond", rate)
	}
	facts = append(facts, "elapsed", common.PrettyDuration(s.Took))
	if s.Total > 0 {
		facts = append(facts, "eta", common.PrettyDuration(s.Left))
	}
	log.Info(s.Stage, facts...)
}

// rate returns items or bytes a second, "" where neither is counted.
func (s State) rate() string {
	seconds := max(s.Took.Seconds(), 0.001)
	switch {
	case s.Unit != "":
		return fmt.Sprintf("%.0f", float64(s.Items)/seconds)
	case s.Bytes > 0:
		return common.StorageSize(float64(s.Bytes) / seconds).String()
	}
	return ""
}

// fraction returns the part that is done, 0 to 1.
func (s State) fraction() float64 {
	if s.Total == 0 {
		return 0
	}
	return min(float64(s.Done)/float64(s.Total), 1)
}

func (s State) percent() string { return fmt.Sprintf("%.1f%%", 100*s.fraction()) }
