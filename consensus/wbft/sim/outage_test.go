// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
)

// recovery is the longest time from the return of a quorum to the next block, whatever the outage lasted: round 0, and
// one round after another whose proposer is down.
const recovery = 15 * time.Second

// outage is a stay without a quorum. Validators in `up` run through it, in groups that do not hear each other; at its
// end those in `back` return too, the network is healed, and the rest stay down.
type outage struct {
	nodes      int
	references []int
	up         [][]int
	back       []int
	lasts      time.Duration
}

// script plays an outage, and breaks its promise when the next block takes longer than recovery.
func (o outage) script(seed int) []string {
	lines := []string{fmt.Sprintf("network nodes=%d seed=%d", o.nodes, seed)}
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, i := range o.references {
		add("reference %d", i)
	}
	// The proposers of the next height follow the last one of this: which of them are down must not depend on the seed.
	add("reach 2 within 10s")
	var groups []string
	for _, group := range o.up {
		groups = append(groups, join(group))
	}
	for i := range o.nodes {
		if !slices.Contains(slices.Concat(o.up...), i) {
			add("crash %d", i)
		}
	}
	add("partition %s", strings.Join(groups, " | "))
	lasts := o.lasts
	if len(o.references) > 0 {
		// What a reference says while a connection is made is lost for good: the return is not to fall on its even seconds.
		lasts += 700 * time.Millisecond
	}
	add("run %v", lasts)
	if len(o.back) > 0 {
		add("restart %s", join(o.back))
	}
	add("heal")
	add("grow within %v", recovery)
	return lines
}

// TestOutages: some validators stay up without a quorum, in one part or several. When a quorum is there again the next
// block is made within recovery, for every division of four and of seven and for some of twenty-two. What is one round
// ahead waits there for the others; none is further ahead.
func TestOutages(t *testing.T) {
	var all []outage
	// Four: any one stays up, any other stays down for good, two return; and all divisions of four.
	for front := range 4 {
		for dead := range 4 {
			if front != dead {
				all = append(all, outage{nodes: 4, up: [][]int{{front}}, back: others(4, front, dead), lasts: 10 * time.Minute})
			}
		}
		all = append(all, outage{nodes: 4, up: [][]int{{front}}, back: others(4, front), lasts: 10 * time.Minute})
	}
	for _, up := range [][][]int{{{0, 1}, {2, 3}}, {{0, 2}, {1}, {3}}, {{0}, {1}, {2}, {3}}, {{0, 3}}} {
		all = append(all, outage{nodes: 4, up: up, back: others(4, slices.Concat(up...)...), lasts: 20 * time.Minute})
	}
	all = append(all, outage{nodes: 4, up: [][]int{{0}}, back: []int{1, 2}, lasts: 5 * time.Hour})
	// Seven: one to four stay up, one of the others stays down for good; or up to two, no two of which follow each other.
	for k := 1; k <= 4; k++ {
		for dead := range 7 {
			up := others(7, dead)[:k]
			all = append(all,
				outage{nodes: 7, up: [][]int{up}, back: others(7, append([]int{dead}, up...)...), lasts: 5 * time.Minute})
		}
	}
	all = append(all,
		outage{nodes: 7, up: [][]int{{0, 1}}, back: []int{2, 4, 5}, lasts: 10 * time.Minute},
		outage{nodes: 7, up: [][]int{{0, 1, 2}, {3, 4, 5, 6}}, lasts: 10 * time.Minute},
		outage{nodes: 7, up: [][]int{{0}, {1, 2}, {3, 4}, {5}, {6}}, lasts: 10 * time.Minute},
	)
	// Twenty-two: up to seven are down for good, every third.
	third := []int{0, 3, 6, 9, 12, 15, 18}
	for _, k := range []int{1, 7, 14} {
		up := others(22, third...)[:k]
		all = append(all,
			outage{nodes: 22, up: [][]int{up}, back: others(22, append(slices.Clone(third), up...)...), lasts: 2 * time.Minute})
	}
	all = append(all, outage{nodes: 22, up: [][]int{others(22)[:11], others(22)[11:]}, lasts: 2 * time.Minute})
	if !*largeFlag {
		all = all[:12]
	}
	for seed, o := range all {
		expect.Error(t, expect.Err(play(t, o.script(seed), true)), nil, "%+v", o)
	}
}

