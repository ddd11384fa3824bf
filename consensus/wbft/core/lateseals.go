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

// priorSequence is the sequence that the head decided: the head, the set that sealed it, and the votes for it in the
// round of its stored header. Seals of another round would spoil the next header (spec wbft 5.8, 9.2 no. 10).
type priorSequence struct {
	header *types.Header
	digest common.Hash
	round  uint32
	set    *validators.Set

	prepares, commits lateVotes
}

// lateVotes holds the votes of one kind for the head.
type lateVotes struct {
	tally
	sum map[int]scheme.Signature // seals beyond those of the header that are good in sum, all together
}

func newLateVotes(kind byte, n int) lateVotes {
	return lateVotes{newTally(kind, n), make(map[int]scheme.Signature)}
}

// voted reports whether a validator of the prior set has voted for the head.
func (p *priorSequence) voted(index int) bool {
	return p.prepares.supports(index, p.digest) || p.commits.supports(index, p.digest)
}

// authorOf returns the author of a vote for the head.
func (p *priorSequence) authorOf(v *vote) common.Address { return p.set.At(v.index).Address }

// keepPrior keeps what the next header may use of the sequence that a head decides. set is nil if the chain jumped
// over blocks, and x is nil for extra data of another form.
func (c *Core) keepPrior(header *types.Header, set *validators.Set, x *types.WBFTExtra) {
	c.prior = nil
	if set == nil || x == nil || x.CommittedSeal == nil || x.PreparedSeal == nil {
		return // also for genesis, to which no seal can be added
	}
	p := &priorSequence{
		header:   header,
		digest:   header.Hash(),
		round:    x.Round,
		set:      set,
		prepares: newLateVotes(extra.Prepare, set.Len()),
		commits:  newLateVotes(extra.Commit, set.Len()),
	}
	if rs := c.rounds[uint64(x.Round)]; rs != nil && header.Number.Uint64() == c.sequence {
		p.prepares.tally, p.commits.tally = rs.prepares, rs.commits
	}
	c.prior = p
}

// priorSet returns the set that sealed a header, nil if it is unknown. It follows from the parent, not from the number:
// a chain that was set back may continue with the validators in another order.
func (c *Core) priorSet(header *types.Header) *validators.Set {
	switch {
	case c.head == nil:
		return nil
	case header.ParentHash == c.head.Header.Hash():
		return c.head.Set
	case c.prior != nil && header.ParentHash == c.prior.header.ParentHash:
		return c.prior.set // another block of the same height as the head
	}
	return nil
}

// admitPrior counts a vote for the head that came after the decision (spec wbft 5.8).
func (c *Core) admitPrior(env *messages.Envelope) *rejection {
	m := env.Vote()
	digest, seal, _ := messages.Ballot(m)
	p := c.prior
	switch {
	case p == nil || seal == nil:
		return reject(late, "old sequence")
	case m.View().Round != uint64(p.round):
		return reject(ordinary, "late vote of another round than the head was sealed in")
	case digest != p.digest:
		return reject(ordinary, "late vote for another block than the head")
	}
	sender, err := m.Signer()
	if err != nil {
		return reject(ordinary, "unrecoverable signature: "+err.Error())
	}
	index, ok := p.set.Index(sender)
	if !ok {
		return reject(ordinary, "signer was not a validator of the head")
	}
	c.hear(sender, env.Code, env.View)
	t := &p.prepares
	if m.Code() == messages.CodeCommit {
		t = &p.commits
	}
	if t.bySender[index] != nil {
		return reject(ordinary, "duplicate vote")
	}
	t.bySender[index] = &vote{
		index: index, digest: digest, seal: seal, message: m, payload: env.Payload, arrived: c.now, relayed: true,
	}
	c.note(Note{Kind: NoteLateSeal, View: env.View, Code: env.Code, Author: sender})
	c.relay(Relay{Code: env.Code, Payload: env.Payload, View: env.View, Author: sender})
	return nil
}

