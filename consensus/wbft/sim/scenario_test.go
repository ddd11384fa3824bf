// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"testing"
	"time"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
)

// onlyOneDecides runs a network of four until validator `lucky` has decided block 1 in round 0 and nobody else has, and
// then cuts it off. The proposer of round r is validator r.
func onlyOneDecides(t *testing.T, cfg Config, lucky int) *Network {
	t.Helper()
	cfg.Nodes, cfg.BlockDrop = 4, 1
	n := New(cfg)
	n.Intercept = func(_, to int, code uint64, _ []byte) bool { return code != messages.CodeCommit || to == lucky }
	err := n.RunUntil(10*time.Second, "one decision", func() bool { return n.Node(lucky).Height() == 1 })
	if err != nil {
		t.Fatal(err)
	}
	if n.MinHeight() != 0 {
		t.Fatal("more than one validator has decided")
	}
	var rest []int
	for i := range 4 {
		if i != lucky {
			rest = append(rest, i)
		}
	}
	n.Partition(rest, []int{lucky})
	n.Intercept = nil
	return n
}

// wantSameBlock fails the test if a node has another block at a height than the decided one.
func wantSameBlock(t *testing.T, n *Network, height uint64) {
	t.Helper()
	for i := range len(n.nodes) {
		if n.Node(i).Height() >= height && n.Node(i).Block(height).Hash() != n.decided[height] {
			t.Errorf("node %d has another block %d", i, height)
		}
	}
}

// TestPreparedBlockIsProposedAgain: what a quorum prepared in round 0, and one validator decided, is what the others
// decide in round 1 (spec wbft 5.7, ROUND-CHANGE; 5.9 no. 4).
func TestPreparedBlockIsProposedAgain(t *testing.T) {
	n := onlyOneDecides(t, Config{Seed: 1}, 3)
	if err := n.RunUntil(20*time.Second, "decision of the others", func() bool {
		return n.Node(0).Height() >= 1 && n.Node(1).Height() >= 1 && n.Node(2).Height() >= 1
	}); err != nil {
		t.Fatal(err)
	}
	x, err := n.Node(0).Block(1).Header().WBFTExtra()
	if err != nil {
		t.Fatal(err)
	}
	if x.Round == 0 || n.Node(0).Block(1).Coinbase() != n.Node(0).Address() {
		t.Errorf("block 1 was sealed in round %d, coinbase %v", x.Round, n.Node(0).Block(1).Coinbase())
	}
	wantSameBlock(t, n, 1)
	n.Heal()
	reach(t, n, 4, time.Minute)
}

// TestForgedJustification: the proposer of round 1 may not replace the decided block by one of its own, whatever it
// makes up for a justification (spec wbft 9.1 nos. 1 and 2).
func TestForgedJustification(t *testing.T) {
	for seed := range int64(3) {
		n := onlyOneDecides(t, Config{Seed: seed}, 3)
		n.Node(1).Behaviour = Forger{}
		if err := n.Run(20 * time.Second); err != nil {
			t.Fatal(err)
		}
		wantSameBlock(t, n, 1)
		n.Heal()
		reach(t, n, n.MaxHeight()+2, time.Minute)
	}
}

// TestLockSurvivesPowerLoss: all validators that had not decided lose power at once. Their logs bring the lock back, and
// with it the block that somebody else has decided (spec wbft 9.1 no. 3).
func TestLockSurvivesPowerLoss(t *testing.T) {
	n := onlyOneDecides(t, Config{Seed: 5}, 2)
	for _, i := range []int{0, 1, 3} {
		n.Node(i).Crash()
	}
	run(t, n, 3*time.Second)
	for _, i := range []int{0, 1, 3} {
		n.Node(i).Restart()
	}
	if err := n.RunUntil(time.Minute, "decision after the restart", func() bool {
		return n.Node(0).Height() >= 1 && n.Node(1).Height() >= 1 && n.Node(3).Height() >= 1
	}); err != nil {
		t.Fatal(err)
	}
	wantSameBlock(t, n, 1)
}

