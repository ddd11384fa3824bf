// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package evidence

import (
	"bytes"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
)

// Court is the trusted context of a judgment. None of it may come from the evidence itself.
type Court struct {
	Set     *validators.Set // validators of the sequence; those without a BLS key are judged without their seals
	Genesis common.Hash     // of the chain in question; zero if it is not known
	Parent  common.Hash     // hash of the block before the sequence on that chain; zero if it is not known
}

// Verdict is the judgment of evidence.
type Verdict struct {
	Label  Label    `json:"label"`
	Reason string   `json:"reason"`
	Limits []string `json:"limits,omitempty"` // statements that are not proven
}

// Explanations of contradictions of honest validators.
const (
	restarted = "a validator that was restarted without a record of what it had signed, as every validator of " +
		"go-stablenet is (spec wbft 5.10, 9.1 no. 3), can have signed both; one that has kept its vote log cannot"
	forgot = "a validator that was restarted without its lock, as every validator of go-stablenet is " +
		"(spec wbft 5.10), can have signed both; so can a validator of go-stablenet with a stale timer " +
		"(9.2 nos. 8, 9); one that has kept its vote log cannot"
	twicePrepared = "validators that were restarted without a record of what they had signed can have prepared " +
		"two blocks in one round (spec wbft 9.1 no. 3), and a validator of go-stablenet can carry a claim over from " +
		"the sequence before (9.2 no. 9); one that has kept its vote log cannot have signed both"

	timeless = "messages carry no time: which of the two was signed first is not known"
)

func refused(format string, args ...any) Verdict {
	return Verdict{Label: Refused, Reason: fmt.Sprintf(format, args...)}
}

// Judge returns the verdict about the signer of two messages. It depends on its arguments only. Claims of the evidence
// count as far as they are checked: signatures, views and contents, and seals where a message or header determines the
// sealed digest.
func Judge(e *Evidence, court Court) Verdict {
	codes, ok := e.Kind.codes()
	if !ok {
		return refused("there is no kind of evidence %q", e.Kind)
	}
	if court.Genesis != (common.Hash{}) && e.Genesis != court.Genesis {
		return refused("it was seen on the network with genesis block %v, not %v", e.Genesis, court.Genesis)
	}
	if e.Sequence == 0 {
		return refused("no validator votes for the genesis block")
	}
	var pair [2]messages.Message
	for i, payload := range e.Messages {
		m, err := messages.Decode(codes[i], payload)
		if err != nil {
			return refused("message %d: %v", i+1, err)
		}
		signer, err := m.Signer()
		switch {
		case err != nil:
			return refused("message %d: %v", i+1, err)
		case signer != e.Validator:
			return refused("message %d is signed by %v, not by %v", i+1, signer, e.Validator)
		case m.View().Sequence != e.Sequence:
			return refused("message %d is of sequence %d, not of %d", i+1, m.View().Sequence, e.Sequence)
		case m.View().Round != e.Rounds[i]:
			return refused("message %d is of round %d, not of %d", i+1, m.View().Round, e.Rounds[i])
		}
		pair[i] = m
	}
	index, ok := court.Set.Index(e.Validator)
	if !ok {
		return refused("%v is not among the validators of sequence %d", e.Validator, e.Sequence)
	}
	if e.Kind != ForgottenCommit && e.Rounds[0] != e.Rounds[1] {
		return refused("the messages are of rounds %d and %d: only in one round they could contradict each other",
			e.Rounds[0], e.Rounds[1])
	}
	if bytes.Equal(pair[0].SigningPayload(), pair[1].SigningPayload()) {
		return refused("the messages say the same")
	}
	c := &trial{Evidence: e, court: court, key: court.Set.At(index).Key}
	if v := c.takeHeaders(pair); v.Label == Refused {
		return v
	}
	switch e.Kind {
	case TwoProposals:
		return c.proposals(pair[0].(*messages.PrePrepare), pair[1].(*messages.PrePrepare))
	case TwoRoundChanges:
		return c.roundChanges(pair[0].(*messages.RoundChange), pair[1].(*messages.RoundChange))
	case ForgottenCommit:
		return c.forgottenCommit(pair[0].(*messages.Commit), pair[1].(*messages.RoundChange))
	}
	return c.votes(ballotOf(pair[0]), ballotOf(pair[1]))
}

// trial is a judgment in progress.
type trial struct {
	*Evidence
	court   Court
	key     *bls.PublicKey // nil if it is not known
	headers map[common.Hash]*types.Header
}

