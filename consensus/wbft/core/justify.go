// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
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
	Block    *types.Block
	Prepares [][]byte
}

func (cert *certificate) encode() ([]byte, error) {
	stored := storedCertificate{Round: cert.round, Block: cert.block}
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
	cert := &certificate{round: stored.Round, digest: stored.Block.Hash(), block: stored.Block}
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
// what spec wbft 9.1 no. 2 finds missing there.
func (c *Core) checkCertificate(cert *certificate, round uint64) error {
	if cert.round >= round {
		return fmt.Errorf("prepared round %d is not below round %d", cert.round, round)
	}
	if err := c.checkProposal(cert.block); err != nil {
		return err
	}
	if cert.block.Hash() != cert.digest {
		return errors.New("prepared digest is not that of the block")
	}
	return c.checkPrepares(cert.prepares, cert.round, cert.block)
}

// checkPrepares verifies that a list of PREPAREs is a quorum for a block in a round: distinct validators, the right
// view and digest, signatures and seals.
func (c *Core) checkPrepares(prepares []*messages.Prepare, round uint64, block *types.Block) error {
	if n, quorum := len(prepares), c.set().Quorum(); n < quorum || n > c.set().Len() {
		return fmt.Errorf("%d PREPAREs, want %d to %d", n, quorum, c.set().Len())
	}
	digest := block.Hash()
	for i, p := range prepares {
		switch {
		case p.Sequence != c.sequence:
			return fmt.Errorf("PREPARE %d is of sequence %d", i, p.Sequence)
		case p.Round != round:
			return fmt.Errorf("PREPARE %d is of round %d, want %d", i, p.Round, round)
		case p.Digest != digest:
			return fmt.Errorf("PREPARE %d is for another block", i)
		}
	}
	var (
		senders = newSenders(c.set())
		keys    = make([]*bls.PublicKey, len(prepares))
		seals   = make([][]byte, len(prepares))
	)
	for i, p := range prepares {
		index, err := senders.add(p)
		if err != nil {
			return fmt.Errorf("PREPARE %d: %w", i, err)
		}
		keys[i], seals[i] = c.set().At(index).Key, p.Seal
	}
	message := extra.SealDigest(block.Header(), uint32(round), extra.Prepare)
	sum, err := bls.AggregateSignatures(seals)
	if err != nil {
		return fmt.Errorf("prepare seals: %w", err)
	}
	if !bls.VerifyAggregate(keys, message[:], sum) {
		return errors.New("prepare seals do not verify")
	}
	return nil
}

// checkJustification verifies that a proposal in a round above 0 is justified (spec wbft 5.9), with all the checks the
// reference leaves out (spec wbft 9.1 no. 1).
func (c *Core) checkJustification(m *messages.PrePrepare) error {
	quorum := c.set().Quorum()
	if n := len(m.RoundChanges); n < quorum || n > c.set().Len() {
		return fmt.Errorf("%d ROUND-CHANGEs, want %d to %d", n, quorum, c.set().Len())
	}
	for i, rc := range m.RoundChanges {
		switch {
		case rc.Sequence != c.sequence:
			return fmt.Errorf("ROUND-CHANGE %d is of sequence %d", i, rc.Sequence)
		case rc.Round != m.Round:
			return fmt.Errorf("ROUND-CHANGE %d is to round %d, want %d", i, rc.Round, m.Round)
		case rc.Prepared != nil && rc.Prepared.Round >= rc.Round:
			return fmt.Errorf("ROUND-CHANGE %d claims round %d prepared", i, rc.Prepared.Round)
		}
	}
	senders := newSenders(c.set())
	for i, rc := range m.RoundChanges {
		if _, err := senders.add(rc); err != nil {
			return fmt.Errorf("ROUND-CHANGE %d: %w", i, err)
		}
	}
	supporting := 0
	if len(m.Prepares) == 0 {
		for _, rc := range m.RoundChanges {
			if rc.Prepared == nil {
				supporting++
			}
		}
		if supporting < quorum {
			return fmt.Errorf("%d of %d senders were not prepared, and no PREPAREs are given", supporting, quorum)
		}
		return nil
	}
	var (
		prepared = m.Prepares[0].Round
		digest   = m.Block.Hash()
		claimed  = false
	)
	if prepared >= m.Round {
		return fmt.Errorf("prepared round %d is not below round %d", prepared, m.Round)
	}
	for _, rc := range m.RoundChanges {
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
	return c.checkPrepares(m.Prepares, prepared, m.Block)
}
