// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// A strict validator leaves no requirement of the events undecided: it declares no improvement. Each round has a timer
// of whole length and a request for a block from its begin, a proposal is accepted with the restart of the timer, and
// an accepted message is relayed in its step.
func TestStrictEvents(t *testing.T) {
	const four = "network nodes=4 seed=1 delay=10ms..10ms"
	for _, row := range []struct {
		name     string
		commands []string
	}{
		{"calm", []string{"run 9s"}},
		{"killed proposer", []string{"reach 2 within 9s", "crash 3", "run 30s"}},
		{"killed for long", []string{"reach 2 within 9s", "crash 3", "run 60s"}},
		{"no quorum", []string{"reach 2 within 9s", "crash 2 3", "run 40s", "restart 2 3", "run 30s"}},
		{"partition", []string{"reach 2 within 9s", "partition 0 1 | 2 3", "run 20s", "heal", "run 20s"}},
		{"invalid proposals", []string{"corrupt 3 invalid", "run 60s"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			list := eventsOf(t, append([]string{four, "strict 0", "strict 1", "strict 2", "strict 3"}, row.commands...)...)
			steps := make(map[uint64][]observed)
			longest, sent := int64(0), make(map[string]bool)
			for i, e := range list {
				switch {
				case e.Kind == "NODE_START" && len(e.Improvements) > 0:
					t.Errorf("improvements %v", e.Improvements)
				case e.Kind == "TIMER_ARM" && e.Timer == "round":
					var round uint64
					must.Get(fmt.Sscan(e.View["round"], &round))(t)
					if want := core.RoundTimeout(2*time.Second, 0, round); e.Duration != want.Milliseconds() {
						t.Errorf("record %d: the timer of round %d has %d ms, want %v", i, round, e.Duration, want)
					}
					longest = max(longest, e.Duration)
				case e.Kind == "SEND" && e.Cause == "retry" && !sent[e.Key]:
					t.Errorf("record %d: a repetition has other bytes", i)
				case e.Kind == "SEND":
					sent[e.Key] = true
				}
				if e.Step != nil {
					steps[*e.Step] = append(steps[*e.Step], e)
				}
			}
			rounds := 0
			for number, s := range steps {
				rounds += checkStep(t, number, s)
			}
			t.Logf("%d steps, %d rounds, longest timer %d ms", len(steps), rounds, longest)
		})
	}
}

// checkStep holds the records of a step against what checkers decide from them, and returns how many rounds it enters.
func checkStep(t *testing.T, number uint64, step []observed) (rounds int) {
	t.Helper()
	for _, e := range step {
		with := func(what string, match func(o observed) bool) {
			expect.That(t, slices.ContainsFunc(step, match), "step %d: no %s with %+v", number, what, e)
		}
		timer := func(kind string) func(observed) bool {
			return func(o observed) bool { return o.Kind == kind && o.Timer == "round" }
		}
		own := e.Kind == "SEND" && e.Cause == "broadcast"
		switch accepted := e.Kind == "MSG_OUTCOME" && e.Outcome == "ACCEPT" && e.Check == "PROCESS" && e.Via != "self"; {
		case e.Kind == "ROUND_ENTER":
			rounds++
			with("round timer", timer("TIMER_ARM"))
			with("request for a block", func(o observed) bool { return o.Kind == "BUILD_REQUEST" })
		case e.Kind == "PREPREPARE_ACCEPT":
			with("end of the round timer", timer("TIMER_CANCEL"))
			with("round timer", timer("TIMER_ARM"))
			with("new state", func(o observed) bool { return o.Kind == "STATE" && o.To == "Preprepared" })
			with("own PREPARE", func(o observed) bool { return o.Kind == "SEND" && o.Code == int(messages.CodePrepare) })
		case accepted:
			with("relay of its bytes", func(o observed) bool {
				return o.Kind == "SEND" && o.Cause == "relay" && o.Key == e.Key
			})
		case own && e.Code == int(messages.CodeRoundChange):
			with("reason", func(o observed) bool {
				return o.Kind == "TIMER_FIRE" && o.Timer == "round" || o.Kind == "QUORUM" && o.What == "F_PLUS_ONE"
			})
		}
		if own {
			with("outcome of it", func(o observed) bool {
				return o.Kind == "MSG_OUTCOME" && o.Via == "self" && o.Key == e.Key
			})
		}
	}
	return rounds
}

// blocksOf plays commands and returns how many blocks the network makes in the last of them.
func blocksOf(t *testing.T, commands []string) (blocks uint64) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := NewPlayer(true)
		defer func() { p.Network().Close() }()
		for i, command := range commands {
			before := uint64(0)
			if i > 0 && p.net != nil {
				before = p.Network().MaxHeight()
			}
			must.Do(t, p.Play(command), strings.Join(commands, "\n"))
			if p.net != nil {
				blocks = p.Network().MaxHeight() - before
			}
		}
	})
	return blocks
}

// What strictness costs in blocks under faults, beside the same network without it. A network without faults pays
// nothing, and no network stands still.
func TestPriceOfStrictness(t *testing.T) {
	for _, row := range []struct {
		name     string
		nodes    int
		commands []string
		free     bool // of a price
	}{
		{"no fault", 4, []string{"reach 3 within 9s", "run 120s"}, true},
		{"one of 4 killed", 4, []string{"reach 3 within 9s", "crash 3", "run 120s"}, false},
		{"two of 7 killed", 7, []string{"reach 3 within 9s", "crash 2 5", "run 120s"}, false},
		{"one of 4 proposes nothing", 4, []string{"corrupt 3 silent", "reach 3 within 30s", "run 120s"}, false},
		{"one of 4 proposes invalid blocks", 4, []string{"corrupt 3 invalid", "reach 3 within 30s", "run 120s"}, false},
		{"quorum lost for a minute", 4, []string{
			"reach 3 within 9s", "crash 2 3", "run 60s", "restart 2 3", "run 120s",
		}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			network := fmt.Sprintf("network nodes=%d seed=1", row.nodes)
			usual := blocksOf(t, append([]string{network}, row.commands...))
			commands := []string{network}
			for i := range row.nodes {
				commands = append(commands, fmt.Sprintf("strict %d", i))
			}
			strict := blocksOf(t, append(commands, row.commands...))
			t.Logf("%d blocks in 120 s, %d with --wbft.strict", usual, strict)
			expect.That(t, (!row.free || usual == strict) && strict <= usual && strict >= 20,
				"%d blocks, %d strict", usual, strict)
		})
	}
}
