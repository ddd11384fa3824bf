// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package messages

import (
	"errors"

	"github.com/ethereum/go-ethereum/rlp"
)

// PeekSequence returns the sequence that a payload says it is about without decoding the rest, which may be 10 MiB: it is the first
// integer of the first list, at most three lists deep, in all four kinds of messages (spec wbft 4.2).
func PeekSequence(payload []byte) (uint64, error) {
	rest := payload
	for range 4 {
		kind, content, _, err := rlp.Split(rest)
		if err != nil {
			return 0, err
		}
		if kind != rlp.List {
			sequence, _, err := rlp.SplitUint64(rest)
			return sequence, err
		}
		rest = content
	}
	return 0, errors.New("no sequence where messages have it")
}
