// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"time"
)

// Mixed is a generated network with validators of gwon and go-stablenet.
type Mixed struct {
	Setup  []string       // of the network, as commands
	Kinds  map[int]string // releases of the validators that are references, by node
	Chaos  []string       // faults of every kind, and what ends them
	Turns  [][]string     // orderly faults, one after the other
	Absent map[int]bool   // whose turns may be lost then
}

// GenerateMixed draws a network of gwon and of both releases of go-stablenet. At least one validator runs go-stablenet,
// and at least one honest validator runs gwon. The first part of the script has faults of every kind. At most F
// validators are Byzantine or crash without a vote log (spec wbft 5.10). In the second part all messages arrive in time
// and at most F validators are offline.
func GenerateMixed(seed int64) Mixed {
	r := rand.New(rand.NewSource(seed)) //nolint:gosec // a seed has to repeat its network
	pick := func(list ...string) string { return list[r.Intn(len(list))] }
	size := []int{4, 4, 4, 5, 7}[r.Intn(5)]
	m := Mixed{Kinds: make(map[int]string), Absent: make(map[int]bool)}
	for _, i := range r.Perm(size)[:1+r.Intn(size-1)] {
		m.Kinds[i] = pick(releaseNames()...)
	}
	settings := given("network", fmt.Sprintf("nodes=%d", size), fmt.Sprintf("seed=%d", seed),
		pick("", "policy=1"),
		pick("", "drop=0.05", "drop=0.2"),
		pick("", "blockdrop=0.2", "blockdrop=0.9"),
		pick("", "duplicate=0.1"),
		"delay=1ms.."+pick("20ms", "300ms", "1500ms"),
		pick("", "", "execution=50ms"),
		pick("", "", "sync=20ms"),
		pick("", "maxtimeout=4"),
	)
	m.Setup = []string{strings.Join(settings, " ")}
	if len(m.Kinds) > (size-1)/3 {
		// Under a cap references that climb in different rounds stay apart, also in a network of references alone.
		m.Setup[0] = strings.Replace(m.Setup[0], " maxtimeout=4", "", 1)
	}

	faulty := r.Perm(size)[:r.Intn((size-1)/3+1)] // Byzantine, or a reference that crashes
	crashes := func(i int) bool { return m.Kinds[i] == "" || slices.Contains(faulty, i) }
	for _, i := range faulty {
		if m.Kinds[i] == "" && r.Intn(2) == 0 && size-len(m.Kinds)-len(m.Absent) > 1 {
			m.Setup = append(m.Setup, fmt.Sprintf("byzantine %d %s", i, pick("silent", "badseals", "invalid", "bodyswapper")))
			m.Absent[i] = true
			// Under a cap a reference that has climbed alone stays ahead: a faulty validator that completes the quorum
			// behind it with bad votes keeps all apart.
			m.Setup[0] = strings.Replace(m.Setup[0], " maxtimeout=4", "", 1)
		}
	}
	add := func(format string, args ...any) { m.Chaos = append(m.Chaos, fmt.Sprintf(format, args...)) }
	moment := func() time.Duration { return time.Duration(r.Int63n(int64(faultTime))).Round(time.Millisecond) }
	if r.Intn(2) == 0 {
		add("lose COMMIT chance %.2f", r.Float64())
	}
	for range r.Intn(5) {
		i, at := r.Intn(size), moment()
		if crashes(i) {
			add("at %v: %s %d", at, pick("crash", "stop", "powerloss"), i)
			add("at %v: restart %d", at+time.Duration(r.Int63n(int64(8*time.Second))).Round(time.Millisecond), i)
		}
	}
	for range r.Intn(3) {
		cut := 1 + r.Intn(size-1)
		all := r.Perm(size)
		add("at %v: partition %s | %s", moment(), join(all[:cut]), join(all[cut:]))
	}
	for range r.Intn(4) {
		add("at %v: %s %s", moment(), pick("flap", "cut"), join(r.Perm(size)[:2]))
	}
	add("run %v", faultTime)
	add("heal")
	for i := range size {
		add("restart %d", i)
	}
	add("run 10s") // restarts still scheduled
	add("now delay=1ms..20ms execution=0s sync=0s")
	add("reach +3 within 10m")
	add("reach +%d within 5m", 2*size) // until everybody has been heard, and has its whole turns

	turn := func(commands ...string) { m.Turns = append(m.Turns, commands) }
	turn()
	turn("now delay=1ms..100ms duplicate=0.2")
	dead := r.Intn(size)
	for i := range size {
		if m.Absent[i] {
			dead = i // no more than F are absent
		}
	}
	m.Absent[dead] = true
	turn("crash " + fmt.Sprint(dead))
	turn("restart " + fmt.Sprint(dead))
	turn()
	turn("cut " + join(r.Perm(size)[:2]))
	return m
}

// Script returns the commands up to the orderly part; with alike all validators run gwon.
func (m Mixed) Script(alike bool) []string {
	script := slices.Clone(m.Setup)
	for _, i := range sortedNodes(m.Kinds) {
		if !alike {
			script = append(script, fmt.Sprintf("reference %d %s", i, m.Kinds[i]))
		}
	}
	return append(script, m.Chaos...)
}

func sortedNodes(kinds map[int]string) []int {
	return slices.Sorted(maps.Keys(kinds))
}
