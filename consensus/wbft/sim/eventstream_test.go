// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"gwon/consensus/wbft/eventstream"
	"gwon/consensus/wbft/recording"
)

// observed is what these tests read of a record.
type observed struct {
	V        int               `json:"v"`
	Node     string            `json:"node"`
	Run      string            `json:"run"`
	Seq      uint64            `json:"seq"`
	Mono     int64             `json:"t_mono_ns"`
	Kind     string            `json:"kind"`
	View     map[string]string `json:"view"`
	Step     *uint64           `json:"step"`
	Timer    string            `json:"timer"`
	Gen      uint64            `json:"gen"`
	Duration int64             `json:"duration_ms"`
	Cause    string            `json:"cause"`
	Key      string            `json:"dedup_key"`
	Via      string            `json:"via"`
	Check    string            `json:"check"`
	Outcome  string            `json:"outcome"`
	To       string            `json:"to"`
	Number   string            `json:"number"`
	Code     int               `json:"code"`

	Improvements []string `json:"improvements"`
}

// eventsOf plays commands with an event stream at node 0 and returns its records.
func eventsOf(t *testing.T, commands ...string) []observed {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := NewPlayer(true)
		p.cfg.Record = func(node int) []recording.Writer {
			return []recording.Writer{eventstream.New(filepath.Join(dir, fmt.Sprint(node)), "test")}
		}
		defer func() { p.Network().Close() }()
		for _, command := range commands {
			if err := p.Play(command); err != nil {
				t.Fatal(err)
			}
		}
	})
	content, err := os.ReadFile(filepath.Join(dir, "0"))
	if err != nil {
		t.Fatal(err)
	}
	var list []observed
	for line := range bytes.Lines(content) {
		var e observed
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		list = append(list, e)
	}
	return list
}

// Sequence numbers have no gaps, every kind of a calm network is there, and the records keep the rules that checkers
// decide from them.
func TestEventsOfNetworks(t *testing.T) {
	const four = "network nodes=4 seed=1 delay=10ms..10ms"
	for _, row := range []struct {
		name     string
		commands []string
		kinds    []string
	}{
		{"calm", []string{four, "run 9s"}, []string{
			"NODE_START", "LOG_CONFIG", "ENGINE_START", "ROUND_ENTER", "STATE", "TIMER_ARM", "TIMER_CANCEL", "PREPREPARE_ACCEPT",
			"QUORUM", "SEND", "MSG_OUTCOME", "BUILD_REQUEST", "PROPOSAL_SUBMITTED", "FINALIZE_HANDOVER",
			"COMMIT_RESULT", "NEW_HEAD", "ENGINE_STOP", "NODE_STOP",
		}},
		{"killed proposer", []string{four, "reach 2 within 9s", "crash 3", "run 9s"}, []string{"TIMER_FIRE"}},
		{"late seals", []string{"network nodes=4 seed=1 delay=1ms..40ms", "run 20s"}, []string{"EXTRA_SEAL"}},
		{"early messages", []string{
			four + " blockdrop=1", "hold COMMIT to 0 sequence 1", "until 1 height=2 within 5s", "release", "run 9s",
		}, []string{"BACKLOG"}},
		{"faulty validator", []string{four, "byzantine 2 equivocator", "run 12s"}, []string{"EVIDENCE"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			list := eventsOf(t, row.commands...)
			seen := make(map[string]bool)
			armed := make(map[string]uint64)
			committed := false
			inStep := make(map[uint64]map[string]bool)
			for i, e := range list {
				if e.V != 1 || e.Seq != uint64(i) || e.Run != list[0].Run || e.Node == "" {
					t.Fatalf("record %d: %+v", i, e)
				}
				seen[e.Kind] = true
				if e.Step != nil {
					if inStep[*e.Step] == nil {
						inStep[*e.Step] = make(map[string]bool)
					}
					inStep[*e.Step][e.Kind+e.Timer] = true
				}
				switch e.Kind {
				case "ROUND_ENTER", "STATE":
					committed = e.To == "Committed"
				case "TIMER_ARM":
					if committed && e.Timer == "round" {
						t.Errorf("record %d: the watchdog after a decision is reported as a round timer", i)
					}
					if armed[e.Timer] != 0 {
						t.Errorf("record %d: timer %s is armed twice", i, e.Timer)
					}
					armed[e.Timer] = e.Gen
				case "TIMER_CANCEL", "TIMER_FIRE":
					if committed && e.Timer == "round" {
						t.Errorf("record %d: the round timer ends at a decision", i)
					}
					if armed[e.Timer] != e.Gen {
						t.Errorf("record %d: timer %s number %d ends, %d runs", i, e.Timer, e.Gen, armed[e.Timer])
					}
					delete(armed, e.Timer)
				}
			}
			for _, kind := range row.kinds {
				if !seen[kind] {
					t.Errorf("no record of kind %s", kind)
				}
			}
			for step, kinds := range inStep {
				if kinds["PREPREPARE_ACCEPT"] && !kinds["TIMER_ARMround"] {
					t.Errorf("step %d accepts a proposal without a restart of the round timer", step)
				}
			}
		})
	}
}