// TestCommitSeenLate: COMMITs that arrive when the round has been left still decide (spec wbft 5.4, last paragraph, is
// where the reference drops them).
func TestCommitSeenLate(t *testing.T) {
	n := New(Config{Seed: 1, Nodes: 4, BlockDrop: 1})
	var held []func()
	n.Intercept = func(from, to int, code uint64, payload []byte) bool {
		switch code {
		case messages.CodeCommit:
			m, err := messages.Decode(code, payload)
			if err != nil || m.View().Sequence != 1 {
				return true
			}
			if to == 0 && m.View().Round == 0 {
				held = append(held, func() { n.Node(0).receive(n.Node(from), code, payload) })
			}
			return false
		case messages.CodePrePrepare:
			m, err := messages.Decode(code, payload)
			return err != nil || m.View().Round == 0 // later rounds get nowhere
		}
		return true
	}
	run(t, n, 4*time.Second)
	if s := n.Node(0).Status(); n.Node(0).Height() != 0 || s.Round == 0 {
		t.Fatalf("height %d, round %d; want a later round of sequence 1", n.Node(0).Height(), s.Round)
	}
	for _, deliver := range held {
		deliver()
	}
	if n.Node(0).Height() != 1 {
		t.Fatalf("node 0 has %d COMMITs of round 0 and has not decided", len(held))
	}
	x, err := n.Node(0).Block(1).Header().WBFTExtra()
	if err != nil {
		t.Fatal(err)
	}
	if x.Round != 0 {
		t.Errorf("decided in round %d", x.Round)
	}
}

// TestEquivocatingProposer: two proposals for one view do not split the network, and are reported.
func TestEquivocatingProposer(t *testing.T) {
	for seed := range int64(3) {
		n := New(Config{Seed: seed, Nodes: 4})
		n.Node(0).Behaviour = &Equivocator{}
		reach(t, n, 5, time.Minute)
		run(t, n, 5*time.Second)
		if n.Faults[core.PrepareEquivocation] == 0 {
			t.Errorf("seed %d: double votes were not reported: %v", seed, n.Faults)
		}
	}
}

// TestBadSealsDoNotStallQuorum: a validator whose seals do not verify costs nothing but its own vote
// (spec wbft 5.7; 9.4 no. 1).
func TestBadSealsDoNotStallQuorum(t *testing.T) {
	n := New(Config{Seed: 1, Nodes: 4})
	n.Node(2).Behaviour = BadSeals{}
	// Every proposer but the faulty one is heard in round 0.
	reach(t, n, 6, 30*time.Second)
	if n.Faults[core.InvalidSeal] == 0 {
		t.Error("bad seals were not reported")
	}
	sealed := 0
	for height := uint64(1); height <= 6; height++ {
		if x, err := n.Node(0).Block(height).Header().WBFTExtra(); err == nil && x.Round == 0 {
			sealed++
		}
	}
	if sealed < 5 {
		t.Errorf("%d of 6 blocks were sealed in round 0", sealed)
	}
}

// TestInvalidProposal: nobody votes for a block that does not execute (spec wbft 9.1 no. 5); the next proposer's turn
// comes.
func TestInvalidProposal(t *testing.T) {
	n := New(Config{Seed: 1, Nodes: 4})
	n.Node(0).Behaviour = InvalidProposer{}
	reach(t, n, 5, time.Minute)
	for height := uint64(1); height <= 5; height++ {
		if x, err := n.Node(1).Block(height).Header().WBFTExtra(); err == nil && string(x.Vanity) == invalidMark {
			t.Errorf("block %d is invalid and was decided", height)
		}
	}
	if n.Faults[core.InvalidProposal] == 0 {
		t.Error("invalid proposals were not reported")
	}
}

// TestSilentProposer: with F silent validators every height is decided, after a round change where it is their turn
// (spec wbft 5.5).
func TestSilentProposer(t *testing.T) {
	n := New(Config{Seed: 1, Nodes: 7})
	n.Node(0).Behaviour, n.Node(1).Behaviour = Silent{}, Silent{}
	reach(t, n, 7, time.Minute)
}

