// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package messages

import (
	"slices"

	"github.com/ethereum/go-ethereum/rlp"
)

// Restate returns an encoded ROUND-CHANGE in other bytes with the same content, for a receiver that knows the first
// bytes. Only unsigned parts differ: the two forms of an absent part, or the order of PREPAREs (spec wbft 4.2). k
// counts from 1; ok is false if there is no k-th form.
func Restate(payload []byte, k int) (restated []byte, ok bool) {
	parts, err := splitExact(payload, 3)
	if err != nil || k < 1 {
		return nil, false
	}
	if absent(parts[1]) && absent(parts[2]) {
		if k > 3 {
			return nil, false
		}
		form := func(bit int) []byte {
			if k&bit != 0 {
				return rlp.EmptyString
			}
			return rlp.EmptyList
		}
		return encode([]rlp.RawValue{parts[0], form(1), form(2)}), true
	}
	var prepares []rlp.RawValue
	if err := rlp.DecodeBytes(parts[2], &prepares); err != nil || k >= len(prepares) {
		return nil, false
	}
	turned := slices.Concat(prepares[k:], prepares[:k])
	return encode([]rlp.RawValue{parts[0], parts[1], encode(turned)}), true
}
