// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"gwon/dev/devnet"
	"gwon/tools/faulty"
)

// faultyMode is the environment variable with the mode of a faulty validator (package tools/faulty).
const faultyMode = "FAULTY_MODE"

// dearBlocks is the number of blocks that the network makes beside the faulty validator.
const dearBlocks = 12

// TestDearProposals has one of four validators propose at each turn a block that takes the whole gas of a block to
// refute, or one that can be refuted within a round. Blocks are made all the while. Each such proposal is executed at
// most once, the second kind only until it was refused, and none is left to execute when the validator has gone.
func TestDearProposals(t *testing.T) {
	for _, mode := range []string{faulty.Dear, faulty.DearInTime} {
		t.Run(mode, func(t *testing.T) {
			t.Setenv(faultyMode, mode)
			testDearProposals(t, mode)
		})
	}
}

// giveCoins gives an account coins of the first account, whose first transaction it is.
func (c *cluster) giveCoins(t *testing.T, to common.Address) {
	t.Helper()
	tip, feeCap := c.fees(t, 0)
	coins := new(big.Int).Exp(big.NewInt(10), big.NewInt(25), nil)
	var hash common.Hash
	c.must(t, 0, &hash, "eth_sendRawTransaction",
		hexutil.Bytes(transfer(t, c.network.Accounts[0].Key(), 0, to, coins, tip, feeCap)))
	c.receipt(t, 0, hash)
}

func testDearProposals(t *testing.T, mode string) {
	const liar = 3
	honest := []int{0, 1, 2}
	c := prepareCluster(t, 4)
	bad := devnet.NewSupervisor(faultyBinary(t), nil, false, false)
	t.Cleanup(bad.Close)
	urls := make([]string, len(honest))
	for _, i := range honest {
		port := freePort(t)
		urls[i] = fmt.Sprintf("http://127.0.0.1:%d/debug/metrics/prometheus", port)
		c.start(t, i, "--metrics", "--metrics.addr", "127.0.0.1", "--metrics.port", strconv.Itoa(port))
	}
	// A transaction that cannot be executed is refused at once, so the account gets its coins first.
	c.awaitHead(t, 2, honest...)
	c.giveCoins(t, c.node(liar).Address)
	count := func(i int, name string) int {
		value, err := metricOf(urls[i], name)
		if err != nil {
			t.Fatal(err)
		}
		return int(value)
	}
	process, err := bad.Start(c.node(liar))
	if err != nil {
		t.Fatal(err)
	}
	c.processes[c.node(liar)] = process

	first, err := c.head(0)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	for ahead := uint64(3); ahead <= dearBlocks; ahead += 3 {
		c.awaitHead(t, first+ahead, honest...)
	}
	took := time.Since(begun)
	if err := process.Stop(); err != nil {
		t.Fatal(err)
	}
	delete(c.processes, c.node(liar))
	gone, err := c.head(0)
	if err != nil {
		t.Fatal(err)
	}
	proposed := strings.Count(nodeLog(t, c, liar), "Dear proposal sent")
	if proposed == 0 {
		t.Fatal("the faulty validator has not proposed")
	}
	rounds := 0
	for number := uint64(1); number <= gone; number++ {
		rounds += 1 + int(c.roundOf(t, 0, number))
	}
	before := make([]int, len(honest))
	for _, i := range honest {
		before[i] = count(i, "wbft_execute_count")
		refused, canceled := count(i, "wbft_proposals_refused"), count(i, "wbft_proposals_canceled")
		t.Logf("%s: %d executions, %d refused, %d canceled", c.node(i).Name, before[i], refused, canceled)
		if before[i] > rounds+2 { // the rounds in progress have no block yet
			t.Errorf("%s: %d executions in %d rounds", c.node(i).Name, before[i], rounds)
		}
		// Every block is below the hundredth, so a validator has one refusal before its probation.
		if mode == faulty.DearInTime && refused > 1 {
			t.Errorf("%s has refused %d proposals of a validator on probation", c.node(i).Name, refused)
		}
	}
	t.Logf("%d blocks in %v beside %d dear proposals, %d rounds for all %d blocks", gone-first, took.Round(time.Second),
		proposed, rounds, gone)

	begun = time.Now()
	c.awaitHead(t, gone+5, honest...)
	t.Logf("then 5 blocks in %v", time.Since(begun).Round(100*time.Millisecond))
	later := 0
	for number := gone + 1; number <= gone+5; number++ {
		later += 1 + int(c.roundOf(t, 0, number))
	}
	for _, i := range honest {
		if after := count(i, "wbft_execute_count") - before[i]; after > later+3 {
			t.Errorf("%s: %d executions in %d rounds after the faulty validator has gone", c.node(i).Name, after, later)
		}
	}
	c.sameChain(t, gone+5)
}
