// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/messages"
)

// certificate is a prepared certificate: a quorum of PREPAREs for one block in one round.
type certificate struct {
	round    uint64
	digest   common.Hash
	block    *types.Block
	prepares []*messages.Prepare
}

// storedCertificate is its form in the vote log.
type storedCertificate struct {
	Round    uint64
	Block    rlp.RawValue
	Prepares [][]byte
}

// encode returns the form for the vote log. A block that is known is not encoded again.
func (cert *certificate) encode(known *blocks) ([]byte, error) {
	block, err := known.encode(cert.block)
	if err != nil {
		return nil, fmt.Errorf("encoding the block of the prepared certificate of round %d: %w", cert.round, err)
	}
	stored := storedCertificate{Round: cert.round, Block: block}
	for _, p := range cert.prepares {
		stored.Prepares = append(stored.Prepares, p.Encode())
	}
	encoded, err := rlp.EncodeToBytes(&stored)
	if err != nil {
		return nil, fmt.Errorf("encoding the prepared certificate of round %d: %w", cert.round, err)
	}
	return encoded, nil
}

func decodeCertificate(encoded []byte) (*certificate, error) {
	var stored storedCertificate
	if err := rlp.DecodeBytes(encoded, &stored); err != nil {
		return nil, fmt.Errorf("decoding a stored prepared certificate: %w", err)
	}
	block := new(types.Block)
	if err := rlp.DecodeBytes(stored.Block, block); err != nil {
		return nil, fmt.Errorf("decoding the block of a stored prepared certificate: %w", err)
	}
	cert := &certificate{round: stored.Round, digest: block.Hash(), block: block}
	for i, p := range stored.Prepares {
		m, err := messages.Decode(messages.CodePrepare, p)
		if err != nil {
			return nil, fmt.Errorf("PREPARE %d of a stored certificate: %w", i, err)
		}
		cert.prepares = append(cert.prepares, m.(*messages.Prepare))
	}
	return cert, nil
}

// checkCertificate verifies a prepared certificate that is to count in a round: everything the reference checks and
// what spec wbft 9.1 no. 2 finds missing there. One for a block and round that is proven already becomes the one that proved it. The prepared round may be the round itself: a validator of the reference that is
// prepared in it says so in the ROUND-CHANGE that it repeats (spec wbft 5.5).
func (c *Core) checkCertificate(cert *certificate, round uint64) error {
	if cert.round > round {
		return fmt.Errorf("prepared round %d is above round %d", cert.round, round)
	}
	if err := c.checkProposal(cert.block); err != nil {
		return err
	}
	if cert.block.Hash() != cert.digest {
		return errors.New("prepared digest is not that of the block")
	}
	if known := c.certificates[certKey{cert.round, cert.digest}]; known != nil {
		// A quorum is known to have prepared the block in that round, and other PREPAREs cannot show more.
		cert.block, cert.prepares = known.block, known.prepares
		return nil
	}
	if err := c.checkPrepares(cert.prepares, cert.round, cert.block); err != nil {
		return err
	}
	if err := c.blocks.remember(cert.block); err != nil {
		return err
	}
	c.certify(cert)
	return nil
}

// checkPrepares verifies that a list of PREPAREs is a quorum for a block in a round: distinct validators, the right
// view and digest, signatures and seals.
func (c *Core) checkPrepares(prepares []*messages.Prepare, round uint64, block *types.Block) error {
	if n, quorum := len(prepares), c.set().Quorum(); n < quorum || n > c.set().Len() {
		return fmt.Errorf("%d PREPAREs, want %d to %d", n, quorum, c.set().Len())
	}
	if err := checkViews(prepares, c.sequence, round, block.Hash()); err != nil {
		return err
	}
	var (
		senders = newSenders(c.set())
		unknown []*vote
	)
	for i, p := range prepares {
		index, known := c.proven[provenKeyOf(p)]
		if !known {
			sender, err := p.Signer()
			if err != nil {
				return fmt.Errorf("PREPARE %d: %w", i, err)
			}
			if index, known = c.set().Index(sender); !known {
				return fmt.Errorf("PREPARE %d: %s is not a validator", i, sender)
			}
			unknown = append(unknown, &vote{index: index, seal: p.Seal, message: p})
		}
		if err := senders.add(index); err != nil {
			return fmt.Errorf("PREPARE %d: %w", i, err)
		}
	}
	if !c.prove(unknown, round, block) {
		return errors.New("prepare seals do not verify")
	}
	return nil
}

// checkViews sees that PREPAREs are of one view and for one block.
func checkViews(prepares []*messages.Prepare, sequence, round uint64, digest common.Hash) error {
	for i, p := range prepares {
		switch {
		case p.Sequence != sequence:
			return fmt.Errorf("PREPARE %d is of sequence %d", i, p.Sequence)
		case p.Round != round:
			return fmt.Errorf("PREPARE %d is of round %d, want %d", i, p.Round, round)
		case p.Digest != digest:
			return fmt.Errorf("PREPARE %d is for another block", i)
		}
	}
	return nil
}

