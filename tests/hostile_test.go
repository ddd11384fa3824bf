// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	protocol "github.com/ethereum/go-ethereum/eth/protocols/eth"

	"gwon/consensus/wbft/messages"
	"gwon/dev/devnet"
)

const (
	// hostileTime is how long TestHostileNetwork lasts; GWON_TEST_HOSTILE_TIME sets another time (make hostile: ten
	// minutes).
	hostileTime = 40 * time.Second

	// hostilePatience is how long three honest validators that run may take to the next two blocks. Each is a process
	// that has perhaps just been started, one turn to propose in four belongs to the faulty one, and all of them share
	// the machine with the attackers.
	hostilePatience = 40 * time.Second

	hostilePushers = 2
)

// buildFaulty builds gwon with a validator that breaks the rules (package tools/faulty) beside the binary under test,
// where make has not built it.
var buildFaulty = sync.OnceValues(func() (path string, err error) {
	path = binary + "-faulty"
	if os.Getenv(binaries) == "" {
		err = buildProgram(path, "gwon", "faulty")
	}
	return path, err
})

// faultyBinary returns the path of gwon with a validator that breaks the rules.
func faultyBinary(t *testing.T) string {
	t.Helper()
	path, err := buildFaulty()
	if err != nil {
		t.Fatalf("build the faulty binary: %v", err)
	}
	return path
}

// consensusStatus is what the tests look at in istanbul_consensusStatus.
type consensusStatus struct {
	Halted string
	Muted  string
}

var misbehaviorLine = regexp.MustCompile(`Validator misbehavior.*`)

// Four validators, one of them faulty (other bodies under true headers, certificates that do not exist, two things
// said at once), two followers, and five outsiders that each attack a node in their own way, strangers that push large
// blocks without a pause, and clients that do not read, while random nodes are killed. The chain advances whenever the
// three honest validators run, all nodes have the same blocks, and no honest node is accused, stops signing or halts
// (spec wbft 3.2: less than a third is faulty).
func TestHostileNetwork(t *testing.T) {
	t.Parallel()
	lasts := testTime(t, "GWON_TEST_HOSTILE_TIME", hostileTime)
	random := randomness(t)
	c := prepareCluster(t, 4)
	const faulty = 3
	honest := []int{0, 1, 2}
	bad := devnet.NewSupervisor(faultyBinary(t), nil, false, false)
	t.Cleanup(bad.Close)
	first := c.addFollowers(t, 2)
	start := func(i int) {
		switch {
		case i >= first:
			c.follow(t, i, []int{0, 1, 2, faulty})
		case i == faulty:
			p, err := bad.Start(c.node(i), withAdmin...)
			if err != nil {
				t.Fatal(err)
			}
			c.processes[c.node(i)] = p
		default:
			c.start(t, i, withAdmin...)
		}
	}
	for i := range c.network.Nodes {
		start(i)
	}
	c.awaitHead(t, 3, c.running()...)
	tip, feeCap := c.fees(t, 0)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	attacks := []struct {
		target int
		flood
	}{
		{0, flood{"transactions", floodOfTransactions(t, c.network.Accounts[1].Key(), tip, feeCap)}},
		{1, flood{"blocks", floodOfBlocks(c)}},
		{2, flood{"announcements", floodOfAnnouncements(c)}},
		{0, flood{"consensus messages", floodOfMessages(t, c)}},
		{first, flood{"blocks to a follower", floodOfBlocks(c)}},
	}
	said := make([]int, len(attacks))
	var attackers sync.WaitGroup
	for i, a := range attacks {
		o := newOutsider(t, nil)
		attackers.Go(func() { said[i] = o.attack(ctx, c, a.target, a.flood) })
	}

	var pushed, lives atomic.Int64
	message := pushedBlock(t, rlpList(t, emptyTransaction, (messages.MaxSize-64<<10)/len(emptyTransaction)))
	for range hostilePushers {
		attackers.Go(func() {
			besiegeByFrames(ctx, c.node(1), ethOffset+protocol.NewBlockMsg, message, &pushed, &lives)
		})
	}
	silent := silentConnections(t)
	attackers.Go(func() { stall(ctx, fmt.Sprintf("127.0.0.1:%d", c.node(2).HTTPPort), silent) })

	final := make(map[uint64]common.Hash)
	kills := 0
	for end := time.Now().Add(lasts); time.Now().Before(end); {
		before := uint64(0)
		for _, i := range honest {
			head, err := c.head(i)
			if err != nil {
				t.Fatal(err)
			}
			before = max(before, head)
		}
		c.awaitWithin(t, hostilePatience, before+2, honest...)
		var b *block
		c.must(t, honest[random.IntN(len(honest))], &b, "eth_getBlockByNumber", "finalized", false)
		final[uint64(b.Number)] = b.Hash

		victim := random.IntN(len(c.network.Nodes))
		moments[random.IntN(len(moments))].wait(c, t, victim)
		c.kill(t, victim)
		kills++
		start(victim)
		c.awaitHead(t, 0, victim)
	}
	cancel()
	attackers.Wait()

	var last uint64
	for _, i := range honest {
		head, err := c.head(i)
		if err != nil {
			t.Fatal(err)
		}
		last = max(last, head)
	}
	c.sameChain(t, last+2)
	for number, b := range c.chain(t, 0, last) {
		if hash, ok := final[uint64(number)]; ok && hash != b.Hash {
			t.Errorf("block %d was final as %v, is %v", number, hash, b.Hash)
		}
	}
	for i, a := range attacks {
		if said[i] < 10 {
			t.Errorf("%s: the attack said something %d times only", a.name, said[i])
		}
	}
	caught := 0
	for _, i := range c.running() {
		var status consensusStatus
		c.must(t, i, &status, "istanbul_consensusStatus")
		if i != faulty && (status.Halted != "" || status.Muted != "") {
			t.Errorf("%s stopped: %q %q", c.node(i).Name, status.Halted, status.Muted)
		}
		for _, line := range misbehaviorLine.FindAllString(nodeLog(t, c, i), -1) {
			if strings.Contains(line, "signer="+c.node(faulty).Address.Hex()) {
				caught++
			}
			for _, h := range honest {
				if strings.Contains(line, "signer="+c.node(h).Address.Hex()) {
					t.Errorf("%s accuses %s, which is honest: %.200s", c.node(i).Name, c.node(h).Name, line)
				}
			}
		}
	}
	for _, i := range honest {
		caught += len(c.accuse(t, i, faulty).Evidence)
	}
	if caught == 0 {
		t.Error("the faulty validator was never caught: did it do anything wrong?")
	}
	t.Logf("%d blocks, %d kills, attacks %v, %d large blocks of %d strangers, %d times caught in %v", last, kills, said,
		pushed.Load(), lives.Load(), caught, lasts)
}

// awaitWithin waits until every named node has block number, and fails when that takes longer than limit.
func (c *cluster) awaitWithin(t *testing.T, limit time.Duration, number uint64, nodes ...int) {
	t.Helper()
	begun := time.Now()
	c.awaitHead(t, number, nodes...)
	if took := time.Since(begun); took > limit {
		t.Fatalf("block %d took %v, want at most %v", number, took, limit)
	}
}
