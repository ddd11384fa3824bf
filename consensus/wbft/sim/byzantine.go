// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"encoding/binary"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/sim/modes"
)

// Wire is a message as it travels.
type Wire struct {
	Code    uint64
	Payload []byte
}

// said is a message with its payload.
type said struct {
	messages.Message
	payload []byte
}

func (m said) wire() []Wire { return []Wire{{m.Code(), m.payload}} }

// newProposal returns the PRE-PREPARE that a message is, if it repeats no block.
func (m said) newProposal() (*messages.PrePrepare, bool) {
	proposal, ok := m.Message.(*messages.PrePrepare)
	return proposal, ok && len(proposal.Prepares) == 0
}

// Behavior is how a Byzantine validator differs from an honest one. It runs an honest core and changes what leaves it.
type Behavior interface {
	// send decides what a validator is sent in place of an own message.
	send(n *raw, to *Node, m said) []Wire
	// observe sees every message that the node's core has handled.
	observe(n *raw, m said)
}

// honest is what behaviors share: messages go out as they are, and none is answered.
type honest struct{}

func (honest) send(_ *raw, _ *Node, m said) []Wire { return m.wire() }
func (honest) observe(*raw, said)                  {}

// replacements are blocks that are proposed in place of others.
type replacements map[common.Hash]*types.Block

// of returns the replacement of a block, which is made once; nil for none.
func (r *replacements) of(block *types.Block, replace func() *types.Block) *types.Block {
	if *r == nil {
		*r = make(replacements)
	}
	other, known := (*r)[block.Hash()]
	if !known {
		other = replace()
		(*r)[block.Hash()] = other
	}
	return other
}

// silent sends nothing.
type silent struct{ honest }

func (silent) send(*raw, *Node, said) []Wire { return nil }

// badSeals sends votes whose signatures are right and whose seals are not.
type badSeals struct{ honest }

func (badSeals) send(n *raw, _ *Node, m said) []Wire {
	if digest, _, ok := messages.Ballot(m.Message); ok {
		return n.wire(modes.Vote(m.Code(), m.View(), digest, n.seal([]byte("not what the protocol asks for"))))
	}
	return m.wire()
}

// equivocator proposes one block to half of the validators and another one to the rest, and votes for both. It also
// votes for every proposal it hears of, in PREPARE and COMMIT at once.
type equivocator struct{ twins replacements }

func (b *equivocator) send(n *raw, to *Node, m said) []Wire {
	proposal, ok := m.Message.(*messages.PrePrepare)
	if !ok {
		return m.wire()
	}
	twin := b.twins.of(proposal.Block, func() *types.Block { return n.variant(proposal.Block, "twin") })
	block := proposal.Block
	if to.id%2 == 0 {
		block = twin
	}
	return slices.Concat(n.wire(modes.Proposal(proposal, block)), n.votesFor(proposal.Block, proposal.Round),
		n.votesFor(twin, proposal.Round))
}

func (b *equivocator) observe(n *raw, m said) {
	if proposal, ok := m.Message.(*messages.PrePrepare); ok {
		n.spread(n.votesFor(proposal.Block, proposal.Round))
	}
}

// forger proposes a block of its own in every round that is its turn, with a justification it made up: copies of one
// genuine ROUND-CHANGE, or ROUND-CHANGEs of another view, and PREPAREs that no validator signed (spec wbft 9.1 no. 1).
// Its ROUND-CHANGEs claim a prepared block that is none (no. 2).
type forger struct{}

func (forger) observe(n *raw, m said) {
	change, ok := m.Message.(*messages.RoundChange)
	status := n.machine.Status()
	if !ok || change.Sequence != status.Sequence || n.Height()+1 != change.Sequence {
		return
	}
	set := n.set(change.Sequence)
	last := n.chain.head().Coinbase()
	if n.Height() == 0 {
		last = common.Address{}
	}
	if set.Proposer(n.net.cfg.Policy, last, change.Round) != n.address {
		return
	}
	block := n.candidate("forged")
	if block == nil {
		return
	}
	p := &messages.PrePrepare{Sequence: change.Sequence, Round: change.Round, Block: block}
	var prepares []*messages.Prepare
	for range set.Quorum() {
		p.RoundChanges = append(p.RoundChanges, &change.SignedRoundChange)
		prepare := &messages.Prepare{
			Sequence: change.Sequence, Digest: block.Hash(), Seal: make([]byte, messages.SealLength),
		}
		if err := prepare.SignWith(n.sign); err != nil {
			return
		}
		prepares = append(prepares, prepare)
	}
	n.spread(n.wire(p))
	p.Prepares = prepares
	n.spread(n.wire(p))
	n.spread(n.votesFor(block, change.Round))
}

