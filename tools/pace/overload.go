// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"time"

	"gwon/dev/loadtest"
)

// What a network that is given too much has to keep, beside the pace.
const (
	answers = time.Second      // p99 of a node's answer to what its head is
	empty   = 10 * time.Second // after the load, until the pools are empty
)

// overload puts a rate on networks of four validators, as it is and with something wrong besides, and prints what
// became of it. Whether the rate is more than they carry is for the caller to know. Only those ways are tried whose
// name has the given words.
func overload(ctx context.Context, binary, kind, scheme string, rate float64, lasts time.Duration, only string) error {
	for _, way := range []struct {
		name        string
		spoil, gaps int
		beside      func(ctx context.Context, dir string) error
		rounds      bool // later rounds are to be expected
	}{
		{name: "as it is"},
		{name: "5 of 100 more with a wrong signature", spoil: 5},
		{name: "5 of 100 leave a gap for a while", gaps: 5},
		{name: "a validator killed in the middle", rounds: true, beside: func(ctx context.Context, dir string) error {
			select {
			case <-time.After(lasts / 2):
				return killLast(ctx, dir)
			case <-ctx.Done():
				return nil
			}
		}},
		{name: "half of each core taken", beside: burn},
	} {
		if !strings.Contains(way.name, only) {
			continue
		}
		options := loadtest.Options{Kind: loadtest.Kind(kind), Rate: rate, Duration: lasts, Settle: lasts + time.Minute,
			Spoil: way.spoil, Gaps: way.gaps}
		report, err := measure(ctx, binary, 4, scheme, 0, options, way.beside)
		if err != nil {
			return fmt.Errorf("%s: %w", way.name, err)
		}
		var memory uint64
		for _, n := range report.Nodes {
			memory = max(memory, n.Memory)
		}
		fmt.Printf("%s: offered %d, accepted %d, refused %d, included %.0f a second; interval p50 %.2f p95 %.2f s, %d of "+
			"%d blocks in later rounds; latency p50 %.1f s; head answered p99 %.0f ms; pools empty after %.1f s; at most %d "+
			"MiB; %s\n",
			way.name, report.Offered, report.Accepted, report.Refused, report.Throughput, report.Interval.P50,
			report.Interval.P95, report.LaterRounds,
			report.Blocks, report.Latency.P50, 1e3*report.Head.P99, report.Drained, memory>>20, unkept(report, way.rounds))
	}
	return nil
}

// unkept says what a network did not keep under too much load.
func unkept(r *loadtest.Report, rounds bool) string {
	var list []string
	note := func(bad bool, format string, args ...any) {
		if bad {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	note(r.Lost > 0, "%d LOST", r.Lost)
	note(r.Pending > 0, "%d still pending", r.Pending)
	note(r.SpoiltAccepted > 0, "%d WRONG SIGNATURES ACCEPTED", r.SpoiltAccepted)
	note(r.LaterRounds > 0 && !rounds, "later rounds")
	note(r.Interval.P95 > longest.Seconds(), "blocks are late")
	note(r.Head.P99 > answers.Seconds(), "answers are late")
	note(r.Drained < 0 || r.Drained > empty.Seconds(), "the pools did not empty in time")
	if len(list) == 0 {
		return "all kept"
	}
	return strings.Join(list, ", ")
}

// killLast kills the last validator of a development network.
func killLast(ctx context.Context, dir string) error {
	list := nodes(ctx, dir)
	if len(list) == 0 || list[len(list)-1].PID <= 0 {
		return errors.New("the network does not tell its processes")
	}
	return syscall.Kill(list[len(list)-1].PID, syscall.SIGKILL)
}

// burn takes half of every core until ctx ends.
func burn(ctx context.Context, _ string) error {
	const slice = 10 * time.Millisecond
	for range runtime.NumCPU() {
		go func() {
			for ctx.Err() == nil {
				for begun := time.Now(); time.Since(begun) < slice; {
				}
				time.Sleep(slice)
			}
		}()
	}
	<-ctx.Done()
	return nil
}