// TestKilledValidator: whenever a validator dies, its connections with it, no turn of its costs more than half a
// period, neither the one under way nor the next ones; and none does when it is back.
func TestKilledValidator(t *testing.T) {
	for _, nodes := range []int{4, 7} {
		for tenth := 0; tenth < 10*nodes; tenth += nodes - 1 { // at all times of a period, in all turns
			script := []string{
				fmt.Sprintf("network nodes=%d seed=%d", nodes, tenth), "reach 2 within 10s",
				fmt.Sprintf("at %v: crash 1", time.Duration(tenth)*100*time.Millisecond),
				fmt.Sprintf("at %v: restart 1", time.Duration(3*nodes)*time.Second),
			}
			for range 6 * nodes {
				script = append(script, "grow within 1500ms")
			}
			_, err := play(t, script, true)
			expect.That(t, err == nil, "%d validators, killed after %d tenths of a second: %v", nodes, tenth, err)
		}
	}
}

// TestBreakingConnections: where all connections break again and again, and messages need longer than the short turns
// of round 0, turns grow until blocks are decided all the same.
func TestBreakingConnections(t *testing.T) {
	script := []string{"network nodes=4 seed=3 delay=800ms..1s"}
	for at := 300 * time.Millisecond; at < time.Minute; at += 300 * time.Millisecond {
		for i := range 4 {
			for j := range i {
				script = append(script, fmt.Sprintf("at %v: flap %d %d", at, j, i))
			}
		}
	}
	expect.Error(t, expect.Err(play(t, append(script, "reach 8 within 1m"), true)), nil, "play")
}

// others are all of n numbers but some.
func others(n int, but ...int) []int {
	var list []int
	for i := range n {
		if !slices.Contains(but, i) {
			list = append(list, i)
		}
	}
	return list
}

// TestOutagesBesideReferences: validators of go-stablenet go from round to round alone, with timers that double
// without a cap (spec wbft 5.5). Those that can be followed are; F+1 validators that follow bring references after them
// (spec wbft 5.7). The bound is the same wherever F+1 of the validators that return, or stay, are not references.
func TestOutagesBesideReferences(t *testing.T) {
	all := []outage{
		// One reference alone in front, needed for the quorum.
		{nodes: 4, references: []int{0}, up: [][]int{{0}}, back: []int{1, 2}, lasts: time.Hour},
		{nodes: 4, references: []int{0}, up: [][]int{{0}}, back: []int{2, 3}, lasts: 10 * time.Hour},
		{nodes: 4, references: []int{3}, up: [][]int{{3}}, back: []int{0, 1}, lasts: time.Hour},
		// Two references in front of two others, and of one.
		{nodes: 4, references: []int{0, 1}, up: [][]int{{0, 1}}, back: []int{2, 3}, lasts: time.Hour},
		{nodes: 4, references: []int{0, 1}, up: [][]int{{0, 1}}, back: []int{2}, lasts: time.Hour},
		{nodes: 4, references: []int{0, 1}, up: [][]int{{0}, {1}, {2, 3}}, lasts: time.Hour},
		// A reference in front, one that returns, and one or two of the others.
		{nodes: 4, references: []int{0, 1}, up: [][]int{{0}}, back: []int{1, 2, 3}, lasts: time.Hour},
		{nodes: 4, references: []int{0, 1}, up: [][]int{{0, 2}}, back: []int{1}, lasts: time.Hour},
		{nodes: 7, references: []int{0, 1, 2}, up: [][]int{{0}, {1, 3}}, back: []int{2, 4, 5}, lasts: time.Hour},
		{nodes: 7, references: []int{0, 1, 2}, up: [][]int{{0}, {1}}, back: []int{3, 4, 6}, lasts: time.Hour},
	}
	if !*largeFlag {
		all = all[:5]
	}
	for seed, o := range all {
		expect.Error(t, expect.Err(play(t, o.script(seed), true)), nil, "%+v", o)
	}
}

