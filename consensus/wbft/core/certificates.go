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
	"gwon/consensus/wbft/validators"
)

// suspicion is the number of sequences for which the author of a bad seal is a suspect. It takes tens of pairings to
// find a bad seal among many, and its author is likely to send more.
const suspicion = 100

// certificate is a prepared certificate: a quorum of PREPAREs for one block in one round.
type certificate struct {
	round    uint64
	digest   common.Hash
	block    *types.Block
	prepares []*messages.Prepare
}

// storedCertificate is the form of a certificate in the vote log.
type storedCertificate struct {
	Round    uint64
	Block    rlp.RawValue
	Prepares [][]byte
}

// encode returns the form for the vote log. The bytes of a known block are taken as they are.
func (cert *certificate) encode(known *blocks) ([]byte, error) {
	block, err := known.encode(cert.block)
	if err != nil {
		return nil, fmt.Errorf("encode the block of the prepared certificate of round %d: %w", cert.round, err)
	}
	stored := storedCertificate{Round: cert.round, Block: block}
	for _, p := range cert.prepares {
		stored.Prepares = append(stored.Prepares, p.Encode())
	}
	encoded, err := rlp.EncodeToBytes(&stored)
	if err != nil {
		return nil, fmt.Errorf("encode the prepared certificate of round %d: %w", cert.round, err)
	}
	return encoded, nil
}

// decodeCertificate decodes a certificate of the vote log. Nothing in it is verified.
func decodeCertificate(encoded []byte) (*certificate, error) {
	var stored storedCertificate
	if err := rlp.DecodeBytes(encoded, &stored); err != nil {
		return nil, fmt.Errorf("decode a stored prepared certificate: %w", err)
	}
	block := new(types.Block)
	if err := rlp.DecodeBytes(stored.Block, block); err != nil {
		return nil, fmt.Errorf("decode the block of a stored prepared certificate: %w", err)
	}
	cert := &certificate{round: stored.Round, digest: block.Hash(), block: block}
	for i, p := range stored.Prepares {
		m, err := messages.Decode(messages.CodePrepare, p)
		if err != nil {
			return nil, fmt.Errorf("decode PREPARE %d of a stored prepared certificate: %w", i, err)
		}
		cert.prepares = append(cert.prepares, m.(*messages.Prepare))
	}
	return cert, nil
}

// claim is what a prepared certificate shows: a quorum has prepared a block in a round.
type claim struct {
	round  uint64
	digest common.Hash
}

// provenKey names a PREPARE of the sequence by everything that its author has signed, and the signature.
type provenKey struct {
	claim
	seal      [messages.SealLength]byte
	signature [messages.SignatureLength]byte
}

func provenKeyOf(p *messages.Prepare) provenKey {
	k := provenKey{claim: claim{p.Round, p.Digest}}
	copy(k.seal[:], p.Seal)
	copy(k.signature[:], p.Signature())
	return k
}

// certificates holds what was verified in one sequence: blocks, PREPAREs and prepared certificates. In a round change
// every validator sends the same ones, and each is verified once. It also knows the authors of bad seals.
type certificates struct {
	sequence uint64
	parent   common.Hash // hash of the head
	set      *validators.Set

	blocks   blocks                    // proposals that have passed the gate
	byClaim  map[claim]*certificate    // verified certificates
	proven   map[provenKey]int         // PREPAREs with a good signature and seal, with the index of their author
	suspects map[common.Address]uint64 // authors of bad seals, with the sequence in which suspicion ends
}

// next returns the empty certificates of the sequence after a head. Suspects whose time is over are forgotten.
func (c *certificates) next(head *types.Header, set *validators.Set) certificates {
	n := certificates{
		sequence: head.Number.Uint64() + 1,
		parent:   head.Hash(),
		set:      set,
		byClaim:  make(map[claim]*certificate),
		proven:   make(map[provenKey]int),
		suspects: make(map[common.Address]uint64),
	}
	for author, until := range c.suspects {
		if until > n.sequence {
			n.suspects[author] = until
		}
	}
	return n
}

// checkProposal is the gate. It checks what needs neither state nor keys: the block is well formed, a child of the
// head, and not sealed.
func (c *certificates) checkProposal(block *types.Block) error {
	if block != nil && c.blocks.knows(block) {
		return nil
	}
	if err := checkUnsealed(block, c.sequence); err != nil {
		return err
	}
	if block.ParentHash() != c.parent {
		return errors.New("block is not a child of the head")
	}
	return nil
}

// check verifies a prepared certificate that counts in a round, with everything that spec wbft 9.1 no. 2 finds missing
// in go-stablenet. One whose claim is proven becomes the certificate that proved it. The prepared round may be the
// round itself: validators of go-stablenet repeat their ROUND-CHANGE with it (spec wbft 5.5).
func (c *certificates) check(cert *certificate, round uint64) error {
	if cert.round > round {
		return fmt.Errorf("prepared round %d is above round %d", cert.round, round)
	}
	if err := c.checkProposal(cert.block); err != nil {
		return err
	}
	if cert.block.Hash() != cert.digest {
		return errors.New("prepared digest is not that of the block")
	}
	if known := c.byClaim[claim{cert.round, cert.digest}]; known != nil {
		cert.block, cert.prepares = known.block, known.prepares // other PREPAREs cannot show more
		return nil
	}
	if err := c.checkPrepares(cert.prepares, cert.round, cert.block); err != nil {
		return err
	}
	if err := c.blocks.remember(cert.block); err != nil {
		return err
	}
	c.add(cert)
	return nil
}