func (forger) send(n *raw, _ *Node, m said) []Wire {
	if m.Code() == messages.CodePrePrepare && m.View().Round > 0 {
		return nil
	}
	change, ok := m.Message.(*messages.RoundChange)
	if !ok || n.Height()+1 != change.Sequence {
		return m.wire()
	}
	block := n.candidate("forged")
	if block == nil {
		return nil
	}
	prepare := &messages.Prepare{Sequence: change.Sequence, Digest: block.Hash()}
	digest := extra.SealDigest(block.Header(), 0, extra.Prepare)
	prepare.Seal = n.seal(digest[:])
	if err := prepare.SignWith(n.sign); err != nil {
		return nil
	}
	forged := &messages.RoundChange{PreparedBlock: block}
	forged.Sequence, forged.Round = change.Sequence, change.Round
	forged.Prepared = &messages.PreparedClaim{Round: 0, Digest: block.Hash()}
	forged.Prepares = slices.Repeat([]*messages.Prepare{prepare}, n.set(change.Sequence).Quorum())
	return append(m.wire(), n.wire(forged)...)
}

// invalidProposer proposes blocks that break a rule, another one each time: some do not execute, some say that they
// gave another result, some are from the future or name other validators.
type invalidProposer struct{ honest }

func (invalidProposer) send(n *raw, _ *Node, m said) []Wire {
	proposal, ok := m.newProposal()
	if !ok {
		return m.wire()
	}
	header := proposal.Block.Header()
	block := proposal.Block
	switch (proposal.Sequence + proposal.Round) % 6 {
	case 0:
		header.Root[0] ^= 1
	case 1:
		header.GasUsed++
	case 2:
		header.ReceiptHash[0] ^= 1
	case 3:
		header.MixDigest[0] ^= 1
	case 4:
		block = withTransactions(n.chain.head().Header(), block, n.transactionOf([]byte(poison)))
		header = block.Header()
	case 5:
		x, err := header.WBFTExtra()
		if err != nil {
			return nil
		}
		x.EpochInfo = n.net.epochInfo(0)
		if n.net.epochInfo(proposal.Sequence) != nil {
			x.EpochInfo = nil
		}
		header.Extra = x.Encode()
	}
	block = types.NewBlockWithHeader(header).WithBody(*block.Body())
	n.net.observer.learn(block)
	return n.wire(modes.Proposal(proposal, block))
}

// dearProposer proposes blocks that take a time to execute. Wrong ones have a state root that only their execution
// refutes, so they cost their proposer nothing.
type dearProposer struct {
	honest
	took  time.Duration
	wrong bool
}

func (b dearProposer) send(n *raw, _ *Node, m said) []Wire {
	proposal, ok := m.newProposal()
	if !ok {
		return m.wire()
	}
	data := binary.BigEndian.AppendUint64([]byte(dear), uint64(b.took))
	block := withTransactions(n.chain.head().Header(), proposal.Block, n.transactionOf(data))
	if b.wrong {
		header := block.Header()
		header.Root[0] ^= 1
		block = types.NewBlockWithHeader(header).WithBody(*block.Body())
	}
	n.net.observer.learn(block)
	// Its own PREPARE is one of those that others wait for.
	return append(n.wire(modes.Proposal(proposal, block)), n.votesFor(block, proposal.Round)[0])
}

// transactionOf returns a transaction to the node with data.
func (n *raw) transactionOf(data []byte) types.Transactions {
	return types.Transactions{types.NewTx(&types.LegacyTx{
		Gas: params.TxGas, Data: data, To: &n.address, V: big.NewInt(27), R: common.Big1, S: common.Big1,
	})}
}

// runner claims to be in rounds far ahead: to every validator in another one, and to each that changes its round in the
// next one. It tries to make some believe that a quorum is with them, or ahead of them.
type runner struct{}

