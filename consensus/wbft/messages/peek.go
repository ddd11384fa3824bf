// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package messages

import (
	"errors"

	"github.com/ethereum/go-ethereum/rlp"
)

// PeekSequence returns the sequence of a payload without decoding the rest, which may have 10 MiB. It is the first
// integer of the first list, at most three lists deep, in all kinds of messages (spec wbft 4.2).
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
