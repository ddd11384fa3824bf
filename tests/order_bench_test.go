// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gwon/dev/devnet"
)

// BenchmarkOrder sends small calls to a node over 16 connections, each after the answer to the one before, and reports
// how many calls of all are answered while one waits: in the order of arrival that would be 16 each time. What else the
// machine does changes times, but not these counts. It also reports the processor time that the node takes for a call.
// With GWON_BENCH_BASE, the path of another binary, it measures that one too, in turns.
func BenchmarkOrder(b *testing.B) {
	binaries := []string{binary}
	if base := os.Getenv("GWON_BENCH_BASE"); base != "" {
		binaries = []string{base, binary}
	}
	c, err := newCluster(workDir(b), 1)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := c.close(); err != nil {
			b.Error(err)
		}
	})
	for b.Loop() {
		for i, file := range binaries {
			c.supervisor = devnet.NewSupervisor(file, nil, false, false)
			c.follow(b, 0, nil)
			c.awaitHead(b, 0, 0)
			pid := c.processes[c.node(0)].Pid()
			before := cpuSeconds(b, pid)
			counts := answersMeanwhile(b, c.node(0).HTTPPort, 3*time.Second)
			perCall := (cpuSeconds(b, pid) - before) / float64(len(counts)) * 1e6
			c.stop(b, 0)
			p50, p99 := counts[len(counts)/2], counts[len(counts)*99/100]
			b.Logf("%s: %d calls, %.0f us of CPU each, meanwhile answered p50 %d, p99 %d",
				file, len(counts), perCall, p50, p99)
			if i == len(binaries)-1 {
				b.ReportMetric(float64(p50), "p50-answers")
				b.ReportMetric(float64(p99), "p99-answers")
				b.ReportMetric(perCall, "cpu-us/call")
			}
		}
		b.ReportMetric(0, "ns/op")
	}
}

// answersMeanwhile returns for each call how many of all were answered until its answer came, ascending.
func answersMeanwhile(b *testing.B, port int, during time.Duration) (counts []int64) {
	b.Helper()
	var (
		answered atomic.Int64
		mu       sync.Mutex
		wg       sync.WaitGroup
		end      = time.Now().Add(during)
	)
	for range 16 {
		wg.Go(func() {
			l, err := dialLine(port)
			if err != nil {
				b.Error(err)
				return
			}
			defer func() { _ = l.conn.Close() }()
			var own []int64
			for time.Now().Before(end) {
				before := answered.Load()
				if _, err := l.ask(rpcCall("eth_blockNumber", "")); err != nil {
					b.Error(err)
					return
				}
				own = append(own, answered.Add(1)-before)
			}
			mu.Lock()
			defer mu.Unlock()
			counts = append(counts, own...)
		})
	}
	wg.Wait()
	if len(counts) == 0 {
		b.Fatal("no call was answered")
	}
	slices.Sort(counts)
	return counts
}