// prove verifies the seals of PREPAREs for a block in a round, all together, and remembers them. One bad seal spoils all, so nobody looks
// for which it is.
func (c *Core) prove(votes []*vote, round uint64, block *types.Block) bool {
	if len(votes) == 0 {
		return true
	}
	message := extra.SealDigest(block.Header(), uint32(round), extra.Prepare)
	if !scheme.AllValid(singles(c.set(), votes, message)) {
		return false
	}
	c.remember(votes)
	return true
}

// provenKey identifies a PREPARE of the current sequence by all that its author has signed, and the signature.
type provenKey struct {
	round     uint64
	digest    common.Hash
	seal      [messages.SealLength]byte
	signature [messages.SignatureLength]byte
}

// maxProven bounds how many PREPAREs are remembered for each validator. All honest validators together send one a round.
const maxProven = 4 * roundWindow

func provenKeyOf(p *messages.Prepare) provenKey {
	k := provenKey{round: p.Round, digest: p.Digest}
	copy(k.seal[:], p.Seal)
	copy(k.signature[:], p.Signature())
	return k
}

// remember notes PREPAREs of this sequence whose signature and seal were verified. In a round change each of them comes once with
// every certificate.
func (c *Core) remember(votes []*vote) {
	for _, v := range votes {
		if p, ok := v.message.(*messages.Prepare); ok && len(c.proven) < maxProven*c.set().Len() {
			c.proven[provenKeyOf(p)] = v.index
		}
	}
}

// checkJustification verifies that a proposal in a round above 0 is justified (spec wbft 5.9), with all the checks the
// reference leaves out (spec wbft 9.1 no. 1), and that one in round 0 carries nothing that would be passed on for nothing.
func (c *Core) checkJustification(m *messages.PrePrepare) error {
	if m.Round == 0 {
		if len(m.RoundChanges)+len(m.Prepares) > 0 {
			return errors.New("round 0 needs no justification")
		}
		return nil
	}
	quorum, digest := c.set().Quorum(), m.Block.Hash()
	if err := checkChanges(m.View(), m.RoundChanges, quorum, c.set().Len()); err != nil {
		return err
	}
	known := c.knownChanges(m.Round)
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
	if err := checkClaims(m.View(), digest, m.RoundChanges, m.Prepares, quorum); err != nil || len(m.Prepares) == 0 {
		return err
	}
	return c.checkPrepares(m.Prepares, m.Prepares[0].Round, m.Block)
}

// Justifies checks what a justification of a block in a round above 0 says, for a set of n validators (spec wbft 5.9): all that does not
// depend on who has signed. That the authors are distinct validators, and their signatures and seals, are for others to check.
func Justifies(view messages.View, digest common.Hash, changes []*messages.SignedRoundChange, prepares []*messages.Prepare,
	quorum, n int) error {
	if err := checkChanges(view, changes, quorum, n); err != nil {
		return err
	}
	if err := checkClaims(view, digest, changes, prepares, quorum); err != nil || len(prepares) == 0 {
		return err
	}
	if len(prepares) < quorum || len(prepares) > n {
		return fmt.Errorf("%d PREPAREs, want %d to %d", len(prepares), quorum, n)
	}
	return checkViews(prepares, view.Sequence, prepares[0].Round, digest)
}

// checkChanges sees that there are as many ROUND-CHANGEs as there may be, and that all are of the view. One that claims
// a later round prepared is a lie that an honest proposer of the other client passes on among others (spec wbft 5.7):
// it supports nothing, and spoils nothing.
func checkChanges(view messages.View, changes []*messages.SignedRoundChange, quorum, size int) error {
	if n := len(changes); n < quorum || n > size {
		return fmt.Errorf("%d ROUND-CHANGEs, want %d to %d", n, quorum, size)
	}
	for i, rc := range changes {
		switch {
		case rc.Sequence != view.Sequence:
			return fmt.Errorf("ROUND-CHANGE %d is of sequence %d", i, rc.Sequence)
		case rc.Round != view.Round:
			return fmt.Errorf("ROUND-CHANGE %d is to round %d, want %d", i, rc.Round, view.Round)
		}
	}
	return nil
}

// checkClaims sees that what ROUND-CHANGEs claim to be prepared allows the block, given the PREPAREs for it, if any.
func checkClaims(view messages.View, digest common.Hash, changes []*messages.SignedRoundChange, prepares []*messages.Prepare,
	quorum int) error {
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

// knownChanges returns the senders of the ROUND-CHANGEs to a round that were verified before, by signature and signed content.
func (c *Core) knownChanges(round uint64) map[string]int {
	set := c.changes[round]
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