// TestMixedNetwork: references and others make blocks together, and no honest one is accused of what go-stablenet does
// as a matter of course: to repeat a ROUND-CHANGE with another content.
func TestMixedNetwork(t *testing.T) {
	for _, references := range [][]int{{0}, {0, 2}, {1, 2, 3}, {0, 1, 2, 3}} {
		for seed := range 4 {
			// Some COMMITs are lost, so that rounds end with validators that are prepared in them.
			script := []string{fmt.Sprintf("network nodes=4 seed=%d", seed)}
			for _, i := range references {
				script = append(script, fmt.Sprintf("reference %d", i))
			}
			script = append(script, "lose COMMIT chance 0.3", "run 20s", "heal", "reach +3 within 1m")
			expect.Error(t, expect.Err(play(t, script, true)), nil, "%v", script)
		}
	}
}

// TestMixedNetworkWithAFault: one validator of four is faulty, and one or two of the honest ones are references. Faults
// that go-stablenet cannot stand are left out: it takes justifications as they are (spec wbft 9.1 nos. 1 and 2).
func TestMixedNetworkWithAFault(t *testing.T) {
	for i, fault := range []string{"silent", "badseals", "invalid", "bodyswapper"} {
		script := []string{fmt.Sprintf("network nodes=4 seed=%d", i), "byzantine 3 " + fault, "reference 0"}
		if i%2 == 0 {
			script = append(script, "reference 1")
		}
		expect.Error(t, expect.Err(play(t, append(script, "reach 6 within 1m"), true)), nil, "%s", fault)
	}
}

// TestCappedTimeouts: a network that stood still for ten minutes runs again within seconds after the fault, because the
// round timers are capped (spec wbft 5.5: without a cap the next timeout would be longer than the fault).
func TestCappedTimeouts(t *testing.T) {
	expect.Error(t, expect.Err(play(t, outage{nodes: 4, up: [][]int{{0, 1}, {2, 3}}, lasts: 10 * time.Minute}.script(1),
		true)), nil, "play")
}

// TestNobodyGoesAheadAlone: a validator that hears no other stays in round 1, and those that begin again need no
// time to come to it.
func TestNobodyGoesAheadAlone(t *testing.T) {
	if _, err := play(t, []string{
		"network nodes=4 seed=1 maxtimeout=4", "byzantine 3 silent", "forgetful 1", "forgetful 2",
		"reach 1 within 20s", "partition 0 | 1 2 3", "run 15s", "expect 0 round=1", "run 10m", "expect 0 round=1",
		"crash 1 2", "restart 1 2", // they begin at round 0 again
		"run 1s", "heal", "reach +3 within 1m",
	}, true); err != nil {
		t.Error(err)
	}
}

// TestFarBehindInRounds: a validator without a log that starts when the others are tens of rounds ahead joins them at
// once by the F+1 rule, although they are beyond the window of ten rounds (spec wbft 5.4, 5.7).
func TestFarBehindInRounds(t *testing.T) {
	expect.Error(t, expect.Err(play(t, []string{
		"network nodes=4 seed=1", "forgetful 2", "forgetful 3", "reach 1 within 5s", "crash 3",
		"lose PRE-PREPARE", "lose PREPARE", "lose COMMIT", "until 0 round=30 within 8m",
		"crash 2", "restart 2 3", "until 2 round=30 within 1s", "until 3 round=30 within 1s",
		"heal", "reach +2 within 30s",
	}, true)), nil, "play")
}

