// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// The rules of a justification, one by one. The view is round 2 of sequence 1 with proposer 2. Block a may be prepared
// in rounds 0 and 1.
// spec: wbft 5.9, 9.1
func TestJustification(t *testing.T) {
	f := newFixture(t, 5)
	f.set = f.members(0, 1, 2, 3) // 4 is a stranger
	f.head.Set = f.set
	a, b := f.block("a"), f.block("b")
	in0, in1 := f.certificate(0, a, 0, 1, 2), f.certificate(1, a, 0, 1, 2)
	other1 := f.certificate(1, b, 0, 1, 2)
	type rcs = []*messages.SignedRoundChange
	mixed := func(list ...rcs) (all rcs) {
		for _, l := range list {
			all = append(all, l...)
		}
		return all
	}
	foreign := func(sequence, round uint64, claim *messages.PreparedClaim) rcs {
		m := &messages.SignedRoundChange{Sequence: sequence, Round: round, Prepared: claim}
		must.Do(t, messages.Sign(m, f.keys[0]))
		return rcs{m}
	}
	unprepared := func(senders ...int) rcs { return f.changes(2, nil, senders...) }
	edit := func(list []*messages.Prepare, i int, p *messages.Prepare) []*messages.Prepare {
		list = append([]*messages.Prepare{}, list...)
		list[i] = p
		return list
	}
	badSeal := f.signed(1, &messages.Prepare{Sequence: 1, Round: 1, Digest: a.Hash(), Seal: make([]byte, 96)})
	laterSequence := f.signed(1, &messages.Prepare{Sequence: 2, Round: 1, Digest: a.Hash(), Seal: in1.prepares[1].Seal})
	mixedUp := f.signed(1, &messages.Prepare{Sequence: 1, Round: 1, Digest: b.Hash(), Seal: in1.prepares[1].Seal})
	tests := []struct {
		name     string
		changes  rcs
		prepares []*messages.Prepare
		ok       bool
	}{
		{"none prepared", unprepared(0, 1, 3), nil, true},
		{"none prepared, all senders", unprepared(0, 1, 2, 3), nil, true},
		{"prepared in round 1", f.changes(2, in1, 0, 1, 3), in1.prepares, true},
		{"one prepared in round 1, others not", mixed(unprepared(0, 1), f.changes(2, in1, 3)), in1.prepares, true},
		{"prepared in rounds 0 and 1", mixed(f.changes(2, in0, 0, 1), f.changes(2, in1, 3)), in1.prepares, true},
		{"a quorum below a higher claim", mixed(unprepared(0, 1), f.changes(2, in0, 2), f.changes(2, in1, 3)),
			in0.prepares, true},
		{"unprepared quorum beside a claim", mixed(unprepared(0, 1, 2), f.changes(2, other1, 3)), nil, true},
		// A validator of go-stablenet that is prepared in this round repeats its ROUND-CHANGE with the claim.
		{"unprepared quorum beside a claim of this round", mixed(unprepared(1, 2, 3),
			foreign(1, 2, &messages.PreparedClaim{Round: 2, Digest: a.Hash()})), nil, true},
		{"unprepared but for a claim of this round", mixed(unprepared(1, 3),
			foreign(1, 2, &messages.PreparedClaim{Round: 2, Digest: a.Hash()})), nil, false},
		{"one too few at or below the prepared round", mixed(unprepared(1), f.changes(2, in0, 3),
			foreign(1, 2, &messages.PreparedClaim{Round: 2, Digest: a.Hash()})), in0.prepares, false},

		{"no ROUND-CHANGEs", nil, nil, false},
		{"no quorum of ROUND-CHANGEs", unprepared(0, 1), nil, false},
		{"more ROUND-CHANGEs than validators", unprepared(0, 1, 2, 3, 3), nil, false},
		{"one sender repeated", unprepared(0, 0, 0), nil, false},
		{"a stranger among the senders", unprepared(0, 1, 4), nil, false},
		{"a stranger in place of the first validator", unprepared(1, 3, 4), nil, false},
		{"ROUND-CHANGE to another round", mixed(unprepared(1, 3), foreign(1, 1, nil)), nil, false},
		{"ROUND-CHANGE of another sequence", mixed(unprepared(1, 3), foreign(2, 2, nil)), nil, false},
		// A validator of go-stablenet keeps such a ROUND-CHANGE, and proposes with it and a quorum of others.
		{"unprepared quorum beside a claim of a later round", mixed(unprepared(1, 2, 3),
			foreign(1, 2, &messages.PreparedClaim{Round: 3, Digest: a.Hash()})), nil, true},
		{"unprepared but for a claim of a later round", mixed(unprepared(1, 3),
			foreign(1, 2, &messages.PreparedClaim{Round: 3, Digest: a.Hash()})), nil, false},
		{"one too few beside a claim of a later round", mixed(unprepared(1), f.changes(2, in1, 3),
			foreign(1, 2, &messages.PreparedClaim{Round: 3, Digest: a.Hash()})), in1.prepares, false},
		{"a quorum beside a claim of a later round", mixed(unprepared(1, 2), f.changes(2, in1, 3),
			foreign(1, 2, &messages.PreparedClaim{Round: 3, Digest: a.Hash()})), in1.prepares, true},
		{"PREPAREs of a claim of a later round", mixed(unprepared(1, 2, 3),
			foreign(1, 2, &messages.PreparedClaim{Round: 3, Digest: a.Hash()})), f.certificate(3, a, 0, 1, 2).prepares, false},
		{"claims without PREPAREs", f.changes(2, in1, 0, 1, 3), nil, false},
		{"too few unprepared, no PREPAREs", mixed(unprepared(0, 1), f.changes(2, in1, 3)), nil, false},
		{"claim of the zero hash", mixed(unprepared(1, 3),
			foreign(1, 2, &messages.PreparedClaim{Round: 0, Digest: common.Hash{}})), nil, true},
		{"PREPAREs without a claim", unprepared(0, 1, 3), in1.prepares, false},
		{"PREPAREs below the claims", f.changes(2, in1, 0, 1, 3), in0.prepares, false},
		{"no quorum below the higher claims", mixed(f.changes(2, in0, 0), f.changes(2, in1, 1, 3)), in0.prepares, false},
		{"PREPAREs above the claims", f.changes(2, in0, 0, 1, 3), in1.prepares, false},
		{"claim of another block", f.changes(2, other1, 0, 1, 3), in1.prepares, false},
		{"PREPAREs for another block", f.changes(2, other1, 0, 1, 3), other1.prepares, false},
		{"no quorum of PREPAREs", f.changes(2, in1, 0, 1, 3), in1.prepares[:2], false},
		{"one PREPARE repeated", f.changes(2, in1, 0, 1, 3), edit(in1.prepares, 1, in1.prepares[0]), false},
		{"a stranger's PREPARE", f.changes(2, in1, 0, 1, 3), edit(in1.prepares, 1, f.prepare(4, 1, a)), false},
		{"PREPAREs of two rounds", f.changes(2, in1, 0, 1, 3), edit(in1.prepares, 1, in0.prepares[1]), false},
		{"PREPARE of another sequence", f.changes(2, in1, 0, 1, 3),
			edit(in1.prepares, 1, laterSequence.(*messages.Prepare)), false},
		{"PREPARE with a bad seal", f.changes(2, in1, 0, 1, 3), edit(in1.prepares, 1, badSeal.(*messages.Prepare)), false},
		{"PREPARE with the seal of the block and the digest of another", f.changes(2, in1, 0, 1, 3),
			edit(in1.prepares, 1, mixedUp.(*messages.Prepare)), false},
		{"PREPAREs of the current round", f.changes(2, in1, 0, 1, 3), f.certificate(2, a, 0, 1, 2).prepares, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := &messages.PrePrepare{Sequence: 1, Round: 2, Block: a, RoundChanges: test.changes, Prepares: test.prepares}
			p := f.player(3).toRound(2)
			p.deliver(f.signed(2, m))
			expect.Equal(t, len(only[Execute](p.effects)) == 1, test.ok, "accepted; effects %v", p.effects)
			expect.Equal(t, len(only[Misbehavior](p.effects)), 0, "an unsigned justification accuses a validator")
		})
	}
}

// Proven PREPAREs prove no certificate of another round, which would make a lock seem younger.
// spec: wbft 5.9
func TestProvenPreparesOfAnotherRound(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	p := f.player(1).toState(Prepared, block)
	prepares := f.certificate(0, block, 0, 1, 2).prepares
	must.Do(t, p.certs.checkPrepares(prepares, 0, block))
	expect.Refused(t, p.certs.checkPrepares(prepares, 1, block), "PREPAREs of round 0 are a certificate of round 1")
}

// Each PREPARE of a certificate is good by itself.
// spec: wbft 5.9
func TestCertificateRefusesOffsettingSeals(t *testing.T) {
	f := newFixture(t, 7)
	block := f.block("a")
	shift, back := f.opposites()
	cert := f.certificate(0, block, 0, 2, 3)
	cert.prepares = append(
		cert.prepares, f.offset(messages.CodePrepare, 5, block, shift).(*messages.Prepare),
		f.offset(messages.CodePrepare, 6, block, back).(*messages.Prepare),
	)
	p := f.player(1)
	expect.Refused(t, p.certs.check(cert, 1), "a certificate with two bad PREPAREs is accepted")
	expect.That(t, len(p.certs.proven) == 0, "its PREPAREs are taken for good")
}
