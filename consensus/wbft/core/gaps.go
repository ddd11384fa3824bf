// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
)

// gap is a pair of validators of which the receiver hears the author only through others.
type gap struct{ author, receiver common.Address }

// bridge is the time for which this node relays the messages of an author to a receiver at once.
type bridge struct {
	until uint64 // last sequence
	span  uint64 // in sequences
}

// gaps knows which validators do not hear each other (docs/adr/0043-deferred-relays.md).
type gaps struct {
	bridges map[gap]bridge
	answers map[common.Address]bool // validators that voted for this node's latest decided proposal
}

// open reports whether messages are relayed at once across a gap in a sequence.
func (g *gaps) open(of gap, sequence uint64) bool {
	b, known := g.bridges[of]
	return known && b.until >= sequence
}

// note begins to bridge a gap for a set of n validators, for 4 rotations of the whole set. A gap that is still there
// after its time is bridged for twice as long, up to 64.
func (g *gaps) note(of gap, sequence uint64, n int) {
	turns := uint64(n)
	b, known := g.bridges[of]
	switch {
	case of.author == of.receiver || known && b.until >= sequence || !known && len(g.bridges) >= maxGaps:
		return
	case known:
		b.span = min(2*b.span, 64*turns)
	default:
		b.span = 4 * turns
	}
	b.until = sequence + b.span
	g.bridges[of] = b
}

// relay relays a message of another validator: at once to those that do not hear its author, and after RelayDelay to
// those that need it then.
func (c *Core) relay(r Relay) {
	if c.cfg.Strict {
		c.relayAtOnce(r)
		return
	}
	var list []common.Address
	for i := range c.set().Len() {
		receiver := c.set().At(i).Address
		if !c.gaps.open(gap{r.Author, receiver}, c.sequence) || receiver == c.cfg.Address {
			continue
		}
		if r.View.Sequence < c.sequence || !c.isPast(i, &r) {
			list = append(list, receiver)
		}
	}
	if len(list) > 0 && r.Payload != nil {
		c.emit(Relay{Code: r.Code, Payload: r.Payload, To: list})
	}
	c.emit(r)
}

// relayAtOnce relays a message to all other validators but its author.
func (c *Core) relayAtOnce(r Relay) {
	if r.offered != nil {
		c.certs.proveOffered([]*messages.RoundChange{r.offered})
		r.Payload = c.certs.provenForm(r.offered)
	}
	r.offered, r.To = nil, slices.DeleteFunc(c.set().Addresses(), func(a common.Address) bool {
		return a == c.cfg.Address || a == r.Author
	})
	if r.Payload != nil && len(r.To) > 0 {
		c.emit(r)
	}
}

// noteGap notes a gap to another validator.
func (c *Core) noteGap(of gap) {
	if of.receiver != c.cfg.Address {
		c.gaps.note(of, c.sequence, c.set().Len())
	}
}

// findGaps finds the gaps that a new head shows, with its extra data x. Votes of the prior sequence had a whole period
// to arrive. All evidence is signed by the receiver: votes that it gives to other proposers, and seals that its own
// proposal leaves out. A receiver that lies gets more messages, each once.
func (c *Core) findGaps(header *types.Header, x *types.WBFTExtra) {
	p := c.prior
	if p == nil || x == nil || header.ParentHash != p.digest || header.Number.Uint64() != c.sequence {
		return
	}
	maps.DeleteFunc(c.gaps.bridges, func(g gap, b bridge) bool {
		ended := b.until+uint64(c.set().Len())+2 < c.sequence
		return ended || !c.set().Contains(g.author) || !c.set().Contains(g.receiver)
	})
	if own, member := p.set.Index(c.cfg.Address); !member || !p.commits.supports(own, p.digest) {
		return // this node did not follow the sequence itself
	}
	c.findUnheardProposals(p, x)
	c.findOmittedSeals(p, header, x)
}

// findUnheardProposals notes the validators that did not vote for the block of the prior sequence, and voted for this
// node's latest one.
func (c *Core) findUnheardProposals(p *priorSequence, x *types.WBFTExtra) {
	voted := make(map[common.Address]bool)
	for i := range p.set.Len() {
		voted[p.set.At(i).Address] = p.voted(i)
	}
	if own, err := p.header.WBFTExtra(); err == nil {
		for _, seal := range []*types.WBFTSeal{
			own.PreparedSeal, own.CommittedSeal, x.PrevPreparedSeal, x.PrevCommittedSeal,
		} {
			for _, i := range sealersOf(seal, p.set) {
				voted[p.set.At(i).Address] = true
			}
		}
	}
	proposer := p.header.Coinbase
	if proposer == c.cfg.Address {
		c.gaps.answers = voted
		return
	}
	for receiver, votes := range voted {
		if !votes && c.gaps.answers[receiver] && p.round == 0 {
			c.noteGap(gap{proposer, receiver})
		}
	}
}

// findOmittedSeals notes the authors whose votes the proposer of the head left out, although the votes were here half
// a period before its proposal.
func (c *Core) findOmittedSeals(p *priorSequence, header *types.Header, x *types.WBFTExtra) {
	rs := c.rounds[0]
	if rs == nil || rs.digest != header.Hash() || x.Round != 0 || x.PrevRound != p.round || rs.author == c.cfg.Address {
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
			if slices.Contains(sealed, v.index) || !v.arrived.Before(inTime) {
				continue
			}
			if author != c.cfg.Address && !c.certs.isSuspect(author) {
				c.noteGap(gap{author, header.Coinbase})
			}
		}
	}
}
