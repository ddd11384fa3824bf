// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gwon/internal/must"
)

// BenchmarkDevnetStart measures the time from gwon-dev devnet to a block on each of four validators.
func BenchmarkDevnetStart(b *testing.B) {
	for b.Loop() {
		start := time.Now()
		d := runDevnet(b, filepath.Join(workDir(b), "net"))
		b.ReportMetric(time.Since(start).Seconds(), "s/first-block")
		d.interrupt(b)
	}
}

// BenchmarkIdleMinute counts the blocks of four idle validators in a minute; the period is a second.
func BenchmarkIdleMinute(b *testing.B) {
	d := runDevnet(b, filepath.Join(workDir(b), "net"))
	for b.Loop() {
		first := d.head(b)
		time.Sleep(time.Minute)
		b.ReportMetric(float64(d.head(b)-first), "blocks/min")
	}
	d.interrupt(b)
}

// history is a chain that was sealed in advance, and what it costs to go through it.
type history struct {
	name        string
	blocks, txs int // txs in each block
}

// fullHistory has nothing but full blocks. It takes long to make, and is gone through when GWON_BENCH_FULL is set.
var fullHistory = history{"full", 1000, 5000}

// build makes a cluster with that chain in a file. None of its nodes has it yet.
func (h history) build(b *testing.B) (c *cluster, file string) {
	b.Helper()
	c = agedCluster(b, 4, time.Duration(h.blocks)*time.Second+time.Hour)
	return c, c.prehistory(b, h.blocks, c.payments(b, h.txs))
}

// BenchmarkValidatorReturns measures the time from the start of a validator's process to the first block it commits
// with the others: after an orderly stop, and after a kill.
func BenchmarkValidatorReturns(b *testing.B) {
	for _, how := range []string{"stopped", "killed"} {
		b.Run(how, func(b *testing.B) {
			const node = 3
			c := startAgedCluster(b, 4, 500, 5, 0)
			c.awaitHead(b, 503, c.running()...)
			for b.Loop() {
				if how == "stopped" {
					c.stop(b, node)
				} else {
					c.kill(b, node)
				}
				c.atHead(b, 0, 0)
				committed := func() int {
					text := must.Get(os.ReadFile(c.node(node).LogFile()))(b)
					return strings.Count(string(text), "Block committed")
				}
				before, start := committed(), time.Now()
				c.start(b, node)
				await(b, "a commit of the returned validator", func() bool { return committed() > before })
				b.ReportMetric(time.Since(start).Seconds(), "s/return")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}
