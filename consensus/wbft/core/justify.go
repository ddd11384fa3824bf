// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
)

// checkJustification verifies that a proposal is justified (spec wbft 5.9), with the checks that go-stablenet leaves
// out (spec wbft 9.1 no. 1): first what the ROUND-CHANGEs say, then their authors, then the block.
func (c *Core) checkJustification(m *messages.PrePrepare) error {
	if m.Round == 0 {
		return checkUnjustified(m)
	}
	if err := checkRoundChanges(m.View(), m.RoundChanges, c.set().Quorum(), c.set().Len()); err != nil {
		return err
	}
	if err := c.checkAuthors(m); err != nil {
		return err
	}
	return c.checkJustifiedBlock(m)
}

// checkUnjustified checks that a proposal of round 0 carries nothing that would be relayed without need.
func checkUnjustified(m *messages.PrePrepare) error {
	if len(m.RoundChanges)+len(m.Prepares) > 0 {
		return errors.New("round 0 needs no justification")
	}
	return nil
}

// checkRoundChanges checks the number of ROUND-CHANGEs and that all are of the view. One that claims a later prepared
// round supports nothing and spoils nothing: a proposer of go-stablenet passes it on (spec wbft 5.7).
func checkRoundChanges(view messages.View, changes []*messages.SignedRoundChange, quorum, size int) error {
	if n := len(changes); n < quorum || n > size {
		return fmt.Errorf("%d ROUND-CHANGEs, want %d to %d", n, quorum, size)
	}
	for i, rc := range changes {
		switch {
		case rc.Sequence != view.Sequence:
			return fmt.Errorf("ROUND-CHANGE %d is of sequence %d, want %d", i, rc.Sequence, view.Sequence)
		case rc.Round != view.Round:
			return fmt.Errorf("ROUND-CHANGE %d is to round %d, want %d", i, rc.Round, view.Round)
		}
	}
	return nil
}

// checkAuthors verifies that the ROUND-CHANGEs of a justification are signed by distinct validators.
func (c *Core) checkAuthors(m *messages.PrePrepare) error {
	known := c.knownRoundChanges(m.Round)
	senders := newSenders(c.set())
	for i, rc := range m.RoundChanges {
		index, ok := known[string(rc.Signature())+string(rc.SigningPayload())]
		if !ok {
			sender, err := rc.Signer()
			if err != nil {
				return fmt.Errorf("ROUND-CHANGE %d: %w", i, err)
			}
			if index, ok = c.set().Index(sender); !ok {
				return fmt.Errorf("ROUND-CHANGE %d: %s is not a validator", i, sender)
			}
		}
		if err := senders.add(index); err != nil {
			return fmt.Errorf("ROUND-CHANGE %d: %w", i, err)
		}
	}
	return nil
}

// checkJustifiedBlock verifies that the ROUND-CHANGEs allow the block, and that the PREPAREs for it are a quorum.
func (c *Core) checkJustifiedBlock(m *messages.PrePrepare) error {
	err := checkClaims(m.View(), m.Block.Hash(), m.RoundChanges, m.Prepares, c.set().Quorum())
	if err != nil || len(m.Prepares) == 0 {
		return err
	}
	return c.certs.checkPrepares(m.Prepares, m.Prepares[0].Round, m.Block)
}

// checkClaims checks that the prepared claims of ROUND-CHANGEs allow the block, given the PREPAREs for it, if any.
func checkClaims(
	view messages.View, digest common.Hash, changes []*messages.SignedRoundChange, prepares []*messages.Prepare,
	quorum int,
) error {
	supporting := 0
	if len(prepares) == 0 {
		for _, rc := range changes {
			if rc.Prepared == nil {
				supporting++
			}
		}
		if supporting < quorum {
			return fmt.Errorf("%d of %d senders were not prepared, and no PREPAREs are given", supporting, quorum)
		}
		return nil
	}
	prepared, claimed := prepares[0].Round, false
	if prepared > view.Round {
		return fmt.Errorf("prepared round %d is above round %d", prepared, view.Round)
	}
	for _, rc := range changes {
		if rc.Prepared == nil || rc.Prepared.Round <= prepared {
			supporting++
		}
		if rc.Prepared != nil && rc.Prepared.Round == prepared && rc.Prepared.Digest == digest {
			claimed = true
		}
	}
	if supporting < quorum {
		return fmt.Errorf("%d of %d senders were prepared no higher than round %d", supporting, quorum, prepared)
	}
	if !claimed {
		return fmt.Errorf("no sender was prepared for the block in round %d", prepared)
	}
	return nil
}

// knownRoundChanges returns the authors of the verified ROUND-CHANGEs to a round, by signature and signed content.
func (c *Core) knownRoundChanges(round uint64) map[string]int {
	set := c.roundChanges[round]
	if set == nil {
		return nil
	}
	known := make(map[string]int, set.count)
	for i, ch := range set.bySender {
		if ch != nil {
			known[string(ch.message.Signature())+string(ch.message.SigningPayload())] = i
		}
	}
	return known
}
