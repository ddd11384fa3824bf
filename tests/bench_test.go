// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
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

var histories = []history{{"empty", 20_000, 0}, {"200payments", 1000, 200}}

// fullHistory has nothing but full blocks. It takes long to make, and is gone through when GWON_BENCH_FULL is set.
var fullHistory = history{"full", 1000, 5000}

// build makes a cluster with that chain in a file. None of its nodes has it yet.
func (h history) build(b *testing.B) (c *cluster, file string) {
	b.Helper()
	c = agedCluster(b, 4, time.Duration(h.blocks)*time.Second+time.Hour)
	return c, c.prehistory(b, h.blocks, h.txs)
}

// rate reports how many blocks a second, and payments where there are any, went through since start.
func (h history) rate(b *testing.B, start time.Time) {
	took := time.Since(start).Seconds()
	b.ReportMetric(float64(h.blocks)/took, "blocks/s")
	if h.txs > 0 {
		b.ReportMetric(float64(h.blocks*h.txs)/took, "txs/s")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkHistory measures gwon import of a chain, how fast a new follower executes the chain of one peer and of
// three, and how fast it stores that of one peer in snap sync: each from the start of the process to the last block.
// With GWON_BENCH_FULL it does so for full blocks.
func BenchmarkHistory(b *testing.B) {
	const servers = 3
	list := histories
	if os.Getenv("GWON_BENCH_FULL") != "" {
		list = []history{fullHistory}
	}
	for _, h := range list {
		b.Run(h.name, func(b *testing.B) {
			c, file := h.build(b)
			first := c.addFollowers(b, servers)
			imported := false // unless the benchmark is left out, as for -bench History/empty/1peer
			b.Run("import", func(b *testing.B) {
				for b.Loop() {
					start := time.Now()
					c.give(b, file, first)
					imported = true
					h.rate(b, start)
					b.ReportMetric(float64(diskUse(b, c.node(first).Dir))/float64(h.blocks), "disk-B/block")
				}
			})
			if !imported {
				c.give(b, file, first)
			}
			for i := first + 1; i < first+servers; i++ {
				c.copyChain(b, first, i)
			}
			for i := first; i < first+servers; i++ {
				c.follow(b, i, nil)
				c.awaitHead(b, uint64(h.blocks), i)
			}
			for _, run := range []struct {
				name  string
				peers []int
				flags []string
			}{
				{"1peer", []int{first}, nil},
				{"3peers", []int{first, first + 1, first + 2}, nil},
				{"1peer-snap", []int{first}, []string{"--syncmode", "snap"}},
			} {
				b.Run(run.name, func(b *testing.B) {
					for b.Loop() {
						node := c.addFollowers(b, 1)
						start := time.Now()
						c.follow(b, node, run.peers, run.flags...)
						c.awaitSync(b, uint64(h.blocks), node)
						h.rate(b, start)
						c.kill(b, node)
					}
				})
			}
		})
	}
}

// awaitSync waits until node i has that block, for as long as its head moves.
func (c *cluster) awaitSync(b *testing.B, number uint64, i int) {
	b.Helper()
	for head := uint64(0); head < number; {
		c.await(b, fmt.Sprintf("a block after %d on %s", head, c.node(i).Name), func() (bool, string) {
			next, err := c.head(i)
			moved := err == nil && next > head
			if moved {
				head = next
			}
			return moved, fmt.Sprintf("head %d, error %v", next, err)
		})
	}
}

// diskUse returns how many bytes the files of a directory have together.
func diskUse(b *testing.B, dir string) (bytes int64) {
	b.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return bytes
}

// copyChain gives a node that does not run the chain of another one that does not.
func (c *cluster) copyChain(b *testing.B, from, to int) {
	b.Helper()
	for _, name := range []string{"chaindata", "triedb"} {
		source, target := filepath.Join(c.node(from).Dir, "gwon", name), filepath.Join(c.node(to).Dir, "gwon", name)
		if err := os.RemoveAll(target); err != nil {
			b.Fatal(err)
		}
		if err := os.CopyFS(target, os.DirFS(source)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLongChainStart measures the time from the start of a process to its first answer over idle chains of very
// different length without seals. GWON_BENCH_BLOCKS is the length of the longer one.
func BenchmarkLongChainStart(b *testing.B) {
	long := "1000000"
	if want := os.Getenv("GWON_BENCH_BLOCKS"); want != "" {
		long = want
	}
	for _, blocks := range []string{"100000", long} {
		b.Run(blocks, func(b *testing.B) {
			c := agedCluster(b, 1, time.Hour)
			node, dir := c.addFollowers(b, 1), filepath.Join(workDir(b), "long")
			out, err := exec.Command("go", "run", "gwon/tools/measure", "chain", "-dir", dir, "-blocks", blocks, "-unsealed",
				"-light-every", "0", "-full-every", "0", "-change-every", "0").CombinedOutput()
			if err != nil {
				b.Fatalf("%v: %s", err, out)
			}
			chain := filepath.Join(c.node(node).Dir, "gwon", "chaindata")
			if err := errors.Join(os.RemoveAll(chain), os.RemoveAll(filepath.Join(c.node(node).Dir, "gwon", "triedb")),
				os.Rename(filepath.Join(dir, "node", "gwon", "chaindata"), chain)); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				start := time.Now()
				c.follow(b, node, nil)
				c.awaitHead(b, 1, node)
				b.ReportMetric(time.Since(start).Seconds(), "s/start")
				b.ReportMetric(0, "ns/op")
				c.stop(b, node)
			}
		})
	}
}

// BenchmarkValidatorReturns measures the time from the start of a validator's process to the first block it commits
// with the others: after an orderly stop, and after a kill.
func BenchmarkValidatorReturns(b *testing.B) {
	for _, how := range []string{"stopped", "killed"} {
		b.Run(how, func(b *testing.B) {
			const node = 3
			c := startAgedCluster(b, 4, 500, 5)
			c.awaitHead(b, 503, c.running()...)
			for b.Loop() {
				if how == "stopped" {
					c.stop(b, node)
				} else {
					c.kill(b, node)
				}
				c.atHead(b, 0, 0)
				committed := func() int {
					text, err := os.ReadFile(c.node(node).LogFile())
					if err != nil {
						b.Fatal(err)
					}
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
