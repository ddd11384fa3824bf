// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gwon/dev/devnet"
	"gwon/dev/loadtest"
	"gwon/params"
)

const longest = 1500 * time.Millisecond // p95 of the block interval at a rate that is held

// load is what is put on networks.
type load struct {
	binary, kind, scheme string
	lasts                time.Duration
}

func (l *load) register(flags *flag.FlagSet) {
	flags.StringVar(&l.binary, "binary", "build/bin/gwon", "binary to measure")
	flags.StringVar(&l.kind, "kind", "transfer", "what gwon-dev load sends")
	flags.StringVar(&l.scheme, "over", "http", "how it is sent: http or ws")
	flags.DurationVar(&l.lasts, "for", 30*time.Second, "how long each rate is tried")
}

func (l *load) check() error {
	if l.scheme != "http" && l.scheme != "ws" {
		return fmt.Errorf("-over wants http or ws, not %q", l.scheme)
	}
	return nil
}

// pace finds the highest rate at which blocks come every second in round 0 and nothing is refused or lost, for networks
// of several sizes. At each rate two binaries take turns, so that other work of the machine touches both. Only their
// ratio means anything elsewhere.
func pace(flags *flag.FlagSet) func(context.Context) error {
	var s search
	s.register(flags)
	flags.StringVar(&s.base, "base", "", "binary to compare with; none measures one only")
	flags.StringVar(&s.sizes, "validators", "1,4,7", "numbers of validators")
	flags.DurationVar(&s.warm, "warm", 0, "for how long the same load goes to the network before it counts: a new "+
		"node's memory is all new to the system as well")
	flags.IntVar(&s.batch, "batch", 0, "transactions of one request; 0 for one")
	flags.Float64Var(&s.reads, "reads", 0, "calls a second meanwhile that the first node answers, of ten methods")
	flags.Float64Var(&s.from, "from", 200, "lowest rate to try; halved when even that breaks the pace")
	flags.Float64Var(&s.most, "most", 20000, "highest rate to try")
	return s.run
}

// search is what pace tries.
type search struct {
	load
	base, sizes       string
	warm              time.Duration
	batch             int
	reads, from, most float64
}

// contestant is a binary and the rates between which its limit lies.
type contestant struct {
	name, binary string
	held, broken float64
	best         *loadtest.Report
}

func (s *search) run(ctx context.Context) error {
	if s.from <= 0 || s.most < s.from {
		return errors.New("-from wants a rate above 0 and at most -most")
	}
	if err := s.check(); err != nil {
		return err
	}
	for _, text := range strings.Split(s.sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("-validators wants numbers with commas between them, not %q", s.sizes)
		}
		list := []*contestant{{name: "this", binary: s.binary}}
		if s.base != "" {
			list = append(list, &contestant{name: "base", binary: s.base})
		}
		for searching := true; searching; {
			searching = false
			for _, c := range list {
				rate, open := c.next(s.from, s.most)
				if !open {
					continue
				}
				searching = true
				options := loadtest.Options{Kind: loadtest.Kind(s.kind), Rate: rate, Duration: s.lasts, Settle: s.lasts,
					Batch: s.batch, ReadRate: s.reads}
				report, err := measure(ctx, c.binary, n, s.scheme, s.warm, options, nil)
				if err != nil {
					return fmt.Errorf("%s, %d validators, %.0f a second: %w", c.name, n, rate, err)
				}
				reason := breaks(report)
				if reason == "" {
					c.held, c.best = rate, report
				} else {
					c.broken = rate
				}
				fmt.Printf("%d validators, %s, %.0f a second: %.0f tx/s, interval p50 %.2f s, p95 %.2f s, latency p50 %.2f s, "+
					"%s%s\n", n, c.name, rate, report.Throughput, report.Interval.P50, report.Interval.P95, report.Latency.P50,
					readTimes(report), cmp.Or(reason, "held"))
			}
		}
		for _, c := range list {
			fmt.Printf("== %d validators, %s: %.0f a second held%s\n", n, c.name, c.held, c.cost())
		}
		if len(list) == 2 && list[1].held > 0 {
			fmt.Printf("== %d validators: ratio %.2f\n", n, list[0].held/list[1].held)
		}
	}
	return nil
}

// readTimes says how long the reads took, nothing when there were none.
func readTimes(r *loadtest.Report) string {
	if r.Reads == nil {
		return ""
	}
	return fmt.Sprintf("reads p50 %.1f ms, p99 %.1f ms, %d failed, ", 1e3*r.Reads.Time.P50, 1e3*r.Reads.Time.P99,
		r.Reads.Failed)
}

