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
	g := &generator{
		seed:  seed,
		r:     rand.New(rand.NewSource(seed)), //nolint:gosec // a seed has to repeat its network
		lines: []string{""},
		bad:   make(map[int]bool),
		reach: true,
	}
	g.conditions()
	g.sets()
	g.faults()
	g.lines[0] = strings.Join(g.settings, " ")
	g.lossyStart()
	g.crashes()
	g.badDisk()
	g.partitions()
	g.lostLogs()
	g.flaps()
	g.recovery()
	return g.lines
}

// generator draws the parts of a script in a fixed order. A change of the order changes the script of every seed.
type generator struct {
	seed     int64
	r        *rand.Rand
	lines    []string // the first one has the settings
	settings []string

	size       int  // validators of the first set
	outsiders  int  // nodes that validate later, if the set changes
	nodes      int  // size and outsiders
	contested  bool // few nodes see a decision
	faulty     int  // validators that may still become Byzantine
	budget     int  // faulty validators of the smallest set
	bad        map[int]bool
	twins      int
	references int
	rejoin     bool // validators with lost votes sign again
	reach      bool // the chain grows at the end
}

func (g *generator) add(format string, args ...any) {
	g.lines = append(g.lines, fmt.Sprintf(format, args...))
}

func (g *generator) pick(list ...string) string { return list[g.r.Intn(len(list))] }

// moment draws a time within the faulty part, in whole milliseconds.
func (g *generator) moment() time.Duration {
	return time.Duration(g.r.Int63n(int64(faultTime))).Round(time.Millisecond)
}

// total returns the number of nodes with the key of a validator.
func (g *generator) total() int { return g.nodes + g.twins }

// conditions draws the size of the network and the conditions of its connections and disks.
func (g *generator) conditions() {
	g.size = []int{1, 2, 3, 4, 4, 4, 4, 5, 7}[g.r.Intn(9)]
	g.outsiders = g.r.Intn(4) / 3 // that validate later, if the set changes
	// In every third network few nodes see a decision, few receive its block, and a faulty validator has a say in the
	// next decision. A fork would come from there.
	g.contested = g.r.Intn(3) == 0
	if g.contested {
		g.size, g.outsiders = []int{4, 4, 7}[g.r.Intn(3)], 0
	}
	g.nodes = g.size + g.outsiders
	drop := g.pick("", "drop=0.05", "drop=0.2")
	blockDrop := g.pick("", "blockdrop=0.2", "blockdrop=0.9")
	delay := g.pick("20ms", "300ms", "1500ms", "4s")
	if g.contested {
		drop, blockDrop, delay = "", "blockdrop=0.98", g.pick("20ms", "100ms")
	}
	g.settings = given("network", fmt.Sprintf("nodes=%d", g.nodes), fmt.Sprintf("seed=%d", g.seed),
		g.pick("", "policy=1"),
		drop,
		blockDrop,
		g.pick("", "duplicate=0.1"),
		"delay=1ms.."+delay,
		g.pick("", "", "skew=100ms", "skew=600ms"),
		g.pick("", "execution=50ms", "execution=500ms"),
		g.pick("", "", "sync=20ms", "sync=200ms"),
		g.pick("", "", "blocksync=50ms", "blocksync=3s"),
		g.pick("", "", "", "unexamined=0.1"),
		g.pick("", "maxtimeout=4"),
	)
}

// given returns the words that are not empty.
func given(words ...string) []string {
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}

// sets draws validator sets. They change at the borders of epochs; less than a third of each may be faulty.
func (g *generator) sets() {
	g.faulty = (g.size - 1) / 3
	g.budget = g.faulty
	if !g.contested && (g.outsiders > 0 || g.r.Intn(4) == 0) {
		g.settings = append(g.settings, fmt.Sprintf("epoch=%d", 2+g.r.Intn(5)))
		g.add("set 0: %s", join(g.r.Perm(g.nodes)[:g.size]))
		smallest := g.size
		for _, block := range []int{3, 8, 14} {
			if g.r.Intn(2) == 0 {
				k := 1 + g.r.Intn(g.nodes)
				smallest = min(smallest, k)
				g.add("set %d: %s", block, join(g.r.Perm(g.nodes)[:k]))
			}
		}
		g.faulty = (smallest - 1) / 3
		if g.budget = g.faulty; g.r.Intn(3) == 0 {
			g.add("transition %d: epoch=%d period=%d", 5+g.r.Intn(6), 2+g.r.Intn(4), 1+g.r.Intn(2))
		}
	}
}