func (runner) observe(n *raw, m said) {
	sender, err := m.Signer()
	if err != nil || m.Code() != messages.CodeRoundChange {
		return
	}
	for _, i := range n.net.members(m.View().Sequence) {
		if to := n.net.nodes[i]; to.address == sender {
			for _, w := range n.claim(m.View().Sequence, m.View().Round+(n.roll("runner", m.View().Round)%3)) {
				n.net.send(n.Node, to, w.Code, w.Payload)
			}
		}
	}
}

func (runner) send(n *raw, to *Node, m said) []Wire {
	if m.Code() != messages.CodeRoundChange {
		return m.wire()
	}
	return n.claim(m.View().Sequence, m.View().Round+uint64(3*to.id))
}

// claim is a ROUND-CHANGE to a round, unprepared.
func (n *raw) claim(sequence, round uint64) []Wire {
	m := new(messages.RoundChange)
	m.Sequence, m.Round = sequence, round
	return n.wire(m)
}

// bodySwapper proposes blocks of others again with another body and passes on ROUND-CHANGEs of others with another body
// in the prepared block: the hash of a block covers its header alone, and the block in a ROUND-CHANGE is not signed. It
// sends no COMMITs, so that rounds fail and there is something to propose again.
type bodySwapper struct{}

func (bodySwapper) observe(n *raw, m said) {
	if change, ok := m.Message.(*messages.RoundChange); ok && change.PreparedBlock != nil {
		n.spread(withSwappedBody(change))
	}
}

func (bodySwapper) send(n *raw, _ *Node, m said) []Wire {
	switch m := m.Message.(type) {
	case *messages.Commit:
		return nil
	case *messages.PrePrepare:
		if len(m.Prepares) > 0 {
			return n.wire(modes.Proposal(m, swapBody(m.Block)))
		}
	case *messages.RoundChange:
		if m.PreparedBlock != nil {
			return withSwappedBody(m)
		}
	}
	return m.wire()
}

func withSwappedBody(m *messages.RoundChange) []Wire {
	return []Wire{{m.Code(), m.EncodeWith(swapBody(m.PreparedBlock), m.Prepares)}}
}

// swapBody is a block with the same hash and a body that its header does not commit to.
func swapBody(block *types.Block) *types.Block {
	junk := types.NewTx(&types.LegacyTx{To: &common.Address{}})
	return block.WithBody(types.Body{Transactions: types.Transactions{junk}})
}

// wire signs a message with the node's key.
func (n *raw) wire(m messages.Message) []Wire {
	if err := m.SignWith(n.sign); err != nil {
		return nil
	}
	return []Wire{{m.Code(), m.Encode()}}
}

// votesFor makes both votes for a block.
func (n *raw) votesFor(block *types.Block, round uint64) []Wire {
	view := messages.View{Sequence: block.NumberU64(), Round: round}
	seal := func(kind byte) []byte {
		digest := extra.SealDigest(block.Header(), uint32(round), kind)
		return n.seal(digest[:])
	}
	return append(n.wire(modes.Vote(messages.CodePrepare, view, block.Hash(), seal(extra.Prepare))),
		n.wire(modes.Vote(messages.CodeCommit, view, block.Hash(), seal(extra.Commit)))...)
}

// spread sends messages to all validators.
func (n *raw) spread(list []Wire) {
	for _, i := range n.net.members(n.machine.Status().Sequence) {
		for _, m := range list {
			n.net.send(n.Node, n.net.nodes[i], m.Code, m.Payload)
		}
	}
}

// variant is the same block with another vanity.
func (n *raw) variant(block *types.Block, vanity string) *types.Block {
	variant := modes.Edited(block, func(_ *types.Header, x *types.WBFTExtra) { x.Vanity = []byte(vanity) })
	n.net.observer.learn(variant)
	return variant
}

// amnesiac keeps to all rules but the one about locks: its ROUND-CHANGEs never say that it is prepared, and it votes
// for every proposal in every round as if it had not voted before.
type amnesiac struct{}

func (amnesiac) observe(n *raw, m said) {
	if proposal, ok := m.Message.(*messages.PrePrepare); ok && proposal.Round > 0 {
		n.spread(n.votesFor(proposal.Block, proposal.Round))
	}
}

