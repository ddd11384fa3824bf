// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"maps"
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

	prepares, commits lateVotes
}

// lateVotes are the votes of one kind for the head.
type lateVotes struct {
	tally
	sum map[int]scheme.Signature // seals beyond those in the head's header that hold in sum, all of them together
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
		prepares: lateVotes{newTally(extra.Prepare, set.Len()), make(map[int]scheme.Signature)},
		commits:  lateVotes{newTally(extra.Commit, set.Len()), make(map[int]scheme.Signature)},
	}
	if rs := c.rounds[uint64(x.Round)]; rs != nil && header.Number.Uint64() == c.sequence {
		p.prepares.tally, p.commits.tally = rs.prepares, rs.commits
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
func (c *Core) admitPrior(env *messages.Envelope) {
	m := env.Vote()
	digest, seal := ballotOf(m)
	p := c.prior
	switch {
	case p == nil || seal == nil:
		c.dropFor(CauseLate, "old sequence")
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
	c.hear(sender, env.Code, env.View)
	t := &p.prepares
	if m.Code() == messages.CodeCommit {
		t = &p.commits
	}
	if t.bySender[index] != nil {
		c.drop("duplicate vote")
		return
	}
	t.bySender[index] = &vote{index: index, digest: digest, seal: seal, message: m, payload: env.Payload, arrived: c.now, relayed: true}
	c.passOn(Relay{Code: env.Code, Payload: env.Payload, View: env.View, Author: sender})
}

// LateSeals returns the sums of the seals over the head that arrived beyond those in its stored header, for the proposer of the next block to
// add (spec wbft 5.8). They are of the stored round, none of them is in the header already, and each sum verifies; it is nil where nothing came
// late. digest is the head's hash, zero if nothing is known.
func (c *Core) LateSeals() (round uint32, digest common.Hash, prepared, committed *types.WBFTSeal) {
	p := c.prior
	if p == nil {
		return 0, common.Hash{}, nil, nil
	}
	x, err := p.header.WBFTExtra()
	if err != nil {
		return 0, common.Hash{}, nil, nil
	}
	c.verifyLate(p, x)
	return p.round, p.digest, p.prepares.seal(), p.commits.seal()
}

// seal returns the sum of the verified seals, nil if there are none.
func (l *lateVotes) seal() *types.WBFTSeal {
	if len(l.sum) == 0 {
		return nil
	}
	return &types.WBFTSeal{Sealers: validators.EncodeSealers(slices.Collect(maps.Keys(l.sum))), Signature: scheme.Sum(slices.Collect(maps.Values(l.sum)))}
}

// verifyLate adds the seals that are neither in the header nor added yet. They are verified in sum, for nothing else is made of them, and those
// of both kinds in one go, which costs little more than one kind. When that fails the bad ones are looked for, and who has sent them
// is a suspect; the seals of suspects are verified one by one.
func (c *Core) verifyLate(p *priorSequence, x *types.WBFTExtra) {
	type group struct {
		of    *lateVotes
		votes []*vote
		lot   scheme.Singles
	}
	examine := func(g group) {
		for _, i := range scheme.Invalid(g.lot.Keys, g.lot.Message, g.lot.Seals) {
			g.votes[i].bad = true
			c.suspect(p.authorOf(g.votes[i]))
		}
		g.of.add(g.votes)
	}
	var groups []group
	var lots []scheme.Singles
	aggregates := []*types.WBFTSeal{x.PreparedSeal, x.CommittedSeal}
	for i, of := range []*lateVotes{&p.prepares, &p.commits} {
		fresh := p.fresh(of, aggregates[i])
		if len(fresh) == 0 {
			continue
		}
		var trusted []*vote
		message := extra.SealDigest(p.header, p.round, of.kind)
		for _, v := range fresh {
			if c.suspected(p.authorOf(v)) {
				examine(group{of, []*vote{v}, singles(p.set, []*vote{v}, message)})
			} else {
				trusted = append(trusted, v)
			}
		}
		if len(trusted) > 0 {
			lot := singles(p.set, trusted, message)
			groups, lots = append(groups, group{of, trusted, lot}), append(lots, lot)
		}
	}
	good := scheme.SumsValid(lots...)
	for _, g := range groups {
		if good {
			g.of.add(g.votes)
		} else {
			examine(g)
		}
	}
}

// fresh returns the votes for the head that are neither part of an aggregate over it nor of the sum; none when the aggregate cannot be read.
func (p *priorSequence) fresh(of *lateVotes, aggregate *types.WBFTSeal) []*vote {
	sealed, err := validators.DecodeSealers(aggregate.Sealers, p.set.Len())
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(of.matching(p.digest), func(v *vote) bool { return of.sum[v.index] != nil || slices.Contains(sealed, v.index) })
}

// add takes those seals into the sum that are not bad.
func (l *lateVotes) add(votes []*vote) {
	for _, v := range votes {
		if !v.bad {
			l.sum[v.index] = v.decoded()
		}
	}
}

func (p *priorSequence) authorOf(v *vote) common.Address { return p.set.At(v.index).Address }
