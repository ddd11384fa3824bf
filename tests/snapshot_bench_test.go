// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// BenchmarkSnapshot measures how long a snapshot takes to write and to fetch, beside a full sync and a snap sync of
// the same chain from one peer, each on loopback. GWON_BENCH_BLOCKS is the length of the chain, GWON_BENCH_TXS the
// payments in a block.
func BenchmarkSnapshot(b *testing.B) {
	h := history{"snapshot", 20_000, 1}
	for name, to := range map[string]*int{"GWON_BENCH_BLOCKS": &h.blocks, "GWON_BENCH_TXS": &h.txs} {
		if text := os.Getenv(name); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil {
				b.Fatalf("%s: %v", name, err)
			}
			*to = n
		}
	}
	c, file := h.build(b)
	source := c.addFollowers(b, 1)
	c.give(b, file, source)
	genesis, dir := filepath.Join(c.network.Dir, "genesis.json"), filepath.Join(workDir(b), "snapshot")
	command := func(b *testing.B, args ...string) {
		b.Helper()
		if _, stderr, err := gwonFor(b, 20*patience, b.TempDir(), args...); err != nil {
			b.Fatalf("gwon %v: %v: %s", args, err, stderr)
		}
	}
	b.Run("create", func(b *testing.B) {
		for b.Loop() {
			start := time.Now()
			command(b, "snapshot", "create", "--datadir", c.node(source).Dir, dir)
			h.rate(b, start)
			b.ReportMetric(float64(diskUse(b, dir))/float64(h.blocks), "files-B/block")
		}
	})
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	b.Cleanup(server.Close)
	b.Run("fetch", func(b *testing.B) {
		for b.Loop() {
			data := workDir(b)
			start := time.Now()
			command(b, "snapshot", "fetch", "--datadir", data, "--genesis", genesis, server.URL)
			h.rate(b, start)
			b.ReportMetric(float64(diskUse(b, data))/float64(h.blocks), "disk-B/block")
		}
	})
	c.follow(b, source, nil)
	c.awaitHead(b, uint64(h.blocks), source)
	for _, run := range []struct{ name, mode string }{{"full-sync", "full"}, {"snap-sync", "snap"}} {
		b.Run(run.name, func(b *testing.B) {
			for b.Loop() {
				node := c.addFollowers(b, 1)
				start := time.Now()
				c.follow(b, node, []int{source}, "--syncmode", run.mode)
				c.awaitSync(b, uint64(h.blocks), node)
				h.rate(b, start)
				c.stop(b, node)
				b.ReportMetric(float64(diskUse(b, c.node(node).Dir))/float64(h.blocks), "disk-B/block")
			}
		})
	}
}
