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

// Replacement is a change of the set: an operator's second host takes the place of the first one, with a validator
// address and a BLS key of its own (spec system-contracts 3.2, configureValidator).
type Replacement struct {
	Epoch           uint64 // the epoch block that names the new validator, which seals from the next block on
	Former, StandBy int
}

// Standbys is a generated network whose operators have two hosts each, of either client.
type Standbys struct {
	Script       []string
	Replacements []Replacement
	Kinds        map[int]string // releases of the hosts that are references, by node
}

// GenerateStandbys draws a network of operators with two hosts each. Hosts run gwon or a release of go-stablenet, both
// in every set. One host at a time is lost, or moved away from deliberately. Its operator's other host is in the next
// set, and the lost one comes back as a node that is not in the set. spec: wbft 3.4
func GenerateStandbys(seed int64) Standbys {
	r := rand.New(rand.NewSource(seed)) //nolint:gosec // a seed has to repeat its network
	size := []int{4, 4, 5, 7}[r.Intn(4)]
	s := Standbys{Kinds: make(map[int]string)}
	// The first operator runs gwon, the second one go-stablenet. The others mix them.
	for host := range 2 * size {
		if operator := host % size; operator == 1 || operator > 1 && r.Intn(2) == 0 {
			s.Kinds[host] = releaseNames()[r.Intn(len(releases))]
		}
	}
	epoch := uint64(3 + r.Intn(4))
	set := make([]int, size)
	for i := range set {
		set[i] = i
	}
	var sets, events []string
	add := func(format string, args ...any) { events = append(events, fmt.Sprintf(format, args...)) }
	note := func(block uint64) { sets = append(sets, fmt.Sprintf("set %d: %s", block, join(set))) }
	note(0)
	at := epoch
	for range 2 + r.Intn(3) {
		operator := r.Intn(size)
		place := slices.IndexFunc(set, func(host int) bool { return host%size == operator })
		former := set[place]
		change := Replacement{Epoch: at, Former: former, StandBy: (former + size) % (2 * size)}
		s.Replacements = append(s.Replacements, change)
		// The contract moves the last validator into the gap and appends the new one.
		set[place] = set[size-1]
		set[size-1] = change.StandBy
		note(at)

		witness := (operator + 1) % size
		add("until %d height=%d within 3m", witness, at-1-uint64(r.Intn(int(epoch)-1)))
		switch r.Intn(4) {
		case 0:
			add("run %v", time.Duration(r.Intn(1000))*time.Millisecond) // moved away from deliberately
		case 1:
			var others []int
			for host := range 2 * size {
				if host != former {
					others = append(others, host)
				}
			}
			add("partition %d | %s", former, join(others))
		case 2:
			add("powerloss %d", former)
		default:
			add("crash %d", former)
		}
		add("until %d height=%d within 3m", witness, at+1+uint64(r.Intn(3)))
		add("heal")
		add("restart %d", former)
		add("reach %d within 3m", at+uint64(2*size)) // everybody has had its turn
		at += epoch * (uint64(2*size)/epoch + 2)
	}
	settings := []string{
		"network", fmt.Sprintf("nodes=%d", 2*size), fmt.Sprintf("seed=%d", seed), fmt.Sprintf("epoch=%d", epoch),
		"delay=1ms.." + []string{"20ms", "100ms"}[r.Intn(2)],
	}
	s.Script = append([]string{strings.Join(settings, " ")}, sets...)
	for _, host := range sortedNodes(s.Kinds) {
		s.Script = append(s.Script, fmt.Sprintf("reference %d %s", host, s.Kinds[host]))
	}
	s.Script = append(s.Script, events...)
	return s
}
