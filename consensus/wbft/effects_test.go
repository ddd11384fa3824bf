// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"gwon/consensus/wbft/core"
)

// Stop does not wait for functions of timers. One that is called late belongs to its own run and says nothing to the
// core of the next one, which may have a timer with the same ID.
func TestTimersStayInTheirRun(t *testing.T) {
	for name, begin := range map[string]func(context.Context, *Driver){
		"timer of the core": func(ctx context.Context, d *Driver) {
			d.setTimer(ctx, core.SetTimer{Kind: core.RetryTimer, ID: 1, Delay: time.Second})
		},
		"deferred relay": func(ctx context.Context, d *Driver) { d.deferRelay(ctx, core.Relay{}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first, next := emptyRun(), emptyRun()
				d := &Driver{run: first}
				begin(t.Context(), d)
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
func emptyRun() *run {
	return &run{
		jobs:        make(chan func(context.Context)),
		jobsInPause: make(chan func(context.Context)),
		timers:      make(map[core.TimerKind]*time.Timer),
	}
}
