// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// signs returns the number of signed or recorded messages among effects.
func signs(effects []Effect) int {
	return len(only[Persist](effects)) + len(only[PersistLock](effects)) + len(only[Send](effects))
}

// An own message that contradicts the vote log proves that the key is in use elsewhere. Nothing is signed from then
// on. Heads are followed, and decisions of others are counted.
// spec: wbft 4.4, 9.1
func TestKeyInUseElsewhere(t *testing.T) {
	f := newFixture(t, 4)
	a, b := f.block("a"), f.block("b")
	p := f.player(1).propose(a)
	p.learn(b) // only a seal over a known block shows that the vote is of this chain
	foreign := f.prepare(1, 0, b)
	p.deliver(foreign).wantEffects("StopSigning")
	stop := only[StopSigning](p.effects)[0]
	expect.That(t, stop.Reason != "" && len(stop.Evidence) == 2 && string(stop.Evidence[1]) == string(foreign.Encode()),
		"%+v", stop)
	p.deliver(f.prepare(1, 0, b)).wantDropped("known by now")

	var all []Effect
	step := func(list ...messages.Message) {
		p.deliver(list...)
		all = append(all, p.effects...)
	}
	step(f.prepare(0, 0, a), f.prepare(2, 0, a), f.prepare(3, 0, a))
	p.expire(RoundTimer)
	all = append(all, p.effects...)
	step(f.roundChange(0, 1, nil), f.roundChange(2, 1, nil), f.roundChange(3, 1, nil)) // it is the proposer of round 1
	p.do(Candidate{Block: a, Round: 1})
	all = append(all, p.effects...)
	p.do(PeerConnected{Address: f.address(0)})
	expect.That(t, signs(all) == 0, "signed after it was seen to sign elsewhere: %v", names(all))
	for _, build := range only[Build](all) {
		expect.That(t, !build.Proposer, "asks for a candidate that it cannot propose")
	}
	step(f.commit(0, 0, a), f.commit(2, 0, a), f.commit(3, 0, a))
	p.wantState(Committed, 1)

	head := f.head
	head.Header = f.sealed(a, 0, 0, 2, 3)
	p.do(NewHead{head})
	next := f.child(head.Header, "next")
	p.deliver(f.signed(1, &messages.PrePrepare{Sequence: 2, Block: next}))
	f.head = head
	p.deliver(f.signed(0, &messages.PrePrepare{Sequence: 2, Block: next})).validate(next)
	expect.That(t, signs(p.effects) == 0 && p.sequence == 2, "sequence %d: %v", p.sequence, names(p.effects))
}

// An own message that is not in the vote log may be older than the log, unless the head was made after the process
// began.
// spec: wbft 4.4
func TestUnknownOwnMessage(t *testing.T) {
	f := newFixture(t, 4)
	for _, test := range []struct {
		after time.Duration // from the start of the process to the timestamp of the head
		stop  bool
	}{
		{-time.Hour, false}, {30 * time.Second, false}, {time.Minute, false},
		{61 * time.Second, true}, {24 * time.Hour, true},
	} {
		g := *f
		header := *f.head.Header
		header.Time = uint64(origin.Add(test.after).Unix())
		g.head.Header = &header
		p := &player{Core: New(g.config(1)), f: &g, clock: origin}
		p.do(NewHead{g.head})
		p.learn(g.block("a"))
		p.deliver(g.prepare(1, 0, g.block("a")))
		expect.Equal(t, len(only[StopSigning](p.effects)) == 1, test.stop,
			"head %v after the start: stopped; effects %v", test.after, names(p.effects))
		if !test.stop && len(only[Persist](p.effects)) != 1 {
			t.Errorf("head %v after the start: the message was not taken back: %v", test.after, names(p.effects))
		}
	}
}

// A message names no chain, and any validator can repeat one of another network. It neither mutes the key nor enters
// the vote log, and the node votes again in the next round at the latest.
// spec: wbft 4.3
func TestReplayFromAnotherChain(t *testing.T) {
	f := newFixture(t, 4)
	f2 := newFixture(t, 4)
	f2.head.Header.GasLimit = 2
	a, other := f.block("a"), f2.block("other")
	claim := &messages.RoundChange{}
	claim.Sequence, claim.Round = 1, 1
	claim.Prepared = &messages.PreparedClaim{Digest: other.Hash()}
	broken := &messages.Prepare{Sequence: 1, Digest: a.Hash(), Seal: make([]byte, messages.SealLength)}
	replayed := []messages.Message{
		f2.signed(1, &messages.PrePrepare{Sequence: 1, Round: 1, Block: other}),
		f2.prepare(1, 0, other), f2.commit(1, 0, other), f2.roundChange(1, 1, f2.certificate(0, other, 0, 1, 2)),
		f2.roundChange(1, 500, nil), f.signed(1, claim), f.signed(1, broken),
	}
	for name, rec := range map[string]Restored{
		"new log": {}, "log of before": {Complete: true},
		"log of this sequence": {Complete: true, Sequences: []RestoredSequence{{Sequence: 1, Votes: []Vote{
			{Code: messages.CodeRoundChange, Sequence: 1, Digest: common.Hash{1}},
		}}}},
	} {
		t.Run(name, func(t *testing.T) {
			p := f.restartedWith(1, rec)
			p.learn(a)
			for _, m := range replayed {
				p.deliver(m)
				expect.Equal(t, signs(p.effects)+len(only[StopSigning](p.effects)), 0,
					"%s: %T of another chain: %v", name, m, names(p.effects))
			}
			if rec.Complete {
				p.propose(a)
				expect.Equal(t, len(p.sends(messages.CodePrepare)), 1, "%s: no vote in round 0: %v", name, names(p.effects))
			}
			p.expire(RoundTimer)
			expect.That(t, p.round == 1 && len(p.sends(messages.CodeRoundChange)) == 1,
				"%s: round %d, effects %v", name, p.round, names(p.effects))
		})
	}
}

