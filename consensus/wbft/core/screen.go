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

// useless drops a message that led to nothing before its author was known. A large one is charged to its deliverer.
func (c *Core) useless(size int, cause Cause, reason string) {
	if from := c.deliverer; size > smallMessage {
		c.deliveries.useless[from]++
		last := c.deliveries.useless[from] == maxUseless
		if !c.set().Contains(from) {
			c.deliveries.strangers++
			from = common.Address{}
		}
		if last {
			c.emit(BadDelivery{From: from, Reason: "no more large messages are examined in this round, the last one: " + reason})
		}
	}
	c.dropFor(cause, reason)
}

// mayScreen reports whether a message of a size by the current deliverer is examined.
func (c *Core) mayScreen(size int) bool {
	return size <= smallMessage || c.deliveries.useless[c.deliverer] < c.uselessLimit()
}

// uselessLimit returns the number of useless large messages that the current deliverer may send in this round.
func (c *Core) uselessLimit() int {
	switch {
	case c.set().Contains(c.deliverer) || c.deliveries.strangers < strangersUseless:
		return maxUseless
	case c.deliveries.strangers < maxStrangersUseless:
		return 1
	}
	return 0
}

// screenProposal examines a PRE-PREPARE of this sequence before its author is recovered. It returns the hash of its
// block.
func (c *Core) screenProposal(env *messages.Envelope) (digest common.Hash, ok bool) {
	size := len(env.Payload)
	rs := c.rounds[env.View.Round]
	if env.View.Round > c.round && c.state == Committed {
		c.drop("proposal of a later round while the head is awaited")
		return digest, false
	}
	if c.excessiveLists(env) {
		c.useless(size, CauseBound, "proposal with more ROUND-CHANGEs and PREPAREs than there are validators")
		return digest, false
	}
	block := c.certs.blocks.find(env.Block)
	if block != nil && rs != nil && rs.block == block {
		c.drop("duplicate proposal") // the same bytes, as after a new connection
		return digest, false
	}
	header, err := c.screenBlock(env.Block, block)
	if err != nil {
		c.uselessProposal(env, err)
		return digest, false
	}
	digest = header.Hash()
	bound := rs != nil && rs.block != nil
	switch {
	case bound && digest == rs.digest:
		c.useless(size, CauseLate, "duplicate proposal")
	case bound && (rs.accused || rs.prePrepare == nil):
		c.useless(size, CauseLate, "second proposal for the view")
	case bound: // evidence, if the proposer has signed it
		return digest, true
	case rs != nil && (slices.Contains(rs.rejected, digest) || len(rs.rejected) == maxRejected):
		c.useless(size, CauseLate, "the proposer's proposal for the view was invalid")
	case c.signer.votedOtherwise(env.View.Round, digest):
		c.useless(size, CauseLate, "this node voted, or may have voted, for another proposal in the view")
	default:
		return digest, true
	}
	return digest, false
}

// uselessProposal drops a proposal that no honest validator makes. If the proposer delivers it itself, its signature
// is recovered, which proves the fault.
func (c *Core) uselessProposal(env *messages.Envelope, reason error) {
	if c.deliverer == c.proposerOf(env.View.Round) && errors.Is(reason, errGas) {
		if author, err := env.Signer(); err == nil && author == c.deliverer {
			c.disprove(author, env.View.Round, env.Justified, "proposal: "+reason.Error())
			return
		}
	}
	c.useless(len(env.Payload), CauseBlock, "proposal: "+reason.Error())
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
func (c *Core) screenEarly(env *messages.Envelope) (content string, ok bool) {
	size := len(env.Payload)
	if vote := env.Vote(); vote != nil {
		return contentOf(vote), true
	}
	if c.excessiveLists(env) {
		c.useless(size, CauseMalformed, "early message with more beside its block than validators can have sent")
		return "", false
	}
	if env.Block == nil {
		return "", true
	}
	hash, err := c.screenAhead(env)
	if err != nil {
		c.useless(size, CauseBlock, "early block: "+err.Error())
		return "", false
	}
	if env.Code == messages.CodePrePrepare {
		return string(hash.Bytes()), true
	}
	return "", true
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
