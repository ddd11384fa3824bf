// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import "testing"

// Under load the heap may grow up to the allowance and not beyond, whatever is alive, and afterwards the memory is given back.
func TestCollector(t *testing.T) {
	for _, live := range []uint64{1 << 20, 40 << 20, 300 << 20, 2 << 30} {
		c := &collector{least: 100, percent: 100}
		for range 20 {
			c.next(10, live)
		}
		heap := live * uint64(100+c.percent) / 100
		if c.percent < 100 || c.percent > 100 && heap > heapAllowance {
			t.Errorf("%d MiB alive: %d %%", live>>20, c.percent)
		}
		if 2*live < heapAllowance/2 && heap < heapAllowance/2 && c.percent < 100<<10 {
			t.Errorf("%d MiB alive: the heap is %d MiB only", live>>20, heap>>20)
		}
		for range 10 {
			if was := c.percent; c.next(mostCollections, live) != was {
				t.Errorf("%d MiB alive: changed without need", live>>20)
			}
		}
		for range 40 * quietIntervals {
			c.next(0, live)
		}
		if c.percent != 100 {
			t.Errorf("%d MiB alive: %d %% long after the load", live>>20, c.percent)
		}
	}
	// What lives grows while the load goes on.
	c := &collector{least: 100, percent: 100}
	for range 20 {
		c.next(10, 10<<20)
	}
	if c.next(1, 400<<20); c.percent != 100 {
		t.Errorf("a heap of 400 MiB grows by %d %%", c.percent)
	}
}
