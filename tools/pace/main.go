// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Pace finds out how much a network on this machine carries, and compares two binaries: the highest rate at which
// blocks come every second in round 0 and nothing is refused or lost, for networks of several sizes. At each rate the
// binaries take turns, so that what else the machine does touches both. Only their ratio means anything elsewhere.
//
// With -overload it puts more on one network than it carries (see overload.go).
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/ethclient"

	"gwon/dev/devnet"
	"gwon/dev/loadtest"
)

const (
	startTime = 3 * time.Minute         // that a network has for its first blocks
	stopTime  = 30 * time.Second        // that it has to end
	firstRate = 200.0                   // transactions a second
	coarse    = 1.5                     // step of the rate until the pace breaks
	fine      = 1.12                    // ratio of the lowest broken to the highest held rate at which the search ends
	longest   = 1500 * time.Millisecond // p95 of the block interval at a rate that is held
)

func main() {
	base := flag.String("base", "", "binary to compare with; none measures one only")
	binary := flag.String("binary", "build/bin/gwon", "binary to measure")
	sizes := flag.String("validators", "1,4,7", "numbers of validators")
	kind := flag.String("kind", "transfer", "what gwon-dev load sends")
	over := flag.String("over", "http", "how it is sent: http or ws")
	lasts := flag.Duration("for", 30*time.Second, "how long each rate is tried")
	warm := flag.Duration("warm", 0, "for how long the same load goes to the network before it counts: a new node's "+
		"memory is all new to the system as well")
	batch := flag.Int("batch", 0, "transactions of one request; 0 for one")
	reads := flag.Float64("reads", 0, "calls a second meanwhile that the first node answers, of ten methods")
	from := flag.Float64("from", firstRate, "lowest rate to try; halved when even that breaks the pace")
	most := flag.Float64("most", 20000, "highest rate to try")
	overRate := flag.Float64("overload", 0, "put this rate on four validators instead, in several ways, and say how "+
		"they bear it")
	only := flag.String("only", "", "of the ways to overload, those whose name has this")
	flag.Parse()
	if *over != "http" && *over != "ws" {
		fmt.Fprintf(os.Stderr, "pace: --over wants http or ws, not %q\n", *over)
		os.Exit(2)
	}
	if *from <= 0 || *most < *from {
		fmt.Fprintln(os.Stderr, "pace: --from wants a rate above 0 and at most --most")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *overRate > 0 {
		if err := overload(ctx, *binary, *kind, *over, *overRate, *lasts, *only); err != nil {
			fmt.Fprintln(os.Stderr, "pace:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(ctx, *base, *binary, *sizes, *kind, *over, *warm, *lasts, *batch, *reads, *from, *most); err != nil {
		fmt.Fprintln(os.Stderr, "pace:", err)
		os.Exit(1)
	}
}

// developerProgram starts the networks of both binaries.
const developerProgram = "build/bin/gwon-dev"

// contestant is a binary and the rates between which its limit lies.
type contestant struct {
	name, binary string
	held, broken float64
	best         *loadtest.Report
}

func run(ctx context.Context, base, binary, sizes, kind, scheme string, warm, lasts time.Duration, batch int,
	reads, from, most float64) error {
	for _, text := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("--validators wants numbers with commas between them, not %q", sizes)
		}
		list := []*contestant{{name: "this", binary: binary}}
		if base != "" {
			list = append(list, &contestant{name: "base", binary: base})
		}
		for searching := true; searching; {
			searching = false
			for _, c := range list {
				rate, open := c.next(from, most)
				if !open {
					continue
				}
				searching = true
				options := loadtest.Options{Kind: loadtest.Kind(kind), Rate: rate, Duration: lasts, Settle: lasts,
					Batch: batch, ReadRate: reads}
				report, err := measure(ctx, c.binary, n, scheme, warm, options, nil)
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

// next returns the rate to try next, the first being from, and whether there is one that is at most most.
func (c *contestant) next(from, most float64) (rate float64, open bool) {
	switch {
	case c.broken == 0:
		rate = max(from, c.held*coarse)
		return rate, rate <= most
	case c.held == 0:
		return c.broken / 2, c.broken >= 10
	}
	return (c.held + c.broken) / 2, c.broken/c.held > fine
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

// measure starts a network in a directory of its own, puts the load on it, after as much of it that does not count as
// warm says, and ends it. During the load it runs beside, unless that is nil, which is given the directory of the
// network; the load goes to all validators but the last then.
func measure(
	ctx context.Context, binary string, validators int, scheme string, warm time.Duration, options loadtest.Options,
	beside func(ctx context.Context, dir string) error,
) (report *loadtest.Report, err error) {
	dir, err := os.MkdirTemp("", "gwon-pace-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	home := filepath.Join(dir, "net")
	network := exec.Command(developerProgram, "devnet", "--gwon", binary, "--quiet", "--json", "--datadir", home,
		"--validators", strconv.Itoa(validators), "--http.port", "0")
	output, err := os.Create(filepath.Join(dir, "output"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, output.Close()) }()
	network.Stdout, network.Stderr = output, output
	if err := network.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- network.Wait() }()
	defer func() {
		_ = network.Process.Signal(os.Interrupt)
		select {
		case <-ended: //nolint:errcheck // an interrupt ends it with an error
		case <-time.After(stopTime):
			_ = network.Process.Kill()
			<-ended //nolint:errcheck // a kill ends it with an error
			err = errors.Join(err, fmt.Errorf("the network did not end within %v", stopTime))
		}
	}()
	starting, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	said := func() []byte {
		text, err := os.ReadFile(output.Name())
		if err != nil {
			return []byte(err.Error())
		}
		return text
	}
	var endpoints []string
	for len(endpoints) < validators || !sealing(starting, endpoints) {
		select {
		case <-time.After(time.Second):
		case err := <-ended:
			ended <- err
			return nil, fmt.Errorf("the network has ended: %w\n%s", err, said())
		case <-starting.Done():
			return nil, fmt.Errorf("no blocks within %v: %w\n%s", startTime, starting.Err(), said())
		}
		endpoints = endpointsIn(said(), scheme)
	}
	options.Endpoints, options.Senders, options.Workers = endpoints, 500, 128
	if options.ReadRate > 0 {
		options.ReadFrom = endpoints[:1]
	}
	for i := range 4 {
		account, err := devnet.NewAccount(i + 1)
		if err != nil {
			return nil, err
		}
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
	options.Endpoints = endpoints[:validators-1]
	during, end := context.WithCancel(ctx)
	failed := make(chan error, 1)
	go func() { failed <- beside(during, home) }()
	report, err = loadtest.Run(ctx, options)
	end()
	return report, errors.Join(err, <-failed)
}

// endpointsIn returns the endpoints of the nodes in the line of JSON that a network prints, in their order; none while
// it starts.
func endpointsIn(said []byte, scheme string) []string {
	var list []string
	for line := range bytes.Lines(said) {
		var network struct {
			Validators []struct{ RPC, WS string }
		}
		if !bytes.HasPrefix(line, []byte("{")) || json.Unmarshal(line, &network) != nil {
			continue
		}
		for _, v := range network.Validators {
			if scheme == "ws" {
				list = append(list, v.WS)
			} else {
				list = append(list, v.RPC)
			}
		}
	}
	return list
}

// sealing tells that all nodes have the first blocks.
func sealing(ctx context.Context, endpoints []string) bool {
	for _, endpoint := range endpoints {
		client, err := ethclient.DialContext(ctx, endpoint)
		if err != nil {
			return false
		}
		number, err := client.BlockNumber(ctx)
		client.Close()
		if err != nil || number < 3 {
			return false
		}
	}
	return true
}

// nodeState is what a development network says of one of its nodes.
type nodeState struct{ PID int }

// nodes asks a development network for its nodes; none while it is not up.
func nodes(ctx context.Context, dir string) []nodeState {
	out, err := exec.CommandContext(ctx, developerProgram, "devnet", "status", "--json", "--datadir", dir).Output()
	if err != nil {
		return nil
	}
	var list []nodeState
	if json.Unmarshal(out, &list) != nil {
		return nil
	}
	return list
}
