// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/log"
	"github.com/shirou/gopsutil/mem"
)

const (
	collectorInterval = time.Second

	// mostCollections is how many collections of garbage in an interval are too many, and mostCollecting how many seconds of a processor they may take.
	mostCollections = 2
	mostCollecting  = 0.05

	// quietIntervals is after how many intervals without a collection memory is given back.
	quietIntervals = 10

	// The heap may become as large as a part of the machine's memory for the sake of fewer collections, within bounds in bytes.
	partOfMemory                  = 8
	leastAllowance, mostAllowance = 256 << 20, 1 << 30
)

// collector chooses how far the heap grows between two collections of garbage. With Go's fixed percentage a node whose live heap is 40 MiB
// collects many times a second under load, and one whose live heap is 300 MiB takes half a second for each collection, on a machine with
// gigabytes to spare.
type collector struct {
	allowance      uint64 // bytes
	least, percent int
	quiet          int // intervals without a collection, one after the other
}

// next returns the percentage for the next interval, after one with so many collections, which took so many seconds of a processor, and with so
// many bytes alive.
func (c *collector) next(collections uint64, seconds float64, live uint64) int {
	most := max(int(c.allowance*100/max(live, 1))-100, c.least)
	switch {
	case collections > mostCollections || seconds > mostCollecting:
		c.quiet, c.percent = 0, 2*c.percent
	case collections > 0:
		c.quiet = 0
	default:
		if c.quiet++; c.quiet >= quietIntervals {
			c.quiet, c.percent = 0, max(c.percent/2, c.least)
		}
	}
	c.percent = min(c.percent, most)
	return c.percent
}

// tuneCollector adapts the collector to the load until ctx ends. Percent is what it begins with and comes back to.
func tuneCollector(ctx context.Context, percent int) {
	samples := []metrics.Sample{
		{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/gc/heap/live:bytes"}, {Name: "/cpu/classes/gc/total:cpu-seconds"},
	}
	metrics.Read(samples)
	c := &collector{allowance: allowance(memoryOf("/sys/fs/cgroup/memory.max")), least: percent, percent: percent}
	before, took := samples[0].Value.Uint64(), samples[2].Value.Float64()
	ticker := time.NewTicker(collectorInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			metrics.Read(samples)
			now, all, used := samples[0].Value.Uint64(), samples[2].Value.Float64(), c.percent
			if next := c.next(now-before, all-took, samples[1].Value.Uint64()); next != used {
				debug.SetGCPercent(next)
			}
			before, took = now, all
		case <-ctx.Done():
			return
		}
	}
}

// allowance returns how large the heap may become for the sake of fewer collections, where there are so many bytes of memory.
func allowance(memory uint64) uint64 {
	return min(max(memory/partOfMemory, leastAllowance), mostAllowance)
}

// memoryOf returns how many bytes of memory this process may use: what the machine has, or less where a file of its control group, or the
// limit for Go's runtime (--memorylimit), says so.
func memoryOf(group string) uint64 {
	memory := uint64(debug.SetMemoryLimit(-1))
	if machine, err := mem.VirtualMemory(); err != nil {
		log.Debug("The memory of this machine is not known", "err", err)
	} else {
		memory = min(memory, machine.Total)
	}
	if text, err := os.ReadFile(group); err == nil {
		if limit, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil { // otherwise "max"
			memory = min(memory, limit)
		}
	}
	return memory
}