// A node that finds an own message of a later round continues there, and votes in no earlier round. Its own ROUND-
// CHANGE counts and is repeated.
// spec: wbft 5.10, 9.1
func TestEchoOfLaterRoundIsTakenBack(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	p := f.player(1)
	p.deliver(f.roundChange(1, 5, nil)).wantState(AcceptRequest, 5)
	if set := p.roundChanges[5]; set == nil || set.bySender[1] == nil || p.timing.timers[RetryTimer].id == 0 {
		t.Error("the own ROUND-CHANGE is not counted or not repeated")
	}
	p.deliver(f.proposal(0, 0, a)).wantDropped("proposal of a round that was left")
	p.deliver(f.prepare(0, 0, a), f.prepare(2, 0, a), f.prepare(3, 0, a))
	expect.Equal(t, signs(p.effects), 0, "voted in round 0 after a ROUND-CHANGE to round 5: %v", names(p.effects))
	// A vote shows the same. The ROUND-CHANGE to its round is unknown, so no other one is signed.
	p = f.player(1)
	p.learn(a)
	p.deliver(f.prepare(1, 2, a)).wantState(AcceptRequest, 2)
	expect.Equal(t, len(p.sends(messages.CodeRoundChange)), 0, "a second ROUND-CHANGE to the round was signed")
	p.deliver(f.roundChange(1, 2, nil))
	set := p.roundChanges[2]
	expect.That(t, set != nil && set.bySender[1] != nil, "the genuine one was not taken back")
}

// A node that has sent a COMMIT and lost the certificate signs no ROUND-CHANGE until another validator sends the
// certificate.
// spec: wbft 5.7, 9.1
func TestMissingLockPreventsRoundChange(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	p := f.player(1)
	p.learn(a)
	p.deliver(f.commit(1, 0, a))
	p.expire(RoundTimer)
	expect.That(t, len(p.sends(messages.CodeRoundChange)) == 0 && len(only[Failed](p.effects)) == 1,
		"effects %v", names(p.effects))
	cert := f.certificate(0, a, 0, 1, 2)
	p.deliver(f.roundChange(0, 1, cert))
	sent := p.sends(messages.CodeRoundChange)
	must.That(t, len(sent) == 1 && p.lock != nil, "effects %v", names(p.effects))
	expect.Equal(t, string(sent[0].Payload), string(f.roundChange(1, 1, cert).Encode()),
		"the ROUND-CHANGE does not carry the certificate")
	expect.That(t, len(only[PersistLock](p.effects)) == 1, "the lock is not durable")
}

// Messages of another key in the vote log are neither sent nor counted, and accuse no validator.
// spec: wbft 9.1
func TestVoteLogOfAnotherKey(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	old := record4(f, 1, network(f.proposal(0, 0, a)), Validated{Hash: a.Hash()},
		network(f.prepare(0, 0, a)), network(f.prepare(3, 0, a)))
	p := f.restartedWith(2, old.rec)
	for _, e := range only[Send](p.effects) {
		t.Errorf("sends a message %#x", e.Code)
	}
	failed := only[Failed](p.effects)
	expect.That(t, len(failed) != 0 && strings.Contains(failed[0].Err.Error(), "belongs to another key"),
		"effects %v", p.effects)
	p.propose(a)
	got := p.sends(messages.CodePrepare)
	expect.That(t, len(got) == 1 && string(got[0].Payload) == string(f.prepare(2, 0, a).Encode()),
		"effects %v", names(p.effects))
	p.deliver(f.prepare(1, 0, a), f.prepare(0, 0, a))
	expect.Equal(t, len(only[Misbehavior](p.effects))+len(only[StopSigning](p.effects)), 0, "effects %v", p.effects)
}

// An own vote from before the loss of the vote log keeps this node from voting for another block, also if a proposal
// is bound already.
// spec: wbft 9.1
func TestEchoDuringExecution(t *testing.T) {
	f := newFixture(t, 4)
	a, b := f.block("a"), f.block("b")
	p := f.player(1).deliver(f.proposal(0, 0, a), f.prepare(1, 0, b)).validate(a)
	sent := p.sends(messages.CodePrepare)
	expect.That(t, len(sent) == 0, "%d PREPAREs sent", len(sent))
}
