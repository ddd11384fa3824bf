// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

// Under load the heap may grow up to the allowance and not beyond, whatever is alive, and afterwards the memory is given back.
func TestCollector(t *testing.T) {
	const most = 512 << 20
	for _, live := range []uint64{1 << 20, 40 << 20, 300 << 20, 2 << 30} {
		for name, busy := range map[string]struct {
			collections uint64
			seconds     float64
		}{"many": {10, 0}, "costly": {1, 2 * mostCollecting}} {
			c := &collector{allowance: most, least: 100, percent: 100}
			for range 20 {
				c.next(busy.collections, busy.seconds, live)
			}
			heap := live * uint64(100+c.percent) / 100
			if c.percent < 100 || c.percent > 100 && heap > most {
				t.Errorf("%s, %d MiB alive: %d %%", name, live>>20, c.percent)
			}
			if 2*live < most/2 && heap < most/2 && c.percent < 100<<10 {
				t.Errorf("%s, %d MiB alive: the heap is %d MiB only", name, live>>20, heap>>20)
			}
			for range 10 {
				if was := c.percent; c.next(mostCollections, mostCollecting, live) != was {
					t.Errorf("%s, %d MiB alive: changed without need", name, live>>20)
				}
			}
			for range 40 * quietIntervals {
				c.next(0, 0, live)
			}
			if c.percent != 100 {
				t.Errorf("%s, %d MiB alive: %d %% long after the load", name, live>>20, c.percent)
			}
		}
	}
	// What lives grows while the load goes on.
	c := &collector{allowance: most, least: 100, percent: 100}
	for range 20 {
		c.next(10, 0, 10<<20)
	}
	if c.next(1, 0, 400<<20); c.percent != 100 {
		t.Errorf("a heap of 400 MiB grows by %d %%", c.percent)
	}
}

// The allowance is an eighth of the memory there is, whoever limits it, within bounds.
func TestAllowance(t *testing.T) {
	for memory, want := range map[uint64]uint64{1 << 30: leastAllowance, 4 << 30: 512 << 20, 64 << 30: mostAllowance} {
		if got := allowance(memory); got != want {
			t.Errorf("%d GiB: %d MiB, want %d", memory>>30, got>>20, want>>20)
		}
	}
	group := filepath.Join(t.TempDir(), "memory.max")
	all := memoryOf(group)
	if all < 1<<28 {
		t.Fatalf("this machine has %d bytes", all)
	}
	for text, want := range map[string]uint64{"max\n": all, "268435456\n": 1 << 28} {
		if err := os.WriteFile(group, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := memoryOf(group); got != want {
			t.Errorf("a group with %q: %d, want %d", text, got, want)
		}
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 27))
	if got := memoryOf(group); got != 1<<27 {
		t.Errorf("with a limit of 128 MiB: %d", got)
	}
}
