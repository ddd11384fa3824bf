// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/votelog"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// completeLog makes a vote log that lacks nothing.
func (b *bench) completeLog() {
	b.t.Helper()
	l := must.Get(votelog.Open(b.logFile(), votelog.Owner{Validator: b.self, Genesis: b.chain.Genesis().Hash()}))(b.t)
	must.Do(b.t, l.SetOrigin(votelog.Origin{}))
	must.Do(b.t, l.Close())
}

func (b *bench) logFile() string { return filepath.Join(b.dir, "votes.log") }

// extendInRound adds a block that the proposer of a round has made.
func (b *bench) extendInRound(round uint32) *types.Block {
	b.t.Helper()
	return b.insert(b.block(uint64(round)), round)
}

// insert seals a block and adds it to the chain.
func (b *bench) insert(block *types.Block, round uint32) *types.Block {
	b.t.Helper()
	block = b.net.Seal(b.t, b.chain.BlockChain, block, round)
	must.Do(b.t, expect.Err(b.chain.InsertChain(types.Blocks{block})))
	return block
}

// extendByOthers adds blocks that this validator has no part in, and more while the next one would be its own.
func (b *bench) extendByOthers(count int) {
	b.t.Helper()
	b.net.Away = b.self
	defer func() { b.net.Away = common.Address{} }()
	for ; count > 0 || b.ownTurn(); count-- {
		b.insert(b.block(b.othersRound()), uint32(b.othersRound()))
	}
	b.wait()
}

// extendNow adds a block by others that is made now, and more a second apart while the next one would be this
// validator's own. Then it waits until the time of the next one.
func (b *bench) extendNow() {
	b.t.Helper()
	b.net.Away = b.self
	defer func() { b.net.Away = common.Address{} }()
	for first := true; first || b.ownTurn(); first = false {
		block := b.variant(b.block(b.othersRound()),
			func(h *types.Header, _ *types.WBFTExtra) { h.Time = uint64(time.Now().Unix()) })
		b.insert(block, uint32(b.othersRound()))
		time.Sleep(time.Second)
	}
	b.wait()
}

// ownTurn reports whether this validator is the proposer of the next block, and othersRound is the first round in which
// it is not.
func (b *bench) ownTurn() bool { return b.othersRound() > 0 }

func (b *bench) othersRound() uint64 {
	b.t.Helper()
	if b.set().Proposer(validators.RoundRobin, b.lastProposer(), 0) == b.self {
		return 1
	}
	return 0
}

// votesFor reports whether the driver votes for the proposal of the next block.
func (b *bench) votesFor() bool {
	b.t.Helper()
	must.That(b.t, !b.ownTurn(), "the next block is this validator's own: the test wants that of another one")
	b.network.take()
	b.deliver(b.prePrepare(b.block(0), 0))
	for _, s := range b.network.take() {
		if s.Code() == prepare {
			return true
		}
	}
	return false
}

// signedBlocks makes this validator sign count blocks, which are decided.
func (b *bench) signedBlocks(count int) {
	b.t.Helper()
	for range count {
		block := b.block(0)
		b.deliver(b.prePrepare(block, 0))
		b.prepares(block, 0)
		b.commits(block, 0)
		b.network.take()
	}
}

// A validator whose vote log is lost, on a chain that it has sealed, signs nothing for any sequence that it can have
// signed in: the next one, and all that began before its new log and a minute for the clocks. From the first block on
// that was made later it signs again. A restart in between changes nothing, and the log says each minute that it waits.
func TestLostVotesAreAwaited(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		b.signedBlocks(2)
		b.head(2)
		b.driver.Stop()
		must.Do(b.t, os.Remove(b.logFile()))
		lines := logged(b.t, func() {
			b.start()
			time.Sleep(150 * time.Second)
			b.wait()
		})
		n := strings.Count(lines, wbft.WaitingMessage)
		expect.That(b.t, n == 3, "said %d times in 150 s: %s", n, lines)
		for i := range 3 {
			if b.votesFor() || b.driver.Waiting() == "" || metrics.Get("wbft/waiting").(*metrics.Gauge).Snapshot().Value() != 1 {
				b.t.Fatalf("%d: it votes for block %d, waiting %q", i, b.chain.CurrentBlock().Number.Uint64()+1, b.driver.Waiting())
			}
			switch i {
			case 0:
				b.restart()
			case 1:
				b.extendByOthers(2) // sealed long ago: they say nothing about now
			}
		}
		b.extendNow()
		if !b.votesFor() || b.driver.Waiting() != "" || metrics.Get("wbft/waiting").(*metrics.Gauge).Snapshot().Value() != 0 {
			b.t.Errorf("it does not sign, waiting %q", b.driver.Waiting())
		}
		b.restart()
		expect.Equal(b.t, b.driver.Waiting(), "", "it waits again after a restart")
		b.unhalted()
	})
}