// TestLostRoundChangesAreRepeated: ROUND-CHANGEs are sent once more every base timeout, also to peers they were sent to
// before (spec wbft 9.2 no. 4). Here every first copy is lost, and so is every other message of round 0.
func TestLostRoundChangesAreRepeated(t *testing.T) {
	n := New(Config{Seed: 1, Nodes: 4, RequestTimeout: time.Second})
	type copied struct {
		from, to int
		payload  string
	}
	seen := make(map[copied]bool)
	n.Intercept = func(from, to int, code uint64, payload []byte) bool {
		m, err := messages.Decode(code, payload)
		if err != nil || m.View().Sequence > 1 || m.View().Round > 3 {
			return true
		}
		key := copied{from, to, string(payload)}
		pass := seen[key] && code == messages.CodeRoundChange
		seen[key] = true
		return pass || code != messages.CodeRoundChange && m.View().Round > 0
	}
	reach(t, n, 2, 20*time.Second)
}

// TestCappedTimeouts: a network that stood still for ten minutes runs again within seconds after the fault, because
// the round timers are capped (spec wbft 5.5: without a cap the next timeout would be longer than the fault).
func TestCappedTimeouts(t *testing.T) {
	n := New(Config{Seed: 1, Nodes: 4})
	reach(t, n, 2, 5*time.Second)
	n.Partition([]int{0, 1}, []int{2, 3})
	height := n.MaxHeight()
	run(t, n, 10*time.Minute)
	if n.MaxHeight() > height+1 {
		t.Fatalf("height %d without a quorum", n.MaxHeight())
	}
	n.Heal()
	reach(t, n, n.MaxHeight()+2, 40*time.Second)
}

// TestNobodyGoesAheadAlone: a validator that hears nobody stays in round 1, and those that begin again need no time to come to it.
func TestNobodyGoesAheadAlone(t *testing.T) {
	n := New(Config{Seed: 1, Nodes: 4, MaxRequestTimeout: 4 * time.Second})
	n.Node(3).Behaviour = Silent{}
	reach(t, n, 1, 20*time.Second)
	n.Partition([]int{0}, []int{1, 2, 3})
	run(t, n, 15*time.Second)
	before := n.Node(0).Status().Round
	run(t, n, 10*time.Minute)
	if after := n.Node(0).Status().Round; after != before || after == 0 {
		t.Fatalf("alone it went from round %d to round %d", before, after)
	}
	for i := 1; i < 3; i++ {
		n.Node(i).Logged = false
		n.Node(i).Crash()
		n.Node(i).Restart() // they begin at round 0 again
	}
	run(t, n, time.Second)
	n.Heal()
	reach(t, n, n.MaxHeight()+3, time.Minute)
}

// TestBodySwap: the proposer of round 1 proposes the prepared block of round 0 again with another body, and does the same to the
// blocks in ROUND-CHANGEs that it passes on. The hash is right, and nobody takes it: the prepared block is decided in a later
// round, by honest proposers who are not blamed for anything, also when the validators lose power in between.
func TestBodySwap(t *testing.T) {
	for seed := range 1 + seeds(3) {
		n := New(Config{Seed: seed, Nodes: 4, BlockDrop: 1})
		n.Node(1).Behaviour = BodySwapper{}
		n.Intercept = func(_, _ int, code uint64, _ []byte) bool { return code != messages.CodeCommit }
		prepared := func() bool {
			return n.Node(0).Status().Locked && n.Node(2).Status().Locked && n.Node(3).Status().Locked
		}
		if err := n.RunUntil(5*time.Second, "locks in round 0", prepared); err != nil {
			t.Fatal(err)
		}
		block := n.Node(0).Status().LockedBlock
		if err := n.RunUntil(20*time.Second, "round 2", func() bool { return n.Node(0).Status().Round >= 2 }); err != nil {
			t.Fatal(err)
		}
		if n.BadDeliveries == 0 {
			t.Error("no swapped body was noticed")
		}
		for _, i := range []int{0, 2, 3} {
			if s := n.Node(i).Status(); s.LockedRound == 1 || s.LockedBlock != block {
				t.Errorf("node %d is locked on %v in round %d", i, s.LockedBlock, s.LockedRound)
			}
			if seed%2 == 1 {
				n.Node(i).Crash()
				n.Node(i).Restart()
			}
		}
		n.Intercept = nil
		reach(t, n, 1, 30*time.Second)
		if got := n.Node(0).Block(1); got.Hash() != block || len(got.Transactions()) != 0 {
			t.Errorf("decided %v with %d transactions, prepared was %v", got.Hash(), len(got.Transactions()), block)
		}
	}
}

