// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package signing

import (
	"errors"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/messages"
)

// KeptSequences is the number of decided sequences that stay in the vote log, below the highest signed one. Their
// blocks are on disk. The margin keeps the validator from contradicting itself even if the chain restarts below them.
const KeptSequences = 16

// Reasons why a key must not sign a message.
var (
	ErrContradiction = errors.New("this node signed something else in the view")
	ErrDoubt         = errors.New("this node may have signed something else in the view before its log was lost")
	ErrBehind        = errors.New("this key has signed in a later round of the sequence")
	ErrForgotten     = errors.New("the ROUND-CHANGE claims less than a COMMIT of this key")
)

// Vote is one message that the key has signed.
type Vote struct {
	Code     uint64 // message code, 0x12 to 0x15
	Sequence uint64
	Round    uint64
	Digest   common.Hash // block hash; for a ROUND-CHANGE keccak of its signing payload
	Payload  []byte      // the message as sent
}

// Key names a message within a sequence.
type Key struct{ Code, Round uint64 }

// Book is what a key has signed in one sequence.
type Book struct {
	Votes  map[Key]Vote
	Doubts map[Key]common.Hash // votes that may be older than the vote log
}

// NewBook returns the book of a sequence in which nothing was signed.
func NewBook() Book {
	return Book{Votes: make(map[Key]Vote), Doubts: make(map[Key]common.Hash)}
}

// Record notes a message that the key has signed.
func (b *Book) Record(v Vote) { b.Votes[Key{v.Code, v.Round}] = v }

// Signed returns the message of a kind that the key has signed in a round.
func (b *Book) Signed(code, round uint64) (Vote, bool) {
	v, ok := b.Votes[Key{code, round}]
	return v, ok
}

// HighestRound returns the highest round in which the key has signed, 0 for none.
func (b *Book) HighestRound() uint64 {
	highest := uint64(0)
	for key := range b.Votes {
		highest = max(highest, key.Round)
	}
	return highest
}

// HighestCommit returns the COMMIT of the highest round below a bound that the key has signed.
func (b *Book) HighestCommit(below uint64) (commit Vote, ok bool) {
	for key, v := range b.Votes {
		if key.Code == messages.CodeCommit && key.Round < below && (!ok || key.Round > commit.Round) {
			commit, ok = v, true
		}
	}
	return commit, ok
}

// Conflict returns an error if the key has signed another message of the kind in a round, or may have.
func (b *Book) Conflict(code, round uint64, digest common.Hash) error {
	if v, ok := b.Signed(code, round); ok && v.Digest != digest {
		return ErrContradiction
	}
	if other, ok := b.Doubts[Key{code, round}]; ok && other != digest {
		return ErrDoubt
	}
	return nil
}

// MaySign reports whether the key may sign a message, as CheckHRS of CometBFT does. It returns repeated = true if the
// key has signed this message before, and an error if it must not sign it. A new message is of no earlier round than
// the last one, and a ROUND-CHANGE claims the block of each COMMIT that it leaves behind, or a later one.
func (b *Book) MaySign(m messages.Message, digest common.Hash) (repeated bool, err error) {
	code, round := m.Code(), m.View().Round
	if err := b.Conflict(code, round, digest); err != nil {
		return false, err
	}
	if _, repeated := b.Signed(code, round); repeated {
		return true, nil
	}
	if round < b.HighestRound() {
		return false, ErrBehind
	}
	if change, ok := m.(*messages.RoundChange); ok && b.forgets(change.Prepared, round) {
		return false, ErrForgotten
	}
	return false, nil
}

// forgets reports whether a claim in a ROUND-CHANGE to a round is less than the key has committed to before.
func (b *Book) forgets(claim *messages.PreparedClaim, round uint64) bool {
	commit, ok := b.HighestCommit(round)
	switch {
	case !ok:
		return false
	case claim == nil || claim.Round < commit.Round:
		return true
	}
	return claim.Round == commit.Round && claim.Digest != commit.Digest
}

// Subject returns the digest under which a message is recorded: the block hash, or for a ROUND-CHANGE the keccak of
// its signing payload.
func Subject(m messages.Message) common.Hash {
	if m, ok := m.(*messages.PrePrepare); ok {
		return m.Block.Hash()
	}
	if digest, _, vote := messages.Ballot(m); vote {
		return digest
	}
	return crypto.Keccak256Hash(m.SigningPayload())
}
