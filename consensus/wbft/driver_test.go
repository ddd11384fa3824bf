// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/votelog"
	"gwon/consensus/wbft/wbfttest"
	"gwon/core/rules"
	"gwon/internal/expect"
	"gwon/internal/must"
)

const (
	prePrepare  = messages.CodePrePrepare
	prepare     = messages.CodePrepare
	commit      = messages.CodeCommit
	roundChange = messages.CodeRoundChange
)

// A block goes all the way: executed before PREPARE, locked before COMMIT, written and announced with its seals (spec
// wbft 5.7, 5.10). What is announced is the block that was executed.
func TestDriverDecides(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		b.expect("before anything")
		set, block := b.set(), b.block(0)
		b.deliver(b.prePrepare(block, 0))
		expect.That(b.t, b.expect("after the proposal", prepare)[0].block() == block.Hash(),
			"the PREPARE is for another block")
		b.prepares(block, 0)
		b.expect("after the PREPAREs", commit)
		b.commits(block, 0)
		b.head(1)
		b.unhalted()
		must.That(b.t, len(b.network.announced) == 1 && b.network.announced[0].Hash() == block.Hash(),
			"announced %v", b.network.announced)
		expect.That(b.t, b.engine.Remembers(b.network.announced[0].Header(), set),
			"the seals it has made from verified votes will be verified again")
		expect.That(b.t, len(b.network.holders) >= b.set().Quorum() && slices.Contains(b.network.holders, b.self),
			"known to have the block: %v", b.network.holders)
		for name, header := range map[string]*types.Header{
			"stored":    b.chain.CurrentBlock(),
			"announced": b.network.announced[0].Header(),
		} {
			x := must.Get(header.WBFTExtra())(b.t)
			expect.That(b.t, header.Hash() == block.Hash() && x.PreparedSeal != nil && x.CommittedSeal != nil,
				"%s: %v with seals %v and %v", name, header.Hash(), x.PreparedSeal, x.CommittedSeal)
			expect.Error(b.t, b.engine.VerifySeals(b.set(), header), nil, "%s", name)
		}
		expect.Equal(b.t, b.driver.Status().Sequence, 2, "sequence")
		time.Sleep(2 * core.RelayDelay)
		b.wait()
		expect.Equal(b.t, len(b.network.relayed()), 0, "messages were relayed of a block that was decided at once")
	})
}

// What others sent is passed on after a moment, while the block is not decided (spec wbft 4.4).
func TestRelaysArePutOff(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		block := b.block(0)
		b.deliver(b.prePrepare(block, 0))
		vote := b.prepare(b.others()[1], block, 0)
		b.deliver(vote)
		must.Equal(b.t, len(b.network.relayed()), 0, "messages were relayed at once")
		time.Sleep(core.RelayDelay)
		b.wait()
		must.That(b.t, len(b.network.relayed()) == 2,
			"%d messages were relayed, want the proposal and the vote", len(b.network.relayed()))
		got := b.network.relayed()[1]
		expect.That(b.t, got.Code() == prepare && slices.Equal(got.to, []common.Address{b.others()[0], b.others()[2]}),
			"relayed %#x to %v", got.Code(), got.to)
		time.Sleep(time.Second)
		b.wait()
		expect.Equal(b.t, len(b.network.relayed()), 2, "relayed again")
	})
}

// An author that sends messages without end has its part of the links, which is that of an honest one. The messages of
// another author are relayed all the same. spec: wbft 4.4, 9.3 no. 1
func TestRelaysOfAnAuthorAreBounded(t *testing.T) {
	const span = 60 // seconds, with ten messages each
	onBench(t, 4, func(b *bench) {
		b.start()
		author, other := b.others()[0], b.others()[1]
		for k := range uint64(10 * span) {
			b.deliver(b.roundChange(author, 1, 100+k))
			time.Sleep(time.Second / 10)
		}
		b.deliver(b.roundChange(other, 1, 1))
		time.Sleep(core.RelayDelay)
		b.wait()
		relayed := b.network.relayed()
		burst, each := messages.Relayed(0)
		most := burst + int(span*time.Second/each) + 1
		expect.That(b.t, len(relayed) > most/2 && len(relayed) <= most, "%d of %d relayed, at most %d", len(relayed),
			10*span, most)
		expect.Equal(b.t, must.Get(relayed[len(relayed)-1].Signer())(b.t), other, "author of the last relay")
	})
}

// A restarted validator knows what it signed: it says it again and nothing else (spec wbft 9.1 no. 3).
func TestRestartKeepsVotes(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		block := b.block(0)
		b.deliver(b.prePrepare(block, 0))
		b.expect("the first process", prepare)
		b.restart()
		s := b.expect("the second process", prepare)
		expect.That(b.t, s[0].block() == block.Hash() && s[0].force, "said again: %v, forced %t", s[0].block(), s[0].force)
		rival := b.rival(block)
		b.deliver(b.prePrepare(rival, 0))
		b.expect("a rival proposal for the same view")
		expect.That(b.t, !slices.Contains(b.chain.executions(), rival.Hash()),
			"the rival was executed, which costs time for nothing")
		// The proposal it voted for still gets its COMMIT.
		b.deliver(b.prePrepare(block, 0))
		b.prepares(block, 0)
		list := b.network.take()
		if !slices.ContainsFunc(list, func(s sent) bool { return s.Code() == commit && s.block() == block.Hash() }) {
			b.t.Errorf("no COMMIT after the restart: %v", list)
		}
	})
}

