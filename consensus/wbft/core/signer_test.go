// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"math"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
	"gwon/internal/expect"
)

// spec: wbft 9.1
func TestMaySign(t *testing.T) {
	a, b := common.Hash{1}, common.Hash{2}
	const sequence = 5
	signedA := Vote{Code: messages.CodePrepare, Sequence: sequence, Round: 1, Digest: a}
	for _, test := range []struct {
		name     string
		prepare  func(*signer)
		sequence uint64
		code     uint64
		round    uint64
		digest   common.Hash
		repeated bool
		err      error
	}{
		{name: "first message of a view", digest: a},
		{name: "same message again", prepare: func(s *signer) { s.Record(signedA) }, round: 1, digest: a, repeated: true},
		{
			name: "other digest", prepare: func(s *signer) { s.Record(signedA) },
			round: 1, digest: b, err: signing.ErrContradiction,
		},
		{name: "other round", prepare: func(s *signer) { s.Record(signedA) }, round: 2, digest: b},
		{
			name: "other kind", prepare: func(s *signer) { s.Record(signedA) },
			code: messages.CodeCommit, round: 1, digest: b,
		},
		{name: "doubted digest", prepare: func(s *signer) { s.doubt(messages.CodePrepare, 1, a) }, round: 1, digest: a},
		{
			name: "digest against a doubt", prepare: func(s *signer) { s.doubt(messages.CodePrepare, 1, a) },
			round: 1, digest: b, err: signing.ErrDoubt,
		},
		{
			name: "doubt of another round", prepare: func(s *signer) { s.doubt(messages.CodePrepare, 2, a) },
			round: 1, digest: b,
		},
		{name: "later sequence", sequence: sequence + 1, digest: a, err: errNotSigning},
		{name: "earlier sequence", sequence: sequence - 1, digest: a, err: errNotSigning},
		{name: "at the low watermark", prepare: func(s *signer) { s.lowWatermark = sequence }, digest: a},
		{
			name: "below the low watermark", prepare: func(s *signer) { s.lowWatermark = sequence + 1 },
			digest: a, err: errNotSigning,
		},
		{name: "muted", prepare: func(s *signer) { s.muted = true }, digest: a, err: errNotSigning},
		{
			name: "muted, same message again", prepare: func(s *signer) { s.Record(signedA); s.muted = true },
			round: 1, digest: a, err: errNotSigning,
		},
		{
			name: "lost votes may be of this sequence", prepare: func(s *signer) { s.lose(1_000_000, true) },
			digest: a, err: errNotSigning,
		},
		{name: "operator signs in spite of lost votes", prepare: func(s *signer) { s.lose(1_000_000, false) }, digest: a},
		{name: "head is later than lost votes", prepare: func(s *signer) { s.lose(1_000_000-61, true) }, digest: a},
		{
			name: "head is within the clock tolerance", prepare: func(s *signer) { s.lose(1_000_000-60, true) },
			digest: a, err: errNotSigning,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSigner()
			s.open(sequence, &types.Header{Time: 1_000_000})
			if test.prepare != nil {
				test.prepare(&s)
			}
			view := messages.View{Sequence: sequence, Round: test.round}
			if test.sequence != 0 {
				view.Sequence = test.sequence
			}
			code := messages.CodePrepare
			if test.code != 0 {
				code = test.code
			}
			m := voteOf(code, view, test.digest)
			repeated, err := s.maySign(m, test.digest)
			expect.That(t, repeated == test.repeated && errors.Is(err, test.err),
				"repeated %t, error %v; want %t, %v", repeated, err, test.repeated, test.err)
		})
	}
}

// voteOf returns an unsigned PREPARE or COMMIT.
func voteOf(code uint64, view messages.View, digest common.Hash) messages.Message {
	if code == messages.CodeCommit {
		return &messages.Commit{Sequence: view.Sequence, Round: view.Round, Digest: digest}
	}
	return &messages.Prepare{Sequence: view.Sequence, Round: view.Round, Digest: digest}
}

// The signed messages of a sequence stay when its head is replaced, and end with the sequence. spec: wbft 9.1
func TestSignerOpensSequences(t *testing.T) {
	s := newSigner()
	s.restore(Restored{LowWatermark: 3, Complete: true, Sequences: []RestoredSequence{
		{Sequence: 3}, {Sequence: 4, Lock: []byte{4}}, {Sequence: 6, Lock: []byte{6}},
	}})
	if _, known := s.open(2, &types.Header{}); known || s.active() {
		t.Errorf("sequence 2: known %t, active %t", known, s.active())
	}
	if log, known := s.open(4, &types.Header{}); !known || len(log.Lock) != 1 || log.Lock[0] != 4 || !s.active() {
		t.Errorf("sequence 4: known %t, lock %v, active %t", known, log.Lock, s.active())
	}
	s.Record(Vote{Code: messages.CodeCommit, Sequence: 4, Round: 2})
	s.Record(Vote{Code: messages.CodeRoundChange, Sequence: 4, Round: 7})
	s.doubt(messages.CodePrepare, 1, common.Hash{1})
	_, known := s.open(4, &types.Header{Time: 1})
	expect.That(t, !known, "the vote log opens sequence 4 twice")
	commit, committed := s.HighestCommit(math.MaxUint64)
	expect.That(t, s.HighestRound() == 7 && committed && commit.Round == 2 && len(s.Doubts) == 0,
		"round %d, COMMIT %t in round %d, doubts %v", s.HighestRound(), committed, commit.Round, s.Doubts)
	if _, known := s.open(6, &types.Header{}); !known || s.HighestRound() != 0 || len(s.restored) != 0 {
		t.Errorf("sequence 6: known %t, round %d, left %v", known, s.HighestRound(), s.restored)
	}
}
