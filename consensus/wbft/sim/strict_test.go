// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
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
			type step struct{ enters, arms, builds, accepts, taken, relays int }
			steps := make(map[uint64]*step)
			longest := int64(0)
			for i, e := range list {
				if e.Kind == "NODE_START" && len(e.Improvements) > 0 {
					t.Errorf("improvements %v", e.Improvements)
				}
				if e.Step == nil {
					continue
				}
				s := steps[*e.Step]
				if s == nil {
					s = new(step)
					steps[*e.Step] = s
				}
				switch {
				case e.Kind == "ROUND_ENTER":
					s.enters++
				case e.Kind == "TIMER_ARM" && e.Timer == "round":
					s.arms++
					var round uint64
					if _, err := fmt.Sscan(e.View["round"], &round); err != nil {
						t.Fatal(err)
					}
					if want := core.RoundTimeout(2*time.Second, 0, round); e.Duration != want.Milliseconds() {
						t.Errorf("record %d: the timer of round %d has %d ms, want %v", i, round, e.Duration, want)
					}
					longest = max(longest, e.Duration)
				case e.Kind == "BUILD_REQUEST":
					s.builds++
				case e.Kind == "PREPREPARE_ACCEPT":
					s.accepts++
				case e.Kind == "MSG_OUTCOME" && e.Via != "self" && e.Check == "PROCESS" && e.Outcome == "ACCEPT" &&
					e.Code != int(messages.CodePrePrepare):
					s.taken++
				case e.Kind == "SEND" && e.Cause == "relay":
					s.relays++
				}
			}
			rounds := 0
			for number, s := range steps {
				rounds += s.enters
				if s.enters > 0 && (s.arms == 0 || s.builds == 0) {
					t.Errorf("step %d enters a round: %+v", number, *s)
				}
				if s.accepts > 0 && s.arms == 0 {
					t.Errorf("step %d accepts a proposal: %+v", number, *s)
				}
				if s.taken > 0 && s.relays == 0 {
					t.Errorf("step %d accepts a message: %+v", number, *s)
				}
			}
			t.Logf("%d steps, %d rounds, longest timer %d ms", len(steps), rounds, longest)
		})
	}
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
			if err := p.Play(command); err != nil {
				t.Fatalf("%v\n%s", err, strings.Join(commands, "\n"))
			}
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
			if row.free && usual != strict || strict > usual || strict < 20 {
				t.Errorf("%d blocks, %d strict", usual, strict)
			}
		})
	}
}
