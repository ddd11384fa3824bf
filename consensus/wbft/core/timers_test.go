// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// The table of round timeouts, and the edges of the formula.
// spec: wbft 5.5
func TestRoundTimeout(t *testing.T) {
	s := time.Second
	tests := []struct {
		base, max time.Duration
		want      []time.Duration // by round
	}{
		{2 * s, 0, []time.Duration{2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 64 * s}},
		{2 * s, 10 * s, []time.Duration{2 * s, 4 * s, 8 * s, 10 * s, 10 * s, 10 * s}},
		{2 * s, 2 * s, []time.Duration{2 * s, 2 * s, 2 * s}},
		{20 * s, 10 * s, []time.Duration{20 * s, 10 * s, 10 * s}}, // round 0 is not limited
	}
	for _, test := range tests {
		for round, want := range test.want {
			expect.Equal(t, RoundTimeout(test.base, test.max, uint64(round)), want,
				"base %v, max %v, round %d", test.base, test.max, round)
		}
	}
	for _, round := range []uint64{33, 64, 1000, math.MaxUint64} {
		expect.Equal(t, RoundTimeout(2*s, 0, round), math.MaxInt64, "round %d without a cap", round)
		expect.Equal(t, RoundTimeout(2*s, 10*s, round), 10*s, "round %d: the cap", round)
		expect.Equal(t, RoundTimeout(0, 0, round), 0, "round %d of base 0", round)
	}
}

// Where the network sets no cap the configured one holds from round 1 on. A cap of the network wins.
// spec: wbft 5.5
func TestDefaultCap(t *testing.T) {
	tests := []struct {
		base, network, own time.Duration
		round              uint64
		want               time.Duration
	}{
		{2 * time.Second, 0, 10 * time.Second, 9, 10 * time.Second},
		{2 * time.Second, 60 * time.Second, 10 * time.Second, 9, 60 * time.Second},
		{20 * time.Second, 0, 10 * time.Second, 0, 20 * time.Second},
		{20 * time.Second, 0, 10 * time.Second, 3, 20 * time.Second},
		{2 * time.Second, 0, 0, 5, 64 * time.Second},
	}
	for _, test := range tests {
		f := newFixture(t, 4)
		f.head.Params = Params{RequestTimeout: test.base, MaxRequestTimeout: test.network}
		cfg := f.config(1)
		cfg.DefaultMaxTimeout = test.own
		p := &player{Core: New(cfg), f: f, clock: origin}
		p.do(NewHead{f.head}).toRound(test.round)
		if test.round > 0 {
			p.deliver(f.roundChange(0, test.round, nil), f.roundChange(2, test.round, nil))
		}
		expect.Equal(t, p.timing.timers[RoundTimer].deadline.Sub(p.clock), test.want, "%+v: timer", test)
	}
}

// A node that has left round 0 alone stays in round 1 and repeats its ROUND-CHANGE. The timer runs once a quorum is
// known there.
// spec: wbft 5.5
func TestAloneStaysInRound(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(2).expire(RoundTimer)
	for range 1000 {
		must.Equal(t, p.timing.timers[RoundTimer].id, 0, "the timer of round 1 runs without a quorum")
		p.expire(RetryTimer)
	}
	p.wantState(AcceptRequest, 1)
	p.deliver(f.roundChange(0, 1, nil))
	expect.Equal(t, p.timing.timers[RoundTimer].id, 0, "the timer of round 1 runs with one of the others there")
	p.clock = p.clock.Add(time.Second)
	p.deliver(f.roundChange(1, 1, nil))
	expect.Equal(t, p.timing.timers[RoundTimer].deadline.Sub(p.clock), 4*time.Second, "a quorum is there: timer")
	running := p.timing.timers[RoundTimer]
	p.clock = p.clock.Add(time.Second)
	p.deliver(f.roundChange(3, 1, nil))
	expect.Equal(t, p.timing.timers[RoundTimer], running, "the timer was started again")
	p.expire(RoundTimer).wantState(AcceptRequest, 2)
}

// If a quorum is known only together with a validator that is ahead, the others follow it after the base timeout, as
// far as the window allows.
// spec: wbft 5.4
func TestFollowsValidatorsAhead(t *testing.T) {
	for ahead, want := range map[uint64]uint64{2: 2, 9: 9, 10: 10, 11: 10, 5000: 10, math.MaxUint32: 10} {
		f := newFixture(t, 4)
		p := f.player(2).expire(RoundTimer)
		p.deliver(f.roundChange(0, ahead, nil))
		must.Equal(t, p.timing.timers[RoundTimer].id, 0, "%d: a timer runs without a quorum", ahead)
		p.deliver(f.roundChange(1, 1, nil))
		expect.Equal(t, p.timing.timers[RoundTimer].deadline.Sub(p.clock), 2*time.Second, "%d: timer", ahead)
		p.expire(RoundTimer).wantState(AcceptRequest, want)
		expect.Equal(t, len(p.sends(messages.CodeRoundChange)), 1, "%d: followed without a ROUND-CHANGE", ahead)
	}
	// With a quorum in this round no validator ahead is followed.
	f := newFixture(t, 4)
	p := f.player(2).expire(RoundTimer)
	p.deliver(f.roundChange(3, 9, nil), f.roundChange(0, 1, nil), f.roundChange(1, 1, nil))
	expect.Equal(t, p.timing.timers[RoundTimer].deadline.Sub(p.clock), 4*time.Second, "timer")
	p.expire(RoundTimer).wantState(AcceptRequest, 2)
	// A validator that has left this round counts in its later one.
	p = f.player(2).expire(RoundTimer)
	p.deliver(f.roundChange(0, 1, nil), f.roundChange(0, 3, nil), f.roundChange(1, 1, nil))
	expect.Equal(t, p.timing.timers[RoundTimer].deadline.Sub(p.clock), 2*time.Second, "timer")
	p.expire(RoundTimer).wantState(AcceptRequest, 3)
}

