// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && linux

package tests

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/explain"
	"gwon/consensus/wbft/recording"
	"gwon/consensus/wbft/sim/modes"
	"gwon/dev/devnet"
	"gwon/internal/expect"
	"gwon/internal/must"
)

const (
	// explainedVariable names how many blocks TestExplainedSoak makes.
	explainedVariable = "GWON_TEST_EXPLAINED_BLOCKS"
	// explainedCycle is the number of blocks from one injected fault to the next, explainedFault that of a fault.
	explainedCycle, explainedFault = 12, 4
	// explainedAfter is how long the effects of a fault may last: a node that returns has to catch up.
	explainedAfter = 15 * time.Second
)

// slowMachine matches sentences about steps that took long, which a machine with other work causes by itself.
var slowMachine = regexp.MustCompile(`arrived late|came late|waited \d+ ms|took \d+ ms|was still executing|` +
	`after the round had ended|made no proposal|reached \d+ of|after the decision|started in this sequence`)

// fault is a fault of a node that was injected.
type fault struct {
	node     common.Address
	from, to time.Time
}

// Seven validators, one of which breaks the rules, while others are killed and frozen. Each block above round 0 or
// later than 1.5 s is explained: by a node whose fault was injected, or by a step that took the machine long. All
// recordings replay bit by bit.
func TestExplainedSoak(t *testing.T) {
	blocks := uint64(testCount(t, explainedVariable, 0))
	if blocks == 0 {
		t.Skip("make soak-explained runs this test: TestRecordingsExplainAKilledValidator has one fault")
	}
	t.Setenv(faultyMode, modes.Every)
	const faulty = 6
	c := prepareCluster(t, faulty+1)
	bad := devnet.NewSupervisor(faultyBinary(t), nil, false, false)
	t.Cleanup(bad.Close)
	for i := range faulty {
		c.start(t, i)
	}
	process, err := bad.Start(c.node(faulty))
	must.Do(t, err)
	c.processes[c.node(faulty)] = process
	faults := []fault{{c.node(faulty).Address, time.Time{}, time.Now().Add(24 * time.Hour)}}
	victim := 0
	for number := uint64(explainedCycle); number+explainedFault <= blocks; number += explainedCycle {
		victim = (victim + 5) % faulty
		running := slices.DeleteFunc([]int{0, 1, 2, 3, 4, 5}, func(i int) bool { return i == victim })
		c.awaitHead(t, number, running...)
		f := fault{node: c.node(victim).Address, from: time.Now()}
		if number/explainedCycle%2 == 0 {
			c.kill(t, victim)
			c.awaitHead(t, number+explainedFault, running...)
			c.start(t, victim)
		} else {
			pid := c.processes[c.node(victim)].Pid()
			must.Do(t, syscall.Kill(pid, syscall.SIGSTOP))
			c.awaitHead(t, number+explainedFault, running...)
			must.Do(t, syscall.Kill(pid, syscall.SIGCONT))
		}
		c.awaitHead(t, number, victim)
		f.to = time.Now().Add(explainedAfter)
		faults = append(faults, f)
	}
	c.awaitHead(t, blocks, 0, 1, 2, 3, 4, 5)
	chain := c.chain(t, 0, blocks)
	var suspects []uint64 // blocks above round 0, or two seconds after their parent
	for number := uint64(2); number <= blocks; number++ {
		if c.roundOf(t, 0, number) > 0 || chain[number].Time > chain[number-1].Time+1 {
			suspects = append(suspects, number)
		}
	}
	names := make(map[common.Address]string)
	var dirs []string
	for i := range faulty + 1 {
		if i == faulty {
			err = process.Stop()
			delete(c.processes, c.node(i))
		} else {
			c.stop(t, i)
			dirs = append(dirs, c.node(i).Dir)
		}
		expect.Error(t, err, nil, "error")
		names[c.node(i).Address] = c.node(i).Name
	}
	out, stderr, err := gwon(t, t.TempDir(), append([]string{"replay"}, dirs...)...)
	expect.That(t, err == nil && strings.Contains(out, "recordings without a difference"),
		"replay: %v: %s%s", err, out, stderr)
	files := must.Get(recording.Files(dirs...))(t)
	late, named := 0, 0
	for _, number := range suspects {
		views, problems := explain.Gather(files, number)
		e, err := explain.Explain(number, views, func(a common.Address) string { return names[a] })
		if err != nil || len(problems) > 0 {
			t.Errorf("block %d: %v %v", number, err, problems)
			continue
		}
		late++
		text := strings.Join(e.Sentences, "\n")
		switch {
		case slices.ContainsFunc(faults, func(f fault) bool {
			return e.Due.After(f.from.Add(-2*time.Second)) && e.Due.Before(f.to) && strings.Contains(text, names[f.node])
		}):
			named++
		case !slowMachine.MatchString(text):
			t.Errorf("block %d is not explained:\n%s", number, text)
		default:
			t.Logf("block %d: a slow step of the machine:\n%s", number, text)
		}
	}
	t.Logf("%d blocks, %d above round 0 or late, %d of them by an injected fault; %s", blocks, late, named,
		strings.TrimSpace(out))
	if path := os.Getenv("GWON_TEST_KEEP_SCENARIO"); path != "" && len(suspects) > 0 {
		args := []string{"replay", "--scenario", path, "--block", strconv.FormatUint(suspects[0], 10)}
		out, stderr, err := gwon(t, t.TempDir(), append(args, dirs...)...)
		expect.That(t, err == nil, "%v: %s%s", err, out, stderr)
	}
}
