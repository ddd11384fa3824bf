// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
)

// priorSequence is the sequence just finished: the head, the set that sealed it, and the votes for it in the round
// that its stored header names. Seals of any other round would spoil the next header (spec wbft 5.8, 9.2 no. 10).
type priorSequence struct {
	header *types.Header
	digest common.Hash
	round  uint32
	set    *validators.Set

	prepares, commits tally
}

// keepPrior keeps what the next header may use of the sequence that ends with this head. Nothing is kept when the chain
// jumped over several blocks: the set that sealed the head is not known here then, and nil. x is the header's extra data, nil if it has none.
func (c *Core) keepPrior(header *types.Header, set *validators.Set, x *types.WBFTExtra) {
	c.prior = nil
	if set == nil || x == nil || x.CommittedSeal == nil || x.PreparedSeal == nil {
		return // or genesis, or a header no seal can be added to
	}
	p := &priorSequence{
		header:   header,
		digest:   header.Hash(),
		round:    x.Round,
		set:      set,
		prepares: newTally(extra.Prepare, set.Len()),
		commits:  newTally(extra.Commit, set.Len()),
	}
	if rs := c.rounds[uint64(x.Round)]; rs != nil && header.Number.Uint64() == c.sequence {
		p.prepares, p.commits = rs.prepares, rs.commits
	}
	c.prior = p
}

// priorSet returns the set that sealed the header, if it is known: it follows from the parent, not from the number, for a chain can be set
// back and come again with the validators in another order.
func (c *Core) priorSet(header *types.Header) *validators.Set {
	switch {
	case c.head == nil:
		return nil
	case header.ParentHash == c.head.Header.Hash():
		return c.head.Set
	case c.prior != nil && header.ParentHash == c.prior.header.ParentHash:
		return c.prior.set // another block at the height of the head
	}
	return nil
}

// admitPrior takes a vote for the head that came after the decision (spec wbft 5.8).
func (c *Core) admitPrior(m messages.Message, payload []byte) {
	digest, seal := ballotOf(m)
	p := c.prior
	switch {
	case p == nil || seal == nil:
		c.drop("old sequence")
		return
	case m.View().Round != uint64(p.round):
		c.drop("late vote of another round than the head was sealed in")
		return
	case digest != p.digest:
		c.drop("late vote for another block than the head")
		return
	}
	sender, err := m.Signer()
	if err != nil {
		c.drop("unrecoverable signature: " + err.Error())
		return
	}
	index, ok := p.set.Index(sender)
	if !ok {
		c.drop("signer was not a validator of the head")
		return
	}
	c.hear(sender, m.Code())
	t := &p.prepares
	if m.Code() == messages.CodeCommit {
		t = &p.commits
	}
	if t.bySender[index] != nil {
		c.drop("duplicate vote")
		return
	}
	t.bySender[index] = &vote{index: index, digest: digest, seal: seal, message: m, payload: payload, relayed: true}
	c.emit(Relay{Code: m.Code(), Payload: payload, View: m.View(), Author: sender})
}

// LateSeals returns the seals over the head that arrived beyond those in its stored header, by index in the set that
// sealed it, for the proposer of the next block to merge (spec wbft 5.8). They are of the stored round, none of them is
// in the header already, and all of one kind together verify. digest is the head's hash, zero if nothing is known.
func (c *Core) LateSeals() (round uint32, digest common.Hash, prepared, committed map[int]scheme.Signature) {
	p := c.prior
	if p == nil {
		return 0, common.Hash{}, nil, nil
	}
	x, err := p.header.WBFTExtra()
	if err != nil {
		return 0, common.Hash{}, nil, nil
	}
	prepares, commits := p.late(&p.prepares, x.PreparedSeal), p.late(&p.commits, x.CommittedSeal)
	c.vouch(p, prepares, commits)
	return p.round, p.digest, c.verifyLate(p, prepares), c.verifyLate(p, commits)
}

// late returns the votes of a tally that are not part of an aggregate; none when that cannot be read.
func (p *priorSequence) late(t *tally, seal *types.WBFTSeal) *tally {
	rest := newTally(t.kind, p.set.Len())
	sealed, err := validators.DecodeSealers(seal.Sealers, p.set.Len())
	if err != nil {
		return &rest
	}
	copy(rest.bySender, t.bySender)
	for _, i := range sealed {
		rest.bySender[i] = nil
	}
	return &rest
}

// vouch verifies the seals of both kinds in one go, which costs little more than those of one. When some are bad nothing is known of any.
func (c *Core) vouch(p *priorSequence, tallies ...*tally) {
	var votes []*vote
	var lots []scheme.Singles
	for _, t := range tallies {
		unknown := slices.DeleteFunc(t.matching(p.digest), func(v *vote) bool { return v.verified || c.suspected(p.authorOf(v)) })
		if len(unknown) == 0 {
			return // verifyLate does it at the same price
		}
		message := extra.SealDigest(p.header, p.round, t.kind)
		keys, seals := keysAndSeals(p.set, unknown)
		votes, lots = append(votes, unknown...), append(lots, scheme.Singles{Keys: keys, Message: message[:], Seals: seals})
	}
	if scheme.AllValid(lots...) {
		for _, v := range votes {
			v.verified = true
		}
	}
}

// verifyLate verifies what is not yet known of late votes and returns the good seals.
func (c *Core) verifyLate(p *priorSequence, late *tally) map[int]scheme.Signature {
	suspected := func(v *vote) bool { return c.suspected(p.authorOf(v)) }
	for _, v := range late.verify(p.set, p.header, p.digest, uint64(p.round), p.set.Len(), suspected) {
		c.suspect(p.authorOf(v))
	}
	return late.seals(p.digest)
}

func (p *priorSequence) authorOf(v *vote) common.Address { return p.set.At(v.index).Address }