// A ROUND-CHANGE that is not signed, because the key is away, is asked for again until the key is back. Nothing else
// leads out of the round, if no quorum is left without this validator.
// spec: wbft 5.5, 9.1
func TestRoundChangeWaitsForTheKey(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(2)
	sign := p.cfg.Sign
	p.cfg.Sign = func(signing.Intent) error { return fmt.Errorf("%w: no connection", signing.ErrAway) }
	p.expire(RoundTimer)
	for range 3 {
		p.expire(RetryTimer).wantState(AcceptRequest, 1)
		expect.That(t, len(p.sends(messages.CodeRoundChange)) == 0, "a ROUND-CHANGE was sent without a signature")
	}
	p.cfg.Sign = sign
	p.expire(RetryTimer)
	expect.That(t, len(p.sends(messages.CodeRoundChange)) == 1 && len(only[Persist](p.effects)) == 1,
		"the key is back: %v", names(p.effects))
	p.expire(RetryTimer)
	expect.Equal(t, len(only[Persist](p.effects)), 0, "it was signed twice")
}

// The own ROUND-CHANGE is repeated after the base timeout, with the same bytes and past the caches, until the round
// ends or a proposal is accepted.
// spec: wbft 5.5, 9.2
func TestRetry(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(2).toRound(1)
	first := p.sends(messages.CodeRoundChange)
	must.That(t, len(first) == 1 && !first[0].Force && first[0].To == nil, "own ROUND-CHANGE: %+v", first)
	start := p.clock
	for i := range 2 {
		p.expire(RetryTimer)
		expect.Equal(t, p.clock.Sub(start), time.Duration(i+1)*2*time.Second, "repeated after")
		again := p.sends(messages.CodeRoundChange)
		must.That(t, len(again) == 2 && again[0].Force && string(again[0].Payload) == string(first[0].Payload),
			"repetition: %+v", again)
		if to := again[1].To; len(to) != 1 || to[0] != p.proposer || string(again[1].Payload) == string(first[0].Payload) {
			t.Errorf("in other bytes to the proposer: %+v", again[1])
		}
		expect.That(t, len(only[Persist](p.effects)) == 0, "a repetition was recorded again")
	}
	p.propose(f.block("a"))
	expect.Equal(t, p.timing.timers[RetryTimer].id, 0, "retry timer runs on after the proposal")
}

// The round timer does not run while a decided block is written, but a head that never comes does not stop the node.
// spec: wbft 9.2
func TestWatchdog(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	p := f.player(1).toState(Committed, block)
	timers := only[SetTimer](p.effects)
	must.That(t, len(timers) == 1 && timers[0].Delay == watchdogMinimum, "timers %+v", timers)
	// Messages of others do not end the wait.
	p.deliver(f.roundChange(2, 1, nil), f.roundChange(3, 1, nil))
	p.wantState(Committed, 0)
	p.expire(RoundTimer)
	changes := p.sends(messages.CodeRoundChange)
	must.Equal(t, len(changes), 1, "sends %v", names(p.effects))
	m := must.Get(messages.Decode(messages.CodeRoundChange, changes[0].Payload))(t)
	rc := m.(*messages.RoundChange)
	expect.That(t, rc.Prepared != nil && rc.Prepared.Digest == block.Hash(), "the ROUND-CHANGE does not carry the lock")
	// It has a quorum of ROUND-CHANGEs now, and is the proposer: the decided block is proposed again.
	must.That(t, len(p.sends(messages.CodePrePrepare)) == 1, "proposals %v", names(p.effects))
	p.wantState(PrePrepared, 1)
}

// The round timer of a strict core restarts with the acceptance of a proposal, not with its arrival, and every round
// has a whole one from its begin.
// spec: wbft 5.5
func TestStrictTimerRestartsWithAcceptance(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(1)
	p.cfg.Strict = true
	block := f.block("a")
	p.do(Message{Code: messages.CodePrePrepare, Payload: f.proposal(0, 0, block).Encode(), From: f.address(0)})
	expect.That(t, len(only[SetTimer](p.effects)) == 0 && len(only[Execute](p.effects)) == 1,
		"effects of the arrival: %v", names(p.effects))
	p.do(Validated{Hash: block.Hash()})
	if set := only[SetTimer](p.effects); len(set) != 1 || set[0].Kind != RoundTimer || set[0].Delay != p.roundTimeout() {
		t.Errorf("timers of the acceptance: %v", set)
	}
	p.expire(RoundTimer)
	set := only[SetTimer](p.effects)
	expect.That(t, slices.ContainsFunc(set, func(s SetTimer) bool {
		return s.Kind == RoundTimer && s.Delay == RoundTimeout(2*time.Second, 0, 1)
	}), "timers of round 1: %v", set)
	build := only[Build](p.effects)
	expect.That(t, len(build) == 1 && build[0].Proposer, "requests for a block: %v", build)
}

// A timer of a finished sequence or round has no effect in the next one.
// spec: wbft 9.2
func TestStaleTimers(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(1).toRound(1)
	round, retry := p.timing.timers[RoundTimer].id, p.timing.timers[RetryTimer].id
	block := f.block("a")
	p.do(NewHead{Head{Header: f.sealed(block, 0, 0, 1, 2), Set: f.set, Params: f.head.Params}})
	p.wantState(AcceptRequest, 0)
	for _, id := range []uint64{round, retry, 0, 99} {
		p.do(Timeout{ID: id}).wantDropped("stale timer")
	}
	p.wantState(AcceptRequest, 0)
}
