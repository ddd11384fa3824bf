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
// Encode of the result is payload again, but for absent parts of a ROUND-CHANGE, which have several forms.
func Decode(code uint64, payload []byte) (Message, error) { return DecodeKnown(code, payload, nil) }

// DecodeKnown is Decode for a receiver that gets the same block many times. known takes the encoding of a block, as a
// part of payload. It may return the block that was decoded from equal bytes before, or nil.
func DecodeKnown(code uint64, payload []byte, known func(raw []byte) *types.Block) (Message, error) {
	e, err := Open(code, payload)
	if err != nil {
		return nil, err
	}
	return e.Decode(known)
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

// absent reports whether an optional item of a ROUND-CHANGE is left out: the empty list, the empty string or a single
// byte (spec wbft 4.2).
func absent(raw []byte) bool {
	return bytes.Equal(raw, rlp.EmptyList) || len(raw) == 1 && raw[0] <= rlp.EmptyString[0]
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
