// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"testing"
	"testing/synctest"
	"time"

	"gwon/consensus/wbft/core"
)

// Stop does not wait for functions of timers. One that is called late belongs to its own run and says nothing to the
// core of the next one, which may have a timer with the same ID.
func TestTimersStayInTheirRun(t *testing.T) {
	for name, begin := range map[string]func(*run){
		"timer of the core": func(r *run) {
			r.setTimer(core.SetTimer{Kind: core.RetryTimer, ID: 1, Delay: time.Second})
		},
		"deferred relay": func(r *run) { r.deferRelay(core.Relay{}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := new(Driver)
				first, next := emptyRun(t, d), emptyRun(t, d)
				d.run = first
				begin(d.run)
				d.run = next
				select {
				case <-first.jobs:
				case <-first.jobsInPause:
				case <-next.jobs:
					t.Error("a step of the next run")
				case <-next.jobsInPause:
					t.Error("a job of the next run")
				}
			})
		})
	}
}

// emptyRun returns a run without a core.
func emptyRun(t *testing.T, d *Driver) *run {
	return &run{
		driver:      d,
		ctx:         t.Context(),
		jobs:        make(chan func()),
		jobsInPause: make(chan func()),
		timers:      make(map[core.TimerKind]*time.Timer),
	}
}