// LateSeals returns the sums of the seals over the head beyond those of its stored header, for the next proposer to
// add (spec wbft 5.8). They are of the stored round and each sum verifies; nil means that none arrived. digest is the
// head's hash, zero if nothing is known.
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

// lateLot is a lot of late seals of one kind that are verified together.
type lateLot struct {
	of    *lateVotes
	votes []*vote
	seals scheme.Singles
}

// verifyLate adds the late seals that are good to the sums. Both kinds are verified at once, in sum, for nothing but
// the sums is used. If that fails the bad seals are found, and their authors are suspects from then on.
func (c *Core) verifyLate(p *priorSequence, x *types.WBFTExtra) {
	trusted, suspected := c.lateLots(p, x)
	for _, lot := range suspected {
		c.judgeLate(p, lot, scheme.FindBad(lot.seals))
	}
	seals := make([]scheme.Singles, len(trusted))
	for i, lot := range trusted {
		seals[i] = lot.seals
	}
	good := scheme.SumsValid(seals...)
	for _, lot := range trusted {
		var bad []int
		if !good {
			bad = scheme.FindBad(lot.seals)
		}
		c.judgeLate(p, lot, bad)
	}
}

// lateLots returns the late seals that are not verified yet: one lot of each kind, and one for each seal of a suspect.
func (c *Core) lateLots(p *priorSequence, x *types.WBFTExtra) (trusted, suspected []lateLot) {
	aggregates := []*types.WBFTSeal{x.PreparedSeal, x.CommittedSeal}
	for i, of := range []*lateVotes{&p.prepares, &p.commits} {
		fresh := p.fresh(of, aggregates[i])
		if len(fresh) == 0 {
			continue
		}
		message := extra.SealDigest(p.header, p.round, of.kind)
		lot := func(votes ...*vote) lateLot { return lateLot{of, votes, singles(p.set, votes, message)} }
		var together []*vote
		for _, v := range fresh {
			if c.certs.isSuspect(p.authorOf(v)) {
				suspected = append(suspected, lot(v))
			} else {
				together = append(together, v)
			}
		}
		if len(together) > 0 {
			trusted = append(trusted, lot(together...))
		}
	}
	return trusted, suspected
}

// judgeLate marks the bad seals of a lot, whose authors become suspects, and adds the others to the sum.
func (c *Core) judgeLate(p *priorSequence, lot lateLot, bad []int) {
	for _, i := range bad {
		lot.votes[i].bad = true
		c.certs.suspect(p.authorOf(lot.votes[i]))
	}
	for _, v := range lot.votes {
		if !v.bad {
			lot.of.sum[v.index] = v.decoded()
		}
	}
}

// fresh returns the votes for the head that are neither part of an aggregate over it nor of the sum. It returns none
// if the aggregate cannot be read.
func (p *priorSequence) fresh(of *lateVotes, aggregate *types.WBFTSeal) []*vote {
	sealed, err := validators.DecodeSealers(aggregate.Sealers, p.set.Len())
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(of.matching(p.digest), func(v *vote) bool {
		return of.sum[v.index] != nil || slices.Contains(sealed, v.index)
	})
}

// seal returns the sum of the verified seals, nil without any.
func (l *lateVotes) seal() *types.WBFTSeal {
	if len(l.sum) == 0 {
		return nil
	}
	return &types.WBFTSeal{
		Sealers:   validators.EncodeSealers(slices.Collect(maps.Keys(l.sum))),
		Signature: scheme.Sum(slices.Collect(maps.Values(l.sum))),
	}
}

// sealersOf returns the indices in an aggregate, none if it is absent or cannot be read.
func sealersOf(seal *types.WBFTSeal, set *validators.Set) []int {
	if seal == nil {
		return nil
	}
	list, err := validators.DecodeSealers(seal.Sealers, set.Len())
	if err != nil {
		return nil
	}
	return list
}
