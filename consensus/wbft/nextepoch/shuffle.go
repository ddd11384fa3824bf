// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package nextepoch

import (
	"encoding/binary"
	"sort"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// shuffleRounds is the number of rounds of the swap-or-not network (spec wbft 3.5 step 5).
const shuffleRounds = 33

// SortCandidates returns the candidate indices in descending order of diligence (spec wbft 3.5 step 4). The order of
// equal ones is what Go's sort.Slice happens to produce, and it is part of consensus: no other sort may stand here.
func SortCandidates(diligence []uint64) []int {
	order := make([]int, len(diligence))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return diligence[order[i]] > diligence[order[j]] })
	return order
}

// Shuffle returns where each index 0..n-1 goes in the swap-or-not network over keccak (spec wbft 3.5 step 5). All
// indices go through a round together, since up to 256 of them share one hash.
func Shuffle(n int, seed common.Hash) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	if n == 0 {
		return at
	}
	source := make([][32]byte, (n+255)/256)
	input := make([]byte, len(seed)+1+4)
	copy(input, seed[:])
	for round := range shuffleRounds {
		input[32] = byte(round)
		head := crypto.Keccak256(input[:33])
		pivot := int(binary.LittleEndian.Uint64(head) % uint64(n))
		for block := range source {
			binary.LittleEndian.PutUint32(input[33:], uint32(block))
			source[block] = crypto.Keccak256Hash(input)
		}
		for i, index := range at {
			flip := (pivot + n - index) % n
			pos := max(index, flip)
			if source[pos>>8][pos&0xff>>3]>>(pos&7)&1 == 1 {
				at[i] = flip
			}
		}
	}
	return at
}