// faults draws the Byzantine validators, the followers and a validator of go-stablenet.
func (g *generator) faults() {
	if g.contested {
		i := g.r.Intn(g.nodes)
		g.bad[i] = true
		g.add("byzantine %d %s", i,
			g.pick("usurper", "usurper", "forger", "equivocator", "amnesiac", "replayer", "stretcher"))
		g.faulty--
	}
	for range g.r.Intn(g.faulty + 1) {
		i := g.r.Intn(g.nodes)
		if g.bad[i] {
			continue
		}
		g.bad[i] = true
		switch kind := g.r.Intn(14); {
		case kind == 0:
			g.add("forgetful %d", i)
		case kind <= 2:
			g.add("twin %d of %d", g.nodes+g.twins, i)
			g.twins++
		default:
			// The dangerous behaviors come more often.
			g.add("byzantine %d %s", i, g.pick(append(behaviorNames(), "usurper", "equivocator", "stretcher", "stretcher")...))
		}
	}
	follower, late := g.nodes+g.twins, g.nodes+g.twins+1
	g.settings[1] = fmt.Sprintf("nodes=%d", g.nodes+g.twins+2)
	g.add("follower %d %d", follower, late)
	if g.r.Intn(4) == 0 {
		g.settings = append(g.settings, "full=0.2")
	}
	if len(g.bad) == 0 && g.r.Intn(3) == 0 {
		g.add("reference %d %s", g.r.Intn(g.nodes), releaseNames()[g.seed%int64(len(releases))])
		g.references++
	}
}

// lossyStart draws the loss of COMMITs, and lets a follower join once there is a chain.
func (g *generator) lossyStart() {
	if g.contested || g.r.Intn(2) == 0 {
		g.add("lose COMMIT chance %.2f", 0.5+g.r.Float64()/2)
	}
	late := g.total() + 1
	g.add("crash %d", late) // it joins when there is a chain
	g.add("at %v: restart %d", faultTime*3/4, late)
}

// crashes draws crashes, stops and power losses of single nodes, and a power loss of several.
func (g *generator) crashes() {
	for range g.r.Intn(6) {
		i, at := g.r.Intn(g.total()), g.moment()
		down := time.Duration(g.r.Int63n(int64(8 * time.Second))).Round(time.Millisecond)
		switch g.r.Intn(6) {
		case 0, 1:
			g.add("at %v: crash %d", at, i)
		case 2, 3:
			g.add("at %v: crash %d after %d", at, i, 1+g.r.Intn(30))
		case 4:
			g.add("at %v: stop %d", at, i)
		case 5:
			g.add("at %v: powerloss %d", at, i)
		}
		g.add("at %v: restart %d", at+down, i)
	}
	if g.r.Intn(3) == 0 {
		at := g.moment()
		all := g.r.Perm(g.total())
		if g.r.Intn(2) == 0 {
			all = all[:1+g.r.Intn(g.total())]
		}
		g.add("at %v: powerloss %s", at, join(all))
		for _, i := range all {
			g.add("at %v: restart %d", at+time.Duration(g.r.Int63n(int64(4*time.Second))).Round(time.Millisecond), i)
		}
	}
}

// badDisk draws a disk that is full or failing for some time.
func (g *generator) badDisk() {
	if g.r.Intn(5) == 0 {
		i, at := g.r.Intn(g.total()), g.moment()
		g.add("at %v: disk %d %s", at, i, g.pick("full", "failing"))
		g.add("at %v: disk %d good", at+5*time.Second, i)
		g.add("at %v: crash %d", at+5*time.Second, i)
		g.add("at %v: restart %d", at+6*time.Second, i)
	}
}

// partitions draws partitions into two groups.
func (g *generator) partitions() {
	for range g.r.Intn(3) {
		var left, right []int
		at := g.moment()
		for i := range g.total() {
			if g.r.Intn(2) == 0 {
				left = append(left, i)
			} else {
				right = append(right, i)
			}
		}
		g.add("at %v: partition %s | %s", at, join(left), join(right))
	}
}

// lostLogs draws lost vote logs: of few validators, which the others let in again, or of any number, where only safety
// holds.
func (g *generator) lostLogs() {
	losses, many := g.budget-len(g.bad)-g.references, g.r.Intn(6) == 0
	switch {
	case many:
		losses, g.reach = 1+g.r.Intn(g.nodes), false
	case losses > 0 && g.r.Intn(2) == 0:
		losses, g.rejoin = 1+g.r.Intn(losses), true
	default:
		losses = 0
	}
	for _, i := range g.r.Perm(g.nodes) {
		if g.bad[i] || losses == 0 {
			continue
		}
		losses--
		at := faultTime/4 + g.moment()*3/4 // before the first blocks there is nothing to lose
		g.add("at %v: loselog %d", at.Round(time.Millisecond), i)
		g.add("at %v: restart %d", (at + time.Duration(g.r.Int63n(int64(4*time.Second)))).Round(time.Millisecond), i)
	}
}

// flaps draws connections that end and begin again.
func (g *generator) flaps() {
	for range g.r.Intn(4) {
		if g.total() > 1 {
			pair := g.r.Perm(g.total())[:2]
			g.add("at %v: flap %s", g.moment(), join(pair))
		}
	}
}

// recovery ends the faults and adds the promises of progress.
func (g *generator) recovery() {
	g.add("run %v", faultTime)
	g.add("heal")
	for i := range g.total() + 2 {
		g.add("restart %d", i)
	}
	g.add("run 10s") // restarts still scheduled
	if g.reach {
		g.add("reach +3 within 1m")
	}
	if g.rejoin {
		g.add("rejoin within 90s")
	}
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