// A restarted validator still carries its lock: its ROUND-CHANGE claims the prepared block, with the block and the
// PREPAREs (spec wbft 5.9, 9.1 no. 3).
func TestRestartKeepsLock(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		block := b.block(0)
		b.deliver(b.prePrepare(block, 0))
		b.prepares(block, 0)
		b.expect("the first process", prepare, commit)
		b.restart()
		b.network.take()
		for _, a := range b.others()[:2] { // more than a third ask for round 1
			b.deliver(b.roundChange(a, 1, 1))
		}
		for _, s := range b.network.take() {
			m, ok := s.Message.(*messages.RoundChange)
			if !ok {
				continue
			}
			if m.Prepared == nil || m.Prepared.Digest != block.Hash() || m.PreparedBlock == nil || len(m.Prepares) < 3 {
				b.t.Errorf("the ROUND-CHANGE claims %v with %d PREPAREs", m.Prepared, len(m.Prepares))
			}
			return
		}
		b.t.Error("no ROUND-CHANGE")
	})
}

// What cannot be made durable is not sent, nor acted on: PREPARE, the lock and with it the COMMIT, ROUND-CHANGE (spec
// wbft 5.10).
func TestNothingLeavesBeforeItIsDurable(t *testing.T) {
	for name, c := range map[string]struct {
		before, trigger func(b *bench, block *types.Block)
	}{
		"PREPARE": {
			func(*bench, *types.Block) {},
			func(b *bench, block *types.Block) { b.deliver(b.prePrepare(block, 0)) },
		},
		"lock and COMMIT": {
			func(b *bench, block *types.Block) { b.deliver(b.prePrepare(block, 0)) },
			func(b *bench, block *types.Block) { b.prepares(block, 0) },
		},
		"ROUND-CHANGE": {
			func(*bench, *types.Block) {},
			func(b *bench, _ *types.Block) { time.Sleep(time.Minute); b.wait() },
		},
	} {
		onBenchRow(t, name, 4, func(b *bench) {
			b.start()
			block := b.block(0)
			c.before(b, block)
			b.network.take()
			must.Do(b.t, b.driver.BreakVoteLog())
			c.trigger(b, block)
			b.expect("without a log")
			expect.Contains(b.t, b.driver.Halted(), "could not be made durable", "halted")
		})
	}
}

// The lock alone is as necessary as the COMMIT: a log that takes the vote and not the certificate lets nothing leave.
// Here it refuses the lock because a later round's is there (spec wbft 9.1 no. 3).
func TestLockThatCannotBeKept(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		block := b.block(0)
		b.deliver(b.prePrepare(block, 0))
		b.expect("the proposal", prepare)
		must.Do(b.t, b.driver.WriteLock(votelog.Lock{Sequence: 1, Round: 3, Certificate: []byte{1}}))
		b.prepares(block, 0)
		b.expect("with a lock of a later round in the log")
		if reason := b.driver.Halted(); !strings.Contains(reason, "could not be made durable") ||
			!strings.Contains(reason, votelog.ErrConflict.Error()) {
			b.t.Errorf("halted %q", reason)
		}
	})
}

// The votes of decided sequences stay until their blocks lie well below what is on disk, and go then: a chain that has
// lost its newest blocks goes on without a contradiction, and the log does not grow for ever.
func TestPruningStaysBehindTheHead(t *testing.T) {
	onBench(t, 1, func(b *bench) {
		const remembered = 16
		const head = 2*remembered + 3
		b.builder = b.buildUpTo(head)
		b.start()
		b.head(head)
		b.unhalted()
		const want = uint64(head - remembered)
		got := b.driver.LogFloor()
		expect.That(b.t, got == want+1, "floor %d with head %d, want %d", got, head, want+1)
		l := b.votes()
		known := make(map[uint64]bool)
		for _, s := range l.Sequences() {
			known[s.Number] = s.Lock != nil && len(s.Records) > 0
		}
		for n := want + 1; n <= uint64(head); n++ {
			expect.That(b.t, known[n], "the records or the lock of block %d are gone, the head is %d", n, head)
		}
		must.Do(b.t, l.Close())
		b.start() // which lets go of the others, still in the file
		got = b.driver.LogFloor()
		expect.That(b.t, got == want+1, "floor %d with head %d after a restart, want %d", got, head, want+1)
	})
}

