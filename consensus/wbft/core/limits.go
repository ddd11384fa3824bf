// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/core/rules"
)

// maxFreeBytes bounds in bytes what is free in the extra data of a new proposal: the client text, of which both clients
// write 32 bytes (spec wbft 1.3), and zeros behind the bitmaps of the previous seals, which both clients leave out
// (spec wbft 2.5). They cost their proposer nothing, and no node can prune them.
const maxFreeBytes = 1024

// checkFresh returns an error for a new proposal that would be too large once n validators change rounds with it or
// have sealed it. docs/consensus.md lists these bounds. A prepared block has none: it may be decided elsewhere.
func checkFresh(block *types.Block, size, n int) error {
	if most := messages.MaxProposal(n); size > most {
		return fmt.Errorf("block has %d bytes, at most %d are allowed among %d validators", size, most, n)
	}
	x, err := block.Header().WBFTExtra()
	if err != nil {
		return nil // the gate returns this error
	}
	zeros := rules.SealPadding(x.PrevPreparedSeal) + rules.SealPadding(x.PrevCommittedSeal)
	if free := len(x.Vanity) + zeros; free > maxFreeBytes {
		return fmt.Errorf("the extra data has %d bytes of client text and %d zeros behind previous seals, at most %d "+
			"together are allowed", len(x.Vanity), zeros, maxFreeBytes)
	}
	sealed, err := rules.SealedBlockSize(block.Header(), size, n)
	if err != nil {
		return err
	}
	if sealed > rules.MaxBlock {
		return fmt.Errorf("block sealed by %d validators has %d bytes, at most %d are allowed", n, sealed, rules.MaxBlock)
	}
	if sealed := rules.SealedExtraSize(x, n); sealed > rules.MaxExtra {
		return fmt.Errorf("extra data sealed by %d validators has %d bytes, at most %d are allowed",
			n, sealed, rules.MaxExtra)
	}
	return nil
}

// fits reports whether a payload can be sent. A receiver ends the connection for a larger one (spec wbft 4.1).
func fits(payload []byte) bool { return len(payload) <= messages.Limit() }

// unsendable returns the effect that replaces a message above the limit.
func (c *Core) unsendable(code uint64, payload []byte) Failed {
	return Failed{Err: fmt.Errorf("message %#x of sequence %d, round %d has %d bytes, at most %d can be sent",
		code, c.sequence, c.round, len(payload), messages.Limit())}
}
