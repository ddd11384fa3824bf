// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
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
			c := &collector{least: 100, percent: 100}
			for range 20 {
				c.next(busy.collections, busy.seconds, live, most)
			}
			heap := live * uint64(100+c.percent) / 100
			if c.percent < 100 || c.percent > 100 && heap > most {
				t.Errorf("%s, %d MiB alive: %d %%", name, live>>20, c.percent)
			}
			if 2*live < most/2 && heap < most/2 && c.percent < 100<<10 {
				t.Errorf("%s, %d MiB alive: the heap is %d MiB only", name, live>>20, heap>>20)
			}
			for range 10 {
				if was := c.percent; c.next(mostCollections, mostCollecting, live, most) != was {
					t.Errorf("%s, %d MiB alive: changed without need", name, live>>20)
				}
			}
			for range 40 * quietIntervals {
				c.next(0, 0, live, most)
			}
			if c.percent != 100 {
				t.Errorf("%s, %d MiB alive: %d %% long after the load", name, live>>20, c.percent)
			}
		}
	}
	// What lives grows while the load goes on.
	c := &collector{least: 100, percent: 100}
	for range 20 {
		c.next(10, 0, 10<<20, most)
	}
	if c.next(1, 0, 400<<20, most); c.percent != 100 {
		t.Errorf("a heap of 400 MiB grows by %d %%", c.percent)
	}
}

// The heap may have an eighth of the memory there is, within bounds, as long as others leave room for it.
func TestAllowance(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct{ total, room, heap, want uint64 }{
		{1 * gib, 1 * gib, gib / 8, leastAllowance},
		{gib / 8, gib / 8, gib / 16, gib / 16},
		{4 * gib, 4 * gib, gib / 8, gib / 2},
		{64 * gib, 60 * gib, gib / 8, mostAllowance},
		{math.MaxUint64, math.MaxUint64, gib, mostAllowance},
		// Four nodes on the same machine: each takes a part of what the others leave.
		{8 * gib, 2 * gib, gib / 8, gib/8 + gib/2},
		{8 * gib, 1 * gib, gib / 2, gib/2 + gib/4},
		{8 * gib, gib / 2, gib / 2, gib/2 + gib/8},
		{8 * gib, gib/2 - 1, gib / 2, 0},
		{8 * gib, 0, gib, 0},
	} {
		if got := allowance(c.total, c.room, c.heap); got != c.want {
			t.Errorf("%d of %d MiB left and a heap of %d: %d MiB, want %d", c.room>>20, c.total>>20, c.heap>>20, got>>20, c.want>>20)
		}
	}
	c := &collector{least: 100, percent: 800}
	if c.next(10, 1, 40<<20, 0); c.percent != 100 {
		t.Errorf("without memory left the heap grows by %d %%", c.percent)
	}
}

// The control groups are that which the kernel names and all around it; those of version 1 have other files.
func TestControlGroups(t *testing.T) {
	for text, want := range map[string][]string{
		"0::/system.slice/gwon.service\n": {"/g/system.slice/gwon.service", "/g/system.slice", "/g"},
		"0::/\n":                          {"/g"},
		"12:memory:/docker/1\n1:name=systemd:/a\n0::/b\n": {"/g/b", "/g"},
		"12:memory:/docker/1\n":                           nil,
		"0::/../..\n":                                     {"/g"},
		"":                                                nil,
	} {
		if groups := groupsIn(text, "/g"); !slices.Equal(groups, want) {
			t.Errorf("%q: %q, want %q", text, groups, want)
		}
	}
}

// What limits the node counts, whoever limits it: the machine, a control group or --memorylimit; and a group's cached files are room.
func TestMemory(t *testing.T) {
	dir := t.TempDir()
	group := memory{filepath.Join(dir, "none"), dir}
	all, left := group.look()
	if all < 1<<28 || left > all {
		t.Fatalf("this machine has %d bytes, and %d left", all, left)
	}
	for _, c := range []struct {
		limit, stat string
		total, room uint64
	}{
		{"max\n", "anon 1\n", all, math.MaxUint64},
		{"268435456\n", "file 260000000\nanon 100000000\ninactive_anon 7\n", 1 << 28, 168435456},
		{"268435456\n", "anon 300000000\n", 1 << 28, 0},
		{"268435456\n", "anon_thp 3\n", 1 << 28, math.MaxUint64},
		{"268435456\n", "anon many\n", 1 << 28, math.MaxUint64},
		{"0\n", "anon 5\n", 0, 0},
		{"-1\n", "anon 5\n", all, math.MaxUint64},
		{"", "", all, math.MaxUint64},
	} {
		for file, text := range map[string]string{"memory.max": c.limit, "memory.stat": c.stat} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		total, room := group.look()
		if total != c.total || c.room != math.MaxUint64 && room != c.room || room > all {
			t.Errorf("a group with %q and %q: %d, %d left; want %d and %d", c.limit, c.stat, total, room, c.total, c.room)
		}
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 27))
	if total, _ := group.look(); total != 1<<27 {
		t.Errorf("with a limit of 128 MiB: %d", total)
	}
	if heap() < 1<<16 {
		t.Error("the heap of this process is empty")
	}
}