// Nothing more is signed, built, sent or written after a halt, by no caller and no work under way: the rest of the
// step, what waits, verdicts, timers.
func TestHaltEndsEverything(t *testing.T) {
	onBenchRow(t, "messages and timers", 4, func(b *bench) {
		b.start()
		block := b.block(0)
		b.driver.Halt("test")
		b.driver.Halt("a second reason")
		b.wait()
		m := b.prePrepare(block, 0)
		expect.That(b.t, !b.driver.Deliver(m.Code(), m.Encode(), b.others()[0]), "a message is welcome")
		b.driver.Pause(true)
		b.driver.Pause(false)
		time.Sleep(time.Hour)
		b.wait()
		b.expect("after the halt")
		expect.That(b.t, b.driver.Halted() == "test" && b.driver.Start() == nil, "halted %q", b.driver.Halted())
		b.driver.Stop()
		expect.Says(b.t, b.driver.Start(), "test", "a halted driver starts again")
	})
	onBenchRow(t, "verdict under way", 4, func(b *bench) {
		gate := make(chan struct{})
		b.chain.execute = func(*types.Block) error { <-gate; return nil }
		b.start()
		b.deliver(b.prePrepare(b.block(0), 0))
		b.driver.Halt("test")
		close(gate)
		b.wait()
		b.expect("after the halt")
	})
	onBenchRow(t, "rest of the step", 4, func(b *bench) {
		b.start()
		block := b.block(0)
		b.deliver(b.prePrepare(block, 0))
		b.deliver(b.commitsOf(block, 0)...)
		b.expect("the proposal", prepare)
		// The PREPARE that completes the quorum brings COMMIT and the decision in one step. The halt comes with the first.
		b.network.onSend = func(messages.Message) { b.driver.Halt("test") }
		b.prepares(block, 0)
		b.expect("the first effect", commit)
		b.head(0)
		expect.That(b.t, len(b.chain.commits) == 0 && len(b.network.announced) == 0, "the decision was carried out")
	})
	t.Run("messages that wait", func(t *testing.T) {
		for range 16 { // whether the driver looks at them or at the halt first is left to chance
			onBench(t, 4, func(b *bench) {
				b.start()
				block := b.block(0)
				b.network.onSend = func(messages.Message) {
					for _, a := range b.others() {
						m := b.prepare(a, block, 0)
						b.driver.Deliver(m.Code(), m.Encode(), a)
					}
					b.driver.Halt("test")
				}
				b.deliver(b.prePrepare(block, 0))
				b.expect("the proposal", prepare)
				if list := b.votes().Sequences(); len(list) != 1 || len(list[0].Records) != 1 || list[0].Lock != nil {
					b.t.Errorf("after the halt the log holds %v", list)
				}
			})
		}
	})
	onBenchRow(t, "block being built", 1, func(b *bench) {
		built := make(chan struct{})
		b.builder = buildFunc(func(ctx context.Context) (*gethcore.Executed, error) {
			<-built
			return b.chain.BlockChain.ExecuteProposal(context.WithoutCancel(ctx), b.block(0))
		})
		b.start()
		b.driver.Halt("test")
		close(built)
		b.wait()
		b.expect("after the halt")
	})
}

// A proposal is voted for only if its header keeps the rules that its execution does not check: time, randomness,
// coinbase (spec wbft 5.7, 7.1). Its proposer is reported, with the proposal.
func TestInvalidProposalGetsNoVote(t *testing.T) {
	const executed = "state root" // the only one that an execution shows
	for name, f := range map[string]func(*types.Header, *types.WBFTExtra){
		"time of the parent": func(h *types.Header, _ *types.WBFTExtra) { h.Time-- },
		"randomness":         func(_ *types.Header, x *types.WBFTExtra) { x.RandaoReveal[5] ^= 1 },
		executed:             func(h *types.Header, _ *types.WBFTExtra) { h.Root[0] ^= 1 },
		"gas tip":            func(_ *types.Header, x *types.WBFTExtra) { x.GasTip.Add(x.GasTip, common.Big1) },
	} {
		onBenchRow(t, name, 4, func(b *bench) {
			refused, accused := counter("wbft/proposals/refused"), counter("wbft/misbehavior")
			b.start()
			b.deliver(b.prePrepare(b.variant(b.block(0), f), 0))
			b.expect("the bad proposal")
			b.unhalted()
			expect.That(b.t, counter("wbft/proposals/refused") == refused+1 && counter("wbft/misbehavior") == accused+1,
				"the proposal was not refused and reported")
			good := b.block(0)
			b.deliver(b.prePrepare(good, 0))
			if name == executed {
				b.expect("the good one of a proposer on probation")
				b.prepares(good, 0)
				b.expect("the good one that others have prepared", prepare, commit)
				return
			}
			b.expect("the good one of the same proposer", prepare)
		})
	}
}