// ballot is the common part of PREPARE and COMMIT.
type ballot struct {
	kind   byte // of seal
	round  uint64
	digest common.Hash
	seal   []byte
}

func ballotOf(m messages.Message) ballot {
	if m, ok := m.(*messages.Prepare); ok {
		return ballot{extra.Prepare, m.Round, m.Digest, m.Seal}
	}
	c := m.(*messages.Commit)
	return ballot{extra.Commit, c.Round, c.Digest, c.Seal}
}

// takeHeaders checks that every header of the evidence is named by a message, of this sequence and, as far as known, of
// this chain.
func (c *trial) takeHeaders(pair [2]messages.Message) Verdict {
	named := make(map[common.Hash]bool)
	for _, m := range pair {
		if digest, _, vote := messages.Ballot(m); vote {
			named[digest] = true
		} else if m, ok := m.(*messages.RoundChange); ok && m.Prepared != nil {
			named[m.Prepared.Digest] = true
		}
	}
	c.headers = make(map[common.Hash]*types.Header)
	if len(c.Headers) > len(named) {
		return refused("%d headers are given for %d blocks", len(c.Headers), len(named))
	}
	for i, encoded := range c.Headers {
		h, err := decodeHeader(encoded)
		if err != nil {
			return refused("header %d: %v", i+1, err)
		}
		if !named[h.Hash()] {
			return refused("header %d is that of block %v, which neither message names", i+1, h.Hash())
		}
		if v := c.checkLineage(h); v.Label == Refused {
			return v
		}
		c.headers[h.Hash()] = h
	}
	return c.siblings()
}

// checkLineage refuses blocks that are not of the sequence or not of the chain.
func (c *trial) checkLineage(h *types.Header) Verdict {
	if !h.Number.IsUint64() || h.Number.Uint64() != c.Sequence {
		return refused("block %v has number %v, the messages are of sequence %d", h.Hash(), h.Number, c.Sequence)
	}
	if c.court.Parent != (common.Hash{}) && h.ParentHash != c.court.Parent {
		return refused(
			"block %v is a child of %v, which is not block %d of this chain: "+
				"its validators may have voted for it on another one",
			h.Hash(),
			h.ParentHash,
			c.Sequence-1,
		)
	}
	return Verdict{}
}

// siblings refuses blocks with different parents.
func (c *trial) siblings() Verdict {
	var parent *common.Hash
	for _, h := range c.headers {
		if parent != nil && *parent != h.ParentHash {
			return refused(
				"the blocks have different parents: at most one of them is of this chain, " +
					"and what is signed on two chains contradicts nothing",
			)
		}
		parent = &h.ParentHash
	}
	return Verdict{}
}

// explainable returns the verdict on a contradiction with an innocent explanation. blocks are the blocks that the
// messages name.
func (c *trial) explainable(what, explanation string, blocks ...common.Hash) Verdict {
	v := Verdict{Label: Explainable, Reason: what + ": " + explanation, Limits: []string{timeless}}
	known := 0
	for _, hash := range blocks {
		if c.headers[hash] != nil {
			known++
		}
	}
	switch {
	case known < max(1, len(blocks)):
		v.Limits = append(
			v.Limits,
			"messages name no chain, and not all blocks are known: one may be of another network or an older genesis "+
				"block on which the same key was used",
		)
	case c.court.Parent == (common.Hash{}):
		v.Limits = append(v.Limits, "whether the parent of the blocks is of this chain was not checked")
	}
	return v
}

// proposals judges two PRE-PREPAREs of one view.
func (c *trial) proposals(first, second *messages.PrePrepare) Verdict {
	a, b := first.Block.Header(), second.Block.Header()
	if a.Hash() == b.Hash() {
		return refused("both propose block %v", a.Hash())
	}
	for _, h := range []*types.Header{a, b} {
		if v := c.checkLineage(h); v.Label == Refused {
			return v
		}
		c.headers[h.Hash()] = h
	}
	if v := c.siblings(); v.Label == Refused {
		return v
	}
	return c.explainable(
		fmt.Sprintf("it proposed blocks %v and %v in round %d of sequence %d", a.Hash(), b.Hash(), c.Rounds[0], c.Sequence),
		restarted, a.Hash(), b.Hash())
}

