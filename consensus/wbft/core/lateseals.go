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
	return p.round, p.digest, c.missing(p, &p.prepares, x.PreparedSeal), c.missing(p, &p.commits, x.CommittedSeal)
}

// missing returns the valid seals of a tally that are not part of an aggregate.
func (c *Core) missing(p *priorSequence, t *tally, seal *types.WBFTSeal) map[int]scheme.Signature {
	sealed, err := validators.DecodeSealers(seal.Sealers, p.set.Len())
	if err != nil {
		return nil
	}
	rest := tally{kind: t.kind, bySender: slices.Clone(t.bySender)}
	for _, i := range sealed {
		rest.bySender[i] = nil
	}
	author := func(v *vote) common.Address { return p.set.At(v.index).Address }
	suspected := func(v *vote) bool { _, ok := c.suspects[author(v)]; return ok }
	for _, v := range rest.verify(p.set, p.header, p.digest, uint64(p.round), p.set.Len(), suspected) {
		c.suspect(author(v))
	}
	return rest.seals(p.digest)
}