// The execution of a proposal ends with its round. It accuses no validator, is not made up for, and does not delay the
// proposal of the next round (spec wbft 5.7).
func TestExecutionEndsWithRound(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		canceled, refused := counter("wbft/proposals/canceled"), counter("wbft/proposals/refused")
		accused := counter("wbft/misbehavior")
		ended := 0
		first := b.block(0)
		b.chain.hold = func(ctx context.Context) {
			if len(b.chain.executions()) == 1 {
				<-ctx.Done()
				ended++
			}
		}
		b.start()
		b.deliver(b.prePrepare(first, 0))
		var changes []*messages.SignedRoundChange
		for _, a := range b.others() {
			m := b.roundChange(a, 1, 1)
			b.deliver(m)
			changes = append(changes, &m.SignedRoundChange)
		}
		must.That(b.t, ended == 1 && counter("wbft/proposals/canceled") == canceled+1,
			"%d executions have ended with their round, want 1", ended)
		expect.That(b.t, counter("wbft/proposals/refused") == refused && counter("wbft/misbehavior") == accused,
			"a canceled execution is taken for a verdict")
		b.network.take()
		b.deliver(b.prePrepare(b.block(1), 1, changes...))
		b.expect("the next proposal", prepare)
		expect.Equal(b.t, len(b.chain.executions()), 2, "executions")
	})
}

// A proposal ahead of the clock is voted for when its time has come (spec wbft 5.7 no. 4).
func TestProposalFromTheFuture(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		refused := counter("wbft/proposals/refused")
		b.start()
		block := b.variant(b.block(0), func(h *types.Header, _ *types.WBFTExtra) { h.Time = uint64(time.Now().Unix()) + 1 })
		b.deliver(b.prePrepare(block, 0))
		b.expect("too early")
		time.Sleep(time.Second)
		b.wait()
		b.expect("in time", prepare)
		expect.Equal(b.t, counter("wbft/proposals/refused"), refused, "counted as refused")
	})
}

// A check that fails for a reason that lies in this node is no evidence against the proposer, and is made again: a disk
// that cannot be read for a moment, a chain whose head moves (spec wbft 5.7).
func TestLocalErrorsAccuseNobody(t *testing.T) {
	for name, local := range map[string]error{
		"database":   fmt.Errorf("%w: %w", gethcore.ErrUnexamined, errDisk),
		"head moves": gethcore.ErrStaleProposal,
		"canceled":   context.Canceled,
	} {
		onBenchRow(t, name, 4, func(b *bench) {
			refused, accused := counter("wbft/proposals/refused"), counter("wbft/misbehavior")
			fails := 1
			b.chain.execute = func(*types.Block) error {
				if fails--; fails >= 0 {
					return local
				}
				return nil
			}
			b.start()
			block := b.block(0)
			b.deliver(b.prePrepare(block, 0))
			b.expect("while it fails")
			expect.That(b.t, counter("wbft/proposals/refused") == refused && counter("wbft/misbehavior") == accused,
				"the proposer is accused")
			time.Sleep(time.Second + 10*time.Millisecond)
			b.wait()
			b.expect("the second try", prepare)
			expect.Equal(b.t, len(b.chain.executions()), 2, "executions")
		})
	}
}

// A quorum has decided a block, and another one is final here: the network has decided twice, and this validator stops
// (spec wbft 7.5). Its own block stays.
func TestConflictingDecision(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		before := metrics.Get("gwon/safety/violations").(*metrics.Gauge).Snapshot().Value()
		b.start()
		block := b.block(0)
		other := b.net.Seal(b.t, b.chain.BlockChain, b.rival(block), 0)
		b.chain.commit = func(*types.Block) error {
			_, err := b.chain.InsertChain(types.Blocks{other})
			return err
		}
		b.deliver(b.prePrepare(block, 0))
		b.prepares(block, 0)
		b.commits(block, 0)
		reason := b.driver.Halted()
		for _, want := range []string{"safety violation", block.Hash().String(), other.Hash().String()} {
			expect.Contains(b.t, reason, want, "halted")
		}
		after := metrics.Get("gwon/safety/violations").(*metrics.Gauge).Snapshot().Value()
		expect.That(b.t, after == before+1, "%d violations counted, want one", after-before)
		expect.That(b.t, b.chain.CurrentBlock().Hash() == other.Hash() && len(b.network.announced) == 0,
			"the block here was replaced, or the other one announced")
	})
}

// The same decision that came as a block first is nothing to stop for, and neither is a chain that is being closed.
func TestDecisionThatCannotBeWritten(t *testing.T) {
	for name, c := range map[string]struct {
		commit func(b *bench, sealed *types.Block) error
		halts  string
		head   uint64
	}{
		"imported first": {func(b *bench, sealed *types.Block) error {
			_, err := b.chain.InsertChain(types.Blocks{sealed})
			return err
		}, "", 1},
		"imported, and a child": {func(b *bench, sealed *types.Block) error {
			_, err := b.chain.InsertChain(types.Blocks{sealed})
			b.net.Extend(b.t, b.chain.BlockChain, 1)
			return err
		}, "", 2},
		"chain closed":       {func(*bench, *types.Block) error { return gethcore.ErrChainStopped }, "", 0},
		"disk":               {func(*bench, *types.Block) error { return errDisk }, "cannot be written", 0},
		"chain was set back": {func(*bench, *types.Block) error { return gethcore.ErrStaleProposal }, "", 0},
		"written, not synced": {
			func(*bench, *types.Block) error { return fmt.Errorf("is the head, but: %w", errDisk) },
			"cannot be written", 0,
		},
	} {
		onBenchRow(t, name, 4, func(b *bench) {
			b.chain.commit = func(sealed *types.Block) error { return c.commit(b, sealed) }
			b.start()
			block := b.block(0)
			b.deliver(b.prePrepare(block, 0))
			b.prepares(block, 0)
			b.commits(block, 0)
			b.head(c.head)
			if reason := b.driver.Halted(); (reason != "") != (c.halts != "") || !strings.Contains(reason, c.halts) {
				b.t.Errorf("halted %q, want %q", reason, c.halts)
			}
			if c.halts == "" && c.head > 0 && b.driver.Status().Sequence != c.head+1 {
				b.t.Errorf("sequence %d on head %d", b.driver.Status().Sequence, c.head)
			}
		})
	}
}

