// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package snapshot

import (
	"fmt"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/log"
)

// reportPeriod is the time between two lines of progress.
const reportPeriod = 8 * time.Second

// Progress is how far a long task is. Its zero value is ready for use.
type Progress struct {
	Report func(State) // called every 8 s while the task goes on; nil for nobody

	mu    sync.Mutex
	state State
	from  uint64 // Done at the begin of the stage
	begun time.Time
	told  time.Time // when Report was called
}

// State is how far a stage of a task is.
type State struct {
	Stage string        `json:"stage"` // empty before the first one
	Done  uint64        `json:"done"`  // in units of the stage
	Total uint64        `json:"total"`
	Bytes uint64        `json:"bytes"` // of the stage, before compression
	Took  time.Duration `json:"took"`  // since the stage has begun
	Left  time.Duration `json:"left"`  // at the rate until now; 0 while unknown
}

// Log writes a line.
func (s State) Log() {
	rate := common.StorageSize(0)
	if seconds := s.Took.Seconds(); seconds > 0 {
		rate = common.StorageSize(float64(s.Bytes) / seconds)
	}
	log.Info(s.Stage, "done", s.percent(), "bytes", common.StorageSize(s.Bytes), "perSecond", rate,
		"elapsed", common.PrettyDuration(s.Took), "eta", common.PrettyDuration(s.Left))
}

func (s State) percent() string {
	if s.Total == 0 {
		return "0%"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(s.Done)/float64(s.Total))
}

// begin starts a stage of so many units.
func (p *Progress) begin(stage string, total uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.state, p.from, p.begun, p.told = State{Stage: stage, Total: total}, 0, now, now
}

// skip sets the units that earlier attempts have done.
func (p *Progress) skip(done uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.from, p.state.Done = done, done
}

// add counts bytes.
func (p *Progress) add(bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.Bytes += uint64(bytes)
}

// at sets the units that are done.
func (p *Progress) at(done uint64) {
	p.mu.Lock()
	p.state.Done = done
	now := time.Now()
	due := now.Sub(p.told) >= reportPeriod
	if due {
		p.told = now
	}
	p.mu.Unlock()
	if due && p.Report != nil {
		p.Report(p.State())
	}
}

// State returns how far the task is.
func (p *Progress) State() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.state
	if s.Stage == "" {
		return s
	}
	s.Took = time.Since(p.begun)
	if done := s.Done - p.from; done > 0 && s.Total > s.Done {
		s.Left = time.Duration(float64(s.Took) / float64(done) * float64(s.Total-s.Done))
	}
	return s
}