// next returns the rate to try next, the first being from, and whether there is one that is at most most. Rates rise by
// half until the pace breaks. The search ends where the lowest broken rate is within 12 % of the highest held one.
func (c *contestant) next(from, most float64) (rate float64, open bool) {
	switch {
	case c.broken == 0:
		rate = max(from, 1.5*c.held)
		return rate, rate <= most
	case c.held == 0:
		return c.broken / 2, c.broken >= 10
	}
	return (c.held + c.broken) / 2, c.broken/c.held > 1.12
}

// cost says what a transaction cost each node at the rate that was held.
func (c *contestant) cost() string {
	if c.best == nil || len(c.best.Nodes) == 0 || c.best.Included == 0 {
		return ""
	}
	var cpu float64
	var memory uint64
	for _, node := range c.best.Nodes {
		cpu += node.CPU
		memory = max(memory, node.Memory)
	}
	return fmt.Sprintf(", %.2f ms of CPU a transaction and node, at most %d MiB",
		1000*cpu/float64(len(c.best.Nodes)*c.best.Included), memory>>20)
}

// breaks says what was wrong at a rate; nothing when it was held.
func breaks(r *loadtest.Report) string {
	switch {
	case r.Lost > 0:
		return fmt.Sprintf("%d LOST", r.Lost)
	case r.Refused > 0:
		return fmt.Sprintf("%d refused", r.Refused)
	case r.Included < r.Accepted:
		return fmt.Sprintf("%d not included in time", r.Accepted-r.Included)
	case float64(r.Offered) < 0.95*r.Rate*r.Seconds:
		return "the nodes answer too slowly"
	case r.LaterRounds > 0:
		return fmt.Sprintf("%d blocks in later rounds", r.LaterRounds)
	case r.Interval.P95 > longest.Seconds():
		return "blocks are late"
	}
	return ""
}

// ready waits for the first blocks of a network.
type ready struct{ processes chan []*devnet.Process }

func (r ready) Ready(list []*devnet.Process) error {
	r.processes <- list
	return nil
}

func (ready) Stopped(*devnet.Process, bool, int) {}
func (ready) Started(*devnet.Process, int)       {}

// measure starts a network in a directory of its own, puts the load on it, after as much of it that does not count as
// warm says, and ends it. During the load it runs beside, unless that is nil, which is given the last validator; the
// load goes to the others then.
func measure(
	ctx context.Context, binary string, validators int, scheme string, warm time.Duration, options loadtest.Options,
	beside func(ctx context.Context, last *devnet.Process) error,
) (report *loadtest.Report, err error) {
	dir, err := os.MkdirTemp("", "gwon-measure-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	network, err := devnet.Prepare(devnet.Options{Dir: filepath.Join(dir, "net"), Validators: validators, Accounts: 10,
		ChainID: params.DevnetChainID, Period: time.Second, Contracts: params.G1})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, network.Close()) }()
	supervisor := devnet.NewSupervisor(binary, nil, false, false)
	defer supervisor.Close()
	running, end := context.WithCancel(ctx)
	begun, ended := ready{make(chan []*devnet.Process, 1)}, make(chan error, 1)
	go func() { ended <- network.Run(running, supervisor, begun, func(*devnet.Control) {}) }()
	defer func() {
		end()
		err = errors.Join(err, <-ended)
	}()
	var processes []*devnet.Process
	select {
	case processes = <-begun.processes:
	case err := <-ended:
		ended <- nil
		return nil, fmt.Errorf("the network has ended: %w", errors.Join(err, ctx.Err()))
	}
	for _, node := range network.Nodes {
		endpoint := node.HTTP()
		if scheme == "ws" {
			endpoint = node.WS()
		}
		options.Endpoints = append(options.Endpoints, endpoint)
	}
	options.Senders, options.Workers = 500, 128
	if options.ReadRate > 0 {
		options.ReadFrom = options.Endpoints[:1]
	}
	for _, account := range network.Accounts[:4] {
		options.Keys = append(options.Keys, account.Key())
	}
	if warm > 0 {
		before := options
		before.Duration, before.ReadRate, before.ReadFrom = warm, 0, nil
		if _, err := loadtest.Run(ctx, before); err != nil {
			return nil, fmt.Errorf("warming up: %w", err)
		}
	}
	if beside == nil {
		return loadtest.Run(ctx, options)
	}
	options.Endpoints = options.Endpoints[:validators-1]
	during, stop := context.WithCancel(ctx)
	failed := make(chan error, 1)
	go func() { failed <- beside(during, processes[validators-1]) }()
	report, err = loadtest.Run(ctx, options)
	stop()
	return report, errors.Join(err, <-failed)
}