// TestOneAfterTheOther: with the vote log, validators can be restarted in turn without the chain standing still for
// longer than a round change.
func TestOneAfterTheOther(t *testing.T) {
	script := []string{"network nodes=4 seed=2"}
	for i := range 4 {
		script = append(script, fmt.Sprintf("at %ds: stop %d", 4+4*i, i), fmt.Sprintf("at %ds: restart %d", 6+4*i, i))
	}
	_, err := play(t, append(script, "reach 12 within 24s", "run 5s", "reach +3 within 20s"), true)
	expect.That(t, err == nil, "%v", err)
}

// TestNewValidators: validators that join at an epoch boundary take part from its first block on, although their first
// messages reach nodes that still have the old set (spec wbft 3.1, 9.2 no. 5).
func TestNewValidators(t *testing.T) {
	expect.Error(t, expect.Err(play(t, []string{
		"network nodes=7 seed=3 delay=1ms..300ms epoch=5",
		"set 0: 0 1 2 3",
		"set 5: 6 5 4 0",
		"set 10: 1 2 3 4 5 6",
		"reach 14 within 1m",
	}, true)), nil, "play")
}

// TestTransitions: period, timeout and length of the epoch change at a block, which is one of a new epoch (spec wbft
// 3.4, 8.2).
func TestTransitions(t *testing.T) {
	expect.Error(t, expect.Err(play(t, []string{
		"network nodes=5 seed=3 epoch=4",
		"set 0: 0 1 2 3",
		"set 7: 4 3 2 1",
		"transition 7: epoch=3 period=2 timeout=3",
		"transition 12: period=1",
		"reach 6 within 8s",
		"expect 0 height=6",
		"run 1500ms",
		"reach 11 within 9s",
		"reach 16 within 7s",
		"expect 4 sealed8=0 sealed12=0",
	}, true)), nil, "play")
}

// TestLostRoundChangesAreRepeated: ROUND-CHANGEs are sent once more every base timeout, also to peers they were sent to
// before (spec wbft 9.2 no. 4). Here every first copy is lost, and so is every other message of round 0.
func TestLostRoundChangesAreRepeated(t *testing.T) {
	simulate(t, Config{Seed: 1, Nodes: 4, RequestTimeout: 1}, func(t *testing.T, n *Network) {
		type copied struct {
			from, to int
			payload  string
		}
		var mu sync.Mutex
		seen := make(map[copied]bool)
		n.Intercept = func(from, to int, code uint64, payload []byte) bool {
			m, err := messages.Decode(code, payload)
			if err != nil || m.View().Sequence > 1 || m.View().Round > 3 {
				return true
			}
			mu.Lock()
			defer mu.Unlock()
			key := copied{from, to, string(payload)}
			pass := seen[key] && code == messages.CodeRoundChange
			seen[key] = true
			return pass || code != messages.CodeRoundChange && m.View().Round > 0
		}
		reach(t, n, 2, 20*time.Second)
	})
}

// TestWhatTheFaultyDoIsReported: what Byzantine validators do is reported, by kind, and costs the others nothing but
// rounds.
func TestWhatTheFaultyDoIsReported(t *testing.T) {
	for _, c := range []struct {
		behavior string
		kind     core.Fault
	}{
		{"equivocator", core.PrepareEquivocation},
		{"badseals", core.InvalidSeal},
		{"invalid", core.InvalidProposal},
		{"runner", ""},
		{"amnesiac", ""},
		{"forger", ""},
		{"replayer", ""},
		{"selective", ""},
		{"silent", ""},
		{"bodyswapper", ""},
		{"usurper", ""},
	} {
		simulate(t, Config{Seed: 1, Nodes: 4, Conditions: Conditions{Drop: 0.02}}, func(t *testing.T, n *Network) {
			n.Node(1).Behavior = behaviors[c.behavior]()
			reach(t, n, 6, time.Minute)
			run(t, n, 5*time.Second)
			if faults := n.Faults(); c.kind != "" && faults[c.kind] == 0 {
				t.Errorf("%s: reported were %v, want %q", c.behavior, faults, c.kind)
			} else if c.kind == "" && len(faults) > 1 {
				t.Errorf("%s: %v, %d bad deliveries", c.behavior, faults, n.BadDeliveries())
			}
		})
	}
}