// A decided block of doubtful size is not written: validators with the bound decide another one. Its sealed child, or
// that other block, ends the doubt, and the votes of the sequence bind no validator any longer.
// spec: wbft 7.3
func TestDecisionOfDoubtfulSize(t *testing.T) {
	for _, followed := range []bool{true, false} {
		onBenchRow(t, fmt.Sprintf("followed %t", followed), 4, func(b *bench) {
			b.net.Endow()
			b.newChain()
			b.start()
			rival := b.net.Seal(b.t, b.chain.BlockChain, b.block(2), 2)
			block := b.net.Sized(b.t, b.chain.BlockChain, 0, rules.MaxBlock+1)
			proposal := b.variant(block, func(_ *types.Header, x *types.WBFTExtra) {
				x.Round, x.PreparedSeal, x.CommittedSeal = 0, nil, nil
			})
			b.deliver(b.prePrepare(proposal, 0))
			b.expect("the new proposal")
			var changes []*messages.SignedRoundChange
			again := b.prePrepare(proposal, 1)
			for _, a := range b.others() {
				change := &messages.RoundChange{SignedRoundChange: messages.SignedRoundChange{
					Sequence: 1, Round: 1, Prepared: &messages.PreparedClaim{Digest: block.Hash()},
				}}
				b.sign(a, change)
				changes = append(changes, &change.SignedRoundChange)
				again.Prepares = append(again.Prepares, b.prepare(a, proposal, 0))
			}
			again.RoundChanges = changes
			b.deliver(again)
			b.expect("the one that others have prepared", roundChange, prepare)
			b.prepares(proposal, 1)
			b.commits(proposal, 1)
			b.head(0)
			if reason := b.driver.Halted(); reason != "" || len(b.network.announced) != 0 {
				b.t.Fatalf("halted %q, announced %d blocks", reason, len(b.network.announced))
			}
			next := rival
			if followed {
				b.engine.Follow(types.Blocks{block})
				next = block
			}
			must.Do(b.t, expect.Err(b.chain.InsertChain(types.Blocks{next})))
			b.wait()
			b.head(1)
			s := b.driver.Status()
			expect.That(b.t, s.Sequence == 2 && b.driver.Halted() == "", "sequence %d, halted %q", s.Sequence, b.driver.Halted())
		})
	}
}

// The next sequence begins when the block before is on disk, decided here or imported: votes for the next block are
// durable, and would otherwise outlive its parent (spec wbft 5.10).
func TestNextSequenceWaitsForTheDisk(t *testing.T) {
	for _, imported := range []bool{true, false} {
		onBenchRow(t, fmt.Sprintf("imported %t", imported), 4, func(b *bench) {
			b.start()
			gate := make(chan struct{})
			block := b.block(0)
			if imported {
				b.chain.sync = func(uint64) error { <-gate; return nil }
				must.Do(b.t, expect.Err(b.chain.InsertChain(types.Blocks{b.net.Seal(b.t, b.chain.BlockChain, block, 0)})))
			} else {
				b.chain.written = func(*types.Block) { <-gate }
				b.deliver(b.prePrepare(block, 0))
				b.prepares(block, 0)
				b.commits(block, 0)
			}
			b.wait()
			b.head(1)
			b.network.take()
			next := b.block(0)
			b.deliver(b.prePrepare(next, 0))
			b.expect("before block 1 is on disk")
			expect.Equal(b.t, b.driver.Status().Sequence, 1, "sequence")
			close(gate)
			b.wait()
			expect.That(b.t, b.expect("afterwards", prepare)[0].block() == next.Hash(), "the PREPARE is for another block")
			if !imported && len(b.chain.synced) != 1 {
				b.t.Errorf("synced at %v, want once: committing has synced the block", b.chain.synced)
			}
		})
	}
}

