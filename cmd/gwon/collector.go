// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
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

	// The heap may become as large as a part of the machine's memory for the sake of fewer collections, within bounds in bytes; where there is
	// less than twice the lower one, half of that.
	partOfMemory                  = 8
	leastAllowance, mostAllowance = 256 << 20, 1 << 30

	// Of what nobody uses at the moment it takes a part for that; and nothing more once only a part of the memory is left.
	partOfRoom = 4
	partInNeed = 16
)

// collector chooses how far the heap grows between two collections of garbage. With Go's fixed percentage a node whose live heap is 40 MiB
// collects many times a second under load, and one whose live heap is 300 MiB takes half a second for each collection, on a machine with
// gigabytes to spare.
type collector struct {
	least, percent int
	quiet          int // intervals without a collection, one after the other
}

// next returns the percentage for the next interval, after one with so many collections, which took so many seconds of a processor, with so
// many bytes alive, and where the heap may have so many.
func (c *collector) next(collections uint64, seconds float64, live, allowance uint64) int {
	most := max(int(allowance*100/max(live, 1))-100, c.least)
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
	c, machine := &collector{least: percent, percent: percent}, memory(controlGroups())
	before, took := samples[0].Value.Uint64(), samples[2].Value.Float64()
	ticker := time.NewTicker(collectorInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			metrics.Read(samples)
			now, all, used := samples[0].Value.Uint64(), samples[2].Value.Float64(), c.percent
			var most uint64
			if now > before || used > c.least { // an idle node does not look at the machine each second
				total, room := machine.look()
				most = allowance(total, room, heap())
			}
			if next := c.next(now-before, all-took, samples[1].Value.Uint64(), most); next != used {
				debug.SetGCPercent(next)
			}
			before, took = now, all
		case <-ctx.Done():
			return
		}
	}
}

// heap returns how many bytes of memory the heap has, in use or not.
func heap() (size uint64) {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(samples)
	for _, s := range samples {
		size += s.Value.Uint64()
	}
	return size
}

// allowance returns how large the heap may become for the sake of fewer collections, where there are so many bytes of memory, so many of them
// are used by nobody, and the heap has so many.
func allowance(total, room, heap uint64) uint64 {
	if room < total/partInNeed {
		return 0
	}
	least := min(leastAllowance, total/2)
	return min(max(total/partOfMemory, least), mostAllowance, heap+room/partOfRoom)
}

// memory is that which this process may use: the machine's, as far as the directories of its control group and of those around it allow.
type memory []string

// look returns how many bytes there are, and how many nobody uses: of the machine, or of a control group or the limit for Go's runtime
// (--memorylimit) where these leave less. What is not known limits nothing.
func (groups memory) look() (total, room uint64) {
	total, room = math.MaxUint64, math.MaxUint64
	if machine, err := mem.VirtualMemory(); err != nil {
		log.Debug("The memory of this machine is not known", "err", err)
	} else {
		total, room = machine.Total, machine.Available
	}
	for _, group := range groups {
		limit, known := groupLimit(group)
		if !known {
			continue
		}
		total = min(total, limit)
		// The group's cached files are counted as its memory too, and given up for whoever needs it.
		if used, known := groupUse(group); known {
			room = min(room, limit-min(used, limit))
		}
	}
	return min(total, uint64(debug.SetMemoryLimit(-1))), room
}

// Where the kernel says which control group a process is in, and where the groups are (version 2).
const (
	ownGroup  = "/proc/self/cgroup"
	allGroups = "/sys/fs/cgroup"
)

// controlGroups returns the directories of this process's control group and of those around it.
func controlGroups() []string {
	text, err := os.ReadFile(ownGroup)
	if err != nil {
		return nil // not Linux
	}
	return groupsIn(string(text), allGroups)
}

// groupsIn returns the directories below root of the group that a file like ownGroup names, the innermost first, and root.
func groupsIn(text, root string) (groups []string) {
	for line := range strings.Lines(text) {
		if path, found := strings.CutPrefix(strings.TrimSpace(line), "0::"); found {
			for path = filepath.Clean("/" + path); path != "/"; path = filepath.Dir(path) {
				groups = append(groups, filepath.Join(root, path))
			}
			groups = append(groups, root)
		}
	}
	return groups
}

// groupLimit returns that of a control group.
func groupLimit(group string) (limit uint64, known bool) {
	text, err := os.ReadFile(filepath.Join(group, "memory.max"))
	if err != nil {
		return 0, false
	}
	limit, err = strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return limit, err == nil // "max" is none
}

// groupUse returns how many bytes of a control group's memory are no file's.
func groupUse(group string) (used uint64, known bool) {
	text, err := os.ReadFile(filepath.Join(group, "memory.stat"))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if count, found := strings.CutPrefix(line, "anon "); found {
			used, err = strconv.ParseUint(strings.TrimSpace(count), 10, 64)
			return used, err == nil
		}
	}
	return 0, false
}