func (amnesiac) send(n *raw, _ *Node, m said) []Wire {
	if m.Code() == messages.CodeRoundChange {
		return n.claim(m.View().Sequence, m.View().Round)
	}
	return m.wire()
}

// selective is honest towards some and silent towards others, which differ from round to round.
type selective struct{ honest }

func (selective) send(n *raw, to *Node, m said) []Wire {
	if n.net.roll("selective", m.Code(), uint64(to.id), m.View().Sequence, m.View().Round)%2 == 0 {
		return nil
	}
	return m.wire()
}

// replayer repeats what others have signed where it does not belong: prepared certificates of older rounds and heights
// in its own ROUND-CHANGEs and proposals, and old messages as they are.
type replayer struct {
	certificate *messages.RoundChange // the oldest seen lately
	old         []Wire
}

func (b *replayer) observe(n *raw, m said) {
	if change, ok := m.Message.(*messages.RoundChange); ok && change.PreparedBlock != nil && b.certificate == nil {
		b.certificate = change
	}
	if b.old = append(b.old, m.wire()...); len(b.old) > modes.Replayed {
		w := b.old[n.roll("replay", uint64(len(m.payload)))%modes.Replayed]
		n.spread([]Wire{w})
		b.old = b.old[1:]
	}
}

func (b *replayer) send(n *raw, _ *Node, m said) []Wire {
	if b.certificate == nil {
		return m.wire()
	}
	switch own := m.Message.(type) {
	case *messages.RoundChange:
		claim := &messages.RoundChange{PreparedBlock: b.certificate.PreparedBlock, Prepares: b.certificate.Prepares}
		claim.Sequence, claim.Round, claim.Prepared = own.Sequence, own.Round, b.certificate.Prepared
		return append(n.wire(claim), m.wire()...)
	case *messages.PrePrepare:
		if own.Round > 0 {
			other := modes.Proposal(own, b.certificate.PreparedBlock)
			other.Prepares = b.certificate.Prepares
			return append(n.wire(other), m.wire()...)
		}
	}
	return m.wire()
}

// usurper proposes a block of its own where it has to propose a prepared block again. The ROUND-CHANGEs are genuine.
// The PREPAREs are left out in odd rounds; in even rounds they are for the other block. It votes for its block.
type usurper struct {
	honest
	own replacements // of prepared ones
}

func (b *usurper) send(n *raw, _ *Node, m said) []Wire {
	proposal, ok := m.Message.(*messages.PrePrepare)
	if !ok || len(proposal.Prepares) == 0 {
		return m.wire()
	}
	block := b.own.of(proposal.Block, func() *types.Block { return n.variant(proposal.Block, "usurped") })
	usurped := modes.Proposal(proposal, block)
	if proposal.Round%2 == 1 {
		usurped.Prepares = nil
	}
	return append(n.wire(usurped), n.votesFor(block, proposal.Round)...)
}

// claimant says of another block, too, that it was prepared in the round in which one was: its ROUND-CHANGEs to a round
// contradict each other. It sends no COMMITs, so that there are rounds to change.
type claimant struct{ honest }

func (claimant) send(n *raw, _ *Node, m said) []Wire {
	if m.Code() == messages.CodeCommit {
		return nil
	}
	change, ok := m.Message.(*messages.RoundChange)
	if !ok || change.PreparedBlock == nil {
		return m.wire()
	}
	other := n.variant(change.PreparedBlock, "claimed")
	claim := &messages.RoundChange{PreparedBlock: other, Prepares: change.Prepares}
	claim.Sequence, claim.Round = change.Sequence, change.Round
	claim.Prepared = &messages.PreparedClaim{Round: change.Prepared.Round, Digest: other.Hash()}
	return append(m.wire(), n.wire(claim)...)
}

// doubleSealer sends each vote twice, with its seal and with a false one. A seal is unique: no validator comes to that
// by a restart.
type doubleSealer struct{ honest }

func (doubleSealer) send(n *raw, to *Node, m said) []Wire {
	if _, _, vote := messages.Ballot(m.Message); !vote {
		return m.wire()
	}
	return append(m.wire(), badSeals{}.send(n, to, m)...)
}
