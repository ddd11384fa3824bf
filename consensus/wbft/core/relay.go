// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
)

// StillNeeded returns what of relays that were put off is worth passing on by now, and names those who may need it.
//
// Authors send to all validators they are connected to, so that among n of them which are connected with each other every relay
// is a surplus copy, n-2 for each message. What a validator has sent meanwhile shows what it needs no more: a vote for a proposal
// shows that it has the proposal, a COMMIT that it has seen a quorum of PREPAREs. After a decision the block itself is announced. Late
// votes are for the next proposer alone, and the last proposer gives them to it.
//
// Certificates that were taken without looking at their PREPAREs are examined here, all together: what is passed on has to be good.
func (c *Core) StillNeeded(relays []Relay) []Relay {
	if c.head == nil {
		return nil
	}
	var needed []Relay
	for _, r := range relays {
		if r.To = c.inNeed(&r); len(r.To) > 0 {
			needed = append(needed, r)
		}
	}
	c.provePrepares(needed)
	for i := range needed {
		if m := needed[i].offered; m != nil {
			needed[i].Payload, needed[i].offered = c.provenForm(m), nil
		}
	}
	return slices.DeleteFunc(needed, func(r Relay) bool { return r.Payload == nil })
}

// inNeed returns the validators who may lack a message and have use for it.
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

// isPast tells whether what a validator has sent shows that it can do without a message of this sequence.
func (c *Core) isPast(index int, r *Relay) bool {
	voted := func(round uint64, tallies func(*roundState) []*tally) bool {
		rs := c.rounds[round]
		return rs != nil && slices.ContainsFunc(tallies(rs), func(t *tally) bool {
			v := t.bySender[index]
			return v != nil && v.digest == rs.digest
		})
	}
	either := func(rs *roundState) []*tally { return []*tally{&rs.prepares, &rs.commits} }
	switch r.Code {
	case messages.CodePrePrepare:
		return voted(r.View.Round, either)
	case messages.CodePrepare:
		return voted(r.View.Round, func(rs *roundState) []*tally { return []*tally{&rs.commits} })
	case messages.CodeRoundChange:
		if voted(r.View.Round, either) {
			return true
		}
		for round, set := range c.changes {
			if round > r.View.Round && set.bySender[index] != nil {
				return true
			}
		}
	}
	return false
}

// nextProposerInNeed returns the next proposer if this node, which proposed the block before, should give it a late vote.
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

// certKey names what a prepared certificate shows.
type certKey struct {
	round  uint64
	digest common.Hash
}

// maxCertificates bounds how many certificates of a sequence are remembered. In a round a quorum prepares one block.
const maxCertificates = 2 * roundWindow

// certify remembers a certificate that was verified.
func (c *Core) certify(cert *certificate) {
	key := certKey{cert.round, cert.digest}
	if _, known := c.certificates[key]; !known && len(c.certificates) < maxCertificates {
		c.certificates[key] = cert
	}
}

// provePrepares verifies the PREPAREs that come with ROUND-CHANGEs and were not looked at, those of one round and block together,
// and remembers the good ones.
func (c *Core) provePrepares(relays []Relay) {
	unknown := make(map[certKey]map[provenKey]*messages.Prepare)
	for _, r := range relays {
		if r.offered == nil {
			continue
		}
		key := certKey{r.offered.Prepared.Round, r.offered.Prepared.Digest}
		for _, p := range r.offered.Prepares {
			if k := provenKeyOf(p); p.Sequence == c.sequence && p.Round == key.round && p.Digest == key.digest {
				if _, known := c.proven[k]; !known {
					if unknown[key] == nil {
						unknown[key] = make(map[provenKey]*messages.Prepare)
					}
					unknown[key][k] = p
				}
			}
		}
	}
	for key, prepares := range unknown {
		cert := c.certificates[key]
		if cert == nil {
			continue
		}
		var votes []*vote
		for _, p := range prepares {
			if sender, err := p.Signer(); err == nil {
				if index, ok := c.set().Index(sender); ok {
					votes = append(votes, &vote{index: index, seal: p.Seal, message: p})
				}
			}
		}
		c.prove(votes, key.round, cert.block)
	}
}

// provenForm returns the payload of a ROUND-CHANGE with a good certificate: its own when that is known to be good, else the one that
// proved the claim here. Nil if there is none.
func (c *Core) provenForm(m *messages.RoundChange) []byte {
	if c.checkKnownPrepares(m.Prepares, m.Prepared.Round, m.Prepared.Digest) {
		return m.Encode()
	}
	cert := c.certificates[certKey{m.Prepared.Round, m.Prepared.Digest}]
	if cert == nil {
		return nil
	}
	return m.EncodeWith(cert.block, cert.prepares)
}

// checkKnownPrepares tells whether PREPAREs are a quorum for a block in a round, going only by those that are known to be good.
func (c *Core) checkKnownPrepares(prepares []*messages.Prepare, round uint64, digest common.Hash) bool {
	if n := len(prepares); n < c.set().Quorum() || n > c.set().Len() {
		return false
	}
	senders := newSenders(c.set())
	for _, p := range prepares {
		index, known := c.proven[provenKeyOf(p)]
		if !known || p.Sequence != c.sequence || p.Round != round || p.Digest != digest || senders.add(index) != nil {
			return false
		}
	}
	return true
}
