// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package observer

import (
	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/validators"
)

// seals names the validators of a set that have sealed one block, by index.
type seals struct {
	set *validators.Set
	by  []bool
}

// window counts the seals of each validator over the newest blocks.
type window struct {
	size   int
	blocks []seals                // oldest first
	given  map[common.Address]int // seals of a validator
	due    map[common.Address]int // blocks that a validator was in charge of
}

func newWindow(size int) *window {
	return &window{size: size, given: map[common.Address]int{}, due: map[common.Address]int{}}
}

// add counts the seals of the next block and forgets those of a block outside of the window.
func (w *window) add(block seals) {
	w.count(block, 1)
	w.blocks = append(w.blocks, block)
	if len(w.blocks) > w.size {
		w.count(w.blocks[0], -1)
		w.blocks = w.blocks[1:]
	}
}

func (w *window) count(block seals, by int) {
	for i, address := range block.set.Addresses() {
		if w.due[address] += by; w.due[address] == 0 {
			delete(w.due, address)
		}
		if !block.by[i] {
			continue
		}
		if w.given[address] += by; w.given[address] == 0 {
			delete(w.given, address)
		}
	}
}

// share returns the part of its blocks that a validator has sealed, from 0 to 1; 1 before it was in charge of any.
func (w *window) share(address common.Address) float64 {
	if w.due[address] == 0 {
		return 1
	}
	return float64(w.given[address]) / float64(w.due[address])
}
