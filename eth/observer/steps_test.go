// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package observer

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
	"gwon/internal/expect"
)

// bench drives Steps through one sequence with a clock of its own.
type bench struct {
	*Steps
	chain *fakeChain
	clock time.Time
}

func newBench(t *testing.T) *bench {
	t.Helper()
	metrics.Enable()
	b := &bench{chain: newFakeChain(4)}
	o := b.chain.observer(t)
	o.families.keep(b.chain.set, 0)
	b.Steps = o.Steps()
	b.now = func() time.Time { return b.clock }
	return b
}

// head feeds the newest block of the chain at a time after its timestamp.
func (b *bench) head(after time.Duration) {
	header := b.chain.CurrentBlock()
	b.clock = time.Unix(int64(header.Time), 0).Add(after)
	b.Observe(core.NewHead{Head: core.Head{
		Header: header, Set: b.chain.set,
		Params: core.Params{BlockPeriod: time.Second, RequestTimeout: 2 * time.Second, Policy: validators.RoundRobin},
	}}, nil)
}

// at moves the clock and feeds effects.
func (b *bench) at(after time.Duration, effects ...core.Effect) {
	b.clock = time.Unix(start, 0).Add(after)
	b.Observe(core.Timeout{}, effects)
}

// total returns the number of values of a timer and their sum.
func total(timer *metrics.Timer) (int64, time.Duration) {
	s := timer.Snapshot()
	return s.Count(), time.Duration(s.Sum())
}

// A vote of round 0 has a delay since its block was due, also one that comes after the next head. Votes of later rounds
// and of older blocks have none. A timer of a view that was left is counted.
func TestDelaysOfVotes(t *testing.T) {
	b := newBench(t)
	first, second := b.chain.set.At(0).Address, b.chain.set.At(1).Address
	relay := func(code, sequence, round uint64, author common.Address) core.Relay {
		return core.Relay{Code: code, View: messages.View{Sequence: sequence, Round: round}, Author: author}
	}
	want := func(name string, author common.Address, delay int64) {
		t.Helper()
		got := metrics.GetOrRegisterGauge(fmt.Sprintf("gwon/validator/%s/delay/%#x", name, author), nil).Snapshot().Value()
		expect.Equal(t, got, delay, "%s of %v ms", name, author)
	}
	b.head(0)
	b.at(1150*time.Millisecond, relay(messages.CodePrepare, 1, 0, first))
	b.at(1250*time.Millisecond, relay(messages.CodeCommit, 1, 0, first), relay(messages.CodePrepare, 1, 1, second))
	want("prepare", first, 150)
	want("commit", first, 250)
	want("prepare", second, 0)
	b.chain.extend(block{})
	b.head(400 * time.Millisecond)
	b.at(1450*time.Millisecond, relay(messages.CodeCommit, 1, 0, second), relay(messages.CodeCommit, 0, 0, first))
	want("commit", second, 450)
	want("commit", first, 250)
	before := staleCounter.Snapshot().Count()
	b.Observe(core.Timeout{}, []core.Effect{core.Dropped{Reason: "stale timer"}})
	b.Observe(core.Message{}, []core.Effect{core.Dropped{Reason: "late"}})
	expect.Equal(t, staleCounter.Snapshot().Count()-before, 1, "stale timers")
}

// The steps of round 0 follow each other: proposal, quorum of PREPAREs, quorum of COMMITs, head. Copies change nothing,
// and steps of later rounds are not measured. spec: wbft 5.7
func TestStepDurations(t *testing.T) {
	b := newBench(t)
	proposer := b.chain.set.At(0).Address // of the child of genesis
	proposal := types.NewBlockWithHeader(&types.Header{Number: big.NewInt(1), Coinbase: proposer})
	timers := []*metrics.Timer{proposalTimer, prepareTimer, commitTimer, headTimer}
	counts, sums := make([]int64, len(timers)), make([]time.Duration, len(timers))
	for i, timer := range timers {
		counts[i], sums[i] = total(timer)
	}
	b.head(0)
	b.at(1100*time.Millisecond, core.Execute{Block: proposal}) // 0.1 s after it was due
	b.head(0)                                                  // the same head again
	b.at(1200*time.Millisecond, core.Execute{Block: proposal}) // a copy
	b.at(1200*time.Millisecond, core.PersistLock{Sequence: 1, Round: 1})
	b.at(1300*time.Millisecond, core.PersistLock{Sequence: 1})
	b.at(1350*time.Millisecond, core.Commit{Block: proposal})
	b.chain.extend(block{})
	b.head(400 * time.Millisecond)
	for i, want := range []time.Duration{100, 200, 50, 50} {
		if count, sum := total(timers[i]); count != counts[i]+1 || sum-sums[i] != want*time.Millisecond {
			t.Errorf("step %d: %d values of %v, want one of %d ms", i, count-counts[i], sum-sums[i], want)
		}
	}
}

// A proposal more than half a period after its time is late. One before its time shows that clocks differ, and is the
// delay of its proposer alone.
func TestProposalDelay(t *testing.T) {
	for _, test := range []struct {
		name  string
		after time.Duration
		late  int64
	}{
		{"early", 700 * time.Millisecond, 0},
		{"on time", 1400 * time.Millisecond, 0},
		{"late", 1600 * time.Millisecond, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t)
			before := lateCounter.Snapshot().Count()
			b.head(0)
			b.at(test.after, core.Execute{Block: types.NewBlockWithHeader(
				&types.Header{Number: big.NewInt(1), Coinbase: b.chain.set.At(1).Address})}) // of round 1
			b.at(test.after, core.Execute{Block: types.NewBlockWithHeader(
				&types.Header{Number: big.NewInt(1), Coinbase: b.chain.set.At(0).Address})})
			expect.Equal(t, lateCounter.Snapshot().Count()-before, test.late, "late proposals")
			want := float64((test.after - time.Second).Milliseconds())
			expect.Equal(t, value(t, "gwon/validator/proposal/delay", 0), want, "delay in ms")
			got := value(t, "gwon/validator/proposal/delay", 1)
			expect.That(t, got == 0, "delay of %v ms for a validator that has not proposed in round 0", got)
		})
	}
}
