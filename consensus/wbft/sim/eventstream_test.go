// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gwon/consensus/wbft/eventstream"
	"gwon/consensus/wbft/recording"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// observed is what these tests read of a record.
type observed struct {
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
	What     string            `json:"what"`
	Number   string            `json:"number"`
	Code     int               `json:"code"`

	Improvements []string `json:"improvements"`
}

// eventFields has the fields of each kind of record beside those of all records. A form is one of eventForms or the
// values that there are; a mark "?" stands where a record may lack the field.
var eventFields = map[string]string{
	"NODE_START": "impl:text mode:text profile:text sign_floor:decimal wal_recovery:text improvements:list " +
		"log_profile:text",
	"NODE_STOP":    "",
	"ENGINE_START": "engine_run:int reason:start|resync replay:object",
	"ENGINE_STOP":  "engine_run:int reason:text",
	"ROUND_ENTER": "view:view branch:INITIAL|CATCH_UP|ROUND_CHANGE " +
		"cause:start|new_head|timeout|f_plus_one|finalize_fail requested_round:decimal is_proposer:bool " +
		"proposer:address valset_digest:hash",
	"STATE": "view:view from:AcceptRequest|Preprepared|Prepared|Committed to:AcceptRequest|Preprepared|Prepared|Committed",
	"TIMER_ARM": "view:view timer:round|retry|future gen:int engine_run:int duration_ms:int deadline_mono_ns:int " +
		"target_round:decimal?",
	"TIMER_CANCEL":      "timer:round|retry|future gen:int engine_run:int",
	"TIMER_FIRE":        "timer:round|retry|future gen:int engine_run:int stale:bool",
	"PREPREPARE_ACCEPT": "view:view digest:hash proposer:address block_time:int",
	"PROPOSAL_DEFERRED": "view:view digest:hash",
	"QUORUM":            "view:view what:PREPARE|COMMIT|ROUND_CHANGE|F_PLUS_ONE count:int quorum:int",
	"SEND": "code:code cause:broadcast|gossip|relay|retry|reconnect|replay|direct dedup_key:hash " +
		"payload_sha256:hash",
	"MSG_OUTCOME": "view:view? code:code via:direct|backlog|future_block|self " +
		"check:PROCESS|FUTURE|OLD|INVALID|EXTRA_SEAL|TOO_FAR|prefilter outcome:ACCEPT|IGNORE|DROP_SILENT|DISCONNECT " +
		"dedup_key:hash peer:address source:address? reason:text?",
	"BACKLOG":            "op:push|pop|drop code:code source:address",
	"EXTRA_SEAL":         "op:store|ignore|reject seal_type:prepare|commit source:address target:decimal",
	"BUILD_REQUEST":      "view:view round:decimal wait_ms:int",
	"PROPOSAL_SUBMITTED": "number:decimal",
	"FINALIZE_HANDOVER":  "number:decimal hash:hash round:decimal prepared_sealers:list committed_sealers:list",
	"COMMIT_RESULT":      "number:decimal hash:hash ok:bool duration_ms:int",
	"NEW_HEAD":           "number:decimal hash:hash round:decimal path:sealed_locally|imported|synced sealers:list",
	"IMPORT_FAIL":        "number:decimal hash:hash error:text",
	"EVIDENCE":           "evidence_kind:text source:address view:view",
	"HEALTH":             "what:privval_refusal|sign_floor_skip|peer_inbound_disconnect",
	"LOG_CONFIG":         "level:text modules:object source:text",
}