// votes judges two PREPAREs or two COMMITs of one view. The BLS seal of a key over a digest is unique, and the BLS key
// belongs to the key that signs the message (spec wbft 2.1, 2.4). A false seal under a true signature is therefore made
// on purpose.
func (c *trial) votes(a, b ballot) Verdict {
	step := c.Kind
	where := fmt.Sprintf("round %d of sequence %d", a.round, c.Sequence)
	switch {
	case a.digest == b.digest:
		return Verdict{
			Label: Proven,
			Reason: fmt.Sprintf(
				"it sent two different %s seals for block %v in %s: a seal is unique, so it made one that is false", step, a.digest,
				where),
		}
	case bytes.Equal(a.seal, b.seal):
		return Verdict{
			Label: Proven,
			Reason: fmt.Sprintf("it sent one and the same %s seal for blocks %v and %v in %s: it can be over one of them only",
				step, a.digest, b.digest, where),
		}
	}
	good, bad := 0, 0
	for _, vote := range []ballot{a, b} {
		if holds, known := c.sealHolds(vote); known && holds {
			good++
		} else if known {
			bad++
		}
	}
	what := fmt.Sprintf("it sent a %s for block %v and one for block %v in %s", step, a.digest, b.digest, where)
	if good == 1 && bad == 1 {
		return Verdict{
			Label: Proven,
			Reason: what + ", and the seal of one holds while that of the other is false: " +
				"no validator that means to vote makes such a vote",
		}
	}
	v := c.explainable(what, restarted, a.digest, b.digest)
	switch {
	case bad == 2:
		v.Limits = append(v.Limits,
			"neither seal holds under the validator's BLS key in the set, which may not be the one that belongs to its node key")
	case good+bad < 2:
		v.Limits = append(v.Limits,
			"not every seal could be checked: that takes the BLS key, and above round 0 the header of the block")
	}
	return v
}

// sealHolds reports whether the seal of a vote is over its block; known is false where that is undecidable. In round 0
// the block hash determines the digest; later rounds need the header (spec wbft 1.4).
func (c *trial) sealHolds(vote ballot) (holds, known bool) {
	var message [32]byte
	switch h := c.headers[vote.digest]; {
	case c.key == nil:
		return false, false
	case h != nil:
		message = extra.SealDigest(h, uint32(vote.round), vote.kind)
	case vote.round == 0:
		message = crypto.Keccak256Hash(vote.digest[:], []byte{vote.kind})
	default:
		return false, false
	}
	return scheme.Verify(c.key, message[:], vote.seal), true
}

// supportOf returns the order of a ROUND-CHANGE: 0 without a prepared round, else the round plus 1.
func supportOf(m *messages.RoundChange) uint64 {
	if m.Prepared == nil {
		return 0
	}
	return m.Prepared.Round + 1
}

// roundChanges judges two ROUND-CHANGEs to one round.
func (c *trial) roundChanges(first, second *messages.RoundChange) Verdict {
	a, b := supportOf(first), supportOf(second)
	if a != b {
		return refused(
			"one ROUND-CHANGE claims a higher prepared round than the other and supersedes it: " +
				"a validator that gets prepared says so (spec wbft 5.5)",
		)
	}
	x, y := first.Prepared.Digest, second.Prepared.Digest // differ, or the two would say the same
	return c.explainable(
		fmt.Sprintf("its ROUND-CHANGEs to round %d of sequence %d claim blocks %v and %v prepared in the same round %d",
			first.Round, c.Sequence, x, y, first.Prepared.Round),
		twicePrepared,
		x,
		y,
	)
}

// forgottenCommit judges a COMMIT and a later ROUND-CHANGE that does not claim its block.
func (c *trial) forgottenCommit(commit *messages.Commit, change *messages.RoundChange) Verdict {
	switch {
	case change.Round <= commit.Round:
		return refused("the ROUND-CHANGE is to round %d, the COMMIT of round %d: it has to be later", change.Round,
			commit.Round)
	case supportOf(change) > commit.Round:
		return refused("the ROUND-CHANGE claims round %d prepared, which is not below the COMMIT's round %d",
			change.Prepared.Round, commit.Round)
	}
	says := "claims nothing prepared"
	if change.Prepared != nil {
		says = fmt.Sprintf("claims only round %d prepared", change.Prepared.Round)
	}
	return c.explainable(
		fmt.Sprintf("it sent a COMMIT for block %v in round %d of sequence %d, and its ROUND-CHANGE to round %d %s",
			commit.Digest, commit.Round, c.Sequence, change.Round, says),
		forgot,
		commit.Digest,
	)
}
