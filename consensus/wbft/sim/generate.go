// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"time"
)

// faultTime is the length of the faulty part of a generated script.
const faultTime = 25 * time.Second

// Generate draws a script from a seed: a network with fewer than a third of faulty validators, faults and their times.
// Safety holds throughout, and the chain grows once the faults end.
func Generate(seed int64) []string {
	r := rand.New(rand.NewSource(seed)) //nolint:gosec // a seed has to repeat its network
	pick := func(list ...string) string { return list[r.Intn(len(list))] }
	size := []int{1, 2, 3, 4, 4, 4, 4, 5, 7}[r.Intn(9)]
	outsiders := r.Intn(4) / 3 // that validate later, if the set changes
	// In every third network few see a decision, few are told of it, and somebody faulty has a say in what is decided
	// next: that is where a fork would come from.
	contested := r.Intn(3) == 0
	if contested {
		size, outsiders = []int{4, 4, 7}[r.Intn(3)], 0
	}
	nodes := size + outsiders
	lines := []string{""}
	settings := []string{"network", fmt.Sprintf("nodes=%d", nodes), fmt.Sprintf("seed=%d", seed)}
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	drop := pick("", "drop=0.05", "drop=0.2")
	blockDrop := pick("", "blockdrop=0.2", "blockdrop=0.9")
	delay := pick("20ms", "300ms", "1500ms", "4s")
	if contested {
		drop, blockDrop, delay = "", "blockdrop=0.98", pick("20ms", "100ms")
	}
	for _, s := range []string{
		pick("", "policy=1"),
		drop,
		blockDrop,
		pick("", "duplicate=0.1"),
		"delay=1ms.." + delay,
		pick("", "", "skew=100ms", "skew=600ms"),
		pick("", "execution=50ms", "execution=500ms"),
		pick("", "", "sync=20ms", "sync=200ms"),
		pick("", "", "blocksync=50ms", "blocksync=3s"),
		pick("", "", "", "unexamined=0.1"),
		pick("", "maxtimeout=4"),
	} {
		if s != "" {
			settings = append(settings, s)
		}
	}

	// The set of validators changes at the borders of epochs; the faulty must stay fewer than a third of each.
	faulty := (size - 1) / 3
	budget := faulty
	if !contested && (outsiders > 0 || r.Intn(4) == 0) {
		settings = append(settings, fmt.Sprintf("epoch=%d", 2+r.Intn(5)))
		add("set 0: %s", join(r.Perm(nodes)[:size]))
		smallest := size
		for _, block := range []int{3, 8, 14} {
			if r.Intn(2) == 0 {
				k := 1 + r.Intn(nodes)
				smallest = min(smallest, k)
				add("set %d: %s", block, join(r.Perm(nodes)[:k]))
			}
		}
		faulty = (smallest - 1) / 3
		if budget = faulty; r.Intn(3) == 0 {
			add("transition %d: epoch=%d period=%d", 5+r.Intn(6), 2+r.Intn(4), 1+r.Intn(2))
		}
	}
	bad := make(map[int]bool)
	twins := 0
	if contested {
		i := r.Intn(nodes)
		bad[i] = true
		add("byzantine %d %s", i, pick("usurper", "usurper", "forger", "equivocator", "amnesiac", "replayer", "stretcher"))
		faulty--
	}
	for range r.Intn(faulty + 1) {
		i := r.Intn(nodes)
		if bad[i] {
			continue
		}
		bad[i] = true
		switch kind := r.Intn(14); {
		case kind == 0:
			add("forgetful %d", i)
		case kind <= 2:
			add("twin %d of %d", nodes+twins, i)
			twins++
		default:
			// the dangerous ones more often
			add("byzantine %d %s", i, pick(append(behaviorNames(), "usurper", "equivocator", "stretcher", "stretcher")...))
		}
	}
	follower, late := nodes+twins, nodes+twins+1
	settings[1] = fmt.Sprintf("nodes=%d", nodes+twins+2)
	add("follower %d %d", follower, late)
	if r.Intn(4) == 0 {
		settings = append(settings, "full=0.2")
	}
	references := 0
	if len(bad) == 0 && r.Intn(3) == 0 {
		add("reference %d %s", r.Intn(nodes), releaseNames()[seed%2])
		references++
	}
	lines[0] = strings.Join(settings, " ")

	if contested || r.Intn(2) == 0 {
		add("lose COMMIT chance %.2f", 0.5+r.Float64()/2)
	}
	add("crash %d", late) // it joins when there is a chain
	add("at %v: restart %d", faultTime*3/4, late)
	total := nodes + twins
	moment := func() time.Duration { return time.Duration(r.Int63n(int64(faultTime))).Round(time.Millisecond) }
	for range r.Intn(6) {
		i, at := r.Intn(total), moment()
		down := time.Duration(r.Int63n(int64(8 * time.Second))).Round(time.Millisecond)
		switch r.Intn(6) {
		case 0, 1:
			add("at %v: crash %d", at, i)
		case 2, 3:
			add("at %v: crash %d after %d", at, i, 1+r.Intn(30))
		case 4:
			add("at %v: stop %d", at, i)
		case 5:
			add("at %v: powerloss %d", at, i)
		}
		add("at %v: restart %d", at+down, i)
	}
	if r.Intn(3) == 0 {
		at := moment()
		all := r.Perm(total)
		if r.Intn(2) == 0 {
			all = all[:1+r.Intn(total)]
		}
		add("at %v: powerloss %s", at, join(all))
		for _, i := range all {
			add("at %v: restart %d", at+time.Duration(r.Int63n(int64(4*time.Second))).Round(time.Millisecond), i)
		}
	}
	if r.Intn(5) == 0 {
		i, at := r.Intn(total), moment()
		add("at %v: disk %d %s", at, i, pick("full", "failing"))
		add("at %v: disk %d good", at+5*time.Second, i)
		add("at %v: crash %d", at+5*time.Second, i)
		add("at %v: restart %d", at+6*time.Second, i)
	}
	for range r.Intn(3) {
		var left, right []int
		at := moment()
		for i := range total {
			if r.Intn(2) == 0 {
				left = append(left, i)
			} else {
				right = append(right, i)
			}
		}
		add("at %v: partition %s | %s", at, join(left), join(right))
	}
	// Vote logs get lost: of so few that the others are a quorum, who decide blocks and let them in again, or of any
	// number. Nothing is promised then but safety.
	rejoin, reach := false, true
	losses, many := budget-len(bad)-references, r.Intn(6) == 0
	switch {
	case many:
		losses, reach = 1+r.Intn(nodes), false
	case losses > 0 && r.Intn(2) == 0:
		losses, rejoin = 1+r.Intn(losses), true
	default:
		losses = 0
	}
	for _, i := range r.Perm(nodes) {
		if bad[i] || losses == 0 {
			continue
		}
		losses--
		at := faultTime/4 + moment()*3/4 // before the first blocks there is nothing to lose
		add("at %v: loselog %d", at.Round(time.Millisecond), i)
		add("at %v: restart %d", (at + time.Duration(r.Int63n(int64(4*time.Second)))).Round(time.Millisecond), i)
	}
	for range r.Intn(4) {
		if total > 1 {
			pair := r.Perm(total)[:2]
			add("at %v: flap %s", moment(), join(pair))
		}
	}
	add("run %v", faultTime)
	add("heal")
	for i := range total + 2 {
		add("restart %d", i)
	}
	add("run 10s") // restarts still scheduled
	if reach {
		add("reach +3 within 1m")
	}
	if rejoin {
		add("rejoin within 90s")
	}
	return lines
}

func join(list []int) string { return strings.Trim(fmt.Sprint(list), "[]") }

// Shrink returns a shorter script that still fails. It leaves out lines, then settings, but nothing from the last
// "heal" on, which the promise of progress needs. fails plays a script and is called at most tries times.
func Shrink(script []string, fails func([]string) bool, tries int) []string {
	tail := slices.Index(script, "heal")
	if tail < 0 {
		tail = len(script)
	}
	script, rest := script[:tail], script[tail:]
	try := func(candidate []string) bool {
		if tries == 0 {
			return false
		}
		tries--
		if !fails(append(slices.Clone(candidate), rest...)) {
			return false
		}
		script = candidate
		return true
	}
	for size := max(1, len(script)/4); size >= 1; size /= 2 {
		for at := len(script) - size; at >= 1; at -= size {
			if at+size <= len(script) {
				try(slices.Delete(slices.Clone(script), at, at+size))
			}
		}
	}
	for at := len(strings.Fields(script[0])) - 1; at >= 2; at-- {
		settings := strings.Fields(script[0])
		if !strings.HasPrefix(settings[at], "seed=") {
			try(append([]string{strings.Join(slices.Delete(settings, at, at+1), " ")}, script[1:]...))
		}
	}
	return append(script, rest...)
}
