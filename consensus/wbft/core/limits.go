// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/core/rules"
)

// checkFresh returns an error for a proposal that nobody has prepared yet and that would not fit where it has to, once n validators
// change rounds with it or have sealed it. docs/consensus.md has the table of these bounds.
//
// A block that a quorum has prepared is not asked for that: it may be decided, and to refuse it could only keep this node from it.
func checkFresh(block *types.Block, size, n int) error {
	if most := messages.MaxProposal(n); size > most {
		return fmt.Errorf("block has %d bytes, a proposal among %d validators has at most %d", size, n, most)
	}
	x, err := block.Header().WBFTExtra()
	if err != nil {
		return nil // for the gate to say
	}
	if sealed := rules.SealedExtraSize(x, n); sealed > rules.MaxExtra {
		return fmt.Errorf("extra data has %d bytes once it is sealed by %d validators, at most %d are allowed", sealed, n, rules.MaxExtra)
	}
	return nil
}

// fits reports whether a payload can be sent. Every receiver ends the connection for a larger one (spec wbft 4.1).
func fits(payload []byte) bool { return len(payload) <= messages.Limit() }

// emit adds an effect. A message that is too large is none: the log says so instead.
func (c *Core) emit(e Effect) {
	switch m := e.(type) {
	case Send:
		if !fits(m.Payload) {
			e = c.unsendable(m.Code, m.Payload)
		}
	case Relay:
		if !fits(m.Payload) {
			e = c.unsendable(m.Code, m.Payload)
		}
	}
	c.effects = append(c.effects, e)
}

func (c *Core) unsendable(code uint64, payload []byte) Failed {
	return Failed{Err: fmt.Errorf("message %#x of sequence %d, round %d has %d bytes, at most %d can be sent",
		code, c.sequence, c.round, len(payload), messages.Limit())}
}
