// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/explain"
	"gwon/consensus/wbft/recording"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// explained plays commands and explains a block by the recordings of all nodes.
func explained(t *testing.T, commands []string, sequence uint64) *explain.Explanation {
	t.Helper()
	dir := recorded(t, commands)
	processes := must.Get(os.ReadDir(dir))(t)
	var files []string
	for _, process := range processes {
		list := must.Get(recording.Files(filepath.Join(dir, process.Name())))(t)
		files = append(files, list...)
	}
	names := make(map[common.Address]string)
	for i := range 7 {
		key, _ := Keys(i)
		names[addressOf(key)] = fmt.Sprintf("node %d", i)
	}
	views, problems := explain.Gather(files, sequence)
	must.That(t, len(problems) == 0, "%v", problems)
	return must.Get(explain.Explain(sequence, views, func(a common.Address) string { return names[a] }))(t)
}

// The explanation of a block above round 0 names the fault that was injected.
func TestExplanationNamesTheCause(t *testing.T) {
	const four = "network nodes=4 seed=1 delay=10ms..10ms"
	for _, row := range []struct {
		name     string
		commands []string
		sequence uint64
		want     []string
	}{
		{"killed proposer", []string{four, "reach 2 within 9s", "crash 3", "run 9s"}, 4, []string{
			"Block 4 was sealed in round 1, 290 ms after the block was due.",
			"Round 0 waited for the proposal of node 3, which reached none of 3 recorded validators in time.",
			"The connection of node 1 to node 3 had ended", "shortened because the proposer was known to be absent",
			"Absent: no message of node 3 is in any recording of this block.",
		}},
		{"silent proposer", []string{four, "byzantine 2 silent", "run 9s"}, 3, []string{
			"Block 3 was sealed in round 1", "Round 0 waited for the proposal of node 2", "Absent: no message of node 2",
		}},
		{"lost COMMITs", []string{four, "lose COMMIT sequence 3 round 0", "run 12s"}, 3, []string{
			"Block 3 was sealed in round 1", "Round 0: 1 of 3 COMMITs arrived in time at node 1.",
			"Round 0: no COMMIT of node 0, node 2, node 3 arrived there.",
		}},
		{"lost PREPAREs", []string{four, "lose PREPARE from 1,3 sequence 3 round 0", "run 12s"}, 3, []string{
			"Block 3 was sealed in round 1", "Round 0: 2 of 3 COMMITs arrived in time",
		}},
		{"late proposal", []string{four, "hold PRE-PREPARE sequence 3 round 0", "run 6s", "release", "run 6s"}, 3, []string{
			"Block 3 was sealed in round 1", "Round 0 waited for the proposal of node 2",
			"The recording of node 2 shows that it sent the proposal 0 ms after the block was due.",
		}},
		{"invalid proposal", []string{four, "byzantine 2 invalid", "run 12s"}, 3, []string{
			"refused the proposal of node 2: invalid randao mix", "Fault of node 2: proposed block is invalid (noted by",
		}},
		{"slow execution", []string{four, "reach 2 within 9s", "now execution=9s", "run 12s"}, 3, []string{
			"The recording of node 2 shows that it made no proposal in this round.",
			"to execute the block.", "for the PREPARE of node 2.",
		}},
		{"partition", []string{four, "reach 2 within 9s", "partition 0 1 | 2 3", "run 6s", "heal", "run 9s"}, 3, []string{
			"Round 0: the proposal of node 2 reached 1 of 3 recorded validators in time.",
			"Round 0: no PREPARE of node 0, node 1 arrived there.",
		}},
		{"two proposals", []string{four, "byzantine 2 equivocator", "run 12s"}, 3, []string{
			"Fault of node 2: two different PREPAREs for one view (noted by",
		}},
		{"different proposals", []string{
			four, "byzantine 2 equivocator", "lose COMMIT sequence 3 round 0", "run 12s",
		}, 3, []string{
			"Block 3 was sealed in round 1", "Round 0: node 2 sent one proposal to node 1 and another one to node 0.",
		}},
		{"proposer on probation", []string{four, "byzantine 2 invalid", "reach 12 within 60s"}, 9, []string{
			"Block 9 was sealed in round 1",
			"Round 0: the proposal of node 2 waited at node 1 for PREPAREs of others, because an earlier one was refused there.",
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			e := explained(t, row.commands, row.sequence)
			text := strings.Join(e.Sentences, "\n")
			for _, want := range row.want {
				expect.That(t, strings.Contains(text, want), "%q is missing in:\n%s", want, text)
			}
		})
	}
}
