// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	collectorInterval = time.Second

	// mostCollections is how many collections of garbage a second are too many, and fewCollections how many in a quiet while are few
	// enough to give memory back.
	mostCollections = 2
	quietIntervals  = 10

	// heapAllowance is how large the heap may become for the sake of fewer collections, in bytes.
	heapAllowance = 512 << 20
)

// collector chooses how far the heap grows between two collections of garbage. With Go's fixed percentage a node whose live heap is 40 MiB
// collects many times a second under load and spends a tenth of its time on it, on a machine with gigabytes to spare.
type collector struct {
	least, percent int
	quiet          int // intervals without a collection, one after the other
}

// next returns the percentage for the next interval, after one with so many collections and so many bytes alive.
func (c *collector) next(collections, live uint64) int {
	switch {
	case collections > mostCollections:
		c.quiet = 0
		if most := int(heapAllowance*100/max(live, 1)) - 100; most > c.percent {
			c.percent = min(2*c.percent, most)
		}
	case collections > 0:
		c.quiet = 0
	default:
		if c.quiet++; c.quiet >= quietIntervals {
			c.quiet, c.percent = 0, max(c.percent/2, c.least)
		}
	}
	if most := max(int(heapAllowance*100/max(live, 1))-100, c.least); c.percent > most {
		c.percent = most
	}
	return c.percent
}

// tuneCollector adapts the collector to the load until ctx ends. Percent is what it begins with and comes back to.
func tuneCollector(ctx context.Context, percent int) {
	samples := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples)
	c, before := &collector{least: percent, percent: percent}, samples[0].Value.Uint64()
	ticker := time.NewTicker(collectorInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			metrics.Read(samples)
			now, used := samples[0].Value.Uint64(), c.percent
			if next := c.next(now-before, samples[1].Value.Uint64()); next != used {
				debug.SetGCPercent(next)
			}
			before = now
		case <-ctx.Done():
			return
		}
	}
}
