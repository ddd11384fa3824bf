// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"gwon/consensus/wbft/sim/modes"
	"gwon/dev/devnet"
)

// modeBlocks is how many blocks TestFaultyModes makes, five in each mode; GWON_TEST_MODE_BLOCKS sets another number.
const modeBlocks = 55

// One of four validators breaks the rules in one mode after the other, with real messages between real nodes. The
// others make their blocks, have one chain, and accuse no honest validator. FAULTY_MODE keeps it in one mode.
func TestFaultyModes(t *testing.T) {
	blocks := uint64(modeBlocks)
	if text := os.Getenv("GWON_TEST_MODE_BLOCKS"); text != "" {
		var err error
		if blocks, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("GWON_TEST_MODE_BLOCKS: %v", err)
		}
	}
	if os.Getenv(faultyMode) == "" {
		t.Setenv(faultyMode, modes.Every)
	}
	const faulty = 3
	honest := []int{0, 1, 2}
	c := prepareCluster(t, 4)
	bad := devnet.NewSupervisor(faultyBinary(t), nil, false, false)
	t.Cleanup(bad.Close)
	for _, i := range honest {
		c.start(t, i)
	}
	process, err := bad.Start(c.node(faulty))
	if err != nil {
		t.Fatal(err)
	}
	c.processes[c.node(faulty)] = process
	for number := uint64(0); number < blocks; {
		number = min(number+3, blocks)
		c.awaitHead(t, number, honest...)
	}
	rounds := 0
	for number := uint64(1); number <= blocks; number++ {
		if c.roundOf(t, 0, number) > 0 {
			rounds++
		}
	}
	if !strings.Contains(nodeLog(t, c, faulty), "breaks the rules of the consensus on purpose") {
		t.Error("the faulty validator is an honest one")
	}
	evidence := 0
	for _, i := range honest {
		var status consensusStatus
		c.must(t, i, &status, "istanbul_consensusStatus")
		if status.Halted != "" || status.Muted != "" {
			t.Errorf("%s stopped: %q %q", c.node(i).Name, status.Halted, status.Muted)
		}
		evidence += len(c.accuse(t, i, faulty).Evidence)
		for _, line := range misbehaviorLine.FindAllString(nodeLog(t, c, i), -1) {
			for _, h := range honest {
				if strings.Contains(line, "signer="+c.node(h).Address.Hex()) {
					t.Errorf("%s accuses %s, which is honest: %.200s", c.node(i).Name, c.node(h).Name, line)
				}
			}
		}
	}
	if err := process.Stop(); err != nil {
		t.Error(err)
	}
	delete(c.processes, c.node(faulty))
	c.sameChain(t, blocks+2)
	t.Logf("%d blocks, %d above round 0, %d pieces of evidence", blocks, rounds, evidence)
}
