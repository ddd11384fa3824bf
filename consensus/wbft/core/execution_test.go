// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
	"gwon/internal/must"
)

var errWrongRoot = errors.New("wrong state root")

// refuse answers the last Execute with a fault that only the execution has shown.
func (p *player) refuse(block *types.Block) *player {
	return p.do(Validated{Hash: block.Hash(), Err: errWrongRoot, Executed: true})
}

// executed returns the blocks of the effects that are to be executed.
func (p *player) executed() []string { return slices.DeleteFunc(names(p.effects), isNoExecution) }

func isNoExecution(name string) bool { return name != "Execute" && name != "Cancel" }

func (p *player) wantExecutions(want ...string) {
	p.f.t.Helper()
	expect.Slice(p.f.t, p.executed(), want, "executions; effects %v", names(p.effects))
}

// withPeriod makes blocks due a second after the head, as on a network.
func (f *fixture) withPeriod() *fixture {
	f.head.Params.BlockPeriod = time.Second
	f.head.Header.Time = uint64(origin.Unix())
	return f
}

// The execution of a proposal ends when its round is left. That is no verdict and accuses no validator.
// spec: wbft 5.7
func TestExecutionEndsWithRound(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	p := f.player(2).deliver(f.proposal(0, 0, block))
	p.wantExecutions("Execute")
	p.toRound(1)
	p.wantExecutions("Cancel")
	expect.That(t, only[Cancel](p.effects)[0].Hash == block.Hash(), "another block was canceled")
	p.refuse(block).wantDropped("verdict of a canceled execution")
	if faults := only[Misbehavior](p.effects); len(faults) > 0 || len(p.presence.refused) > 0 {
		t.Errorf("a canceled execution accuses: %+v, %v", faults, p.presence.refused)
	}
	p.toRound(2)
	p.wantExecutions()
}

// The execution of a prepared block continues in later rounds, since the block may be decided. A canceled one begins
// again once the block is prepared.
// spec: wbft 5.4
func TestExecutionOfPreparedBlockContinues(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	t.Run("before the round ends", func(t *testing.T) {
		p := f.player(2).deliver(f.proposal(0, 0, block))
		p.deliver(f.prepare(0, 0, block), f.prepare(1, 0, block), f.prepare(3, 0, block)).toRound(1)
		p.wantExecutions()
		p.deliver(f.commit(0, 0, block), f.commit(1, 0, block), f.commit(3, 0, block))
		p.validate(block).wantState(Committed, 1)
	})
	t.Run("after the round has ended", func(t *testing.T) {
		p := f.player(2).deliver(f.proposal(0, 0, block)).toRound(1)
		p.deliver(f.prepare(0, 0, block), f.prepare(1, 0, block))
		p.wantExecutions()
		p.deliver(f.commit(3, 0, block)) // who sends COMMIT has seen the quorum
		p.wantExecutions("Execute")
		p.deliver(f.prepare(3, 0, block), f.commit(0, 0, block), f.commit(1, 0, block))
		p.validate(block).wantState(Committed, 1)
	})
	t.Run("in a justified proposal", func(t *testing.T) {
		p := f.player(2).deliver(f.proposal(0, 0, block)).toRound(1)
		cert := f.certificate(0, block, 0, 1, 3)
		m := &messages.PrePrepare{Sequence: 1, Round: 1, Block: block, Prepares: cert.prepares,
			RoundChanges: f.changes(1, cert, 0, 1, 3)}
		p.deliver(f.signed(1, m)).wantEffects("SetTimer", "Execute")
		p.toRound(2)
		p.wantExecutions()
		p.validate(block)
		expect.That(t, len(only[Persist](p.effects)) == 0, "a PREPARE for a round that was left")
	})
}

// probationer returns validator 2 of n after it has refused a proposal of validator 0, and the head that follows.
func (f *fixture) probationer() *player {
	f.t.Helper()
	wrong := f.block("wrong")
	p := f.player(2).deliver(f.proposal(0, 0, wrong)).refuse(wrong)
	marks := only[Probation](p.effects)
	must.That(f.t, len(marks) == 1 && marks[0] == (Probation{Validator: f.address(0), Until: 1 + probation}),
		"probation %+v", marks)
	p.effects = nil
	return p
}

// after gives a player the head that makes validator 0 the proposer of round 0, in the sequence of the number.
func (p *player) after(sequence uint64) {
	head := p.f.child(p.f.head.Header, "head").Header()
	head.Number.SetUint64(sequence - 1)
	head.Coinbase = p.f.address(p.f.set.Len() - 1)
	head.Time = uint64(p.clock.Unix())
	head.Extra = p.f.sealed(types.NewBlockWithHeader(head), 0, p.f.indices(p.f.set.Len())...).Extra
	p.f.head.Header = head
	p.do(NewHead{p.f.head})
}

// A proposal of a validator whose proposal was refused by its execution is executed once F+1 others have prepared it.
// Its turn has the shortened timeout, which the proposal itself does not end.
// spec: wbft 5.7
func TestProbation(t *testing.T) {
	for _, n := range []int{4, 7} {
		f := newFixture(t, n).withPeriod()
		p := f.probationer()
		p.after(2)
		block := f.block("a")
		deadline := p.timing.timers[RoundTimer].deadline
		must.That(t, p.timing.shortened && deadline.Sub(p.clock) <= 2*time.Second,
			"n=%d: the timeout is %v", n, deadline.Sub(p.clock))
		p.deliver(f.proposal(0, 0, block))
		p.wantExecutions()
		expect.That(t, p.timing.timers[RoundTimer].deadline == deadline && p.timing.shortened,
			"n=%d: the proposal has restored the timeout", n)
		need := f.set.JoinCount()
		others := slices.DeleteFunc(f.indices(n), func(i int) bool { return i == 2 })
		for _, i := range others[:need-1] {
			p.deliver(f.prepare(i, 0, block))
			p.wantExecutions()
		}
		p.deliver(f.prepare(others[need-1], 0, block))
		p.wantExecutions("Execute")
		expect.That(t, p.timing.timers[RoundTimer].deadline.After(deadline), "n=%d: no time to execute the block", n)
		p.validate(block)
		expect.That(t, p.state >= PrePrepared && p.round == 0, "n=%d: no vote in round %d, state %v", n, p.round, p.state)
	}
}