// A block that comes while an earlier one is on its way to the disk needs a sync of its own.
func TestSyncCoversTheHead(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		gates := make(chan chan struct{})
		b.chain.sync = func(uint64) error {
			gate := make(chan struct{})
			gates <- gate
			<-gate
			return nil
		}
		b.net.Extend(b.t, b.chain.BlockChain, 1)
		first := <-gates
		b.net.Extend(b.t, b.chain.BlockChain, 1)
		b.wait()
		close(first)
		second := <-gates
		b.wait()
		expect.That(b.t, b.driver.Status().Sequence != 3, "the second block counts as synced by a sync that began before it")
		close(second)
		b.wait()
		expect.Equal(b.t, b.driver.Status().Sequence, 3, "sequence")
	})
}

// A validator whose chain cannot be synced does not vote on top of it.
func TestChainThatCannotBeSynced(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		b.chain.sync = func(uint64) error { return errDisk }
		b.net.Extend(b.t, b.chain.BlockChain, 1)
		b.wait()
		expect.Contains(b.t, b.driver.Halted(), errDisk.Error(), "halted")
		b.driver.Stop()
		expect.Error(b.t, b.tryStart(), errDisk, "starts on a chain that cannot be synced")
		b.chain.sync = nil
		b.start() // the failed start has let go of the log
		b.unhalted()
	})
}

// Power is lost with votes of the next sequence on disk and the block before not: the chain begins again below the log.
// The validator goes on there under its own records, locked as it was, and in the next sequence too (spec wbft 9.1 no.
// 3).
func TestLogAheadOfTheChain(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		first := b.block(0)
		b.deliver(b.prePrepare(first, 0))
		b.prepares(first, 0)
		b.commits(first, 0)
		second := b.block(0)
		b.deliver(b.prePrepare(second, 0))
		b.prepares(second, 0)
		b.expect("both sequences", prepare, commit, prepare, commit)
		b.head(1)
		b.driver.Stop()

		b.newChain() // at genesis
		b.start()
		b.unhalted()
		said := make(map[uint64]bool)
		for _, s := range b.network.take() {
			if said[s.Code()] = true; s.View().Sequence != 1 || s.block() != first.Hash() {
				b.t.Errorf("says %x for block %v in %v", s.Code(), s.block(), s.View())
			}
		}
		expect.That(b.t, said[prepare] && said[commit], "said again: %v, want PREPARE and COMMIT", said)
		b.deliver(b.prePrepare(b.rival(first), 0))
		b.expect("a rival in the sequence that was lost")
		// The others have lost the block as well; together they decide it again.
		b.deliver(b.prePrepare(first, 0))
		b.prepares(first, 0)
		b.commits(first, 0)
		b.head(1)
		b.unhalted()
		// And in the next sequence the lock is still there.
		b.network.take()
		for _, a := range b.others()[:2] {
			b.deliver(b.roundChange(a, 2, 1))
		}
		claims := 0
		for _, s := range b.network.take() {
			if m, ok := s.Message.(*messages.RoundChange); ok && m.Prepared != nil && m.Prepared.Digest == second.Hash() {
				claims++
			}
		}
		expect.That(b.t, claims != 0, "the lock of the next sequence is gone")
		b.unhalted()
	})
}

// A paused driver loses nothing: messages, verdicts and timers that come meanwhile are looked at afterwards, and
// nothing is executed twice.
func TestPauseLosesNothing(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		gate := make(chan struct{})
		b.chain.execute = func(*types.Block) error { <-gate; return nil }
		b.start()
		block := b.block(0)
		b.deliver(b.prePrepare(block, 0))
		b.driver.Pause(true)
		b.driver.Pause(true)
		close(gate)
		b.prepares(block, 0)
		b.commits(block, 0)
		b.expect("while paused")
		expect.Equal(b.t, len(b.network.forgotten), 0, "messages were dropped")
		b.driver.Pause(false)
		b.wait()
		b.expect("afterwards", prepare, commit)
		b.head(1)
		expect.Equal(b.t, len(b.chain.executions()), 1, "executions")
		// What was executed before a pause is still there after it.
		next := b.block(0)
		b.deliver(b.prePrepare(next, 0))
		b.driver.Pause(true)
		b.driver.Pause(false)
		b.prepares(next, 0)
		b.commits(next, 0)
		b.head(2)
		expect.Equal(b.t, len(b.chain.executions()), 2, "executions of two blocks")
		b.network.take()
		// The round's end passes while paused; the validator asks for the next round afterwards, at once.
		b.driver.Pause(true)
		time.Sleep(time.Hour)
		b.wait()
		b.expect("an hour later")
		b.driver.Pause(false)
		b.wait()
		b.expect("afterwards", roundChange)
		// Blocks are imported while paused; it goes on at the new head.
		b.driver.Pause(true)
		b.extendByOthers(2)
		s := b.driver.Status()
		expect.That(b.t, s.Sequence == 3, "in sequence %d while paused", s.Sequence)
		b.driver.Pause(false)
		b.wait()
		if s, next := b.driver.Status(), b.chain.CurrentBlock().Number.Uint64()+1; s.Sequence != next || next < 5 {
			b.t.Errorf("in sequence %d, want %d", s.Sequence, next)
		}
		// Nothing is executed while paused.
		b.driver.Pause(true)
		runs := len(b.chain.executions())
		b.network.take()
		b.deliver(b.prePrepare(b.block(0), 0))
		expect.Equal(b.t, len(b.chain.executions()), runs, "a proposal was executed while paused")
		b.driver.Pause(false)
		b.wait()
		b.expect("a proposal that came while paused", prepare)
		b.unhalted()
		b.driver.Stop()
		b.driver.Pause(true) // a stopped one has nothing to pause
	})
}

