// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/validators"
)

const (
	// shortestGap and longestGap are for how many turns of the whole set the messages of an author are passed on at
	// once to a validator that did not hear them. Each time that it turns out that the receiver still does not, the
	// span doubles.
	shortestGap = 4
	longestGap  = 64

	// maxGaps bounds how many pairs of validators are remembered.
	maxGaps = 4096
)

// gap names a validator that hears another one only through others.
type gap struct{ author, receiver common.Address }

// bridge is for how long this node passes on what the author says.
type bridge struct {
	until uint64 // last sequence
	span  uint64 // in sequences
}

// passOn relays a message of another validator: at once to those that do not hear its author, and to whoever needs it
// later.
func (c *Core) passOn(r Relay) {
	var list []common.Address
	for i := range c.set().Len() {
		receiver := c.set().At(i).Address
		b, known := c.gaps[gap{r.Author, receiver}]
		if known && b.until >= c.sequence && receiver != c.cfg.Address && (r.View.Sequence < c.sequence || !c.isPast(i, &r)) {
			list = append(list, receiver)
		}
	}
	if len(list) > 0 && r.Payload != nil {
		c.emit(Relay{Code: r.Code, Payload: r.Payload, To: list})
	}
	c.emit(r)
}

// noteGaps finds, when a head ends a sequence, who does not hear whom. Header and x are those of the new head; the
// sequence below it, whose votes had a whole period to arrive, is the prior one. What shows it is signed by the
// receiver: votes that it gives to this node's proposals and not to the author's, and seals that its own proposal
// leaves out. A receiver that lies gets more messages, each once.
func (c *Core) noteGaps(header *types.Header, x *types.WBFTExtra) {
	p := c.prior
	if p == nil || x == nil || header.ParentHash != p.digest || header.Number.Uint64() != c.sequence {
		return
	}
	maps.DeleteFunc(c.gaps, func(g gap, b bridge) bool {
		return b.until+uint64(c.set().Len())+2 < c.sequence || !c.set().Contains(g.author) || !c.set().Contains(g.receiver)
	})
	if own, member := p.set.Index(c.cfg.Address); !member || !p.commits.supports(own, p.digest) {
		return // this node did not follow the sequence itself
	}
	c.noteUnheard(p, x)
	c.noteLeftOut(p, header, x)
}

// noteUnheard notes who has not voted for the block of the prior sequence, and did for this node's last one.
func (c *Core) noteUnheard(p *priorSequence, x *types.WBFTExtra) {
	voted := make(map[common.Address]bool)
	for i := range p.set.Len() {
		voted[p.set.At(i).Address] = p.prepares.supports(i, p.digest) || p.commits.supports(i, p.digest)
	}
	if own, err := p.header.WBFTExtra(); err == nil {
		for _, seal := range []*types.WBFTSeal{own.PreparedSeal, own.CommittedSeal, x.PrevPreparedSeal, x.PrevCommittedSeal} {
			for _, i := range sealersOf(seal, p.set) {
				voted[p.set.At(i).Address] = true
			}
		}
	}
	proposer := p.header.Coinbase
	if proposer == c.cfg.Address {
		c.answers = voted
		return
	}
	for receiver, votes := range voted {
		if !votes && c.answers[receiver] && p.round == 0 {
			c.noteGap(gap{proposer, receiver})
		}
	}
}

// noteLeftOut notes whose votes the proposer of the head has left out although they were here in good time before its
// proposal.
func (c *Core) noteLeftOut(p *priorSequence, header *types.Header, x *types.WBFTExtra) {
	rs := c.rounds[0]
	if rs == nil || rs.digest != header.Hash() || x.Round != 0 || x.PrevRound != p.round || rs.signer == c.cfg.Address {
		return
	}
	inTime := rs.bound.Add(-c.head.Params.BlockPeriod / 2)
	for _, kind := range []struct {
		votes lateVotes
		seal  *types.WBFTSeal
	}{{p.prepares, x.PrevPreparedSeal}, {p.commits, x.PrevCommittedSeal}} {
		sealed := sealersOf(kind.seal, p.set)
		for _, v := range kind.votes.matching(p.digest) {
			author := p.authorOf(v)
			if !slices.Contains(sealed, v.index) && v.arrived.Before(inTime) && author != c.cfg.Address && !c.suspected(author) {
				c.noteGap(gap{author, header.Coinbase})
			}
		}
	}
}

// sealersOf returns the indices in an aggregate; none if there is no such aggregate.
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

// noteGap begins to bridge a gap, or goes on for twice as long when it is still there after the last time.
func (c *Core) noteGap(g gap) {
	turns := uint64(c.set().Len())
	b, known := c.gaps[g]
	switch {
	case g.author == g.receiver || g.receiver == c.cfg.Address || known && b.until >= c.sequence || !known && len(c.gaps) >= maxGaps:
		return
	case known:
		b.span = min(2*b.span, longestGap*turns)
	default:
		b.span = shortestGap * turns
	}
	b.until = c.sequence + b.span
	c.gaps[g] = b
}
