// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"strings"
	"time"

	"gwon/dev/devnet"
	"gwon/dev/loadtest"
)

// What a network that is given too much has to keep, beside the pace.
const (
	answers = time.Second      // p99 of a node's answer to what its head is
	empty   = 10 * time.Second // after the load, until the pools are empty
)

// overload puts a rate on networks of four validators, as it is and with something wrong besides, and prints what
// became of it. Whether the rate is more than they carry is for the caller to know.
func overload(flags *flag.FlagSet) func(context.Context) error {
	var l load
	l.register(flags)
	rate := flags.Float64("rate", 0, "transactions a second")
	only := flags.String("only", "", "of the ways to overload, those whose name has this")
	return func(ctx context.Context) error {
		if *rate <= 0 {
			return errors.New("-rate wants a rate above 0")
		}
		if err := l.check(); err != nil {
			return err
		}
		return l.overload(ctx, *rate, *only)
	}
}

func (l *load) overload(ctx context.Context, rate float64, only string) error {
	for _, way := range []struct {
		name        string
		spoil, gaps int
		beside      func(ctx context.Context, last *devnet.Process) error
		rounds      bool // later rounds are to be expected
	}{
		{name: "as it is"},
		{name: "5 of 100 more with a wrong signature", spoil: 5},
		{name: "5 of 100 leave a gap for a while", gaps: 5},
		{name: "a validator killed in the middle", rounds: true, beside: l.killHalfway},
		{name: "half of each core taken", beside: burn},
	} {
		if !strings.Contains(way.name, only) {
			continue
		}
		options := loadtest.Options{Kind: loadtest.Kind(l.kind), Rate: rate, Duration: l.lasts, Settle: l.lasts + time.Minute,
			Spoil: way.spoil, Gaps: way.gaps}
		report, err := measure(ctx, l.binary, 4, l.scheme, 0, options, way.beside)
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

// killHalfway kills a validator in the middle of the load.
func (l *load) killHalfway(ctx context.Context, last *devnet.Process) error {
	select {
	case <-time.After(l.lasts / 2):
		return last.Kill()
	case <-ctx.Done():
		return nil
	}
}

// burn takes half of every core until ctx ends.
func burn(ctx context.Context, _ *devnet.Process) error {
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
