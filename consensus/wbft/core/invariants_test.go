// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"strings"
	"testing"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// A core whose state breaks an invariant says which one, and signs nothing from then on. Each case breaks it as a fault
// of the program would.
func TestBrokenInvariantEndsSigning(t *testing.T) {
	f := newFixture(t, 4)
	a, b := f.block("a"), f.block("b")
	recorded := PersistLock{Sequence: 1, Certificate: []byte("certificate")}
	issue := func(m messages.Message) func(*player) {
		return func(p *player) { p.issue(m, a.Header()) }
	}
	commit := &messages.Commit{Sequence: 1, Digest: a.Hash()}
	withLock := func(cert *certificate, effects ...Effect) func(*player) {
		return func(p *player) {
			p.lock, p.Core.effects = cert, effects
			issue(commit)(p)
		}
	}
	change := &messages.RoundChange{}
	change.Sequence, change.Round = 1, 1
	for name, test := range map[string]struct {
		invariant string
		state     State
		violate   func(*player)
	}{
		"sequence": {"the sequence follows the head", AcceptRequest, func(p *player) {
			p.sequence, p.signer.sequence = 2, 2
			issue(&messages.Prepare{Sequence: 2, Digest: a.Hash()})(p)
		}},
		"round of a message": {"of the current view", PrePrepared, issue(
			&messages.Prepare{Sequence: 1, Round: 1, Digest: a.Hash()},
		)},
		"proposal out of turn": {"of the proposer", AcceptRequest, issue(&messages.PrePrepare{Sequence: 1, Block: a})},
		"PREPARE without a proposal": {"for the bound proposal", AcceptRequest, issue(
			&messages.Prepare{Sequence: 1, Digest: a.Hash()},
		)},
		"PREPARE for another block": {"for the bound proposal", AcceptRequest, func(p *player) {
			p.deliver(f.proposal(0, 0, a))
			p.verdicts[b.Hash()] = valid
			issue(&messages.Prepare{Sequence: 1, Digest: b.Hash()})(p)
		}},
		"PREPARE before the execution": {"which was executed", AcceptRequest, func(p *player) {
			p.deliver(f.proposal(0, 0, a))
			issue(&messages.Prepare{Sequence: 1, Digest: a.Hash()})(p)
		}},
		"COMMIT without a lock":     {"quorum of PREPAREs", PrePrepared, withLock(nil, recorded)},
		"COMMIT with a lock of two": {"quorum of PREPAREs", PrePrepared, withLock(f.certificate(0, a, 0, 1), recorded)},
		"COMMIT for another block":  {"quorum of PREPAREs", PrePrepared, withLock(f.certificate(0, b, 0, 1, 3), recorded)},
		"COMMIT before its lock":    {"recorded before", PrePrepared, withLock(f.certificate(0, a, 0, 1, 3))},
		"ROUND-CHANGE that hides the lock": {"claims the lock", AcceptRequest, func(p *player) {
			p.toRound(1)
			p.lock = f.certificate(0, a, 0, 1, 3)
			p.Core.effects = nil
			delete(p.signer.Votes, signing.Key{Code: messages.CodeRoundChange, Round: 1})
			issue(change)(p)
		}},
		"round that goes back": {"above those before it", AcceptRequest, func(p *player) {
			p.toRound(2).Core.effects = nil
			p.startRound(1)
		}},
		"round that begins twice": {"above those before it", AcceptRequest, func(p *player) { p.startRound(0) }},
	} {
		t.Run(name, func(t *testing.T) {
			p := f.player(2).toState(test.state, a)
			p.Core.effects = nil
			test.violate(p)
			p.effects = p.Core.effects
			stops := only[StopSigning](p.effects)
			must.That(t, len(stops) == 1 && strings.Contains(stops[0].Reason, test.invariant), "effects %+v", p.effects)
			expect.That(t, len(only[Persist](p.effects))+len(only[Send](p.effects)) == 0,
				"signed all the same: %v", names(p.effects))
			p.Core.effects = nil
			p.changeRound(p.round + 1)
			expect.That(t, len(only[Persist](p.Core.effects))+len(only[StopSigning](p.Core.effects)) == 0,
				"after that: %v", names(p.Core.effects))
		})
	}
}
