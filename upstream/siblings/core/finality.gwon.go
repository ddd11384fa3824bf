// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/metrics"
)

// ErrFinalReorg means that a block would replace a final one, so that two quorums have sealed different blocks.
var ErrFinalReorg = errors.New("the block would replace a final block")

// MarkFinal makes a canonical block with a quorum of seals the finalized and safe block (spec wbft 7.5). The marks
// never go back. They are not stored, unlike those of SetFinalized: a stored mark lets the freezer move the head itself
// into the ancient store, and a crash then loses blocks that are final.
func (bc *BlockChain) MarkFinal(header *types.Header) {
	raise(&bc.currentFinalBlock, headFinalizedBlockGauge, header)
	raise(&bc.currentSafeBlock, headSafeBlockGauge, header)
}

func raise(mark *atomic.Pointer[types.Header], gauge *metrics.Gauge, header *types.Header) {
	for {
		old := mark.Load()
		if old != nil && old.Number.Cmp(header.Number) >= 0 {
			return
		}
		if mark.CompareAndSwap(old, header) {
			gauge.Update(header.Number.Int64())
			return
		}
	}
}

// forbidReorg returns ErrFinalReorg when one of the blocks, given from the head down, that are to leave the canonical
// chain of an Anzeon chain is final.
func (bc *BlockChain) forbidReorg(dropped []*types.Header) error {
	if bc.chainConfig.Anzeon == nil || len(dropped) == 0 {
		return nil
	}
	final, lowest := bc.CurrentFinalBlock(), dropped[len(dropped)-1]
	if final == nil || lowest.Number.Cmp(final.Number) > 0 {
		return nil
	}
	return fmt.Errorf("%w: block %d %x, final up to %d", ErrFinalReorg, lowest.Number, lowest.Hash(), final.Number)
}
