// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
)

// StillNeeded returns the deferred relays that are still worth sending, with their receivers. What a validator has
// sent meanwhile shows what it has: a vote shows the proposal, a COMMIT a quorum of PREPAREs. Offered certificates are
// verified here, all together (docs/adr/0043-deferred-relays.md).
func (c *Core) StillNeeded(relays []Relay) []Relay {
	if c.head == nil {
		return nil
	}
	var needed []Relay
	var offered []*messages.RoundChange
	for _, r := range relays {
		if r.To = c.inNeed(&r); len(r.To) == 0 {
			continue
		}
		needed = append(needed, r)
		if r.offered != nil {
			offered = append(offered, r.offered)
		}
	}
	c.certs.proveOffered(offered)
	for i := range needed {
		if m := needed[i].offered; m != nil {
			needed[i].Payload, needed[i].offered = c.certs.provenForm(m), nil
		}
	}
	return slices.DeleteFunc(needed, func(r Relay) bool { return r.Payload == nil })
}

// inNeed returns the validators that may lack a message and have use for it.
func (c *Core) inNeed(r *Relay) []common.Address {
	if r.View.Sequence+1 == c.sequence {
		return c.nextProposerInNeed(r)
	}
	if r.View.Sequence != c.sequence || c.state == Committed || !c.isValidator() {
		return nil
	}
	var list []common.Address
	for i := range c.set().Len() {
		if a := c.set().At(i).Address; a != c.cfg.Address && a != r.Author && !c.isPast(i, r) {
			list = append(list, a)
		}
	}
	return list
}

// isPast reports whether the messages of a validator show that it needs a message of this sequence no more.
func (c *Core) isPast(index int, r *Relay) bool {
	rs := c.rounds[r.View.Round]
	switch r.Code {
	case messages.CodePrePrepare:
		return rs != nil && rs.voted(index, rs.digest)
	case messages.CodePrepare:
		return rs != nil && rs.commits.supports(index, rs.digest)
	case messages.CodeRoundChange:
		if rs != nil && rs.voted(index, rs.digest) {
			return true
		}
		for round, set := range c.roundChanges {
			if round > r.View.Round && set.bySender[index] != nil {
				return true
			}
		}
	}
	return false
}

// nextProposerInNeed returns the next proposer if this node proposed the head and the next proposer has use for a late
// vote.
func (c *Core) nextProposerInNeed(r *Relay) []common.Address {
	p := c.prior
	if p == nil || p.header.Coinbase != c.cfg.Address || c.proposer == c.cfg.Address || c.proposer == r.Author {
		return nil
	}
	x, err := p.header.WBFTExtra()
	if err != nil || r.View.Round != uint64(p.round) {
		return nil
	}
	seal := x.PreparedSeal
	switch r.Code {
	case messages.CodePrepare:
	case messages.CodeCommit:
		seal = x.CommittedSeal
	default:
		return nil
	}
	index, ok := p.set.Index(r.Author)
	sealed, err := validators.DecodeSealers(seal.Sealers, p.set.Len())
	if !ok || err != nil || slices.Contains(sealed, index) {
		return nil
	}
	return []common.Address{c.proposer}
}