// Messages that are evicted from the inbox of a paused driver are forgotten, so that their repetition is welcome.
func TestEvictedMessagesAreForgotten(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		b.driver.Pause(true)
		from := b.others()[0]
		for i := range 600 {
			must.That(b.t, b.driver.Deliver(prepare, []byte{byte(i >> 8), byte(i)}, from), "message %d is not welcome", i)
		}
		if n := len(b.network.forgotten); n != 600-512 || b.network.forgotten[0][1] != 0 {
			b.t.Errorf("%d messages forgotten, want the oldest %d", n, 600-512)
		}
		expect.That(b.t, !b.driver.Deliver(prepare, make([]byte, 12<<20), from),
			"a message larger than any may be is welcome")
		b.driver.Pause(false)
		b.wait()
		n := len(b.network.forgotten)
		expect.That(b.t, n == 600, "%d messages forgotten, want all: they are no messages", n)
	})
}

// A message that this key has signed elsewhere mutes the validator: it follows, signs nothing more, and says so every
// minute. It is not halted (spec wbft 9.1 no. 3).
func TestKeyInUseElsewhere(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.completeLog()
		b.start()
		block := b.block(0)
		b.deliver(b.prePrepare(block, 0))
		b.expect("the proposal", prepare)
		// What the key has signed for another network says nothing about this one.
		foreign := b.prepare(b.self, b.rival(block), 0)
		b.driver.Deliver(foreign.Code(), foreign.Encode(), b.others()[0])
		b.wait()
		must.Equal(b.t, b.driver.Muted(), "", "muted by a vote for an unknown block")
		m := &messages.PrePrepare{Sequence: 1, Block: b.rival(block)}
		b.sign(b.self, m)
		must.That(b.t, b.driver.Deliver(m.Code(), m.Encode(), b.others()[0]), "not welcome")
		b.wait()
		must.That(b.t, b.driver.Muted() != "" && metrics.Get("wbft/muted").(*metrics.Gauge).Snapshot().Value() == 1,
			"not muted")
		lines := logged(b.t, func() {
			time.Sleep(150 * time.Second)
			b.wait()
		})
		n := strings.Count(lines, wbft.MutedMessage)
		expect.That(b.t, n == 2, "said %d times in 150 s, want 2", n)
		b.prepares(block, 0)
		b.expect("signed after that")
		// The others decide without it, and it follows.
		b.net.Extend(b.t, b.chain.BlockChain, 1)
		b.wait()
		expect.Equal(b.t, b.driver.Status().Sequence, 2, "sequence")
		b.deliver(b.prePrepare(b.block(0), 0))
		b.expect("in the next sequence")
		b.unhalted()
		// It holds until the process ends.
		b.driver.Stop()
		err := b.driver.Start()
		expect.That(b.t, err != nil && !b.driver.Running(), "started again although muted: %v", err)
	})
}

// The log of another validator in the directory keeps the driver from starting.
func TestForeignVoteLog(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		b.driver.Stop()
		self := b.self
		b.self = b.others()[0]
		if err := b.tryStart(); !errors.Is(err, votelog.ErrForeign) || b.driver.Running() {
			b.t.Errorf("start: %v, running %t", err, b.driver.Running())
		}
		b.self = self
		b.start()
		b.unhalted()
	})
}

// A validator runs from its start to its stop, unless it halts or its chain is closed before.
func TestRunning(t *testing.T) {
	for name, end := range map[string]func(*bench){
		"stopped":      func(b *bench) { b.driver.Stop() },
		"halted":       func(b *bench) { b.driver.Halt("test") },
		"chain closed": func(b *bench) { b.chain.Stop() },
	} {
		onBenchRow(t, name, 4, func(b *bench) {
			b.start()
			expect.That(b.t, b.driver.Running(), "does not run after its start")
			lines := logged(b.t, func() {
				end(b)
				b.wait()
			})
			expect.That(b.t, !b.driver.Running(), "runs on")
			expect.Equal(b.t, strings.Contains(lines, "the chain is closed"), name == "chain closed", "end of the chain logged")
		})
	}
}

// A peer that is newly connected is told what this validator has to say in the view.
func TestPeerConnected(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		b.deliver(b.prePrepare(b.block(0), 0))
		b.network.take()
		peer := b.others()[1]
		b.driver.PeerConnected(peer)
		b.wait()
		s := b.expect("the new peer", prepare)
		expect.That(b.t, slices.Equal(s[0].to, []common.Address{peer}) && s[0].force, "sent to %v", s[0].to)
	})
}

