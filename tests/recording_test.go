// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/explain"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// One of four validators is killed. The recordings of the others explain a block of its turn by its name, all of them
// replay, also that of the killed one, and the event stream has no gap.
func TestRecordingsExplainAKilledValidator(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t, 4)
	events := filepath.Join(t.TempDir(), "events.jsonl")
	const killed = 3
	for i := range c.network.Nodes {
		var flags []string
		if i == 0 {
			flags = []string{"--wbft.events", events}
		}
		c.start(t, i, flags...)
	}
	c.awaitHead(t, 3, 0, 1, 2, killed)
	c.kill(t, killed)
	from := must.Get(c.head(0))(t)
	c.awaitHead(t, from+6, 0, 1, 2) // one of six is of its turn

	args := []string{"explain", "--json"}
	for _, node := range c.network.Nodes {
		args = append(args, "--recording", node.Dir)
	}
	var waited *explain.Explanation
	for number := from + 2; number <= from+6; number++ {
		out, stderr, err := gwon(t, t.TempDir(), append(args, fmt.Sprint(number))...)
		must.That(t, err == nil, "explain %d: %v: %s", number, err, stderr)
		e := new(explain.Explanation)
		must.Do(t, json.Unmarshal([]byte(out), e))
		must.That(t, len(e.Problems) == 0 && e.Round != nil, "block %d: %s", number, out)
		if *e.Round > 0 && e.Views[0].Rounds[0].Proposer == c.node(killed).Address {
			waited = e
		}
	}
	must.That(t, waited != nil, "no block from %d to %d waited for the killed validator", from+2, from+6)
	text := strings.Join(waited.Sentences, "\n")
	name := c.node(killed).Name + " (" + c.node(killed).Address.Hex()[:6]
	for _, want := range []string{"Round 0 waited for the proposal of " + name, "Absent: no message of " + name} {
		expect.That(t, strings.Contains(text, want), "%q is missing in:\n%s", want, text)
	}
	expect.That(t, len(waited.Absent) == 1 && waited.Absent[0] == c.node(killed).Address, "absent: %v", waited.Absent)

	replays := []string{"replay"}
	for i, node := range c.network.Nodes {
		if i != killed {
			c.stop(t, i)
		}
		replays = append(replays, node.Dir)
	}
	out, stderr, err := gwon(t, t.TempDir(), replays...)
	expect.That(t, err == nil && strings.Contains(out, "recordings without a difference"),
		"replay: %v: %s%s", err, out, stderr)
	checkEvents(t, events, c.node(0).Address)
}

// checkEvents checks that an event stream is of a validator and has no gap.
func checkEvents(t *testing.T, path string, validator common.Address) {
	t.Helper()
	content := must.Get(os.ReadFile(path))(t)
	kinds, seq := make(map[string]int), uint64(0)
	for line := range bytes.Lines(content) {
		var e struct {
			Seq        uint64
			Node, Kind string
		}
		must.Do(t, json.Unmarshal(line, &e), string(line))
		must.That(t, e.Seq == seq && e.Node == strings.ToLower(validator.Hex()), "record %d: %s", seq, line)
		seq++
		kinds[e.Kind]++
	}
	expect.That(t, kinds["NODE_START"] == 1 && kinds["NODE_STOP"] == 1 && kinds["FINALIZE_HANDOVER"] != 0 &&
		kinds["TIMER_FIRE"] != 0, "kinds of events: %v", kinds)
}
