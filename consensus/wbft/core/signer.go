// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"maps"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
)

// ClockTolerance is the most that the clocks of validators, which set the timestamps of blocks, may be ahead of this
// node's clock.
const ClockTolerance = time.Minute

// errNotSigning is why the key signs no message at all.
var errNotSigning = errors.New("the key signs nothing in this sequence")

// signer decides what the validator key may sign. It knows every message that the key has signed in the current
// sequence, as the vote log does, and whether the vote log is complete (docs/consensus.md, Signatures and durability).
type signer struct {
	sequence     uint64
	parent       *types.Header // head that the sequence follows; nil before the first one
	signing.Book               // signed in the sequence

	restored     map[uint64]RestoredSequence // sequences of the vote log that have not begun
	lowWatermark uint64                      // nothing is signed in sequences below
	muted        bool                        // nothing is signed any more (Core.mute)

	complete bool   // the vote log has every message that the key has signed on this chain
	since    uint64 // otherwise every message since this time, in seconds since 1970
	lost     bool   // the key has signed before that time, and those messages are lost
}

func newSigner() signer {
	return signer{Book: signing.NewBook(), restored: make(map[uint64]RestoredSequence)}
}

// maySign reports whether the key may sign a message of this sequence, as signing.Book.MaySign does. Nothing is signed
// below the low watermark, by a muted key, or while lost messages may be about the sequence.
func (s *signer) maySign(m messages.Message, digest common.Hash) (repeated bool, err error) {
	if m.View().Sequence != s.sequence || !s.active() {
		return false, errNotSigning
	}
	return s.MaySign(m, digest)
}

// active reports whether the key may sign anything in the sequence.
func (s *signer) active() bool { return s.sequence >= s.lowWatermark && !s.muted && !s.waiting() }

// votedOtherwise reports whether the key has voted for another block in a round, or may have.
func (s *signer) votedOtherwise(round uint64, digest common.Hash) bool {
	return s.Conflict(messages.CodePrepare, round, digest) != nil || s.Conflict(messages.CodeCommit, round, digest) != nil
}

// waiting reports whether lost messages of the key may be about this sequence.
func (s *signer) waiting() bool { return s.lost && s.parent != nil && !s.begunSince() }

// mayHaveForgotten reports whether the key may have signed something in this sequence that the vote log lacks. The
// head may be older than the log.
func (s *signer) mayHaveForgotten() bool { return !s.complete && !s.begunSince() }

// begunSince reports whether the vote log is older than the head. No message of the sequence is older than the head.
func (s *signer) begunSince() bool { return MadeAfter(s.parent, s.since) }

// MadeAfter reports whether a block was certainly made after a time in seconds since 1970, within ClockTolerance.
func MadeAfter(header *types.Header, since uint64) bool {
	const tolerance = uint64(ClockTolerance / time.Second)
	return header.Time > tolerance && header.Time-tolerance > since
}

// restore takes the content of the vote log.
func (s *signer) restore(log Restored) {
	s.lowWatermark, s.complete, s.since, s.lost = log.LowWatermark, log.Complete, log.Since, log.Lost
	for _, sequence := range log.Sequences {
		s.restored[sequence.Sequence] = sequence
	}
}

// setStart takes the time of the first step as the one since which the vote log lacks nothing, if that is unknown.
func (s *signer) setStart(now time.Time) {
	if s.since == 0 {
		s.since = uint64(max(now.Unix(), 0))
	}
}

// open begins the sequence that follows a head. It returns what the vote log has of the sequence, if anything. A head
// that replaces another one of the same number leaves the signed messages in place.
func (s *signer) open(sequence uint64, parent *types.Header) (log RestoredSequence, known bool) {
	if s.sequence != sequence {
		s.sequence, s.Votes = sequence, make(map[signing.Key]Vote)
	}
	s.parent, s.Doubts = parent, make(map[signing.Key]common.Hash)
	log, known = s.restored[sequence]
	maps.DeleteFunc(s.restored, func(old uint64, _ RestoredSequence) bool { return old <= sequence })
	return log, known
}

// doubt notes a vote that the key may have signed before the vote log was lost.
func (s *signer) doubt(code, round uint64, digest common.Hash) {
	s.Doubts[signing.Key{Code: code, Round: round}] = digest
}

// lose notes that messages which the key has signed before a time are lost. With wait nothing is signed until a block
// was made later.
func (s *signer) lose(since uint64, wait bool) { s.complete, s.since, s.lost = false, since, wait }