// TestOneFaultyOfFour: with one faulty validator of four the other three meet in a round again after any disorder,
// whatever that one does, and soon: what the cap of the round timer and the wait for a quorum have to achieve together.
func TestOneFaultyOfFour(t *testing.T) {
	count := 24
	if !*largeFlag {
		count = 8
	}
	for seed := range count {
		r := rand.New(rand.NewSource(int64(seed)))
		script := []string{
			fmt.Sprintf("network nodes=4 seed=%d drop=0.3 delay=1ms..%s", seed, []string{"20ms", "1500ms", "6s"}[r.Intn(3)]),
			fmt.Sprintf("byzantine %d %s", r.Intn(4), behaviorNames()[r.Intn(len(behaviorNames()))]),
		}
		for range 3 {
			left := r.Intn(4)
			at := func() time.Duration { return time.Duration(r.Int63n(int64(time.Minute))).Round(time.Millisecond) }
			script = append(script,
				fmt.Sprintf("at %v: partition %d | %s", at(), left, join(others(4, left))),
				fmt.Sprintf("at %v: partition %d %d | %s", at(), left, (left+1)%4, join(others(4, left, (left+1)%4))))
		}
		expect.Error(t, expect.Err(play(t, append(script, "run 1m", "heal", "grow within 40s"), true)), nil, "%v", script)
	}
}

// TestDeadValidators: validators that are down cost the others a part of a second for each of their turns, once five
// blocks were decided without them; beside references too, as long as F+1 validators of this client are up, and with
// fewer of them no more than they cost references (spec wbft 5.5). When they are back each block comes in its second
// again.
func TestDeadValidators(t *testing.T) {
	const second = time.Second
	for _, test := range []struct {
		nodes      int
		references []int
		dead       []int
		longest    time.Duration // from one block to the next
	}{
		{nodes: 4, dead: []int{2}, longest: second * 13 / 10},
		{nodes: 4, references: []int{3}, dead: []int{2}, longest: second * 13 / 10},
		{nodes: 4, references: []int{1, 3}, dead: []int{2}, longest: second * 22 / 10},
		{nodes: 7, dead: []int{1, 2}, longest: second * 15 / 10},
		{nodes: 7, dead: []int{1, 4}, longest: second * 13 / 10},
		{nodes: 7, references: []int{3, 4}, dead: []int{1, 2}, longest: second * 15 / 10},
		{nodes: 7, references: []int{0, 3, 4, 5}, dead: []int{1, 2}, longest: second * 65 / 10},
		{nodes: 10, dead: []int{3, 4, 5}, longest: second * 17 / 10},
	} {
		lines := []string{fmt.Sprintf("network nodes=%d seed=%d", test.nodes, test.nodes)}
		for _, i := range test.references {
			lines = append(lines, fmt.Sprintf("reference %d", i))
		}
		each := func(blocks int, longest time.Duration) {
			for range blocks {
				lines = append(lines, fmt.Sprintf("reach +1 within %v", longest))
			}
		}
		lines = append(lines, "reach 2 within 10s", "crash "+join(test.dead),
			fmt.Sprintf("reach +%d within 2m", 2*test.nodes))
		each(3*test.nodes, test.longest)
		lines = append(lines, "restart "+join(test.dead),
			// Who is back may have the next turn and not yet the head.
			fmt.Sprintf("reach +%d within %v", test.nodes, time.Duration(test.nodes+3+2*len(test.dead))*second))
		each(2*test.nodes, second*11/10)
		expect.Error(t, expect.Err(play(t, lines, true)), nil, "%+v", test)
	}
}