// TestPowerLossTakesTheNewestBlock: all validators lose power when their votes for the next block are on disk and the newest block
// is not. They decide the lost block again, the same one, and go on (spec wbft 9.1 no. 3).
func TestPowerLossTakesTheNewestBlock(t *testing.T) {
	for seed := range int64(3) {
		n := New(Config{Seed: seed, Nodes: 4})
		reach(t, n, 3, 10*time.Second)
		ahead := func() bool {
			for i := range 4 {
				if node := n.Node(i); node.Height() != n.MaxHeight() || len(node.disk.at(n.MaxHeight()+1).Votes) == 0 {
					return false
				}
			}
			return true
		}
		if err := n.RunUntil(10*time.Second, "votes of the next sequence", ahead); err != nil {
			t.Fatal(err)
		}
		height := n.MaxHeight()
		lost := n.Node(0).Block(height).Hash()
		for i := range 4 {
			node := n.Node(i)
			node.Crash()
			node.chain = node.chain[:height]
			node.Restart()
		}
		reach(t, n, height+2, 15*time.Second)
		if got := n.Node(0).Block(height).Hash(); got != lost {
			t.Errorf("block %d is %v, and was %v before the power loss", height, got, lost)
		}
	}
}

// TestFarBehindInRounds: a validator without a log that starts when the others are tens of rounds ahead joins them at
// once by the F+1 rule, although they are beyond the window of ten rounds (spec wbft 5.4, 5.7).
func TestFarBehindInRounds(t *testing.T) {
	n := New(Config{Seed: 1, Nodes: 4})
	n.Node(2).Logged, n.Node(3).Logged = false, false
	reach(t, n, 1, 5*time.Second)
	n.Node(3).Crash()
	n.Intercept = func(_, _ int, code uint64, _ []byte) bool { return code == messages.CodeRoundChange }
	run(t, n, 8*time.Minute)
	if r := n.Node(0).Status().Round; r < 30 {
		t.Fatalf("round %d, want many more", r)
	}
	n.Node(2).Crash()
	n.Node(2).Restart()
	n.Node(3).Restart()
	run(t, n, time.Second)
	for i := range 4 {
		if r := n.Node(i).Status().Round; r < 30 {
			t.Errorf("node %d is in round %d", i, r)
		}
	}
	n.Heal()
	reach(t, n, n.MaxHeight()+2, 30*time.Second)
}

// TestNewValidators: validators that join at an epoch boundary take part from its first block on, although their first
// messages reach nodes that still have the old set (spec wbft 3.1, 9.2 no. 5).
func TestNewValidators(t *testing.T) {
	n := New(Config{Seed: 3, Nodes: 7, MaxDelay: 300 * time.Millisecond, Validators: func(height uint64) []int {
		switch {
		case height <= 5:
			return []int{0, 1, 2, 3}
		case height <= 10:
			return []int{6, 5, 4, 0}
		}
		return []int{1, 2, 3, 4, 5, 6}
	}})
	reach(t, n, 14, time.Minute)
}

// TestOneAfterTheOther: with the vote log, validators can be restarted in turn without the chain standing still for
// longer than a round change.
func TestOneAfterTheOther(t *testing.T) {
	n := New(Config{Seed: 2, Nodes: 4})
	for i := range 4 {
		n.After(time.Duration(4+4*i)*time.Second, n.Node(i).Crash)
		n.After(time.Duration(6+4*i)*time.Second, n.Node(i).Restart)
	}
	run(t, n, 24*time.Second)
	if height := n.MaxHeight(); height < 12 {
		t.Errorf("height %d after 24 seconds", height)
	}
	reach(t, n, n.MaxHeight()+3, 20*time.Second)
}