// A minute has to pass: a block that was made right after the log began is not late enough, since clocks differ.
func TestLostVotesAndClocks(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		b.signedBlocks(1)
		b.driver.Stop()
		must.Do(b.t, os.Remove(b.logFile()))
		b.start()
		time.Sleep(time.Minute)
		b.extendNow()
		expect.That(b.t, !b.votesFor(), "it votes after a block of exactly a minute later")
		b.extendNow()
		expect.That(b.t, b.votesFor(), "it does not vote after a block of more than a minute later")
	})
}

// Who has never sealed signs at once, whether the network is new or not.
func TestNothingLostBeforeTheFirstSeal(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.extendByOthers(20)
		b.start()
		expect.That(b.t, b.driver.Waiting() == "" && b.votesFor(), "it does not vote: %q", b.driver.Waiting())
	})
}

// The log knows all that was signed: a validator that was away, or followed for long without sealing, goes on at once.
func TestNothingLostWhileAway(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		b.signedBlocks(3)
		b.driver.Stop()
		b.extendByOthers(30)
		for range 2 {
			b.start()
			must.Equal(b.t, b.driver.Waiting(), "", "it waits")
			b.driver.Stop()
			b.extendByOthers(1)
		}
		b.start()
		expect.That(b.t, b.votesFor(), "it does not vote")
	})
}

// A data directory that was lost with all there was: the validator begins at genesis, signs there, as in a new network,
// and finds its seals when it has caught up. From then on it waits.
func TestLostVotesAreFoundBySync(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		time.Sleep(20 * time.Second) // rounds pass, with ROUND-CHANGEs for block 1
		b.wait()
		b.driver.Pause(true)
		b.net.Extend(b.t, b.chain.BlockChain, 9) // every fourth is this validator's
		b.driver.Pause(false)
		b.wait()
		expect.That(b.t, b.driver.Waiting() != "" && !b.votesFor(), "it votes")
		time.Sleep(2 * time.Minute)
		b.extendNow()
		expect.That(b.t, b.votesFor(), "it does not vote later")
	})
}

// The chain is gone and the log is not: what the log knows is known when the chain has come again.
func TestNothingLostWithTheChain(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		b.signedBlocks(3)
		b.driver.Stop()
		var blocks types.Blocks
		for n := range uint64(3) {
			blocks = append(blocks, b.chain.GetBlockByNumber(n+1))
		}
		b.newChain()
		b.start()
		must.Do(b.t, expect.Err(b.chain.InsertChain(blocks)))
		b.wait()
		b.head(3)
		expect.Equal(b.t, b.driver.Waiting(), "", "it waits")
		b.extendByOthers(1)
		expect.That(b.t, b.votesFor(), "it does not vote")
	})
}

// A vote log from a backup lacks what was signed since.
func TestOldVoteLog(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		b.signedBlocks(1)
		b.driver.Stop()
		backup := must.Get(os.ReadFile(b.logFile()))(b.t)
		b.start()
		b.signedBlocks(1)
		b.driver.Stop()
		current := must.Get(os.ReadFile(b.logFile()))(b.t)
		must.Do(b.t, os.WriteFile(b.logFile(), backup, 0o600))
		b.start()
		expect.That(b.t, b.driver.Waiting() != "" && !b.votesFor(), "it votes with the log of before")
		b.driver.Stop()
		must.Do(b.t, os.WriteFile(b.logFile(), current, 0o600))
		b.start()
		expect.That(b.t, b.driver.Waiting() == "" && b.votesFor(), "it does not vote with its own log")
	})
}

// When all have lost their votes at once no block comes any more, and the operators say from which one to sign: that
// one, and no other.
func TestSignFrom(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		b.signedBlocks(2)
		for _, from := range []uint64{1, 2, 4, 3} {
			b.driver.Stop()
			must.Do(b.t, os.Remove(b.logFile()))
			b.signFrom = from
			b.start()
			if signs := b.votesFor(); signs != (from == 3) || signs != (b.driver.Waiting() == "") {
				b.t.Errorf("told to sign from block %d: %t, %q", from, signs, b.driver.Waiting())
			}
		}
		b.signFrom = 0
		b.restart() // what was signed is known
		expect.Equal(b.t, b.driver.Waiting(), "", "it waits after all")
	})
}

// What the operator says holds for a validator that waited before this start, too: it is how the manual has a network
// go on that stands still.
func TestSignFromEndsTheWait(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		b.signedBlocks(2)
		b.driver.Stop()
		must.Do(b.t, os.Remove(b.logFile()))
		b.start()
		expect.Contains(b.t, b.driver.Waiting(), "--validator.signfrom 3 ",
			"it does not wait, or does not say how to end that")
		for _, from := range []uint64{1, 4, 3} {
			b.signFrom = from
			b.restart()
			if signs := b.votesFor(); signs != (from == 3) || signs != (b.driver.Waiting() == "") {
				b.t.Errorf("told to sign from block %d: %t, %q", from, signs, b.driver.Waiting())
			}
		}
		b.signFrom = 0
		b.restart()
		expect.Equal(b.t, b.driver.Waiting(), "", "it waits again")
	})
}