// eventForms are the forms of fields in JSON.
var eventForms = map[string]*regexp.Regexp{
	"text": regexp.MustCompile(`^".+"$`), "decimal": regexp.MustCompile(`^"(0|[1-9][0-9]*)"$`),
	"int": regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`), "code": regexp.MustCompile(`^(18|19|20|21)$`),
	"bool": regexp.MustCompile(`^(true|false)$`), "hash": regexp.MustCompile(`^"0x[0-9a-f]{64}"$`),
	"address": regexp.MustCompile(`^"0x[0-9a-f]{40}"$`), "list": regexp.MustCompile(`^\[.*\]$`),
	"object": regexp.MustCompile(`^\{.*\}$`),
	"view":   regexp.MustCompile(`^\{"round":"(0|[1-9][0-9]*)","seq":"(0|[1-9][0-9]*)"\}$`),
}

// checkFields checks that a record has the fields of the format, each in its form, and no others.
func checkFields(t *testing.T, line []byte) {
	t.Helper()
	var record map[string]json.RawMessage
	must.Do(t, json.Unmarshal(line, &record), string(line))
	var kind, wall string
	must.Do(t, errors.Join(json.Unmarshal(record["kind"], &kind), json.Unmarshal(record["t_wall"], &wall)), string(line))
	expect.Error(t, expect.Err(time.Parse(time.RFC3339Nano, wall)), nil, "%s", line)
	fields, known := eventFields[kind]
	expect.That(t, known, "no kind of record: %s", line)
	delete(record, "kind")
	delete(record, "t_wall")
	for _, field := range strings.Fields("v:1 node:address run:text seq:int t_mono_ns:int step:int? " + fields) {
		name, form, _ := strings.Cut(field, ":")
		form, optional := strings.CutSuffix(form, "?")
		pattern := eventForms[form]
		if pattern == nil {
			pattern = regexp.MustCompile(`^"?(` + form + `)"?$`)
		}
		value, has := record[name]
		expect.That(t, (has || optional) && (!has || pattern.Match(value)), "field %s is no %s: %s", name, form, line)
		delete(record, name)
	}
	expect.That(t, len(record) == 0, "fields without a meaning: %v in %s", slices.Collect(maps.Keys(record)), line)
}

// eventsOf plays commands with an event stream at node 0 and returns its records.
func eventsOf(t *testing.T, commands ...string) []observed {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := NewPlayer(true)
		p.cfg.Record = func(node int) []recording.Writer {
			return []recording.Writer{must.Get(eventstream.New(filepath.Join(dir, fmt.Sprint(node)), "test"))(t)}
		}
		defer func() { p.Network().Close() }()
		for _, command := range commands {
			must.Do(t, p.Play(command))
		}
	})
	content := must.Get(os.ReadFile(filepath.Join(dir, "0")))(t)
	var list []observed
	for line := range bytes.Lines(content) {
		checkFields(t, line)
		var e observed
		must.Do(t, json.Unmarshal(line, &e), string(line))
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b observed) int { return strings.Compare(a.Run, b.Run) }) // as checkers group them
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
		{"clocks that differ", []string{four + " skew=900ms", "run 20s"}, []string{"PROPOSAL_DEFERRED"}},
		{"lost votes", []string{
			four, "reach 3 within 9s", "stop 0", "loselog 0", "restart 0", "run 20s",
		}, []string{"HEALTH"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			list := eventsOf(t, row.commands...)
			seen := make(map[string]bool)
			armed := make(map[string]uint64)
			committed := false
			inStep := make(map[[2]uint64]map[string]bool) // by run and step
			begin := 0                                    // of the run
			for i, e := range list {
				if e.Kind == "NODE_START" {
					begin = i
					clear(armed)
				}
				must.That(t, e.Seq == uint64(i-begin) && e.Run == list[begin].Run && e.Node == list[0].Node, "record %d: %+v", i, e)
				seen[e.Kind] = true
				if e.Step != nil {
					at := [2]uint64{uint64(begin), *e.Step}
					if inStep[at] == nil {
						inStep[at] = make(map[string]bool)
					}
					inStep[at][e.Kind+e.Timer] = true
					inStep[at][fmt.Sprint(e.Kind, e.Timer, e.Mono)] = true
				}
				switch e.Kind {
				case "ROUND_ENTER", "STATE":
					committed = e.To == "Committed"
				case "TIMER_ARM":
					expect.That(t, !committed || e.Timer != "round",
						"record %d: the watchdog after a decision is reported as a round timer", i)
					expect.That(t, armed[e.Timer] == 0, "record %d: timer %s is armed twice", i, e.Timer)
					armed[e.Timer] = e.Gen
				case "ENGINE_STOP":
					expect.That(t, len(armed) == 0, "record %d: the engine stops with timers %v", i, armed)
				case "TIMER_CANCEL", "TIMER_FIRE":
					ends := i+1 < len(list) && (list[i+1].Kind == "ENGINE_STOP" || list[i+1].Kind == "TIMER_CANCEL")
					if committed && e.Timer == "round" && !ends {
						t.Errorf("record %d: the round timer ends at a decision", i)
					}
					expect.That(t, armed[e.Timer] == e.Gen,
						"record %d: timer %s number %d ends, %d runs", i, e.Timer, e.Gen, armed[e.Timer])
					delete(armed, e.Timer)
				}
			}
			for _, kind := range row.kinds {
				expect.That(t, seen[kind], "no record of kind %s", kind)
			}
			for step, kinds := range inStep {
				expect.That(t, !kinds["PREPREPARE_ACCEPT"] || kinds["TIMER_ARMround"],
					"step %v accepts a proposal without a restart of the round timer", step)
				for name := range kinds {
					mono, accepts := strings.CutPrefix(name, "PREPREPARE_ACCEPT")
					if accepts && mono != "" && !kinds["TIMER_ARMround"+mono] {
						t.Errorf("step %v accepts a proposal at another time than it restarts the round timer", step)
					}
				}
			}
		})
	}
}