// A proposer whose connection ends in its turn is not waited for until the end of the round.
func TestPeerLost(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		proposer := b.set().Proposer(0, b.lastProposer(), 0)
		b.driver.PeerLost(proposer)
		b.wait()
		b.network.take()
		time.Sleep(1500 * time.Millisecond) // the round alone takes two seconds
		b.wait()
		b.expect("the turn is given up", roundChange)
	})
}

// A decision for a block whose execution was let go, because many rounds with other blocks came after it, is carried
// out all the same: the block is executed again (spec wbft 5.4: COMMITs of rounds that were left).
func TestDecisionOfARoundLongLeft(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		first := b.block(0)
		b.deliver(b.prePrepare(first, 0))
		for round := uint64(1); round <= 9; round++ {
			var changes []*messages.SignedRoundChange
			for _, a := range b.others() {
				m := b.roundChange(a, 1, round)
				changes = append(changes, &m.SignedRoundChange)
				b.deliver(m)
			}
			must.Equal(b.t, b.driver.Status().Round, round, "round")
			if b.set().Proposer(0, b.lastProposer(), round) == b.self {
				continue
			}
			b.deliver(b.prePrepare(b.block(round), round, changes...))
		}
		var others []common.Hash
		for _, hash := range b.chain.executions() {
			if hash != first.Hash() && !slices.Contains(others, hash) {
				others = append(others, hash)
			}
		}
		b.driver.LetGo(first.Hash())
		b.prepares(first, 0)
		b.commits(first, 0)
		b.head(1)
		b.unhalted()
		expect.That(b.t, len(others) != 0 && b.chain.CurrentBlock().Hash() == first.Hash() && len(b.network.announced) == 1,
			"%d other blocks, head %v, %d announced", len(others), b.chain.CurrentBlock().Hash(), len(b.network.announced))
		if n := len(slices.DeleteFunc(b.chain.executions(), func(h common.Hash) bool { return h != first.Hash() })); n != 2 {
			b.t.Errorf("the block was executed %d times, want 2", n)
		}
	})
}

// A peer that delivers what is expensive to examine and wrong in what its author has not signed is counted and named
// (spec wbft 9.3 no. 2).
func TestBadDeliveryIsReported(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		refused, accused := counter("wbft/deliveries/refused"), counter("wbft/misbehavior")
		b.start()
		var changes []*messages.SignedRoundChange
		for _, a := range b.others() {
			m := b.roundChange(a, 1, 1)
			changes = append(changes, &m.SignedRoundChange)
			b.deliver(m)
		}
		lines := logged(b.t, func() { b.deliver(b.prePrepare(b.block(1), 1, changes[:1]...)) })
		if counter("wbft/deliveries/refused") != refused+1 || !strings.Contains(lines, "Useless message refused") {
			b.t.Errorf("not reported: %s", lines)
		}
		expect.Equal(b.t, counter("wbft/misbehavior"), accused, "somebody is accused")
		b.unhalted()
	})
}

// The driver counts the time that messages take against who delivered them.
func TestCostIsCharged(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, engine := net.Chain(t)
	set := must.Get(engine.ValidatorsAfter(chain, chain.CurrentBlock()))(t)
	must.Do(t, engine.Authorize(net.Keys[set.At(3).Address]))
	driver := must.Get(wbft.NewDriver(
		wbft.DriverConfig{
			Engine:     engine,
			Chain:      chain,
			Network:    new(recorder),
			Builder:    noBuilder{},
			VoteLogDir: t.TempDir(),
		},
	))(t)
	must.Do(t, driver.Start())
	defer driver.Stop()
	from := set.At(1).Address
	m := &messages.Prepare{Sequence: 1, Digest: common.Hash{1}, Seal: make([]byte, 96)}
	must.Do(t, messages.Sign(m, net.Keys[from]))
	for deadline := time.Now().Add(time.Minute); driver.Spent(from) == 0; time.Sleep(time.Millisecond) {
		driver.Deliver(m.Code(), m.Encode(), from)
		must.That(t, !time.Now().After(deadline), "nothing is charged")
	}
	expect.Equal(t, driver.Spent(set.At(2).Address), 0, "somebody else is charged")
}

// Messages of this key out of sequences below the vote log's floor come back from somewhere: they are not written down,
// and they halt no validator.
func TestOwnMessageBelowTheLog(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		l, err := votelog.Open(b.dir+"/votes.log", votelog.Owner{Validator: b.self, Genesis: b.chain.Genesis().Hash()})
		must.Do(b.t, err)
		must.Do(b.t, l.Write([]votelog.Record{{Code: prepare, Sequence: 6, Payload: make([]byte, 5)}}, nil))
		l.Prune(7)
		must.Do(b.t, l.Compact()) // rewrites the file, with its floor
		must.Do(b.t, l.Close())
		b.start()
		must.Equal(b.t, b.driver.LogFloor(), 8, "floor")
		block := b.block(0)
		m := b.prepare(b.self, block, 0)
		b.driver.Deliver(m.Code(), m.Encode(), b.others()[0])
		b.deliver(b.prePrepare(block, 0))
		b.wait()
		b.unhalted()
		b.expect("below the floor")
	})
}