// The proposer of a block, and who has a seal among those that its child gathers, has signed, too.
func TestEverySealCounts(t *testing.T) {
	for name, extend := range map[string]func(b *bench){
		"proposed": func(b *bench) {
			b.net.Away = b.self
			b.net.Extend(b.t, b.chain.BlockChain, 4)
			must.Equal(b.t, b.chain.CurrentBlock().Coinbase, b.self, "the last block is somebody else's")
		},
		"sealed": func(b *bench) {
			b.self = b.set().At(0).Address // among the first, which seal
			b.extendInRound(1)
		},
	} {
		onBenchRow(t, name, 4, func(b *bench) {
			extend(b)
			b.start()
			expect.That(b.t, b.driver.Waiting() != "", "it does not wait")
		})
	}
}

// A validator whose vote log begins above the next block signs nothing until the chain is there, and says so, each
// minute too; what WaitingFor says of the stopped node is the same.
func TestLogThatBeginsLater(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		const floor = 5
		l := must.Get(votelog.Open(b.logFile(), votelog.Owner{Validator: b.self, Genesis: b.chain.Genesis().Hash()}))(b.t)
		must.Do(b.t, l.SetOrigin(votelog.Origin{}))
		votes := l.Export()
		votes.Data[0].Floor = floor
		must.Get(l.Import(votes, votelog.Verifier{Floor: floor}))(b.t)
		must.Do(b.t, l.Close())
		lines := logged(b.t, func() {
			b.start()
			time.Sleep(150 * time.Second)
			b.wait()
		})
		n := strings.Count(lines, wbft.FloorMessage)
		expect.That(b.t, n == 3 && !strings.Contains(lines, wbft.WaitingMessage), "said %d times in 150 s: %s", n, lines)
		b.extendByOthers(1)
		for b.chain.CurrentBlock().Number.Uint64() < floor-1 {
			head := b.chain.CurrentBlock()
			reason := b.driver.Waiting()
			for _, want := range []string{"begins at block 5", fmt.Sprintf("The next one is %d. ", head.Number.Uint64()+1)} {
				expect.Contains(b.t, reason, want, "at block %d: waiting", head.Number)
			}
			again := wbft.WaitingFor(votes, head)
			expect.That(b.t, again == reason, "of a stopped node %q, of a running one %q", again, reason)
			expect.That(b.t, !b.votesFor() && metrics.Get("wbft/waiting").(*metrics.Gauge).Snapshot().Value() == 1,
				"it votes for block %d", head.Number.Uint64()+1)
			b.extendByOthers(1)
		}
		head := b.chain.CurrentBlock()
		if !b.votesFor() || b.driver.Waiting() != "" || wbft.WaitingFor(votes, head) != "" ||
			metrics.Get("wbft/waiting").(*metrics.Gauge).Snapshot().Value() != 0 {
			b.t.Errorf("it does not sign after block %d, waiting %q", head.Number, b.driver.Waiting())
		}
	})
}

// What a stopped node waits for can be said of its vote log and its head, or without a chain.
func TestWaitingFor(t *testing.T) {
	head := func(number, time uint64) *types.Header {
		return &types.Header{Number: new(big.Int).SetUint64(number), Time: time}
	}
	const afterSeven = "followers too: where none has a block after 7, start all that wait with --validator.signfrom 8 "
	for name, c := range map[string]struct {
		floor, since uint64
		lost         bool
		head         *types.Header
		want         string // in what it says; "" for nothing
	}{
		"nothing missing":         {head: head(7, 100)},
		"begun, nothing lost":     {since: 1000, head: head(7, 100)},
		"lost":                    {since: 1000, lost: true, head: head(7, 1060), want: "made after 1970-01-01 00:17:40 UTC"},
		"lost, signing from":      {since: 1000, lost: true, head: head(7, 1060), want: afterSeven},
		"lost, and over":          {since: 1000, lost: true, head: head(7, 1061)},
		"lost, without a chain":   {since: 1000, lost: true, want: "only then, get the chain first"},
		"begins with the next":    {floor: 8, head: head(7, 100)},
		"begins later":            {floor: 9, head: head(7, 100), want: "begins at block 9, "},
		"begins, without a chain": {floor: 2, want: "The next one is 1. "},
		"lost, and begins later":  {floor: 9, since: 1000, lost: true, head: head(7, 100), want: "made after"},
	} {
		votes := &votelog.Interchange{Data: []votelog.Signatory{{Floor: c.floor, Since: c.since, Lost: c.lost}}}
		got := wbft.WaitingFor(votes, c.head)
		expect.That(t, (got == "") == (c.want == "") && strings.Contains(got, c.want), "%s: %q, want %q", name, got, c.want)
	}
}