// Votes for another block do not count, and neither does a vote that is repeated.
func TestProbationCountsVotesForTheBlock(t *testing.T) {
	f := newFixture(t, 4).withPeriod()
	p := f.probationer()
	p.after(2)
	block, other := f.block("a"), f.block("b")
	p.deliver(f.proposal(0, 0, block), f.prepare(0, 0, block), f.prepare(0, 0, block), f.prepare(1, 0, other))
	p.wantExecutions()
	p.deliver(f.commit(3, 0, block))
	p.wantExecutions("Execute")
}

// A prepared block that a validator on probation repeats is executed at once.
// spec: wbft 5.9
func TestProbationOfRepeatedBlock(t *testing.T) {
	f := newFixture(t, 4).withPeriod()
	p := f.probationer()
	p.after(2)
	block := f.block("a")
	p.toRound(4) // of validator 0
	cert := f.certificate(1, block, 0, 1, 3)
	m := &messages.PrePrepare{Sequence: 2, Round: 4, Block: block, Prepares: cert.prepares,
		RoundChanges: f.changes(4, cert, 0, 1, 3)}
	p.deliver(f.signed(0, m))
	p.wantExecutions("Execute")
	p.refuse(block)
	marks := only[Probation](p.effects)
	expect.That(t, len(marks) == 0, "the proposer did not make this block: %+v", marks)
}

// Probation ends after 100 blocks, and a restart forgets it.
func TestProbationEnds(t *testing.T) {
	f := newFixture(t, 4).withPeriod()
	p := f.probationer()
	for _, c := range []struct {
		sequence uint64
		on       bool
	}{{probation, true}, {probation + 1, false}} {
		p.after(c.sequence)
		expect.Equal(t, p.presence.isOnProbation(f.address(0)), c.on, "in sequence %d on probation", c.sequence)
		expect.Equal(t, len(p.Status().Probation) == 1, c.on, "in sequence %d listed", c.sequence)
	}
}

// With more validators on probation than can be faulty, this node is the one that is wrong: it executes at once, as
// before. Otherwise nodes that refuse proposals of all would wait for each other for good.
func TestProbationOfTooMany(t *testing.T) {
	f := newFixture(t, 4).withPeriod()
	p := f.probationer()
	p.toRound(1)
	wrong := f.block("wrong too")
	p.deliver(f.proposal(1, 1, wrong))
	p.refuse(wrong)
	p.after(2)
	p.deliver(f.proposal(0, 0, f.block("a")))
	p.wantExecutions("Execute")
	list := p.Status().Probation
	expect.That(t, len(list) == 0, "on probation: %v", list)
}

// A header that is wrong without an execution costs nothing and puts nobody on probation, and neither does a local
// failure, nor the own proposal.
func TestNoProbation(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	for name, v := range map[string]Validated{
		"header":  {Err: errWrongRoot},
		"local":   {Err: errWrongRoot, Local: true, Executed: true},
		"expired": {Err: errWrongRoot, RetryAfter: time.Second, Executed: true},
	} {
		v.Hash = block.Hash()
		p := f.player(2).deliver(f.proposal(0, 0, block)).do(v)
		expect.That(t, len(p.presence.refused) == 0, "%s: on probation", name)
	}
	p := f.player(0).do(Candidate{Block: block}).refuse(block)
	expect.That(t, len(p.presence.refused) == 0, "this node is on probation with itself")
}

// A block that was refused is refused again without an execution.
func TestRefusedBlockIsNotExecutedAgain(t *testing.T) {
	f := newFixture(t, 4)
	wrong := f.block("wrong")
	p := f.player(3).deliver(f.proposal(0, 0, wrong)).refuse(wrong).toRound(1)
	p.deliver(f.proposal(1, 1, wrong))
	p.wantExecutions()
	p.wantFault(InvalidProposal, 1)
}

// The next proposer prepares its block early when the proposers before it are on probation.
func TestCandidateBehindProbation(t *testing.T) {
	f := newFixture(t, 4).withPeriod()
	wrong := f.block("wrong")
	p := f.player(1).deliver(f.proposal(0, 0, wrong)).refuse(wrong)
	p.after(2)
	builds := only[Build](p.effects)
	expect.That(t, len(builds) == 1 && builds[0].Proposer, "builds %+v", builds)
}

// A decision and a new head end all executions.
func TestExecutionEndsWithSequence(t *testing.T) {
	f := newFixture(t, 4)
	a, b := f.block("a"), f.block("b")
	p := f.player(2).toState(PrePrepared, a).toRound(1).deliver(f.proposal(1, 1, b))
	p.wantExecutions("Execute")
	for _, i := range []int{0, 1, 3} {
		p.deliver(f.prepare(i, 0, a), f.commit(i, 0, a))
	}
	p.wantState(Committed, 1)
	p.deliver()
	expect.That(t, p.verdicts[b.Hash()] != executing, "an execution outlives the decision")
	p = f.player(2).deliver(f.proposal(0, 0, a))
	p.do(NewHead{Head{Header: f.sealed(b, 0, 0, 1, 3), Set: f.set, Params: f.head.Params}})
	p.wantExecutions("Cancel")
}
