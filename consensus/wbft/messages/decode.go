// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package messages

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
)

var (
	// ErrCode is returned for a message code that is none of the four.
	ErrCode = errors.New("unknown consensus message code")

	errZeroClaim  = errors.New("prepared digest is zero")
	errWrongBlock = errors.New("prepared block does not have the prepared digest")
)

// Decode decodes the devp2p payload of a message (spec wbft 4.2). It is strict: sequences of more than 64 bits and
// rounds of more than 32 bits, seals and signatures of other lengths, lists of more than MaxListLength items,
// payloads of more than MaxSize bytes, surplus bytes and a prepared block that is not the claimed one are errors. The
// result shares no memory with payload.
//
// Encode of the result is payload again, but for absent parts of a ROUND-CHANGE, which have two forms.
func Decode(code uint64, payload []byte) (Message, error) { return DecodeKnown(code, payload, nil) }

// DecodeKnown is Decode for a receiver that is sent the same block many times. known is given the encoding of a block, as a part
// of payload, and may return the block that it has decoded from equal bytes before, or nil.
func DecodeKnown(code uint64, payload []byte, known func(raw []byte) *types.Block) (Message, error) {
	if len(payload) > MaxSize {
		return nil, fmt.Errorf("consensus message 0x%x has %d bytes, more than %d", code, len(payload), MaxSize)
	}
	var (
		m   Message
		err error
	)
	switch code {
	case CodePrePrepare:
		m, err = decodePrePrepare(payload, known)
	case CodePrepare:
		m, err = decodePrepare(payload)
	case CodeCommit:
		m, err = decodeCommit(payload)
	case CodeRoundChange:
		m, err = decodeRoundChange(payload, known)
	default:
		return nil, fmt.Errorf("%w: 0x%x", ErrCode, code)
	}
	if err != nil {
		return nil, fmt.Errorf("decode consensus message 0x%x: %w", code, err)
	}
	return m, nil
}

func decodeVote(payload []byte) (*voteWire, error) {
	w := new(voteWire)
	if err := rlp.DecodeBytes(payload, w); err != nil {
		return nil, err
	}
	return w, w.check()
}

func decodePrepare(payload []byte) (Message, error) {
	w, err := decodeVote(payload)
	if err != nil {
		return nil, err
	}
	return w.prepare(), nil
}

func decodeCommit(payload []byte) (Message, error) {
	w, err := decodeVote(payload)
	if err != nil {
		return nil, err
	}
	m := &Commit{Sequence: w.Body.Sequence, Round: w.Body.Round, Digest: w.Body.Digest, Seal: w.Body.Seal}
	m.sig = w.Signature
	return m, nil
}

func decodeRoundChange(payload []byte, known func([]byte) *types.Block) (Message, error) {
	var w receivedRoundChange
	if err := rlp.DecodeBytes(payload, &w); err != nil {
		return nil, err
	}
	if err := w.Signed.check(); err != nil {
		return nil, err
	}
	m := new(RoundChange)
	m.take(&w.Signed)
	if !absent(w.Block) {
		var err error
		if m.PreparedBlock, err = decodeBlock(w.Block, known); err != nil {
			return nil, fmt.Errorf("prepared block: %w", err)
		}
		if m.Prepared == nil || m.PreparedBlock.Hash() != m.Prepared.Digest {
			return nil, errWrongBlock
		}
	}
	if !absent(w.Prepares) {
		var err error
		if m.Prepares, err = decodePrepares(w.Prepares); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func decodePrePrepare(payload []byte, known func([]byte) *types.Block) (Message, error) {
	var w receivedPrePrepare
	if err := rlp.DecodeBytes(payload, &w); err != nil {
		return nil, err
	}
	if err := checkRound(w.Signed.Body.Round); err != nil {
		return nil, err
	}
	if err := checkLength("signature", w.Signed.Signature, SignatureLength); err != nil {
		return nil, err
	}
	block, err := decodeBlock(w.Signed.Body.Block, known)
	if err != nil {
		return nil, fmt.Errorf("proposed block: %w", err)
	}
	m := &PrePrepare{Sequence: w.Signed.Body.Sequence, Round: w.Signed.Body.Round, Block: block}
	m.encoded.Store(&encodedBlock{block, w.Signed.Body.Block})
	m.sig = w.Signed.Signature
	changes, err := decodeList[signedRoundChangeWire](w.Justification.RoundChanges)
	if err != nil {
		return nil, fmt.Errorf("justification: round changes: %w", err)
	}
	for i := range changes {
		if err := changes[i].check(); err != nil {
			return nil, fmt.Errorf("justification: round change %d: %w", i, err)
		}
		c := new(SignedRoundChange)
		c.take(&changes[i])
		m.RoundChanges = append(m.RoundChanges, c)
	}
	if m.Prepares, err = decodePrepares(w.Justification.Prepares); err != nil {
		return nil, fmt.Errorf("justification: %w", err)
	}
	return m, nil
}

// decodeBlock decodes a block, unless it is known.
func decodeBlock(raw []byte, known func([]byte) *types.Block) (*types.Block, error) {
	if known != nil {
		if block := known(raw); block != nil {
			return block, nil
		}
	}
	block := new(types.Block)
	if err := rlp.DecodeBytes(raw, block); err != nil {
		return nil, err
	}
	return block, nil
}

// decodePrepares decodes a list of PREPAREs; an empty one is nil.
func decodePrepares(raw []byte) ([]*Prepare, error) {
	votes, err := decodeList[voteWire](raw)
	if err != nil {
		return nil, fmt.Errorf("prepares: %w", err)
	}
	var list []*Prepare
	for i := range votes {
		w := &votes[i]
		if err := w.check(); err != nil {
			return nil, fmt.Errorf("prepare %d: %w", i, err)
		}
		list = append(list, w.prepare())
	}
	return list, nil
}

// decodeList decodes a list whose items are counted before any of them is made.
func decodeList[T any](raw []byte) ([]T, error) {
	content, _, err := rlp.SplitList(raw)
	if err != nil {
		return nil, err
	}
	n, err := rlp.CountValues(content)
	if err != nil {
		return nil, err
	}
	if n > MaxListLength {
		return nil, fmt.Errorf("list of %d items is longer than %d", n, MaxListLength)
	}
	list := make([]T, 0, n)
	if err := rlp.DecodeBytes(raw, &list); err != nil {
		return nil, err
	}
	return list, nil
}

// absent reports whether an optional item of a ROUND-CHANGE is one of the two empty forms (spec wbft 4.2).
func absent(raw []byte) bool {
	return bytes.Equal(raw, rlp.EmptyString) || bytes.Equal(raw, rlp.EmptyList)
}

// checkRound refuses rounds that no seal can be made for: extraData holds them in 32 bits (spec wbft 1.2).
func checkRound(round uint64) error {
	if round > math.MaxUint32 {
		return fmt.Errorf("round %d has more than 32 bits", round)
	}
	return nil
}

func checkLength(what string, b []byte, want int) error {
	if len(b) != want {
		return fmt.Errorf("%s has %d bytes instead of %d", what, len(b), want)
	}
	return nil
}
