// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/core/rules"
)

// A message of 10 MiB can hold a million transactions, which take seconds to decode. It is screened undecoded, in the
// order of costs: view, size of its lists, bytes of a known block, outline of the block, author. docs/consensus.md
// lists the costs.

// screenProposal examines a PRE-PREPARE of this sequence before its author is recovered. It returns the hash of its
// block.
func (c *Core) screenProposal(env *messages.Envelope) (digest common.Hash, r *rejection) {
	rs := c.rounds[env.View.Round]
	if env.View.Round > c.round && c.state == Committed {
		return digest, reject(ordinary, "proposal of a later round while the head is awaited")
	}
	if c.excessiveLists(env) {
		return digest, reject(excessive, "proposal with more ROUND-CHANGEs and PREPAREs than there are validators")
	}
	block := c.certs.blocks.find(env.Block)
	if block != nil && rs != nil && rs.block == block {
		return digest, reject(ordinary, "duplicate proposal") // the same bytes, as after a new connection
	}
	header, err := c.screenBlock(env.Block, block)
	if err != nil {
		return digest, c.misplacedProposal(env, err)
	}
	digest = header.Hash()
	bound := rs != nil && rs.block != nil
	switch {
	case bound && digest == rs.digest:
		r = reject(redundant, "duplicate proposal")
	case bound && (rs.accused || rs.prePrepare == nil):
		r = reject(redundant, "second proposal for the view")
	case bound: // evidence, if the proposer has signed it
	case rs != nil && (slices.Contains(rs.rejected, digest) || len(rs.rejected) == maxRejected):
		r = reject(redundant, "the proposer's proposal for the view was invalid")
	case c.signer.votedOtherwise(env.View.Round, digest):
		r = reject(redundant, "this node voted, or may have voted, for another proposal in the view")
	}
	return digest, r
}

// misplacedProposal rejects a proposal that no honest validator makes. If the proposer delivers it itself, its
// signature is recovered, which proves the fault.
func (c *Core) misplacedProposal(env *messages.Envelope, reason error) *rejection {
	if c.delivery.from == c.proposerOf(env.View.Round) && errors.Is(reason, errGas) {
		if author, err := env.Signer(); err == nil && author == c.delivery.from {
			return refuse(blockFault(env.View.Round, env.Justified), author, "proposal: "+reason.Error())
		}
	}
	return reject(misplaced, "proposal: "+reason.Error())
}

// screenClaim examines the block of a ROUND-CHANGE of this sequence whose author is known. The block is not signed.
func (c *Core) screenClaim(env *messages.Envelope) error {
	if c.excessiveLists(env) {
		return errors.New("more PREPAREs than there are validators")
	}
	if env.Block == nil {
		return nil
	}
	header, err := c.screenBlock(env.Block, c.certs.blocks.find(env.Block))
	if err != nil {
		return err
	}
	if header.Hash() != env.Change.Prepared.Digest {
		return errors.New("prepared block does not have the prepared digest")
	}
	return nil
}

// excessiveLists reports whether a message carries more beside its block than the validators of this sequence can have
// sent.
func (c *Core) excessiveLists(env *messages.Envelope) bool {
	return len(env.Payload)-len(env.Block) > messages.Limit()-messages.MaxProposal(c.set().Len())
}

var (
	// errGas marks a block that needs more gas than any block on this head can have.
	errGas = errors.New("gas")
	// errDecided marks a block at the height of the head or below.
	errDecided = errors.New("decided")
)

// screenBlock examines the RLP of a block for this sequence and returns its header. A known block has passed the gate.
func (c *Core) screenBlock(raw []byte, known *types.Block) (*types.Header, error) {
	if known != nil {
		return known.Header(), nil
	}
	o, err := rules.OutlineBlock(raw)
	if err != nil {
		return nil, err
	}
	if err := rules.ValidateHeader(o.Header); err != nil {
		return nil, err
	}
	if number := o.Header.Number.Uint64(); number < c.sequence {
		return nil, fmt.Errorf("block is of sequence %d, which is %w", number, errDecided)
	} else if number > c.sequence {
		return nil, fmt.Errorf("block is of sequence %d, want %d", number, c.sequence)
	}
	if o.Header.ParentHash != c.head.Header.Hash() {
		return nil, errors.New("block is not a child of the head")
	}
	if err := o.CheckGas(rules.MaxGasLimit(c.head.Header)); err != nil {
		return nil, fmt.Errorf("%w: %w", errGas, err)
	}
	return o.Header, nil
}

// screenEarly examines a message for the backlog before its author is recovered. It returns what the author says with
// it: for a vote its digest and seal, for a proposal the hash of its block.
func (c *Core) screenEarly(env *messages.Envelope) (content string, r *rejection) {
	if vote := env.Vote(); vote != nil {
		return contentOf(vote), nil
	}
	if c.excessiveLists(env) {
		return "", reject(malformed, "early message with more beside its block than validators can have sent")
	}
	if env.Block == nil {
		return "", nil
	}
	hash, err := c.screenAhead(env)
	if err != nil {
		return "", reject(misplaced, "early block: "+err.Error())
	}
	if env.Code == messages.CodePrePrepare {
		return string(hash.Bytes()), nil
	}
	return "", nil
}

// screenAhead examines the block of a message of the next sequence, whose head is not known yet. It returns the hash
// of the block.
func (c *Core) screenAhead(env *messages.Envelope) (common.Hash, error) {
	o, err := rules.OutlineBlock(env.Block)
	if err != nil {
		return common.Hash{}, err
	}
	if err := rules.ValidateHeader(o.Header); err != nil {
		return common.Hash{}, err
	}
	if o.Header.Number.Uint64() != env.View.Sequence {
		return common.Hash{}, fmt.Errorf("block is of sequence %d, want %d", o.Header.Number, env.View.Sequence)
	}
	limit := c.head.Header
	for range aheadSteps - 1 {
		limit = &types.Header{GasLimit: rules.MaxGasLimit(limit)}
	}
	if err := o.CheckGas(rules.MaxGasLimit(limit)); err != nil {
		return common.Hash{}, err
	}
	return o.Header.Hash(), nil
}