// add keeps a certificate that was verified.
func (c *certificates) add(cert *certificate) {
	key := claim{cert.round, cert.digest}
	if _, known := c.byClaim[key]; !known && len(c.byClaim) < maxCertificates {
		c.byClaim[key] = cert
	}
}

// checkPrepares verifies that PREPAREs are a quorum for a block in a round: distinct validators, the right view and
// digest, signatures and seals.
func (c *certificates) checkPrepares(prepares []*messages.Prepare, round uint64, block *types.Block) error {
	if n, quorum := len(prepares), c.set.Quorum(); n < quorum || n > c.set.Len() {
		return fmt.Errorf("%d PREPAREs, want %d to %d", n, quorum, c.set.Len())
	}
	if err := checkViews(prepares, c.sequence, round, block.Hash()); err != nil {
		return err
	}
	var (
		senders = newSenders(c.set)
		unknown []*vote
	)
	for i, p := range prepares {
		index, known := c.proven[provenKeyOf(p)]
		if !known {
			sender, err := p.Signer()
			if err != nil {
				return fmt.Errorf("PREPARE %d: %w", i, err)
			}
			if index, known = c.set.Index(sender); !known {
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

// checkViews returns an error unless PREPAREs are of one view and for one block.
func checkViews(prepares []*messages.Prepare, sequence, round uint64, digest common.Hash) error {
	for i, p := range prepares {
		switch {
		case p.Sequence != sequence:
			return fmt.Errorf("PREPARE %d is of sequence %d, want %d", i, p.Sequence, sequence)
		case p.Round != round:
			return fmt.Errorf("PREPARE %d is of round %d, want %d", i, p.Round, round)
		case p.Digest != digest:
			return fmt.Errorf("PREPARE %d is for another block", i)
		}
	}
	return nil
}

// prove verifies the seals of PREPAREs for a block in a round together, each by itself, and keeps the PREPAREs. One
// bad seal fails all of them.
func (c *certificates) prove(votes []*vote, round uint64, block *types.Block) bool {
	if len(votes) == 0 {
		return true
	}
	message := extra.SealDigest(block.Header(), uint32(round), extra.Prepare)
	if !scheme.AllValid(singles(c.set, votes, message)) {
		return false
	}
	c.remember(votes)
	return true
}

// remember keeps the PREPAREs among votes of this sequence whose signature and seal were verified.
func (c *certificates) remember(votes []*vote) {
	for _, v := range votes {
		if p, ok := v.message.(*messages.Prepare); ok && len(c.proven) < maxProven*c.set.Len() {
			c.proven[provenKeyOf(p)] = v.index
		}
	}
}

// isProven reports whether PREPAREs are a quorum for a claim, by the PREPAREs that were verified before.
func (c *certificates) isProven(prepares []*messages.Prepare, of claim) bool {
	if n := len(prepares); n < c.set.Quorum() || n > c.set.Len() {
		return false
	}
	senders := newSenders(c.set)
	for _, p := range prepares {
		index, known := c.proven[provenKeyOf(p)]
		if !known || p.Sequence != c.sequence || (claim{p.Round, p.Digest}) != of || senders.add(index) != nil {
			return false
		}
	}
	return true
}

// proveOffered verifies the PREPAREs of ROUND-CHANGEs whose claims are proven by other certificates. Those of one
// claim are verified together.
func (c *certificates) proveOffered(offered []*messages.RoundChange) {
	unknown := make(map[claim]map[provenKey]*messages.Prepare)
	for _, m := range offered {
		of := claim{m.Prepared.Round, m.Prepared.Digest}
		for _, p := range m.Prepares {
			k := provenKeyOf(p)
			if _, known := c.proven[k]; known || p.Sequence != c.sequence || k.claim != of {
				continue
			}
			if unknown[of] == nil {
				unknown[of] = make(map[provenKey]*messages.Prepare)
			}
			unknown[of][k] = p
		}
	}
	for of, prepares := range unknown {
		cert := c.byClaim[of]
		if cert == nil {
			continue
		}
		var votes []*vote
		for _, p := range prepares {
			if sender, err := p.Signer(); err == nil {
				if index, ok := c.set.Index(sender); ok {
					votes = append(votes, &vote{index: index, seal: p.Seal, message: p})
				}
			}
		}
		c.prove(votes, of.round, cert.block)
	}
}

// provenForm returns the payload of a ROUND-CHANGE with a good certificate: its own if that is proven, otherwise the
// one that proved its claim. It is nil without such a certificate.
func (c *certificates) provenForm(m *messages.RoundChange) []byte {
	of := claim{m.Prepared.Round, m.Prepared.Digest}
	if c.isProven(m.Prepares, of) {
		return m.Encode()
	}
	cert := c.byClaim[of]
	if cert == nil {
		return nil
	}
	return m.EncodeWith(cert.block, cert.prepares)
}

// suspect notes that a validator has sent a bad seal.
func (c *certificates) suspect(validator common.Address) {
	c.suspects[validator] = c.sequence + suspicion
}

// isSuspect reports whether a validator has sent a bad seal lately.
func (c *certificates) isSuspect(validator common.Address) bool {
	_, suspected := c.suspects[validator]
	return suspected
}
