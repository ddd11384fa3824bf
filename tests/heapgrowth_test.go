// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package tests

import (
	"math"
	"math/rand"
	"slices"
	"testing"
	"time"

	"gwon/internal/expect"
	"gwon/internal/must"
)

const (
	heapWindow  = 2 * time.Minute // a wave of each rate, and the pauses between
	heapWindows = 4               // at least, after the first half of a run
	heapGrowth  = 0.3             // MiB a minute that the heap may grow by
)

// heapPoint is the heap of a node after a collection of garbage.
type heapPoint struct {
	at   time.Duration // since the start
	used float64       // MiB
}

// growthOf returns the growth of a heap in MiB a minute after the first half of the time, in which caches fill. It is
// the median of the slopes between the least values of any two windows, which neither waves of load nor single peaks
// change much. ok is false for a run that is too short.
func growthOf(points []heapPoint) (perMinute float64, ok bool) {
	if len(points) == 0 {
		return 0, false
	}
	end := points[len(points)-1].at
	var floors []heapPoint
	for from := end - heapWindow; from >= end/2; from -= heapWindow {
		floor := heapPoint{used: math.Inf(1)}
		for _, p := range points {
			if p.at > from && p.at <= from+heapWindow && p.used < floor.used {
				floor = p
			}
		}
		if floor.at > 0 {
			floors = append(floors, floor)
		}
	}
	if len(floors) < heapWindows {
		return 0, false
	}
	var slopes []float64
	for i, later := range floors {
		for _, earlier := range floors[i+1:] {
			slopes = append(slopes, (later.used-earlier.used)/(later.at-earlier.at).Minutes())
		}
	}
	slices.Sort(slopes)
	return slopes[len(slopes)/2], true
}

// A leak of 1 MiB a minute, and one a little above the bound, are found in half an hour of waves. Caches that fill in
// the first half are no leak.
func TestGrowthOfHeap(t *testing.T) {
	for _, row := range []struct {
		name  string
		leak  float64 // MiB a minute
		lasts time.Duration
		found bool
	}{
		{"none", 0, 30 * time.Minute, false},
		{"half of the bound", heapGrowth / 2, 30 * time.Minute, false},
		{"above the bound", heapGrowth * 1.5, 30 * time.Minute, true},
		{"planted", 1, 30 * time.Minute, true},
		{"planted, shortest run", 1, 16 * time.Minute, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			for seed := range int64(200) {
				random := rand.New(rand.NewSource(seed))
				var points []heapPoint
				for at := 10 * time.Second; at <= row.lasts; at += 10 * time.Second {
					minutes := at.Minutes()
					caches := 30 * min(1, minutes/(row.lasts.Minutes()/2))
					used := 20 + caches + row.leak*minutes + 3*random.Float64()
					if int(at.Seconds())/20%2 == 0 { // a wave
						used += 5 * random.Float64()
					}
					if random.Intn(30) == 0 {
						used += 40
					}
					points = append(points, heapPoint{at, used})
				}
				growth, ok := growthOf(points)
				must.That(t, ok && (growth > heapGrowth) == row.found,
					"seed %d: growth %.2f, %v, want above %.1f: %v", seed, growth, ok, heapGrowth, row.found)
			}
		})
	}
	_, ok := growthOf(nil)
	expect.That(t, !ok, "no points show a growth")
	_, ok = growthOf([]heapPoint{{time.Minute, 1}, {5 * time.Minute, 9}})
	expect.That(t, !ok, "a short run shows a growth")
}
